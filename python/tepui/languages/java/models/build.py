"""Compiles the models: `classes` holds what javac makes of the sources in `src`.

Packages of the JDK are compiled as a patch of its module java.base, and those of the harnesses
after them, like programs. `make models` does it; the class files are part of the repository, so
that nobody needs a compiler. They are those of JDK 17.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE / "src"
CLASSES = HERE / "classes"

_IN_JAVA_BASE = ("java", "jdk", "tepui")
_ALWAYS = ("-g", "-source", "17", "-target", "17", "-encoding", "UTF-8", "-Xlint:none", "-nowarn")


def build(target: Path, javac: str = "javac") -> None:
    """Compiles all models into a folder."""
    patch = _sources(*_IN_JAVA_BASE)
    _run(javac, *_ALWAYS, "--patch-module", f"java.base={SOURCES}", "-d", str(target), *patch)
    seen = ("--patch-module", f"java.base={target}", "--add-exports", "java.base/tepui=ALL-UNNAMED")
    folders = sorted(path.name for path in SOURCES.iterdir() if path.name not in _IN_JAVA_BASE)
    with tempfile.TemporaryDirectory() as folder:
        _run(javac, *_ALWAYS, *seen, "-d", folder, *_sources(*folders))
        shutil.copytree(folder, target, dirs_exist_ok=True)


def main() -> None:
    """Replaces what is there."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        shutil.rmtree(CLASSES, ignore_errors=True)
        shutil.copytree(folder, CLASSES)


def _sources(*folders: str) -> list[str]:
    return sorted(str(path) for top in folders for path in (SOURCES / top).rglob("*.java"))


def _run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(result.stderr + result.stdout)


if __name__ == "__main__":
    main()
