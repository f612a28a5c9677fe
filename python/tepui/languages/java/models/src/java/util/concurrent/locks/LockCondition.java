// What ReentrantLock.newCondition gives: a queue of threads.
//
// Who is signalled has left the queue, and goes on when the lock is free. Who stops waiting for
// another reason leaves the queue first, and waits for the lock after that: in between, a signal
// goes to somebody else.
package java.util.concurrent.locks;

import java.io.Serializable;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import tepui.Intrinsics;
import tepui.ThreadQueue;

final class LockCondition implements Condition, Serializable {
    final ReentrantLock lock;
    private final ThreadQueue queue = new ThreadQueue();

    LockCondition(ReentrantLock lock) {
        this.lock = lock;
    }

    @Override
    public void await() throws InterruptedException {
        Thread current = Intrinsics.currentThread();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int holds = enter(current);
        Intrinsics.beginAtomic();
        Intrinsics.await(
                current.queued
                        ? current.interrupted || Intrinsics.spuriousWakeups()
                        : lock.owner == null);
        if (current.queued) {
            queue.remove(current);
            boolean interrupted = current.interrupted;
            current.interrupted = false;
            Intrinsics.endAtomic();
            takeLock(current, holds);
            if (interrupted) {
                throw new InterruptedException();
            }
        } else {
            lock.owner = current;
            lock.holds = holds;
            Intrinsics.endAtomic();
        }
    }

    @Override
    public void awaitUninterruptibly() {
        Thread current = Intrinsics.currentThread();
        int holds = enter(current);
        Intrinsics.beginAtomic();
        Intrinsics.await(current.queued ? Intrinsics.spuriousWakeups() : lock.owner == null);
        if (current.queued) {
            queue.remove(current);
            Intrinsics.endAtomic();
            takeLock(current, holds);
        } else {
            lock.owner = current;
            lock.holds = holds;
            Intrinsics.endAtomic();
        }
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new NullPointerException();
        }
        return awaitForSomeTime();
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        if (deadline == null) {
            throw new NullPointerException();
        }
        return awaitForSomeTime();
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        boolean signalled = awaitForSomeTime();
        long rest = Intrinsics.anyLong();
        if (rest > nanos || !signalled && rest > 0 && !Intrinsics.spuriousWakeups()) {
            Intrinsics.stop();
        }
        return rest;
    }

    /** Whether it was signalled; false where the time was over. */
    private boolean awaitForSomeTime() throws InterruptedException {
        Thread current = Intrinsics.currentThread();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int holds = enter(current);
        Intrinsics.beginAtomic();
        Intrinsics.await(current.queued || lock.owner == null);
        if (current.queued) {
            queue.remove(current);
            boolean interrupted = current.interrupted && Intrinsics.anyBoolean();
            if (interrupted) {
                current.interrupted = false;
            }
            Intrinsics.endAtomic();
            takeLock(current, holds);
            if (interrupted) {
                throw new InterruptedException();
            }
            return Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean();
        }
        lock.owner = current;
        lock.holds = holds;
        Intrinsics.endAtomic();
        return true;
    }

    @Override
    public void signal() {
        check();
        Intrinsics.beginAtomic();
        if (queue.first != null) {
            queue.removeFirst();
        }
        Intrinsics.endAtomic();
    }

    @Override
    public void signalAll() {
        check();
        Intrinsics.beginAtomic();
        queue.removeAll(false);
        Intrinsics.endAtomic();
    }

    boolean hasWaiters() {
        check();
        return queue.first != null;
    }

    int length() {
        check();
        Intrinsics.beginAtomic();
        int count = queue.length();
        Intrinsics.endAtomic();
        return count;
    }

    private void check() {
        if (lock.owner != Intrinsics.currentThread()) {
            throw new IllegalMonitorStateException();
        }
    }

    private int enter(Thread current) {
        if (lock.owner != current) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.beginAtomic();
        int holds = lock.holds;
        lock.holds = 0;
        lock.owner = null;
        queue.add(current, false);
        Intrinsics.endAtomic();
        return holds;
    }

    private void takeLock(Thread current, int holds) {
        Intrinsics.beginAtomic();
        Intrinsics.await(lock.owner == null);
        lock.owner = current;
        lock.holds = holds;
        Intrinsics.endAtomic();
    }
}
