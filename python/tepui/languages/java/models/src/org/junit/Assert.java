// The assertions of JUnit 4. Elements of arrays are compared by equals.
package org.junit;

import java.util.Arrays;
import java.util.Objects;
import org.junit.function.ThrowingRunnable;
import tepui.Intrinsics;

public class Assert {
    protected Assert() {}

    public static void fail() {
        throw new AssertionError();
    }

    public static void fail(String message) {
        throw new AssertionError();
    }

    public static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertTrue(String message, boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertFalse(boolean condition) {
        if (condition) {
            throw new AssertionError();
        }
    }

    public static void assertFalse(String message, boolean condition) {
        if (condition) {
            throw new AssertionError();
        }
    }

    public static void assertNull(Object actual) {
        if (actual != null) {
            throw new AssertionError();
        }
    }

    public static void assertNull(String message, Object actual) {
        if (actual != null) {
            throw new AssertionError();
        }
    }

    public static void assertNotNull(Object actual) {
        if (actual == null) {
            throw new AssertionError();
        }
    }

    public static void assertNotNull(String message, Object actual) {
        if (actual == null) {
            throw new AssertionError();
        }
    }

    public static void assertSame(Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertSame(String message, Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotSame(Object expected, Object actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotSame(String message, Object expected, Object actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(Object expected, Object actual) {
        if (Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(String message, Object expected, Object actual) {
        if (Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(long expected, long actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(String message, long expected, long actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(double expected, double actual, double delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, double expected, double actual, double delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(float expected, float actual, float delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, float expected, float actual, float delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, Object[] expected, Object[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(long[] expected, long[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, long[] expected, long[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, int[] expected, int[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(byte[] expected, byte[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, byte[] expected, byte[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(char[] expected, char[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, char[] expected, char[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(short[] expected, short[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, short[] expected, short[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(boolean[] expected, boolean[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(String message, boolean[] expected, boolean[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> type, ThrowingRunnable runnable) {
        Intrinsics.limit("Assert.assertThrows");
        return null;
    }
}
