"""Instances: a program that is not the one as written, place by place, is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tepui
from tepui.checker.programs.instance_evidence import InInstance
from tepui.checker.programs.program_check import StateOptions, derivation_of
from tepui.errors import EvidenceError
from tepui.model import Pattern, Property
from tepui.program.expressions import Constant
from tepui.program.passes.instances import Instance, around, instance, within
from tepui.program.passes.sorts import with_small_sorts
from tepui.program.program import Assert, Program, Step
from tepui.program.questions import assertions, never_together, posed
from tepui.program.types import Bounded
from tepui.records import replace

TEXT = """\
decl n: int := 5;
decl a: int[2];
decl flag := 0;
int f(x: int) { return x + 1; }
void worker() {
    decl l: int;
    decl i: int 0..1;
    l := n;
    n := f(l);
    a[i] := n;
    L: flag := 1;
    assert(a[i] != 7);
}
void main() { thread_create(worker, *); thread_create(other); }
void other() { flag := 0; }
"""


def made(count: int = 2, largest: int = 9) -> Instance:
    return instance(tepui.loads(TEXT, "bp"), {"worker": count}, within(largest))


def changed(change: Callable[[Instance], Instance]) -> Instance:
    return change(made())


def test_an_instance_has_threads_and_bounds() -> None:
    program = made(3)
    assert not program.is_open
    assert [thread.count for thread in program.threads] == [3, 1]
    assert program.counts == {"worker": 3}
    assert {str(each.scalar) for each in program.globals} == {"int -9..9 block", "bool"}
    assert program.procedures[0].results == (Bounded(-9, 9, "block"),)
    derivation_of(program).check()


def test_bounds_are_around_what_the_program_names() -> None:
    assert around(tepui.loads(TEXT, "bp"), 2) == within(9)
    assert around(tepui.loads("decl n: int := -12; void main() { n := 1; }", "bp"), 1) == within(13)


def with_edge(program: Instance, old: type, new: Callable[..., object]) -> Instance:
    procedures = list(program.procedures)
    for number, procedure in enumerate(procedures):
        edges = list(procedure.edges)
        for place, edge in enumerate(edges):
            if isinstance(edge, old):
                edges[place] = new(edge)  # type: ignore[call-overload]
                procedures[number] = replace(procedure, edges=tuple(edges))
                return replace(program, procedures=tuple(procedures))
    raise AssertionError


FAULTS: dict[str, Callable[[Instance], Instance]] = {
    "no thread": lambda it: replace(
        it, threads=(replace(it.threads[0], count=0), it.threads[1])
    ),
    "another fixed number": lambda it: replace(
        it, threads=(it.threads[0], replace(it.threads[1], count=2))
    ),
    "still any number": lambda it: replace(it, threads=it.original.threads),
    "a thread is missing": lambda it: replace(it, threads=it.threads[:1]),
    "another procedure": lambda it: replace(
        it, threads=(it.threads[0], replace(it.threads[1], procedure="worker"))
    ),
    "another initial value": lambda it: replace(
        it, globals=(replace(it.globals[0], initial=4), *it.globals[1:])
    ),
    "integers that wrap": lambda it: instance(
        it.original, {"worker": 2}, Bounded(-9, 9, "wrap")
    ),
    "bounds that are not said": lambda it: replace(it, integers_as=None),
    "other bounds than said": lambda it: replace(it, integers_as=within(10)),
    "another guard": lambda it: with_edge(
        it, Step, lambda edge: replace(edge, guard=Constant(0))
    ),
    "another assertion": lambda it: with_edge(
        it, Assert, lambda edge: replace(edge, condition=Constant(1))
    ),
    "a statement is missing": lambda it: replace(
        it,
        procedures=(
            replace(it.procedures[0], edges=it.procedures[0].edges[:-1]),
            *it.procedures[1:],
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_what_is_no_instance_is_refused(fault: str) -> None:
    with pytest.raises(EvidenceError):
        derivation_of(changed(FAULTS[fault])).check()


def test_a_certificate_about_an_instance_proves_nothing_about_the_program() -> None:
    program = made()
    with pytest.raises(EvidenceError, match="need not hold for others"):
        derivation_of(program).meaning(StateOptions())


def test_one_thread_does_not_stand_for_two() -> None:
    """A question about two threads has no pattern where there is one, so nothing would be bad."""
    written = tepui.loads(TEXT, "bp")
    question = never_together(written, "L", "L")
    two = derivation_of(made(2)).bad(posed(made(2), question).bad)
    assert len(two) == 1
    with pytest.raises(EvidenceError, match="one thread does not stand"):
        derivation_of(made(1)).bad(posed(made(1), question).bad)


def test_only_places_can_be_bad() -> None:
    program = made()
    derivation = derivation_of(program)
    assert isinstance(derivation, InInstance)
    (question,) = [each for each in assertions(program) if each.kind == "assertion"]
    assert derivation.bad(question.bad) == [((0, question.point),)]
    for asked in (
        Property((), deadlock=True),
        Property((Pattern(0, (None, None, None)),)),
        Property((Pattern(None, (0, None, None)),)),
    ):
        with pytest.raises(EvidenceError, match="only places"):
            derivation.bad(asked)


def test_passes_are_not_mixed() -> None:
    small = with_small_sorts(tepui.loads("decl x: int32; void main() { x := 1; }", "bp"))
    assert isinstance(small, Program)
    mixed = instance(small, {}, within(3))
    with pytest.raises(EvidenceError):
        derivation_of(mixed).check()
