// A reference and a mark that change together; each method is one step.
package java.util.concurrent.atomic;

import tepui.Intrinsics;

public class AtomicMarkableReference<V> {
    private volatile V reference;
    private volatile boolean mark;

    public AtomicMarkableReference(V reference, boolean mark) {
        this.reference = reference;
        this.mark = mark;
    }

    public V getReference() {
        return reference;
    }

    public boolean isMarked() {
        return mark;
    }

    public V get(boolean[] holder) {
        Intrinsics.beginAtomic();
        V result = reference;
        boolean with = mark;
        Intrinsics.endAtomic();
        holder[0] = with;
        return result;
    }

    public void set(V reference, boolean mark) {
        Intrinsics.beginAtomic();
        this.reference = reference;
        this.mark = mark;
        Intrinsics.endAtomic();
    }

    public boolean compareAndSet(V expected, V next, boolean expectedMark, boolean nextMark) {
        Intrinsics.beginAtomic();
        boolean holds = reference == expected && mark == expectedMark;
        if (holds) {
            reference = next;
            mark = nextMark;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public boolean weakCompareAndSet(V expected, V next, boolean expectedMark, boolean nextMark) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, next, expectedMark, nextMark);
    }

    public boolean attemptMark(V expected, boolean nextMark) {
        Intrinsics.beginAtomic();
        boolean holds = reference == expected;
        if (holds) {
            mark = nextMark;
        }
        Intrinsics.endAtomic();
        return holds;
    }
}
