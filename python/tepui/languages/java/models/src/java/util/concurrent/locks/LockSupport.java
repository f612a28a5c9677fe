// Parking. A thread that is not alive need not get the permit that it is given.
package java.util.concurrent.locks;

import tepui.Intrinsics;

public class LockSupport {
    private LockSupport() {}

    public static void unpark(Thread thread) {
        if (thread != null && (thread.isAlive() || Intrinsics.anyBoolean())) {
            thread.permit = true;
        }
    }

    public static void park() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(
                current.permit || current.interrupted || Intrinsics.spuriousWakeups());
        current.permit = false;
        Intrinsics.endAtomic();
    }

    public static void park(Object blocker) {
        park();
    }

    /** The time may be over at once; if it is none, the permit stays. */
    public static void parkNanos(long nanos) {
        if (nanos > 0) {
            Intrinsics.currentThread().permit = false;
        }
    }

    public static void parkNanos(Object blocker, long nanos) {
        parkNanos(nanos);
    }

    public static void parkUntil(long deadline) {
        Intrinsics.currentThread().permit = false;
    }

    public static void parkUntil(Object blocker, long deadline) {
        parkUntil(deadline);
    }

    public static void setCurrentBlocker(Object blocker) {}
}
