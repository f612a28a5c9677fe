// The machine. How many processors and how much memory it has is not known.
package java.lang;

import tepui.Intrinsics;

public class Runtime {
    private static final Runtime RUNTIME = new Runtime();

    private Runtime() {}

    public static Runtime getRuntime() {
        return RUNTIME;
    }

    public int availableProcessors() {
        Intrinsics.limit("Runtime.availableProcessors()");
        return 1;
    }

    public void gc() {}

    public long freeMemory() {
        return memory();
    }

    public long totalMemory() {
        return memory();
    }

    public long maxMemory() {
        return memory();
    }

    private static long memory() {
        long memory = Intrinsics.anyLong();
        if (memory < 0) {
            Intrinsics.stop();
        }
        return memory;
    }

    public void exit(int status) {
        Intrinsics.stop();
    }

    public void halt(int status) {
        Intrinsics.stop();
    }

    public void addShutdownHook(Thread hook) {
        Intrinsics.limit("Runtime.addShutdownHook(Thread)");
    }
}
