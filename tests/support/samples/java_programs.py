"""Java programs for tests of the command line and of what is around the translator."""

from __future__ import annotations

from pathlib import Path

RACY = """\
public class Racy {
    static int count;

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> count++);
        other.start();
        count++;
        other.join();
        assert count == 2;
    }
}
"""

CALM = RACY.replace("class Racy", "class Calm").replace("        count++;\n", "")
CALM = CALM.replace("count == 2", "count == 1")

METHODS = """\
package org.example;

public class Methods {
    static class Inner {
        void calm() { }
    }

    static abstract class Shape {
        void calm() { }
    }

    static class Base {
        void inherited() { }
    }

    static class Derived extends Base {
        Derived() { }
        Derived(int size) { }
        private void hidden() { }
    }

    static class Sized {
        Sized(int size) { }
        void calm() { }
        static void still() { }
    }

    public void good() { }
    public void bad() { assert Helper.isFine(); }
    public static void over(int number) { }
    public static void over(String[] words, boolean flag) { }
}
"""

HELPER = """\
package org.example;

class Helper {
    static boolean isFine() {
        return false;
    }
}
"""


def package(folder: Path) -> Path:
    """The sources of a package in a folder."""
    inside = folder / "org" / "example"
    inside.mkdir(parents=True)
    (inside / "Helper.java").write_text(HELPER, encoding="utf-8")
    path = inside / "Methods.java"
    path.write_text(METHODS, encoding="utf-8")
    return path


def jdk_with(folder: Path, javac: str | None) -> Path:
    """A JDK with the classes of the installed one, and with a script for a compiler, or none."""
    from tepui.languages.java.jdk import find_jdk

    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "modules").symlink_to(Path(find_jdk().home) / "lib" / "modules")
    if javac is not None:
        (folder / "bin").mkdir()
        (folder / "bin" / "javac").write_text(f"#!/bin/sh\n{javac}\n", encoding="utf-8")
        (folder / "bin" / "javac").chmod(0o755)
    return folder
