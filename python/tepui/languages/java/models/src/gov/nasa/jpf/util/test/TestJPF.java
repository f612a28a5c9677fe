// The base of the tests of Java PathFinder. Each verify method says what the search is to find in
// the code that it guards, and answers that this code is to run.
package gov.nasa.jpf.util.test;

import gov.nasa.jpf.util.TypeRef;
import java.util.Objects;
import tepui.Intrinsics;

public abstract class TestJPF {
    public TestJPF() {}

    protected boolean verifyNoPropertyViolation(String... options) {
        return true;
    }

    protected boolean verifyDeadlock(String... options) {
        return true;
    }

    protected boolean verifyAssertionError(String... options) {
        return true;
    }

    protected boolean verifyAssertionErrorDetails(String details, String... options) {
        return true;
    }

    protected boolean verifyUnhandledException(String name, String... options) {
        return true;
    }

    protected boolean verifyUnhandledExceptionDetails(String name, String details, String... options) {
        return true;
    }

    protected boolean verifyPropertyViolation(TypeRef property, String... options) {
        return true;
    }

    protected boolean verifyJPFException(TypeRef exception, String... options) {
        return true;
    }

    public static boolean isJPFRun() {
        return true;
    }

    public static boolean isJUnitRun() {
        return false;
    }

    public static boolean isRunTestsOfThisClass() {
        return false;
    }

    /** The tests are entry points of their own. */
    protected static void runTestsOfThisClass(String[] names) {
        Intrinsics.limit("TestJPF.runTestsOfThisClass(String[])");
    }

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

    public static void assertEquals(boolean expected, boolean actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, boolean expected, boolean actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(String message, int expected, int actual) {
        if (expected != actual) {
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

    public static void assertNotEquals(boolean expected, boolean actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(String message, boolean expected, boolean actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(int expected, int actual) {
        if (expected == actual) {
            throw new AssertionError();
        }
    }

    public static void assertNotEquals(String message, int expected, int actual) {
        if (expected == actual) {
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
}
