// Checks of indices, by which the JDK's classes throw; who would format the exception is not asked.
package jdk.internal.util;

import java.util.List;
import java.util.function.BiFunction;

public class Preconditions {
    public static final BiFunction<String, List<Number>, StringIndexOutOfBoundsException>
            SIOOBE_FORMATTER = null;
    public static final BiFunction<String, List<Number>, ArrayIndexOutOfBoundsException>
            AIOOBE_FORMATTER = null;
    public static final BiFunction<String, List<Number>, IndexOutOfBoundsException>
            IOOBE_FORMATTER = null;

    private Preconditions() {}

    public static <X extends RuntimeException> int checkIndex(
            int index, int length, BiFunction<String, List<Number>, X> formatter) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException();
        }
        return index;
    }

    public static <X extends RuntimeException> int checkFromToIndex(
            int from, int to, int length, BiFunction<String, List<Number>, X> formatter) {
        if (from < 0 || from > to || to > length) {
            throw new IndexOutOfBoundsException();
        }
        return from;
    }

    public static <X extends RuntimeException> int checkFromIndexSize(
            int from, int size, int length, BiFunction<String, List<Number>, X> formatter) {
        if (from < 0 || size < 0 || length < 0 || from > length - size) {
            throw new IndexOutOfBoundsException();
        }
        return from;
    }
}
