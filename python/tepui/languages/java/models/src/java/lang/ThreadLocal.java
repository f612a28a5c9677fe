// A variable of each thread: a list of its values, of which a thread touches only its own.
package java.lang;

import java.util.function.Supplier;
import tepui.Intrinsics;

public class ThreadLocal<T> {
    private volatile Value<T> values;

    public ThreadLocal() {}

    public static <S> ThreadLocal<S> withInitial(Supplier<? extends S> supplier) {
        return new Supplied<>(supplier);
    }

    protected T initialValue() {
        return null;
    }

    public T get() {
        Value<T> value = ownValue();
        if (!value.set) {
            value.content = initialValue();
            value.set = true;
        }
        return value.content;
    }

    public void set(T content) {
        Value<T> value = ownValue();
        value.content = content;
        value.set = true;
    }

    public void remove() {
        Value<T> value = ownValue();
        value.content = null;
        value.set = false;
    }

    private Value<T> ownValue() {
        Thread current = Intrinsics.currentThread();
        Intrinsics.beginAtomic();
        Value<T> value = values;
        while (value != null && value.thread != current) {
            value = value.next;
        }
        if (value == null) {
            value = new Value<>(current, values);
            values = value;
        }
        Intrinsics.endAtomic();
        return value;
    }

    private static final class Value<T> {
        final Thread thread;
        final Value<T> next;
        T content;
        boolean set;

        Value(Thread thread, Value<T> next) {
            this.thread = thread;
            this.next = next;
        }
    }

    private static final class Supplied<T> extends ThreadLocal<T> {
        private final Supplier<? extends T> supplier;

        Supplied(Supplier<? extends T> supplier) {
            if (supplier == null) {
                throw new NullPointerException();
            }
            this.supplier = supplier;
        }

        @Override
        protected T initialValue() {
            return supplier.get();
        }
    }
}
