// A binary search tree with inserters and searchers, keys of 2 bits, and as many threads as the name
// of a method says. What is inserted is found. Our own source, as that of Suwimonteerabuth, Esparza
// and Schwoon (SPIN 2008, section 5.3) is not public; examples/java/SearchTree.java explains it.

import java.util.Random;

class TreeTest {
    static class Node {
        final int key;
        volatile Node left;
        volatile Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private final Node root = new Node(1);

    private void insert(int key) {
        Node at = root;
        while (at.key != key) {
            Node next = key < at.key ? at.left : at.right;
            if (next == null) {
                next = add(at, key);
            }
            at = next;
        }
    }

    private static Node add(Node at, int key) {
        synchronized (at) {
            if (key < at.key) {
                if (at.left == null) {
                    at.left = new Node(key);
                }
                return at.left;
            }
            if (at.right == null) {
                at.right = new Node(key);
            }
            return at.right;
        }
    }

    private boolean contains(int key) {
        Node at = root;
        while (at != null && at.key != key) {
            at = key < at.key ? at.left : at.right;
        }
        return at != null;
    }

    private static int anyKey() {
        return new Random().nextInt(4);
    }

    private void inserts() {
        int key = anyKey();
        insert(key);
        assert contains(key);
    }

    private void searches() {
        contains(anyKey());
        assert contains(1);
    }

    static void insert1Search1() {
        TreeTest tree = new TreeTest();
        new Thread(tree::searches).start();
        tree.inserts();
    }

    static void insert2Search1() {
        TreeTest tree = new TreeTest();
        new Thread(tree::searches).start();
        new Thread(tree::inserts).start();
        tree.inserts();
    }

    static void insert2Search2() {
        TreeTest tree = new TreeTest();
        new Thread(tree::searches).start();
        new Thread(tree::searches).start();
        new Thread(tree::inserts).start();
        tree.inserts();
    }
}
