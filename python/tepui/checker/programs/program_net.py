"""The net of a program with any number of threads, for the checker and for those who seek evidence.

A token is the shared state, or a thread: its stack, with values. A *kind* of thread is a type of
the program, by its number, or what runs a procedure that was forked: the number of the procedure,
after all types. The net has a place for each shared state and for each state of a thread (`Local`)
that were found, and a transition for each step of a thread in a shared state; what a step forks are
tokens that are added. It is found thread by thread: a *pair* is a shared state and a state of a
thread that may be there at the same time, and what one thread does changes the shared state for all
others. Without recursion, there are finitely many pairs.

**Why this is right.** Threads have no identities here, and nothing depends on who takes a step, so
those of one kind differ in their stacks only, and it is enough to count them. The steps are those
of the reference semantics, in which no more than one thread of each type is needed to ask for them.
They are fused as always: what they pass is local, and no place that is named. Pairs are closed
under these rules: (1) the initial shared state is with each initial state of a thread; (2) if a
step leads from (g, u) to g', then g' is with what becomes of u, and with what the step has forked;
(3) then g' is also with every v that is with g, unless u and v are of a type that has one thread
only. By induction over a run, all threads of a state of the program are in pairs with its shared
state: the one that moves, and what it forks, by (2), the others by (3), as another thread of the
same type can only be there if that has several. So every step of the program, from a state that can
be reached, is a transition of the net. Conversely, a transition is taken only where its tokens are,
and there it is a step of the program. A thread whose stack is empty has no more steps, and no
place, unless the results of its procedure are yet to be lost. ∎

**Control states.** So the control states of the net, each shared state and what is in pairs with
it, need no check. Nothing leads on from a shared state in which the program has halted.

What a program waits for, compares, or recurses into may not be like this: such programs are refused
by name, with a `NoNet`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from tepui.checker.evidence import Bad
from tepui.checker.net_search import NoNet, PairSearch, ThreadNet
from tepui.checker.patience import Patience
from tepui.errors import ModelError
from tepui.model.net import Marking, marking_of
from tepui.program.calls import forked_by, procedures_run_by, with_all_called
from tepui.program.expressions import Choice, Self, inside
from tepui.program.layout import Frame, Fused, SharedState, Value, rank
from tepui.program.program import Call, Derived, Join, Program, refuse_integers
from tepui.program.semantics.edges import Word
from tepui.program.semantics.forks import Forked
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import points_inside
from tepui.program.state_names import frame_text, shared_text
from tepui.program.types import THREAD
from tepui.program.walk import expressions_of
from tepui.records import record, replace

MOST_FORKED_AT_ONCE = 100
"""A step that forks more threads than this is refused: an atomic section may fork without end."""


MOST_VALUES = 1 << 12
"""Types with more values make steps with too many outcomes."""


class Local(NamedTuple):
    """What a thread is at: its kind, and its stack. One that was forked and has not started has no
    stack, but arguments."""

    kind: int
    word: Word
    arguments: tuple[Value, ...] | None = None


@record
class ProgramNet(ThreadNet):
    """The net of a program."""

    shared: tuple[SharedState, ...]
    locals: tuple[Local, ...]


def program_net(
    program: Program,
    bad: Sequence[Bad],
    go_on: Callable[[], bool] = lambda: True,
    most: int | None = None,
) -> ProgramNet:
    """The net of a program, in which what is bad is at hand; a `NoNet` if it has none.

    At most this number of pairs is looked at. `go_on` is called now and then, and CheckStopped is
    raised when it returns false.
    """
    refuse(program)
    kinds = len(program.threads) + len(program.procedures)
    if not all(0 <= kind < kinds for some in bad for kind, _ in some):
        raise NoNet("what is bad is about a kind of thread that the program does not have")
    threads = _Threads(program, frozenset(point for some in bad for _, point in some))
    search = PairSearch(threads, Patience(go_on), most)
    begun = search.run()
    return _assembled(threads, search, begun, bad)


def refuse(program: Program) -> None:
    """A `NoNet` that names what keeps a program from having a net."""
    if isinstance(program, Derived):
        raise NoNet(f"{program.name} was made of another program")
    try:
        refuse_integers(program)
        reason = _reason(program)
    except ModelError as error:
        raise NoNet(str(error)) from error
    if reason is not None:
        raise NoNet(f"{program.name} {reason}")


def kinds_at(program: Program, point: int) -> list[int]:
    """The kinds of threads that may be at a point."""
    procedure, types = program.layout.procedure_number(point), len(program.threads)
    forked = forked_by(edge for each in program.procedures for edge in each.edges)
    found = [kind for kind in range(types) if procedure in procedures_run_by(program, kind)]
    for number, each in enumerate(program.procedures):
        if each.name in forked and procedure in with_all_called(program, [number]):
            found.append(types + number)
    return found


def bad_of(program: Program, places: Sequence[Sequence[int]]) -> list[Bad]:
    """What is bad by a question, from its `places`: the points at which one thread must not be, or
    for each of two threads such points, perhaps several times."""

    def all_at(points: Iterable[int]) -> list[tuple[int, int]]:
        return [(kind, point) for point in points for kind in kinds_at(program, point)]

    if len(places) == 1:
        return [(one,) for one in all_at(places[0])]
    pairs = zip(places[::2], places[1::2], strict=True)
    found = (each for left, right in pairs for each in product(all_at(left), all_at(right)))
    return [(one, other) for one, other in dict.fromkeys(found)]


def _reason(program: Program) -> str | None:
    """What a program does that a net cannot, in words."""
    if program.lock is not None:
        return f"has the scheduler lock {program.lock.name}"
    edges = [edge for procedure in program.procedures for edge in procedure.edges]
    if any(isinstance(edge, Join) for edge in edges):
        return "waits for the end of threads"
    local = (variable for procedure in program.procedures for variable in procedure.variables)
    variables = (*program.globals, *local)
    has_names = any(variable.scalar == THREAD for variable in variables)
    parts = [part for edge in edges for some in expressions_of(edge) for part in inside(some)]
    if has_names or any(isinstance(part, Self) for part in parts):
        return "has variables or expressions that name threads"
    scalars = {each.scalar for each in variables}
    scalars |= {part.type for part in parts if isinstance(part, Choice)}
    if any(scalar.size > MOST_VALUES for scalar in scalars):
        return f"has variables with more than {MOST_VALUES:,} values"
    if any(THREAD in procedure.results for procedure in program.procedures):
        return "has procedures that return the names of threads"
    if program.layout.limits:
        return "is translated up to limits"
    recursive = _recursive(program)
    return f"has a procedure that may call itself: {recursive}" if recursive else None


def _recursive(program: Program) -> str | None:
    """A procedure that may call itself and does more afterwards: calls that leave no frame need no
    stack."""
    started = [thread.procedure for thread in program.threads]
    started += forked_by(edge for each in program.procedures for edge in each.edges)
    for number in with_all_called(program, map(program.numbers.__getitem__, started)):
        procedure = program.procedures[number]
        calls = (edge for edge in procedure.edges if isinstance(edge, Call))
        keep = [call for call in calls if not program.layout.is_tail_call(number, call)]
        called = [program.numbers[call.procedure] for call in keep]
        if number in with_all_called(program, called):
            return procedure.name
    return None


class _Threads:
    """What one thread does, by the reference semantics."""

    def __init__(self, program: Program, named: frozenset[int]) -> None:
        self.program = program
        self.types = len(program.threads)
        self.counts = tuple(thread.count for thread in program.threads)
        single = replace(
            program, threads=tuple(replace(thread, count=1) for thread in program.threads)
        )
        self.layout = single.layout
        fused = Fused(
            frozenset(point for point in named if point < self.layout.waiting),
            frozenset(range(len(program.procedures))),
        )
        self._meaning = Meaning(single, probes=named & points_inside(program), fused=fused)
        self._registers = self._meaning.registers
        self._registers.most = MOST_FORKED_AT_ONCE
        self._forked = self.layout.hidden.get("forked")
        self._halted = self.layout.hidden.get("halted")

    def initial(self) -> tuple[SharedState, list[Local]]:
        """The initial shared state, and how a thread of each type begins."""
        begun = [Local(kind, self._meaning.initial_stack(kind)) for kind in range(self.types)]
        return self._meaning.initial_shared(), begun

    def steps(
        self, shared: SharedState, local: Local
    ) -> list[tuple[SharedState, tuple[Local, ...]]]:
        """All steps of a thread: the shared state after each, and the threads that are there in
        place of this one."""
        if self._halted is not None and shared[self._halted] == 1:
            return []
        if not local.word:
            return self._without_frame(shared, local)
        top, *below = local.word
        found = {
            self._after(local, after, (*word, *below))
            for after, word in self._meaning.rules(min(local.kind, self.types), shared, top)
        }
        if self._registers.left_out:
            raise NoNet(f"{self.program.name} may fork without end in one step")
        return sorted(found - {(shared, (local,))}, key=_order)

    def _after(
        self, local: Local, shared: SharedState, word: Word
    ) -> tuple[SharedState, tuple[Local, ...]]:
        """Where a step leads, with what it has forked as threads."""
        own = [local._replace(word=word)] if word or self._loses_results(local.kind) else []
        if self._forked is None:
            return shared, tuple(own)
        forked = [
            Local(self.types + each.procedure, (), each.arguments)
            for each in self._registers[shared[self._forked]]
        ]
        return self._with_register(shared, ()), tuple(own + forked)

    def _without_frame(
        self, shared: SharedState, local: Local
    ) -> list[tuple[SharedState, tuple[Local, ...]]]:
        """A forked thread starts, or its results are lost, and nothing else is left to do."""
        procedure = local.kind - self.types
        if local.arguments is None:
            alone = Forked(procedure, (), "running")
        else:
            alone = Forked(procedure, local.arguments, "asked")
        found = self._meaning.rules_without_frame(self.types, self._with_register(shared, (alone,)))
        started = [Local(local.kind, word) for _, word in found if word]
        return [(self._with_register(after, ()), tuple(started)) for after, _ in found]

    def _loses_results(self, kind: int) -> bool:
        """Whether a thread has one more step when its stack is empty."""
        number = kind - self.types
        return number >= 0 and bool(self.program.procedures[number].results)

    def _with_register(self, shared: SharedState, register: tuple[Forked, ...]) -> SharedState:
        assert self._forked is not None
        number = self._registers.number(register)
        return (*shared[: self._forked], number, *shared[self._forked + 1 :])


def _assembled(
    threads: _Threads,
    search: PairSearch[SharedState, Local],
    begun: Sequence[int],
    bad: Sequence[Bad],
) -> ProgramNet:
    """What a search has found, as a net."""
    program = threads.program
    places = (
        *(shared_text(threads.layout, shared) for shared in search.shared),
        *(_local_text(threads, local) for local in search.locals),
    )
    initial = [(0, None) if count is None else (count, count) for count in threads.counts]
    targets = _targets(search.locals, len(search.shared), bad)
    found = search.net(program.name, begun, places, initial, targets)
    return ProgramNet(
        found.net, found.invariants, found.control, tuple(search.shared), tuple(search.locals)
    )


def _targets(found: Sequence[Local], first: int, bad: Sequence[Bad]) -> Iterator[Marking]:
    """The markings that are bad: for each thread that is named, all states it may have there."""
    at: dict[tuple[int, int], list[int]] = {}
    for place, local in enumerate(found, start=first):
        if local.word:
            at.setdefault((local.kind, local.word[0].point), []).append(place)
    for some in bad:
        for threads in product(*(at.get(each, ()) for each in some)):
            yield marking_of(Counter(threads))


def _local_text(threads: _Threads, local: Local) -> str:
    """A state of a thread, by the name of its kind."""
    program, number = threads.program, local.kind - threads.types
    if number < 0:
        kind = program.threads[local.kind].name
    else:
        kind = f"forked {program.procedures[number].name}"
    if local.arguments is not None:
        given = " ".join("-" if value is None else str(value) for value in local.arguments)
        return f"{kind}, to start with {given}" if given else f"{kind}, to start"
    frames = ", ".join(frame_text(threads.layout, frame) for frame in local.word)
    return f"{kind}: {frames or 'over'}"


def _order(step: tuple[SharedState, tuple[Local, ...]]) -> tuple[object, ...]:
    """A key that sorts."""
    shared, tokens = step
    return list(map(rank, shared)), [
        (local.kind, [_frame_order(frame) for frame in local.word], _ranks(local.arguments or ()))
        for local in tokens
    ]


def _frame_order(frame: Frame) -> tuple[object, ...]:
    below = () if frame.below is None else _frame_order(frame.below)
    return frame.point, _ranks(frame.values), below


def _ranks(values: Iterable[Value]) -> list[tuple[int, int]]:
    return list(map(rank, values))
