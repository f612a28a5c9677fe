// The choices of Java PathFinder, for programs that are written for it. What it counts over all
// paths is no part of any of them, and so a limit.
package gov.nasa.jpf.vm;

import tepui.Intrinsics;

public class Verify {
    public static boolean getBoolean() {
        return Intrinsics.anyBoolean();
    }

    public static boolean getBoolean(boolean falseFirst) {
        return Intrinsics.anyBoolean();
    }

    public static boolean randomBool() {
        return Intrinsics.anyBoolean();
    }

    /** From 0 to max, both included. */
    public static int random(int max) {
        return Intrinsics.anyInt(0, max);
    }

    /** Both included, in any order. */
    public static int getInt(int min, int max) {
        return min <= max ? Intrinsics.anyInt(min, max) : Intrinsics.anyInt(max, min);
    }

    public static int getInt(String key) {
        Intrinsics.limit("Verify.getInt(String)");
        return 0;
    }

    public static int getIntFromList(int... values) {
        return values[Intrinsics.anyInt(0, values.length - 1)];
    }

    public static long getLong(long min, long max) {
        long value = Intrinsics.anyLong();
        if (value < (min <= max ? min : max) || value > (min <= max ? max : min)) {
            Intrinsics.stop();
        }
        return value;
    }

    public static long getLongFromList(long... values) {
        return values[Intrinsics.anyInt(0, values.length - 1)];
    }

    public static double getDouble(String key) {
        Intrinsics.limit("Verify.getDouble(String)");
        return 0;
    }

    public static double getDouble(double min, double max) {
        Intrinsics.limit("Verify.getDouble(double, double)");
        return 0;
    }

    public static double getDoubleFromList(double... values) {
        return values[Intrinsics.anyInt(0, values.length - 1)];
    }

    public static float getFloatFromList(float... values) {
        return values[Intrinsics.anyInt(0, values.length - 1)];
    }

    public static void ignoreIf(boolean condition) {
        if (condition) {
            Intrinsics.stop();
        }
    }

    public static void interesting(boolean condition) {}

    public static void boring(boolean condition) {}

    public static void breakTransition(String reason) {}

    public static void beginAtomic() {
        Intrinsics.beginAtomic();
    }

    public static void endAtomic() {
        Intrinsics.endAtomic();
    }

    public static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertTrue(String message, boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static int getCounter(int id) {
        Intrinsics.limit("Verify.getCounter(int)");
        return 0;
    }

    public static void resetCounter(int id) {}

    public static void setCounter(int id, int value) {}

    /** What it returns depends on the search, not on the program. */
    public static int incrementCounter(int id) {
        return Intrinsics.anyInt();
    }

    public static void terminateSearch() {
        Intrinsics.limit("Verify.terminateSearch()");
    }

    public static boolean isRunningInJPF() {
        return true;
    }

    public static boolean vmIsMatchingStates() {
        return true;
    }

    public static boolean isTraceReplay() {
        return false;
    }

    public static void print(String s) {}

    public static void print(String s, int i) {}

    public static void print(String s, boolean b) {}

    public static void print(String... s) {}

    public static void println() {}

    public static void println(String s) {}

    public static void log(String id, int level, String message) {}

    public static void printPathOutput(String message) {}

    public static void printPathOutput(boolean condition, String message) {}

    public static void setProperties(String... properties) {}
}
