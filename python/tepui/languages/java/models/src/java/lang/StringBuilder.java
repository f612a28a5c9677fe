// Builds strings of which nothing is known afterwards, not even their length: so what depends on it
// is a limit, and appending is free. Arguments that are objects are asked for their strings.
package java.lang;

import java.io.Serializable;
import tepui.Intrinsics;

public final class StringBuilder implements Serializable, Comparable<StringBuilder>, CharSequence {
    public StringBuilder() {}

    public StringBuilder(int capacity) {
        if (capacity < 0) {
            throw new NegativeArraySizeException();
        }
    }

    public StringBuilder(String s) {
        if (s == null) {
            throw new NullPointerException();
        }
    }

    public StringBuilder(CharSequence s) {
        s.length();
    }

    public StringBuilder append(Object o) {
        String.valueOf(o);
        return this;
    }

    public StringBuilder append(CharSequence s) {
        String.valueOf(s);
        return this;
    }

    public StringBuilder append(char[] characters) {
        if (characters == null) {
            throw new NullPointerException();
        }
        return this;
    }

    public StringBuilder append(String x) {
        return this;
    }

    public StringBuilder append(StringBuffer x) {
        return this;
    }

    public StringBuilder append(boolean x) {
        return this;
    }

    public StringBuilder append(char x) {
        return this;
    }

    public StringBuilder append(int x) {
        return this;
    }

    public StringBuilder append(long x) {
        return this;
    }

    public StringBuilder append(float x) {
        return this;
    }

    public StringBuilder append(double x) {
        return this;
    }

    public StringBuilder appendCodePoint(int x) {
        Intrinsics.limit("StringBuilder.appendCodePoint(int)");
        return this;
    }

    public StringBuilder reverse() {
        return this;
    }

    public void ensureCapacity(int capacity) {}

    public void trimToSize() {}

    public void setLength(int length) {
        if (length < 0) {
            throw new StringIndexOutOfBoundsException();
        }
    }

    public StringBuilder insert(int at, Object x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        String.valueOf(x);
        return this;
    }

    public StringBuilder insert(int at, String x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        return this;
    }

    public StringBuilder insert(int at, boolean x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        return this;
    }

    public StringBuilder insert(int at, char x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        return this;
    }

    public StringBuilder insert(int at, int x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        return this;
    }

    public StringBuilder insert(int at, long x) {
        if (at != 0) {
            Intrinsics.limit("StringBuilder.insert, not at the beginning");
        }
        return this;
    }

    @Override
    public int length() {
        Intrinsics.limit("StringBuilder.length");
        return 0;
    }

    public int capacity() {
        Intrinsics.limit("StringBuilder.capacity");
        return 0;
    }

    @Override
    public char charAt(int at) {
        Intrinsics.limit("StringBuilder.charAt");
        return 0;
    }

    public int indexOf(String s) {
        Intrinsics.limit("StringBuilder.indexOf");
        return 0;
    }

    public int indexOf(String s, int from) {
        Intrinsics.limit("StringBuilder.indexOf");
        return 0;
    }

    public int lastIndexOf(String s) {
        Intrinsics.limit("StringBuilder.lastIndexOf");
        return 0;
    }

    public String substring(int from) {
        Intrinsics.limit("StringBuilder.substring");
        return Intrinsics.opaqueString();
    }

    public String substring(int from, int to) {
        Intrinsics.limit("StringBuilder.substring");
        return Intrinsics.opaqueString();
    }

    @Override
    public CharSequence subSequence(int from, int to) {
        Intrinsics.limit("StringBuilder.subSequence");
        return Intrinsics.opaqueString();
    }

    @Override
    public int compareTo(StringBuilder other) {
        Intrinsics.limit("StringBuilder.compareTo");
        return 0;
    }

    public StringBuilder delete(int from, int to) {
        Intrinsics.limit("StringBuilder.delete");
        return this;
    }

    public StringBuilder deleteCharAt(int at) {
        Intrinsics.limit("StringBuilder.deleteCharAt");
        return this;
    }

    public StringBuilder replace(int from, int to, String s) {
        Intrinsics.limit("StringBuilder.replace");
        return this;
    }

    public void setCharAt(int at, char c) {
        Intrinsics.limit("StringBuilder.setCharAt");
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
