// What the JDK offers for any object. hashCode and toString of null are those of the JDK.
package java.util;

import java.util.function.Supplier;

public final class Objects {
    private Objects() {}

    public static <T> T requireNonNull(T o) {
        if (o == null) {
            throw new NullPointerException();
        }
        return o;
    }

    public static <T> T requireNonNull(T o, String message) {
        if (o == null) {
            throw new NullPointerException();
        }
        return o;
    }

    public static <T> T requireNonNull(T o, Supplier<String> message) {
        if (o == null) {
            if (message != null) {
                message.get();
            }
            throw new NullPointerException();
        }
        return o;
    }

    public static <T> T requireNonNullElse(T o, T other) {
        if (o != null) {
            return o;
        }
        if (other == null) {
            throw new NullPointerException();
        }
        return other;
    }

    public static <T> T requireNonNullElseGet(T o, Supplier<? extends T> supplier) {
        if (o != null) {
            return o;
        }
        T other = supplier.get();
        if (other == null) {
            throw new NullPointerException();
        }
        return other;
    }

    public static boolean isNull(Object o) {
        return o == null;
    }

    public static boolean nonNull(Object o) {
        return o != null;
    }

    public static boolean equals(Object a, Object b) {
        return a == b || a != null && a.equals(b);
    }

    public static int hashCode(Object o) {
        return o == null ? 0 : o.hashCode();
    }

    public static int hash(Object... values) {
        if (values == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < values.length; i++) {
            result = 31 * result + (values[i] == null ? 0 : values[i].hashCode());
        }
        return result;
    }

    public static String toString(Object o) {
        return String.valueOf(o);
    }

    public static String toString(Object o, String ofNull) {
        return o == null ? ofNull : o.toString();
    }

    public static <T> int compare(T a, T b, Comparator<? super T> comparator) {
        return a == b ? 0 : comparator.compare(a, b);
    }

    public static int checkIndex(int index, int length) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException();
        }
        return index;
    }

    public static int checkFromToIndex(int from, int to, int length) {
        if (from < 0 || from > to || to > length) {
            throw new IndexOutOfBoundsException();
        }
        return from;
    }

    public static int checkFromIndexSize(int from, int size, int length) {
        if (from < 0 || size < 0 || length < 0 || from > length - size) {
            throw new IndexOutOfBoundsException();
        }
        return from;
    }
}
