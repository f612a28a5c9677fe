"""The brute-force explorer that every engine is tested against: naive, slow, obviously right.

States are plain tuples, rounds are sets of them, and each function is its definition in CUBA
(sections 2.2, 3 and 4.2) written down once more. It uses the model and nothing else of tepui.
Stacks may grow without end, so exploration drops every state with a stack higher than `depth`
and says so: a round is R_k exactly when nothing was dropped up to it, and else a subset of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations, product

from tepui.model import EPSILON, Pattern, Property, Rule, System, Template
from tepui.model.system import VisibleState, Word

State = tuple[int, tuple[Word, ...]]
"""The shared state and the whole stack of each thread."""


class TooManyStatesError(Exception):
    """A round has more states than the caller wants to wait for."""


def initial_state(system: System) -> State:
    return system.initial, system.initial_stacks()


def steps(system: System, state: State) -> list[tuple[int, Rule, State]]:
    """Every step from a state: the thread, the rule, and the state after it."""
    return [
        (thread, rule, after)
        for thread in range(len(system.threads))
        for rule, after in steps_of_thread(system, state, thread)
    ]


def steps_of_thread(system: System, state: State, thread: int) -> list[tuple[Rule, State]]:
    """Every step that one thread can take: its top symbol gives way to the word of a rule."""
    shared, stacks = state
    stack = stacks[thread]
    return [
        (rule, (rule.target, (*stacks[:thread], rule.word + stack[1:], *stacks[thread + 1 :])))
        for rule in system.template_of(thread).rules
        if rule.source == shared and rule.top == top_of(stack)
    ]


def rounds(
    system: System, contexts: int, depth: int, limit: int | None = None
) -> tuple[list[set[State]], list[bool]]:
    """R_0, R_1, ..., R_contexts, and for each whether it lacks states because of `depth`.

    R_{k+1} is what the threads, each alone, reach from R_k in any number of steps.
    Raises TooManyStatesError as soon as one set has more than `limit` states.
    """
    initial = initial_state(system)
    reached: list[set[State]] = [{initial} if _fits(initial, depth) else set()]
    dropped = [not _fits(initial, depth)]
    for _ in range(contexts):
        new_round: set[State] = set()
        lacking = dropped[-1]
        for thread in range(len(system.threads)):
            closure, cut = _closure(system, reached[-1], thread, depth, limit)
            new_round |= closure
            lacking |= cut
        _check_size(new_round, limit)
        reached.append(new_round)
        dropped.append(lacking)
    return reached, dropped


def visible(state: State) -> VisibleState:
    """The projection T: the shared state and the top of each stack."""
    shared, stacks = state
    return (shared, *map(top_of, stacks))


def visible_states(states: Iterable[State]) -> set[VisibleState]:
    return {visible(state) for state in states}


def is_bad(system: System, asked: Property, seen: VisibleState) -> bool:
    """Whether a visible state matches a pattern, or is a deadlock and deadlocks are asked for."""
    return any(_matches(pattern, seen) for pattern in asked.patterns) or (
        asked.deadlock and _is_deadlock(system, seen)
    )


def is_bad_up_to_symmetry(system: System, asked: Property, seen: VisibleState) -> bool:
    """Whether a visible state is bad once equal threads trade places in some way."""
    return any(
        is_bad(system, asked, (seen[0], *(seen[1 + thread] for thread in order)))
        for order in thread_orders(system)
    )


def first_bad(
    system: System,
    asked: Property,
    reached: Iterable[Iterable[State]],
    bad: Callable[[System, Property, VisibleState], bool] = is_bad,
) -> int | None:
    """The smallest k for which T(R_k) has a bad visible state."""
    for k, states in enumerate(reached):
        if any(bad(system, asked, seen) for seen in visible_states(states)):
            return k
    return None


def thread_orders(system: System) -> list[tuple[int, ...]]:
    """Every permutation of the threads that maps each thread to one with the same template."""
    return [
        order
        for order in permutations(range(len(system.threads)))
        if tuple(system.threads[thread] for thread in order) == system.threads
    ]


def permuted(state: State, order: tuple[int, ...]) -> State:
    """The state in which thread i has the stack that thread order[i] had."""
    shared, stacks = state
    return shared, tuple(stacks[thread] for thread in order)


def orbit_representative(system: System, state: State) -> State:
    """The one state that stands for all that differ by a permutation of equal threads."""
    shared, stacks = state
    chosen = list(stacks)
    for group in system.groups:
        for thread, word in zip(group, sorted(stacks[thread] for thread in group), strict=True):
            chosen[thread] = word
    return shared, tuple(chosen)


def emerging_symbols(template: Template) -> set[int]:
    """What a pop can bring to the top, ε aside: all that rules or the initial stack put lower."""
    words = [template.stack, *(rule.word for rule in template.rules)]
    return {symbol for word in words for symbol in word[1:]}


def is_generator(system: System, seen: VisibleState) -> bool:
    """Equation (2) of CUBA: some thread's visible state may be the outcome of a pop."""
    shared, *tops = seen
    for thread, top in enumerate(tops):
        template = system.template_of(thread)
        pops_to = {rule.target for rule in template.rules if rule.kind == "pop"}
        if shared in pops_to and top in {EPSILON} | emerging_symbols(template):
            return True
    return False


