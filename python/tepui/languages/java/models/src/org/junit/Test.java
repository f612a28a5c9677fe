// Marks a test of JUnit 4.
package org.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Test {
    /** What stands for no exception at all. */
    class None extends Throwable {
        private None() {}
    }

    Class<? extends Throwable> expected() default None.class;

    long timeout() default 0;
}
