// Threads. Time is not modelled: what waits for a time may end at once.
//
// Left out, and so a limit where it is called: ids, thread groups, handlers of uncaught exceptions,
// class loaders, stack traces, virtual threads and builders.
package java.lang;

import tepui.Intrinsics;

public class Thread implements Runnable {
    public static final int MIN_PRIORITY = 1;
    public static final int NORM_PRIORITY = 5;
    public static final int MAX_PRIORITY = 10;

    private final Runnable target;
    private volatile String name;
    private volatile int priority;
    private volatile boolean daemon;
    private volatile boolean started;
    private volatile boolean alive;

    /** How many threads run that are no daemons; counted only where there are daemons. */
    private static int users = 1;

    /** Whether an interrupt is pending. */
    public volatile boolean interrupted;

    /** What LockSupport.unpark gives and park takes. */
    public volatile boolean permit;

    /**
     * Whether the thread is in a queue of a model in java.util.concurrent, who is behind it, and
     * what that model notes of it.
     */
    public volatile boolean queued;

    public volatile Thread behind;
    public volatile boolean marked;

    public enum State { NEW, RUNNABLE, BLOCKED, WAITING, TIMED_WAITING, TERMINATED }

    @FunctionalInterface
    public interface UncaughtExceptionHandler {
        void uncaughtException(Thread thread, Throwable thrown);
    }

    public Thread() {
        this((ThreadGroup) null, (Runnable) null, Intrinsics.opaqueString());
    }

    public Thread(Runnable target) {
        this((ThreadGroup) null, target, Intrinsics.opaqueString());
    }

    public Thread(ThreadGroup group, Runnable target) {
        this(group, target, Intrinsics.opaqueString());
    }

    public Thread(String name) {
        this((ThreadGroup) null, (Runnable) null, name);
    }

    public Thread(ThreadGroup group, String name) {
        this(group, (Runnable) null, name);
    }

    public Thread(Runnable target, String name) {
        this((ThreadGroup) null, target, name);
    }

    public Thread(ThreadGroup group, Runnable target, String name) {
        if (name == null) {
            throw new NullPointerException();
        }
        Thread parent = Intrinsics.currentThread();
        this.target = target;
        this.name = name;
        priority = parent.priority;
        daemon = parent.daemon;
    }

    public Thread(ThreadGroup group, Runnable target, String name, long stackSize) {
        this(group, target, name);
    }

    public Thread(
            ThreadGroup group,
            Runnable target,
            String name,
            long stackSize,
            boolean inheritThreadLocals) {
        this(group, target, name);
    }

    private Thread(boolean started) {
        target = null;
        name = "main";
        priority = NORM_PRIORITY;
        this.started = started;
        alive = started;
    }

    /** The thread in which a program begins. */
    static Thread main() {
        return new Thread(true);
    }

    /** What a thread does after run(): it has the monitor of the thread then. */
    static void end(Thread thread) {
        if (Intrinsics.daemons()) {
            Intrinsics.beginAtomic();
            int left = thread.daemon ? users : users - 1;
            users = left;
            Intrinsics.endAtomic();
            if (left == 0) {
                Intrinsics.stop();
            }
        }
        Intrinsics.beginAtomic();
        Intrinsics.reacquireMonitor(thread, 1);
        thread.alive = false;
        Intrinsics.notifyAll(thread);
        Intrinsics.releaseMonitor(thread);
        Intrinsics.endAtomic();
    }

    public static Thread currentThread() {
        return Intrinsics.currentThread();
    }

    public void start() {
        Intrinsics.beginAtomic();
        if (started) {
            Intrinsics.endAtomic();
            throw new IllegalThreadStateException();
        }
        started = true;
        alive = true;
        if (Intrinsics.daemons() && !daemon) {
            users++;
        }
        Intrinsics.start(this);
        Intrinsics.endAtomic();
    }

    @Override
    public void run() {
        if (target != null) {
            target.run();
        }
    }

    /** Gives up the monitor of this thread while it waits, as the JDK promises. */
    public final void join() throws InterruptedException {
        Thread current = Intrinsics.currentThread();
        int count = Intrinsics.releaseMonitor(this);
        Intrinsics.beginAtomic();
        Intrinsics.await(!alive || current.interrupted);
        Intrinsics.reacquireMonitor(this, count == 0 ? 1 : count);
        if (count == 0) {
            Intrinsics.releaseMonitor(this);
        }
        if (alive) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
    }

    public final void join(long millis) throws InterruptedException {
        if (millis < 0) {
            throw new IllegalArgumentException();
        }
        if (millis == 0) {
            join();
            return;
        }
        Thread current = Intrinsics.currentThread();
        int count = Intrinsics.releaseMonitor(this);
        Intrinsics.beginAtomic();
        Intrinsics.reacquireMonitor(this, count == 0 ? 1 : count);
        if (count == 0) {
            Intrinsics.releaseMonitor(this);
        }
        if (alive && current.interrupted) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
    }

    public final void join(long millis, int nanos) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999999) {
            throw new IllegalArgumentException();
        }
        join(millis == 0 && nanos > 0 ? 1 : millis);
    }

    public static void sleep(long millis) throws InterruptedException {
        if (millis < 0) {
            throw new IllegalArgumentException();
        }
        if (interrupted()) {
            throw new InterruptedException();
        }
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        if (nanos < 0 || nanos > 999999) {
            throw new IllegalArgumentException();
        }
        sleep(millis);
    }

    public static void yield() {}

    public static void onSpinWait() {}

    public void interrupt() {
        interrupted = true;
    }

    public boolean isInterrupted() {
        return interrupted;
    }

    public static boolean interrupted() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        boolean was = current.interrupted;
        current.interrupted = false;
        Intrinsics.endAtomic();
        return was;
    }

    public final boolean isAlive() {
        return alive;
    }

    public State getState() {
        Intrinsics.beginAtomic();
        boolean begun = started;
        boolean lives = alive;
        Intrinsics.endAtomic();
        if (!begun) {
            return State.NEW;
        }
        if (lives) {
            Intrinsics.limit("Thread.getState() of a thread that runs");
        }
        return State.TERMINATED;
    }

    public final void setDaemon(boolean on) {
        Intrinsics.beginAtomic();
        if (alive) {
            Intrinsics.endAtomic();
            throw new IllegalThreadStateException();
        }
        daemon = on;
        Intrinsics.endAtomic();
    }

    public final boolean isDaemon() {
        return daemon;
    }

    public final boolean isVirtual() {
        return false;
    }

    public final void setName(String name) {
        if (name == null) {
            throw new NullPointerException();
        }
        this.name = name;
    }

    public final String getName() {
        return name;
    }

    public final void setPriority(int priority) {
        if (priority < MIN_PRIORITY || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException();
        }
        this.priority = priority;
    }

    public final int getPriority() {
        return priority;
    }

    public static boolean holdsLock(Object o) {
        if (o == null) {
            throw new NullPointerException();
        }
        return Intrinsics.holdsMonitor(o);
    }

    public static void dumpStack() {}

    public final void checkAccess() {}

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
