// The inputs of the tasks of SV-COMP. The translator gives floating point numbers. A string has
// nothing that is known.
package org.sosy_lab.sv_benchmarks;

import tepui.Intrinsics;

public final class Verifier {
    private Verifier() {}

    public static void assume(boolean condition) {
        if (!condition) {
            Intrinsics.stop();
        }
    }

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

    public static String nondetString() {
        return Intrinsics.opaqueString();
    }
}
