// The JDK's class explains itself by the bytecode that threw it; this one does not.
package java.lang;

public class NullPointerException extends RuntimeException {
    public NullPointerException() {}

    public NullPointerException(String message) {}
}
