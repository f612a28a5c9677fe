// A long as an object. The JDK promises that valueOf gives the same object for
// values from -128 to 127, and others may be new.
package java.lang;

import tepui.Intrinsics;

public final class Long extends Number implements Comparable<Long> {
    public static final long MIN_VALUE = 0x8000000000000000L;
    public static final long MAX_VALUE = 0x7fffffffffffffffL;
    public static final int SIZE = 64;
    public static final int BYTES = 8;

    private final long value;

    /** The objects of valueOf that are the same for the same value, smallest first. */
    private static Long cached;

    /** The arguments so far that are not among those of valueOf. */
    private static Long arguments;

    private Long next;

    public Long(long value) {
        this.value = value;
    }

    public static Long valueOf(long value) {
        if (value >= -128 && value <= 127) {
            Intrinsics.beginAtomic();
            Long last = null;
            Long here = cached;
            while (here != null && here.value < value) {
                last = here;
                here = here.next;
            }
            if (here == null || here.value != value) {
                Long made = new Long(value);
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
        return new Long(value);
    }

    /** What the method that a program begins with may be given. */
    static Long argument() {
        if (Intrinsics.anyBoolean()) {
            return null;
        }
        if (Intrinsics.makesBoxes() && Intrinsics.anyBoolean()) {
            return valueOf(Intrinsics.anyInt(-128, 127));
        }
        for (Long one = arguments; one != null; one = one.next) {
            if (Intrinsics.anyBoolean()) {
                return one;
            }
        }
        Long made = new Long(Intrinsics.anyLong());
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
        return (int) value;
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
        return (int) (value ^ (value >>> 32));
    }

    public static int hashCode(long value) {
        return (int) (value ^ (value >>> 32));
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Long && ((Long) o).value == value;
    }

    @Override
    public int compareTo(Long other) {
        return compare(value, other.value);
    }

    public static int compare(long x, long y) {
        return x < y ? -1 : x == y ? 0 : 1;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(long value) {
        return Intrinsics.opaqueString();
    }

    public static long parseLong(String s) {
        Intrinsics.limit("Long.parseLong(String)");
        return 0;
    }

    public static long parseLong(String s, int radix) {
        Intrinsics.limit("Long.parseLong(String, int)");
        return 0;
    }

    public static Long valueOf(String s) {
        Intrinsics.limit("Long.valueOf(String)");
        return null;
    }

    public static int signum(long i) {
        return i < 0 ? -1 : i > 0 ? 1 : 0;
    }

    public static long sum(long x, long y) {
        return x + y;
    }

    public static long max(long x, long y) {
        return x >= y ? x : y;
    }

    public static long min(long x, long y) {
        return x <= y ? x : y;
    }

    public static int compareUnsigned(long x, long y) {
        return x == y ? 0 : (x < 0) == (y < 0) ? (x < y ? -1 : 1) : (x < 0 ? 1 : -1);
    }

    public static int bitCount(long i) {
        int count = 0;
        for (long rest = i; rest != 0; rest &= rest - 1) {
            count++;
        }
        return count;
    }

    public static int numberOfLeadingZeros(long i) {
        int zeros = 64;
        for (long rest = i; rest != 0; rest >>>= 1) {
            zeros--;
        }
        return zeros;
    }

    public static int numberOfTrailingZeros(long i) {
        if (i == 0) {
            return 64;
        }
        int zeros = 0;
        for (long rest = i; (rest & 1) == 0; rest >>>= 1) {
            zeros++;
        }
        return zeros;
    }

    public static long highestOneBit(long i) {
        long bit = i;
        for (long rest = i; rest != 0; rest &= rest - 1) {
            bit = rest;
        }
        return bit;
    }

    public static long lowestOneBit(long i) {
        return i & -i;
    }

    public static long reverse(long i) {
        long result = 0;
        long rest = i;
        for (int k = 0; k < 64; k++) {
            result = (result << 1) | (rest & 1);
            rest >>>= 1;
        }
        return result;
    }

    public static long rotateLeft(long i, int distance) {
        return (i << distance) | (i >>> -distance);
    }

    public static long rotateRight(long i, int distance) {
        return (i >>> distance) | (i << -distance);
    }

    public static String toBinaryString(long i) {
        return Intrinsics.opaqueString();
    }

    public static String toHexString(long i) {
        return Intrinsics.opaqueString();
    }

    public static String toOctalString(long i) {
        return Intrinsics.opaqueString();
    }

    public static String toString(long i, int radix) {
        return Intrinsics.opaqueString();
    }
}
