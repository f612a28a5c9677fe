"""Certificates: sets of states that contain all reachable ones and no bad one.

A `Certificate` lists states. Its kind `states` lists whole global states: a collapsed R_k (CUBA,
section 3). Its kind `cut` lists states whose stacks are cut below their top `depth` symbols, and a
relation `below` that says what a pop may bring up from under the cut (CUBA, Algorithm 2 and eq. 3).
A `DiagramCertificate` says the same of far more states, as a decision diagram over the threads; its
whole stacks may be infinitely many.
A `SymbolicCertificate` is a union of products of languages of stacks (CUBA, section 4; QR,
section 3).

What exactly each claims, and why the checker may believe it, is told in `tepui.checker.induction`,
`tepui.checker.diagrams` and `tepui.checker.products`. Here is only the data, which may say
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tepui.checker.trace import Trace
from tepui.model.stack_sets import StackSet
from tepui.model.system import Word

Local = tuple[Word, bool]
"""The part of a stack that is kept, and whether something lies below it."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A set of states up to permutation of the threads within each group."""

    kind: Literal["states", "cut"]
    groups: tuple[tuple[int, ...], ...]
    """A partition of the threads; within a group they are interchangeable, and ascending."""
    locals: tuple[tuple[Local, ...], ...]
    """Per group, the local states that occur, each once; for `states`, whole stacks."""
    states: Sequence[tuple[int, ...]]
    """(shared state, index in its group's table for each thread), in thread order.

    Within a group the indices do not decrease: a state stands for all its permutations.
    """
    depth: int = 0
    """How many symbols of each stack a cut keeps; 0 for `states`."""
    flags: bool = True
    """Whether a cut's local states know if something lies below; False only at depth 1."""
    below: tuple[frozenset[tuple[int, int]], ...] = ()
    """Per group, (symbol, what may lie directly below it) at the cut or deeper; () for `states`."""

    @property
    def size(self) -> int:
        """How many states are listed."""
        return len(self.states)


Label = Sequence[int] | StackSet
"""A set of local states of one thread: indices into a table of them, or a language of stacks."""

Edge = tuple[int, int]
"""A label and a child, by number."""

Node = Sequence[Edge]
"""A choice: a local state in the label of an edge, and a state of its child."""


@dataclass(frozen=True, slots=True)
class DiagramCertificate:
    """A set of states as a decision diagram: a level for each thread, shared states at the end.

    A state is in the set if a path from the root to an end has the thread's local state in the
    label of each edge, and the shared state in its end.
    """

    kind: Literal["states", "cut"]
    order: tuple[int, ...]
    """The thread of each level, from the root down."""
    locals: tuple[Sequence[Local] | None, ...]
    """Per template, the local states that labels name, each once; for `states`, whole stacks.

    None if the labels of the template are languages, as those of `states` may be.
    """
    labels: tuple[Sequence[Label], ...]
    """Per template; all levels with threads of a template use the same."""
    nodes: Sequence[Sequence[Node]]
    """Per level. A child is a node of the next level or, below the last one, one of the ends.

    The labels at a node should be disjoint: where they are not, a closed set may be refused.
    """
    ends: Sequence[Sequence[int]]
    """Sets of shared states."""
    root: int = 0
    depth: int = 0
    """How many symbols of each stack a cut keeps; 0 for `states`."""
    flags: bool = True
    """Whether a cut's local states know if something lies below; False only at depth 1."""
    below: tuple[frozenset[tuple[int, int]], ...] = ()
    """Per template, (symbol, what may lie directly below it) at the cut or deeper; () for `states`.
    """

    @property
    def size(self) -> int:
        """How many nodes there are, the ends aside."""
        return sum(map(len, self.nodes))


@dataclass(frozen=True, slots=True)
class SymbolicCertificate:
    """A set of global states: the union of products ⟨q | L₁, …, L_n⟩ of languages of stacks."""

    labels: tuple[Sequence[StackSet], ...]
    """Per template."""
    states: Sequence[tuple[int, ...]]
    """(shared state, label of its template for each thread), in thread order."""

    @property
    def size(self) -> int:
        """How many products there are."""
        return len(self.states)


AnyCertificate = Certificate | DiagramCertificate | SymbolicCertificate

Evidence = Trace | AnyCertificate
