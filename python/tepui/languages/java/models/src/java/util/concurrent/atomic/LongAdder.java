// A sum. The JDK's is spread over cells, and to read it while it changes is no single step there;
// here each method is one.
package java.util.concurrent.atomic;

import java.io.Serializable;
import tepui.Intrinsics;

public class LongAdder extends Number implements Serializable {
    private volatile long value;

    public LongAdder() {}

    public void add(long x) {
        Intrinsics.beginAtomic();
        value += x;
        Intrinsics.endAtomic();
    }

    public void increment() {
        add(1);
    }

    public void decrement() {
        add(-1);
    }

    public long sum() {
        return value;
    }

    public void reset() {
        value = 0;
    }

    public long sumThenReset() {
        Intrinsics.beginAtomic();
        long sum = value;
        value = 0;
        Intrinsics.endAtomic();
        return sum;
    }

    @Override
    public long longValue() {
        return value;
    }

    @Override
    public int intValue() {
        return (int) value;
    }

    @Override
    public float floatValue() {
        return value;
    }

    @Override
    public double doubleValue() {
        return value;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
