// Arrays: copies and fills are one step each, like System.arraycopy.
//
// Left out, and so a limit where it is called: streams, parallel methods, binarySearch of objects,
// deepEquals and hash codes of floating point numbers.
package java.util;

import java.io.Serializable;
import tepui.Intrinsics;

public final class Arrays {
    private Arrays() {}

    @SafeVarargs
    public static <T> List<T> asList(T... elements) {
        return new ArrayList<>(elements);
    }

    @SuppressWarnings("unchecked")
    public static <T> T[] copyOf(T[] array, int length) {
        T[] copy = (T[]) Intrinsics.newArrayLike(array, length);
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    @SuppressWarnings("unchecked")
    public static <T> T[] copyOfRange(T[] array, int from, int to) {
        if (array == null) {
            throw new NullPointerException();
        }
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        T[] copy = (T[]) Intrinsics.newArrayLike(array, length);
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    /** A class that is not that of the array is known only if it is Object[]. */
    @SuppressWarnings("unchecked")
    public static <T, U> T[] copyOf(U[] array, int length, Class<? extends T[]> type) {
        if ((Object) type == (Object) Object[].class) {
            Object[] copy = new Object[length];
            System.arraycopy(array, 0, copy, 0, length < array.length ? length : array.length);
            return (T[]) copy;
        }
        if ((Object) type != (Object) array.getClass()) {
            Intrinsics.limit("Arrays.copyOf to another class of arrays");
        }
        return (T[]) copyOf((Object[]) array, length);
    }

    @SuppressWarnings("unchecked")
    public static <T, U> T[] copyOfRange(U[] array, int from, int to, Class<? extends T[]> type) {
        Object[] part = copyOfRange((Object[]) array, from, to);
        return (T[]) copyOf(part, part.length, (Class<? extends Object[]>) type);
    }

    public static int[] copyOf(int[] array, int length) {
        int[] copy = new int[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static int[] copyOfRange(int[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        int[] copy = new int[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static long[] copyOf(long[] array, int length) {
        long[] copy = new long[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static long[] copyOfRange(long[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        long[] copy = new long[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static byte[] copyOf(byte[] array, int length) {
        byte[] copy = new byte[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static byte[] copyOfRange(byte[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        byte[] copy = new byte[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static char[] copyOf(char[] array, int length) {
        char[] copy = new char[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static char[] copyOfRange(char[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        char[] copy = new char[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static short[] copyOf(short[] array, int length) {
        short[] copy = new short[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static short[] copyOfRange(short[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        short[] copy = new short[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static boolean[] copyOf(boolean[] array, int length) {
        boolean[] copy = new boolean[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static boolean[] copyOfRange(boolean[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        boolean[] copy = new boolean[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static float[] copyOf(float[] array, int length) {
        float[] copy = new float[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static float[] copyOfRange(float[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        float[] copy = new float[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static double[] copyOf(double[] array, int length) {
        double[] copy = new double[length];
        int size = length < array.length ? length : array.length;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static double[] copyOfRange(double[] array, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException();
        }
        if (from > array.length || from < 0) {
            throw new ArrayIndexOutOfBoundsException();
        }
        double[] copy = new double[length];
        int rest = array.length - from;
        int size = length < rest ? length : rest;
        Intrinsics.beginAtomic();
        for (int i = 0; i < size; i++) {
            copy[i] = array[from + i];
        }
        Intrinsics.endAtomic();
        return copy;
    }

    public static void fill(Object[] array, Object value) {
        for (int i = 0; i < array.length; i++) {
            array[i] = value;
        }
    }

    public static void fill(Object[] array, int from, int to, Object value) {
        checkRange(array.length, from, to);
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
    }

    public static boolean equals(Object[] a, Object[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (!Objects.equals(a[i], b[i])) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(Object[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + (array[i] == null ? 0 : array[i].hashCode());
        }
        return result;
    }

    public static String toString(Object[] array) {
        return Intrinsics.opaqueString();
    }

    public static void fill(int[] array, int value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(int[] array, int from, int to, int value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(int[] a, int[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(int[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + array[i];
        }
        return result;
    }

    public static String toString(int[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(int[] array) {
        sort(array, 0, array.length);
    }

    public static void sort(int[] array, int from, int to) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from + 1; i < to; i++) {
            int value = array[i];
            int k = i;
            while (k > from && array[k - 1] > value) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
        Intrinsics.endAtomic();
    }

    public static int binarySearch(int[] array, int key) {
        return binarySearch(array, 0, array.length, key);
    }

    /** Of equal elements, the one that halving finds. */
    public static int binarySearch(int[] array, int from, int to, int key) {
        checkRange(array.length, from, to);
        int low = from;
        int high = to - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (array[middle] < key) {
                low = middle + 1;
            } else if (array[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }

    public static void fill(long[] array, long value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(long[] array, int from, int to, long value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(long[] a, long[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(long[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + (int) (array[i] ^ (array[i] >>> 32));
        }
        return result;
    }

    public static String toString(long[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(long[] array) {
        sort(array, 0, array.length);
    }

    public static void sort(long[] array, int from, int to) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from + 1; i < to; i++) {
            long value = array[i];
            int k = i;
            while (k > from && array[k - 1] > value) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
        Intrinsics.endAtomic();
    }

    public static int binarySearch(long[] array, long key) {
        return binarySearch(array, 0, array.length, key);
    }

    /** Of equal elements, the one that halving finds. */
    public static int binarySearch(long[] array, int from, int to, long key) {
        checkRange(array.length, from, to);
        int low = from;
        int high = to - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (array[middle] < key) {
                low = middle + 1;
            } else if (array[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }

    public static void fill(byte[] array, byte value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(byte[] array, int from, int to, byte value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(byte[] a, byte[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(byte[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + array[i];
        }
        return result;
    }

    public static String toString(byte[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(byte[] array) {
        sort(array, 0, array.length);
    }

    public static void sort(byte[] array, int from, int to) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from + 1; i < to; i++) {
            byte value = array[i];
            int k = i;
            while (k > from && array[k - 1] > value) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
        Intrinsics.endAtomic();
    }

    public static int binarySearch(byte[] array, byte key) {
        return binarySearch(array, 0, array.length, key);
    }

    /** Of equal elements, the one that halving finds. */
    public static int binarySearch(byte[] array, int from, int to, byte key) {
        checkRange(array.length, from, to);
        int low = from;
        int high = to - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (array[middle] < key) {
                low = middle + 1;
            } else if (array[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }

    public static void fill(char[] array, char value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(char[] array, int from, int to, char value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(char[] a, char[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(char[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + array[i];
        }
        return result;
    }

    public static String toString(char[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(char[] array) {
        sort(array, 0, array.length);
    }

    public static void sort(char[] array, int from, int to) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from + 1; i < to; i++) {
            char value = array[i];
            int k = i;
            while (k > from && array[k - 1] > value) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
        Intrinsics.endAtomic();
    }

    public static int binarySearch(char[] array, char key) {
        return binarySearch(array, 0, array.length, key);
    }

    /** Of equal elements, the one that halving finds. */
    public static int binarySearch(char[] array, int from, int to, char key) {
        checkRange(array.length, from, to);
        int low = from;
        int high = to - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (array[middle] < key) {
                low = middle + 1;
            } else if (array[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }

    public static void fill(short[] array, short value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(short[] array, int from, int to, short value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(short[] a, short[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(short[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + array[i];
        }
        return result;
    }

    public static String toString(short[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(short[] array) {
        sort(array, 0, array.length);
    }

    public static void sort(short[] array, int from, int to) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from + 1; i < to; i++) {
            short value = array[i];
            int k = i;
            while (k > from && array[k - 1] > value) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
        Intrinsics.endAtomic();
    }

    public static int binarySearch(short[] array, short key) {
        return binarySearch(array, 0, array.length, key);
    }

    /** Of equal elements, the one that halving finds. */
    public static int binarySearch(short[] array, int from, int to, short key) {
        checkRange(array.length, from, to);
        int low = from;
        int high = to - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (array[middle] < key) {
                low = middle + 1;
            } else if (array[middle] > key) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }

    public static void fill(boolean[] array, boolean value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(boolean[] array, int from, int to, boolean value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static boolean equals(boolean[] a, boolean[] b) {
        if (a == b) {
            return true;
        }
        if (a == null || b == null || a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }

    public static int hashCode(boolean[] array) {
        if (array == null) {
            return 0;
        }
        int result = 1;
        for (int i = 0; i < array.length; i++) {
            result = 31 * result + (array[i] ? 1231 : 1237);
        }
        return result;
    }

    public static String toString(boolean[] array) {
        return Intrinsics.opaqueString();
    }

    public static void fill(float[] array, float value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(float[] array, int from, int to, float value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static String toString(float[] array) {
        return Intrinsics.opaqueString();
    }

    public static void fill(double[] array, double value) {
        fill(array, 0, array.length, value);
    }

    public static void fill(double[] array, int from, int to, double value) {
        checkRange(array.length, from, to);
        Intrinsics.beginAtomic();
        for (int i = from; i < to; i++) {
            array[i] = value;
        }
        Intrinsics.endAtomic();
    }

    public static String toString(double[] array) {
        return Intrinsics.opaqueString();
    }

    public static String deepToString(Object[] array) {
        return Intrinsics.opaqueString();
    }

    public static void sort(Object[] array) {
        sort(array, 0, array.length, null);
    }

    public static void sort(Object[] array, int from, int to) {
        sort(array, from, to, null);
    }

    public static <T> void sort(T[] array, Comparator<? super T> comparator) {
        sort(array, 0, array.length, comparator);
    }

    /** Stable, as promised; which elements are compared is not. */
    public static <T> void sort(T[] array, int from, int to, Comparator<? super T> comparator) {
        checkRange(array.length, from, to);
        for (int i = from + 1; i < to; i++) {
            T value = array[i];
            int k = i;
            while (k > from && compare(array[k - 1], value, comparator) > 0) {
                array[k] = array[k - 1];
                k--;
            }
            array[k] = value;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> int compare(T a, T b, Comparator<? super T> comparator) {
        return comparator == null ? ((Comparable<T>) a).compareTo(b) : comparator.compare(a, b);
    }

    private static void checkRange(int length, int from, int to) {
        if (from > to) {
            throw new IllegalArgumentException();
        }
        if (from < 0 || to > length) {
            throw new ArrayIndexOutOfBoundsException();
        }
    }

    /** What asList gives: a view of the array. Its name is that of the JDK. */
    private static final class ArrayList<E> extends AbstractList<E>
            implements RandomAccess, Serializable {
        private final E[] elements;

        ArrayList(E[] elements) {
            if (elements == null) {
                throw new NullPointerException();
            }
            this.elements = elements;
        }

        @Override
        public int size() {
            return elements.length;
        }

        @Override
        public E get(int index) {
            return elements[index];
        }

        @Override
        public E set(int index, E element) {
            E old = elements[index];
            elements[index] = element;
            return old;
        }

        @Override
        public boolean contains(Object o) {
            return indexOf(o) >= 0;
        }

        @Override
        public int indexOf(Object o) {
            for (int i = 0; i < elements.length; i++) {
                if (o == null ? elements[i] == null : o.equals(elements[i])) {
                    return i;
                }
            }
            return -1;
        }

        @Override
        public Object[] toArray() {
            return Arrays.copyOf(elements, elements.length, Object[].class);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T[] toArray(T[] array) {
            if (array.length < elements.length) {
                T[] copy = (T[]) Intrinsics.newArrayLike(array, elements.length);
                System.arraycopy(elements, 0, copy, 0, elements.length);
                return copy;
            }
            System.arraycopy(elements, 0, array, 0, elements.length);
            if (array.length > elements.length) {
                array[elements.length] = null;
            }
            return array;
        }
    }
}
