// A float as an object. The translator says what it knows of a float; bits and texts are limits.
package java.lang;

import tepui.Intrinsics;

public final class Float extends Number implements Comparable<Float> {
    public static final float POSITIVE_INFINITY = 1.0f / 0.0f;
    public static final float NEGATIVE_INFINITY = -1.0f / 0.0f;
    public static final float NaN = 0.0f / 0.0f;

    private final float value;

    public Float(float value) {
        this.value = value;
    }

    public static Float valueOf(float value) {
        return new Float(value);
    }

    public static Float valueOf(String s) {
        Intrinsics.limit("Float.valueOf(String)");
        return null;
    }

    public static float parseFloat(String s) {
        Intrinsics.limit("Float.parseFloat(String)");
        return 0;
    }

    public static boolean isNaN(float x) {
        return x != x;
    }

    public boolean isNaN() {
        return value != value;
    }

    public static boolean isInfinite(float x) {
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
        return value;
    }

    @Override
    public double doubleValue() {
        return value;
    }

    public static float sum(float x, float y) {
        return x + y;
    }

    public static float max(float x, float y) {
        return Math.max(x, y);
    }

    public static float min(float x, float y) {
        return Math.min(x, y);
    }

    @Override
    public int hashCode() {
        Intrinsics.limit("Float.hashCode()");
        return 0;
    }

    @Override
    public boolean equals(Object o) {
        if (o instanceof Float) {
            Intrinsics.limit("Float.equals(Object)");
        }
        return false;
    }

    @Override
    public int compareTo(Float other) {
        return compare(value, other.value);
    }

    public static int compare(float x, float y) {
        if (x < y) {
            return -1;
        }
        if (x > y) {
            return 1;
        }
        Intrinsics.limit("Float.compare of values that are neither less nor greater");
        return 0;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(float x) {
        return Intrinsics.opaqueString();
    }
}
