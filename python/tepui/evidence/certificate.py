"""A certificate: a set of states that contains all reachable ones and no bad one.

Kind `states` lists whole global states: a collapsed R_k (CUBA, section 3).
Kind `cut` lists states whose stacks are cut below their top `depth` symbols, and a relation
`below` that says what a pop may bring up from under the cut (CUBA, Algorithm 2 and eq. 3).
What exactly each claims, and why the checker may believe it, is told in
`tepui.evidence.induction`. Here is only the data, which may say anything.
Certificates in the form of a decision diagram are not part of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
