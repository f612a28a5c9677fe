"""Evidence about programs: checked like any other, on rules that the reference semantics gives.

Evidence about a program speaks of states by numbers, and tables say which states these are. From
the tables and the evidence a plain System is built: for every shared state and top of a stack that
occur together in the evidence, it has exactly the rules that `program.meaning` gives. The checker
looks at no other rules (those of a trace apply along it, those of a certificate in its states), so
what it accepts of this System holds of the program. States outside the tables get numbers beyond
them. Evidence that uses such a number is rejected, for nobody said what it means and the System
lacks its rules; so whatever leads to such a state is found missing.

Tables are untrusted, as evidence is. They are looked at before use, and no state may have two
numbers. The program and the property are trusted. The options of its meaning need not be, as any of
them are faithful to the program; but they must fit the property: one that names a place inside an
atomic section says something only if the place is watched. Whether a program can be stuck may
depend on variables that have no value yet; `cases` tells how that is seen.
The class of a frame, by which patterns name it, is its point + 1; the empty stack has class 0.
A thread that has nothing to do yet (`layout.idle`) cannot be stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar, overload

from tepui.checker.certificate import (
    Certificate,
    DiagramCertificate,
    Evidence,
    SymbolicCertificate,
)
from tepui.checker.checker import check
from tepui.checker.diagrams import pairs_in_diagram
from tepui.checker.patience import Patience
from tepui.checker.products import pairs_in_products
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, Rule, System, Template
from tepui.model.build import EMPTY
from tepui.model.system import Word
from tepui.program.layout import (
    Frame,
    Layout,
    SharedState,
    Slot,
    Value,
    point_class,
)
from tepui.program.program import Program
from tepui.program.semantics.evaluation import values_of
from tepui.program.semantics.meaning import Configuration, Meaning, meaning_of
from tepui.program.semantics.sections import points_inside
from tepui.program.states import (
    frame_text,
    parse_frame,
    parse_shared,
    point_text,
    shared_text,
    thread_names,
)

_STEPS_PER_PAIR = 10

Pair = tuple[int, int]
"""A shared state and the top of a stack."""


@dataclass(frozen=True, slots=True)
class ProgramTables:
    """The states that the numbers in evidence stand for."""

    shared: Sequence[SharedState]
    frames: Sequence[Sequence[Frame]]
    """For each thread type, its frames by symbol; what is at EPSILON is not looked at."""


@dataclass(frozen=True, slots=True)
class StateOptions:
    """What the states of a program look like (`program.meaning`); a file of evidence says it."""

    liveness: bool = True
    watched: frozenset[int] = frozenset()
    decide_first: ClassVar[bool] = False


def options_for(program: Program, asked: Property, *, liveness: bool = True) -> StateOptions:
    """The options that a property needs."""
    watched = _named_points(asked) & points_inside(program)
    return StateOptions(liveness, watched)


def meaning_for(program: Program, asked: Property, *, liveness: bool = True) -> Meaning:
    """The meaning of a program with the options that a property needs."""
    return meaning_of(program, options_for(program, asked, liveness=liveness))


def check_program(
    program: Program,
    meaning: Meaning,
    asked: Property,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError with the first reason if not.

    `go_on` is asked now and then, and CheckStopped is raised when it says no.
    """
    _check_options(program, meaning, asked)
    evidence = _fixed(evidence)
    system = system_for(program, meaning, tables, evidence, go_on, deadlock=asked.deadlock)
    check(system, asked, evidence, go_on)


def system_for(
    program: Program,
    meaning: Meaning,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
    *,
    deadlock: bool = False,
) -> System:
    """A System with all rules of the program that matter to the evidence, and if that is asked,
    with the cases in which threads cannot move."""
    if meaning.program != program:
        raise ValueError("this is the meaning of another program")
    _check_tables(meaning.layout, tables)
    numbering = _Numbering(tables)
    kinds = program.thread_types
    wanted: list[set[Pair]] = [set() for _ in program.threads]
    named = named_system(meaning.layout, tables)
    for kind, pairs in zip(kinds, pairs_in_evidence(named, evidence, go_on), strict=True):
        _check_pairs(tables, kind, pairs)
        wanted[kind] |= pairs
    rules = [
        list(_rules(meaning, kind, sorted(pairs), numbering, go_on))
        for kind, pairs in enumerate(wanted)
    ]
    initial = numbering.shared.number(meaning.initial_shared())
    stacks = [
        numbering.word(kind, meaning.initial_stack(kind)) for kind in range(len(program.threads))
    ]
    system = _system(meaning.layout, numbering, initial, stacks, rules)
    return _with_cases(system, meaning, numbering, wanted, go_on) if deadlock else system


