// Each method is one step; weaker orders of memory are taken for volatile ones.
// A weak method fails for no reason where waiting may end for no reason.
package java.util.concurrent.atomic;

import java.io.Serializable;
import tepui.Intrinsics;

public class AtomicBoolean implements Serializable {
    private volatile boolean value;

    public AtomicBoolean() {}

    public AtomicBoolean(boolean value) {
        this.value = value;
    }

    public final boolean get() {
        return value;
    }

    public final boolean getPlain() {
        return value;
    }

    public final boolean getOpaque() {
        return value;
    }

    public final boolean getAcquire() {
        return value;
    }

    public final void set(boolean x) {
        value = x;
    }

    public final void setPlain(boolean x) {
        value = x;
    }

    public final void setOpaque(boolean x) {
        value = x;
    }

    public final void setRelease(boolean x) {
        value = x;
    }

    public final void lazySet(boolean x) {
        value = x;
    }

    public final boolean getAndSet(boolean x) {
        Intrinsics.beginAtomic();
        boolean old = value;
        value = x;
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndSet(boolean expected, boolean x) {
        Intrinsics.beginAtomic();
        boolean holds = value == expected;
        if (holds) {
            value = x;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public final boolean weakCompareAndSet(boolean expected, boolean x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public boolean weakCompareAndSetPlain(boolean expected, boolean x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetAcquire(boolean expected, boolean x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetRelease(boolean expected, boolean x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean weakCompareAndSetVolatile(boolean expected, boolean x) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, x);
    }

    public final boolean compareAndExchange(boolean expected, boolean x) {
        Intrinsics.beginAtomic();
        boolean old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndExchangeAcquire(boolean expected, boolean x) {
        Intrinsics.beginAtomic();
        boolean old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    public final boolean compareAndExchangeRelease(boolean expected, boolean x) {
        Intrinsics.beginAtomic();
        boolean old = value;
        if (old == expected) {
            value = x;
        }
        Intrinsics.endAtomic();
        return old;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
