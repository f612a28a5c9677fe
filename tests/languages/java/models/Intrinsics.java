// The intrinsics of the models on a real JVM with one thread: what would have to wait for another
// thread throws Blocked, what is not known throws Limit.
package tepui;

import java.util.Random;
import models.lang.Thread;

public final class Intrinsics {
    public static final class Blocked extends Error {}

    public static final class Limit extends Error {
        Limit(String why) {
            super(why);
        }
    }

    public static final Random RANDOM = new Random(7);

    private static int depth;
    private static Thread thread;

    public static void beginAtomic() {
        depth++;
    }

    public static void endAtomic() {
        depth--;
    }

    /** Whether each section that began has ended, but for those in which something had to wait. */
    public static void checkBalance() {
        if (depth != 0) {
            throw new AssertionError("an atomic section is left without its end");
        }
    }

    public static void await(boolean condition) {
        if (!condition) {
            depth = 0;
            throw new Blocked();
        }
    }

    public static Thread currentThread() {
        if (thread == null) {
            thread = Thread.forTest();
        }
        return thread;
    }

    public static void start(Thread thread) {}

    public static boolean anyBoolean() {
        return RANDOM.nextBoolean();
    }

    public static int anyInt() {
        return RANDOM.nextInt();
    }

    public static int anyInt(int low, int high) {
        return (int) (low + Math.floorMod(RANDOM.nextLong(), (long) high - low + 1));
    }

    public static long anyLong() {
        return RANDOM.nextLong();
    }

    public static void limit(String why) {
        depth = 0;
        throw new Limit(why);
    }

    public static void stop() {
        limit("a path that is none");
    }

    public static int monitorCount(Object o) {
        return 0;
    }

    public static boolean holdsMonitor(Object o) {
        return java.lang.Thread.holdsLock(o);
    }

    public static int releaseMonitor(Object o) {
        return 0;
    }

    public static void reacquireMonitor(Object o, int count) {}

    public static void enterWaitSet(Object o) {}

    public static void leaveWaitSet(Object o) {}

    public static boolean isNotified() {
        return true;
    }

    public static void notifyOne(Object o) {}

    public static void notifyAll(Object o) {}

    public static boolean isOpaque(String s) {
        return s == null;
    }

    public static String opaqueString() {
        return "";
    }

    public static boolean spuriousWakeups() {
        return false;
    }

    public static boolean makesBoxes() {
        return true;
    }

    public static boolean daemons() {
        return false;
    }

    public static Object[] newArrayLike(Object[] array, int length) {
        return (Object[])
                java.lang.reflect.Array.newInstance(array.getClass().getComponentType(), length);
    }
}
