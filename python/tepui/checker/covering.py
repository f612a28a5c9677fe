"""Evidence about nets: runs, and upward-closed sets. It has a semantics of nets of its own.

A run is initial counts and transitions. It is taken step by step.

A certificate is a set of minimal markings, invariants, and control states. Its claim is that no
reachable marking is above a minimal one, and that every bad marking is, unless an invariant or the
control states exclude it. An invariant is a weight for each place and a bound: the weighted sum of
all counts never exceeds the bound. A control state has the counts of some places, and says which
others may have tokens: every reachable marking fits one of them.

**Why the checks are enough.** Let w be the weights of an invariant. After a transition, the tokens
of a place y count with the weight of the place to which y belongs as a source, of y itself if it
has no row, or with 0 if they vanish; and each row adds its constant times its weight. If no y gets
a larger weight, then the sum shrinks by at least what the tokens that the transition needs lose,
and it is enough that this is not less than what constants add. A transition whose needs alone break
an invariant is never taken where all invariants hold. So, by induction over a run, all invariants
hold everywhere. A control state stands for all markings with its counts on control places that have
tokens on none but its other places. Every initial marking fits one, and from a marking that fits
one, a step leads to one that does, since control places get tokens from control places alone. So
every reachable marking fits one. Let now B be the set of markings above a minimal one. No initial
marking is in B. Let a transition lead from m, which is reachable, to m' in B, above the minimal u.
Then m is above one of the minimal predecessors of u, which are all looked at: each is above a
minimal element, so m would be in B, or breaks an invariant, and then m does so as well, as weights
are not negative, or no control state has as many tokens, and then m fits none. Both cannot be. If
no row for a place of u can make it grow (a row without other sources, and without a positive
constant), then m is above u itself. If no control state fits both what the transition leaves where
there is no more than it needs, and u, then none fits m', which would be reachable as well. So no
reachable marking is in B, and none is bad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tepui.checker.patience import Patience
from tepui.errors import EvidenceError
from tepui.model.net import Marking, Net, Transition
from tepui.records import record


@record
class CoveringRun:
    """A run into a bad marking: the count of each place in the beginning, and the transitions."""

    start: tuple[int, ...]
    transitions: tuple[int, ...]


@record
class NetInvariant:
    """The weighted sum of all counts never exceeds the bound."""

    weights: tuple[int, ...]
    bound: int


@record
class ControlStates:
    """Which counts some places, the control places, may have together, and which other places may
    have tokens then."""

    places: tuple[int, ...]
    states: tuple[tuple[Marking, tuple[int, ...]], ...]
    """The counts of the control places, and the other places."""


@record
class UpwardClosed:
    """The minimal elements of a set that contains all bad markings and no reachable one, among the
    markings that the invariants and the control states allow."""

    minimal: tuple[Marking, ...]
    invariants: tuple[NetInvariant, ...] = ()
    control: ControlStates | None = None


def check_run(net: Net, run: CoveringRun) -> list[tuple[int, ...]]:
    """All markings of a run; an EvidenceError if it is none into a bad marking."""
    if len(run.start) != len(net.places):
        raise EvidenceError("the run does not begin with a count for each place")
    for name, count, (least, most) in zip(net.places, run.start, net.initial, strict=True):
        if count < least or (most is not None and count > most):
            raise EvidenceError(f"the run begins with {count} tokens on {name}")
    visited = [tuple(run.start)]
    for step, number in enumerate(run.transitions, start=1):
        if not 0 <= number < len(net.transitions):
            raise EvidenceError(f"step {step} is transition {number}, and there is none")
        visited.append(_fired(net, net.transitions[number], visited[-1], step))
    last = visited[-1]
    if not any(all(last[place] >= count for place, count in bad) for bad in net.targets):
        raise EvidenceError("the run does not end in a bad marking")
    return visited


def check_upward_closed(
    net: Net, certificate: UpwardClosed, go_on: Callable[[], bool] = lambda: True
) -> None:
    """Return if it proves that no bad marking is reachable; an EvidenceError if not."""
    patience = Patience(go_on)
    _check_form(net, certificate)
    needs = [_needed(transition) for transition in net.transitions]
    for invariant in certificate.invariants:
        _check_invariant(net, certificate.invariants, invariant, needs, patience)
    if certificate.control is not None:
        _check_control(net, certificate.control, patience)
    _check_closed(net, certificate, patience)


def check_closed(
    net: Net,
    certificate: UpwardClosed,
    known: tuple[NetInvariant, ...],
    go_on: Callable[[], bool],
) -> None:
    """The same where other invariants, and the control states, are known to hold."""
    patience = Patience(go_on)
    _check_form(net, certificate)
    needs = [_needed(transition) for transition in net.transitions]
    every = (*known, *certificate.invariants)
    for invariant in certificate.invariants:
        _check_invariant(net, every, invariant, needs, patience)
    _check_closed(net, UpwardClosed(certificate.minimal, every, certificate.control), patience)


def _check_closed(net: Net, certificate: UpwardClosed, patience: Patience) -> None:
    """That no initial marking is in the set, every bad one is, and no step leads into it."""
    allowed, elements = _Allowed(certificate), _Elements(certificate)
    for bad in net.targets:
        if not elements.has_below(dict(bad)) and allowed.has_above(dict(bad)):
            raise EvidenceError(f"the bad marking {marking_text(net, bad)} is not in the set")
    growing = _growing(net, allowed)
    for element in certificate.minimal:
        if all(_may_start_with(net, place, count) for place, count in element):
            raise EvidenceError(f"an initial marking is above {marking_text(net, element)}")
        for number in _leading_to(growing, element, allowed.fitting(element)):
            for before in _predecessors(net.transitions[number], dict(element)):
                patience.spend()
                if allowed.has_above(before) and not elements.has_below(before):
                    raise EvidenceError(
                        f"the set is not closed: {net.transitions[number].text} leads from "
                        f"{marking_text(net, before.items())} into it"
                    )


def marking_text(net: Net, marking: Iterable[tuple[int, int]]) -> str:
    """A marking in the names of its places."""
    parts = [
        net.places[place] if count == 1 else f"{count} × {net.places[place]}"
        for place, count in sorted(marking)
        if count
    ]
    return ", ".join(parts) or "nothing"


def _fired(net: Net, transition: Transition, counts: tuple[int, ...], step: int) -> tuple[int, ...]:
    for place, needed in transition.guard:
        if counts[place] < needed:
            raise EvidenceError(
                f"step {step} needs {needed} tokens on {net.places[place]}, and there are "
                f"{counts[place]}"
            )
    after = list(counts)
    for row in transition.rows:
        after[row.place] = sum(counts[source] for source in row.sources) + row.constant
        if after[row.place] < 0:
            raise EvidenceError(f"step {step} takes too much from {net.places[row.place]}")
    return tuple(after)


def _check_form(net: Net, certificate: UpwardClosed) -> None:
    for element in certificate.minimal:
        for place, count in element:
            if not 0 <= place < len(net.places) or count < 1:
                raise EvidenceError("an element has an unknown place, or no tokens on one")
        if len(dict(element)) < len(element):
            raise EvidenceError("an element has a place twice")
    for invariant in certificate.invariants:
        if len(invariant.weights) != len(net.places) or min(invariant.weights, default=0) < 0:
            raise EvidenceError("an invariant does not have a weight for each place")


def _needed(transition: Transition) -> dict[int, int]:
    """How many tokens a transition needs: by its guard, and because no count becomes negative."""
    needed = dict(transition.guard)
    for row in transition.rows:
        if len(row.sources) == 1 and row.constant < 0:
            (source,) = row.sources
            needed[source] = max(needed.get(source, 0), -row.constant)
    return needed


def _check_invariant(
    net: Net,
    invariants: tuple[NetInvariant, ...],
    invariant: NetInvariant,
    needs: list[dict[int, int]],
    patience: Patience,
) -> None:
    """That it holds in the beginning, and that no transition breaks it where all hold."""
    weights, total = invariant.weights, 0
    for place, weight in enumerate(weights):
        most = net.initial[place][1]
        if weight and most is None:
            raise EvidenceError(f"an invariant bounds {net.places[place]}, which has any number")
        total += weight * (most or 0)
    if total > invariant.bound:
        raise EvidenceError("an invariant does not hold in the beginning")
    for transition, needed in zip(net.transitions, needs, strict=True):
        patience.spend()
        becomes = dict.fromkeys((row.place for row in transition.rows), 0)
        for row in transition.rows:
            becomes |= dict.fromkeys(row.sources, weights[row.place])
        shrinks = all(weight <= weights[place] for place, weight in becomes.items())
        lost = sum((weights[p] - weight) * needed.get(p, 0) for p, weight in becomes.items())
        added = sum(weights[row.place] * row.constant for row in transition.rows)
        if shrinks and lost >= added:
            continue
        if not _is_excluded(invariants, needed.items()):
            raise EvidenceError(f"{transition.text} breaks an invariant")


def _check_control(net: Net, control: ControlStates, patience: Patience) -> None:
    """That the initial markings fit a control state, and that every step leads from one to one."""
    chosen = frozenset(control.places)
    states = {frozenset(counts): frozenset(others) for counts, others in control.states}
    for counts, others in control.states:
        named = {place for place, _ in counts}
        if not named <= chosen or not chosen.union(others) <= set(range(len(net.places))):
            raise EvidenceError("a control state has an unknown place")
        if len(named) < len(counts) or any(count < 1 for _, count in counts):
            raise EvidenceError("a control state has a place twice, or no tokens on one")
    if len(states) < len(control.states):
        raise EvidenceError("two control states have the same counts")
    if any(net.initial[place][0] != net.initial[place][1] for place in chosen):
        raise EvidenceError("a control place begins with different counts")
    first = {place: net.initial[place][0] for place in chosen}
    may = {place for place, (_, most) in enumerate(net.initial) if most != 0} - chosen
    start = states.get(_nonzero(first))
    if start is None or not may <= start:
        raise EvidenceError("an initial marking fits no control state")
    for held, free in states.items():
        for transition in net.transitions:
            patience.spend()
            after = _control_after(transition, chosen, dict(held), free)
            if after is not None and not (after[0] in states and after[1] <= states[after[0]]):
                raise EvidenceError(f"{transition.text} leads to no control state")


def _control_after(
    transition: Transition, chosen: frozenset[int], counts: dict[int, int], others: frozenset[int]
) -> tuple[frozenset[tuple[int, int]], set[int]] | None:
    """The counts of control places after a transition, and the other places that may have tokens;
    None if it cannot be taken."""

    def may_have(place: int, needed: int) -> bool:
        return counts.get(place, 0) >= needed if place in chosen else place in others

    if not all(may_have(place, needed) for place, needed in transition.guard):
        return None
    control, marked = dict(counts), set(others)
    for row in transition.rows:
        if row.place not in chosen:
            marked.discard(row.place)
            if row.constant > 0 or any(may_have(source, 1) for source in row.sources):
                marked.add(row.place)
        elif chosen.issuperset(row.sources):
            control[row.place] = row.constant + sum(counts.get(s, 0) for s in row.sources)
        else:
            raise EvidenceError(f"{transition.text} puts tokens without a bound on a control place")
    return None if min(control.values(), default=0) < 0 else (_nonzero(control), marked)


def _nonzero(counts: dict[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset((place, count) for place, count in counts.items() if count)


class _Allowed:
    """What the invariants and the control states of a certificate allow."""

    def __init__(self, certificate: UpwardClosed) -> None:
        self._invariants = certificate.invariants
        self._control = certificate.control
        states = () if self._control is None else self._control.states
        self._all = 1 if self._control is None else (1 << len(states)) - 1
        self._places = frozenset() if self._control is None else frozenset(self._control.places)
        self._counts = [dict(counts) for counts, _ in states]
        self._others = [frozenset(others) for _, others in states]
        self._known: dict[tuple[int, int], int] = {}

    def has_above(self, marking: dict[int, int]) -> bool:
        """Whether some allowed marking is above this one."""
        if self._control is not None and not self.fitting(marking.items()):
            return False
        return not _is_excluded(self._invariants, marking.items())

    def fitting(self, marking: Iterable[tuple[int, int]]) -> int:
        """The control states that allow at least these tokens, as bits of a number. Without control
        places there is one state, which allows everything."""
        fitting = self._all
        if self._control is not None:
            for place, count in marking:
                if count:
                    fitting &= self._fitting(place, count)
                    if not fitting:
                        break
        return fitting

    def _fitting(self, place: int, count: int) -> int:
        """The control states that allow this many tokens on a place, as bits of a number."""
        key = (place, count if place in self._places else 1)
        found = self._known.get(key)
        if found is None:
            if place in self._places:
                fits = [counts.get(place, 0) >= count for counts in self._counts]
            else:
                fits = [place in others for others in self._others]
            found = int("".join("1" if fit else "0" for fit in fits) or "0", 2)
            self._known[key] = found
        return found


def _is_excluded(invariants: Iterable[NetInvariant], marking: Iterable[tuple[int, int]]) -> bool:
    """Whether a marking, and so all above it, breaks an invariant."""
    counts = list(marking)
    return any(sum(one.weights[p] * n for p, n in counts) > one.bound for one in invariants)


def _may_start_with(net: Net, place: int, count: int) -> bool:
    """Whether a place may have this many tokens in the beginning."""
    most = net.initial[place][1]
    return most is None or most >= count


_Growing = dict[int, dict[int, list[int]]]
"""For each place, the transitions after which it may have more tokens than before, by the control
states that fit what they leave where there is no more than they need."""


def _growing(net: Net, allowed: _Allowed) -> _Growing:
    growing: _Growing = {}
    for number, transition in enumerate(net.transitions):
        fitting = allowed.fitting(_left_by(transition).items())
        for row in transition.rows:
            if row.constant > 0 or any(source != row.place for source in row.sources):
                growing.setdefault(row.place, {}).setdefault(fitting, []).append(number)
    return growing


def _left_by(transition: Transition) -> dict[int, int]:
    """What there is after a transition, if there was no more before than it needs."""
    needed = _needed(transition)
    after = dict(needed)
    for row in transition.rows:
        after[row.place] = row.constant + sum(needed.get(source, 0) for source in row.sources)
    return {place: max(0, count) for place, count in after.items()}


def _leading_to(growing: _Growing, element: Marking, fitting: int) -> list[int]:
    """The transitions that may lead from below an element to above it."""
    numbers: set[int] = set()
    for place, _ in element:
        for left, some in growing.get(place, {}).items():
            if left & fitting:
                numbers.update(some)
    return sorted(numbers)


def _predecessors(transition: Transition, element: dict[int, int]) -> Iterator[dict[int, int]]:
    """The minimal markings from which a transition leads above an element."""
    own = {row.place for row in transition.rows}
    least = dict(transition.guard)
    for place, count in element.items():
        if place not in own:
            least[place] = max(count, least.get(place, 0))
    found = [least]
    for row in transition.rows:
        wanted = element.get(row.place, 0) - row.constant
        missing = wanted - sum(least.get(source, 0) for source in row.sources)
        if missing > 0:
            found = [
                each | {place: each.get(place, 0) + more for place, more in share.items()}
                for each in found
                for share in _shares(row.sources, missing)
            ]
    yield from found


def _shares(sources: tuple[int, ...], missing: int) -> Iterator[dict[int, int]]:
    """All ways to put missing tokens on places; none if there are no places."""
    if len(sources) == 1:
        yield {sources[0]: missing}
    elif sources:
        for part in range(missing + 1):
            for rest in _shares(sources[1:], missing - part):
                yield {sources[0]: part, **rest} if part else rest


class _Elements:
    """The minimal elements as a tree, whose paths spell their entries in the order of places."""

    def __init__(self, certificate: UpwardClosed) -> None:
        self._root = _Node()
        for element in certificate.minimal:
            node = self._root
            for place, count in sorted(element):
                node = node.next.setdefault(place, {}).setdefault(count, _Node())
            node.ends = True

    def has_below(self, marking: dict[int, int]) -> bool:
        """Whether a minimal element is below a marking."""
        return self._root.is_below(sorted(marking.items()))


class _Node:
    """The elements that begin with the path to here."""

    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.next: dict[int, dict[int, _Node]] = {}
        self.ends = False

    def is_below(self, rest: list[tuple[int, int]]) -> bool:
        """Whether an element has, after this path, at most the counts of the rest."""
        if self.ends:
            return True
        for at, (place, count) in enumerate(rest, start=1):
            for held, node in self.next.get(place, {}).items():
                if held <= count and node.is_below(rest[at:]):
                    return True
        return False
