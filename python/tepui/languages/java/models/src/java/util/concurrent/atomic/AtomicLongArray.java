// An access to an element is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import tepui.Intrinsics;

public class AtomicLongArray implements Serializable {
    private final long[] array;

    public AtomicLongArray(int length) {
        array = new long[length];
    }

    public AtomicLongArray(long[] array) {
        this.array = Arrays.copyOf(array, array.length);
    }

    public final int length() {
        return array.length;
    }

    private void check(int i) {
        if (i < 0 || i >= array.length) {
            throw new ArrayIndexOutOfBoundsException();
        }
    }

    public final long get(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final long getPlain(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final long getOpaque(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final long getAcquire(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final void set(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setPlain(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setOpaque(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setRelease(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void lazySet(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final long getAndSet(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        array[i] = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(int i, long expected, long x) {
        check(i);
        Intrinsics.beginAtomic();
        boolean holds = array[i] == expected;
        if (holds) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(int i, long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetPlain(int i, long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetAcquire(int i, long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetRelease(int i, long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetVolatile(int i, long expected, long x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final long compareAndExchange(int i, long expected, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long compareAndExchangeAcquire(int i, long expected, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long compareAndExchangeRelease(int i, long expected, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final long getAndAdd(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old + x;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long addAndGet(int i, long x) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old + x;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndIncrement(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old + 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long incrementAndGet(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old + 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndDecrement(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old - 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final long decrementAndGet(int i) {
        check(i);
        Intrinsics.beginAtomic();
        long old = array[i];
        long next = old - 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final long getAndUpdate(int i, LongUnaryOperator update) {
        while (true) {
            long old = get(i);
            long next = update.applyAsLong(old);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final long updateAndGet(int i, LongUnaryOperator update) {
        while (true) {
            long old = get(i);
            long next = update.applyAsLong(old);
            if (compareAndSet(i, old, next)) {
                return next;
            }
        }
    }

    public final long getAndAccumulate(int i, long x, LongBinaryOperator function) {
        while (true) {
            long old = get(i);
            long next = function.applyAsLong(old, x);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final long accumulateAndGet(int i, long x, LongBinaryOperator function) {
        while (true) {
            long old = get(i);
            long next = function.applyAsLong(old, x);
            if (compareAndSet(i, old, next)) {
                return next;
            }
        }
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
