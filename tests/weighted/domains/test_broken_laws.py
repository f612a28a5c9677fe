"""Domains that break a law are caught, law by law, and the message shows the weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tepui.errors import TepuiError, UsageError
from tepui.weighted import (
    BrokenLaw,
    CommutativeTensors,
    Matrices,
    MinPath,
    Path,
    PureTensors,
    Relations,
    Sets,
    ShortestPath,
    check_descent,
    check_laws,
    check_merge,
    check_tensor,
    check_transpose,
    check_transposed_tensor,
)


@dataclass(frozen=True)
class Made:
    """A domain made of anything."""

    zero: Any
    one: Any
    combine: Callable[[Any, Any], Any]
    extend: Callable[[Any, Any], Any]


GOOD = Relations(2)
A, B = GOOD.relation([(0, 1)]), GOOD.relation([(1, 0), (1, 1)])


def _or(zero: Any, chosen: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Combine, where zero is neutral."""
    return lambda a, b: b if a == zero else a if b == zero else chosen(a, b)


def _and(zero: Any, chosen: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Extend, where zero annihilates."""
    return lambda a, b: zero if zero in (a, b) else chosen(a, b)


def _beats(a: str, b: str) -> str:
    return a if a == b or a + b in ("rp", "ps", "sr") else b


def _never_twice(a: Any, b: Any) -> Any:
    return GOOD.extend(a, b) if a == GOOD.one or b == GOOD.one or a != b else GOOD.zero


BROKEN: dict[str, tuple[Made, list[Any]]] = {
    "a ⊕ a = a": (Made(0, 1, lambda a, b: a + b, lambda a, b: a * b), [2, 3]),
    "a ⊕ 0 = a": (Made(0, 1, min, _and(0, lambda a, b: a * b)), [2]),
    "a ⊗ 1 = a": (Made(None, 5, _or(None, min), _and(None, lambda a, b: b)), [7]),
    "1 ⊗ a = a": (Made(None, 5, _or(None, min), _and(None, lambda a, b: a)), [7]),
    "a ⊗ 0 = 0": (Made(0, 9, max, lambda a, b: b if a == 9 else a), [3]),
    "0 ⊗ a = 0": (Made(0, 9, max, lambda a, b: a if b == 9 else b), [3]),
    "a ⊕ b = b ⊕ a": (
        Made(GOOD.zero, GOOD.one, _or(GOOD.zero, lambda a, b: a), GOOD.extend),
        [A, B],
    ),
    "(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)": (
        Made("", "1", _or("", lambda a, b: "1" if "1" in (a, b) else _beats(a, b)), _and("", max)),
        ["r", "p", "s"],
    ),
    "(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)": (
        Made(GOOD.zero, GOOD.one, GOOD.combine, _never_twice),
        [A, B, GOOD.combine(A, B)],
    ),
    "(a ⊕ b) ⊗ c = (a ⊗ c) ⊕ (b ⊗ c)": (
        Made(None, (), _or(None, min), _and(None, lambda a, b: a + b)),
        [(1,), (1, 0), (2,)],
    ),
    "a ⊗ (b ⊕ c) = (a ⊗ b) ⊕ (a ⊗ c)": (
        Made(None, (), _or(None, min), _and(None, lambda a, b: b + a)),
        [(1,), (1, 0), (2,)],
    ),
    "weights are hashable": (Made(0, 1, min, max), [[1]]),
}


@pytest.mark.parametrize("law", BROKEN)
def test_a_broken_law_is_named(law: str) -> None:
    domain, weights = BROKEN[law]
    with pytest.raises(BrokenLaw) as caught:
        check_laws(domain, weights)
    assert caught.value.law == law


def test_the_message_shows_law_weights_and_both_sides() -> None:
    lexicographic, weights = BROKEN["(a ⊕ b) ⊗ c = (a ⊗ c) ⊕ (b ⊗ c)"]
    with pytest.raises(TepuiError) as caught:
        check_laws(lexicographic, weights)
    assert str(caught.value).splitlines() == [
        "the law «(a ⊕ b) ⊗ c = (a ⊗ c) ⊕ (b ⊗ c)» is broken:",
        "  a = (1,)",
        "  b = (1, 0)",
        "  c = (1,)",
        "  left side = (1, 1)",
        "  right side = (1, 0, 1)",
    ]


def test_equal_weights_with_different_hashes_are_caught() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Odd)

        def __hash__(self) -> int:
            return id(self)

    domain = Made(0, 1, _or(0, lambda a, b: Odd() if isinstance(a, Odd) else max(a, b)), max)
    with pytest.raises(BrokenLaw, match="equal weights have equal hashes"):
        check_laws(domain, [Odd()])


def test_a_chain_that_goes_on_descending_is_caught() -> None:
    negative = Made(None, 0, _or(None, min), _and(None, lambda a, b: a + b))
    check_laws(negative, [-1, 2])
    with pytest.raises(BrokenLaw, match="chains descend at most 50 times"):
        check_descent(negative, range(0, -100, -1), 50)
    check_descent(MinPath(), range(100), 1)
    check_descent(MinPath(), range(49, -1, -1), 50)


def test_a_combine_that_does_not_descend_is_caught() -> None:
    with pytest.raises(BrokenLaw, match="a ⊕ b"):
        check_descent(Made(0, 1, lambda a, b: a + b, min), [1, 2], 10)


class Turned(Relations):
    """Relations with a transpose that forgets to turn."""

    def transpose(self, weight: tuple[int, ...]) -> tuple[int, ...]:
        return weight


class Shifted(Relations):
    """Relations with a transpose that is not its own inverse."""

    def transpose(self, weight: tuple[int, ...]) -> tuple[int, ...]:
        return weight[1:] + weight[:1]


class Reversed(ShortestPath):
    """Paths turned round, which is all that Definition 15 asks for."""

    def transpose(self, weight: Path | None) -> Path | None:
        return weight and weight._replace(rules=weight.rules[::-1])


def test_broken_transposes_are_caught() -> None:
    with pytest.raises(BrokenLaw) as caught:
        check_transpose(Turned(2), [A, B])
    assert caught.value.law == "aᵀ ⊗ bᵀ = (b ⊗ a)ᵀ"
    with pytest.raises(BrokenLaw) as caught:
        check_transpose(Shifted(3), [Relations(3).relation([(0, 1)])])
    assert caught.value.law == "(aᵀ)ᵀ = a"
    with pytest.raises(BrokenLaw) as caught:
        check_transpose(Reversed(), [Path(2, 2, (0, 1)), Path(2, 2, (1, 0))])
    assert caught.value.law == "(a ⊕ b)ᵀ = aᵀ ⊕ bᵀ"


def test_turning_paths_round_breaks_tdetensor() -> None:
    with pytest.raises(BrokenLaw) as caught:
        check_transposed_tensor(Reversed(), [Path(2, 2, (0, 1)), Path(2, 2, (1, 0))], 2)
    assert caught.value.law == "TDeTensor(s ⊕ t) = TDeTensor(s) ⊕ TDeTensor(t)"


class Total(Relations):
    """Relations whose merge looks at the whole, and makes something of nothing."""

    def merge(self, weight: tuple[int, ...]) -> tuple[int, ...]:
        return self.one if all(weight) else self.zero


def test_broken_merges_are_caught() -> None:
    with pytest.raises(BrokenLaw) as caught:
        check_merge(Total(2), [A, B])
    assert caught.value.law == "merge(a ⊕ b) = merge(a) ⊕ merge(b)"

    class Something(Relations):
        def merge(self, weight: tuple[int, ...]) -> tuple[int, ...]:
            return self.one

    with pytest.raises(BrokenLaw) as caught:
        check_merge(Something(2), [])
    assert caught.value.law == "merge(0) = 0"


class Componentwise(PureTensors[tuple[int, ...]]):
    """The combine of pairs that section 6.1 warns of: it makes cross terms."""

    def combine(self, a: Any, b: Any) -> Any:
        if not a or not b:
            return a or b
        ((s,), (t,)) = (a, b)
        return self.tensor(*map(self.domain.combine, s, t))


class Backwards(PureTensors[tuple[int, ...]]):
    """A DeTensor that extends in the wrong order."""

    def detensor(self, tensor: Any) -> tuple[int, ...]:
        return super().detensor(frozenset(pure[::-1] for pure in tensor))


class Forgetful(PureTensors[tuple[int, ...]]):
    """Concatenates in the wrong order."""

    def concatenate(self, first: Any, second: Any) -> Any:
        return super().concatenate(second, first)


def _with_tensors(kind: Callable[[Any, int], Any]) -> Any:
    class Tensored(Relations):
        def tensors(self, order: int) -> Any:
            return kind(self, order)

    return Tensored(2)


def test_broken_tensors_are_caught() -> None:
    commutative: Callable[[Any, int], Any] = lambda domain, order: CommutativeTensors(domain)  # noqa: E731
    for kind, law in [
        (Componentwise, "DeTensor(s ⊕ t) = DeTensor(s) ⊕ DeTensor(t)"),
        (Backwards, "DeTensor(⊙(v…)) = v₁ ⊗ … ⊗ vₙ"),
        (commutative, "⊙(v…) ⊗ ⊙(w…) = ⊙(v₁ ⊗ w₁, …, vₙ ⊗ wₙ)"),
        (Forgetful, "⊙(v…) ⊙ ⊙(w…) = ⊙(v…, w…)"),
    ]:
        with pytest.raises(BrokenLaw) as caught:
            check_tensor(_with_tensors(kind), [A, B], 2)
        assert caught.value.law == law


def test_a_domain_without_a_transpose_says_what_to_do() -> None:
    with pytest.raises(BrokenLaw, match="has a transpose"):
        check_transposed_tensor(Sets(1), [])
    with pytest.raises(UsageError, match=r"ShortestPath cannot be transposed; use TwoWay"):
        check_transpose(Matrices(2, ShortestPath()), [])
    with pytest.raises(UsageError, match="Sets cannot be transposed"):
        Sets(1).tensors(2).transposed_detensor(Sets(1).tensors(2).one)
