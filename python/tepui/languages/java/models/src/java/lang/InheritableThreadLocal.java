// Values that new threads inherit: not modelled.
package java.lang;

import tepui.Intrinsics;

public class InheritableThreadLocal<T> extends ThreadLocal<T> {
    public InheritableThreadLocal() {
        Intrinsics.limit("InheritableThreadLocal");
    }
}
