"""Java for tests: texts compiled by the `javac` on the PATH, and the JDKs that are installed."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLE = r"""
import java.util.*;
import java.util.function.*;

public class Sample<T extends Comparable<T>> extends ArrayList<T> implements Runnable {
    public static final int SMALL = -7;
    static final long WIDE = 1L << 40;
    static final float HALF = 0.5f;
    static final double INFINITE = Double.NEGATIVE_INFINITY;
    static final String ODD = "a\u0000b\n\ud83d\ude00 \ud800 \u00e9\u20ac\"'\\";
    static final boolean YES = true;
    static final char LETTER = 'x';
    final int notStatic = 3;
    private volatile int shared;
    protected transient Object[][] table = new Object[2][3];
    int[][][] cube = new int[2][][];

    enum Colour { RED, GREEN { int value() { return 2; } }; int value() { return 1; } }
    record Point(int x, String name, double... rest) { }
    interface Shape { double area(); default double twice() { return 2 * area(); }
        private void hidden() { } static Shape unit() { return () -> 1.0; } }
    sealed interface Tree permits Leaf, Node { }
    static final class Leaf implements Tree { }
    static final class Node implements Tree { Tree left, right; }
    @interface Mark { int value() default 1; }
    class Inner { int own = shared + 1; class Deeper { int more = own + shared; } }

    static { System.out.println(HALF + INFINITE + new int[] {1, 2}.clone().length); }

    Sample(int start) { super(start); shared = start; }

    public synchronized void run() {
        try {
            shared += 1000;
            synchronized (table) { shared++; }
        } catch (IllegalStateException | NullPointerException trouble) {
            throw trouble;
        } finally {
            shared = SMALL;
        }
    }

    int dense(int key) { switch (key) { case -1: return 1; case 0: return 2; case 2: return 4;
        default: return 0; } }
    int sparse(int key) { switch (key) { case Integer.MIN_VALUE: return 1; case 0: return 2;
        case 1 << 30: return 4; } return 0; }
    static String words(String word, Colour colour) {
        switch (word) { case "one": return "1"; case "two": return "2"; }
        return switch (colour) { case RED -> "r"; default -> word + colour + WIDE; };
    }
    static long numbers(int i, long l, float f, double d, short s, byte b, char c) {
        long sum = (i << 3) + (l >>> 2) + (long) f + (long) d + (s % 5) - (b ^ c) + (~i & 7 | 8);
        sum += Long.MAX_VALUE + 70000 + Integer.MAX_VALUE + 12345 + 100 + (i > 3 ? 1 : 0) + (l
            < 5 ? 1 : 0);
        if (f > 2.5f || d <= 1e300 || Float.isNaN(f) || f == Float.MIN_VALUE) sum = -sum;
        i += 5; i -= 1000; s = (short) i; b = (byte) i; c = (char) i;
        return sum / (i + 1) + (int) l + (int) d + s + b + c;
    }
    boolean types(Object it) {
        byte[] bytes = {1}; short[] shorts = {2}; char[] chars = {'c'}; long[] longs = {4L};
            float[] floats = {5f};
        double[] doubles = {6.0}; boolean[] booleans = {true}; String[] strings = {"s"};
            String[][] all = {strings};
        bytes[0] += shorts[0] + chars[0] + longs[0] + floats[0] + doubles[0];
        return it instanceof int[] || it instanceof String text && text.isEmpty() ||
            booleans[0] && ((String[]) it).length > all.length;
    }
    Supplier<Function<Integer, String>> lambdas(int captured, List<? extends T> list) {
        Runnable first = this::run; Function<Integer, int[]> second = int[]::new;
            Supplier<List<T>> third = ArrayList::new;
        IntBinaryOperator fourth = Math::max;
        return () -> number -> number + ODD + captured + list + first + second + third + fourth
            + Sample.class + int[].class;
    }
    native int outside(long handle);
    void monitor(Object lock) throws InterruptedException { synchronized (lock) {
        while (shared == 0) lock.wait(); lock.notifyAll(); } assert shared > 0 : "no"; }
    Object anonymous() { class Local { } return new Object() { public String toString() {
        return "" + new Local() + notStatic; } }; }
}
"""
"""A program in which every kind of class, member, constant and instruction occurs that javac makes
of ordinary texts."""


def compiled(text: str, *options: str) -> dict[str, bytes]:
    """The class files that javac makes of a text, by the internal names of the classes."""
    return dict(_compiled(text, options or ("-g",)))


@cache
def _compiled(text: str, options: tuple[str, ...]) -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        file = Path(folder, f"{_file_stem(text)}.java")
        file.write_text(text, encoding="utf-8")
        out = Path(folder, "out")
        command = ["javac", "-encoding", "UTF-8", "-nowarn", *options, "-d", str(out), str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return {
            path.relative_to(out).with_suffix("").as_posix(): path.read_bytes()
            for path in out.rglob("*.class")
        }


def _file_stem(text: str) -> str:
    """What the file must be called for the compiler."""
    if text.startswith("module "):
        return "module-info"
    public = re.search(r"^public class (\w+)", text, re.M)
    return public[1] if public else "Source"


def installed_jdks() -> list[Path]:
    """The JDKs with tools, each once."""
    from tepui.languages.java.jdk import find_jdk

    folder = Path("/usr/lib/jvm")
    homes = {path.resolve() for path in folder.iterdir()} if folder.is_dir() else set()
    homes.add(Path(find_jdk().home).resolve())
    return sorted(home for home in homes if (home / "bin" / "javap").exists())
