// A Vector is copied by the constructor of Java 5 while another thread removes its elements.
//
// Expected: unsafe with 3 contexts (assertion)
//
// The constructor asks for the size of the other Vector first, and for its elements then; each is
// synchronized, and both together are not. If the elements are removed in between, the copy says
// that it has one, and that is null. After Suwimonteerabuth, Esparza and Schwoon (SPIN 2008,
// section 5.1); the constructor is our own, in a subclass of the installed JDK's Vector. The bug is
// repaired there: see VectorCopy.java.

import java.util.Collection;
import java.util.Vector;

class VectorCopyJava5 {
    static class OldVector extends Vector<Object> {
        OldVector(Collection<Object> from) {
            elementCount = from.size();
            elementData = new Object[elementCount];
            from.toArray(elementData);
        }
    }

    public static void main(String[] args) {
        Vector<Object> elements = new Vector<>(1);
        elements.add(new Object());
        new Thread(elements::clear).start();
        Vector<Object> copy = new OldVector(elements);
        assert copy.isEmpty() || copy.get(0) != null;
    }
}