def _with_cases(
    system: System,
    meaning: Meaning,
    numbering: _Numbering,
    wanted: Sequence[set[Pair]],
    go_on: Callable[[], bool],
) -> System:
    """The same system, with what its threads can do depending on variables without a value.

    The cases of a shared state are all ways to decide those of its variables on which some thread
    depends.
    """
    patience = Patience(go_on)
    stuck: list[dict[Pair, list[SharedState]]] = [{} for _ in wanted]
    open_places: dict[int, set[int]] = {}
    for kind, pairs in enumerate(wanted):
        frames = numbering.frames[kind].items
        for pair in patience.each(sorted(pairs)):
            shared, top = pair
            if top != EPSILON:
                patience.spend(_STEPS_PER_PAIR)
                state = numbering.shared.items[shared]
                found = [case for case, _ in meaning.stuck(kind, state, frames[top - 1])]
                stuck[kind][pair] = found
                decided = {place for case in found for place in _decided(state, case)}
                open_places.setdefault(shared, set()).update(decided)
    cases = {
        shared: _cases(meaning.layout, numbering.shared.items[shared], sorted(places))
        for shared, places in open_places.items()
    }
    templates = tuple(
        replace(
            template,
            stuck={
                pair: frozenset(
                    number
                    for number, case in enumerate(cases[pair[0]])
                    if any(_is_case(case, given) for given in given_cases)
                )
                for pair, given_cases in stuck[kind].items()
            },
        )
        for kind, template in enumerate(system.templates)
    )
    several = {shared: len(listed) for shared, listed in cases.items() if len(listed) > 1}
    return replace(system, templates=templates, cases=several)


def _decided(state: SharedState, case: SharedState) -> list[int]:
    """The places at which a case decides what the state leaves open."""
    return [place for place, value in enumerate(case) if state[place] != value]


def _cases(layout: Layout, state: SharedState, places: Sequence[int]) -> list[SharedState]:
    """All ways to decide the variables at some places."""
    cases = [state]
    for place in places:
        values = values_of(layout.shared_slots[place].type)
        cases = [(*c[:place], value, *c[place + 1 :]) for c in cases for value in values]
    return cases


def _is_case(case: SharedState, of: SharedState) -> bool:
    """Whether a case decides everything in the same way as another one, and perhaps more."""
    return all(theirs is None or mine == theirs for mine, theirs in zip(case, of, strict=True))


def named_system(layout: Layout, tables: ProgramTables) -> System:
    """A System with the names of the states in the tables, which can do nothing."""
    kinds = len(layout.program.threads)
    return _system(layout, _Numbering(tables), 0, [()] * kinds, [[]] * kinds)


class ProgramNames:
    """The states that names in a file stand for, numbered in the order in which they are met."""

    def __init__(self, program: Program) -> None:
        self.system = program.name
        self.threads = thread_names(program)
        self.groups = _groups(program)
        self._layout = program.layout
        self._classes = class_names(self._layout)
        self._inside = points_inside(program)
        self._kinds = program.thread_types
        self._numbering = _Numbering(ProgramTables((), ((),) * len(program.threads)))
        self._shared: dict[str, int] = {}
        self._symbols: list[dict[str, int]] = [{EMPTY: EPSILON} for _ in program.threads]

    def shared(self, name: str) -> int:
        if name not in self._shared:
            state = parse_shared(self._layout, name)
            self._shared[name] = self._numbering.shared.number(state)
        return self._shared[name]

    def symbol(self, thread: int, name: str) -> int:
        kind = self._kinds[thread]
        symbols = self._symbols[kind]
        if name not in symbols:
            frame = parse_frame(self._layout, name)
            symbols[name] = self._numbering.word(kind, (frame,))[0]
        return symbols[name]

    def symbol_class(self, _: int, name: str) -> int:
        if name not in self._classes:
            raise ValueError(f"there is no place {name!r} in the program")
        return self._classes[name]

    def watched(self, name: str) -> int:
        """The point of a place inside an atomic section."""
        point = self.symbol_class(0, name) - 1
        if point not in self._inside:
            raise ValueError(f"{name!r} is not inside an atomic section")
        return point

    def tables(self) -> ProgramTables:
        """The states that were met so far."""
        unused = Frame(self._layout.waiting)
        return ProgramTables(
            tuple(self._numbering.shared.items),
            tuple((unused, *frames.items) for frames in self._numbering.frames),
        )


