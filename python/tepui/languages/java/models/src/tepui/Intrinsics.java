// What models are written in: methods that have no code, and whose meaning the translator knows.
//
// A method of a model that throws an exception does so outside of atomic sections.
package tepui;

public final class Intrinsics {
    private Intrinsics() {}

    /**
     * What is between beginAtomic and endAtomic is one step. If it has to wait inside, the whole
     * section waits, and nothing of it has happened: so it waits before it writes anything. A
     * section inside of another one is part of that one.
     */
    public static native void beginAtomic();

    public static native void endAtomic();

    /**
     * Waits until the condition holds; all that it reads is read again. Who waits for some time at
     * most does not wait at all: it comes here later instead. If it were free to wait for ever, it
     * could be stuck.
     */
    public static native void await(boolean condition);

    public static native Thread currentThread();

    /**
     * The new thread calls run() of thread, and then Thread.end(thread), also where run() has ended
     * by an exception.
     */
    public static native void start(Thread thread);

    public static native boolean anyBoolean();

    public static native int anyInt();

    /** Any value from low to high, both included. */
    public static native int anyInt(int low, int high);

    public static native long anyLong();

    /** Nothing is known of runs beyond this place: the answer is «unknown», for this reason. */
    public static native void limit(String why);

    /** The path ends here as if it had never been taken. */
    public static native void stop();

    /** How often the current thread has entered the monitor of o and not left it yet. */
    public static native int monitorCount(Object o);

    /** Whether the current thread holds the monitor of o. */
    public static native boolean holdsMonitor(Object o);

    /** Gives the monitor up altogether if the current thread holds it: how often it had entered. */
    public static native int releaseMonitor(Object o);

    /**
     * Waits until nobody holds the monitor of o, then takes it count times. A monitor that no
     * monitorenter and no synchronized method can take is always free: this method is no reason
     * to give an object a monitor.
     */
    public static native void reacquireMonitor(Object o, int count);

    /** The current thread is now in the wait set of o. */
    public static native void enterWaitSet(Object o);

    public static native void leaveWaitSet(Object o);

    /** Whether the current thread is in no wait set any more. */
    public static native boolean isNotified();

    /** Takes any one thread, if there is one, out of the wait set of o. */
    public static native void notifyOne(Object o);

    /** Takes all threads out of the wait set of o. */
    public static native void notifyAll(Object o);

    /** Whether nothing is known of a string. */
    public static native boolean isOpaque(String s);

    /** A string of which nothing is known. */
    public static native String opaqueString();

    /** A string of which nothing is known, or null: who decides by that meets a limit. */
    public static native String stringOrNull();

    /** Knows nothing beyond unless a format certainly fits its arguments. */
    public static native void checkFormat(String format, Object[] values);

    /** Whether the program makes boxes by valueOf: a constant. */
    public static native boolean makesBoxes();

    /** Whether some object of the program has a toString of its own: a constant. */
    public static native boolean ownTexts();

    /** Whether what waits may go on for no reason: a constant that an option sets. */
    public static native boolean spuriousWakeups();

    /** Whether the program makes daemons: then it ends with the last thread that is none. */
    public static native boolean daemons();

    /** A new array of the same class as another one, with null in each element. */
    public static native Object[] newArrayLike(Object[] array, int length);
}
