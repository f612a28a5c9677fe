"""Many Java classes compiled by one `javac` and run in one JVM, for comparisons with tepui."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_RUNNER = """
import java.lang.reflect.*;
public class Runner {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            String[] how = {"- still running"};
            Thread thread = new Thread(null, () -> how[0] = run(name), "run", 1 << 20);
            thread.setDaemon(true);
            thread.start();
            thread.join(10_000);
            System.out.println(name + " " + how[0]);
        }
        System.exit(0);
    }
    static String run(String name) {
        String thrown = "-";
        try {
            Class<?> found = Class.forName(name);
            Method method = found.getDeclaredMethod("run");
            method.setAccessible(true);
            try {
                method.invoke(null);
            } catch (InvocationTargetException e) {
                thrown = e.getCause().getClass().getName();
            }
            Field field = found.getDeclaredField("acc");
            field.setAccessible(true);
            return field.getInt(null) + " " + thrown;
        } catch (Throwable e) {
            return "- " + e;
        }
    }
}
"""


class OnJvm(NamedTuple):
    """What a method `run` has left in the field `acc`, and the class of what it has thrown."""

    value: int
    thrown: str | None


def compile_java(folder: Path, sources: Mapping[str, str], *classpath: Path) -> Path:
    """Compile classes, given by their names; the folder of the class files."""
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    places = ":".join(map(str, (out, *classpath)))
    files = []
    for name, text in sources.items():
        files.append(folder / f"{name}.java")
        files[-1].write_text(text)
    command = ["javac", "-g", "-nowarn", "-d", str(out), "-cp", places, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return out


def run_on_jvm(folder: Path, names: Iterable[str]) -> dict[str, OnJvm]:
    """Run classes that are compiled; those are left out that cannot even be initialised."""
    out = compile_java(folder, {"Runner": _RUNNER})
    command = ["java", "-ea", "-cp", str(out), "Runner", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        name, value, thrown = line.split(" ", 2)
        if value != "-":
            found[name] = OnJvm(int(value), None if thrown == "-" else thrown)
    return found
