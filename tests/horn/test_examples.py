"""For each example an invariant is found, by the attempt that is known to find one, and the checker
accepts it."""

from __future__ import annotations

import pytest

import tepui
from support.places import EXAMPLES
from support.samples import integer_programs as samples
from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Invariant
from tepui.checker.invariants.summaries import Summaries
from tepui.errors import EvidenceError
from tepui.horn.finding_process import Finder
from tepui.horn.rungs import Attempt, Method, Report, Rung, attempts, rung_of_frames
from tepui.program.calls import procedures_run_by
from tepui.program.passes.forked_types import with_forked_types
from tepui.program.places import places
from tepui.program.program import Program

pytest.importorskip("z3")
pytest.importorskip("cvc5")

FOLDER = EXAMPLES / "any-number"

FOUND: list[tuple[str, tuple[int, ...], bool, Method]] = [
    ("bluetooth-repaired", (0, 0), True, "spacer"),
    ("bluetooth3", (0, 1), True, "spacer"),
    ("bluetooth3", (1, 1), True, "signs"),
    ("first-counts", (1,), True, "spacer"),
    ("first-counts", (2,), False, "pairs of signs"),
    ("optimistic-counter", (1, 1), False, "signs"),
    ("readers-writers", (1, 2), True, "signs"),
    ("rotation", (2, 1), False, "signs"),
    ("shares", (2,), False, "signs"),
    ("spin-lock", (2,), False, "signs"),
    ("ticket-lock", (2,), False, "signs"),
    ("word-tickets", (2,), False, "signs"),
]
"""Which observed threads and which method, with counters or without."""


def asserted(program: Program) -> tuple[Bad, ...]:
    """All assertions of a program, by whoever runs them."""
    layout = program.layout
    return tuple(
        ((thread, layout.violation(number)),)
        for number, assertion in enumerate(layout.assertions)
        for thread in range(len(program.threads))
        if assertion.procedure in procedures_run_by(program, thread)
    )


def attempted(
    program: Program, bad: tuple[Bad, ...], rung: Rung, method: Method, seconds: float = 60
) -> Report:
    return Finder(program, bad).attempt(Attempt(rung, method), seconds)


@pytest.mark.parametrize(("name", "observed", "counters", "method"), FOUND)
def test_an_invariant_is_found_and_checked(
    name: str, observed: tuple[int, ...], counters: bool, method: Method
) -> None:
    program = tepui.load_program(FOLDER / f"{name}.bp")
    bad = asserted(program)
    report = attempted(program, bad, Rung(observed, counters), method)
    assert report.kind == "proved", report
    assert isinstance(report.invariant, Invariant)
    assert report.invariant.observed == observed
    report.invariant.check_program(program, bad, lambda: True)


def test_every_example_is_tried() -> None:
    names = {name for name, *_ in FOUND} | {"bakery"}
    others = {"forked-deposits", "reentrant-lock"}
    assert {path.stem for path in FOLDER.glob("*.bp")} == names | others


def test_forked_threads_are_threads_of_types() -> None:
    text = (FOLDER / "forked-deposits.bp").read_text()
    program = with_forked_types(tepui.loads(text, "bp")).plain
    bad = asserted(program)
    report = attempted(program, bad, Rung((1, 1, 1, 1)), "signs")
    assert report.invariant is not None
    report.invariant.check_program(program, bad, lambda: True)
    early = with_forked_types(tepui.loads(text.replace("    join(second);\n", ""), "bp")).plain
    assert attempted(early, asserted(early), Rung((1, 1, 1, 1)), "signs", 3).kind != "proved"
    with pytest.raises(EvidenceError):
        report.invariant.check_program(early, asserted(early), lambda: True)


def test_summaries_are_found_for_what_recurses() -> None:
    program = tepui.load_program(FOLDER / "reentrant-lock.bp")
    bad = asserted(program)
    (first, *_) = attempts(rung_of_frames(program), 0)
    found = Finder(program, bad).attempt(first, 60).invariant
    assert isinstance(found, Summaries)
    found.check_program(program, bad, lambda: True)
    text = (FOLDER / "reentrant-lock.bp").read_text().replace("(depth = 0)", "(depth >= 0)")
    broken = tepui.loads(text, "bp")
    assert asserted(broken) == bad
    assert Finder(broken, bad).attempt(first, 3).kind != "proved"
    with pytest.raises(EvidenceError):
        found.check_program(broken, bad, lambda: True)


def test_two_threads_that_are_never_together() -> None:
    for text in ((FOLDER / "bakery.bp").read_text(), samples.PETERSON):
        program = tepui.loads(text, "bp")
        (left,), (right,) = places(program, "in_left"), places(program, "in_right")
        bad: tuple[Bad, ...] = (((0, left), (1, right)),)
        report = attempted(program, bad, Rung((1, 1)), "signs")
        assert report.invariant is not None
        report.invariant.check_program(program, bad, lambda: True)


def test_two_threads_of_one_type_that_are_never_together() -> None:
    program = tepui.load_program(FOLDER / "ticket-lock.bp")
    (point,) = places(program, "critical")
    bad: tuple[Bad, ...] = (((0, point), (0, point)),)
    report = attempted(program, bad, Rung((2,)), "signs")
    assert report.invariant is not None
    report.invariant.check_program(program, bad, lambda: True)
    assert attempted(program, bad, Rung((1,)), "signs").kind == "too few"


@pytest.mark.parametrize(
    ("text", "rung", "method"),
    [
        (samples.SZYMANSKI, Rung((1, 1)), "signs"),
        (samples.LAMPORT, Rung((1, 1)), "signs"),
        (samples.CREATED, Rung((1, 1)), "signs"),
        (samples.KNOWING, Rung((1,)), "pairs of signs"),
    ],
)
def test_an_invariant_of_a_sample_is_found_and_checked(
    text: str, rung: Rung, method: Method
) -> None:
    program = tepui.loads(text, "bp")
    bad = asserted(program)
    report = attempted(program, bad, rung, method)
    assert report.invariant is not None
    report.invariant.check_program(program, bad, lambda: True)


@pytest.mark.parametrize("text", [samples.BROKEN_TICKETS, samples.BROKEN_LOCK, samples.TOO_FEW])
def test_what_can_go_wrong_is_never_proved(text: str) -> None:
    program = tepui.loads(text, "bp")
    methods: list[Method] = ["signs", "spacer"]
    for rung in (Rung((1,)), Rung((2,)), Rung((1,), counters=True), Rung((0,), counters=True)):
        for method in methods:
            assert attempted(program, asserted(program), rung, method, 1).kind != "proved"
