// The assertions of JUnit 5. Elements of arrays are compared by equals.
package org.junit.jupiter.api;

import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.function.Executable;
import tepui.Intrinsics;

public class Assertions {
    protected Assertions() {}

    public static <V> V fail() {
        throw new AssertionError();
    }

    public static <V> V fail(String message) {
        throw new AssertionError();
    }

    public static <V> V fail(String message, Throwable cause) {
        throw new AssertionError();
    }

    public static <V> V fail(Throwable cause) {
        throw new AssertionError();
    }

    public static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertTrue(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertFalse(boolean condition) {
        if (condition) {
            throw new AssertionError();
        }
    }

    public static void assertFalse(boolean condition, String message) {
        if (condition) {
            throw new AssertionError();
        }
    }

    public static void assertNull(Object actual) {
        if (actual != null) {
            throw new AssertionError();
        }
    }

    public static void assertNull(Object actual, String message) {
        if (actual != null) {
            throw new AssertionError();
        }
    }

    public static void assertNotNull(Object actual) {
        if (actual == null) {
            throw new AssertionError();
        }
    }

    public static void assertNotNull(Object actual, String message) {
        if (actual == null) {
            throw new AssertionError();
        }
    }

    public static void assertSame(Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertSame(Object expected, Object actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotSame(Object expected, Object actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotSame(Object expected, Object actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(Object expected, Object actual, String message) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(long expected, long actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(int expected, int actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(byte expected, byte actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(byte expected, byte actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(char expected, char actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(char expected, char actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(short expected, short actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(short expected, short actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(boolean expected, boolean actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(boolean expected, boolean actual, String message) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(Object expected, Object actual) {
        if (Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(Object expected, Object actual, String message) {
        if (Objects.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(long expected, long actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(long expected, long actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(int expected, int actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(int expected, int actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(byte expected, byte actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(byte expected, byte actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(char expected, char actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(char expected, char actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(short expected, short actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(short expected, short actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(boolean expected, boolean actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(boolean expected, boolean actual, String message) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(double expected, double actual, double delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(double expected, double actual, double delta, String message) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(float expected, float actual, float delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(float expected, float actual, float delta, String message) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(long[] expected, long[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(long[] expected, long[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(int[] expected, int[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(byte[] expected, byte[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(byte[] expected, byte[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(char[] expected, char[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(char[] expected, char[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(short[] expected, short[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(short[] expected, short[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(boolean[] expected, boolean[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static void assertArrayEquals(boolean[] expected, boolean[] actual, String message) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError();
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> type, Executable executable) {
        Intrinsics.limit("Assertions.assertThrows");
        return null;
    }

    public static void assertDoesNotThrow(Executable executable) {
        try {
            executable.execute();
        } catch (Throwable thrown) {
            throw new AssertionError();
        }
    }
}
