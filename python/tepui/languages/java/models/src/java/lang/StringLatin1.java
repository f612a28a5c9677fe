// The helper by which the JDK's string buffers work on bytes, as far as it is known: texts are not.
package java.lang;

import tepui.Intrinsics;

final class StringLatin1 {
    private StringLatin1() {}

    static boolean canEncode(int c) {
        return c >= 0 && c <= 255;
    }

    static boolean canEncode(char c) {
        return c <= 255;
    }

    static byte coderFromChar(char c) {
        return (byte) (c <= 255 ? 0 : 1);
    }

    static void fillNull(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            bytes[i] = 0;
        }
    }

    static String newString(byte[] bytes, int at, int length) {
        return Intrinsics.opaqueString();
    }
}
