// Pools of a fixed number of threads; others are left out.
package java.util.concurrent;

import tepui.FixedPool;

public class Executors {
    private Executors() {}

    public static ExecutorService newFixedThreadPool(int threads) {
        if (threads <= 0) {
            throw new IllegalArgumentException();
        }
        return new FixedPool(threads);
    }

    public static ExecutorService newSingleThreadExecutor() {
        return new FixedPool(1);
    }
}
