// What a program asks of the system. A clock shows any time that is not negative.
//
// Left out, and so a limit where it is called: properties, the environment, exit, streams of one's
// own. The translator gives identityHashCode, which is what Object.hashCode gives.
package java.lang;

import java.io.InputStream;
import java.io.PrintStream;
import tepui.Intrinsics;

public final class System {
    public static final InputStream in = InputStream.standardInput();
    public static final PrintStream out = new PrintStream();
    public static final PrintStream err = new PrintStream();

    private System() {}

    public static long currentTimeMillis() {
        return Intrinsics.anyLong() & Long.MAX_VALUE;
    }

    public static long nanoTime() {
        return Intrinsics.anyLong() & Long.MAX_VALUE;
    }

    public static native int identityHashCode(Object o);

    public static String lineSeparator() {
        return Intrinsics.opaqueString();
    }

    public static void gc() {}

    public static void exit(int status) {
        Intrinsics.stop();
    }

    /** In one step, and from the last element on if an array is moved up within itself. */
    public static void arraycopy(Object from, int fromAt, Object to, int toAt, int length) {
        if (from == null || to == null) {
            throw new NullPointerException();
        }
        if (from instanceof Object[]) {
            if (!(to instanceof Object[])) {
                throw new ArrayStoreException();
            }
            copy((Object[]) from, fromAt, (Object[]) to, toAt, length);
        } else if (from instanceof int[]) {
            if (!(to instanceof int[])) {
                throw new ArrayStoreException();
            }
            copy((int[]) from, fromAt, (int[]) to, toAt, length);
        } else if (from instanceof long[]) {
            if (!(to instanceof long[])) {
                throw new ArrayStoreException();
            }
            copy((long[]) from, fromAt, (long[]) to, toAt, length);
        } else if (from instanceof byte[]) {
            if (!(to instanceof byte[])) {
                throw new ArrayStoreException();
            }
            copy((byte[]) from, fromAt, (byte[]) to, toAt, length);
        } else if (from instanceof char[]) {
            if (!(to instanceof char[])) {
                throw new ArrayStoreException();
            }
            copy((char[]) from, fromAt, (char[]) to, toAt, length);
        } else if (from instanceof short[]) {
            if (!(to instanceof short[])) {
                throw new ArrayStoreException();
            }
            copy((short[]) from, fromAt, (short[]) to, toAt, length);
        } else if (from instanceof boolean[]) {
            if (!(to instanceof boolean[])) {
                throw new ArrayStoreException();
            }
            copy((boolean[]) from, fromAt, (boolean[]) to, toAt, length);
        } else if (from instanceof float[]) {
            if (!(to instanceof float[])) {
                throw new ArrayStoreException();
            }
            copy((float[]) from, fromAt, (float[]) to, toAt, length);
        } else if (from instanceof double[]) {
            if (!(to instanceof double[])) {
                throw new ArrayStoreException();
            }
            copy((double[]) from, fromAt, (double[]) to, toAt, length);
        } else {
            throw new ArrayStoreException();
        }
    }

    private static void check(int size, int at, int toSize, int toAt, int length) {
        if (at < 0 || toAt < 0 || length < 0 || at > size - length || toAt > toSize - length) {
            throw new ArrayIndexOutOfBoundsException();
        }
    }

    private static void copy(Object[] from, int fromAt, Object[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        try {
            if (from == to && fromAt < toAt) {
                for (int i = length - 1; i >= 0; i--) {
                    to[toAt + i] = from[fromAt + i];
                }
            } else {
                for (int i = 0; i < length; i++) {
                    to[toAt + i] = from[fromAt + i];
                }
            }
        } catch (ArrayStoreException exception) {
            Intrinsics.endAtomic();
            throw exception;
        }
        Intrinsics.endAtomic();
    }

    private static void copy(int[] from, int fromAt, int[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(long[] from, int fromAt, long[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(byte[] from, int fromAt, byte[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(char[] from, int fromAt, char[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(short[] from, int fromAt, short[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(boolean[] from, int fromAt, boolean[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(float[] from, int fromAt, float[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }

    private static void copy(double[] from, int fromAt, double[] to, int toAt, int length) {
        check(from.length, fromAt, to.length, toAt, length);
        Intrinsics.beginAtomic();
        if (from == to && fromAt < toAt) {
            for (int i = length - 1; i >= 0; i--) {
                to[toAt + i] = from[fromAt + i];
            }
        } else {
            for (int i = 0; i < length; i++) {
                to[toAt + i] = from[fromAt + i];
            }
        }
        Intrinsics.endAtomic();
    }
}
