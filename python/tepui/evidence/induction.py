"""Checks a certificate: no run from the initial state leaves it, and nothing in it is bad.

Notation. b is the depth of the cut. A stack w has the symbols w₁…w_m, top first, and w_{m+1} = ε.
Its cut is α(w) = (w₁…w_min(b,m), m > b): the symbols that are kept, and whether more lies below.
Z is the set of listed states, B_g the relation `below` of group g, and B_g(σ) what it puts below σ.

Claim. If the checks below pass, then in every reachable state ⟨q|w¹,…,wⁿ⟩
 (1) ⟨q|α(w¹),…,α(wⁿ)⟩, sorted within the groups, is in Z;
 (2) for each stack w, of a thread of group g, (w_i, w_{i+1}) ∈ B_g for all i with b ≤ i ≤ |w|.
As no state of Z is bad, nor any permutation of one within the groups (see `bad`; the visible state
shows in the cut, since b ≥ 1), no reachable state is bad.

Proof, by induction over the steps of a run. The initial state is checked to satisfy (1) and (2).
Let (1) and (2) hold in a state, and let a thread of group g with stack w and α(w) = (u, more) take
⟨q|top⟩ → ⟨q'|word⟩. The threads of a group run one template, so the sorted state in Z has a thread
of g with the same u and more, the same rule enabled, and up to order the same successors: it is
enough to look at that one, and at one of several equal threads. Let w = u·rest; rest is not empty
if and only if more holds, and then |u| = b. The new stack is v = x·rest with x = word·u₂…u_|u|.

(2) for v. A pair inside rest was at depth ≥ b in w: it is in B_g by hypothesis. Any other pair at
depth ≥ b in v lies inside x, or is (last of x, what follows), where |x| ≥ b and what follows is in
under(u, more) = {ε} if more is off, and B_g(u_b) without ε if more is on: the first of rest is not
ε and follows u_b at depth b in w. All these pairs are checked to be in B_g (`_new_pairs`).

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
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from tepui.errors import CheckStopped, EvidenceError
from tepui.evidence.bad import BadStates
from tepui.evidence.certificate import Certificate, Local
from tepui.evidence.text import local_text, rule_text, state_text
from tepui.model import EPSILON, Property, Rule, System
from tepui.model.system import Word

_STATES_BETWEEN_QUESTIONS = 10_000

State = tuple[int, ...]
"""The shared state, then for each thread the index of its local state."""


def check_certificate(
    system: System, asked: Property, certificate: Certificate, go_on: Callable[[], bool]
) -> None:
    """Return if the certificate proves that nothing bad is reachable; else raise EvidenceError."""
    _check_form(system, certificate)
    groups = [_Group(system, certificate, number) for number in range(len(certificate.groups))]
    proof = _Proof(system, groups)
    proof.read_states(certificate.states, go_on)
    proof.check_initial()
    proof.check_not_bad(BadStates(system, asked, certificate.groups), go_on)
    proof.check_closed(go_on)


class _Group:
    """Interchangeable threads, their local states, and what one of them can do."""

    def __init__(self, system: System, certificate: Certificate, number: int) -> None:
        self._system = system
        self.threads = certificate.groups[number]
        self.template = system.template_of(self.threads[0])
        self.locals = certificate.locals[number]
        whole = certificate.kind == "states"
        self._depth = sys.maxsize if whole else certificate.depth
        self._flags = whole or certificate.flags
        self._pairs = frozenset() if whole else certificate.below[number]
        self._check_locals()
        self._check_pairs()
        self._index = {local: index for index, local in enumerate(self.locals)}
        self._below: dict[int, list[int]] = {}
        for symbol, lower in sorted(self._pairs):
            self._below.setdefault(symbol, []).append(lower)
        self._rules: dict[tuple[int, int], list[Rule]] = {}
        for rule in self.template.rules:
            self._rules.setdefault((rule.source, rule.top), []).append(rule)

    def initial_local(self) -> int:
        """The local state of the initial stack, whose pairs at the cut and deeper are checked."""
        stack = self.template.stack
        local = stack[: self._depth], self._flags and len(stack) > self._depth
        for pair in self._pairs_of(stack, [EPSILON]):
            if pair not in self._pairs:
                raise self._no_pair(pair, "the initial stack")
        if local not in self._index:
            raise self._no_local(local, "the initial stack")
        return self._index[local]

    def moves(self, shared: int, index: int) -> list[tuple[int, int]]:
        """All (shared state, local state) after one step of a thread; the pairs are checked."""
        local = self.locals[index]
        word, _ = local
        found = []
        for rule in self._rules.get((shared, word[0] if word else EPSILON), ()):
            for pair in self._new_pairs(local, rule):
                if pair not in self._pairs:
                    raise self._no_pair(pair, self._step_text(local, rule))
            for after in self._new_locals(local, rule):
                if after not in self._index:
                    raise self._no_local(after, self._step_text(local, rule))
                found.append((rule.target, self._index[after]))
        return list(dict.fromkeys(found))

    def _new_pairs(self, local: Local, rule: Rule) -> list[tuple[int, int]]:
        """The pairs at the cut and deeper that a step makes; a pop makes none."""
        return self._pairs_of(rule.word + local[0][1:], self._under(local))

    def _new_locals(self, local: Local, rule: Rule) -> list[Local]:
        """The cuts of all stacks that a step can lead to."""
        word, more = local
        after = rule.word + word[1:]
        if not self._flags:
            if rule.word:
                return [(after[:1], False)]
            return [(() if lower == EPSILON else (lower,), False) for lower in self._under(local)]
        if not more:
            return [(after[: self._depth], len(after) > self._depth)]
        if rule.word:
            return [(after[: self._depth], True)]
        return [
            ((*after, emerging), lower != EPSILON)
            for emerging in self._under(local)
            for lower in self._below.get(emerging, ())
        ]

    def _under(self, local: Local) -> list[int]:
        """What may follow the part of a stack that is kept."""
        word, more = local
        if not word:
            return [EPSILON]
        if not self._flags:
            return self._below.get(word[0], [])
        if not more:
            return [EPSILON]
        return [lower for lower in self._below.get(word[-1], ()) if lower != EPSILON]

    def _pairs_of(self, word: Word, under: list[int]) -> list[tuple[int, int]]:
        """The pairs at the cut and deeper of a word, up to the one that crosses its end."""
        if len(word) < self._depth:
            return []
        return [*pairwise(word[self._depth - 1 :]), *((word[-1], lower) for lower in under)]

    def _check_locals(self) -> None:
        for word, more in self.locals:
            if not all(0 < symbol < len(self.template.symbols) for symbol in word):
                raise self._no_cut((word, more), "holds something that is no stack symbol")
            if len(word) > self._depth:
                raise self._no_cut((word, more), f"is longer than the cut at {self._depth}")
            if more and not (self._flags and len(word) == self._depth):
                raise self._no_cut((word, more), "is not cut, so nothing can lie below it")
        if len(set(self.locals)) < len(self.locals):
            raise EvidenceError(f"the certificate lists a stack of {self._names()} twice")

    def _check_pairs(self) -> None:
        count = len(self.template.symbols)
        for upper, lower in self._pairs:
            if not (0 < upper < count and 0 <= lower < count):
                raise EvidenceError(
                    f"the relation «below» of {self._names()} "
                    "holds something that is no stack symbol"
                )

    def _no_cut(self, local: Local, problem: str) -> EvidenceError:
        text = local_text(self.template.symbols, local)
        return EvidenceError(f"the stack «{text}» of {self._names()} {problem}")

    def _no_pair(self, pair: tuple[int, int], cause: str) -> EvidenceError:
        upper, lower = (self.template.symbols[symbol] for symbol in pair)
        return EvidenceError(
            f"{cause} of {self._names()} can put {lower} below {upper}, "
            "which the certificate's relation «below» lacks"
        )

    def _no_local(self, local: Local, cause: str) -> EvidenceError:
        text = local_text(self.template.symbols, local)
        return EvidenceError(
            f"{cause} of {self._names()} leads to the stack «{text}», which the certificate lacks"
        )

    def _step_text(self, local: Local, rule: Rule) -> str:
        text = local_text(self.template.symbols, local)
        return f"the rule {rule_text(self._system, self.template, rule)} on the stack «{text}»"

    def _names(self) -> str:
        names = [self._system.thread_names[thread] for thread in self.threads]
        return f"thread {names[0]}" if len(names) == 1 else f"threads {', '.join(names)}"


class _Proof:
    """The induction: the listed states, and the checks on them."""

    def __init__(self, system: System, groups: Sequence[_Group]) -> None:
        self._system = system
        self._groups = groups
        self._group_of = {thread: group for group in groups for thread in group.threads}
        self._states: set[State] = set()

    def read_states(self, states: Iterable[State], go_on: Callable[[], bool]) -> None:
        """Take the listed states in once, so that every later check looks at the same ones."""
        threads = range(len(self._system.threads))
        sizes = (len(self._system.shared), *(len(self._group_of[t].locals) for t in threads))
        in_order = [
            (upper + 1, lower + 1)
            for group in self._groups
            for upper, lower in pairwise(group.threads)
        ]
        for number, state in enumerate(_while(go_on, states), start=1):
            if len(state) != len(sizes):
                raise EvidenceError(
                    f"state {number} of the certificate has not one entry per thread"
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

    def check_not_bad(self, bad: BadStates, go_on: Callable[[], bool]) -> None:
        tops = {
            group: [word[0] if word else EPSILON for word, _ in group.locals]
            for group in self._groups
        }
        shown: list[Sequence[int]] = [range(len(self._system.shared))] + [
            tops[self._group_of[thread]] for thread in range(len(self._system.threads))
        ]
        for state in _while(go_on, self._states):
            if tuple(map(operator.getitem, shown, state)) in bad:
                raise EvidenceError(f"the certificate holds the bad state {self._text(state)}")

    def check_closed(self, go_on: Callable[[], bool]) -> None:
        """Every step from a listed state leads to a listed state."""
        states = self._states
        for group in self._groups:
            places = tuple(thread + 1 for thread in group.threads)
            remembered: dict[tuple[int, int], list[tuple[int, int]]] = {}
            for state in _while(go_on, states):
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


def _while(go_on: Callable[[], bool], states: Iterable[State]) -> Iterator[State]:
    """The states, as long as the check is wanted."""
    for count, state in enumerate(states):
        if count % _STATES_BETWEEN_QUESTIONS == 0 and not go_on():
            raise CheckStopped("the check was stopped")
        yield state


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


def _check_form(system: System, certificate: Certificate) -> None:
    """What the rest relies on: a partition into groups of equal threads, and a table for each."""
    if certificate.kind not in ("states", "cut"):
        raise EvidenceError(f"there is no kind of certificate {certificate.kind!r}")
    _check_groups(system, certificate.groups)
    if len(certificate.locals) != len(certificate.groups):
        raise EvidenceError("the certificate has not one table of stacks for each group")
    if certificate.kind == "states":
        if certificate.depth or certificate.below:
            raise EvidenceError("a certificate of whole states has neither a depth nor «below»")
        return
    if certificate.depth < 1 or not (certificate.flags or certificate.depth == 1):
        raise EvidenceError(
            f"stacks cannot be cut at {certificate.depth}: with flags the depth is 1 or more, "
            "without them it is 1"
        )
    if len(certificate.below) != len(certificate.groups):
        raise EvidenceError("the certificate has not one relation «below» for each group")


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
