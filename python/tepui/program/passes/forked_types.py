"""Forked threads as threads of types: more than what a program with forks does.

Every procedure that is forked gets a type of threads, which wait until a fork creates them. If all
forks of a procedure are executed at most once, each has a type of its own, with one thread that
starts with the arguments given to it. Else there is any number of threads, and the first fork
creates all of them; each starts with any arguments, when it likes.

A join of a thread of which there is one waits until that has ended, if the variable names nobody
else. Any other join waits for nothing.

So whatever the program with forks does, this one does as well, and what this one never does the
other one never does either. What this one does shows nothing. Identities of forked threads are
left out: they must matter to nothing else than joins.

Such a thread runs a procedure of its own, behind all others, that calls the one that is forked. So
points are those of the original, except violations, which come behind all places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

from tepui.errors import ModelError
from tepui.program.calls import called_by, forked_by, with_all_called
from tepui.program.expressions import NOBODY, TRUE, Binary, Choice, Constant, Expression, Read
from tepui.program.expressions import Variable as Var
from tepui.program.identities import only_joined
from tepui.program.program import (
    NOWHERE,
    Assignment,
    Call,
    Create,
    Derived,
    Edge,
    End,
    Fork,
    Join,
    Location,
    Procedure,
    Program,
    Receive,
    Return,
    Step,
    Thread,
    target_of,
    variable_of,
)
from tepui.program.types import BOOLEAN, THREAD
from tepui.program.validate import validate
from tepui.program.walk import targets_of
from tepui.records import record, replace

Site = tuple[int, Fork]
"""A fork, with the number of its procedure."""


@record
class ForkedTypes(Derived):
    """A program whose forked threads are threads of types."""

    made_by: ClassVar[str] = "forked types"

    @cached_property
    def plain(self) -> Program:
        """The same as a program that nobody has made of another one."""
        return Program(self.procedures, self.threads, self.globals, name=self.name)

    def point(self, original: int) -> int:
        before, now = self.original.layout, self.layout
        if original < before.waiting:
            return original
        return now.violation(original - before.violation(0))


def with_forked_types(program: Program) -> ForkedTypes:
    """The program without forks; a ModelError says what has no place in it."""
    validate(program)
    sites = [
        (number, edge)
        for number, procedure in enumerate(program.procedures)
        for edge in procedure.edges
        if isinstance(edge, Fork)
    ]
    edges = [edge for each in program.procedures for edge in each.edges]
    has_joins = any(isinstance(edge, Join) for edge in edges)
    if not only_joined(program) and (has_joins or any(fork.variable for _, fork in sites)):
        raise ModelError(
            f"{program.name} compares identities of threads, and keeps those of forked ones"
        )
    if program.lock is not None:
        raise ModelError(f"{program.name} has a scheduler lock, and forks threads")
    return _Types(program, sites).program()


class _Types:
    """Gives types to forked threads."""

    def __init__(self, program: Program, sites: list[Site]) -> None:
        self._program = program
        self._taken = {each.name for each in program.threads}
        self._type_of: dict[Site, int] = {}
        self._joined: dict[tuple[str | None, str], Var] = {}
        """For a variable that names one thread and nobody else, what says that it has ended."""
        self.runners: list[Procedure] = []
        self.threads: list[Thread] = []
        self._ended: list[Var] = []
        stored = Counter(_stored(program))
        for procedure in program.procedures:
            forks = [site for site in sites if site[1].procedure == procedure.name]
            if forks and all(is_taken_once(program, *site) for site in forks):
                for site in forks:
                    self._add_one(procedure, site, stored)
            elif forks:
                self._add_any(procedure, forks)

    def program(self) -> ForkedTypes:
        old = self._program
        return ForkedTypes(
            (
                *(
                    replace(each, edges=tuple(self._edges(number, each)))
                    for number, each in enumerate(old.procedures)
                ),
                *self.runners,
            ),
            (*old.threads, *self.threads),
            (*old.globals, *self._ended),
            None,
            old.name,
            old.error_labels,
            old.warnings,
            original=old,
        )

    def _add_one(self, procedure: Procedure, site: Site, stored: Counter[Var]) -> None:
        """A type with the one thread of a fork."""
        name, variable = self._new_type(site), site[1].variable
        ended = None
        if isinstance(variable, Var) and stored[variable] == 1 and self._returns(procedure):
            ended = Var(f"#ended:{name}", BOOLEAN, None, 0)
            self._ended.append(ended)
            self._joined[variable.procedure, variable.name] = ended
        given = tuple(
            replace(each, procedure=f"#{name}")
            for each in procedure.variables[: procedure.parameters]
        )
        self._add(name, procedure, given, tuple(map(Read, given)), ended)
        self.threads.append(Thread(name, f"#{name}", created=True, inherited=given))

    def _add_any(self, procedure: Procedure, forks: list[Site]) -> None:
        """A type with any number of threads."""
        name = self._new_type(*forks)
        parameters = procedure.variables[: procedure.parameters]
        arguments = (
            NOBODY if each.scalar == THREAD else Choice(each.scalar) for each in parameters
        )
        self._add(name, procedure, (), tuple(arguments), None)
        self.threads.append(Thread(name, f"#{name}", None, created=True))

    def _new_type(self, *sites: Site) -> str:
        """The name of a new type, which some forks create."""
        self._type_of |= dict.fromkeys(sites, len(self._program.threads) + len(self.threads))
        first = name = sites[0][1].procedure
        number = 1
        while name in self._taken:
            number += 1
            name = f"{first}#{number}"
        self._taken.add(name)
        return name

    def _add(
        self,
        name: str,
        procedure: Procedure,
        variables: tuple[Var, ...],
        arguments: tuple[Expression, ...],
        ended: Var | None,
    ) -> None:
        """What a thread runs: the procedure, and then it says that it has ended."""
        edges: list[Edge] = [Call(0, 1, procedure.name, arguments)]
        locations = [Location(NOWHERE), Location(NOWHERE)]
        if procedure.results:
            locations.append(Location(NOWHERE))
            edges.append(Receive(1, 2, (None,) * len(procedure.results)))
        last = len(locations) - 1
        if ended is None:
            edges.append(Return(last))
        else:
            edges.append(Step(last, None, TRUE, (Assignment(ended, Constant(1)),)))
        self.runners.append(Procedure(f"#{name}", tuple(locations), tuple(edges), variables))

    def _returns(self, procedure: Procedure) -> bool:
        """Whether a thread that runs a procedure can only end by its return."""
        number = self._program.numbers[procedure.name]
        return not any(
            isinstance(edge, End)
            for each in with_all_called(self._program, [number])
            for edge in self._program.procedures[each].edges
        )

    def _edges(self, number: int, procedure: Procedure) -> Iterator[Edge]:
        for edge in procedure.edges:
            if isinstance(edge, Fork):
                kind = self._type_of[number, edge]
                has_one = self.threads[kind - len(self._program.threads)].count == 1
                values = (edge.arguments if has_one else (),)
                yield Create(edge.source, edge.target, (kind,), values, edge.guard)
            elif isinstance(edge, Join):
                yield Step(edge.source, edge.target, self._joining(edge))
            else:
                yield edge

    def _joining(self, edge: Join) -> Expression:
        """What a join waits for."""
        assert isinstance(edge.thread, Read)
        variable = edge.thread.variable
        ended = self._joined.get((variable.procedure, variable.name))
        return edge.guard if ended is None else Binary("and", edge.guard, Read(ended))


def is_taken_once(program: Program, number: int, edge: Edge) -> bool:
    """Whether an edge is taken at most once in a run: its procedure is run by one thread, once, and
    no way leads back to it."""
    procedure = program.procedures[number]
    edges = [each for other in program.procedures for each in other.edges]
    if procedure.name in called_by(edges) | forked_by(edges):
        return False
    counts = [each.count for each in program.threads if each.procedure == procedure.name]
    if counts != [1]:
        return False
    found, work = set[int](), [target_of(edge)]
    while work:
        at = work.pop()
        if at is not None and at not in found:
            found.add(at)
            work += map(target_of, procedure.leaving[at])
    return edge.source not in found


def _stored(program: Program) -> Iterator[Var]:
    """The variables that are assigned, each as often as there are assignments."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            for target in targets_of(edge):
                yield variable_of(target)
