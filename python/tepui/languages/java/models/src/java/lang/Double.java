// A double as an object. The translator says what it knows of a double; bits and texts are limits.
package java.lang;

import tepui.Intrinsics;

public final class Double extends Number implements Comparable<Double> {
    public static final double POSITIVE_INFINITY = 1.0 / 0.0;
    public static final double NEGATIVE_INFINITY = -1.0 / 0.0;
    public static final double NaN = 0.0 / 0.0;

    private final double value;

    public Double(double value) {
        this.value = value;
    }

    public static Double valueOf(double value) {
        return new Double(value);
    }

    public static Double valueOf(String s) {
        Intrinsics.limit("Double.valueOf(String)");
        return null;
    }

    public static double parseDouble(String s) {
        Intrinsics.limit("Double.parseDouble(String)");
        return 0;
    }

    public static boolean isNaN(double x) {
        return x != x;
    }

    public boolean isNaN() {
        return value != value;
    }

    public static boolean isInfinite(double x) {
        return x == POSITIVE_INFINITY || x == NEGATIVE_INFINITY;
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
        return (long) value;
    }

    @Override
    public float floatValue() {
        return (float) value;
    }

    @Override
    public double doubleValue() {
        return value;
    }

    public static double sum(double x, double y) {
        return x + y;
    }

    public static double max(double x, double y) {
        return Math.max(x, y);
    }

    public static double min(double x, double y) {
        return Math.min(x, y);
    }

    @Override
    public int hashCode() {
        Intrinsics.limit("Double.hashCode()");
        return 0;
    }

    @Override
    public boolean equals(Object o) {
        if (o instanceof Double) {
            Intrinsics.limit("Double.equals(Object)");
        }
        return false;
    }

    @Override
    public int compareTo(Double other) {
        return compare(value, other.value);
    }

    public static int compare(double x, double y) {
        if (x < y) {
            return -1;
        }
        if (x > y) {
            return 1;
        }
        Intrinsics.limit("Double.compare of values that are neither less nor greater");
        return 0;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(double x) {
        return Intrinsics.opaqueString();
    }
}
