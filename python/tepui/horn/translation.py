"""What was found about keys, as an invariant over observed threads.

A key has the small values and the order of observed threads; an invariant has a formula for each
vector of control stacks. So the formula of a vector is a disjunction over its keys, in which the
small values are compared with numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

from tepui.checker.invariants.invariant import Counter, Definition, Invariant
from tepui.horn.clauses import Clauses, Key
from tepui.horn.linear_terms import Formula, conjunction, disjunction, equal, replaced, text


def invariant(clauses: Clauses, keys: list[Key], formula: Callable[[Key], Formula]) -> Invariant:
    """The invariant in which the predicate of each key is a formula."""
    cases: dict[tuple[tuple[int, ...], ...], list[Formula]] = {}
    for key in keys:
        found = conjunction((formula(key), *clauses.relations(key)))
        if found is False:
            continue
        for numbers, order in _arrangements(clauses, key[1]):
            states = [clauses.local_states[number] for number in numbers]
            renamed = {
                f"t{source}.{name}": f"t{position}.{name}"
                for position, source in enumerate(order)
                for name in states[position].integers
            }
            small = list(zip(clauses.folding.folded, key[0], strict=True))
            for position, state in enumerate(states):
                small += [(f"t{position}.{name}", value) for name, value in state.values]
            known = conjunction(equal(name, value) for name, value in small)
            case = conjunction((known, replaced(found, renamed)))
            cases.setdefault(tuple(state.stack for state in states), []).append(case)
    question = clauses.question
    return Invariant(
        question.observed,
        tuple(sorted(clauses.folding.stacks.passed)),
        tuple(Counter(each.thread, each.stack, each.values) for each in question.counted),
        tuple(Definition(each, text(disjunction(cases[each]))) for each in sorted(cases)),
    )


def _arrangements(
    clauses: Clauses, numbers: tuple[int, ...]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All orders of the local states of a key, each with where they come from."""
    groups = [
        list(permutations([at for at, each in enumerate(clauses.threads) if each == thread]))
        for thread in dict.fromkeys(clauses.threads)
    ]
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for chosen in product(*groups):
        order = tuple(each for group in chosen for each in group)
        found.setdefault(tuple(numbers[each] for each in order), order)
    return list(found.items())
