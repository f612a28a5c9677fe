// Each method is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.io.Serializable;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import tepui.Intrinsics;

public class AtomicReference<V> implements Serializable {
    private volatile V value;

    public AtomicReference() {}

    public AtomicReference(V value) {
        this.value = value;
    }

    public final V get() {
        return value;
    }

    public final V getPlain() {
        return value;
    }

    public final V getOpaque() {
        return value;
    }

    public final V getAcquire() {
        return value;
    }

    public final void set(V x) {
        value = x;
    }

    public final void setPlain(V x) {
        value = x;
    }

    public final void setOpaque(V x) {
        value = x;
    }

    public final void setRelease(V x) {
        value = x;
    }

    public final void lazySet(V x) {
        value = x;
    }

    public final V getAndSet(V x) {
        Intrinsics.beginAtomic();
        V old = value;
        value = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(V expected, V x) {
        Intrinsics.beginAtomic();
        boolean holds = value == expected;
        if (holds) {
            value = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(V expected, V x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetPlain(V expected, V x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetAcquire(V expected, V x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetRelease(V expected, V x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetVolatile(V expected, V x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final V compareAndExchange(V expected, V x) {
        Intrinsics.beginAtomic();
        V old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final V compareAndExchangeAcquire(V expected, V x) {
        Intrinsics.beginAtomic();
        V old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final V compareAndExchangeRelease(V expected, V x) {
        Intrinsics.beginAtomic();
        V old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final V getAndUpdate(UnaryOperator<V> update) {
        while (true) {
            V old = value;
            V next = update.apply(old);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final V updateAndGet(UnaryOperator<V> update) {
        while (true) {
            V old = value;
            V next = update.apply(old);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    public final V getAndAccumulate(V x, BinaryOperator<V> function) {
        while (true) {
            V old = value;
            V next = function.apply(old, x);
            if (compareAndSet(old, next)) {
                return old;
            }
        }
    }

    public final V accumulateAndGet(V x, BinaryOperator<V> function) {
        while (true) {
            V old = value;
            V next = function.apply(old, x);
            if (compareAndSet(old, next)) {
                return next;
            }
        }
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
