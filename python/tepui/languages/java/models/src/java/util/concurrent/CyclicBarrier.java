// A point at which threads wait for each other. Those that wait form a queue: when they are let
// go, they leave it, with a mark if the barrier is broken. While the action runs, who else comes
// has to wait.
package java.util.concurrent;

import tepui.Intrinsics;
import tepui.ThreadQueue;

public class CyclicBarrier {
    private final int parties;
    private final Runnable action;
    private final ThreadQueue queue = new ThreadQueue();
    private volatile int missing;
    private volatile boolean broken;
    private volatile Thread acting;

    public CyclicBarrier(int parties) {
        this(parties, null);
    }

    public CyclicBarrier(int parties, Runnable action) {
        if (parties <= 0) {
            throw new IllegalArgumentException();
        }
        this.parties = parties;
        this.action = action;
        missing = parties;
    }

    public int await() throws InterruptedException, BrokenBarrierException {
        try {
            return arrive(false);
        } catch (TimeoutException never) {
            throw new Error();
        }
    }

    public int await(long time, TimeUnit unit)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        if (unit == null) {
            throw new NullPointerException();
        }
        return arrive(true);
    }

    private int arrive(boolean timed)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(acting == null || acting == current);
        if (broken) {
            Intrinsics.endAtomic();
            throw new BrokenBarrierException();
        }
        if (current.interrupted) {
            current.interrupted = false;
            letGo(true);
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        missing--;
        int index = missing;
        if (index == 0 && action == null) {
            letGo(false);
            Intrinsics.endAtomic();
            return 0;
        }
        if (index == 0) {
            acting = current;
            Intrinsics.endAtomic();
            act();
            return 0;
        }
        queue.add(current, false);
        Intrinsics.endAtomic();
        waitForOthers(current, timed);
        return index;
    }

    private void act() {
        try {
            action.run();
        } catch (Throwable thrown) {
            endAction(true);
            throw thrown;
        }
        endAction(false);
    }

    private void endAction(boolean breaks) {
        Intrinsics.beginAtomic();
        acting = null;
        letGo(breaks);
        Intrinsics.endAtomic();
    }

    private void waitForOthers(Thread current, boolean timed)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        Intrinsics.beginAtomic();
        Intrinsics.await(
                acting == null && (!current.queued || timed || current.interrupted));
        if (!current.queued) {
            boolean bad = current.marked;
            Intrinsics.endAtomic();
            if (bad) {
                throw new BrokenBarrierException();
            }
            return;
        }
        boolean interrupted = current.interrupted && (!timed || Intrinsics.anyBoolean());
        if (interrupted) {
            current.interrupted = false;
        }
        letGo(true);
        Intrinsics.endAtomic();
        if (interrupted) {
            throw new InterruptedException();
        }
        throw new TimeoutException();
    }

    private void letGo(boolean breaks) {
        missing = parties;
        broken = breaks;
        queue.removeAll(breaks);
    }

    public int getParties() {
        return parties;
    }

    public boolean isBroken() {
        Intrinsics.beginAtomic();
        Intrinsics.await(acting == null || acting == Intrinsics.currentThread());
        boolean result = broken;
        Intrinsics.endAtomic();
        return result;
    }

    public void reset() {
        Intrinsics.beginAtomic();
        Intrinsics.await(acting == null || acting == Intrinsics.currentThread());
        letGo(true);
        broken = false;
        Intrinsics.endAtomic();
    }

    public int getNumberWaiting() {
        Intrinsics.beginAtomic();
        Intrinsics.await(acting == null || acting == Intrinsics.currentThread());
        int count = parties - missing;
        Intrinsics.endAtomic();
        return count;
    }
}
