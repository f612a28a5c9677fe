"""The thread types of a program, when they start, and with which values.

Threads that run from the start take their arguments, if there are any, in a first step of their
own. The others wait until they are created. Equal threads are of one type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

from tepui.model.build import MAX_THREADS
from tepui.program.drafts.draft import Creation, Drafts, Refuse
from tepui.program.drafts.forks import Inherited
from tepui.program.expressions import Choice, Constant, Expression, Read, Unary, Variable, operands
from tepui.program.program import Assignment, Create, Edge, Location, Step, Thread
from tepui.records import replace


def thread_types(
    drafts: Drafts,
    named: Sequence[Thread],
    run: Iterable[Creation],
    inherited: Inherited,
    refuse: Refuse,
) -> tuple[Thread, ...]:
    """All thread types: those that have a name already, those that run from the start, and those
    that Create edges create. These edges are filled in."""
    types = _Types(drafts, named, inherited, refuse)
    types.run_at_once(run)
    types.create()
    types.name_all()
    return tuple(types.threads)


class _Group(NamedTuple):
    """Equal threads."""

    creation: Creation
    size: int | None
    """How many there are; None is any number."""

    def with_more(self, count: int | None) -> _Group:
        """The same with more threads."""
        some = None if self.size is None or count is None else self.size + count
        return _Group(self.creation, some)


class _Types:
    """Numbers the thread types, and says what they start with."""

    def __init__(
        self, drafts: Drafts, named: Sequence[Thread], inherited: Inherited, refuse: Refuse
    ) -> None:
        self._drafts = drafts
        self._inherited = inherited
        self._refuse = refuse
        self.threads = list(named)
        self._creations: dict[int, Creation] = {}

    def run_at_once(self, creations: Iterable[Creation]) -> None:
        """Threads that run from the start."""
        for creation, size in _at_once(creations):
            start = self._assign_arguments(creation) if creation.arguments else None
            self._add(Thread(creation.procedure, creation.procedure, size, start=start), creation)

    def create(self) -> None:
        """The threads of all Create edges."""
        for draft in self._drafts.values():
            created = {
                location: [self._created(group) for group in self._together(creations)]
                for location, creations in draft.creations.items()
            }
            for index, edge in enumerate(draft.edges):
                if isinstance(edge, Create):
                    draft.edges[index] = self._filled(edge, created[edge.source])

    def name_all(self) -> None:
        """Give every type a name of its own: that of its procedure, with arguments where several
        types run it, and with a number where the arguments are equal too."""
        run = Counter(thread.procedure for thread in self.threads)
        bases = {
            index: self._with_arguments(creation)
            if run[creation.procedure] > 1
            else creation.procedure
            for index, creation in self._creations.items()
        }
        shared = Counter(bases.values())
        taken = {
            thread.name for index, thread in enumerate(self.threads) if index not in self._creations
        }
        for index, base in bases.items():
            name = base
            if shared[base] > 1 or base in taken:
                numbered = (f"{base}#{number}" for number in count(2 if base in taken else 1))
                name = next(each for each in numbered if each not in taken)
            taken.add(name)
            self.threads[index] = replace(self.threads[index], name=name)

    def _add(self, thread: Thread, creation: Creation) -> None:
        self._creations[len(self.threads)] = creation
        self.threads.append(thread)
        if sum(each.count or 1 for each in self.threads) > MAX_THREADS:
            message = f"expected at most {MAX_THREADS} threads, found more"
            raise self._refuse(creation.position, message)

    def _with_arguments(self, creation: Creation) -> str:
        """A procedure, and the arguments that a thread passes to it."""
        if not creation.arguments:
            return creation.procedure
        parameters = self._drafts[creation.procedure].parameters
        passed = map(_argument_text, creation.arguments, parameters)
        return f"{creation.procedure}({','.join(passed)})"

    def _assign_arguments(self, creation: Creation) -> int:
        """A location before the first one of a procedure, at which a thread takes its arguments.
        It stands for no statement of the procedure."""
        draft = self._drafts[creation.procedure]
        start = len(draft.locations)
        draft.locations.append(Location(draft.position))
        assignments = map(Assignment, draft.parameters, creation.arguments)
        draft.edges.append(Step(start, 0, assignments=tuple(assignments)))
        return start

    def _together(self, creations: Sequence[Creation]) -> list[_Group]:
        """The types of threads that one edge creates."""
        for creation in creations:
            if creation.count is None and any(map(_chooses, creation.arguments)):
                message = (
                    "each of any number of threads would get a value of its own: choose it in "
                )
                raise self._refuse(creation.position, f"{message}{creation.procedure}")
        return _created_together(creations)

    def _created(self, group: _Group) -> int:
        creation, size = group
        name = creation.procedure
        inherited = self._drafts[name].parameters
        if creation.start is not None:
            inherited = self._inherited[name, creation.start]
        self._add(Thread(name, name, size, True, creation.start, inherited), creation)
        return len(self.threads) - 1

    def _filled(self, edge: Create, threads: list[int]) -> Edge:
        """The edge that creates these threads; a step if there are none."""
        if not threads:
            return Step(edge.source, edge.target, edge.guard)
        values = tuple(self._values(index) for index in threads)
        return replace(edge, threads=tuple(threads), values=values)

    def _values(self, index: int) -> tuple[Expression, ...]:
        """What a thread gets when it is created: arguments, or a copy of local variables."""
        creation = self._creations[index]
        if creation.start is None:
            return creation.arguments
        return tuple(map(Read, self.threads[index].inherited))


def _at_once(creations: Iterable[Creation]) -> list[_Group]:
    """The types of threads that start by themselves: equal ones together."""
    groups: dict[tuple[str, tuple[Expression, ...]], _Group] = {}
    for creation in creations:
        key = (creation.procedure, creation.arguments)
        known = groups.get(key, _Group(creation, 0))
        groups[key] = known.with_more(creation.count)
    return list(groups.values())


def _created_together(creations: Iterable[Creation]) -> list[_Group]:
    """The types of threads that one edge creates. Threads of one type get the same values. So where
    an argument is a choice, every thread has a type of its own."""
    groups: list[_Group] = []
    constant: dict[tuple[str, tuple[Expression, ...]], int] = {}
    for creation in creations:
        key = (creation.procedure, creation.arguments)
        if creation.start is None and key in constant:
            groups[constant[key]] = groups[constant[key]].with_more(creation.count)
        elif any(map(_chooses, creation.arguments)):
            groups += [_Group(creation, 1)] * (creation.count or 1)
        else:
            if all(_number(argument) is not None for argument in creation.arguments):
                constant[key] = len(groups)
            groups.append(_Group(creation, creation.count))
    return groups


def _argument_text(argument: Expression, parameter: Variable) -> str:
    match argument:
        case Choice():
            return "*"
        case Read():
            return argument.variable.name
    number = _number(argument)
    return "…" if number is None else parameter.scalar.text(number)


def _number(argument: Expression) -> int | None:
    """A number as it is written, with or without a minus."""
    match argument:
        case Constant(value):
            return value
        case Unary("minus", Constant(value)):
            return -value
    return None


def _chooses(expression: Expression) -> bool:
    return isinstance(expression, Choice) or any(map(_chooses, operands(expression)))