def all_visible_states(system: System) -> set[VisibleState]:
    """Every combination of a shared state and a top for each thread, reachable or not."""
    tops = [range(len(system.template_of(i).symbols)) for i in range(len(system.threads))]
    return set(product(range(len(system.shared)), *tops))


def overapproximation_depth1(system: System) -> set[VisibleState]:
    """Algorithm 2 of CUBA: Z, what is reachable when stacks are cut to their top symbol."""
    start = visible(initial_state(system))
    found, waiting = {start}, [start]
    while waiting:
        for after in _cut_steps(system, waiting.pop()) - found:
            found.add(after)
            waiting.append(after)
    return found


def top_of(stack: Word) -> int:
    return stack[0] if stack else EPSILON


def _fits(state: State, depth: int) -> bool:
    return all(len(stack) <= depth for stack in state[1])


def _closure(
    system: System, states: set[State], thread: int, depth: int, limit: int | None
) -> tuple[set[State], bool]:
    """What one thread alone reaches from some states, and whether a stack grew too high."""
    found, waiting, cut = set(states), list(states), False
    while waiting:
        for _, after in steps_of_thread(system, waiting.pop(), thread):
            if not _fits(after, depth):
                cut = True
            elif after not in found:
                found.add(after)
                waiting.append(after)
        _check_size(found, limit)
    return found, cut


def _check_size(states: set[State], limit: int | None) -> None:
    if limit is not None and len(states) > limit:
        raise TooManyStatesError


def _matches(pattern: Pattern, seen: VisibleState) -> bool:
    wanted = (pattern.shared, *pattern.tops)
    return all(want is None or want == have for want, have in zip(wanted, seen, strict=True))


def _is_deadlock(system: System, seen: VisibleState) -> bool:
    """Whether some stack is not empty and no thread has a rule for what it sees."""
    shared, *tops = seen
    can_move = any(
        rule.source == shared and rule.top == top
        for thread, top in enumerate(tops)
        for rule in system.template_of(thread).rules
    )
    return any(top != EPSILON for top in tops) and not can_move


def _cut_steps(system: System, seen: VisibleState) -> set[VisibleState]:
    """The steps of Algorithm 2: a pop leaves the empty stack or any emerging symbol."""
    shared, *tops = seen
    after = set()
    for thread, top in enumerate(tops):
        template = system.template_of(thread)
        for rule in template.rules:
            if rule.source == shared and rule.top == top:
                new_tops = {top_of(rule.word)}
                if rule.kind == "pop":
                    new_tops |= emerging_symbols(template)
                after |= {
                    (rule.target, *tops[:thread], new_top, *tops[thread + 1 :])
                    for new_top in new_tops
                }
    return after
