// What the JDK's collections need for arrays.
package jdk.internal.util;

public class ArraysSupport {
    private ArraysSupport() {}

    /** The JDK stops at a soft limit below the largest int; who gets there is out of memory. */
    public static int newLength(int oldLength, int minGrowth, int prefGrowth) {
        int growth = minGrowth >= prefGrowth ? minGrowth : prefGrowth;
        int length = oldLength + growth;
        if (length <= 0) {
            throw new OutOfMemoryError();
        }
        return length;
    }

    public static int mismatch(long[] a, int aAt, long[] b, int bAt, int length) {
        for (int i = 0; i < length; i++) {
            if (a[aAt + i] != b[bAt + i]) {
                return i;
            }
        }
        return -1;
    }
}
