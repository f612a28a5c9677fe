// A boolean as an object: valueOf makes no new ones.
package java.lang;

import java.io.Serializable;
import tepui.Intrinsics;

public final class Boolean implements Serializable, Comparable<Boolean> {
    public static final Boolean TRUE = new Boolean(true);
    public static final Boolean FALSE = new Boolean(false);

    private final boolean value;

    public Boolean(boolean value) {
        this.value = value;
    }

    public static Boolean valueOf(boolean value) {
        return value ? TRUE : FALSE;
    }

    /** What the method that a program begins with may be given. */
    static Boolean argument() {
        return Intrinsics.anyBoolean() ? null : valueOf(Intrinsics.anyBoolean());
    }

    public static Boolean valueOf(String s) {
        return parseBoolean(s) ? TRUE : FALSE;
    }

    public static boolean parseBoolean(String s) {
        if (s == null) {
            return false;
        }
        Intrinsics.limit("Boolean.parseBoolean(String)");
        return false;
    }

    public boolean booleanValue() {
        return value;
    }

    @Override
    public int hashCode() {
        return value ? 1231 : 1237;
    }

    public static int hashCode(boolean value) {
        return value ? 1231 : 1237;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Boolean && ((Boolean) o).value == value;
    }

    @Override
    public int compareTo(Boolean other) {
        return compare(value, other.value);
    }

    public static int compare(boolean x, boolean y) {
        return x == y ? 0 : x ? 1 : -1;
    }

    public static boolean logicalAnd(boolean x, boolean y) {
        return x & y;
    }

    public static boolean logicalOr(boolean x, boolean y) {
        return x | y;
    }

    public static boolean logicalXor(boolean x, boolean y) {
        return x ^ y;
    }

    @Override
    public String toString() {
        return value ? "true" : "false";
    }

    public static String toString(boolean value) {
        return value ? "true" : "false";
    }
}
