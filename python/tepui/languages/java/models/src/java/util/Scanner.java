// Reads what somebody typed: any numbers, and strings of which nothing is known. It is always of the
// kind that is asked for.
package java.util;

import java.io.Closeable;
import java.io.InputStream;
import tepui.Intrinsics;

public final class Scanner implements Iterator<String>, Closeable {
    public Scanner(InputStream source) {
        if (source == null) {
            throw new NullPointerException();
        }
        if (source != System.in) {
            Intrinsics.limit("a Scanner of another stream than System.in");
        }
    }

    @Override
    public boolean hasNext() {
        return Intrinsics.anyBoolean();
    }

    public boolean hasNextInt() {
        return Intrinsics.anyBoolean();
    }

    public boolean hasNextLong() {
        return Intrinsics.anyBoolean();
    }

    public boolean hasNextLine() {
        return Intrinsics.anyBoolean();
    }

    public int nextInt() {
        return Intrinsics.anyInt();
    }

    public long nextLong() {
        return Intrinsics.anyLong();
    }

    public boolean nextBoolean() {
        return Intrinsics.anyBoolean();
    }

    @Override
    public String next() {
        return Intrinsics.opaqueString();
    }

    public String nextLine() {
        return Intrinsics.opaqueString();
    }

    @Override
    public void close() {}
}
