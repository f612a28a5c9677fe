// A queue that may have a bound, or else has none. Each method is one step;
// what goes through all elements is a limit.
package java.util.concurrent;

import java.io.Serializable;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import tepui.Intrinsics;

public class LinkedBlockingQueue<E> extends AbstractQueue<E> implements BlockingQueue<E>, Serializable {
    private final boolean bounded;
    private final int capacity;
    private volatile Node<E> first;
    private volatile Node<E> last;
    private volatile int count;

    public LinkedBlockingQueue() {
        bounded = false;
        capacity = 0;
    }

    public LinkedBlockingQueue(int capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException();
        }
        bounded = true;
        this.capacity = capacity;
    }

    @Override
    public boolean offer(E element) {
        if (element == null) {
            throw new NullPointerException();
        }
        Intrinsics.beginAtomic();
        boolean fits = !(bounded && count == capacity);
        if (fits) {
            insert(element);
        }
        Intrinsics.endAtomic();
        return fits;
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
        Intrinsics.limit("LinkedBlockingQueue.iterator()");
        return null;
    }

    @Override
    public void put(E element) throws InterruptedException {
        offer(element, false);
    }

    @Override
    public boolean offer(E element, long time, TimeUnit unit) throws InterruptedException {
        return offer(element, true);
    }

    private boolean offer(E element, boolean givesUp) throws InterruptedException {
        if (element == null) {
            throw new NullPointerException();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(givesUp || !(bounded && count == capacity) || current.interrupted);
        if (!(bounded && count == capacity)) {
            insert(element);
            Intrinsics.endAtomic();
            return true;
        }
        if (!givesUp) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
        return false;
    }

    @Override
    public E take() throws InterruptedException {
        return take(false);
    }

    @Override
    public E poll(long time, TimeUnit unit) throws InterruptedException {
        return take(true);
    }

    private E take(boolean givesUp) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(givesUp || count > 0 || current.interrupted);
        if (count > 0) {
            E element = removeFirst();
            Intrinsics.endAtomic();
            return element;
        }
        if (!givesUp) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
        return null;
    }

    @Override
    public int remainingCapacity() {
        return (bounded ? capacity : Integer.MAX_VALUE) - count;
    }

    @Override
    public int drainTo(Collection<? super E> target) {
        Intrinsics.limit("LinkedBlockingQueue.drainTo(Collection)");
        return 0;
    }

    @Override
    public int drainTo(Collection<? super E> target, int most) {
        Intrinsics.limit("LinkedBlockingQueue.drainTo(Collection, int)");
        return 0;
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
