// A count that goes down to 0, for which threads wait.
package java.util.concurrent;

import tepui.Intrinsics;

public class CountDownLatch {
    private volatile int count;

    public CountDownLatch(int count) {
        if (count < 0) {
            throw new IllegalArgumentException();
        }
        this.count = count;
    }

    public void await() throws InterruptedException {
        waitForZero(false);
    }

    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new NullPointerException();
        }
        return waitForZero(true);
    }

    public void countDown() {
        Intrinsics.beginAtomic();
        if (count > 0) {
            count--;
        }
        Intrinsics.endAtomic();
    }

    public long getCount() {
        return count;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    private boolean waitForZero(boolean givesUp) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(givesUp || count == 0 || current.interrupted);
        boolean zero = count == 0;
        if (!zero && !givesUp) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
        return zero;
    }
}
