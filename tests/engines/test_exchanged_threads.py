"""The explicit engine up to exchanging threads that know themselves."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.generators.programs import EXCHANGED, random_program
from support.samples.knowing_programs import (
    certain_lock,
    owned_counter,
    owner_lock,
    plain_lock,
    remembering_lock,
    stolen_lock,
)
from support.sizes import sized
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.deciding import Options, verify_all
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.recursion import may_recurse
from tepui.errors import EvidenceError
from tepui.kernels.lowered_system import lower
from tepui.model import Property
from tepui.program.identities import families
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, deadlock, everything, never_together
from tepui.subject import about

ROUNDS = 10


def explored(
    program: Program, *, identities: bool, asked: Property | None = None
) -> ExplicitEngine:
    engine = ExplicitEngine(lower(program, None, asked), identities=identities)
    for _ in range(ROUNDS):
        if not engine.has_collapsed:
            assert engine.advance() == "done"
    return engine


def test_a_lock_with_an_owner_has_as_many_states_as_one_without() -> None:
    for threads in (2, 3, 6):
        owner, plain = (
            explored(lock(threads), identities=True).observations
            for lock in (owner_lock, plain_lock)
        )
        assert [(seen.states, seen.visible) for seen in owner] == [
            (seen.states, seen.visible) for seen in plain
        ]
        assert owner[-1].states_up_to_symmetry == plain[-1].states_up_to_symmetry
        apart = explored(owner_lock(threads), identities=False).last
        assert apart.states == apart.states_up_to_symmetry == owner[-1].states


def test_a_lock_with_an_owner_is_proved_for_fifty_threads() -> None:
    """Without symmetry it has more than 2^50 states."""
    lock = owner_lock(50)
    (answer,) = verify_all(
        lock, [never_together(lock, "L", "L")], Options(engine="explicit", strengths=())
    )
    assert (answer.result.verdict, answer.result.checked) == ("safe", True)
    assert isinstance(answer.result.evidence, OrbitCertificate)
    assert answer.result.states_up_to_symmetry == 151


@pytest.mark.parametrize("engine", ["explicit", "diagram", "symbolic", "delay", "auto"])
def test_all_engines_say_the_same_about_threads_that_know_themselves(engine: str) -> None:
    expected = [
        (owner_lock(3), "safe", None),
        (stolen_lock(3), "unsafe", 3),
        (certain_lock(3), "unsafe", 1),
        (remembering_lock(3), "safe", None),
    ]
    for program, verdict, bound in expected:
        result = tepui.verify(program, options=Options(engine=engine))
        assert (result.verdict, result.checked) == (verdict, True)
        if bound is not None and engine != "delay":
            assert result.bound == bound


def test_a_trace_names_real_threads() -> None:
    result = tepui.verify(stolen_lock(4), options=Options(engine="explicit"))
    trace = result.trace
    assert trace is not None
    assert "owner: nobody -> worker.1" in str(trace)
    assert "owner: worker.1 -> worker.2" in str(trace)


def test_what_only_the_owner_of_a_lock_touches_does_not_race() -> None:
    for locked, verdict in ((True, "safe"), (False, "unsafe")):
        counter = owned_counter(5, locked=locked)
        (answer,) = verify_all(counter, tepui.races(counter), Options(engine="explicit"))
        assert (answer.result.verdict, answer.result.checked) == (verdict, True)


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(4))
def test_exchanging_threads_changes_neither_counts_nor_bounds_nor_places(batch: int) -> None:
    compared = 0
    for seed in range(batch, sized(120), 4):
        program = random_program(Random(seed), EXCHANGED)
        if families(program) and not may_recurse(program):
            _compare(program, seed)
            compared += 1
    assert compared


def _compare(program: Program, seed: int) -> None:
    questions = [*assertions(program), deadlock()]
    apart = explored(program, identities=False)
    together = explored(program, identities=True, asked=everything(questions))
    for one, other in zip(apart.observations, together.observations, strict=True):
        assert (one.states, one.visible) == (other.states, other.visible), seed
    assert apart.points() == together.points(), seed
    for question in questions:
        _compare_answers(apart, together, question, seed)


def _compare_answers(
    apart: ExplicitEngine, together: ExplicitEngine, question: Question, seed: int
) -> None:
    subject = about(together.system)
    one, other = apart.first_new_bad(question.bad), together.first_new_bad(question.bad)
    assert (one is None) == (other is None), seed
    if one is not None and other is not None:
        assert one.bound == other.bound, seed
        trace = together.trace(other, question.bad)
        assert trace.contexts == one.bound, seed
        subject.check(question.bad, trace, lambda: True)
    if together.has_collapsed:
        certificate = together.certificate()
        if one is None:
            subject.check(question.bad, certificate, lambda: True)
        else:
            with pytest.raises(EvidenceError, match="holds the bad state"):
                subject.check(question.bad, certificate, lambda: True)
