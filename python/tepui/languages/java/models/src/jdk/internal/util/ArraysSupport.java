// What the JDK's collections need for arrays.
package jdk.internal.util;

import tepui.Intrinsics;

public class ArraysSupport {
    private ArraysSupport() {}

    /** What is larger than an int is not modelled. */
    public static int newLength(int oldLength, int minGrowth, int prefGrowth) {
        int growth = minGrowth >= prefGrowth ? minGrowth : prefGrowth;
        int length = oldLength + growth;
        if (length <= 0) {
            Intrinsics.limit("an array of more elements than an int can count");
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
