"""Invariants made by hand are accepted, and what was damaged in them is not, unless it is still an
invariant."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from random import Random

import pytest

from support.samples.handmade_invariants import Proof, all_proofs
from support.sizes import FUZZING
from tepui.checker.invariants.invariant import Counter, Definition, Invariant
from tepui.checker.invariants.obligations import check_invariant, check_with
from tepui.checker.invariants.solver import Solver
from tepui.checker.patience import Patience
from tepui.errors import CheckStopped, EvidenceError
from tepui.records import replace

PROOFS = {proof.name: proof for proof in all_proofs()}


def always() -> bool:
    return True


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    with Solver(always, seconds=20) as found:
        yield found


def accepted(solver: Solver, proof: Proof, invariant: Invariant) -> str | None:
    """None if the invariant is accepted, or the reason why not."""
    solver.forget()
    try:
        check_with(solver, proof.program, invariant, proof.bad, Patience(always))
    except (EvidenceError, CheckStopped) as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", PROOFS)
def test_an_invariant_made_by_hand_is_accepted(name: str) -> None:
    proof = PROOFS[name]
    check_invariant(proof.program, proof.invariant, proof.bad, always)


def some_of(proof: Proof) -> range:
    """The definitions that are looked at one by one: about a dozen in an ordinary run."""
    number = len(proof.invariant.definitions)
    return range(0, number, 1 if FUZZING else max(1, number // 9))


@pytest.mark.parametrize("name", PROOFS)
def test_each_definition_is_needed(name: str, solver: Solver) -> None:
    proof = PROOFS[name]
    for number in some_of(proof):
        rest = list(proof.invariant.definitions)
        del rest[number]
        damaged = replace(proof.invariant, definitions=tuple(rest))
        assert accepted(solver, proof, damaged) is not None


@pytest.mark.parametrize("name", PROOFS)
def test_no_definition_may_be_false(name: str, solver: Solver) -> None:
    proof = PROOFS[name]
    for number in some_of(proof):
        changed = list(proof.invariant.definitions)
        changed[number] = replace(changed[number], formula="false")
        damaged = replace(proof.invariant, definitions=tuple(changed))
        assert accepted(solver, proof, damaged) is not None


@pytest.mark.parametrize("name", PROOFS)
def test_nothing_is_proved_by_formulas_that_say_nothing(name: str, solver: Solver) -> None:
    proof = PROOFS[name]
    everything = replace(
        proof.invariant,
        definitions=tuple(replace(each, formula="true") for each in proof.invariant.definitions),
    )
    assert accepted(solver, proof, everything) is not None


DAMAGED = 2500 if FUZZING else 60


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(5))
def test_damaged_invariants_are_rejected(seed: int, solver: Solver) -> None:
    """Most damage breaks an invariant. Where it does not, everything that was claimed about the
    program is claimed still, so acceptance is no mistake, but it is rare."""
    seen: Tally[str] = Tally()
    rng = Random(seed)
    proofs = list(PROOFS.values())
    for _ in range(DAMAGED):
        proof = rng.choice(proofs)
        kind, damaged = damage(rng, proof)
        if damaged == proof.invariant:
            continue
        reason = accepted(solver, proof, damaged)
        seen[f"{'accepted' if reason is None else 'rejected'} {kind}"] += 1
        if kind in SURELY_WRONG:
            assert reason is not None, (proof.name, kind, damaged)
    print(sorted(seen.items()))
    rejected = sum(count for kind, count in seen.items() if kind.startswith("rejected"))
    assert rejected > 0.75 * sum(seen.values())


SURELY_WRONG = {"drop definition", "false", "unknown variable", "no boolean", "arity", "syntax"}
"""What no invariant made by hand survives: every definition in them is needed."""


def damage(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    """Some damage, and what it is called."""
    kinds = [
        _definition_dropped,
        _definition_changed,
        _definition_changed,
        _definition_changed,
        _definitions_exchanged,
        _counters_changed,
        _observed_changed,
        _passed_changed,
        _stacks_changed,
    ]
    return rng.choice(kinds)(rng, proof)


def _definition_dropped(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    rest = list(proof.invariant.definitions)
    del rest[rng.randrange(len(rest))]
    return "drop definition", replace(proof.invariant, definitions=tuple(rest))


def _definition_changed(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    definitions = list(proof.invariant.definitions)
    number = rng.randrange(len(definitions))
    old = definitions[number].formula
    parts = old.split(" ")
    place = rng.randrange(len(parts))
    variables = [part.strip("()") for part in parts if "|" in part] or ["0"]
    kind, formula = rng.choice(
        [
            ("false", "false"),
            ("true", "true"),
            ("negated", f"(not {old})"),
            ("unknown variable", f"(and {old} (= |g.nothing.0| 0))"),
            ("unknown variable", f"(and {old} (>= |t9.self| 1))"),
            ("no boolean", "(+ 1 2)"),
            ("arity", f"(not {old} {old})"),
            ("syntax", f"{old})"),
            ("syntax", old[:-1]),
            ("syntax", f"(forall ((x Int)) {old})"),
            ("stronger", f"(and {old} (= {rng.choice(variables)} {rng.randint(-1, 3)}))"),
            ("stronger", f"(and {old} (< {rng.choice(variables)} {rng.choice(variables)}))"),
            ("weaker", f"(or {old} (= {rng.choice(variables)} {rng.randint(-1, 3)}))"),
            ("a part replaced", " ".join([*parts[:place], "true)", *parts[place + 1 :]])),
            ("operator", old.replace("<=", "<", 1)),
            ("operator", old.replace("< ", "<= ", 1)),
            ("operator", old.replace("=", "distinct", 1)),
            ("operator", old.replace("distinct", "=", 1)),
            ("constant", old.replace(" 0", " 1", 1)),
            ("constant", old.replace(" 1", " 2", 1)),
        ]
    )
    definitions[number] = replace(definitions[number], formula=formula)
    return kind, replace(proof.invariant, definitions=tuple(definitions))


def _definitions_exchanged(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    definitions = list(proof.invariant.definitions)
    one, other = (rng.randrange(len(definitions)) for _ in range(2))
    left, right = definitions[one], definitions[other]
    definitions[one] = Definition(left.stacks, right.formula)
    definitions[other] = Definition(right.stacks, left.formula)
    return "exchanged", replace(proof.invariant, definitions=tuple(definitions))


def _counters_changed(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    counters = list(proof.invariant.counters)
    if not counters:
        return "counter added", replace(proof.invariant, counters=(Counter(0, (0,)),))
    number = rng.randrange(len(counters))
    old = counters[number]
    changed = rng.choice(
        [
            replace(old, thread=old.thread + rng.choice([-1, 1])),
            replace(old, stack=(old.stack[0] + rng.choice([-1, 1]),)),
            replace(old, stack=()),
            replace(old, stack=(*old.stack, 0)),
            replace(old, where=(*old.where, ("0.nothing.0", 1))),
            replace(old, where=()),
            replace(old, where=tuple((name, 1 - value) for name, value in old.where)),
        ]
    )
    counters[number] = changed
    if rng.random() < 0.2:
        del counters[number]
    return "counters", replace(proof.invariant, counters=tuple(counters))


def _observed_changed(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    observed = list(proof.invariant.observed)
    number = rng.randrange(len(observed))
    observed[number] += rng.choice([-1, 1])
    if rng.random() < 0.3:
        observed.append(0)
    return "observed", replace(proof.invariant, observed=tuple(observed))


def _passed_changed(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    passed = set(proof.invariant.passed) ^ {rng.randint(-1, proof.program.layout.points)}
    return "passed", replace(proof.invariant, passed=tuple(sorted(passed)))


def _stacks_changed(rng: Random, proof: Proof) -> tuple[str, Invariant]:
    definitions = list(proof.invariant.definitions)
    number = rng.randrange(len(definitions))
    stacks = [list(stack) for stack in definitions[number].stacks]
    if stacks and rng.random() < 0.7:
        place = rng.randrange(len(stacks))
        if stacks[place] and rng.random() < 0.5:
            stacks[place][0] += rng.choice([-1, 1])
        else:
            stacks[place].append(rng.randint(-1, 5))
    else:
        stacks.append([0])
    changed = replace(definitions[number], stacks=tuple(map(tuple, stacks)))
    definitions[number] = changed
    return "stacks", replace(proof.invariant, definitions=tuple(definitions))
