"""The Java programs in examples/java do what their comments and the table here say.

All are compiled at once. Where a comment names a number of contexts, it is the one that is found.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tepui
from support.places import EXAMPLES
from tepui.languages.java.compiling import compile_folder
from tepui.languages.java.jdk import find_jdk

JAVA = EXAMPLES / "java"

TABLE: dict[str, tuple[str, str | None, int | None]] = {
    "Bluetooth1": ("unsafe", "assertion", 3),
    "Bluetooth2": ("unsafe", "assertion", 5),
    "Bluetooth3": ("unsafe", "assertion", 4),
    "Bluetooth3TwoAdders": ("safe", None, None),
    "BluetoothRepaired": ("safe", None, None),
    "BufferNotifyAll": ("safe", None, None),
    "BufferNotifyOne": ("unsafe", "deadlock", None),
    "HashtableDeadlock": ("unsafe", "deadlock", 2),
    "InitialisationDeadlock": ("unsafe", "deadlock", None),
    "LockedAccount": ("safe", None, None),
    "LockedCounter": ("safe", None, None),
    "Philosophers": ("unsafe", "deadlock", None),
    "PhilosophersRepaired": ("safe", None, None),
    "RacyCounter": ("unsafe", "assertion", 3),
    "SearchTree": ("safe", None, None),
    "StringBufferDeadlock": ("unsafe", "deadlock", 2),
    "VectorCopy": ("safe", None, None),
    "VectorCopyJava5": ("unsafe", "assertion", 3),
    "VectorDeadlock": ("unsafe", "deadlock", 2),
}
"""The verdict, what is violated, and the fewest contexts, where the comment says them."""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    compile_folder(str(JAVA), str(folder), find_jdk(), ())
    return folder


def test_every_example_is_in_the_table() -> None:
    assert sorted(TABLE) == sorted(path.stem for path in JAVA.glob("*.java"))


@pytest.mark.parametrize("name", TABLE)
def test_a_comment_says_what_the_table_says(name: str) -> None:
    verdict, kind, contexts = TABLE[name]
    expected = verdict
    if contexts is not None:
        expected += f" with {contexts} contexts"
    if kind is not None:
        expected += f" ({kind})"
    text = (JAVA / f"{name}.java").read_text(encoding="utf-8")
    assert re.search("^// Expected: (.*)$", text, re.MULTILINE)[1] == expected  # type: ignore[index]


@pytest.mark.xdist_group("examples-java")
@pytest.mark.parametrize("name", TABLE)
def test_the_answer_is_the_expected_one(name: str, classes: Path) -> None:
    verdict, kind, contexts = TABLE[name]
    program = tepui.load_program(classes / f"{name}.class")
    result = tepui.verify(program, options=tepui.Options(limits=tepui.Limits(timeout=300)))
    assert (result.verdict, result.checked) == (verdict, True), result
    if verdict == "unsafe":
        assert result.violated is not None
        assert result.violated.kind == kind
        assert result.bound_is_fewest
    if contexts is not None:
        assert result.bound == contexts
