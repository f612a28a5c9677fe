"""Forked threads as threads of types: the checker refuses whatever may do less than the program."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tepui
from tepui.checker.programs.program_check import derivation_of
from tepui.errors import EvidenceError
from tepui.program.expressions import TRUE, Choice, Constant, Read, Variable
from tepui.program.passes.forked_types import ForkedTypes, with_forked_types
from tepui.program.passes.instances import instance, within
from tepui.program.passes.slots import with_slots
from tepui.program.program import (
    NOWHERE,
    Assignment,
    Call,
    Create,
    Edge,
    End,
    Location,
    Procedure,
    Step,
)
from tepui.program.types import BOOLEAN
from tepui.records import replace

TEXT = """\
decl n: int := 0;
thread t, u;
void f(k: int) { n := n + k; }
void many(b) { n := n - 1; }
void main() {
    t := async f(3);
    u := async f(4);
    join(t);
    while (*) { async many(1); }
    assert(n <= 7);
}
"""
F, MANY, MAIN, RUNS_F, RUNS_G, RUNS_MANY = range(6)
"""The procedures: two threads run `f`, and any number runs `many`."""

Damage = Callable[[ForkedTypes], ForkedTypes]


def made(text: str = TEXT) -> ForkedTypes:
    return with_forked_types(tepui.loads(text, "bp"))


def check(program: ForkedTypes) -> None:
    counts = dict.fromkeys(program.any_number, 2)
    derivation_of(instance(program, counts, within(3))).check()


def with_procedure(program: ForkedTypes, number: int, new: Procedure) -> ForkedTypes:
    procedures = list(program.procedures)
    procedures[number] = new
    return replace(program, procedures=tuple(procedures))


def with_thread(program: ForkedTypes, number: int, **changes: object) -> ForkedTypes:
    threads = list(program.threads)
    threads[number] = replace(threads[number], **changes)  # type: ignore[arg-type]
    return replace(program, threads=tuple(threads))


def with_edges(number: int, change: Callable[[Edge], Edge | None]) -> Damage:
    """Every edge of a procedure changed, or left out."""

    def damage(program: ForkedTypes) -> ForkedTypes:
        old = program.procedures[number]
        edges = tuple(new for new in map(change, old.edges) if new is not None)
        assert edges != old.edges
        return with_procedure(program, number, replace(old, edges=edges))

    return damage


def creating(**changes: object) -> Callable[[Edge], Edge]:
    def change(edge: Edge) -> Edge:
        if isinstance(edge, Create):
            return replace(edge, **changes)  # type: ignore[arg-type]
        return edge

    return change


def calling(**changes: object) -> Callable[[Edge], Edge]:
    def change(edge: Edge) -> Edge:
        if isinstance(edge, Call):
            return replace(edge, **changes)  # type: ignore[arg-type]
        return edge

    return change


def waiting(guard: object) -> Callable[[Edge], Edge]:
    """Whatever waits for the end of a thread waits for something else."""

    def change(edge: Edge) -> Edge:
        if isinstance(edge, Step) and "ended" in str(edge.guard):
            return replace(edge, guard=guard)  # type: ignore[arg-type]
        return edge

    return change


def ended(program: ForkedTypes, name: str) -> Variable:
    (found,) = (each for each in program.globals if each.name == f"#ended:{name}")
    return found


def says_the_wrong_end(program: ForkedTypes) -> ForkedTypes:
    """`f` says that the other thread has ended."""
    other = Assignment(ended(program, "f#2"), Constant(1))
    return with_edges(
        RUNS_F,
        lambda edge: replace(edge, assignments=(other,)) if isinstance(edge, Step) else edge,
    )(program)


def never_says_that_it_has_ended(program: ForkedTypes) -> ForkedTypes:
    return with_edges(
        RUNS_F, lambda edge: replace(edge, assignments=()) if isinstance(edge, Step) else edge
    )(program)


def waits_for_the_other(program: ForkedTypes) -> ForkedTypes:
    return with_edges(MAIN, waiting(Read(ended(program, "f#2"))))(program)


def one_of_many(program: ForkedTypes) -> ForkedTypes:
    return with_thread(program, 3, count=1)


def one_of_many_with_its_argument(program: ForkedTypes) -> ForkedTypes:
    """A fork in a loop is taken for one that is taken once."""
    parameter = Variable("b", BOOLEAN, "#many", 0)
    program = with_thread(program, 3, count=1, inherited=(parameter,))
    call = Call(0, 1, "many", (Read(parameter),))
    runner = replace(program.procedures[RUNS_MANY], variables=(parameter,))
    runner = replace(runner, edges=(call, *runner.edges[1:]))
    program = with_procedure(program, RUNS_MANY, runner)
    given = Constant(1)
    return with_edges(
        MAIN,
        lambda edge: (
            replace(edge, values=((given,),))
            if isinstance(edge, Create) and edge.threads == (3,)
            else edge
        ),
    )(program)


def fewer_locations(program: ForkedTypes) -> ForkedTypes:
    runner = program.procedures[RUNS_F]
    atomic = tuple(Location(NOWHERE, atomic=True) for _ in runner.locations)
    return with_procedure(program, RUNS_F, replace(runner, locations=atomic))


def an_own_type_less(program: ForkedTypes) -> ForkedTypes:
    return replace(program, threads=(program.threads[0], *program.threads[2:]))


DAMAGES: dict[str, Damage] = {
    "a fork creates nobody": with_edges(MAIN, creating(threads=(), values=())),
    "a fork creates the wrong type": with_edges(MAIN, creating(threads=(1,))),
    "a fork is not always possible": with_edges(MAIN, creating(guard=Constant(0))),
    "other arguments": with_edges(MAIN, creating(values=((Constant(5),),))),
    "no arguments": with_edges(MAIN, creating(values=((),))),
    "another procedure": with_edges(RUNS_F, calling(procedure="many")),
    "one argument of many": with_edges(RUNS_MANY, calling(arguments=(Constant(1),))),
    "any argument of one": with_edges(RUNS_F, calling(arguments=(Choice(BOOLEAN),))),
    "the call waits": with_edges(RUNS_F, calling(guard=Constant(0))),
    "a thread does not end": with_edges(
        RUNS_F, lambda edge: None if isinstance(edge, Step) else edge
    ),
    "a join waits for ever": with_edges(MAIN, waiting(Constant(0))),
    "an edge of the program is left out": with_edges(
        F, lambda edge: None if isinstance(edge, Step) else edge
    ),
    "an edge of the program waits": with_edges(
        F, lambda edge: replace(edge, guard=Constant(0)) if isinstance(edge, Step) else edge
    ),
    "a thread begins elsewhere": lambda program: with_thread(program, 1, start=1),
    "a type is not created": lambda program: with_thread(program, 1, created=False, inherited=()),
    "another number": lambda program: with_thread(program, 0, count=2),
    "two of one": lambda program: with_thread(program, 1, count=2),
    "two types run the same": lambda program: with_thread(program, 2, procedure="#f"),
    "other variables": lambda program: replace(
        program, globals=tuple(replace(each, initial=1) for each in program.globals)
    ),
    "a scheduler lock": lambda program: replace(program, lock=ended(program, "f")),
    "the wrong end is said": says_the_wrong_end,
    "an end is never said": never_says_that_it_has_ended,
    "a join waits for the other thread": waits_for_the_other,
    "one thread for many forks": one_of_many,
    "one thread with the argument of many": one_of_many_with_its_argument,
    "atomic procedures": fewer_locations,
    "a type less": an_own_type_less,
}


def test_what_the_pass_makes_is_accepted() -> None:
    program = made()
    assert [each.name for each in program.procedures[RUNS_F:]] == ["#f", "#f#2", "#many"]
    check(program)


@pytest.mark.parametrize("name", DAMAGES)
def test_what_may_do_less_is_refused(name: str) -> None:
    with pytest.raises(EvidenceError):
        check(DAMAGES[name](made()))


def test_joins_that_wait_for_less_are_accepted() -> None:
    check(with_edges(MAIN, waiting(TRUE))(made()))


def test_a_thread_that_may_end_anywhere_says_nothing() -> None:
    """A thread may be over before it returns: then nothing says that it has ended."""
    program = tepui.loads(TEXT, "bp")
    f = program.procedures[F]
    f = replace(f, edges=(*f.edges, End(f.entry)))
    ending = replace(program, procedures=(*program.procedures[:F], f, *program.procedures[F + 1 :]))
    assert not any(each.name.startswith("#ended") for each in with_forked_types(ending).globals)
    forged = made()
    forged = replace(with_procedure(forged, F, f), original=ending)
    with pytest.raises(EvidenceError, match="ends of threads"):
        check(forged)


def test_a_run_of_an_instance_of_it_shows_nothing() -> None:
    derivation = derivation_of(instance(made(), {"many": 1}, within(3)))
    with pytest.raises(EvidenceError, match="a run need not be one of the program"):
        derivation.replay(None, tepui.Property(), [], None, lambda: True)  # type: ignore[arg-type]


def test_slots_in_an_instance_prove_nothing() -> None:
    program = tepui.loads(TEXT, "bp")
    derivation = derivation_of(with_slots(instance(program, {}, within(9)), 2))
    derivation.check()
    with pytest.raises(EvidenceError, match="need not hold for others"):
        derivation.meaning(None)  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="do not stand for any number"):
        derivation.bad(tepui.Property())


def test_slots_are_not_given_to_what_does_more() -> None:
    program = with_slots(instance(made(), {"many": 1}, within(3)), 2)
    with pytest.raises(EvidenceError, match="what another pass has made"):
        derivation_of(program).check()


def test_two_types_of_one_procedure_have_one_thread_each() -> None:
    assert [(each.name, each.count) for each in made().threads] == [
        ("main", 1),
        ("f", 1),
        ("f#2", 1),
        ("many", None),
    ]
