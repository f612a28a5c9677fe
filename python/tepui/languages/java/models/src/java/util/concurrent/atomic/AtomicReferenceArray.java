// An access to an element is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import tepui.Intrinsics;

public class AtomicReferenceArray<E> implements Serializable {
    private final Object[] array;

    public AtomicReferenceArray(int length) {
        array = new Object[length];
    }

    public AtomicReferenceArray(E[] array) {
        this.array = Arrays.copyOf(array, array.length, Object[].class);
    }

    public final int length() {
        return array.length;
    }

    private void check(int i) {
        if (i < 0 || i >= array.length) {
            throw new ArrayIndexOutOfBoundsException();
        }
    }

    @SuppressWarnings("unchecked")
    public final E get(int i) {
        check(i);
        Intrinsics.beginAtomic();
        E value = (E) array[i];
        Intrinsics.endAtomic();
        return value;
    }

    @SuppressWarnings("unchecked")
    public final E getPlain(int i) {
        check(i);
        Intrinsics.beginAtomic();
        E value = (E) array[i];
        Intrinsics.endAtomic();
        return value;
    }

    @SuppressWarnings("unchecked")
    public final E getOpaque(int i) {
        check(i);
        Intrinsics.beginAtomic();
        E value = (E) array[i];
        Intrinsics.endAtomic();
        return value;
    }

    @SuppressWarnings("unchecked")
    public final E getAcquire(int i) {
        check(i);
        Intrinsics.beginAtomic();
        E value = (E) array[i];
        Intrinsics.endAtomic();
        return value;
    }

    public final void set(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setPlain(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setOpaque(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void setRelease(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    public final void lazySet(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        array[i] = x;
        Intrinsics.endAtomic();
    }

    @SuppressWarnings("unchecked")
    public final E getAndSet(int i, E x) {
        check(i);
        Intrinsics.beginAtomic();
        E old = (E) array[i];
        array[i] = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(int i, E expected, E x) {
        check(i);
        Intrinsics.beginAtomic();
        boolean holds = array[i] == expected;
        if (holds) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(int i, E expected, E x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetPlain(int i, E expected, E x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetAcquire(int i, E expected, E x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetRelease(int i, E expected, E x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    public final boolean weakCompareAndSetVolatile(int i, E expected, E x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            check(i);
            return false;
        }
        return compareAndSet(i, expected, x);
    }

    @SuppressWarnings("unchecked")
    public final E compareAndExchange(int i, E expected, E x) {
        check(i);
        Intrinsics.beginAtomic();
        E old = (E) array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    @SuppressWarnings("unchecked")
    public final E compareAndExchangeAcquire(int i, E expected, E x) {
        check(i);
        Intrinsics.beginAtomic();
        E old = (E) array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    @SuppressWarnings("unchecked")
    public final E compareAndExchangeRelease(int i, E expected, E x) {
        check(i);
        Intrinsics.beginAtomic();
        E old = (E) array[i];
        if (old == expected) {
            array[i] = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final E getAndUpdate(int i, UnaryOperator<E> update) {
        while (true) {
            E old = get(i);
            E next = update.apply(old);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final E updateAndGet(int i, UnaryOperator<E> update) {
        while (true) {
            E old = get(i);
            E next = update.apply(old);
            if (compareAndSet(i, old, next)) {
                return next;
            }
        }
    }

    public final E getAndAccumulate(int i, E x, BinaryOperator<E> function) {
        while (true) {
            E old = get(i);
            E next = function.apply(old, x);
            if (compareAndSet(i, old, next)) {
                return old;
            }
        }
    }

    public final E accumulateAndGet(int i, E x, BinaryOperator<E> function) {
        while (true) {
            E old = get(i);
            E next = function.apply(old, x);
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
