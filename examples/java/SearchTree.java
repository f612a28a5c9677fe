// A binary search tree with locks on its nodes, two inserters of any keys of 2 bits, and a searcher.
//
// Expected: safe
//
// An inserter locks one node at a time. A child that is there stays there, so a searcher needs no
// lock to find its way, and what was inserted before it began is found. Our own source, after the
// description by Suwimonteerabuth, Esparza and Schwoon (SPIN 2008, section 5.3).

import java.util.Random;

class SearchTree {
    static class Node {
        final int key;
        volatile Node left;
        volatile Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private final Node root = new Node(1);

    void insert(int key) {
        Node at = root;
        while (at.key != key) {
            Node next = key < at.key ? at.left : at.right;
            if (next == null) {
                next = add(at, key);
            }
            at = next;
        }
    }

    /** The child of a node on the side of a key, made now if there is still none. */
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

    boolean contains(int key) {
        Node at = root;
        while (at != null && at.key != key) {
            at = key < at.key ? at.left : at.right;
        }
        return at != null;
    }

    public static void main(String[] args) {
        SearchTree tree = new SearchTree();
        int first = new Random().nextInt(4);
        int second = new Random().nextInt(4);
        new Thread(() -> tree.insert(second)).start();
        new Thread(() -> {
            tree.contains(second);
            assert tree.contains(1);
        }).start();
        tree.insert(first);
        assert tree.contains(first);
    }
}