def _groups(program: Program) -> tuple[tuple[int, ...], ...]:
    """The threads of each type."""
    kinds = list(enumerate(program.thread_types))
    return tuple(
        tuple(thread for thread, of in kinds if of == kind) for kind in range(len(program.threads))
    )


def class_names(layout: Layout) -> dict[str, int]:
    """The names of all classes, in the order of their numbers.

    The last one is of no frame: a question about places where no thread can be asks for it.
    """
    points = [point_text(layout, point) for point in range(layout.points)]
    return {name: number for number, name in enumerate([EMPTY, *points, "nowhere"])}


_Item = TypeVar("_Item", bound=Hashable)


class _Numbers(Generic[_Item]):
    """Items numbered from some number on, in the order in which they are met."""

    def __init__(self, first: int, items: Iterable[_Item]) -> None:
        self._first = first
        self.items = list(items)
        self._numbers = {item: first + index for index, item in enumerate(self.items)}
        if len(self._numbers) < len(self.items):
            raise EvidenceError("the tables of the evidence list a state twice")

    def number(self, item: _Item) -> int:
        number = self._numbers.setdefault(item, self._first + len(self.items))
        if number == self._first + len(self.items):
            self.items.append(item)
        return number


class _Numbering:
    """The states of the tables, and those met beyond them."""

    def __init__(self, tables: ProgramTables) -> None:
        self.shared = _Numbers(0, map(tuple, tables.shared))
        self.frames = [
            _Numbers(1, (Frame(frame.point, tuple(frame.values)) for frame in frames[1:]))
            for frames in tables.frames
        ]

    def word(self, kind: int, frames: Iterable[Frame]) -> Word:
        return tuple(map(self.frames[kind].number, frames))


class _Names(Sequence[str]):
    """Names that are made when they are asked for: most never are."""

    def __init__(self, length: int, name: Callable[[int], str]) -> None:
        self._length = length
        self._name = name

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        numbers = range(self._length)[index]
        return self._name(numbers) if isinstance(numbers, int) else list(map(self._name, numbers))


def _system(
    layout: Layout,
    numbering: _Numbering,
    initial: int,
    stacks: Sequence[Word],
    rules: Sequence[Sequence[Rule]],
) -> System:
    states, program = numbering.shared.items, layout.program
    return System(
        shared=_Names(len(states), lambda number: shared_text(layout, states[number])),
        initial=initial,
        templates=tuple(
            _template(layout, kind, numbering, stacks[kind], rules[kind])
            for kind in range(len(program.threads))
        ),
        threads=program.thread_types,
        thread_names=thread_names(program),
        name=program.name,
    )


def _template(
    layout: Layout, kind: int, numbering: _Numbering, stack: Word, rules: Sequence[Rule]
) -> Template:
    frames = numbering.frames[kind].items
    thread = layout.program.threads[kind]
    idle = layout.idle(thread)

    def name(symbol: int) -> str:
        return EMPTY if symbol == EPSILON else frame_text(layout, frames[symbol - 1])

    return Template(
        thread.name,
        _Names(1 + len(frames), name),
        stack,
        tuple(rules),
        (EPSILON, *(point_class(frame.point) for frame in frames)),
        idle=frozenset(
            (number, point_class(idle[0]))
            for number, shared in enumerate(numbering.shared.items)
            if idle is not None and shared[idle[1]] == 0
        ),
    )


def _rules(
    meaning: Meaning,
    kind: int,
    pairs: Sequence[Pair],
    numbering: _Numbering,
    go_on: Callable[[], bool],
) -> Iterator[Rule]:
    """The rules of one thread type for some pairs, which must be in the tables."""
    shared, frames = numbering.shared.items, numbering.frames[kind].items
    patience = Patience(go_on)
    for source, top in patience.each(pairs):
        patience.spend(_STEPS_PER_PAIR)
        if top != EPSILON:
            found = meaning.rules(kind, shared[source], frames[top - 1])
            for target, word in sorted(found, key=_order):
                number = numbering.shared.number(target)
                yield Rule(source, top, number, numbering.word(kind, word))


def _check_pairs(tables: ProgramTables, kind: int, pairs: Iterable[Pair]) -> None:
    """Every number of a state and a top stands for one in the tables."""
    shared, symbols = len(tables.shared), max(1, len(tables.frames[kind]))
    for source, top in pairs:
        if not (0 <= source < shared and 0 <= top < symbols):
            raise EvidenceError("the evidence names a state that is not in its tables")


