// Its message is not looked at.
package java.lang;

public class StringIndexOutOfBoundsException extends IndexOutOfBoundsException {
    public StringIndexOutOfBoundsException() {}

    public StringIndexOutOfBoundsException(String message) {}

    public StringIndexOutOfBoundsException(int index) {}
}
