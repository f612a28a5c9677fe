"""Programs with forks as ordinary programs, with slots for the forked threads (QR, section 4).

`with_slots` allows a fixed number of forked threads at once, for any number of contexts. A fork
takes the first free slot; a slot runs the procedure and is free again after it. If no slot is
free, an assertion of its own fails. If that cannot happen, nothing is missing: what the program
with slots never does, the program with forks never does either. Up to that failure all its runs are
runs of the program with forks.

`with_bound` is QR's reduction for k contexts. Forked threads run in at most k - 1 of them, since
another thread runs first. A fork takes the next slot that was never used (ABSFORK), or the thread
is one of those that never run (ABSFORKNDET); waiting for one of these never ends. Such a thread
could run, so a program that has forked one is not stuck: the thread `others` can always move then.

With `equal`, if all forked threads are equal before they start, they are only counted when they are
forked, and run in slots that are equal, too (`slot_variables`).

A thread starts with one step of its own, and ends with one more after its last return (ABSSEQEND).
`point` translates the points of the original program.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from tepui.errors import ModelError, UsageError
from tepui.program.expressions import TRUE, Binary, Constant, Expression, Read, Variable
from tepui.program.identities import in_fixed_places
from tepui.program.layout import Cell
from tepui.program.passes import MOST_SLOTS
from tepui.program.passes.slot_edges import Taken, WithSlots
from tepui.program.passes.slot_variables import NEVER, Books
from tepui.program.program import (
    NOWHERE,
    Assert,
    Assignment,
    Call,
    Derived,
    Edge,
    Location,
    Procedure,
    Program,
    Receive,
    Step,
    Thread,
    refuse_integers,
)
from tepui.program.types import ThreadId
from tepui.program.validate import validate
from tepui.records import field, record, replace


@record
class Slotted(Derived):
    """A program in which forked threads run in slots, and what it was made from."""

    made_by: ClassVar[str] = "slots"

    slots: int = field(kw_only=True)
    bound: int | None = field(kw_only=True)
    """For how many contexts it stands for the original; None for any number."""
    equal: bool = field(kw_only=True)
    """Whether the threads are equal before they start, and so are the slots."""
    books: Books = field(kw_only=True, compare=False)
    """The hidden variables, and what they say."""
    taken: Mapping[tuple[int, Edge], Taken] = field(kw_only=True, compare=False)
    """The edges that fork, with the numbers of their procedures: what they run, in which slot."""
    lacks: frozenset[tuple[int, Assert]] = field(kw_only=True, compare=False)
    """The assertions that fail if no slot is free."""

    def point(self, original: int) -> int:
        before, now = self.original.layout, self.layout
        if original < before.waiting:
            return now.point(*before.locations[original])
        return now.violation(self._assertions[original - before.violation(0)])

    @property
    def lack_points(self) -> list[int]:
        """The points of threads that found no free slot."""
        layout = self.layout
        return [layout.violation(number) for number in self._numbers(lacks=True)]

    def status(self, slot: int) -> int:
        """Which scalar of a shared state says what a slot, counted from 1, is doing."""
        idle = self.layout.idle(self.threads[len(self.original.threads) + slot - 1])
        assert idle is not None
        return idle[1]

    def names_threads(self, cell: Cell) -> bool:
        """Whether the values of a scalar are names of threads."""
        return cell.type == self.books.names or isinstance(cell.type, ThreadId)

    def slot_named(self, value: int) -> int | None:
        """The slot that such a value names, counted from 1; or, behind these, a name of a thread
        that never runs. None for anybody else."""
        slot = value - self.books.name(0).value
        return slot if slot > 0 else None

    def never_runs(self, value: int) -> bool:
        """Whether such a value names a thread that never runs."""
        if not self.books.compared:
            return self.bound is not None and value == NEVER
        slot = self.slot_named(value)
        return slot in self.books.unrun

    def slot_of(self, thread: int) -> int:
        """The slot that a thread is, counted from 1. Threads of the original program have smaller
        numbers."""
        return thread - len(self.original.thread_types) + 1

    @cached_property
    def _assertions(self) -> list[int]:
        """For each assertion of the original program, its number here."""
        return self._numbers(lacks=False)

    def _numbers(self, *, lacks: bool) -> list[int]:
        return [
            number
            for number, assertion in enumerate(self.layout.assertions)
            if ((assertion.procedure, assertion.edge) in self.lacks) == lacks
        ]


def slotted(program: Program | None) -> Slotted:
    """A program that this pass made, as what it is."""
    assert isinstance(program, Slotted)
    return program


def with_slots(program: Program, slots: int, *, equal: bool = False) -> Slotted:
    """The program with at most `slots` forked threads at once, for any number of contexts. With
    `equal`, the slots are equal if the threads are, before they start."""
    if not 1 <= slots <= MOST_SLOTS:
        raise UsageError(f"{slots} slots for forked threads: expected 1 to {MOST_SLOTS}")
    return _slotted(program, slots, None, equal=equal)


def with_bound(program: Program, contexts: int) -> Slotted:
    """A program whose runs in `contexts` contexts are those of this program."""
    if not 0 <= contexts <= MOST_SLOTS:
        raise UsageError(f"{contexts} contexts of forked threads: expected 0 to {MOST_SLOTS}")
    return _slotted(program, max(0, contexts - 1), contexts)


def _slotted(program: Program, slots: int, bound: int | None, *, equal: bool = False) -> Slotted:
    refuse_integers(program)
    validate(program)
    if not in_fixed_places(program):
        raise ModelError(
            f"{program.name}: a program that forks threads can keep their identities in variables "
            "and in global arrays, but not in arrays of a procedure, nor return or inherit them"
        )
    books = Books(program, slots, reuse=bound is None, equal=equal)
    rewritten = [WithSlots(books, procedure) for procedure in program.procedures]
    runners = [_slot(books, slot) for slot in books.slots]
    if bound is not None:
        runners.append(_others(books))
    idle = [*map(books.status, books.slots), *([] if bound is None else [books.others])]
    others = [Thread(f"#{name}", "#others", idle=books.others) for name in books.unrun]
    threads = [Thread(r.name, r.name, idle=i) for r, i in zip(runners, idle, strict=True)]
    threads[len(books.slots) : len(books.slots)] = others
    taken = {
        (number, edge): taken
        for number, one in enumerate(rewritten)
        for edge, taken in one.taken.items()
    }
    if books.kinds:
        equal_slot, starts = _equal_slot(books)
        taken |= {(len(rewritten) + len(runners), edge): each for edge, each in starts.items()}
        runners.append(equal_slot)
        name = equal_slot.name
        threads.append(Thread(name, name, slots, idle=books.has_equals))
    return Slotted(
        procedures=(*(one.procedure for one in rewritten), *runners),
        threads=(*program.threads, *threads),
        globals=(*map(books.variable, program.globals), *books.hidden),
        lock=program.lock,
        name=program.name,
        error_labels=program.error_labels,
        warnings=program.warnings,
        original=program,
        slots=slots,
        bound=bound,
        equal=bool(books.kinds),
        books=books,
        taken=taken,
        lacks=frozenset((n, edge) for n, one in enumerate(rewritten) for edge in one.lacks),
    )


def _slot(books: Books, slot: int) -> Procedure:
    """What a slot does: wait until it is asked, run the procedure, and end the thread."""
    name = f"#{slot}"
    waiting, ending = 0, 1
    locations = [Location(NOWHERE), Location(NOWHERE)]
    last = Step(ending, waiting if books.reuse else None, assignments=tuple(books.over(slot)))
    edges: list[Edge] = [last]
    variables: list[Variable] = []
    for procedure in books.forked:
        callee = books.program.by_name[procedure]
        starting, after = len(locations), ending
        locations.append(Location(NOWHERE, atomic=True))
        taking = [books.running(slot)]
        arguments: list[Expression] = [
            Constant(parameter.scalar.low, books.variable(parameter).scalar)
            for parameter in callee.variables[: callee.parameters]
        ]
        for number, hidden in books.arguments(slot, procedure).items():
            mine = replace(hidden, procedure=name)
            variables.append(mine)
            arguments[number] = Read(mine)
            emptied = Constant(hidden.scalar.low, hidden.scalar)
            taking += [Assignment(mine, Read(hidden)), Assignment(hidden, emptied)]
        asked = books.is_asked(slot, procedure)
        edges.append(Step(waiting, starting, asked, tuple(taking)))
        if callee.results:
            after = len(locations)
            locations.append(Location(NOWHERE))
            edges.append(Receive(after, ending, (None,) * len(callee.results)))
        edges.append(Call(starting, after, procedure, tuple(arguments)))
    return Procedure(name, tuple(locations), tuple(edges), tuple(variables))


def _equal_slot(books: Books) -> tuple[Procedure, dict[Edge, Taken]]:
    """What an equal slot does, and the edges by which it takes threads."""
    waiting, ending = 0, 1
    locations = [Location(NOWHERE), Location(NOWHERE)]
    edges: list[Edge] = [Step(ending, None)]
    starts: dict[Edge, Taken] = {}
    for kind, (procedure, arguments) in enumerate(books.kinds):
        starting, after = len(locations), ending
        locations.append(Location(NOWHERE, atomic=True))
        taking = (books.take_equal(kind),)
        start = Step(waiting, starting, books.is_equal_asked(kind), taking)
        starts[start] = Taken(procedure, None, kind)
        edges.append(start)
        results = books.program.by_name[procedure].results
        if results:
            after = len(locations)
            locations.append(Location(NOWHERE))
            edges.append(Receive(after, ending, (None,) * len(results)))
        edges.append(Call(starting, after, procedure, arguments))
    return Procedure("#equal", tuple(locations), tuple(edges)), starts


def _others(books: Books) -> Procedure:
    """The procedure of all threads that never run: they do nothing, but could move."""
    guard = Binary("=", Read(books.others), TRUE)
    return Procedure("#others", (Location(NOWHERE),), (Step(0, 0, guard),))
