// Arrays by reflection: of objects of the class Object alone.
package java.lang.reflect;

import tepui.Intrinsics;

public final class Array {
    private Array() {}

    public static Object newInstance(Class<?> component, int length) {
        if ((Object) component != (Object) Object.class) {
            Intrinsics.limit("Array.newInstance(Class, int)");
        }
        return new Object[length];
    }

    public static int getLength(Object array) {
        if (!(array instanceof Object[])) {
            Intrinsics.limit("Array.getLength(Object)");
        }
        return ((Object[]) array).length;
    }
}
