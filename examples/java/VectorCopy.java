// A Vector of the JDK is copied while another thread removes its elements.
//
// Expected: safe
//
// The constructor takes all elements in one synchronized step, and counts what it has got. The code
// of Vector is that of the installed JDK. VectorCopyJava5.java has the older constructor.

import java.util.Vector;

class VectorCopy {
    public static void main(String[] args) {
        Vector<Object> elements = new Vector<>(1);
        elements.add(new Object());
        new Thread(elements::clear).start();
        Vector<Object> copy = new Vector<>(elements);
        assert copy.isEmpty() || copy.get(0) != null;
    }
}
