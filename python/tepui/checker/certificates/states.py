"""Certificates that list states: no run from the initial state leaves them, and none is bad.

The kind `states` lists whole global states: a collapsed R_k (CUBA, section 3). The kind `cut` lists
states whose stacks are cut below their top `depth` symbols, and a relation `below` that says what a
pop may bring up from under the cut (CUBA, Algorithm 2 and eq. 3).

Notation. b is the depth of the cut. A stack w has the symbols w₁…w_m, top first, and w_{m+1} = ε.
Its cut is α(w) = (w₁…w_min(b,m), m > b): the symbols that are kept, and whether more lies below.
Z is the set of listed states, B_g the relation `below` of group g, and B_g(σ) what it puts below σ.

Claim. If the checks below pass, then in every reachable state ⟨q|w¹,…,wⁿ⟩
 (1) ⟨q|α(w¹),…,α(wⁿ)⟩, sorted within the groups, is in Z;
 (2) for each stack w, of a thread of group g, (w_i, w_{i+1}) ∈ B_g for all i with b ≤ i ≤ |w|.
No state of Z is bad, nor any permutation of one within the groups (see `bad_states`; the visible
state shows in the cut, since b ≥ 1, and a stack is a continuation of its cut). So no reachable
state is bad.

Proof, by induction over the steps of a run. The initial state is checked to satisfy (1) and (2).
Let (1) and (2) hold in a state, and let a thread of group g with stack w and α(w) = (u, more) take
⟨q|top⟩ → ⟨q'|word⟩. The threads of a group run one template, so the sorted state in Z has a thread
of g with the same u and more, the same rule enabled, and up to order the same successors: it is
enough to look at that one, and at one of several equal threads. Let w = u·rest; rest is not empty
if and only if more holds, and then |u| = b. The new stack is v = x·rest with x = word·u₂…u_|u|.

(2) for v. A pair inside rest was at depth ≥ b in w: it is in B_g by hypothesis. Any other pair at
depth ≥ b in v lies inside x, or is (last of x, what follows), where |x| ≥ b and what follows is in
under(u, more) = {ε} if more is off, and B_g(u_b) without ε if more is on: the first of rest is not
ε and follows u_b at depth b in w. All these pairs are checked to be in B_g (`_new_pairs` in
`local_states`).

(1) for v. If more is off, v = x and α(v) = (x₁…x_min(b,|x|), |x| > b). If more is on and word is
not empty, then |x| ≥ b and α(v) = (x₁…x_b, true). If more is on and word is empty, |x| = b - 1, the
first symbol p of rest comes into view, and α(v) = (x·p, |rest| > 1). By hypothesis p ∈ B_g(u_b),
and what follows p in rest is in B_g(p): if it is ε the flag is off, otherwise on. All these local
states are required (`_new_locals`), and all states with them are checked to be in Z.  ∎

Kind `states` is the cut at a depth that no stack reaches: α(w) = (w, false), and (2) says nothing.

Without flags (CUBA, Algorithm 2; b = 1) the cut is α(w) = (w₁ or nothing, false), and under(u) is
all of B_g(u₁), ε included, or {ε} on the empty stack. The same argument holds, and is simpler: what
follows u₁ in w is in under(u) by (2), ε or not; a pop brings it into view, and any other rule puts
its word above it.

Nothing is lost if Z or B is larger than needed; that only makes more to check. Local states and
pairs that no state of Z gives rise to are not looked at, beyond their form.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from tepui.checker.bad_states import BadReaches, BadStates
from tepui.checker.certificates.local_states import Local, LocalStates, cut_of
from tepui.checker.certificates.table_files import (
    Below,
    read_cut,
    read_groups,
    read_locals,
    written_cut,
    written_locals,
)
from tepui.checker.evidence import AnyCertificate, Pair, register
from tepui.checker.name_text import state_text
from tepui.checker.packed_rows import fixed_rows, met
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer

State = tuple[int, ...]
"""The shared state, then for each thread the index of its local state."""


@register
@record
class Certificate(AnyCertificate):
    """A set of states up to permutation of the threads within each group.

    >>> result = tepui.verify(tepui.load("examples/figure4.cpds"))
    >>> isinstance(result.evidence, tepui.Certificate)
    True
    """

    kinds: ClassVar = ("states", "cut")
    fields: ClassVar = ("groups", "depth", "flags", "below", "locals", "states")

    kind: Literal["states", "cut"]
    groups: tuple[tuple[int, ...], ...]
    """A partition of the threads; within a group they are interchangeable, and ascending."""
    locals: tuple[tuple[Local, ...], ...]
    """Per group, the local states that occur, each once; for `states`, whole stacks."""
    states: Sequence[State]
    """(shared state, index in its group's table for each thread), in thread order.

    Within a group the indices do not decrease: a state stands for all its permutations.
    """
    depth: int = 0
    """How many symbols of each stack a cut keeps; 0 for `states`."""
    flags: bool = True
    """Whether a cut's local states know if something lies below; False only at depth 1."""
    below: tuple[Below, ...] = ()
    """Per group, (symbol, what may lie directly below it) at the cut or deeper; () for `states`."""

    @property
    def size(self) -> int:
        """How many states are listed."""
        return len(self.states)

    @property
    def file_kind(self) -> str:
        return self.kind

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        patience = Patience(go_on)
        proof = _Proof(system, _tables(system, self))
        proof.read_states(self.states, patience)
        proof.check_initial()
        proof.check_not_bad(asked, patience)
        proof.check_closed(patience)

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        """Numbers that are out of range are skipped here; the check will find them."""
        threads = len(system.threads)
        found: list[set[Pair]] = [set() for _ in range(threads)]
        for group, table in zip(self.groups, self.locals, strict=False):
            tops = [word[0] if word else EPSILON for word, _ in table]
            for thread in group:
                if 0 <= thread < threads:
                    place = thread + 1
                    found[thread] |= {
                        (shared, tops[local])
                        for shared, local in met(self.states, place)
                        if 0 <= local < len(tops)
                    }
        return found

    def fixed(self) -> Self:
        return replace(self, states=fixed_rows(self.states))

    def body(self, writer: Writer) -> dict[str, Any]:
        alphabets = [writer.symbols(group[0]) if group else () for group in self.groups]
        return {
            "groups": [writer.all_threads(group) for group in self.groups],
            **written_cut(alphabets, self.depth, self.flags, self.below),
            "locals": written_locals(alphabets, self.locals),
            "states": writer.states(self.states),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        groups = read_groups(reader, fields["groups"])
        alphabets = [reader.symbols(group[0]) for group in groups]
        tables = reader.items(fields["locals"], "locals", len(groups))
        return cls(
            "cut" if kind == "cut" else "states",
            groups,
            locals=tuple(map(partial(read_locals, reader), alphabets, tables)),
            states=reader.states(fields["states"], "states"),
            **read_cut(reader, alphabets, kind, fields),
        )


class _Proof:
    """The induction: the listed states, and the checks on them."""

    def __init__(self, system: System, groups: Sequence[LocalStates]) -> None:
        self._system = system
        self._groups = groups
        self._group_of = {thread: group for group in groups for thread in group.threads}
        self._states: set[State] = set()

    def read_states(self, states: Iterable[State], patience: Patience) -> None:
        """Read the listed states once, so that every later check looks at the same ones."""
        threads = range(len(self._system.threads))
        sizes = (len(self._system.shared), *(len(self._group_of[t].locals) for t in threads))
        in_order = [
            (upper + 1, lower + 1)
            for group in self._groups
            for upper, lower in pairwise(group.threads)
        ]
        for number, state in enumerate(patience.each(states), start=1):
            if len(state) != len(sizes):
                raise EvidenceError(
                    f"state {number} of the certificate does not have one entry per thread"
                )
            if min(state) < 0 or not all(map(operator.lt, state, sizes)):
                raise EvidenceError(f"state {number} of the certificate points outside its tables")
            for left, right in in_order:
                if state[left] > state[right]:
                    raise EvidenceError(
                        f"state {number} of the certificate, {self._text(state)}, is not sorted "
                        "within its groups of interchangeable threads"
                    )
            self._states.add(state)

    def check_initial(self) -> None:
        entries = [self._system.initial] + [0] * len(self._system.threads)
        for group in self._groups:
            local = group.initial_local()
            for thread in group.threads:
                entries[thread + 1] = local
        if tuple(entries) not in self._states:
            raise EvidenceError(
                f"the certificate lacks the initial state {self._text(tuple(entries))}"
            )

    def check_not_bad(self, asked: Property, patience: Patience) -> None:
        visible = BadStates(self._system, asked, [tuple(group.threads) for group in self._groups])
        whole = BadReaches(asked.reaches, self._groups)
        tops = {group: [*map(group.top, range(len(group.locals)))] for group in self._groups}
        shown: list[Sequence[int]] = [range(len(self._system.shared))] + [
            tops[self._group_of[thread]] for thread in range(len(self._system.threads))
        ]
        for state in patience.each(self._states):
            if tuple(map(operator.getitem, shown, state)) in visible or state in whole:
                raise EvidenceError(f"the certificate holds the bad state {self._text(state)}")

    def check_closed(self, patience: Patience) -> None:
        """Every step from a listed state leads to a listed state."""
        states = self._states
        for group in self._groups:
            places = tuple(thread + 1 for thread in group.threads)
            remembered: dict[tuple[int, int], list[tuple[int, int]]] = {}
            for state in patience.each(states):
                shared, previous = state[0], -1
                for rank, place in enumerate(places):
                    local = state[place]
                    if local == previous:
                        continue
                    previous = local
                    moves = remembered.get((shared, local))
                    if moves is None:
                        moves = remembered[shared, local] = group.moves(shared, local)
                    for target, after in moves:
                        successor = _successor(state, places, rank, target, after)
                        if successor not in states:
                            raise self._not_closed(state, place - 1, successor)

    def _not_closed(self, state: State, thread: int, after: State) -> EvidenceError:
        return EvidenceError(
            f"the certificate is not closed: thread {self._system.thread_names[thread]} can go "
            f"from {self._text(state)} to {self._text(after)}, which it lacks"
        )

    def _text(self, state: State) -> str:
        locals_ = (self._group_of[thread].locals[index] for thread, index in enumerate(state[1:]))
        return state_text(self._system, state[0], locals_)


def _successor(state: State, places: Sequence[int], rank: int, target: int, after: int) -> State:
    """The state with another shared state and one other local state, sorted at these places.

    They were sorted before; so the new entry moves up or down until it fits.
    """
    entries = list(state)
    entries[0] = target
    while rank > 0 and entries[places[rank - 1]] > after:
        entries[places[rank]] = entries[places[rank - 1]]
        rank -= 1
    while rank + 1 < len(places) and entries[places[rank + 1]] < after:
        entries[places[rank]] = entries[places[rank + 1]]
        rank += 1
    entries[places[rank]] = after
    return tuple(entries)


def _tables(system: System, certificate: Certificate) -> list[LocalStates]:
    """What the rest relies on: a partition into groups of equal threads, and a table for each."""
    groups, relations = certificate.groups, certificate.below
    cut = cut_of(
        certificate.kind, certificate.depth, certificate.flags, len(relations), len(groups)
    )
    _check_groups(system, groups)
    if len(certificate.locals) != len(groups):
        raise EvidenceError("the certificate does not have one table of stacks for each group")
    return [
        LocalStates(system, group, table, cut, pairs)
        for group, table, pairs in zip(
            groups, certificate.locals, relations or [frozenset()] * len(groups), strict=True
        )
    ]


def _check_groups(system: System, groups: Sequence[tuple[int, ...]]) -> None:
    listed = sorted(thread for group in groups for thread in group)
    if listed != list(range(len(system.threads))):
        raise EvidenceError("the groups of the certificate are not a partition of the threads")
    for group in groups:
        if not group or list(group) != sorted(group):
            raise EvidenceError("a group of the certificate is empty or not in order")
        if len({system.threads[thread] for thread in group}) > 1:
            names = ", ".join(system.thread_names[thread] for thread in group)
            raise EvidenceError(
                f"the threads {names} are not interchangeable: their rules or initial stacks differ"
            )
