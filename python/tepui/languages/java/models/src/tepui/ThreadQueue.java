// A queue of threads that wait. The threads themselves form it, as none is in two queues at once.
// All methods are called in atomic sections.
package tepui;

public final class ThreadQueue {
    public volatile Thread first;
    private volatile Thread last;

    public void add(Thread thread, boolean mark) {
        if (first == null) {
            first = thread;
        } else {
            last.behind = thread;
        }
        last = thread;
        thread.queued = true;
        thread.marked = mark;
    }

    public void removeFirst() {
        remove(first, null);
    }

    public void remove(Thread thread) {
        Thread before = null;
        Thread here = first;
        while (here != thread) {
            before = here;
            here = here.behind;
        }
        remove(thread, before);
    }

    public void removeAll(boolean mark) {
        while (first != null) {
            first.marked = mark;
            remove(first, null);
        }
    }

    public int length() {
        int count = 0;
        for (Thread thread = first; thread != null; thread = thread.behind) {
            count++;
        }
        return count;
    }

    private void remove(Thread thread, Thread before) {
        Thread behind = thread.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (last == thread) {
            last = before;
        }
        thread.behind = null;
        thread.queued = false;
    }
}
