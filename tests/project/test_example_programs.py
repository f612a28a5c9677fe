"""The programs in examples/ do what their comments and the table here say.

Every program is verified through the command line and through Python, and explored with symmetry
and without. A second table asks other questions, or uses other options. In a third one, programs
are changed in one place, which makes them wrong (or right): their comments say what that place is
for, and a verifier that never finds anything would fail these tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import tepui
from support import cli
from support.places import EXAMPLES
from support.samples.expected_examples import BY_STATES, BY_Z, Expected

EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3, "bounded": 4}


class Example(Expected):
    """A program."""

    suffix = ".bp"
    comment = "//"


TABLE = [
    Example("bluetooth1", "unsafe", None, 3, 4, 174),
    Example("bluetooth2", "unsafe", None, 5, 5, 3760),
    Example("bluetooth3", "unsafe", None, 4, 5, 1237),
    Example("bluetooth-repaired", "safe", BY_Z, None, 6, 13574),
    Example("bounded-buffer", "safe", BY_Z, None, 8, 1107),
    Example("bst-insert", "safe", BY_STATES, None, 4, 30685),
    Example("counted-ring", "safe", BY_Z, None, 4, 150),
    Example("dekker", "safe", BY_Z, None, 5, 289),
    Example("figure2", "safe", BY_Z, None, 3, 26),
    Example("figure6", "safe", BY_Z, None, 4, 12),
    Example("figure7", "safe", BY_Z, None, 6, 152),
    Example("file-crawler", "safe", BY_Z, None, 4, 671),
    Example("flip", "unsafe", None, 1, 2, 20),
    Example("irp-cancellation", "unsafe", None, 3, 5, 172),
    Example("peterson", "safe", BY_Z, None, 3, 147),
    Example("qr-figure2", "safe", BY_Z, None, 3, 36),
    Example("quicksort", "safe", BY_STATES, None, 4, 8135),
    Example("readers-writers", "safe", BY_Z, None, 5, 1984),
    Example("recursive-lock", "safe", BY_STATES, None, 2, 289),
    Example("ticket-lock", "safe", BY_Z, None, 4, 2664),
    Example("work-queue", "safe", BY_Z, None, 4, 1144),
]

FORKING = [
    Example("fork-figure4", "safe", BY_Z, None, 3, 20),
    Example("fork-second-worker", "unsafe", None, 5, 5, 51),
]
"""Programs that fork threads, as many as they like: no systems, so they are not written out."""

COUNTED = "an upward-closed set with 0 minimal elements, and 4 invariants"

CROWD = Example("fork-crowd", "safe", COUNTED, None, None, 6372)
"""No number of slots is enough for it, so it is not explored to its end."""

every_example = pytest.mark.parametrize(
    "example", [*TABLE, *FORKING], ids=lambda example: example.name
)
every_system = pytest.mark.parametrize("example", TABLE, ids=lambda example: example.name)

QUESTIONS = [
    ("bluetooth1", "--threads add=2", "unsafe", None, 3),
    ("bluetooth1", "--threads stop=2", "unsafe", None, 3),
    ("bluetooth2", "--threads add=1", "safe", BY_Z, None),
    ("bluetooth2", "--threads add=1 --threads stop=2", "unsafe", None, 4),
    ("bluetooth3", "--threads stop=1", "safe", BY_Z, None),
    ("bluetooth3", "--threads add=2 --threads stop=1", "safe", BY_Z, None),
    ("bluetooth3", "--threads add=2", "unsafe", None, 4),
    ("dekker", "--never-together critical critical", "safe", BY_Z, None),
    ("dekker", "--property deadlock", "safe", BY_Z, None),
    ("figure6", "--property deadlock", "unsafe", None, 2),
    ("figure6", "--z cut --no-fusion --max-contexts 20", "unknown", None, None),
    ("figure6", "--z cut", "safe", "Z (cut) has no bad state", None),
    ("figure6", "--z omega", "safe", "Z (omega) has no bad state", None),
    ("figure7", "--z omega --max-contexts 3", "unknown", None, None),
    ("flip", "--threads worker=1 --delays 0", "unsafe", None, 0),
    ("flip", "--delays 0", "bounded", None, 0),
    ("flip", "--engine delay", "unsafe", None, 1),
    ("flip", "--threads worker=3 --delays 0", "unsafe", None, 0),
    ("flip", "--threads worker=4 --delays 0", "bounded", None, 0),
    ("fork-figure4", "--never-together L7 L8", "safe", BY_Z, None),
    ("fork-figure4", "--unreachable never", "safe", BY_Z, None),
    ("fork-figure4", "--unreachable L8", "unsafe", None, 2),
    ("fork-figure4", "--property deadlock", "safe", BY_Z, None),
    ("fork-second-worker", "--property deadlock", "safe", BY_Z, None),
    (
        "fork-crowd",
        "--never-together request:19 request:19",
        "safe",
        COUNTED,
        None,
    ),
    ("figure7", "--z omega-l", "safe", "Z (omega-l) has no bad state", None),
    ("irp-cancellation", "--property deadlock", "safe", BY_Z, None),
    ("peterson", "--never-together critical critical", "safe", BY_Z, None),
    ("peterson", "--property deadlock", "safe", BY_Z, None),
    ("qr-figure2", "--never-together L7 L8", "safe", BY_Z, None),
    ("qr-figure2", "--unreachable L8", "unsafe", None, 2),
    ("quicksort", "--property deadlock", "safe", BY_Z, None),
    ("readers-writers", "--property deadlock", "safe", BY_Z, None),
    ("ticket-lock", "--never-together critical critical", "safe", BY_Z, None),
    ("ticket-lock", "--threads customer=4", "unsafe", None, 4),
]
"""File, options, verdict, proof and bound."""


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


VARIANTS = [
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
    Variant("counted-ring", "a place too many", (("put - taken < 2", "put - taken < 3"),), 2),
    Variant("dekker", "nobody steps back", (("[1 - me]) {", "[1 - me] && turn != me) {"),), 3),
    Variant("figure2", "another step", (("x := 0; assert", "x := 0; last: assert"),), 3),
    Variant("figure6", "bar2 sets another value", (("4); s := 1;", "4); s := 0;"),), 4),
    Variant("figure7", "another value of l1", (("l1 := 0;", "l1 := *;"),), 1),
    Variant("file-crawler", "nobody waits", (("    wait(users = 0);\n", ""),), 3),
    Variant("fork-crowd", "nobody waits for the lock", (("wait(!locked);", "skip;"),), 3),
    Variant("fork-figure4", "nobody waits for the task", (("    L3: join(t);\n", ""),), 3),
    Variant(
        "fork-second-worker",
        "one after the other",
        (
            (
                "    second := async worker();\n    join(first);\n",
                "    join(first);\n    second := async worker();\n",
            ),
        ),
        None,
    ),
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
        (("L2: InitTask();\n    L3: m := 1;", "L2: m := 1;\n    L3: InitTask();"),),
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
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8").splitlines()
    assert files == {example.path.name for example in [*TABLE, *FORKING, CROWD]}
    for example in [*TABLE, *FORKING, CROWD]:
        (row,) = [line for line in readme if line.startswith(f"| `{example.path.name}` |")]
        assert row.endswith(f"| {example.verdict} |")


@every_example
def test_the_command_line_gives_the_answer_of_the_table(example: Example) -> None:
    answered = cli.call("verify", str(example.path), "--json")
    assert (answered.code, answered.err) == (EXIT_CODES[example.verdict], "")
    assert _answer(answered) == example.answer


@every_example
def test_python_gives_the_answer_of_the_table(example: Example) -> None:
    result = tepui.verify(tepui.load(example.path))
    assert (result.verdict, result.proof and str(result.proof), result.bound) == example.answer
    assert result.checked


@every_example
@pytest.mark.parametrize("symmetry", [True, False], ids=["symmetry", "no-symmetry"])
def test_a_program_collapses_where_the_table_says(example: Example, symmetry: bool) -> None:
    result = tepui.explore(tepui.load(example.path), tepui.Options(symmetry=symmetry))
    assert (result.verdict, result.bound, result.visible_states) == (
        "collapsed",
        example.collapse,
        example.visible,
    )


@every_example
def test_a_comment_says_what_to_expect(example: Example) -> None:
    assert example.sentence in example.path.read_text(encoding="utf-8").splitlines()


def test_a_crowd_of_threads_is_counted() -> None:
    said = "// Expected: safe, for any number of threads alive at once"
    assert said in CROWD.path.read_text(encoding="utf-8").splitlines()
    answered = cli.call("verify", str(CROWD.path), "--json")
    assert (answered.code, answered.err) == (EXIT_CODES["safe"], "")
    assert _answer(answered) == CROWD.answer
    bounded = cli.call("verify", str(CROWD.path), "--contexts", "4", "--json")
    assert (bounded.code, bounded.json["verdict"], bounded.json["bound"]) == (4, "bounded", 4)
    explored = tepui.explore(tepui.load(CROWD.path))
    assert (explored.verdict, explored.visible_states) == ("stopped", CROWD.visible)


def test_the_programs_are_in_canonical_form() -> None:
    files = [str(example.path) for example in [*TABLE, *FORKING, CROWD]]
    assert cli.call("format", "--check", *files).code == 0


@pytest.mark.parametrize(("name", "options", "verdict", "proof", "bound"), QUESTIONS)
def test_other_questions_have_the_answers_of_their_table(
    name: str, options: str, verdict: str, proof: str | None, bound: int | None
) -> None:
    answered = cli.call("verify", str(EXAMPLES / f"{name}.bp"), *options.split(), "--json")
    assert (answered.code, answered.err) == (EXIT_CODES[verdict], "")
    assert _answer(answered) == (verdict, proof, bound)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: f"{variant.name}: {variant.why}")
def test_a_program_changed_in_one_place_has_another_answer(
    variant: Variant, tmp_path: Path
) -> None:
    result = tepui.verify(tepui.load(variant.write(tmp_path)))
    assert result.verdict == ("safe" if variant.contexts is None else "unsafe")
    assert result.checked
    if variant.contexts is not None:
        assert result.bound == variant.contexts


def test_a_sorter_that_loses_an_update_leaves_the_main_thread_waiting(tmp_path: Path) -> None:
    variant = Variant(
        "quicksort",
        "the counter is read and written in two steps",
        (
            ("    running := running - 1;", "    still := running;\n    running := still - 1;"),
            ("3) {\n    sort", "3) {\n    decl still: int 0..2;\n    sort"),
        ),
        None,
    )
    path = str(variant.write(tmp_path))
    assert _answer(cli.call("verify", path, "--json"))[0] == "safe"
    assert _answer(cli.call("verify", path, "--property", "deadlock", "--json")) == (
        "unsafe",
        None,
        4,
    )


@pytest.mark.parametrize("name", ["figure2", "figure6"])
def test_a_figure_has_as_many_visible_states_as_its_rules_written_out(name: str) -> None:
    program, system = (
        tepui.explore(tepui.load(EXAMPLES / f"{name}.{suffix}")) for suffix in ("bp", "cpds")
    )
    assert program.visible_states == system.visible_states
    assert program.bound == system.bound


def _answer(answered: cli.Completed) -> tuple[str, str | None, int | None]:
    return answered.json["verdict"], answered.json["proof"], answered.json["bound"]


@every_system
def test_written_out_as_a_system_a_program_gets_the_same_answers(
    example: Example, tmp_path: Path
) -> None:
    written = tmp_path / f"{example.name}.cpds"
    assert cli.run("convert", str(example.path), str(written)).code == 0
    found = cli.run("verify", str(written), "--json").json
    bound = found["bound"] if found["verdict"] == "unsafe" else None
    assert (found["verdict"], bound) == (example.verdict, example.contexts)
    explored = cli.run("explore", str(written), "--json").json
    assert explored["visible_states"] == example.visible
    assert explored["bound"] == example.collapse
