// An int as an object. The JDK promises that valueOf gives the same object for
// values from -128 to 127, and others may be new.
package java.lang;

import tepui.Intrinsics;

public final class Integer extends Number implements Comparable<Integer> {
    public static final int MIN_VALUE = 0x80000000;
    public static final int MAX_VALUE = 0x7fffffff;
    public static final int SIZE = 32;
    public static final int BYTES = 4;

    private final int value;

    /** The objects of valueOf that are the same for the same value, smallest first. */
    private static Integer cached;

    /** The arguments so far that are not among those of valueOf. */
    private static Integer arguments;

    private Integer next;

    public Integer(int value) {
        this.value = value;
    }

    public static Integer valueOf(int value) {
        if (value >= -128 && value <= 127) {
            Intrinsics.beginAtomic();
            Integer last = null;
            Integer here = cached;
            while (here != null && here.value < value) {
                last = here;
                here = here.next;
            }
            if (here == null || here.value != value) {
                Integer made = new Integer(value);
                made.next = here;
                if (last == null) {
                    cached = made;
                } else {
                    last.next = made;
                }
                here = made;
            }
            Intrinsics.endAtomic();
            return here;
        }
        return new Integer(value);
    }

    /** What the method that a program begins with may be given. */
    static Integer argument() {
        if (Intrinsics.anyBoolean()) {
            return null;
        }
        if (Intrinsics.makesBoxes() && Intrinsics.anyBoolean()) {
            return valueOf(Intrinsics.anyInt(-128, 127));
        }
        for (Integer one = arguments; one != null; one = one.next) {
            if (Intrinsics.anyBoolean()) {
                return one;
            }
        }
        Integer made = new Integer(Intrinsics.anyInt());
        made.next = arguments;
        arguments = made;
        return made;
    }

    @Override
    public byte byteValue() {
        return (byte) value;
    }

    @Override
    public short shortValue() {
        return (short) value;
    }

    @Override
    public int intValue() {
        return value;
    }

    @Override
    public long longValue() {
        return value;
    }

    @Override
    public float floatValue() {
        return value;
    }

    @Override
    public double doubleValue() {
        return value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    public static int hashCode(int value) {
        return value;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Integer && ((Integer) o).value == value;
    }

    @Override
    public int compareTo(Integer other) {
        return compare(value, other.value);
    }

    public static int compare(int x, int y) {
        return x < y ? -1 : x == y ? 0 : 1;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(int value) {
        return Intrinsics.opaqueString();
    }

    public static int parseInt(String s) {
        Intrinsics.limit("Integer.parseInt(String)");
        return 0;
    }

    public static int parseInt(String s, int radix) {
        Intrinsics.limit("Integer.parseInt(String, int)");
        return 0;
    }

    public static Integer valueOf(String s) {
        Intrinsics.limit("Integer.valueOf(String)");
        return null;
    }

    public static int signum(int i) {
        return i < 0 ? -1 : i > 0 ? 1 : 0;
    }

    public static int sum(int x, int y) {
        return x + y;
    }

    public static int max(int x, int y) {
        return x >= y ? x : y;
    }

    public static int min(int x, int y) {
        return x <= y ? x : y;
    }

    public static int compareUnsigned(int x, int y) {
        return x == y ? 0 : (x < 0) == (y < 0) ? (x < y ? -1 : 1) : (x < 0 ? 1 : -1);
    }

    public static int bitCount(int i) {
        int count = 0;
        for (int rest = i; rest != 0; rest &= rest - 1) {
            count++;
        }
        return count;
    }

    public static int numberOfLeadingZeros(int i) {
        int zeros = 32;
        for (int rest = i; rest != 0; rest >>>= 1) {
            zeros--;
        }
        return zeros;
    }

    public static int numberOfTrailingZeros(int i) {
        if (i == 0) {
            return 32;
        }
        int zeros = 0;
        for (int rest = i; (rest & 1) == 0; rest >>>= 1) {
            zeros++;
        }
        return zeros;
    }

    public static int highestOneBit(int i) {
        int bit = i;
        for (int rest = i; rest != 0; rest &= rest - 1) {
            bit = rest;
        }
        return bit;
    }

    public static int lowestOneBit(int i) {
        return i & -i;
    }

    public static int reverse(int i) {
        int result = 0;
        int rest = i;
        for (int k = 0; k < 32; k++) {
            result = (result << 1) | (rest & 1);
            rest >>>= 1;
        }
        return result;
    }

    public static int rotateLeft(int i, int distance) {
        return (i << distance) | (i >>> -distance);
    }

    public static int rotateRight(int i, int distance) {
        return (i >>> distance) | (i << -distance);
    }

    public static String toBinaryString(int i) {
        return Intrinsics.opaqueString();
    }

    public static String toHexString(int i) {
        return Intrinsics.opaqueString();
    }

    public static String toOctalString(int i) {
        return Intrinsics.opaqueString();
    }

    public static String toString(int i, int radix) {
        return Intrinsics.opaqueString();
    }

    public static long toUnsignedLong(int x) {
        return x & 0xffffffffL;
    }

    public static Integer getInteger(String name) {
        Intrinsics.limit("Integer.getInteger(String)");
        return null;
    }
}
