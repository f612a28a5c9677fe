// What classes say about how they are serialised, which is not modelled: nobody asks for it.
package java.io;

public class ObjectStreamField implements Comparable<Object> {
    public ObjectStreamField(String name, Class<?> type) {}

    public ObjectStreamField(String name, Class<?> type, boolean unshared) {}

    @Override
    public int compareTo(Object other) {
        throw new UnsupportedOperationException();
    }
}
