// Random numbers: any value.
package java.util.concurrent;

import java.util.Random;

public final class ThreadLocalRandom extends Random {
    private static final ThreadLocalRandom ANY = new ThreadLocalRandom();

    private ThreadLocalRandom() {}

    public static ThreadLocalRandom current() {
        return ANY;
    }

    @Override
    public void setSeed(long seed) {
        throw new UnsupportedOperationException();
    }
}
