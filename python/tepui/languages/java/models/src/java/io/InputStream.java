// A stream of bytes; the one that a program begins with gives any bytes.
package java.io;

import java.util.Objects;
import tepui.Intrinsics;

public abstract class InputStream implements Closeable {
    public InputStream() {}

    /** System.in. */
    public static InputStream standardInput() {
        return new AnyInput();
    }

    public abstract int read() throws IOException;

    public int read(byte[] bytes) throws IOException {
        return read(bytes, 0, bytes.length);
    }

    public int read(byte[] bytes, int at, int length) throws IOException {
        Objects.checkFromIndexSize(at, length, bytes.length);
        Intrinsics.limit("InputStream.read(byte[], int, int)");
        return 0;
    }

    public int available() throws IOException {
        return 0;
    }

    @Override
    public void close() throws IOException {}

    private static final class AnyInput extends InputStream {
        @Override
        public int read() {
            return Intrinsics.anyInt(-1, 255);
        }

        @Override
        public int available() {
            int count = Intrinsics.anyInt();
            if (count < 0) {
                Intrinsics.stop();
            }
            return count;
        }
    }
}
