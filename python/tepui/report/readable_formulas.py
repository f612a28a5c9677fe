"""Formulas of linear integer arithmetic as people read them: infix, without what is clear anyway.

    (and (<= 0 |g.called.0|) (<= (+ |g.called.0| 1) |g.next.0|) (<= 1 |g.next.0|))
    called >= 0 and called < next

A formula becomes *facts*, which all hold, and *choices*, each with several formulas of which one
holds. A fact is a sum that is at most 0, that is 0, or that is not. What follows from other facts
is left out where that is seen from sums of differences (a shortest path through the variables); so
is what every value of a type satisfies. What all formulas of a choice imply is said once before it.
A branch without a solution is left out only if differences show that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.values import Range
from tepui.records import record

MOST_TERMS = 4_000
"""Longer formulas are not made readable: that would take long, and nobody would read them."""

MOST_FACTS = 80
"""Of more facts than these, nothing is left out."""


class TooLong(ValueError):  # noqa: N818 - nothing is wrong with the formula
    """The formula has more than MOST_TERMS terms, written as a tree."""


Relation = Literal["<=", "=", "!="]


@record
class Named:
    """A variable as it is shown, and what is known of it."""

    name: str
    range: Range = (None, None)
    value_text: Callable[[int], str] = str


@record
class Fact:
    """A sum of variables and a constant that is at most 0, that is 0, or that is not 0."""

    relation: Relation
    parts: tuple[tuple[str, int], ...]
    """Names in alphabetical order, with factors that are not 0."""
    constant: int

    @property
    def order(self) -> tuple[int, bool, tuple[str, ...], str, int]:
        """Facts about fewer variables first."""
        names = tuple(name for name, _ in self.parts)
        return len(names), any("#" in name for name in names), names, self.relation, self.constant


@record
class Formula:
    """Facts that hold, and choices; a choice without formulas is false."""

    facts: tuple[Fact, ...] = ()
    choices: tuple[tuple[Formula, ...], ...] = ()

    @property
    def is_false(self) -> bool:
        return () in self.choices


FALSE = Formula(choices=((),))

Variables = Mapping[str, Named]
"""Variables, by the names in which they are shown."""


def readable(terms: Terms, root: Term, symbols: Mapping[str, Named]) -> Formula:
    """What a term says, with these names for its variables; nothing is left out yet."""
    return _Reader(terms, symbols).formula(root)


def simplified(formula: Formula, variables: Variables, known: Sequence[Fact] = ()) -> Formula:
    """The same, if `known` holds, without what is clear anyway."""
    given = (*known, *formula.facts)
    choices = [
        [simplified(branch, variables, given) for branch in choice] for choice in formula.choices
    ]
    facts = list(formula.facts)
    kept: list[tuple[Formula, ...]] = []
    for choice in choices:
        branches = [branch for branch in choice if not branch.is_false]
        facts += common(branches, variables, given)
        if len(branches) == 1:
            facts += branches[0].facts
            kept += branches[0].choices
        elif Formula() not in branches and not _is_any_value(branches, variables):
            kept.append(tuple(sorted(branches, key=_order)))
    if () in kept or not Differences(variables, (*known, *facts)).is_possible:
        return FALSE
    facts = needed(_without_constants(facts, known), variables, known)
    given = (*known, *facts)
    kept = [
        tuple(
            Formula(
                tuple(needed(_without_constants(branch.facts, given), variables, given)),
                branch.choices,
            )
            for branch in choice
        )
        for choice in kept
    ]
    return Formula(tuple(facts), tuple(choice for choice in kept if Formula() not in choice))


def common(
    formulas: Sequence[Formula], variables: Variables, known: Sequence[Fact] = ()
) -> list[Fact]:
    """Facts of some of these formulas that follow from each of them."""
    candidates = dict.fromkeys(fact for formula in formulas for fact in formula.facts)
    if len(formulas) < 2 or len(candidates) > MOST_FACTS:
        return []
    differences = [
        Differences(variables, (*known, *formula.facts), candidates) for formula in formulas
    ]
    return [fact for fact in candidates if all(one.implies(fact) for one in differences)]


def needed(facts: Iterable[Fact], variables: Variables, known: Sequence[Fact] = ()) -> list[Fact]:
    """Those facts that do not follow from the others, in the order in which they are shown."""
    kept = sorted(dict.fromkeys(facts), key=lambda fact: fact.order)
    if len(kept) > MOST_FACTS:
        return kept
    for fact in sorted(kept, key=lambda fact: (fact.relation == "=", fact.order)):
        others = [other for other in kept if other != fact]
        if Differences(variables, (*known, *others), [fact]).implies(fact):
            kept = others
    return kept


def _is_any_value(branches: Sequence[Formula], variables: Variables) -> bool:
    """Whether a choice says only that a variable has one of all its values."""
    facts = [branch.facts[0] for branch in branches if len(branch.facts) == 1]
    names = {fact.parts for fact in facts if fact.relation == "=" and len(fact.parts) == 1}
    if len(facts) < len(branches) or len(names) != 1 or any(one.choices for one in branches):
        return False
    (((name, factor),),) = names
    low, high = variables[name].range if name in variables else (None, None)
    if low is None or high is None or abs(factor) != 1 or high - low >= len(facts):
        return False
    return {-fact.constant * factor for fact in facts if fact.relation == "="} >= {
        *range(low, high + 1)
    }


def _without_constants(facts: Iterable[Fact], known: Iterable[Fact]) -> list[Fact]:
    """The facts, with values in place of variables that have only one."""
    facts = list(facts)
    values = {
        fact.parts[0][0]: -fact.constant * fact.parts[0][1]
        for fact in (*known, *facts)
        if fact.relation == "=" and len(fact.parts) == 1 and abs(fact.parts[0][1]) == 1
    }
    found = []
    for fact in facts:
        if len(fact.parts) > 1:
            constant = fact.constant + sum(f * values.get(name, 0) for name, f in fact.parts)
            parts = tuple(part for part in fact.parts if part[0] not in values)
            fact = _fact(fact.relation, parts, constant)
        if fact.parts or not _holds(fact):
            found.append(fact)
    return found


def _order(formula: Formula) -> tuple[int, list[str]]:
    """Branches that say less first."""
    return len(formula.facts), [fact_text(fact, {}) for fact in formula.facts]


def lines(formula: Formula, variables: Variables) -> list[str]:
    """What holds, on as many lines as it has parts: facts first, then each choice."""
    facts = " and ".join(fact_text(fact, variables) for fact in formula.facts)
    found = [facts] if facts else []
    for choice in formula.choices:
        texts = [_inline(branch, variables) for branch in choice]
        found += [f"{'either' if not place else 'or'} {text}" for place, text in enumerate(texts)]
    return found or ["true"]


def fact_text(fact: Fact, variables: Variables) -> str:
    """A fact as a comparison, with positive numbers on both sides."""
    only = variables.get(fact.parts[0][0]) if len(fact.parts) == 1 else None
    if only is not None and abs(fact.parts[0][1]) == 1:
        return _about_one(fact, only)
    left = [_times(name, factor) for name, factor in fact.parts if factor > 0]
    right = [_times(name, -factor) for name, factor in fact.parts if factor < 0]
    relation: str = fact.relation
    constant = fact.constant
    if relation == "<=" and constant == 1 and left and right:
        relation, constant = "<", 0
    is_longer = len(right) == 1 and (len(left) > 1 or constant > 0)
    if not left or (relation in ("=", "!=") and is_longer):
        left, right = right, left
        relation = {"<=": ">="}.get(relation, relation)
        constant = -constant
    if constant > 0 and right:
        left.append(str(constant))
    elif constant or not right:
        right.append(str(-constant))
    return f"{' + '.join(left)} {relation} {' + '.join(right)}"


def _about_one(fact: Fact, named: Named) -> str:
    """A fact about one variable: an end of its range is its value."""
    ((name, factor),) = fact.parts
    bound = -fact.constant * factor
    relation: str = fact.relation
    if relation == "<=":
        relation = "<=" if factor > 0 else ">="
        if bound == named.range[0 if factor > 0 else 1]:
            relation = "="
    return f"{name} {relation} {named.value_text(bound)}"


def _times(name: str, factor: int) -> str:
    return name if factor == 1 else f"{factor} * {name}"


def _inline(formula: Formula, variables: Variables) -> str:
    parts = [fact_text(fact, variables) for fact in formula.facts]
    for choice in formula.choices:
        parts.append(f"({' or '.join(_inline(branch, variables) for branch in choice)})")
    return " and ".join(parts) or "true"


class Differences:
    """What facts say about differences of two variables, and about single ones."""

    def __init__(
        self, variables: Variables, facts: Sequence[Fact], asked: Iterable[Fact] = ()
    ) -> None:
        """`asked` are facts that may be asked for."""
        self._facts = frozenset(facts)
        self._bounds: dict[tuple[str, str], int] = {}
        """How much greater the first can be than the second, at most; "" is 0."""
        names = {name for fact in (*facts, *asked) for name, _ in fact.parts}
        self._names = ["", *sorted(names)]
        for name in names & variables.keys():
            low, high = variables[name].range
            if low is not None:
                self._add("", name, -low)
            if high is not None:
                self._add(name, "", high)
        for fact in facts:
            for one, other, most in _differences(fact):
                self._add(one, other, most)
        self._close()

    @property
    def is_possible(self) -> bool:
        """Whether the differences do not contradict each other."""
        return all(self._bounds.get((name, name), 0) >= 0 for name in self._names)

    def implies(self, fact: Fact) -> bool:
        """Whether a fact follows."""
        if fact in self._facts or not fact.parts:
            return fact in self._facts or _holds(fact)
        if fact.relation == "!=":
            ends = [_bounds_of(Fact("<=", fact.parts, fact.constant + 1))]
            ends.append(_bounds_of(Fact("<=", _negated(fact.parts), 1 - fact.constant)))
            return any(end is not None and self._has(end) for end in ends)
        found = list(_differences(fact))
        return bool(found) and all(self._has(each) for each in found)

    def _has(self, bound: tuple[str, str, int]) -> bool:
        one, other, most = bound
        return (least := self._bounds.get((one, other))) is not None and least <= most

    def _add(self, one: str, other: str, most: int) -> None:
        before = self._bounds.get((one, other))
        self._bounds[one, other] = most if before is None else min(before, most)

    def _close(self) -> None:
        for middle in self._names:
            into = [(one, self._bounds.get((one, middle))) for one in self._names]
            out = [(other, self._bounds.get((middle, other))) for other in self._names]
            for one, first in into:
                for other, second in out:
                    if first is not None and second is not None:
                        self._add(one, other, first + second)


def _differences(fact: Fact) -> Iterator[tuple[str, str, int]]:
    """The fact as bounds for differences, if it has that form."""
    if fact.relation == "!=":
        return
    sides = [fact]
    if fact.relation == "=":
        sides.append(Fact("<=", _negated(fact.parts), -fact.constant))
    for side in sides:
        bound = _bounds_of(side)
        if bound is not None:
            yield bound


def _bounds_of(fact: Fact) -> tuple[str, str, int] | None:
    match fact.parts:
        case ((name, 1),):
            return name, "", -fact.constant
        case ((name, -1),):
            return "", name, -fact.constant
        case ((one, 1), (other, -1)) | ((other, -1), (one, 1)):
            return one, other, -fact.constant
    return None


def _negated(parts: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, -factor) for name, factor in parts)


def _holds(fact: Fact) -> bool:
    """Whether a fact about no variable is true."""
    if fact.relation == "<=":
        return fact.constant <= 0
    return (fact.constant == 0) == (fact.relation == "=")


class _Reader:
    """Turns terms into formulas."""

    def __init__(self, terms: Terms, symbols: Mapping[str, Named]) -> None:
        self._terms = terms
        self._symbols = symbols
        self._left = MOST_TERMS

    def formula(self, term: Term, negated: bool = False) -> Formula:
        self._spend()
        operator, operands, _ = self._terms.nodes[term]
        if operator in ("true", "false"):
            return Formula() if (operator == "true") != negated else FALSE
        if operator == "not":
            return self.formula(operands[0], not negated)
        if operator in ("and", "or"):
            parts = [self.formula(each, negated) for each in operands]
            return _both(parts) if (operator == "and") != negated else _either(parts)
        return self._fact(operator, operands, negated)

    def _fact(self, operator: str, operands: Sequence[Term], negated: bool) -> Formula:
        one, other = map(self._sum, operands)
        constant = int(operator == "<")
        if negated and operator != "=":  # Not a <= b is b < a.
            one, other, constant = other, one, 1 - constant
        total = Counter(one)
        total.subtract(other)
        constant += total.pop("", 0)
        parts = tuple(sorted((name, factor) for name, factor in total.items() if factor))
        if operator != "=":
            return _stated(Fact("<=", parts, constant))
        return _stated(_fact("!=" if negated else "=", parts, constant))

    def _sum(self, term: Term) -> Counter[str]:
        """Names and their factors; "" has the constant."""
        self._spend()
        operator, operands, value = self._terms.nodes[term]
        match operator:
            case "constant":
                assert isinstance(value, int)
                return Counter({"": value})
            case "variable":
                return Counter({self._symbols[str(value)].name: 1})
            case "+":
                total: Counter[str] = Counter()
                for each in operands:
                    total.update(self._sum(each))
                return total
            case "*":
                factor = self._terms.value(operands[0]) or 0
                return Counter({k: factor * v for k, v in self._sum(operands[1]).items()})
            case "ite":
                test = _inline(self.formula(operands[0]), {})
                then, otherwise = (_sum_text(self._sum(each)) for each in operands[1:])
                return Counter({f"(if {test} then {then} else {otherwise})": 1})
        divided, divisor = _sum_text(self._sum(operands[0])), self._terms.value(operands[1])
        return Counter({f"(({divided}) {'/' if operator == 'div' else '%'} {divisor})": 1})

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooLong


def _fact(relation: Relation, parts: tuple[tuple[str, int], ...], constant: int) -> Fact:
    """A fact; of an equation and its negative, always the same one."""
    if relation != "<=" and parts and parts[0][1] < 0:
        return Fact(relation, _negated(parts), -constant)
    return Fact(relation, parts, constant)


def _stated(fact: Fact) -> Formula:
    if fact.parts:
        return Formula((fact,))
    return Formula() if _holds(fact) else FALSE


def _both(parts: Sequence[Formula]) -> Formula:
    facts = tuple(fact for part in parts for fact in part.facts)
    return Formula(facts, tuple(choice for part in parts for choice in part.choices))


def _either(parts: Sequence[Formula]) -> Formula:
    branches: list[Formula] = []
    for part in parts:
        if not part.facts and len(part.choices) == 1:
            branches += part.choices[0]
        else:
            branches.append(part)
    return branches[0] if len(branches) == 1 else Formula(choices=(tuple(branches),))


def _sum_text(total: Counter[str]) -> str:
    parts = [_times(name, factor) for name, factor in sorted(total.items()) if name and factor]
    if total[""] or not parts:
        parts.append(str(total[""]))
    return " + ".join(parts)
