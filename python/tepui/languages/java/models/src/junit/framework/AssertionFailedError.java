// What a failing assertion of JUnit 3 throws.
package junit.framework;

public class AssertionFailedError extends AssertionError {
    public AssertionFailedError() {}

    public AssertionFailedError(String message) {}
}
