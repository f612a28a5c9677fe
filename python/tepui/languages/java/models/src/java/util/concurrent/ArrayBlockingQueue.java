// A queue of bounded length. Each method is one step;
// what goes through all elements is a limit.
package java.util.concurrent;

import java.io.Serializable;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import tepui.Intrinsics;

public class ArrayBlockingQueue<E> extends AbstractQueue<E> implements BlockingQueue<E>, Serializable {
    private final E[] elements;
    private volatile int first;
    private volatile int count;

    public ArrayBlockingQueue(int capacity) {
        this(capacity, false);
    }

    @SuppressWarnings("unchecked")
    public ArrayBlockingQueue(int capacity, boolean fair) {
        if (capacity <= 0) {
            throw new IllegalArgumentException();
        }
        elements = (E[]) new Object[capacity];
    }

    @Override
    public boolean offer(E element) {
        if (element == null) {
            throw new NullPointerException();
        }
        Intrinsics.beginAtomic();
        boolean fits = !(count == elements.length);
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
        E element = count == 0 ? null : elements[first];
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
        Intrinsics.limit("ArrayBlockingQueue.iterator()");
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
        Intrinsics.await(givesUp || !(count == elements.length) || current.interrupted);
        if (!(count == elements.length)) {
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
        return elements.length - count;
    }

    @Override
    public int drainTo(Collection<? super E> target) {
        Intrinsics.limit("ArrayBlockingQueue.drainTo(Collection)");
        return 0;
    }

    @Override
    public int drainTo(Collection<? super E> target, int most) {
        Intrinsics.limit("ArrayBlockingQueue.drainTo(Collection, int)");
        return 0;
    }

    private void insert(E element) {
        int at = first + count;
        elements[at >= elements.length ? at - elements.length : at] = element;
        count++;
    }

    private E removeFirst() {
        E element = elements[first];
        elements[first] = null;
        first = first + 1 == elements.length ? 0 : first + 1;
        count--;
        return element;
    }
}
