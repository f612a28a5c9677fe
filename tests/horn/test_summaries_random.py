"""What summaries prove is never wrong: random programs that recurse, against brute force.

Some thread types get any number of threads. What is proved must hold in all instances that brute
force can explore. Then the program is changed in one edge, so that what was proved for it is a
candidate for the new one: where brute force finds a violation there, the checker must reject it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace as resized
from random import Random

import pytest
from horn.test_invariants_random import asked, crowded, instances, violated

from support.generators.programs import KNOWING, SMALL, Sizes, random_program
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Invariant
from tepui.checker.invariants.summaries import Summaries
from tepui.checker.invariants.values import Refused as NotChecked
from tepui.errors import EvidenceError
from tepui.horn.valuing import Refused
from tepui.program.expressions import TRUE, Choice, Unary
from tepui.program.program import (
    Assert,
    Call,
    Edge,
    Procedure,
    Program,
    Return,
    Step,
    scalar_of,
)
from tepui.program.types import THREAD, Scalar
from tepui.records import replace

pytest.importorskip("z3")
pytest.importorskip("cvc5")

MUTANTS = 6


@pytest.mark.fuzz
def test_what_summaries_prove_holds_in_every_instance() -> None:
    seen: Counter[str] = Counter()
    for seed in range(sized(120)):
        rng = Random(7000 + seed)
        sizes = without_constants(KNOWING if rng.random() < 0.2 else SMALL)
        program = crowded(rng, replace(random_program(rng, sizes), lock=None))
        bad = tuple(each for each in asked(program) if rng.random() < 0.8)
        found = summaries(program, bad)
        if found is None or judged(found, program, bad) == "refused":
            continue
        seen["proved"] += 1
        assert judged(found, program, bad) == "accepted", seed
        assert not is_false(program, bad), seed
        for mutant in (mutated(rng, program) for _ in range(MUTANTS)):
            wrong, said = is_false(mutant, bad), judged(found, mutant, bad)
            assert not (wrong and said == "accepted"), seed
            seen[f"wrong, {said}" if wrong else said] += 1
    assert seen["proved"] > sized(12)
    assert seen["wrong, rejected"] >= sized(4) // 4


def summaries(program: Program, bad: tuple[Bad, ...]) -> Summaries | None:
    from tepui.horn.summary_clauses import SummaryFinder

    try:
        report = SummaryFinder(program, bad).run({"fp.spacer.global": True}, 2)
    except Refused:
        return None
    assert not isinstance(report.invariant, Invariant)
    return report.invariant


def is_false(program: Program, bad: tuple[Bad, ...]) -> bool:
    return any(not violated(one).isdisjoint(bad) for one in instances(program))


def judged(found: Summaries, program: Program, bad: tuple[Bad, ...]) -> str:
    """What the checker says."""
    try:
        found.check_program(program, bad, lambda: True)
    except NotChecked:
        return "refused"
    except EvidenceError:
        return "rejected"
    return "accepted"


def without_constants(sizes: Sizes) -> Sizes:
    """Programs that name no threads by constants."""
    return resized(sizes, constants=False)


def mutated(rng: Random, program: Program) -> Program:
    """The program with other edges in some places, which mostly do more."""
    for _ in range(rng.randint(2, 6)):
        number = rng.randrange(len(program.procedures))
        procedure = program.procedures[number]
        if procedure.edges:
            edges = list(procedure.edges)
            at = rng.randrange(len(edges))
            edges[at] = _changed(rng, program, procedure, edges[at])
            procedures = list(program.procedures)
            procedures[number] = replace(procedure, edges=tuple(edges))
            program = replace(program, procedures=tuple(procedures))
    return program


def _changed(rng: Random, program: Program, procedure: Procedure, edge: Edge) -> Edge:
    match edge:
        case Step(assignments=(*rest, last)) if rng.random() < 0.7:
            scalar = scalar_of(last.target)
            if scalar == THREAD or rng.random() < 0.3:
                return replace(edge, assignments=tuple(rest))
            new = replace(last, value=Choice(scalar))
            return replace(edge, assignments=(*rest, new), constraint=TRUE)
        case Step():
            return replace(edge, guard=TRUE, constraint=TRUE)
        case Call(arguments=given) if THREAD not in _parameters(program, edge):
            choices = tuple(map(Choice, _parameters(program, edge)[: len(given)]))
            return replace(edge, arguments=choices, guard=TRUE)
        case Return() if THREAD not in procedure.results:
            return replace(edge, values=tuple(map(Choice, procedure.results)), guard=TRUE)
        case Assert() if rng.random() < 0.3:
            return replace(edge, condition=Unary("not", edge.condition))
    return replace(edge, guard=TRUE)


def _parameters(program: Program, call: Call) -> tuple[Scalar, ...]:
    return tuple(each.scalar for each in program.by_name[call.procedure].variables)
