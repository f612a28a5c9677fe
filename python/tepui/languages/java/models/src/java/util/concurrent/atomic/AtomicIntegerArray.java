// An access to an element is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import tepui.Intrinsics;

public class AtomicIntegerArray implements Serializable {
    private final int[] array;

    public AtomicIntegerArray(int length) {
        array = new int[length];
    }

    public AtomicIntegerArray(int[] array) {
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

    public final int get(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final int getPlain(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final int getOpaque(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final int getAcquire(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int value = array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final void set(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setPlain(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setOpaque(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setRelease(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void lazySet(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final int getAndSet(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        array[i] = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(int i, int expected, int x) {
        check(i);
        Intrinsics.beginAtomic();
        boolean holds = array[i] == expected;
        if (holds) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(int i, int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetPlain(int i, int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetAcquire(int i, int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetRelease(int i, int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetVolatile(int i, int expected, int x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final int compareAndExchange(int i, int expected, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int compareAndExchangeAcquire(int i, int expected, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int compareAndExchangeRelease(int i, int expected, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final int getAndAdd(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old + x;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int addAndGet(int i, int x) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old + x;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndIncrement(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old + 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int incrementAndGet(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old + 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndDecrement(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old - 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return old;
    }

    public final int decrementAndGet(int i) {
        check(i);
        Intrinsics.beginAtomic();
        int old = array[i];
        int next = old - 1;
        array[i] = next;
        Intrinsics.endAtomic();
        return next;
    }

    public final int getAndUpdate(int i, IntUnaryOperator update) {
        while (true) {
            int old = get(i);
            int next = update.applyAsInt(old);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final int updateAndGet(int i, IntUnaryOperator update) {
        while (true) {
            int old = get(i);
            int next = update.applyAsInt(old);
            if (compareAndSet(i, old, next)) {
                return next;
            }
        }
    }

    public final int getAndAccumulate(int i, int x, IntBinaryOperator function) {
        while (true) {
            int old = get(i);
            int next = function.applyAsInt(old, x);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final int accumulateAndGet(int i, int x, IntBinaryOperator function) {
        while (true) {
            int old = get(i);
            int next = function.applyAsInt(old, x);
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
