// Exceptions, without their messages, causes and stack traces: so they are cheap.
package java.lang;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Serializable;
import tepui.Intrinsics;

public class Throwable implements Serializable {
    public Throwable() {}

    public Throwable(String message) {}

    public Throwable(String message, Throwable cause) {}

    public Throwable(Throwable cause) {}

    protected Throwable(
            String message,
            Throwable cause,
            boolean enableSuppression,
            boolean writableStackTrace) {}

    /** There may be one or none. */
    public String getMessage() {
        return Intrinsics.stringOrNull();
    }

    public String getLocalizedMessage() {
        return getMessage();
    }

    public Throwable getCause() {
        Intrinsics.limit("Throwable.getCause()");
        return null;
    }

    public Throwable initCause(Throwable cause) {
        return this;
    }

    @Override
    public String toString() {
        getLocalizedMessage();
        return Intrinsics.opaqueString();
    }

    public void printStackTrace() {
        toString();
    }

    public void printStackTrace(PrintStream stream) {
        if (stream == null) {
            throw new NullPointerException();
        }
        toString();
    }

    public void printStackTrace(PrintWriter writer) {
        if (writer == null) {
            throw new NullPointerException();
        }
        toString();
    }

    public Throwable fillInStackTrace() {
        return this;
    }

    public StackTraceElement[] getStackTrace() {
        Intrinsics.limit("Throwable.getStackTrace()");
        return null;
    }

    public void setStackTrace(StackTraceElement[] trace) {}

    public final void addSuppressed(Throwable exception) {
        if (exception == this) {
            throw new IllegalArgumentException();
        }
        if (exception == null) {
            throw new NullPointerException();
        }
    }

    public final Throwable[] getSuppressed() {
        Intrinsics.limit("Throwable.getSuppressed()");
        return null;
    }
}
