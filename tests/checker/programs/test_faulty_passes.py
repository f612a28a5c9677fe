"""Faults put into the passes, one by one: the checker itself catches each of them.

Without the fault, the answer to the question is different, or the same for another reason. With the
fault and without the checker, the run gives a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

import tepui
from support.samples.program_texts import program_of
from tepui.kernels import program_fields
from tepui.program.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    Self,
    Variable,
    with_operands,
)
from tepui.program.liveness import live_variables
from tepui.program.passes import slot_edges, slot_variables, slots
from tepui.program.passes.slot_edges import Taken, WithSlots
from tepui.program.passes.slot_variables import Books
from tepui.program.passes.slots import Slotted
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Edge,
    Fork,
    Procedure,
    Program,
    Step,
    Thread,
)
from tepui.program.types import THREAD
from tepui.program.walk import with_expressions

Patch = pytest.MonkeyPatch

NO_VALUE = """
decl g: bool[2] := 1;
void f(p) { skip; }
void main() { decl l: int 1..3 := 2; async f(g[l]); assert(0); }
"""

NEVER_PASSED = """
void f(p: int 0..1 block) { skip; }
void main() { decl l: int 1..3 := 2; async f(l); assert(0); }
"""

REUSED = """
decl done := 0;
void f() { skip; }
void g() { wait(done); }
void main() {
    thread t, u;
    t := async f();
    u := t;
    join(u);
    async g();
    join(t);
    assert(0);
}
"""

STALE_GLOBAL = """
thread t;
void f() { skip; }
void main() { t := async f(); join(t); assert(0); }
"""

PUBLISHED = """
thread t;
decl x := 0;
void f() { x := 1; }
void main() { thread u; u := async f(); wait(x); t := u; join(t); }
"""

JOINED = """
decl x := 0;
void f() { x := 1; }
void main() { thread t; t := async f(); join(t); assert(x); }
"""

AFTER_JOIN = """
decl x := 0;
void f() { skip; }
void main() { thread t; t := async f(); join(t); assert(x); }
"""

LOOP = """
decl x := 0;
void f() { x := 1; }
void main() { while (1) { async f(); } assert(!x); }
"""

TWO = """
decl x: int 0..2 := 0;
void f() { x := x + 1; }
void main() { async f(); async f(); assert(x != 2); }
"""

NEXT = """
decl x: int 0..2 := 0;
void f() { assert(x != 1); x := x + 1; }
void main() { async f(); async f(); }
"""

ARGUMENTS = """
decl x := 0;
void f(a, b) { assert(a && !b); }
void main() { async f(1, 0); }
"""

LAST_STEP = """
decl busy := 0;
void f() { assert(!busy); busy := 1; busy := 0; }
void main() { thread t; while (1) { t := async f(); join(t); } }
"""

FORGOTTEN = """
decl x := 0;
void f() { decl l := 1; x := 0; assert(l); }
void main() { thread_create(f, 2); }
"""

CONSTRAINED = """
decl x := 0;
void f() { decl l := 1; skip; x := * constrain 'x = l; assert(x); }
void main() { thread_create(f); }
"""


KNOWING = """
thread a, b;
decl n: int 0..2 := 0;
void f() { skip; }
void w() {
    atomic { if (n = 0) { a := thread_self(); } else { b := thread_self(); } n := n + 1; }
    wait(n = 2);
    assert(a = b);
}
void main() { thread_create(w, 2); async f(); async f(); }
"""

CALL_INSIDE = """
void f() { skip; }
void g() { L: skip; }
void main() { async f(); async f(); atomic { g(); skip; } }
"""

LAST_CALL = """
void f() { skip; }
void g() { L: skip; }
void main() { async f(); async f(); if (*) { g(); } }
"""


@dataclass(frozen=True)
class Fault:
    """A fault, and a question whose answer it spoils."""

    name: str
    text: str
    put: Callable[[Patch], None]
    right: str
    options: tepui.Options = field(default_factory=lambda: tepui.Options(symmetry=False))
    deadlock: bool = False
    unreachable: str | None = None
    """A label that is asked for."""
    bounds: bool = True
    """Whether an index outside of its array is an error; otherwise the thread waits."""


def an_argument_is_not_evaluated(patch: Patch) -> None:
    patch.setattr(Books, "evaluated", lambda _self, _fork: [])


def a_slot_is_reused_too_early(patch: Patch) -> None:
    patch.setattr(Books, "_is_free", lambda self, slot: self._is(slot, slot_variables.IDLE))


def names_are_not_counted(patch: Patch) -> None:
    patch.setattr(Books, "counted", lambda _self, _lost, _got: iter(()))


def a_global_name_stays_stale(patch: Patch) -> None:
    was = Books.over
    patch.setattr(Books, "over", lambda self, slot: was(self, slot)[:1])


def a_published_name_stays_stale(patch: Patch) -> None:
    patch.setattr(Books, "published", Books.value)


def join_does_not_wait(patch: Patch) -> None:
    patch.setattr(Books, "has_ended", lambda _self, _variable: TRUE)


def join_never_goes_on(patch: Patch) -> None:
    patch.setattr(Books, "has_ended", lambda _self, _variable: FALSE)


def a_lack_of_slots_is_not_told(patch: Patch) -> None:
    was = WithSlots._fork

    def fork(self: WithSlots, edge: Fork) -> None:
        was(self, edge)
        if self.lacks and self._edges[-1] is self.lacks[-1]:
            self._edges.pop()
            self.lacks.pop()

    patch.setattr(WithSlots, "_fork", fork)


def a_bound_has_one_slot_too_few(patch: Patch) -> None:
    was = slots._slotted
    patch.setattr(
        slots,
        "_slotted",
        lambda program, number, bound, **equal: was(
            program, max(0, number - (bound is not None)), bound, **equal
        ),
    )


def arguments_are_exchanged(patch: Patch) -> None:
    was = WithSlots._fork

    def fork(self: WithSlots, edge: Fork) -> None:
        was(self, replace(edge, arguments=edge.arguments[::-1]))

    patch.setattr(WithSlots, "_fork", fork)


def a_slot_is_free_before_its_thread_has_ended(patch: Patch) -> None:
    def running(self: Books, slot: int) -> Assignment:
        return Assignment(self.status(slot), self._status(slot_variables.IDLE))

    patch.setattr(Books, "running", running)


def a_place_is_taken_for_the_next(patch: Patch) -> None:
    was = Slotted.point

    def point(self: Slotted, original: int) -> int:
        return was(self, original) + (original == 0)

    patch.setattr(Slotted, "point", point)


def a_slot_without_a_thread_is_stuck(patch: Patch) -> None:
    was = slots._slotted

    def slotted(program: Program, number: int, bound: int | None, *, equal: bool) -> Slotted:
        made = was(program, number, bound, equal=equal)
        threads = tuple(Thread(t.name, t.procedure, t.count, t.created) for t in made.threads)
        return replace(made, threads=threads)

    patch.setattr(slots, "_slotted", slotted)


def a_live_value_is_forgotten(patch: Patch) -> None:
    def live(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
        found = live_variables(procedure)
        return tuple(frozenset() if number == 0 else here for number, here in enumerate(found))

    patch.setattr(program_fields, "live_variables", live)


def a_constraint_reads_nothing(patch: Patch) -> None:
    def live(procedure: Procedure) -> tuple[frozenset[Variable], ...]:
        edges = tuple(
            replace(edge, constraint=TRUE) if isinstance(edge, Step) else edge
            for edge in procedure.edges
        )
        return live_variables(replace(procedure, edges=edges))

    patch.setattr(program_fields, "live_variables", live)


def a_fork_forgets_who_it_is(patch: Patch) -> None:
    def stored(self: WithSlots, edge: Fork, name: Expression, *passed: object) -> list[Assignment]:
        return was(self, replace(edge, variable=None), name, *passed)  # type: ignore[arg-type]

    was = slot_edges.WithSlots._stored
    patch.setattr(WithSlots, "_stored", stored)


def an_equal_slot_goes_on_with_the_next_thread(patch: Patch) -> None:
    was = slots._equal_slot

    def equal_slot(books: Books) -> tuple[Procedure, dict[Edge, Taken]]:
        made, starts = was(books)
        return replace(made, edges=(Step(1, 0), *made.edges[1:])), starts

    patch.setattr(slots, "_equal_slot", equal_slot)


def an_equal_thread_is_not_asked_to_start(patch: Patch) -> None:
    was = Books.ask_equal
    patch.setattr(Books, "ask_equal", lambda self, kind: was(self, kind)[1:])


def there_is_always_room_for_equal_threads(patch: Patch) -> None:
    patch.setattr(Books, "room_for_equal", lambda _self: TRUE)


def arguments_of_equal_threads_are_exchanged(patch: Patch) -> None:
    was = slots._equal_slot

    def equal_slot(books: Books) -> tuple[Procedure, dict[Edge, Taken]]:
        made, starts = was(books)
        edges = tuple(
            replace(edge, arguments=edge.arguments[::-1]) if isinstance(edge, Call) else edge
            for edge in made.edges
        )
        return replace(made, edges=edges), starts

    patch.setattr(slots, "_equal_slot", equal_slot)


def _edges_become(patch: Patch, change: Callable[[Edge], Edge]) -> None:
    was = WithSlots.__init__

    def init(self: WithSlots, books: Books, procedure: Procedure) -> None:
        was(self, books, procedure)
        made = self.procedure
        self.procedure = replace(made, edges=tuple(map(change, made.edges)))

    patch.setattr(WithSlots, "__init__", init)


def a_thread_takes_itself_for_another(patch: Patch) -> None:
    def other(expression: Expression) -> Expression:
        if isinstance(expression, Self):
            return Constant(2, THREAD)
        return with_operands(expression, other)

    _edges_become(patch, lambda edge: with_expressions(edge, other))


def a_call_is_left_out(patch: Patch) -> None:
    def skipped(edge: Edge) -> Edge:
        if isinstance(edge, Call) and edge.procedure == "g":
            return Step(edge.source, edge.target)
        return edge

    _edges_become(patch, skipped)


BOUNDED = tepui.Options(contexts=2)
EQUAL = tepui.Options(engine="explicit", strengths=())

FAULTS = [
    Fault(
        "an argument is not evaluated",
        NO_VALUE,
        an_argument_is_not_evaluated,
        "bounded",
        BOUNDED,
        bounds=False,
    ),
    Fault(
        "an argument is not passed",
        NEVER_PASSED,
        an_argument_is_not_evaluated,
        "bounded",
        BOUNDED,
    ),
    Fault("a slot is reused too early", REUSED, a_slot_is_reused_too_early, "unsafe"),
    Fault("names are not counted", REUSED, names_are_not_counted, "unsafe"),
    Fault("a global name stays stale", STALE_GLOBAL, a_global_name_stays_stale, "unsafe"),
    Fault(
        "a published name stays stale",
        PUBLISHED,
        a_published_name_stays_stale,
        "safe",
        deadlock=True,
    ),
    Fault("join does not wait", JOINED, join_does_not_wait, "safe"),
    Fault("join never goes on", AFTER_JOIN, join_never_goes_on, "unsafe"),
    Fault("a lack of slots is not told", LOOP, a_lack_of_slots_is_not_told, "unknown"),
    Fault("a bound has one slot too few", TWO, a_bound_has_one_slot_too_few, "bounded", BOUNDED),
    Fault("arguments are exchanged", ARGUMENTS, arguments_are_exchanged, "safe"),
    Fault(
        "a slot is free too early", LAST_STEP, a_slot_is_free_before_its_thread_has_ended, "safe"
    ),
    Fault("a place is taken for the next", JOINED, a_place_is_taken_for_the_next, "safe"),
    Fault("an idle slot is stuck", JOINED, a_slot_without_a_thread_is_stuck, "safe", deadlock=True),
    Fault("a live value is forgotten", FORGOTTEN, a_live_value_is_forgotten, "safe"),
    Fault("a constraint reads nothing", CONSTRAINED, a_constraint_reads_nothing, "safe"),
    Fault("a fork forgets who it is", AFTER_JOIN, a_fork_forgets_who_it_is, "unsafe"),
    Fault(
        "a thread takes itself for another", KNOWING, a_thread_takes_itself_for_another, "unsafe"
    ),
    Fault("a call is left out", LAST_CALL, a_call_is_left_out, "unsafe", unreachable="L"),
    Fault(
        "a call in a section is left out",
        CALL_INSIDE,
        a_call_is_left_out,
        "unsafe",
        unreachable="L",
    ),
]

FAULTS += [
    Fault(
        "an equal slot goes on with the next thread",
        NEXT,
        an_equal_slot_goes_on_with_the_next_thread,
        "unsafe",
        EQUAL,
    ),
    Fault(
        "an equal thread is not asked to start",
        TWO,
        an_equal_thread_is_not_asked_to_start,
        "unsafe",
        EQUAL,
    ),
    Fault(
        "there is always room for equal threads",
        LOOP,
        there_is_always_room_for_equal_threads,
        "unknown",
        EQUAL,
    ),
    Fault(
        "arguments of equal threads are exchanged",
        ARGUMENTS,
        arguments_of_equal_threads_are_exchanged,
        "safe",
        EQUAL,
    ),
    Fault("a lack of equal slots is missing", LOOP, a_lack_of_slots_is_not_told, "unknown", EQUAL),
]


def without_bounds(program: Program) -> Program:
    """The program without the assertions that indices are inside of their arrays."""

    def left(procedure: Procedure) -> Procedure:
        edges = tuple(
            Step(edge.source, edge.target)
            if isinstance(edge, Assert) and edge.kind == "bounds"
            else edge
            for edge in procedure.edges
        )
        return replace(procedure, edges=edges)

    return replace(program, procedures=tuple(map(left, program.procedures)))


def verdict(fault: Fault, *, check: bool = True) -> str:
    program = program_of(fault.text)
    if not fault.bounds:
        program = without_bounds(program)
    question = tepui.deadlock() if fault.deadlock else None
    if fault.unreachable is not None:
        question = tepui.unreachable(program, fault.unreachable)
    return tepui.verify(program, question, replace(fault.options, check=check)).verdict


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.usefixtures("without_coverability")
def test_the_checker_catches_the_fault(fault: Fault, monkeypatch: Patch) -> None:
    assert verdict(fault) == fault.right
    fault.put(monkeypatch)
    with pytest.raises(tepui.EvidenceRejected):
        verdict(fault)
