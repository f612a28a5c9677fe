import java.util.Random;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.function.IntSupplier;

/**
 * Corners of Java in which it is easy to be wrong. The first word of a method says what holds:
 * `safe` (no violation, no deadlock), `violated`, `deadlock`, or `open` (nobody may claim it).
 */
public class Traps {
    static int n;
    static volatile boolean flag, go;
    static final Object[] objects = new Object[2];

    static int mixed(int number) { n = n * 10 + number; return number; }

    static int same(int number) { return number; }

    // Values that lie on the stack while something else is computed.

    static class Counter {
        int count = 65;

        int next(int more) { return count++ + same(more); }

        int get() { return count; }
    }

    static void safeOldValueOfAFieldBelowACall() { assert new Counter().next(1) == 66; }

    static void violatedOldValueOfAFieldBelowACall() { assert new Counter().next(1) == 2; }

    static void safeSumBelowACall() {
        n = 1;
        int sum = (n & 3) + 16 * (n & 3) + 64 * (same(0) & 3);
        assert sum == 17;
    }

    static void safeNewObjectIsCaptured() {
        for (int i = 0; i < 2; i++) {
            IntSupplier supplier = new Counter()::get;
            assert supplier.getAsInt() == 65;
        }
    }

    static void violatedNewObjectIsCaptured() {
        for (int i = 0; i < 2; i++) {
            IntSupplier supplier = new Counter()::get;
            assert supplier.getAsInt() == 66;
        }
    }

    static void safeCapturedNumber() {
        int number = same(5);
        IntSupplier supplier = () -> number;
        assert supplier.getAsInt() == 5;
    }

    // Which objects are the same.

    static Object trouble() { return new RuntimeException(); }

    static void openExceptionsOfOneSiteAreTwo() { assert trouble() == trouble(); }

    static void openComputedStringsAreTwo() { assert (Object) ("a" + n) == "b" + n; }

