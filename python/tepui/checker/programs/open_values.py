"""What threads of a program can do where that depends on variables without a value.

The cases of a shared state are all ways to decide those of its variables on which some thread
depends; `checker.stuck_cases` says what they are used for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from tepui.checker.evidence import Pair
from tepui.checker.patience import STEPS_PER_PAIR, Patience
from tepui.checker.programs.state_tables import Numbering
from tepui.model import EPSILON, System
from tepui.program.layout import Layout, SameAs, SharedState
from tepui.program.semantics.evaluation import values_of
from tepui.program.semantics.meaning import Meaning


def with_cases(
    system: System,
    meaning: Meaning,
    numbering: Numbering,
    wanted: Sequence[set[Pair]],
    go_on: Callable[[], bool],
) -> System:
    """The same system with its cases: what threads can do there depends on variables without a
    value."""
    patience = Patience(go_on)
    stuck: list[dict[Pair, list[SharedState]]] = [{} for _ in wanted]
    open_places: dict[int, set[int]] = {}
    for template, pairs in enumerate(wanted):
        thread_type, thread = meaning.layout.templates[template]
        frames = numbering.frames[thread_type].items
        for pair in patience.each(sorted(pairs)):
            shared, top = pair
            if top != EPSILON:
                patience.spend(STEPS_PER_PAIR)
                state = numbering.shared.items[shared]
                found = [case for case, _ in meaning.stuck(thread, state, frames[top - 1])]
                stuck[template][pair] = found
                decided = {place for case in found for place in _decided(state, case)}
                open_places.setdefault(shared, set()).update(decided)
    cases = {
        shared: _cases(meaning.layout, numbering.shared.items[shared], sorted(places))
        for shared, places in open_places.items()
    }
    templates = tuple(
        replace(
            template,
            stuck={pair: _cases_of(found, cases[pair[0]]) for pair, found in stuck[number].items()},
        )
        for number, template in enumerate(system.templates)
    )
    several = {shared: len(listed) for shared, listed in cases.items() if len(listed) > 1}
    return replace(system, templates=templates, cases=several)


def _decided(state: SharedState, case: SharedState) -> list[int]:
    """The places at which a case decides what the state leaves open."""
    return [place for place, value in enumerate(case) if state[place] != value]


def _cases(layout: Layout, state: SharedState, places: Sequence[int]) -> list[SharedState]:
    """All ways to decide the variables at some places, of which those with the same value are all
    there or none."""
    cases = [state]
    for place in places:
        if state[place] is None:
            values = values_of(layout.shared_cells[place].type)
            same = {place, *(p for p in places if state[p] == SameAs(place))}
            cases = [_with(case, same, value) for case in cases for value in values]
    return cases


def _with(state: SharedState, places: Collection[int], value: int) -> SharedState:
    return tuple(value if place in places else old for place, old in enumerate(state))


def _cases_of(found: Sequence[SharedState], cases: Sequence[SharedState]) -> frozenset[int]:
    """The cases that decide everything that one of those found does, in the same way, and perhaps
    more. There may be many of both, so they are looked up by what they decide."""
    decided: dict[tuple[int, ...], set[SharedState]] = {}
    for each in found:
        places = tuple(place for place, value in enumerate(each) if isinstance(value, int))
        decided.setdefault(places, set()).add(tuple(each[place] for place in places))
    return frozenset(
        number
        for number, case in enumerate(cases)
        if any(tuple(case[p] for p in places) in same for places, same in decided.items())
    )
