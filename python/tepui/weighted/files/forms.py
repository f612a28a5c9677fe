"""Forms of domains: how the weights of each are written in JSON and shown to people.

A form knows what the domain itself does not, such as the names of facts and variables. Domains are
read and written by `domains`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tepui.weighted.domains import (
    Affine,
    Boolean,
    Matrices,
    MinPath,
    Pairs,
    Path,
    Relations,
    Semiring,
    Sets,
    ShortestPath,
    Transformer,
    WeightedRelations,
)
from tepui.weighted.files.documents import Value

MOST_COST = 2**63 - 1

INFINITE = "∞"
"""The cost in an answer where there is no run."""

SHOWN = 40
"""How many entries of a weight are shown to people."""

Json = Any

D = TypeVar("D", bound=Semiring[Any])


class Form(ABC, Generic[D]):
    """How a domain and its weights are written."""

    name: str
    domain: D

    @abstractmethod
    def described(self) -> dict[str, Json]:
        """The domain."""

    @abstractmethod
    def read(self, value: Value, rule: int | None = None) -> Any:
        """Read a weight; `rule` is the number of the rule that has it, if a rule does."""

    @abstractmethod
    def write(self, weight: Any, rule: int | None = None) -> Json:
        """The JSON value from which `read` gets this weight."""

    @abstractmethod
    def lines(self, weight: Any) -> list[str]:
        """The weight for people, if it says more than that there is a run."""

    def answer(self, weight: Any) -> Json:
        """The weight of all runs as JSON."""
        return self.write(weight)

    def unspoken(self, rule: int) -> Any:
        """The weight of a rule that has none in the file: it does nothing."""
        return self.domain.one


@dataclass(frozen=True)
class BooleanForm(Form[Boolean]):
    """true or false."""

    domain: Boolean
    name = "boolean"

    def described(self) -> dict[str, Json]:
        return {"name": self.name}

    def read(self, value: Value, rule: int | None = None) -> bool:
        return value.truth("a weight")

    def write(self, weight: bool, rule: int | None = None) -> Json:
        return weight

    def lines(self, weight: bool) -> list[str]:
        return []


@dataclass(frozen=True)
class MinPathForm(Form[MinPath]):
    """A cost, or null for ∞."""

    domain: MinPath
    name = "min-path"

    def described(self) -> dict[str, Json]:
        return {"name": self.name}

    def read(self, value: Value, rule: int | None = None) -> int | None:
        return None if value.raw is None else _cost(value)

    def write(self, weight: int | None, rule: int | None = None) -> Json:
        return weight

    def answer(self, weight: int | None) -> Json:
        return INFINITE if weight is None else weight

    def lines(self, weight: int | None) -> list[str]:
        return [INFINITE if weight is None else str(weight)]


@dataclass(frozen=True)
class ShortestPathForm(Form[ShortestPath]):
    """The cost of the rule itself, a cost with the numbers of rules, or null."""

    domain: ShortestPath
    name = "shortest-path"

    def described(self) -> dict[str, Json]:
        return {"name": self.name}

    def read(self, value: Value, rule: int | None = None) -> Path | None:
        if value.raw is None:
            return None
        if rule is not None and not isinstance(value.raw, dict):
            return self.domain.step(rule, _cost(value))
        members = value.fields("a path", ("cost", "rules"))
        rules = tuple(
            each.integer("the number of a rule", 0, MOST_COST)
            for each in members["rules"].items("the rules of a path")
        )
        return Path(_cost(members["cost"]), len(rules), rules)

    def write(self, weight: Path | None, rule: int | None = None) -> Json:
        if weight is None or weight.rules == (rule,):
            return weight and weight.cost
        return {"cost": weight.cost, "rules": list(weight.rules)}

    def unspoken(self, rule: int) -> Path:
        return self.domain.step(rule, 0)

    def lines(self, weight: Path | None) -> list[str]:
        if weight is None:
            return ["there is no path"]
        return [f"{weight.cost}, by the rules {some(map(str, weight.rules)) or 'none'}"]


@dataclass(frozen=True)
class RelationsForm(Form[Relations]):
    """A list of pairs of states."""

    domain: Relations
    name = "relations"

    def described(self) -> dict[str, Json]:
        return {"name": self.name, **_states(self.domain)}

    def read(self, value: Value, rule: int | None = None) -> tuple[int, ...]:
        return self.domain.relation(
            (self._state(source), self._state(target))
            for source, target in (
                pair.items("a pair of states", 2) for pair in value.items("a relation")
            )
        )

    def write(self, weight: tuple[int, ...], rule: int | None = None) -> Json:
        return [list(pair) for pair in self.domain.pairs(weight)]

    def lines(self, weight: tuple[int, ...]) -> list[str]:
        return [some(f"{s} → {t}" for s, t in self.domain.pairs(weight)) or "no pair"]

    def _state(self, value: Value) -> int:
        return value.integer("a state", 0, self.domain.states - 1)


@dataclass(frozen=True)
class WeightedRelationsForm(Form[WeightedRelations[Any]]):
    """A list of triples: two states and a weight."""

    domain: WeightedRelations[Any]
    weights: Form[Any]
    name = "weighted-relations"

    def described(self) -> dict[str, Json]:
        return {"name": self.name, **_states(self.domain), "weights": self.weights.described()}

    def read(self, value: Value, rule: int | None = None) -> Any:
        most = self.domain.states - 1
        return self.domain.relation(
            (
                source.integer("a state", 0, most),
                target.integer("a state", 0, most),
                self.weights.read(weight, rule),
            )
            for source, target, weight in (
                entry.items("two states and a weight", 3)
                for entry in value.items("a weighted relation")
            )
        )

    def write(self, weight: Any, rule: int | None = None) -> Json:
        return [[s, t, self.weights.write(each, rule)] for s, t, each in weight]

    def unspoken(self, rule: int) -> Any:
        weight = self.weights.unspoken(rule)
        return tuple((state, state, weight) for state in range(self.domain.states))

    def lines(self, weight: Any) -> list[str]:
        entries = [f"{s} → {t}: {'; '.join(self.weights.lines(w))}" for s, t, w in weight[:SHOWN]]
        more = len(weight) - SHOWN
        return [*entries, *([f"and {more} more"] if more > 0 else [])] or ["no pair"]


@dataclass(frozen=True)
class SetsForm(Form[Sets]):
    """What is killed and what is generated, or null for no path."""

    domain: Sets
    facts: tuple[str, ...] | None = None
    """The names of the facts, if they have some."""
    name = "sets"

    def described(self) -> dict[str, Json]:
        facts = self.domain.facts if self.facts is None else list(self.facts)
        return {"name": self.name, "facts": facts, "meet": self.domain.meet}

    def read(self, value: Value, rule: int | None = None) -> Transformer | None:
        if value.raw is None:
            return None
        members = value.fields("a transformer", (), ("kill", "gen"))
        kill, gen = (self._set(members[key]) if key in members else 0 for key in ("kill", "gen"))
        return self.domain.transformer(kill, gen)

    def write(self, weight: Transformer | None, rule: int | None = None) -> Json:
        if weight is None:
            return None
        everything = (1 << self.domain.facts) - 1
        kill = everything & ~weight.keep & ~weight.gen
        return {"kill": self._facts(kill), "gen": self._facts(weight.gen)}

    def lines(self, weight: Transformer | None) -> list[str]:
        if weight is None:
            return ["there is no path"]
        written = self.write(weight)
        return [f"{key} {{{some(map(str, written[key]))}}}" for key in ("kill", "gen")]

    def _set(self, value: Value) -> int:
        return sum({1 << self._fact(each) for each in value.items("a set of facts")})

    def _fact(self, value: Value) -> int:
        if self.facts is None:
            return value.integer("a fact", 0, self.domain.facts - 1)
        name = value.text("a fact")
        if name not in self.facts:
            raise value.expected(f"a fact ({some(self.facts)})")
        return self.facts.index(name)

    def _facts(self, members: int) -> list[Json]:
        numbers = [fact for fact in range(self.domain.facts) if members >> fact & 1]
        return [fact if self.facts is None else self.facts[fact] for fact in numbers]


@dataclass(frozen=True)
class AffineForm(Form[Affine]):
    """Assignments, or the matrices that span a weight."""

    domain: Affine
    variables: tuple[str, ...]
    name = "affine"

    def described(self) -> dict[str, Json]:
        domain = self.domain
        described: dict[str, Json] = {"name": self.name, "variables": list(self.variables)}
        if domain.modulus is not None:
            described["modulus"] = domain.modulus
        if domain.local_variables:
            described["local_variables"] = domain.local_variables
        return described

    def read(self, value: Value, rule: int | None = None) -> Any:
        members = value.fields("an affine weight", (), ("assign", "span"))
        if len(members) != 1:
            raise value.error("expected one of the keys 'assign' and 'span'")
        if "span" in members:
            return self.domain.span(map(self._matrix, members["span"].items("a span")))
        assigned = members["assign"].members("assignments")
        return self.domain.statement(
            {self._variable(key, each): self._expression(each) for key, each in assigned.items()}
        )

    def write(self, weight: Any, rule: int | None = None) -> Json:
        order = len(self.variables) + 1
        rows = range(0, order * order, order)
        return {"span": [[list(m[row : row + order]) for row in rows] for m in weight]}

    def lines(self, weight: Any) -> list[str]:
        if not weight:
            return ["there is no path"]
        modulo = "" if self.domain.modulus is None else f" (mod {self.domain.modulus})"
        holding = self.domain.holding(weight)
        return [f"{self._equation(each)} = 0{modulo}" for each in holding] or ["nothing holds"]

    def _variable(self, name: str, value: Value) -> int:
        if name not in self.variables:
            raise value.key_error(f"expected a variable ({some(self.variables)}), found '{name}'")
        return self.variables.index(name) + 1

    def _expression(self, value: Value) -> list[int] | None:
        if value.raw == "?":
            return None
        if isinstance(value.raw, str):
            raise value.expected("an expression, which is a list of coefficients or '?'")
        what = "an expression, that is, a constant and a coefficient for each variable,"
        items = value.items(what, len(self.variables) + 1)
        return [each.integer("a coefficient") for each in items]

    def _matrix(self, value: Value) -> tuple[int, ...]:
        order = len(self.variables) + 1
        rows = [row.items("a row", order) for row in value.items("a matrix", order)]
        return tuple(each.integer("an entry") for row in rows for each in row)

    def _equation(self, relation: Sequence[int]) -> str:
        terms = zip((*relation[1:], relation[0]), (*self.variables, ""), strict=True)
        text = ""
        for factor, variable in terms:
            if factor:
                size = "" if abs(factor) == 1 and variable else str(abs(factor))
                term = f"{size} {variable}".strip()
                sign = (" - " if text else "-") if factor < 0 else (" + " if text else "")
                text += sign + term
        return text


@dataclass(frozen=True)
class PairsForm(Form[Pairs[Any, Any]]):
    """A list of two weights."""

    domain: Pairs[Any, Any]
    first: Form[Any]
    second: Form[Any]
    name = "pairs"

    def described(self) -> dict[str, Json]:
        first, second = self.first.described(), self.second.described()
        return {"name": self.name, "first": first, "second": second}

    def read(self, value: Value, rule: int | None = None) -> tuple[Any, Any]:
        first, second = value.items("a pair of weights", 2)
        return self.first.read(first, rule), self.second.read(second, rule)

    def write(self, weight: tuple[Any, Any], rule: int | None = None) -> Json:
        return [self.first.write(weight[0], rule), self.second.write(weight[1], rule)]

    def unspoken(self, rule: int) -> tuple[Any, Any]:
        return self.first.unspoken(rule), self.second.unspoken(rule)

    def lines(self, weight: tuple[Any, Any]) -> list[str]:
        first, second = self.first.lines(weight[0]), self.second.lines(weight[1])
        return [*(f"first: {each}" for each in first), *(f"second: {each}" for each in second)]


@dataclass(frozen=True)
class MatricesForm(Form[Matrices[Any]]):
    """A list of rows, each a list of weights."""

    domain: Matrices[Any]
    entries: Form[Any]
    name = "matrices"

    def described(self) -> dict[str, Json]:
        entries = self.entries.described()
        return {"name": self.name, "order": self.domain.order, "entries": entries}

    def read(self, value: Value, rule: int | None = None) -> Any:
        order = self.domain.order
        return tuple(
            tuple(self.entries.read(each, rule) for each in row.items("a row", order))
            for row in value.items("a matrix", order)
        )

    def write(self, weight: Any, rule: int | None = None) -> Json:
        return [[self.entries.write(each, rule) for each in row] for row in weight]

    def unspoken(self, rule: int) -> Any:
        zero, one = self.entries.domain.zero, self.entries.unspoken(rule)
        order = range(self.domain.order)
        return tuple(tuple(one if i == j else zero for j in order) for i in order)

    def lines(self, weight: Any) -> list[str]:
        return [", ".join("; ".join(self.entries.lines(e)) for e in row) for row in weight]


def some(texts: Iterable[str]) -> str:
    """The first of some texts, and how many more there are."""
    known = list(texts)
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return ", ".join(known[:SHOWN]) + more


def _cost(value: Value) -> int:
    return value.integer("a cost", 0, MOST_COST)


def _states(domain: Relations | WeightedRelations[Any]) -> dict[str, Json]:
    local = {"local_states": domain.local_states} if domain.local_states > 1 else {}
    return {"states": domain.states, **local}
