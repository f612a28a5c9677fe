// A reference and a stamp that change together; each method is one step.
package java.util.concurrent.atomic;

import tepui.Intrinsics;

public class AtomicStampedReference<V> {
    private volatile V reference;
    private volatile int stamp;

    public AtomicStampedReference(V reference, int stamp) {
        this.reference = reference;
        this.stamp = stamp;
    }

    public V getReference() {
        return reference;
    }

    public int getStamp() {
        return stamp;
    }

    public V get(int[] holder) {
        Intrinsics.beginAtomic();
        V result = reference;
        int with = stamp;
        Intrinsics.endAtomic();
        holder[0] = with;
        return result;
    }

    public void set(V reference, int stamp) {
        Intrinsics.beginAtomic();
        this.reference = reference;
        this.stamp = stamp;
        Intrinsics.endAtomic();
    }

    public boolean compareAndSet(V expected, V next, int expectedStamp, int nextStamp) {
        Intrinsics.beginAtomic();
        boolean holds = reference == expected && stamp == expectedStamp;
        if (holds) {
            reference = next;
            stamp = nextStamp;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    public boolean weakCompareAndSet(V expected, V next, int expectedStamp, int nextStamp) {
        if (Intrinsics.spuriousWakeups() && Intrinsics.anyBoolean()) {
            return false;
        }
        return compareAndSet(expected, next, expectedStamp, nextStamp);
    }

    public boolean attemptStamp(V expected, int nextStamp) {
        Intrinsics.beginAtomic();
        boolean holds = reference == expected;
        if (holds) {
            stamp = nextStamp;
        }
        Intrinsics.endAtomic();
        return holds;
    }
}
