// A byte as an object. The JDK promises that valueOf gives the same object for
// all values.
package java.lang;

import tepui.Intrinsics;

public final class Byte extends Number implements Comparable<Byte> {
    public static final byte MIN_VALUE = -128;
    public static final byte MAX_VALUE = 127;
    public static final int SIZE = 8;
    public static final int BYTES = 1;

    private final byte value;

    /** The objects of valueOf that are the same for the same value, smallest first. */
    private static Byte cached;

    private Byte next;

    public Byte(byte value) {
        this.value = value;
    }

    public static Byte valueOf(byte value) {
        Intrinsics.beginAtomic();
        Byte last = null;
        Byte here = cached;
        while (here != null && here.value < value) {
            last = here;
            here = here.next;
        }
        if (here == null || here.value != value) {
            Byte made = new Byte(value);
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

    @Override
    public byte byteValue() {
        return value;
    }

    @Override
    public short shortValue() {
        return value;
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

    public static int hashCode(byte value) {
        return value;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Byte && ((Byte) o).value == value;
    }

    @Override
    public int compareTo(Byte other) {
        return compare(value, other.value);
    }

    public static int compare(byte x, byte y) {
        return x - y;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(byte value) {
        return Intrinsics.opaqueString();
    }

    public static byte parseByte(String s) {
        Intrinsics.limit("Byte.parseByte(String)");
        return 0;
    }

    public static byte parseByte(String s, int radix) {
        Intrinsics.limit("Byte.parseByte(String, int)");
        return 0;
    }

    public static Byte valueOf(String s) {
        Intrinsics.limit("Byte.valueOf(String)");
        return null;
    }

    public static int toUnsignedInt(byte x) {
        return x & 255;
    }
}
