// What JBMC offers to programs: choices, assumptions, and threads without objects. The translator
// gives those methods that are native: floating point numbers, and blocks from startThread to
// endThread, which are threads of their own.
package org.cprover;

import tepui.Intrinsics;

public final class CProver {
    private CProver() {}

    public static boolean nondetBoolean() {
        return Intrinsics.anyBoolean();
    }

    public static int nondetInt() {
        return Intrinsics.anyInt();
    }

    public static long nondetLong() {
        return Intrinsics.anyLong();
    }

    public static byte nondetByte() {
        return (byte) Intrinsics.anyInt(-128, 127);
    }

    public static char nondetChar() {
        return (char) Intrinsics.anyInt(0, 65535);
    }

    public static short nondetShort() {
        return (short) Intrinsics.anyInt(-32768, 32767);
    }

    public static native float nondetFloat();

    public static native double nondetDouble();

    public static <T> T nondetWithNull() {
        Intrinsics.limit("CProver.nondetWithNull()");
        return null;
    }

    public static <T> T nondetWithNull(T instance) {
        return Intrinsics.anyBoolean() ? instance : null;
    }

    public static <T> T nondetWithoutNull() {
        Intrinsics.limit("CProver.nondetWithoutNull()");
        return null;
    }

    public static <T> T nondetWithoutNull(T instance) {
        return instance;
    }

    public static void assume(boolean condition) {
        if (!condition) {
            Intrinsics.stop();
        }
    }

    public static void atomicBegin() {
        Intrinsics.beginAtomic();
    }

    public static void atomicEnd() {
        Intrinsics.endAtomic();
    }

    public static native void startThread(int id);

    public static native void endThread(int id);

    public static native int getCurrentThreadId();

    /** How often the monitor is entered, by this thread; others are not asked for. */
    public static int getMonitorCount(Object o) {
        return Intrinsics.monitorCount(o);
    }

    public static void notModelled() {
        Intrinsics.limit("CProver.notModelled()");
    }
}
