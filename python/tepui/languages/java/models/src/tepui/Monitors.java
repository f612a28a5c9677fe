// Object.wait, notify and notifyAll (JLS 17.2).
//
// A thread that waits goes on in one step: it leaves the wait set when it can have the monitor
// again. That is no restriction: to leave earlier and then wait for the monitor would only mean
// that a notification goes to somebody else, and the notification can choose that by itself.
package tepui;

public final class Monitors {
    private Monitors() {}

    public static void waitFor(Object o) throws InterruptedException {
        Thread current = Intrinsics.currentThread();
        int count = enter(o, current);
        Intrinsics.beginAtomic();
        Intrinsics.await(
                Intrinsics.isNotified() || current.interrupted || Intrinsics.spuriousWakeups());
        Intrinsics.reacquireMonitor(o, count);
        if (!Intrinsics.isNotified()) {
            Intrinsics.leaveWaitSet(o);
            if (current.interrupted) {
                current.interrupted = false;
                Intrinsics.endAtomic();
                throw new InterruptedException();
            }
        }
        Intrinsics.endAtomic();
    }

    /** The time may be over at once. */
    public static void waitFor(Object o, long millis) throws InterruptedException {
        if (millis < 0) {
            throw new IllegalArgumentException();
        }
        if (millis == 0) {
            waitFor(o);
            return;
        }
        Thread current = Intrinsics.currentThread();
        int count = enter(o, current);
        Intrinsics.beginAtomic();
        Intrinsics.reacquireMonitor(o, count);
        if (!Intrinsics.isNotified()) {
            Intrinsics.leaveWaitSet(o);
            // If the time was over before the interrupt, it stays pending.
            if (current.interrupted && Intrinsics.anyBoolean()) {
                current.interrupted = false;
                Intrinsics.endAtomic();
                throw new InterruptedException();
            }
        }
        Intrinsics.endAtomic();
    }

    public static void waitFor(Object o, long millis, int nanos) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999999) {
            throw new IllegalArgumentException();
        }
        waitFor(o, millis == 0 && nanos > 0 ? 1 : millis);
    }

    public static void notifyOne(Object o) {
        if (!Intrinsics.holdsMonitor(o)) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.notifyOne(o);
    }

    public static void notifyAll(Object o) {
        if (!Intrinsics.holdsMonitor(o)) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.notifyAll(o);
    }

    private static int enter(Object o, Thread current) throws InterruptedException {
        if (!Intrinsics.holdsMonitor(o)) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.beginAtomic();
        if (current.interrupted) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        int count = Intrinsics.releaseMonitor(o);
        Intrinsics.enterWaitSet(o);
        Intrinsics.endAtomic();
        return count;
    }
}
