// A lock of one thread at a time. A fair one is like any other: who came first cannot be seen
// from outside, but by the methods about queues, which are left out and so limits.
//
// Conditions signal in the order in which threads began to wait, as the JDK promises.
package java.util.concurrent.locks;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import tepui.Intrinsics;

public class ReentrantLock implements Lock, Serializable {
    volatile Thread owner;
    volatile int holds;
    private final boolean fair;

    public ReentrantLock() {
        fair = false;
    }

    public ReentrantLock(boolean fair) {
        this.fair = fair;
    }

    @Override
    public void lock() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(owner == null || owner == current);
        owner = current;
        holds++;
        Intrinsics.endAtomic();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(owner == null || owner == current || current.interrupted);
        if (owner == null || owner == current) {
            owner = current;
            holds++;
            Intrinsics.endAtomic();
        } else {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
    }

    @Override
    public boolean tryLock() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        boolean free = owner == null || owner == current;
        if (free) {
            owner = current;
            holds++;
        }
        Intrinsics.endAtomic();
        return free;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new NullPointerException();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // Who waits longer comes here later, and an interrupt comes before that.
        return tryLock();
    }

    @Override
    public void unlock() {
        if (owner != Intrinsics.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.beginAtomic();
        holds--;
        if (holds == 0) {
            owner = null;
        }
        Intrinsics.endAtomic();
    }

    @Override
    public Condition newCondition() {
        return new LockCondition(this);
    }

    public int getHoldCount() {
        Intrinsics.beginAtomic();
        int count = owner == Intrinsics.currentThread() ? holds : 0;
        Intrinsics.endAtomic();
        return count;
    }

    public boolean isHeldByCurrentThread() {
        return owner == Intrinsics.currentThread();
    }

    public boolean isLocked() {
        return owner != null;
    }

    public final boolean isFair() {
        return fair;
    }

    protected Thread getOwner() {
        return owner;
    }

    public boolean hasWaiters(Condition condition) {
        return condition(condition).hasWaiters();
    }

    public int getWaitQueueLength(Condition condition) {
        return condition(condition).length();
    }

    private LockCondition condition(Condition condition) {
        if (condition == null) {
            throw new NullPointerException();
        }
        if (!(condition instanceof LockCondition) || ((LockCondition) condition).lock != this) {
            throw new IllegalArgumentException();
        }
        return (LockCondition) condition;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