def _order(configuration: Configuration) -> tuple[object, ...]:
    """A key that sorts: None comes before all numbers."""
    shared, word = configuration
    return (
        [(value is not None, value or 0) for value in shared],
        [(f.point, [(value is not None, value or 0) for value in f.values]) for f in word],
    )


def _fixed(evidence: Evidence) -> Evidence:
    """The evidence with its lists made once, so that all that follows looks at the same."""
    if isinstance(evidence, Trace):
        return evidence
    if isinstance(evidence, DiagramCertificate):
        return replace(
            evidence,
            locals=tuple(table if table is None else tuple(table) for table in evidence.locals),
            labels=tuple(map(tuple, evidence.labels)),
            nodes=tuple(tuple(map(tuple, level)) for level in evidence.nodes),
            ends=tuple(map(tuple, evidence.ends)),
        )
    if isinstance(evidence, SymbolicCertificate):
        evidence = replace(evidence, labels=tuple(map(tuple, evidence.labels)))
    return replace(evidence, states=tuple(evidence.states))


def pairs_in_evidence(
    system: System, evidence: Evidence, go_on: Callable[[], bool]
) -> list[set[Pair]]:
    """For each thread, the shared states and tops that occur together in evidence.

    What is out of place in a list of states is passed over; the checker will find it.
    """
    threads = len(system.threads)
    if isinstance(evidence, Trace):
        return _trace_pairs(evidence, threads)
    if isinstance(evidence, DiagramCertificate):
        return pairs_in_diagram(system, evidence, go_on)
    if isinstance(evidence, SymbolicCertificate):
        return pairs_in_products(system, evidence, go_on)
    return _listed_pairs(evidence, threads)


def _listed_pairs(certificate: Certificate, threads: int) -> list[set[Pair]]:
    found: list[set[Pair]] = [set() for _ in range(threads)]
    for group, table in zip(certificate.groups, certificate.locals, strict=False):
        tops = [word[0] if word else EPSILON for word, _ in table]
        for thread in group:
            if 0 <= thread < threads:
                place = thread + 1
                met = {
                    (state[0], state[place]) for state in certificate.states if len(state) > place
                }
                found[thread] |= {
                    (shared, tops[local]) for shared, local in met if 0 <= local < len(tops)
                }
    return found


def _trace_pairs(trace: Trace, threads: int) -> list[set[Pair]]:
    found: list[set[Pair]] = [set() for _ in range(threads)]
    states = [(trace.initial_shared, trace.initial_stacks)]
    states += [(step.shared, step.stacks) for step in trace.steps]
    for shared, stacks in states:
        for pairs, stack in zip(found, stacks, strict=False):
            pairs.add((shared, stack[0] if stack else EPSILON))
    return found


def _check_options(program: Program, meaning: Meaning, asked: Property) -> None:
    """A property that the options of the meaning make say less than it does is refused.

    So is one about whole stacks, as tail calls leave no frames on them.
    """
    if asked.reaches:
        raise EvidenceError("whole stacks of a program cannot be asked for")
    unwatched = (_named_points(asked) & points_inside(program)) - meaning.watched
    if unwatched:
        raise EvidenceError(
            "the property names a place inside an atomic section, "
            "but the meaning of the program does not watch it"
        )


def _named_points(asked: Property) -> frozenset[int]:
    return frozenset(
        top - 1 for pattern in asked.patterns for top in pattern.tops if top is not None
    )


def _check_tables(layout: Layout, tables: ProgramTables) -> None:
    """What the semantics relies on: every entry of the tables is a state of the program."""
    for state in tables.shared:
        if not _fits(layout.shared_slots, state) or None in state[layout.own_slots :]:
            raise EvidenceError("the tables of the evidence hold what is no shared state")
    if len(tables.frames) != len(layout.program.threads):
        raise EvidenceError("the evidence has not one table of frames for each type of threads")
    for frames in tables.frames:
        for frame in frames[1:]:
            if not 0 <= frame.point < layout.points:
                raise EvidenceError("the tables of the evidence hold a frame that is nowhere")
            slots: Sequence[Slot] = ()
            if frame.point < layout.waiting:
                slots = layout.frame_slots[layout.locations[frame.point][0]]
            if not _fits(slots, frame.values):
                raise EvidenceError("the tables of the evidence hold what is no frame")


def _fits(slots: Sequence[Slot], values: Sequence[Value]) -> bool:
    """Whether these are values for these slots."""
    return len(slots) == len(values) and all(
        value is None or slot.type.low <= value < slot.type.low + slot.type.size
        for slot, value in zip(slots, values, strict=True)
    )
