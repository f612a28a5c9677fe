// The Vector test of Suwimonteerabuth, Esparza and Schwoon (SPIN 2008, section 5.1): a Vector is
// copied while another thread removes its elements. The code of Vector is that of the installed JDK;
// Java 5's constructor is our own, in a subclass.

import java.util.Collection;
import java.util.Random;
import java.util.Vector;

class VectorTest {
    static class OldVector extends Vector<Integer> {
        OldVector(Collection<Integer> from) {
            elementCount = from.size();
            elementData = new Object[elementCount];
            from.toArray(elementData);
        }
    }

    static void today(Integer x) {
        Vector<Integer> elements = removed(x);
        check(new Vector<>(elements), x);
    }

    static void java5(Integer x) {
        Vector<Integer> elements = removed(x);
        check(new OldVector(elements), x);
    }

    private static Vector<Integer> removed(Integer x) {
        Vector<Integer> elements = new Vector<>(1);
        elements.add(x);
        new Thread(elements::removeAllElements).start();
        return elements;
    }

    private static void check(Vector<Integer> copy, Integer x) {
        assert copy.isEmpty() || copy.elementAt(0) == x;
    }

    private static Integer bits(int count) {
        return new Random().nextInt(1 << count);
    }

    static void today1() {
        today(bits(1));
    }

    static void today4() {
        today(bits(4));
    }

    static void today8() {
        today(bits(8));
    }

    static void today32() {
        today(new Random().nextInt());
    }

    static void java532() {
        java5(new Random().nextInt());
    }

    static void java51() {
        java5(bits(1));
    }

    static void java54() {
        java5(bits(4));
    }

    static void java58() {
        java5(bits(8));
    }
}
