// A char as an object. The JDK promises that valueOf gives the same object for
// values up to 127; others may be new.
package java.lang;

import java.io.Serializable;
import tepui.Intrinsics;

public final class Character implements Serializable, Comparable<Character> {
    public static final char MIN_VALUE = 0;
    public static final char MAX_VALUE = 65535;
    public static final int SIZE = 16;
    public static final int BYTES = 2;
    public static final int MIN_RADIX = 2;
    public static final int MAX_RADIX = 36;

    private final char value;

    /** The objects of valueOf that are the same for the same value, smallest first. */
    private static Character cached;

    private Character next;

    public Character(char value) {
        this.value = value;
    }

    public static Character valueOf(char value) {
        if (value <= 127) {
            Intrinsics.beginAtomic();
            Character last = null;
            Character here = cached;
            while (here != null && here.value < value) {
                last = here;
                here = here.next;
            }
            if (here == null || here.value != value) {
                Character made = new Character(value);
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
        return new Character(value);
    }

    public char charValue() {
        return value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    public static int hashCode(char value) {
        return value;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Character && ((Character) o).value == value;
    }

    @Override
    public int compareTo(Character other) {
        return compare(value, other.value);
    }

    public static int compare(char x, char y) {
        return x - y;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    public static String toString(char value) {
        return Intrinsics.opaqueString();
    }

    public static boolean isDigit(char c) {
        ascii(c);
        return c >= '0' && c <= '9';
    }

    public static boolean isDigit(int c) {
        ascii(c);
        return c >= '0' && c <= '9';
    }

    public static boolean isUpperCase(char c) {
        ascii(c);
        return c >= 'A' && c <= 'Z';
    }

    public static boolean isUpperCase(int c) {
        ascii(c);
        return c >= 'A' && c <= 'Z';
    }

    public static boolean isLowerCase(char c) {
        ascii(c);
        return c >= 'a' && c <= 'z';
    }

    public static boolean isLowerCase(int c) {
        ascii(c);
        return c >= 'a' && c <= 'z';
    }

    public static boolean isLetter(char c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    public static boolean isLetter(int c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    public static boolean isAlphabetic(int c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    public static boolean isLetterOrDigit(char c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
    }

    public static boolean isLetterOrDigit(int c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
    }

    public static boolean isWhitespace(char c) {
        ascii(c);
        return c == ' ' || c >= '\t' && c <= '\r' || c >= 28 && c <= 31;
    }

    public static boolean isWhitespace(int c) {
        ascii(c);
        return c == ' ' || c >= '\t' && c <= '\r' || c >= 28 && c <= 31;
    }

    public static boolean isSpaceChar(char c) {
        ascii(c);
        return c == ' ';
    }

    public static boolean isSpaceChar(int c) {
        ascii(c);
        return c == ' ';
    }

    public static char toUpperCase(char c) {
        ascii(c);
        return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
    }

    public static int toUpperCase(int c) {
        ascii(c);
        return c >= 'a' && c <= 'z' ? c - 32 : c;
    }

    public static char toLowerCase(char c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
    }

    public static int toLowerCase(int c) {
        ascii(c);
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    }

    public static int digit(char c, int radix) {
        ascii(c);
        int digit = -1;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (c >= 'a' && c <= 'z') {
            digit = c - 'a' + 10;
        } else if (c >= 'A' && c <= 'Z') {
            digit = c - 'A' + 10;
        }
        return radix >= MIN_RADIX && radix <= MAX_RADIX && digit < radix ? digit : -1;
    }

    public static char forDigit(int digit, int radix) {
        if (radix < MIN_RADIX || radix > MAX_RADIX || digit < 0 || digit >= radix) {
            return 0;
        }
        return (char) (digit < 10 ? '0' + digit : 'a' - 10 + digit);
    }

    public static int getNumericValue(char c) {
        return digit(c, MAX_RADIX);
    }

    private static void ascii(int c) {
        if (c < 0 || c > 127) {
            Intrinsics.limit("a character that is not in ASCII");
        }
    }
}
