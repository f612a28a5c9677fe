// The assumptions of JUnit 4: a path on which one does not hold is no path.
package org.junit;

import tepui.Intrinsics;

public class Assume {
    public static void assumeTrue(boolean condition) {
        if (!condition) {
            Intrinsics.stop();
        }
    }

    public static void assumeTrue(String message, boolean condition) {
        assumeTrue(condition);
    }

    public static void assumeFalse(boolean condition) {
        assumeTrue(!condition);
    }

    public static void assumeFalse(String message, boolean condition) {
        assumeTrue(!condition);
    }
}
