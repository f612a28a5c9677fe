// A lock of many readers or one writer.
//
// Threads wait in a queue, first come first served, as the JDK does it: a reader that comes new
// waits behind a writer that waits first (a fair lock: behind anybody), though it could read. That
// can be seen, as it may end in a deadlock. Conditions of the write lock are a limit, as is what
// the JDK says of its queue.
package java.util.concurrent.locks;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import tepui.Intrinsics;
import tepui.ThreadQueue;

public class ReentrantReadWriteLock implements ReadWriteLock, Serializable {
    private volatile Thread writer;
    private volatile int writes;
    private volatile int reads;
    private volatile Reader readers;
    private final ThreadQueue queue = new ThreadQueue();
    private final boolean fair;
    private final ReadLock readLock;
    private final WriteLock writeLock;

    public ReentrantReadWriteLock() {
        this(false);
    }

    public ReentrantReadWriteLock(boolean fair) {
        this.fair = fair;
        readLock = new ReadLock(this);
        writeLock = new WriteLock(this);
    }

    @Override
    public ReadLock readLock() {
        return readLock;
    }

    @Override
    public WriteLock writeLock() {
        return writeLock;
    }

    public final boolean isFair() {
        return fair;
    }

    protected Thread getOwner() {
        return writer;
    }

    public int getReadLockCount() {
        return reads;
    }

    public boolean isWriteLocked() {
        return writer != null;
    }

    public boolean isWriteLockedByCurrentThread() {
        return writer == Intrinsics.currentThread();
    }

    public int getWriteHoldCount() {
        Intrinsics.beginAtomic();
        int count = writer == Intrinsics.currentThread() ? writes : 0;
        Intrinsics.endAtomic();
        return count;
    }

    public int getReadHoldCount() {
        Intrinsics.beginAtomic();
        int count = readsOf(Intrinsics.currentThread());
        Intrinsics.endAtomic();
        return count;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }

    /** Takes the lock, or comes into the queue: one step. */
    private boolean takes(Thread current, boolean writing) {
        Intrinsics.beginAtomic();
        boolean free;
        if (writer == current) {
            free = true;
        } else if (writing) {
            free = writer == null && reads == 0 && (!fair || queue.first == null);
        } else if (writer != null) {
            free = false;
        } else {
            Thread first = queue.first;
            free = first == null || !fair && !first.marked || readsOf(current) > 0;
        }
        if (free) {
            take(current, writing);
        } else {
            queue.add(current, writing);
        }
        Intrinsics.endAtomic();
        return free;
    }

    private boolean isTurn(Thread current, boolean writing) {
        return queue.first == current && writer == null && (!writing || reads == 0);
    }

    void lock(boolean writing) {
        Thread current = Intrinsics.currentThread();
        if (takes(current, writing)) {
            return;
        }
        Intrinsics.beginAtomic();
        Intrinsics.await(isTurn(current, writing));
        queue.removeFirst();
        take(current, writing);
        Intrinsics.endAtomic();
    }

    /** Whether it has the lock; if it waits at most for some time, it may give up at once. */
    boolean lockInterruptibly(boolean writing, boolean timed) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread current = Intrinsics.currentThread();
        if (takes(current, writing)) {
            return true;
        }
        Intrinsics.beginAtomic();
        Intrinsics.await(timed || current.interrupted || isTurn(current, writing));
        if (isTurn(current, writing)) {
            queue.removeFirst();
            take(current, writing);
            Intrinsics.endAtomic();
            return true;
        }
        queue.remove(current);
        // If the time was over before the interrupt, it stays pending.
        boolean interrupted = current.interrupted && (!timed || Intrinsics.anyBoolean());
        if (interrupted) {
            current.interrupted = false;
        }
        Intrinsics.endAtomic();
        if (interrupted) {
            throw new InterruptedException();
        }
        return false;
    }

    boolean tryLock(boolean writing) {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        boolean free = writer == current || writer == null && (!writing || reads == 0);
        if (free) {
            take(current, writing);
        }
        Intrinsics.endAtomic();
        return free;
    }

    private void take(Thread current, boolean writing) {
        if (writing) {
            writer = current;
            writes++;
        } else {
            Reader reader = readers;
            while (reader != null && reader.thread != current) {
                reader = reader.next;
            }
            if (reader == null) {
                reader = new Reader(current, readers);
                readers = reader;
            }
            reader.count++;
            reads++;
        }
    }

    private int readsOf(Thread thread) {
        for (Reader reader = readers; reader != null; reader = reader.next) {
            if (reader.thread == thread) {
                return reader.count;
            }
        }
        return 0;
    }

    void endWriting() {
        if (writer != Intrinsics.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        Intrinsics.beginAtomic();
        writes--;
        if (writes == 0) {
            writer = null;
        }
        Intrinsics.endAtomic();
    }

    void endReading() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Reader reader = readers;
        while (reader != null && reader.thread != current) {
            reader = reader.next;
        }
        if (reader == null || reader.count == 0) {
            Intrinsics.endAtomic();
            throw new IllegalMonitorStateException();
        }
        reader.count--;
        reads--;
        Intrinsics.endAtomic();
    }

    /** How often a thread reads; it stays when that is 0. */
    private static final class Reader {
        final Thread thread;
        final Reader next;
        volatile int count;

        Reader(Thread thread, Reader next) {
            this.thread = thread;
            this.next = next;
        }
    }

    public static class ReadLock implements Lock, Serializable {
        private final ReentrantReadWriteLock both;

        protected ReadLock(ReentrantReadWriteLock both) {
            this.both = both;
        }

        @Override
        public void lock() {
            both.lock(false);
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            both.lockInterruptibly(false, false);
        }

        @Override
        public boolean tryLock() {
            return both.tryLock(false);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            if (unit == null) {
                throw new NullPointerException();
            }
            return both.lockInterruptibly(false, true);
        }

        @Override
        public void unlock() {
            both.endReading();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String toString() {
            return Intrinsics.opaqueString();
        }
    }

    public static class WriteLock implements Lock, Serializable {
        private final ReentrantReadWriteLock both;

        protected WriteLock(ReentrantReadWriteLock both) {
            this.both = both;
        }

        @Override
        public void lock() {
            both.lock(true);
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            both.lockInterruptibly(true, false);
        }

        @Override
        public boolean tryLock() {
            return both.tryLock(true);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            if (unit == null) {
                throw new NullPointerException();
            }
            return both.lockInterruptibly(true, true);
        }

        @Override
        public void unlock() {
            both.endWriting();
        }

        @Override
        public Condition newCondition() {
            Intrinsics.limit("ReentrantReadWriteLock.WriteLock.newCondition()");
            return null;
        }

        public boolean isHeldByCurrentThread() {
            return both.isWriteLockedByCurrentThread();
        }

        public int getHoldCount() {
            return both.getWriteHoldCount();
        }

        @Override
        public String toString() {
            return Intrinsics.opaqueString();
        }
    }
}
