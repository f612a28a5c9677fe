// The assertions of JUnit 3.
package junit.framework;

import java.util.Objects;

public class Assert {
    protected Assert() {}

    public static void fail() {
        throw new AssertionFailedError();
    }

    public static void fail(String message) {
        throw new AssertionFailedError();
    }

    public static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionFailedError();
        }
    }

    public static void assertTrue(String message, boolean condition) {
        if (!condition) {
            throw new AssertionFailedError();
        }
    }

    public static void assertFalse(boolean condition) {
        if (condition) {
            throw new AssertionFailedError();
        }
    }

    public static void assertFalse(String message, boolean condition) {
        if (condition) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNull(Object actual) {
        if (actual != null) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNull(String message, Object actual) {
        if (actual != null) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNotNull(Object actual) {
        if (actual == null) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNotNull(String message, Object actual) {
        if (actual == null) {
            throw new AssertionFailedError();
        }
    }

    public static void assertSame(Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertSame(String message, Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNotSame(Object expected, Object actual) {
        if (expected == actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertNotSame(String message, Object expected, Object actual) {
        if (expected == actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(long expected, long actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, long expected, long actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, int expected, int actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(byte expected, byte actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, byte expected, byte actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(char expected, char actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, char expected, char actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(short expected, short actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, short expected, short actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(boolean expected, boolean actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, boolean expected, boolean actual) {
        if (expected != actual) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(double expected, double actual, double delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, double expected, double actual, double delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(float expected, float actual, float delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionFailedError();
        }
    }

    public static void assertEquals(String message, float expected, float actual, float delta) {
        if (expected - actual > delta || actual - expected > delta) {
            throw new AssertionFailedError();
        }
    }
}
