"""What references can be: which sites made the objects that a variable names.

The first translation is examined as a whole, without its guards (Andersen's analysis, on numbers of
objects): every assignment of one variable to another lets objects flow. What is found holds for
larger translations, too, because the sites are the same. A second translation uses it: calls have
fewer targets, null is known not to come, and an object that is the only one needs no variable.

Fields begin with null. Where each constructor sets a field of its own object, and nobody else can
know the object before, that null is never seen (`SettledFields`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from tepui.languages.java.flows import Place, flows
from tepui.languages.java.hierarchy import MethodKey
from tepui.languages.java.sites import Numbers, Ranges, SiteKey
from tepui.program.expressions import (
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
)
from tepui.program.program import Program
from tepui.records import field, record

Sites = frozenset[SiteKey | None]
"""The sites of the objects that something may be; None stands for null."""

_Key = TypeVar("_Key")

LocalKey = tuple[MethodKey, int]
"""A local variable of a method, by its index."""


@record
class Facts:
    """What is known of references; what is not here is not known."""

    locals: dict[LocalKey, Sites] = field(default_factory=dict)
    fields: dict[str, Sites] = field(default_factory=dict)
    """By the names of their variables."""
    results: dict[MethodKey, Sites] = field(default_factory=dict)
    elements: dict[SiteKey, Sites] = field(default_factory=dict)


def facts_of(
    program: Program,
    numbers: Numbers,
    locals_: Mapping[Variable, LocalKey],
    names: Mapping[str, MethodKey],
    settled: Callable[[str], bool],
    types: Mapping[Place, Ranges],
) -> Facts:
    """What the first translation of a program says about references. `types` says for
    some places which objects fit there."""
    found = _Flow(program, numbers.type, settled, types).found
    sites = {low: key for key, (low, _) in numbers.of_site.items()}
    elements = {f"elements.{low}": key for low, key in sites.items()}

    def known(place: Place) -> Sites | None:
        values = found.get(place)
        if values is None:
            return frozenset()
        if _ANY in values:
            return None
        return frozenset(sites[value] if value else None for value in values)

    facts = Facts({}, {}, {}, {})
    for variable, key in locals_.items():
        _note(facts.locals, key, known(variable))
    for variable in program.globals:
        if variable.scalar == numbers.type:
            _note(facts.fields, variable.name, known(variable))
            if variable.name in elements:
                _note(facts.elements, elements[variable.name], known(variable))
    for procedure in program.procedures:
        if procedure.name in names and procedure.results[:1] == (numbers.type,):
            _note(facts.results, names[procedure.name], known((procedure.name, 0)))
    return facts


def _note(table: dict[_Key, Sites], key: _Key, sites: Sites | None) -> None:
    if sites is not None:
        table[key] = sites


_ANY = -1
"""A reference that is computed in a way that is not understood."""


class _Flow:
    """Lets the numbers of objects flow along assignments."""

    def __init__(
        self,
        program: Program,
        type_: object,
        settled: Callable[[str], bool],
        types: Mapping[Place, Ranges],
    ) -> None:
        self._program, self._type = program, type_
        self._fitting = {
            place: {_ANY, 0, *(n for low, high in ranges for n in range(low, high + 1))}
            for place, ranges in types.items()
        }
        self._results = {
            (procedure.name, number): result
            for procedure in program.procedures
            for number, result in enumerate(procedure.results)
        }
        self.found: dict[Place, set[int]] = {}
        self._flows: dict[Place, set[Place]] = {}
        for variable in program.globals:
            if variable.scalar == type_ and not settled(variable.name):
                self._put(variable, {variable.initial or 0})
        started = {thread.procedure for thread in program.threads}
        for procedure in program.procedures:
            if procedure.name in started:
                for each in procedure.variables[: procedure.parameters]:
                    if each.scalar == type_ and each.initial:
                        self._put(each, {each.initial})
            for to, value in flows(program, procedure):
                self._flow(to, value)
        waiting = list(self.found)
        while waiting:
            at = waiting.pop()
            for to in self._flows.get(at, ()):
                if self._put(to, self.found[at]):
                    waiting.append(to)

    def _flow(self, to: Place, value: Expression | tuple[str, int]) -> None:
        scalar = to.scalar if isinstance(to, Variable) else self._results[to]
        if scalar != self._type:
            return
        match value:
            case tuple():
                self._flows.setdefault(value, set()).add(to)
            case Constant():
                self._put(to, {value.value})
            case Read() | ReadElement():
                if value.variable.scalar == self._type:
                    self._flows.setdefault(value.variable, set()).add(to)
                else:
                    self._put(to, {_ANY})
            case Conditional():
                self._flow(to, value.then)
                self._flow(to, value.otherwise)
            case Binary("+", Read(variable=counter), Constant(value=low)) if (
                counter.procedure is None and counter.name.startswith("made.")
            ):
                self._put(to, {low})
            case _:
                self._put(to, {_ANY})

    def _put(self, place: Place, values: Iterable[int]) -> bool:
        known = self.found.setdefault(place, set())
        before, fitting = len(known), self._fitting.get(place)
        known.update(values if fitting is None else fitting.intersection(values))
        return len(known) > before
