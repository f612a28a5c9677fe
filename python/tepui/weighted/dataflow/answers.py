"""The answers of `tepui dataflow`, as data and as text for people.

Every answer says what was asked, within how many contexts, and what was not taken into account.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tepui.words import plural, printable

MOST_LINES = 40
"""More values than this are left out of a text; the JSON has them all."""

MOST_SINGLE = 16
"""If there are more valuations than this, a text merges them where it can."""


@dataclass(frozen=True, repr=False)
class Dataflow(ABC):
    """What holds at a place. `reachable` is whether the thread can be there within the bound.

    >>> program = tepui.load("examples/bluetooth1.bp")
    >>> print(tepui.dataflow(program, "stop:49"))
    stop at line 49, within 2 contexts:
      pendingIo = -1, stoppingFlag = 1, stoppingEvent = 1, stopped = 0
      pendingIo = 0, stoppingFlag = 1, stoppingEvent = 1, stopped = 0
    """

    question: str
    contexts: int
    reachable: bool
    notes: tuple[str, ...]
    points: frozenset[int] = field(default=frozenset(), kw_only=True)
    """For programs: the points that the question is about."""

    def __str__(self) -> str:
        within = f"{self.contexts} {plural(self.contexts, 'context')}"
        if not self.reachable:
            nothing = f"{self.question}: unreachable within {within}; more may reach it"
            return "\n".join(map(printable, [nothing, *self._notes()]))
        lines = [f"{self.question}, within {within}:", *(f"  {line}" for line in self.lines())]
        return "\n".join(map(printable, [*lines, *self._notes()]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.question}>"

    def _repr_html_(self) -> str:
        from tepui.report.notebook import dataflow_html

        return dataflow_html(self)

    @abstractmethod
    def lines(self) -> list[str]:
        """The facts that hold there, line by line."""

    def data(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        return {
            "question": self.question,
            "contexts": self.contexts,
            "reachable": self.reachable,
            **self.found(),
            "notes": list(self.notes),
        }

    @abstractmethod
    def found(self) -> dict[str, Any]:
        """The members that only this domain has."""

    def _notes(self) -> list[str]:
        return [f"note: {note}" for note in self.notes]


@dataclass(frozen=True)
class AffineRelation:
    """a₁x₁ + … + a_n x_n + constant = 0, over the integers or modulo a number."""

    coefficients: Mapping[str, int]
    constant: int
    modulus: int | None = None

    def __str__(self) -> str:
        suffix = "" if self.modulus is None else f" (mod {self.modulus})"
        return f"{self._equation()}{suffix}"

    def _equation(self) -> str:
        factors = {name: self._small(factor) for name, factor in self.coefficients.items()}
        constant = self._small(self.constant)
        solved = _solved(factors)
        if solved is None:
            return f"{_sum(factors)} = {self._small(-constant)}"
        sign = -factors.pop(solved)
        rest = {name: self._small(sign * factor) for name, factor in factors.items()}
        return f"{solved} = {_sum(rest, self._small(sign * constant))}"

    def _small(self, number: int) -> int:
        """The same number modulo the modulus, nearest to 0."""
        if self.modulus is None:
            return number
        number %= self.modulus
        return number - self.modulus if 2 * number > self.modulus else number


@dataclass(frozen=True, repr=False)
class AffineRelations(Dataflow):
    """The relations between `variables`; every relation that holds follows from these."""

    variables: tuple[str, ...]
    modulus: int | None
    relations: tuple[AffineRelation, ...]

    def lines(self) -> list[str]:
        if not self.variables:
            return ["reachable; there are no variables that relations could be between"]
        if not self.relations:
            modulo = "" if self.modulus is None else f" modulo {self.modulus}"
            return [f"no affine relation{modulo} between {_listed(self.variables)} was found"]
        return list(map(str, self.relations))

    def found(self) -> dict[str, Any]:
        return {
            "domain": "affine",
            "modulus": self.modulus,
            "variables": list(self.variables),
            "relations": [
                {
                    "text": str(relation),
                    "coefficients": dict(relation.coefficients),
                    "constant": relation.constant,
                }
                for relation in self.relations
            ],
        }


Values = tuple[int, ...] | None
"""The possible values of a variable, or None for all of its type."""


@dataclass(frozen=True)
class Name:
    """A variable of an answer, and how its values are written."""

    name: str
    texts: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)
    """Values that are not written as numbers."""

    def text(self, value: int) -> str:
        return self.texts.get(value, str(value))


@dataclass(frozen=True)
class Valuation:
    """Values of all variables at the same time, and the fewest steps to them, if that was asked."""

    values: tuple[int | None, ...]
    steps: int | None = None


@dataclass(frozen=True, repr=False)
class PossibleValues(Dataflow):
    """The possible valuations of `variables`. None stands for any value of a type."""

    variables: tuple[Name, ...]
    valuations: tuple[Valuation, ...]

    def lines(self) -> list[str]:
        if not self.variables:
            return ["reachable; there are no variables that could have values"]
        boxes = _boxes(self.valuations)
        return _cut([_box_text(self.variables, box) for box in boxes])

    def found(self) -> dict[str, Any]:
        return {
            "domain": "relation",
            "variables": [name.name for name in self.variables],
            "valuations": [
                _valuation_data(self.variables, valuation) for valuation in self.valuations
            ],
        }


@dataclass(frozen=True, repr=False)
class FewestSteps(PossibleValues):
    """The fewest steps to a place, for each valuation there."""

    @property
    def steps(self) -> int | None:
        """The fewest of all; None if the thread cannot get there."""
        return min((v.steps for v in self.valuations if v.steps is not None), default=None)

    def lines(self) -> list[str]:
        fewest = self.steps
        lines = [f"{_steps_text(fewest)} at least"]
        if not self.variables:
            return lines
        ordered = sorted(self.valuations, key=lambda valuation: valuation.steps or 0)
        for steps, some in groupby(ordered, key=lambda valuation: valuation.steps):
            lines += [
                f"{_steps_text(steps)}: {_box_text(self.variables, box)}"
                for box in _boxes(list(some))
            ]
        return _cut(lines)

    def found(self) -> dict[str, Any]:
        valuations = [
            {**_valuation_data(self.variables, valuation), "steps": valuation.steps}
            for valuation in self.valuations
        ]
        names = [name.name for name in self.variables]
        return {
            "domain": "shortest",
            "steps": self.steps,
            "variables": names,
            "valuations": valuations,
        }


def together(valuations: Iterable[Sequence[int | None]]) -> list[tuple[Values, ...]]:
    """The same valuations as a small number of products of sets: for one variable after another,
    products that agree in all other variables are merged."""
    boxes = list(dict.fromkeys(map(_single, valuations)))
    for place in range(len(boxes[0]) if boxes else 0):
        groups: dict[tuple[Values, ...], list[Values]] = {}
        for box in boxes:
            groups.setdefault((*box[:place], *box[place + 1 :]), []).append(box[place])
        boxes = [
            (*others[:place], _union(some), *others[place:]) for others, some in groups.items()
        ]
    return sorted(boxes, key=_order)


def _boxes(valuations: Sequence[Valuation]) -> list[tuple[Values, ...]]:
    """The lines to print: one for each valuation, or merged if there are many."""
    values = [valuation.values for valuation in valuations]
    if len(values) > MOST_SINGLE:
        return together(values)
    return sorted(map(_single, values), key=_order)


def _single(values: Sequence[int | None]) -> tuple[Values, ...]:
    return tuple(None if value is None else (value,) for value in values)


def _order(box: tuple[Values, ...]) -> list[tuple[bool, tuple[int, ...]]]:
    return [(each is None, each or ()) for each in box]


def _union(sets: list[Values]) -> Values:
    values: set[int] = set()
    for each in sets:
        if each is None:
            return None
        values.update(each)
    return tuple(sorted(values))


def _box_text(names: Sequence[Name], box: Sequence[Values]) -> str:
    return ", ".join(map(_values_text, names, box))


def _values_text(name: Name, values: Values) -> str:
    if values is None:
        return f"{name.name} = anything"
    if name.texts:
        return f"{name.name} = {' or '.join(map(name.text, values))}"
    return f"{name.name} = {' or '.join(_runs(values))}"


def _runs(values: tuple[int, ...]) -> list[str]:
    """Numbers as text, with `a..b` for three or more consecutive ones."""
    found = []
    for _, some in groupby(enumerate(values), key=lambda pair: pair[1] - pair[0]):
        run = [value for _, value in some]
        found += [f"{run[0]}..{run[-1]}"] if len(run) > 2 else list(map(str, run))
    return found


def _valuation_data(names: Sequence[Name], valuation: Valuation) -> dict[str, Any]:
    return {
        "values": {
            name.name: None if value is None else name.texts.get(value, value)
            for name, value in zip(names, valuation.values, strict=True)
        }
    }


def _steps_text(steps: int | None) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _cut(lines: list[str]) -> list[str]:
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f"… and {len(lines) - MOST_LINES:,} more"]


def _solved(factors: Mapping[str, int]) -> str | None:
    """The variable that stands alone on the left, if there is one: in x = 3, and in y = x + 1."""
    if len(factors) > 2:
        return None
    (first, factor), *rest = factors.items()
    if not rest:
        return first if abs(factor) == 1 else None
    second, other = rest[0]
    if factor * other > 0:
        return None
    return second if abs(other) == 1 else first if abs(factor) == 1 else None


def _sum(factors: Mapping[str, int], constant: int = 0) -> str:
    terms = [
        (factor, name if abs(factor) == 1 else f"{abs(factor)} {name}")
        for name, factor in factors.items()
    ]
    if constant or not terms:
        terms.append((constant, str(abs(constant))))
    text = ""
    for number, term in terms:
        sign = "-" if number < 0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if number < 0 else term
    return text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
