// Each method is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import tepui.Intrinsics;

public class AtomicInteger extends Number {
    private volatile int value;

    public AtomicInteger() {}

    public AtomicInteger(int value) {
        this.value = value;
    }

    public final int get() {
        return value;
    }

    public final int getPlain() {
        return value;
    }

    public final int getOpaque() {
        return value;
    }

    public final int getAcquire() {
        return value;
    }

    public final void set(int x) {
        value = x;
    }

    public final void setPlain(int x) {
        value = x;
    }

    public final void setOpaque(int x) {
        value = x;
    }

    public final void setRelease(int x) {
        value = x;
    }

    public final void lazySet(int x) {
        value = x;
    }

    public final int getAndSet(int x) {
        Intrinsics.beginAtomic();
        int old = value;
        value = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(int expected, int x) {
        Intrinsics.beginAtomic();
        boolean holds = value == expected;
        if (holds) {
            value = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetPlain(int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetAcquire(int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetRelease(int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetVolatile(int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final int compareAndExchange(int expected, int x) {
        Intrinsics.beginAtomic();
        int old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int compareAndExchangeAcquire(int expected, int x) {
        Intrinsics.beginAtomic();
        int old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int compareAndExchangeRelease(int expected, int x) {
        Intrinsics.beginAtomic();
        int old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int getAndAdd(int x) {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old + x;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int addAndGet(int x) {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old + x;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndIncrement() {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old + 1;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int incrementAndGet() {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old + 1;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndDecrement() {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old - 1;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int decrementAndGet() {
        Intrinsics.beginAtomic();
        int old = value;
        int next = old - 1;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndUpdate(IntUnaryOperator update) {
        while (true) {
            int old = value;
            int next = update.applyAsInt(old);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final int updateAndGet(IntUnaryOperator update) {
        while (true) {
            int old = value;
            int next = update.applyAsInt(old);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    public final int getAndAccumulate(int x, IntBinaryOperator function) {
        while (true) {
            int old = value;
            int next = function.applyAsInt(old, x);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final int accumulateAndGet(int x, IntBinaryOperator function) {
        while (true) {
            int old = value;
            int next = function.applyAsInt(old, x);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    @Override
    public int intValue() {
        return value;
    }

    @Override
    public long longValue() {
        return value;
    }

    @Override
    public float floatValue() {
        return value;
    }

    @Override
    public double doubleValue() {
        return value;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
