// Permits. Who waits for several at once keeps others waiting that come later, as long as it
// stands before them: that is not modelled, and so a limit. For single permits the order of
// waiting cannot be seen, and a fair semaphore is like any other.
package java.util.concurrent;

import java.io.Serializable;
import tepui.Intrinsics;

public class Semaphore implements Serializable {
    private volatile int permits;
    private final boolean fair;

    public Semaphore(int permits) {
        this(permits, false);
    }

    public Semaphore(int permits, boolean fair) {
        this.permits = permits;
        this.fair = fair;
    }

    public void acquire() throws InterruptedException {
        take(1, false);
    }

    public void acquire(int count) throws InterruptedException {
        take(count, false);
    }

    public void acquireUninterruptibly() {
        acquireUninterruptibly(1);
    }

    public void acquireUninterruptibly(int count) {
        check(count);
        Intrinsics.beginAtomic();
        if (count > 1 && permits < count) {
            Intrinsics.limit("Semaphore: waiting for several permits at once");
        }
        Intrinsics.await(permits >= count);
        permits -= count;
        Intrinsics.endAtomic();
    }

    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    public boolean tryAcquire(int count) {
        check(count);
        Intrinsics.beginAtomic();
        boolean enough = permits >= count;
        if (enough) {
            permits -= count;
        }
        Intrinsics.endAtomic();
        return enough;
    }

    public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, time, unit);
    }

    public boolean tryAcquire(int count, long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new NullPointerException();
        }
        return take(count, true);
    }

    public void release() {
        release(1);
    }

    public void release(int count) {
        check(count);
        Intrinsics.beginAtomic();
        int next = permits + count;
        if (next < permits) {
            Intrinsics.endAtomic();
            throw new Error();
        }
        permits = next;
        Intrinsics.endAtomic();
    }

    public int availablePermits() {
        return permits;
    }

    public int drainPermits() {
        Intrinsics.beginAtomic();
        int old = permits;
        permits = 0;
        Intrinsics.endAtomic();
        return old;
    }

    protected void reducePermits(int reduction) {
        if (reduction < 0) {
            throw new IllegalArgumentException();
        }
        Intrinsics.beginAtomic();
        permits -= reduction;
        Intrinsics.endAtomic();
    }

    public boolean isFair() {
        return fair;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    private boolean take(int count, boolean givesUp) throws InterruptedException {
        check(count);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        if (count > 1 && permits < count) {
            Intrinsics.limit("Semaphore: waiting for several permits at once");
        }
        Intrinsics.await(givesUp || permits >= count || current.interrupted);
        if (permits >= count) {
            permits -= count;
            Intrinsics.endAtomic();
            return true;
        }
        if (!givesUp) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
        return false;
    }

    private static void check(int count) {
        if (count < 0) {
            throw new IllegalArgumentException();
        }
    }
}
