// What Executors.newFixedThreadPool gives. As in the JDK, the first tasks get threads of their own,
// and later ones wait in a queue.
package tepui;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

public final class FixedPool implements ExecutorService {
    private final int most;
    private volatile int workers;
    private volatile int alive;
    private volatile boolean shut;
    private volatile Waiting first;
    private volatile Waiting last;

    public FixedPool(int most) {
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        if (task == null) {
            throw new NullPointerException();
        }
        Intrinsics.beginAtomic();
        if (shut) {
            Intrinsics.endAtomic();
            throw new RejectedExecutionException();
        }
        boolean isNew = workers < most;
        if (isNew) {
            workers++;
            alive++;
        } else {
            Waiting waiting = new Waiting(task);
            if (first == null) {
                first = waiting;
            } else {
                last.next = waiting;
            }
            last = waiting;
        }
        Intrinsics.endAtomic();
        if (isNew) {
            new Worker(this, task).start();
        }
    }

    /** The next task, or null if the pool is shut down and there is none. */
    private Runnable next() {
        Intrinsics.beginAtomic();
        Intrinsics.await(first != null || shut);
        Runnable task = null;
        if (first != null) {
            task = first.task;
            first = first.next;
            if (first == null) {
                last = null;
            }
        }
        Intrinsics.endAtomic();
        return task;
    }

    private void end() {
        Intrinsics.beginAtomic();
        alive--;
        Intrinsics.endAtomic();
    }

    @Override
    public <T> Future<T> submit(Callable<T> callable) {
        FutureTask<T> task = new FutureTask<>(callable);
        execute(task);
        return task;
    }

    @Override
    public <T> Future<T> submit(Runnable runnable, T result) {
        FutureTask<T> task = new FutureTask<>(runnable, result);
        execute(task);
        return task;
    }

    @Override
    public Future<?> submit(Runnable runnable) {
        FutureTask<Void> task = new FutureTask<>(runnable, null);
        execute(task);
        return task;
    }

    @Override
    public void shutdown() {
        shut = true;
    }

    @Override
    public boolean isShutdown() {
        return shut;
    }

    @Override
    public boolean isTerminated() {
        return shut && alive == 0;
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new NullPointerException();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Intrinsics.beginAtomic();
        boolean ended = shut && alive == 0;
        Intrinsics.endAtomic();
        return ended;
    }

    @Override
    public List<Runnable> shutdownNow() {
        Intrinsics.limit("ExecutorService.shutdownNow()");
        return null;
    }

    public void close() {
        Intrinsics.limit("ExecutorService.close()");
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) {
        Intrinsics.limit("ExecutorService.invokeAll(Collection)");
        return null;
    }

    @Override
    public <T> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> tasks, long time, TimeUnit unit) {
        Intrinsics.limit("ExecutorService.invokeAll(Collection, long, TimeUnit)");
        return null;
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks) {
        Intrinsics.limit("ExecutorService.invokeAny(Collection)");
        return null;
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long time, TimeUnit unit) {
        Intrinsics.limit("ExecutorService.invokeAny(Collection, long, TimeUnit)");
        return null;
    }

    private static final class Waiting {
        final Runnable task;
        Waiting next;

        Waiting(Runnable task) {
            this.task = task;
        }
    }

    private static final class Worker extends Thread {
        private final FixedPool pool;
        private final Runnable task;

        Worker(FixedPool pool, Runnable task) {
            this.pool = pool;
            this.task = task;
        }

        @Override
        public void run() {
            Runnable next = task;
            while (next != null) {
                next.run();
                next = pool.next();
            }
            pool.end();
        }
    }
}
