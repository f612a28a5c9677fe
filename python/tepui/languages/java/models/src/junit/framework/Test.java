// A test of JUnit 3.
package junit.framework;

public interface Test {}
