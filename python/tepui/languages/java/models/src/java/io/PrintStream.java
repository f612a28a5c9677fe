// A stream to which one prints: nothing is seen of it. String.valueOf of an object is asked for,
// as it calls toString().
package java.io;

import java.util.Locale;
import tepui.Intrinsics;

public class PrintStream extends OutputStream implements Appendable, Closeable {
    public PrintStream() {}

    public PrintStream(OutputStream out) {
        Intrinsics.limit("a PrintStream of one's own");
    }

    @Override
    public void write(int b) {}

    @Override
    public void write(byte[] bytes, int at, int length) {}

    @Override
    public void flush() {}

    @Override
    public void close() {}

    public boolean checkError() {
        return Intrinsics.anyBoolean();
    }

    public void println() {}

    public void print(Object o) {
        String.valueOf(o);
    }

    public void println(Object o) {
        String.valueOf(o);
    }

    public void print(boolean x) {}

    public void println(boolean x) {}

    public void print(char x) {}

    public void println(char x) {}

    public void print(int x) {}

    public void println(int x) {}

    public void print(long x) {}

    public void println(long x) {}

    public void print(float x) {}

    public void println(float x) {}

    public void print(double x) {}

    public void println(double x) {}

    public void print(char[] x) {
        String.valueOf(x);
    }

    public void println(char[] x) {
        String.valueOf(x);
    }

    public void print(String x) {}

    public void println(String x) {}

    public PrintStream printf(String format, Object... arguments) {
        String.format(format, arguments);
        return this;
    }

    public PrintStream printf(Locale locale, String format, Object... arguments) {
        String.format(format, arguments);
        return this;
    }

    public PrintStream format(String format, Object... arguments) {
        String.format(format, arguments);
        return this;
    }

    public PrintStream format(Locale locale, String format, Object... arguments) {
        String.format(format, arguments);
        return this;
    }

    @Override
    public PrintStream append(CharSequence s) {
        String.valueOf(s);
        return this;
    }

    @Override
    public PrintStream append(CharSequence s, int from, int to) {
        Intrinsics.limit("PrintStream.append of a part");
        return this;
    }

    @Override
    public PrintStream append(char c) {
        return this;
    }
}
