// A task whose result others can wait for.
package java.util.concurrent;

import tepui.Intrinsics;

public class FutureTask<V> implements RunnableFuture<V> {
    private static final int NEW = 0;
    private static final int DONE = 1;
    private static final int FAILED = 2;
    private static final int CANCELLED = 3;

    private final Callable<V> callable;
    private final Runnable runnable;
    private volatile int state;
    private volatile Thread runner;
    private V result;

    public FutureTask(Callable<V> callable) {
        if (callable == null) {
            throw new NullPointerException();
        }
        this.callable = callable;
        runnable = null;
    }

    public FutureTask(Runnable runnable, V result) {
        if (runnable == null) {
            throw new NullPointerException();
        }
        this.runnable = runnable;
        this.result = result;
        callable = null;
    }

    @Override
    public void run() {
        Intrinsics.beginAtomic();
        boolean runs = state == NEW && runner == null;
        if (runs) {
            runner = Intrinsics.currentThread();
        }
        Intrinsics.endAtomic();
        if (!runs) {
            return;
        }
        int next = DONE;
        V value = result;
        try {
            if (runnable != null) {
                runnable.run();
            } else {
                value = callable.call();
            }
        } catch (Throwable thrown) {
            next = FAILED;
        }
        end(next, value);
    }

    private void end(int next, V value) {
        Intrinsics.beginAtomic();
        runner = null;
        boolean ends = state == NEW;
        if (ends) {
            result = value;
            state = next;
        }
        Intrinsics.endAtomic();
        if (ends) {
            done();
        }
    }

    protected void done() {}

    @Override
    public boolean cancel(boolean interrupts) {
        Intrinsics.beginAtomic();
        boolean cancels = state == NEW;
        if (cancels) {
            state = CANCELLED;
            if (interrupts && runner != null) {
                runner.interrupted = true;
            }
        }
        Intrinsics.endAtomic();
        if (cancels) {
            done();
        }
        return cancels;
    }

    @Override
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    @Override
    public boolean isDone() {
        return state != NEW;
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        waitForEnd(false);
        return report();
    }

    @Override
    public V get(long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (unit == null) {
            throw new NullPointerException();
        }
        if (!waitForEnd(true)) {
            throw new TimeoutException();
        }
        return report();
    }

    private boolean waitForEnd(boolean givesUp) throws InterruptedException {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Intrinsics.await(givesUp || state != NEW || current.interrupted);
        boolean ended = state != NEW;
        if (!ended && current.interrupted) {
            current.interrupted = false;
            Intrinsics.endAtomic();
            throw new InterruptedException();
        }
        Intrinsics.endAtomic();
        return ended;
    }

    private V report() throws ExecutionException {
        if (state == CANCELLED) {
            throw new CancellationException();
        }
        if (state == FAILED) {
            throw new ExecutionException((Throwable) null);
        }
        return result;
    }
}
