// Two Hashtables of the JDK that are compared with each other, in both directions.
//
// Expected: unsafe with 2 contexts (deadlock)
//
// `equals` is synchronized, and asks the other Hashtable, which locks itself, too.

import java.util.Hashtable;

class HashtableDeadlock {
    public static void main(String[] args) {
        Hashtable<Object, Object> one = new Hashtable<>(1);
        Hashtable<Object, Object> two = new Hashtable<>(1);
        new Thread(() -> two.equals(one)).start();
        one.equals(two);
    }
}