    static void openMonitorsOfExceptionsAreTwo() throws InterruptedException {
        for (int i = 0; i < 2; i++) objects[i] = trouble();
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Object own = objects[i];
            threads[i] = new Thread(() -> {
                synchronized (own) { int old = n; n = old + 1; }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        assert n == 2;
    }

    // Arrays.

    static void safeClones() {
        int[] numbers = {1, 2};
        int[] copy = numbers.clone();
        copy[0] = 5;
        assert numbers[0] == 1 && copy[1] == 2;
        Counter[] counters = {new Counter()};
        assert counters.clone()[0] == counters[0];
    }

    static void safeCloneKeepsItsClass() {
        Object[] texts = new String[1];
        try {
            texts.clone()[0] = 1;
            assert false;
        } catch (ArrayStoreException expected) {
            n = 1;
        }
        assert n == 1;
    }

    static void safeArraysOfArraysAreArraysOfObjects() {
        Object numbers = new int[2][2];
        assert numbers instanceof Object[] && numbers instanceof Cloneable[];
        assert !(numbers instanceof int[]);
        assert ((Object[]) numbers).length == 2;
    }

    static void safeArraysOfComputedLengths() {
        int rows = same(2), columns = same(3);
        int[][] numbers = new int[rows][columns];
        numbers[1][2] = 5;
        assert numbers.length == 2 && numbers[0].length == 3 && numbers[0] != numbers[1];
        assert numbers[0][2] == 0 && numbers[1][2] == 5;
        assert new int[same(0)][columns].length == 0;
        Object[][][] objects = new Object[2][rows][];
        assert objects[1][1] == null && objects[0] != objects[1];
        try {
            numbers = new int[0][same(-1)];
            assert false;
        } catch (NegativeArraySizeException expected) {
            n = 1;
        }
        assert n == 1;
    }

    static void violatedArraysOfComputedLengths() {
        int[][] numbers = new int[same(2)][same(2)];
        numbers[1][same(2)] = 5;
    }

    // Records.

    record Pair(int number, Object object, long wide, boolean yes) {}

    record Asking(Object object) {}

    static class Told {
        public String toString() { mixed(1); return "told"; }

        public boolean equals(Object other) { mixed(2); return other instanceof Told; }

        public int hashCode() { return 7; }
    }

    static void safeRecords() {
        Object object = new Object();
        Pair pair = new Pair(1, object, 1L << 40, true);
        assert pair.equals(new Pair(1, object, 1L << 40, true));
        assert !pair.equals(new Pair(2, object, 1L << 40, true)) && !pair.equals(null);
        assert !pair.equals(new Pair(1, null, 1L << 40, true)) && !pair.equals(object);
        assert !pair.equals(new Pair(1, object, 1, true));
        assert new Pair(1, null, 3, true).hashCode() == 31115;
        assert new Asking(new Told()).equals(new Asking(new Told())) && n == 2;
        assert new Asking(new Told()).hashCode() == 7 && new Asking(null).hashCode() == 0;
        new Asking(new Told()).toString();
        assert n == 21;
    }

    static void violatedRecords() {
        assert new Pair(1, null, 3, true).equals(new Pair(1, null, 3, false));
    }

    // When classes are initialised (JVMS 5.5).

    interface WithDefault {
        int SEEN = mixed(3);

        default void something() {}
    }

    interface Without extends WithDefault {
        int SEEN_TOO = mixed(7);
    }

    static class Implementing implements Without {
        static int seen = mixed(6);

        static void something(int number) {}
    }

    static void safeSuperinterfacesWithDefaultMethods() {
        Implementing.something(1);
        assert n == 36;
    }

    static class Holder {
        static final Counter counter = new Counter();
    }

    static class Reading {
        static int count = Holder.counter.count;
    }

    static class Writing {
        static int number;

        static { Holder.counter.count = 7; }
    }

    static void safeInitialiserReadsWhatWasWritten() {
        Holder.counter.count = 5;
        assert Reading.count == 5;
    }

    static void safeInitialiserWritesLate() {
        Holder.counter.count = 3;
        Writing.number = 1;
        assert Holder.counter.count == 7;
    }

    static class Failing {
        static int[] numbers = new int[-1];

        static void something() {}
    }

    static void safeInitialiserThatNobodyNeeds() { if (n == 1) Failing.something(); }

    static void safeFailedInitialiser() {
        for (int i = 0; i < 2; i++) {
            try {
                Failing.something();
                assert false;
            } catch (ExceptionInInitializerError first) {
                mixed(1);
            } catch (NoClassDefFoundError second) {
                mixed(2);
            }
        }
        assert n == 12;
    }

    static class Above {
        static int number;

        static { Below.something(); flag = true; number = n + 1; }
    }

    static class Below extends Above {
        static int other = n + 3;

        static void something() {}

        static int ofAbove() { return Above.number; }
    }

    static void safeSubclassWaitsForItsSuperclass() throws InterruptedException {
        Thread thread = new Thread(() -> { int seen = Above.number; });
        thread.start();
        while (!flag);
        assert Below.ofAbove() == 1;
        thread.join();
    }

    static class Slow {
        static int number;

        static { Quick.something(); flag = true; while (!go); number = n + 1; }
    }

    static class Quick extends Slow {
        static void something() {}
    }

    static void safeSubclassIsDoneBeforeItsSuperclass() throws InterruptedException {
        Thread thread = new Thread(() -> { int seen = Slow.number; });
        thread.start();
        while (!flag);
        Quick.something();
        go = true;
        thread.join();
    }

    static class Joining {
        static int number;

        static {
            Thread thread = new Thread(() -> number = 1);
            thread.start();
            try { thread.join(); } catch (InterruptedException e) { n = 1; }
        }
    }

    static void deadlockLambdaOfAClassInProgress() { Joining.number = 2; }

    // Threads.

    static void waitForEver() {
        synchronized (objects) {
            try { objects.wait(); } catch (InterruptedException e) { n = 1; }
        }
    }

    static void safeDaemonsWaitForEver() {
        Thread thread = new Thread(Traps::waitForEver);
        thread.setDaemon(true);
        thread.start();
    }

    static void deadlockOthersWaitForEver() { new Thread(Traps::waitForEver).start(); }

    static void safeInterruptEndsAWait() throws InterruptedException {
        Thread thread = new Thread(Traps::waitForEver);
        thread.start();
        thread.interrupt();
        thread.join();
        assert n == 1;
    }

    static void deadlockWaitKeepsTheOuterMonitor() throws InterruptedException {
        Thread thread = new Thread(() -> {
            synchronized (Traps.class) { synchronized (objects) { flag = true; objects.notify(); } }
        });
        synchronized (Traps.class) {
            synchronized (objects) {
                thread.start();
                while (!flag) objects.wait();
            }
        }
    }

    static void deadlockJoinOfItself() throws InterruptedException { Thread.currentThread().join(); }

    static void violatedStartTwice() {
        Thread thread = new Thread(() -> {});
        thread.start();
        thread.start();
    }

    static void safeExceptionLeavesMonitors() {
        try {
            synchronized (objects) { synchronized (objects) { throw new RuntimeException(); } }
        } catch (RuntimeException expected) {
            assert !Thread.holdsLock(objects);
        }
        try {
            objects.notify();
            assert false;
        } catch (IllegalMonitorStateException expected) {
            n = 1;
        }
        assert n == 1;
    }

    static void safeWaitingForSomeTimeEnds() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        assert !semaphore.tryAcquire(1, TimeUnit.SECONDS);
        CountDownLatch latch = new CountDownLatch(1);
        assert !latch.await(1, TimeUnit.SECONDS);
        BlockingQueue<Object> queue = new ArrayBlockingQueue<>(1);
        assert queue.poll(1, TimeUnit.SECONDS) == null && queue.offer(latch, 1, TimeUnit.SECONDS);
        assert !queue.offer(latch, 1, TimeUnit.SECONDS);
        assert new LinkedBlockingQueue<Object>().poll(1, TimeUnit.SECONDS) == null;
        ReentrantReadWriteLock locks = new ReentrantReadWriteLock();
        assert locks.readLock().tryLock(1, TimeUnit.SECONDS);
        assert !locks.writeLock().tryLock(1, TimeUnit.SECONDS);
    }

    static void safeWaitingForALockEnds() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        Thread thread = new Thread(() -> {
            try { flag = lock.tryLock(1, TimeUnit.SECONDS); } catch (InterruptedException e) { n = 1; }
        });
        thread.start();
        thread.join();
        assert !flag && n == 0;
    }

    static void violatedInterruptedWhileItWaitsForSomeTime() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Thread thread = new Thread(() -> {
            try { semaphore.tryAcquire(1, TimeUnit.SECONDS); } catch (InterruptedException e) { n = 1; }
        });
        thread.start();
        thread.interrupt();
        thread.join();
        assert n == 0;
    }

    // Input.

    static void safeInputInARange() {
        int number = new Random().nextInt(10);
        assert number >= 0 && number < 10;
    }

    static void openInputOf32Bits() { assert new Random().nextInt() / 100 < 100; }
}
