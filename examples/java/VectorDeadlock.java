// Two Vectors of the JDK, each asked at once whether it contains the other.
//
// Expected: unsafe with 2 contexts (deadlock)
//
// `containsAll` is synchronized, and asks the other Vector, which locks itself, too. So each thread
// holds the monitor that the other one needs. The code of Vector is that of the installed JDK.

import java.util.Vector;

class VectorDeadlock {
    public static void main(String[] args) {
        Vector<Object> one = new Vector<>();
        Vector<Object> two = new Vector<>();
        one.add(new Object());
        two.add(new Object());
        new Thread(() -> two.containsAll(one)).start();
        one.containsAll(two);
    }
}
