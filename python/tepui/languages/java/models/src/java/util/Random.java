// Random numbers: any value, seeded or not.
//
// Streams are left out. The translator gives floating point numbers, of which it knows nothing.
package java.util;

import java.io.Serializable;
import tepui.Intrinsics;

public class Random implements Serializable {
    public Random() {}

    public Random(long seed) {}

    public void setSeed(long seed) {}

    protected int next(int bits) {
        if (bits == 32) {
            return Intrinsics.anyInt();
        }
        if (bits < 1 || bits > 30) {
            Intrinsics.limit("Random.next(int) of other than 1 to 30 or 32 bits");
        }
        return Intrinsics.anyInt(0, (1 << bits) - 1);
    }

    public int nextInt() {
        return Intrinsics.anyInt();
    }

    public int nextInt(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException();
        }
        return Intrinsics.anyInt(0, bound - 1);
    }

    public int nextInt(int origin, int bound) {
        if (origin >= bound) {
            throw new IllegalArgumentException();
        }
        return Intrinsics.anyInt(origin, bound - 1);
    }

    public long nextLong() {
        return Intrinsics.anyLong();
    }

    public long nextLong(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException();
        }
        return nextLong(0, bound);
    }

    public long nextLong(long origin, long bound) {
        if (origin >= bound) {
            throw new IllegalArgumentException();
        }
        long value = Intrinsics.anyLong();
        if (value < origin || value >= bound) {
            Intrinsics.stop();
        }
        return value;
    }

    public boolean nextBoolean() {
        return Intrinsics.anyBoolean();
    }

    public void nextBytes(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Intrinsics.anyInt(-128, 127);
        }
    }

    public native float nextFloat();

    public native double nextDouble();

    public native double nextGaussian();
}
