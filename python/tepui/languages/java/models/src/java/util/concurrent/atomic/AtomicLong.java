// Each method is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import tepui.Intrinsics;

public class AtomicLong extends Number {
    private volatile long value;

    public AtomicLong() {}

    public AtomicLong(long value) {
        this.value = value;
    }

    public final long get() {
        return value;
    }

    public final long getPlain() {
        return value;
    }

    public final long getOpaque() {
        return value;
    }

    public final long getAcquire() {
        return value;
    }

    public final void set(long x) {
        value = x;
    }

    public final void setPlain(long x) {
        value = x;
    }

    public final void setOpaque(long x) {
        value = x;
    }

    public final void setRelease(long x) {
        value = x;
    }

    public final void lazySet(long x) {
        value = x;
    }

    public final long getAndSet(long x) {
        Intrinsics.beginAtomic();
        long old = value;
        value = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(long expected, long x) {
        Intrinsics.beginAtomic();
        boolean holds = value == expected;
        if (holds) {
            value = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetPlain(long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetAcquire(long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetRelease(long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetVolatile(long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final long compareAndExchange(long expected, long x) {
        Intrinsics.beginAtomic();
        long old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long compareAndExchangeAcquire(long expected, long x) {
        Intrinsics.beginAtomic();
        long old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long compareAndExchangeRelease(long expected, long x) {
        Intrinsics.beginAtomic();
        long old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long getAndAdd(long x) {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old + x;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long addAndGet(long x) {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old + x;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndIncrement() {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old + 1;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long incrementAndGet() {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old + 1;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndDecrement() {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old - 1;
        value = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long decrementAndGet() {
        Intrinsics.beginAtomic();
        long old = value;
        long next = old - 1;
        value = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndUpdate(LongUnaryOperator update) {
        while (true) {
            long old = value;
            long next = update.applyAsLong(old);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final long updateAndGet(LongUnaryOperator update) {
        while (true) {
            long old = value;
            long next = update.applyAsLong(old);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    public final long getAndAccumulate(long x, LongBinaryOperator function) {
        while (true) {
            long old = value;
            long next = function.applyAsLong(old, x);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final long accumulateAndGet(long x, LongBinaryOperator function) {
        while (true) {
            long old = value;
            long next = function.applyAsLong(old, x);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    @Override
    public int intValue() {
        return (int) value;
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
