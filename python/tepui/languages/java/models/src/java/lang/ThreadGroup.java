// A group of threads: it can be made and given to a thread, and says nothing else.
package java.lang;

import tepui.Intrinsics;

public class ThreadGroup {
    private final String name;

    public ThreadGroup(String name) {
        this.name = name;
    }

    public ThreadGroup(ThreadGroup parent, String name) {
        if (parent == null) {
            throw new NullPointerException();
        }
        this.name = name;
    }

    public final String getName() {
        return name;
    }

    @Override
    public String toString() {
        return Intrinsics.opaqueString();
    }
}
