// Checks of indices, by which the JDK's classes throw.
package jdk.internal.util;

import java.util.List;
import java.util.function.BiFunction;

public class Preconditions {
    public static final BiFunction<String, List<Number>, StringIndexOutOfBoundsException>
            SIOOBE_FORMATTER = new OfStrings();
    public static final BiFunction<String, List<Number>, ArrayIndexOutOfBoundsException>
            AIOOBE_FORMATTER = new OfArrays();
    public static final BiFunction<String, List<Number>, IndexOutOfBoundsException>
            IOOBE_FORMATTER = null;

    private Preconditions() {}

    public static <X extends RuntimeException> int checkIndex(
            int index, int length, BiFunction<String, List<Number>, X> formatter) {
        if (index < 0 || index >= length) {
            throw exception(formatter);
        }
        return index;
    }

    public static <X extends RuntimeException> int checkFromToIndex(
            int from, int to, int length, BiFunction<String, List<Number>, X> formatter) {
        if (from < 0 || from > to || to > length) {
            throw exception(formatter);
        }
        return from;
    }

    public static <X extends RuntimeException> int checkFromIndexSize(
            int from, int size, int length, BiFunction<String, List<Number>, X> formatter) {
        if (from < 0 || size < 0 || length < 0 || from > length - size) {
            throw exception(formatter);
        }
        return from;
    }

    private static <X extends RuntimeException> RuntimeException exception(
            BiFunction<String, List<Number>, X> formatter) {
        return formatter == null
                ? new IndexOutOfBoundsException()
                : formatter.apply(null, null);
    }

    private static final class OfStrings
            implements BiFunction<String, List<Number>, StringIndexOutOfBoundsException> {
        @Override
        public StringIndexOutOfBoundsException apply(String what, List<Number> values) {
            return new StringIndexOutOfBoundsException();
        }
    }

    private static final class OfArrays
            implements BiFunction<String, List<Number>, ArrayIndexOutOfBoundsException> {
        @Override
        public ArrayIndexOutOfBoundsException apply(String what, List<Number> values) {
            return new ArrayIndexOutOfBoundsException();
        }
    }
}
