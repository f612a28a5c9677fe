// A queue without a bound. Each method is one step;
// what goes through all elements is a limit.
package java.util.concurrent;

import java.io.Serializable;
import java.util.AbstractQueue;
import java.util.Iterator;
import java.util.Queue;
import tepui.Intrinsics;

public class ConcurrentLinkedQueue<E> extends AbstractQueue<E> implements Queue<E>, Serializable {
    private volatile Node<E> first;
    private volatile Node<E> last;
    private volatile int count;

    public ConcurrentLinkedQueue() {}

    @Override
    public boolean offer(E element) {
        if (element == null) {
            throw new NullPointerException();
        }
        Intrinsics.beginAtomic();
        insert(element);
        Intrinsics.endAtomic();
        return true;
    }

    @Override
    public E poll() {
        Intrinsics.beginAtomic();
        E element = count == 0 ? null : removeFirst();
        Intrinsics.endAtomic();
        return element;
    }

    @Override
    public E peek() {
        Intrinsics.beginAtomic();
        E element = count == 0 ? null : first.element;
        Intrinsics.endAtomic();
        return element;
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public boolean isEmpty() {
        return count == 0;
    }

    @Override
    public void clear() {
        Intrinsics.beginAtomic();
        while (count > 0) {
            removeFirst();
        }
        Intrinsics.endAtomic();
    }

    @Override
    public Iterator<E> iterator() {
        Intrinsics.limit("ConcurrentLinkedQueue.iterator()");
        return null;
    }

    private void insert(E element) {
        Node<E> node = new Node<>(element);
        if (count == 0) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        count++;
    }

    private E removeFirst() {
        Node<E> node = first;
        first = node.next;
        if (count == 1) {
            last = null;
        }
        count--;
        return node.element;
    }

    private static final class Node<E> {
        final E element;
        Node<E> next;

        Node(E element) {
            this.element = element;
        }
    }
}
