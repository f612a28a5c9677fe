// A test case of JUnit 3: its methods are entry points.
package junit.framework;

public abstract class TestCase extends Assert implements Test {
    public TestCase() {}

    public TestCase(String name) {}

    protected void setUp() throws Exception {}

    protected void tearDown() throws Exception {}

    public String getName() {
        return "";
    }
}
