"""All stacks on one tape: a context of a thread as a transducer (WPDS, sections 3 and 6.3).

A configuration ⟨p | u₁, …, u_n⟩ is the tape p u₁ # … # u_n. A context of one thread changes its own
part of the tape as its transducer says, and copies the others. As p comes first, the state in which
the context ends is guessed when the tape is read, and remembered until the growth phase begins.

With k contexts, k such transducers are composed; their number of places is the k-th power of that
of one. `contexts` does the same without a tape and goes much further: use that. This module is for
comparison, and for `reachability`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tepui.limits import check_count
from tepui.weighted.configurations import Configurations, Inner, states_of
from tepui.weighted.contexts import Threads
from tepui.weighted.domains.semiring import W
from tepui.weighted.system import State, Symbol
from tepui.weighted.transducers.composition import Composition
from tepui.weighted.transducers.path_weights import Graph
from tepui.weighted.transducers.tapes import Letter, Place, Tapes
from tepui.weighted.transducers.transducer import Arc, Phases, Transducer, growing, phases_of, union

SEPARATOR: Letter = "#"

Alphabets = Sequence[Sequence[Symbol]]
"""The stack symbols of each thread; on the tape each is a pair of the thread and the symbol."""


def context_bounded_on_one_tape(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    contexts: int,
) -> W:
    """What `context_bounded` computes, by composing a transducer `contexts` times.

    Where switches are restricted, all contexts but the last end in a state that allows one, or are
    empty.
    """
    check_count("contexts", contexts, least=1)
    last = transducer_of_a_context(threads, start, target)
    inner = last
    if threads.switches is not None:
        inner = transducer_of_a_context(threads, start, target, threads.switches)
    composed = Composition.of(inner if contexts > 1 else last).reading(tapes_of(start))
    for left in reversed(range(contexts - 1)):
        composed = composed.then(inner if left else last)
    return composed.writing(tapes_of(target))


def tapes_of(configurations: Sequence[Configurations]) -> Tapes:
    """The tapes of all ⟨p | u₁, …, u_n⟩ with ⟨p, u_i⟩ in the i-th set for all i."""
    first, *others = map(states_of, configurations)
    last = len(configurations) - 1
    steps: set[tuple[Place, Letter | None, Place]] = set()
    accepting: set[Place] = set()
    for state in (each for each in first if all(each in other for other in others)):
        steps.add(("start", state, (state, 0, state)))
        for thread, each in enumerate(configurations):
            for source, symbol, target in each.transitions:
                if isinstance(source, Inner) or source == state:
                    letter = None if symbol is None else (thread, symbol)
                    steps.add(((state, thread, source), letter, (state, thread, target)))
            for node in each.accepting:
                if thread < last:
                    steps.add(((state, thread, node), SEPARATOR, (state, thread + 1, state)))
                else:
                    accepting.add((state, thread, node))
    return Tapes(frozenset(steps), frozenset(["start"]), frozenset(accepting)).trimmed()


def transducer_of_a_context(
    threads: Threads[W],
    start: Sequence[Configurations],
    target: Sequence[Configurations],
    exits: frozenset[State] | None = None,
) -> Transducer[W]:
    """A context of any thread that ends in one of some states, or no context at all."""
    states = dict.fromkeys(
        [
            *(state for system in threads.systems for state in system.states),
            *(state for each in (*start, *target) for state in states_of(each)),
        ]
    )
    alphabets = [
        tuple(dict.fromkeys([*system.symbols, *_symbols(before), *_symbols(after)]))
        for system, before, after in zip(threads.systems, start, target, strict=True)
    ]
    return transducer_of_phases(
        [
            phases_of(system, states, alphabet)
            for system, alphabet in zip(threads.systems, alphabets, strict=True)
        ],
        exits,
    )


def transducer_of_phases(
    threads: Sequence[Phases[W]], exits: frozenset[State] | None = None
) -> Transducer[W]:
    alphabets = [phases.symbols for phases in threads]
    running = [
        _of_one_thread(phases, thread, alphabets, exits) for thread, phases in enumerate(threads)
    ]
    return union([*running, _nothing(threads[0], alphabets)])


def _of_one_thread(
    phases: Phases[W], thread: int, alphabets: Alphabets, exits: frozenset[State] | None
) -> Transducer[W]:
    one = phases.domain.one
    arcs: dict[Arc, W] = {}
    all_ends = _ends(phases)
    for state, ends in all_ends.items():
        for end in ends if exits is None else ends & exits:
            first: Place = ("before", 0, state, end) if thread else ("pop", state, end)
            arcs["start", state, end, first] = one
            arcs |= _copied_before(phases, thread, alphabets, (state, end))
    for (source, symbol, target), weight in phases.pop.items():
        for end in all_ends[target]:
            arcs[("pop", source, end), (thread, symbol), None, ("pop", target, end)] = weight
    for state in phases.states:
        arcs[("pop", state, state), None, None, "copy"] = one
        for end in _grown_ends(phases, state):
            arcs[("pop", state, end), None, None, ("grow", state, end)] = one
    for state in phases.grow:
        for (source, read, written, target), weight in growing(phases, state).items():
            arcs[source, _letter(thread, read), _letter(thread, written), target] = weight
    places: list[Place] = ["copy", *(("after", n) for n in range(thread + 1, len(alphabets)))]
    arcs |= _copies(phases, places, alphabets[thread:], thread)
    backward = {
        place
        for arc in arcs
        for place in (arc[0], arc[3])
        if place in places or (isinstance(place, tuple) and place[0] == "grow")
    }
    return Transducer(
        phases.domain, arcs, frozenset(["start"]), frozenset(places[-1:]), frozenset(backward)
    )


def _nothing(phases: Phases[W], alphabets: Alphabets) -> Transducer[W]:
    """No context at all: the tape is copied."""
    places: list[Place] = [("after", thread) for thread in range(len(alphabets))]
    arcs = _copies(phases, places, alphabets, 0)
    arcs |= {("start", state, state, places[0]): phases.domain.one for state in phases.states}
    return Transducer(phases.domain, arcs, frozenset(["start"]), frozenset(places[-1:]))


def _copied_before(
    phases: Phases[W], thread: int, alphabets: Alphabets, remembered: tuple[State, State]
) -> dict[Arc, W]:
    """The stacks before that of the thread are copied, and two states are remembered."""
    places: list[Place] = [("before", number, *remembered) for number in range(thread)]
    arcs = _copies(phases, places, alphabets, 0)
    if places:
        arcs[places[-1], SEPARATOR, SEPARATOR, ("pop", *remembered)] = phases.domain.one
    return arcs


def _copies(
    phases: Phases[W], places: Sequence[Place], alphabets: Alphabets, first: int
) -> dict[Arc, W]:
    """Stacks are copied, one at each place; `first` is the thread of the first of them."""
    one = phases.domain.one
    arcs: dict[Arc, W] = {}
    for thread, (place, alphabet) in enumerate(zip(places, alphabets, strict=False), first):
        for symbol in alphabet:
            arcs[place, (thread, symbol), (thread, symbol), place] = one
    for place, following in pairwise(places):
        arcs[place, SEPARATOR, SEPARATOR, following] = one
    return arcs


def _ends(phases: Phases[W]) -> dict[State, frozenset[State]]:
    """The states in which a context that begins in a state may end."""
    popped: dict[State, list[tuple[State, bool]]] = {}
    for source, _, target in phases.pop:
        popped.setdefault(source, []).append((target, True))
    return {
        state: frozenset(
            end
            for met in Graph.explored([state], lambda each: popped.get(each, ())).steps
            for end in (met, *_grown_ends(phases, met))
        )
        for state in phases.states
    }


def _grown_ends(phases: Phases[W], state: State) -> list[State]:
    """The states in which a growth phase that began in a state may end."""
    nodes = dict.fromkeys(source for source, _, _ in phases.grow.get(state, ()))
    return [node for node in nodes if not isinstance(node, Inner)]


def _symbols(configurations: Configurations) -> list[Symbol]:
    read = {symbol for _, symbol, _ in configurations.transitions}
    return sorted((symbol for symbol in read if symbol is not None), key=repr)


def _letter(thread: int, symbol: Letter | None) -> Letter | None:
    return None if symbol is None else (thread, symbol)
