"""The programs in examples/ do what their comments and the table here say.

Every program is verified through the command line and through Python. Then most of them are changed
in one place, which makes them wrong (or right): their comments say what that place is for, and a
verifier that never finds anything would not get past these.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import cli
import tepui

EXAMPLES = Path(__file__).parents[1] / "examples"

BY_Z = "Z (matched) has no bad state"
BY_STATES = "R_k = R_{k+1}"


@dataclass(frozen=True)
class Example:
    """What `verify` says about one program."""

    name: str
    verdict: str
    proof: str | None = None
    """How it is proved; None if it is unsafe."""
    bound: int | None = None
    """How many contexts the violation takes, or where R_k collapses; None if Z proves it."""
    options: tuple[str, ...] = ()
    """What the command line is given besides the file."""

    @property
    def path(self) -> Path:
        return EXAMPLES / f"{self.name}.bp"

    @property
    def sentence(self) -> str:
        """What the comment in the file has to say."""
        if self.proof is None:
            return f"// Expected: {self.verdict} after {self.bound} contexts"
        answer = f"// Expected: {self.verdict} by {self.proof.removesuffix(' has no bad state')}"
        return answer if self.bound is None else f"{answer}, collapse at {self.bound}"


TABLE = [
    Example("bluetooth1", "unsafe", bound=3),
    Example("bluetooth2", "unsafe", bound=5),
    Example("bluetooth3", "unsafe", bound=4),
    Example("bluetooth-repaired", "safe", BY_Z),
    Example("bounded-buffer", "safe", BY_STATES, bound=8),
    Example("bst-insert", "safe", BY_STATES, bound=4),
    Example("dekker", "safe", BY_Z),
    Example("figure2", "safe", BY_Z),
    Example("figure6", "safe", BY_Z),
    Example("figure7", "safe", BY_Z),
    Example("file-crawler", "safe", BY_Z),
    Example("irp-cancellation", "unsafe", bound=3),
    Example("peterson", "safe", BY_Z),
    Example("qr-figure2", "safe", BY_Z),
    Example("quicksort", "safe", BY_STATES, bound=4),
    Example("readers-writers", "safe", BY_Z),
    Example("recursive-lock", "safe", "Z (matched:3) has no bad state"),
    Example("ticket-lock", "safe", BY_Z),
    Example("work-queue", "safe", BY_Z),
]

every_example = pytest.mark.parametrize("example", TABLE, ids=lambda example: example.name)


@dataclass(frozen=True)
class Variant:
    """An example with some places changed, and what `verify` says then."""

    name: str
    why: str
    changes: tuple[tuple[str, str], ...]
    contexts: int | None
    """How many contexts the violation takes; None if it is safe."""

    def write(self, folder: Path) -> Path:
        text = (EXAMPLES / f"{self.name}.bp").read_text(encoding="utf-8")
        for old, new in self.changes:
            assert old in text
            text = text.replace(old, new)
        path = folder / f"{self.name}.bp"
        path.write_text(text, encoding="utf-8")
        return path


def adders(count: int) -> tuple[str, str]:
    before = {1: 2, 2: 1}[count]
    return f"thread_create(add, {before})", f"thread_create(add, {count})"


def stoppers(count: int) -> tuple[str, str]:
    before = {1: 2, 2: 1}[count]
    return f"thread_create(stop, {before})", f"thread_create(stop, {count})"


VARIANTS = [
    Variant("bluetooth1", "two adders", (adders(2),), 3),
    Variant("bluetooth1", "two stoppers", (stoppers(2),), 3),
    Variant("bluetooth2", "one adder", (adders(1),), None),
    Variant("bluetooth2", "one adder, two stoppers", (adders(1), stoppers(2)), 4),
    Variant("bluetooth3", "one stopper", (stoppers(1),), None),
    Variant("bluetooth3", "two adders, one stopper", (adders(2), stoppers(1)), None),
    Variant("bluetooth-repaired", "every stopper counts down", (("if (first) dec", "dec"),), 2),
    Variant(
        "bounded-buffer",
        "a slot is counted before it is full",
        (
            (
                "    slot[tail] := value;\n    full := full + 1;\n",
                "    full := full + 1;\n    slot[tail] := value;\n",
            ),
        ),
        2,
    ),
    Variant("bst-insert", "no second look", (("if (node[at] = 0) node[at]", "node[at]"),), 4),
    Variant("dekker", "nobody steps back", (("[1 - me]) {", "[1 - me] && turn != me) {"),), 3),
    Variant("figure2", "another step", (("x := 0; assert", "x := 0; last: assert"),), 3),
    Variant("figure6", "bar2 sets another value", (("4); s := 1;", "4); s := 0;"),), 4),
    Variant("figure7", "another value of l1", (("l1 := 0;", "l1 := *;"),), 1),
    Variant("file-crawler", "nobody waits", (("    wait(users = 0);\n", ""),), 3),
    Variant(
        "irp-cancellation",
        "marked as pending first",
        (
            ("    KeReleaseSpinLock();\n    IoMarkIrpPending();\n", "    KeReleaseSpinLock();\n"),
            ("    routine := cancel;", "    IoMarkIrpPending();\n    routine := cancel;"),
        ),
        None,
    ),
    Variant(
        "peterson",
        "the turn is given away first",
        (
            (
                "    wants[me] := 1;\n    turn := 1 - me;\n",
                "    turn := 1 - me;\n    wants[me] := 1;\n",
            ),
        ),
        4,
    ),
    Variant(
        "qr-figure2",
        "the turn is given away first",
        (("L2:     InitTask();\nL3:     m := 1;", "L2:     m := 1;\nL3:     InitTask();"),),
        1,
    ),
    Variant("quicksort", "one thread is enough", (("(running = 0)", "(running <= 1)"),), 3),
    Variant("readers-writers", "readers do not count", ((" && readers = 0", ""),), 3),
    Variant("recursive-lock", "each frame gives it back", (("if (first) owner", "owner"),), 1),
    Variant("ticket-lock", "two numbers only", (("0..2", "0..1"),), 3),
    Variant(
        "work-queue",
        "a task is counted down when it is taken",
        (
            (
                "            perform();\n            unfinished := unfinished - 1;\n",
                "            unfinished := unfinished - 1;\n            perform();\n",
            ),
        ),
        4,
    ),
]


def test_the_table_and_the_readme_have_every_program() -> None:
    files = {path.name for path in EXAMPLES.glob("*.bp")}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert files == {example.path.name for example in TABLE}
    assert [name for name in sorted(files) if f"| `{name}` |" not in readme] == []


@every_example
def test_the_command_line_gives_the_answer_of_the_table(example: Example) -> None:
    answered = cli.call("verify", str(example.path), *example.options, "--json")
    assert (answered.code, answered.err) == (int(example.verdict == "unsafe"), "")
    answer = answered.json
    assert (answer["verdict"], answer["proof"], answer["bound"]) == (
        example.verdict,
        example.proof,
        example.bound,
    )


@every_example
def test_python_gives_the_answer_of_the_table(example: Example) -> None:
    result = tepui.verify(tepui.load(example.path))
    assert (result.verdict, result.proof, result.bound) == (
        example.verdict,
        example.proof,
        example.bound,
    )
    assert result.checked


@every_example
def test_a_comment_says_what_to_expect(example: Example) -> None:
    assert example.sentence in example.path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: f"{variant.name}: {variant.why}")
def test_a_program_changed_in_one_place_gets_another_answer(
    variant: Variant, tmp_path: Path
) -> None:
    result = tepui.verify(tepui.load(variant.write(tmp_path)))
    assert result.verdict == ("safe" if variant.contexts is None else "unsafe")
    assert result.checked
    if variant.contexts is not None:
        assert result.bound == variant.contexts


@pytest.mark.parametrize(("name", "visible"), [("figure2", 26), ("figure6", 12)])
def test_a_figure_has_as_many_visible_states_as_its_rules_written_out(
    name: str, visible: int
) -> None:
    for suffix in ("bp", "cpds"):
        result = tepui.explore(tepui.load(EXAMPLES / f"{name}.{suffix}"))
        assert (result.verdict, result.visible_states) == ("collapsed", visible)
