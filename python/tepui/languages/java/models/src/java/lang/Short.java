// A short as an object. The JDK promises that valueOf gives the same object for
// values from -128 to 127, and others may be new.
package java.lang;

import tepui.Intrinsics;

public final class Short extends Number implements Comparable<Short> {
    public static final short MIN_VALUE = -32768;
    public static final short MAX_VALUE = 32767;
    public static final int SIZE = 16;
    public static final int BYTES = 2;

    private final short value;

    /** The objects of valueOf that are the same for the same value, smallest first. */
    private static Short cached;

    private Short next;

    public Short(short value) {
        this.value = value;
    }

    public static Short valueOf(short value) {
        if (value >= -128 && value <= 127) {
            Intrinsics.beginAtomic();
            Short last = null;
            Short here = cached;
            while (here != null && here.value < value) {
                last = here;
                here = here.next;
            }
            if (here == null || here.value != value) {
                Short made = new Short(value);
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
        return new Short(value);
    }

    @Override
    public byte byteValue() {
        return (byte) value;
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

    public static int hashCode(short value) {
        return value;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Short && ((Short) o).value == value;
    }

    @Override
    public int compareTo(Short other) {
        return compare(value, other.value);
    }

    public static int compare(short x, short y) {
        return x - y;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(short value) {
        return Intrinsics.opaqueString();
    }

    public static short parseShort(String s) {
        Intrinsics.limit("Short.parseShort(String)");
        return 0;
    }

    public static short parseShort(String s, int radix) {
        Intrinsics.limit("Short.parseShort(String, int)");
        return 0;
    }

    public static Short valueOf(String s) {
        Intrinsics.limit("Short.valueOf(String)");
        return null;
    }

    public static int toUnsignedInt(short x) {
        return x & 65535;
    }
}
