"""The proof in words: plateaus, the generators that they still wait for, and what follows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

import tepui
from support.generators.systems import Sizes, random_system
from support.places import EXAMPLES
from support.samples.program_texts import program_of
from tepui.deciding import Options, explore
from tepui.deciding.drivers import Attempt, decided
from tepui.engines.observe import observe
from tepui.errors import CheckStopped, UsageError
from tepui.limits import Meter
from tepui.program.passes.samples import sampled
from tepui.program.questions import own_questions
from tepui.report.proof_text import explained
from tepui.result import Grounds, Result, ZSummary
from tepui.subject.plateaus import Plateau, plateaus_in
from tepui.z import is_generator, parse_strength


def words(result: Result) -> str:
    lines = [line for one in explained(result) for line in (one.title, one.text, *one.items)]
    return "\n".join(lines)


def about(name: str, what: str = "verify", options: Options | None = None) -> str:
    model = tepui.load(EXAMPLES / name)
    if what == "explore":
        return words(tepui.explore(model, options))
    return words(tepui.verify(model, options=options))


def test_a_sequence_that_always_grows_has_no_plateau() -> None:
    assert plateaus_in([1, 2, 3]) == []


def test_every_pause_is_a_plateau_and_only_the_last_may_be_final() -> None:
    found = plateaus_in([1, 1, 2, 3, 3, 3, 4, 4])
    assert found == [Plateau(0, 1, False), Plateau(3, 5, False), Plateau(6, 7, True)]


def test_plateaus_are_where_neighbours_are_equal() -> None:
    rng = Random(7)
    for _ in range(200):
        visible = [1]
        for _ in range(rng.randrange(12)):
            visible.append(visible[-1] + rng.choice((0, 0, 1)))
        inside = {k for one in plateaus_in(visible) for k in range(one.first, one.last)}
        assert inside == {k for k, (one, two) in enumerate(pairwise(visible)) if one == two}


def test_figure_4_waits_for_one_generator_when_it_pauses() -> None:
    system = tepui.load(EXAMPLES / "figure4.cpds")
    assert isinstance(system, tepui.System)
    result = tepui.explore(system)
    found = result.subject.awaited(result, result.subject.generators(result.z))
    assert found is not None
    (one,) = found
    assert one.plateau == Plateau(2, 3, False)
    assert [system.visible_text(visible) for visible in one.generators] == ["q0 | 1, 6"]


def test_a_plateau_that_is_not_final_waits_for_a_generator_that_comes() -> None:
    stutters = 0
    for seed in range(400):
        system = random_system(Random(seed), Sizes(threads=3)).with_property(tepui.Property())
        try:
            result = explore(system, Options(limits=tepui.Limits(max_contexts=8)))
        except UsageError:
            continue
        for one in result.subject.awaited(result, result.subject.generators(result.z)) or []:
            if one.plateau.final:
                continue
            stutters += 1
            after = observations(system, one.plateau.last + 1)
            new = set(after[-1]) - set(after[one.plateau.first])
            assert new & set(one.generators)
            assert all(is_generator(system, visible) for visible in one.generators)
    assert stutters > 5


def observations(system: tepui.System, last: int) -> list[list[tuple[int, ...]]]:
    found = []
    for observation in observe(system):
        found.append(list(observation.list_visible()))
        if observation.k == last:
            break
    return found


@pytest.mark.parametrize(
    ("name", "what", "said"),
    [
        ("figure4.cpds", "verify", "No state of Z is bad"),
        ("figure4.cpds", "verify", "13 cut states"),
        ("figure4.cpds", "explore", "Exploration from below has met Z from above"),
        ("figure4.cpds", "explore", "⟨q0 | 1, 6⟩"),
        ("deadlock.cpds", "verify", "Fewer contexts are not enough"),
        ("deadlock.cpds", "verify", "It has 2 steps"),
        ("figure2.cpds", "explore", "∞ states"),
        ("bluetooth-repaired.bp", "verify", "it is exact"),
    ],
)
def test_an_explanation_says_what_the_verdict_rests_on(name: str, what: str, said: str) -> None:
    assert said in about(name, what)


def test_a_collapse_of_states_needs_no_z() -> None:
    said = about("figure2.cpds", "explore", Options(strengths=()))
    assert "The last context added no state at all" in said
    assert "From above" not in said


def test_what_was_found_in_a_sample_is_about_a_sample() -> None:
    program = program_of("decl x: int32; void main() { x := *; assert(x != 77); }")
    options = Options(engine="explicit")
    sample = sampled(program, {(0, 0, 0): [77]}, {}, {})
    attempt = Attempt(sample, options, [own_questions(program)], proofs=False)
    (result,) = decided(attempt, Meter(options.limits))
    said = words(result)
    assert "All this is about a sample of the program" in said
    assert "In this sample, fewer contexts are not enough" in said


def test_delays_are_explained_as_a_scheduler() -> None:
    said = about("figure2.cpds", "explore", Options(engine="delay"))
    assert "A scheduler goes round" in said
    assert "nothing new, and then there was" in said


def test_only_contexts_are_said_to_be_the_fewest() -> None:
    by_delays = about("deadlock.cpds", options=Options(engine="delay"))
    assert "0 delays and 1 round" in by_delays
    assert "Fewer contexts are not enough" not in by_delays


def test_a_z_that_is_not_complete_says_nothing() -> None:
    result = tepui.verify(tepui.load(EXAMPLES / "deadlock.cpds"))
    z = ZSummary("matched", complete=False, exact=False, states=3, visible_states=3)
    result = result.with_statistics(z=z)
    said = words(result)
    assert "It was not complete when the run ended, and says nothing." in said
    assert "has 3 visible states" not in said


def test_a_bounded_answer_is_said_to_be_no_proof() -> None:
    assert "That is no proof for larger bounds" in about(
        "figure4.cpds", options=Options(contexts=2)
    )


def test_an_unknown_answer_gives_the_reason() -> None:
    limits = tepui.Limits(max_contexts=1)
    said = about("bluetooth-buggy.cpds", options=Options(limits=limits, strengths=()))
    assert "There is no answer: the limit of 1 context was reached" in said


def test_a_run_that_ends_in_a_pause_promises_nothing_about_what_comes_after() -> None:
    said = about("figure4.cpds", options=Options(contexts=3))
    assert "From 2 to 3 contexts nothing new, until exploration ended." in said
    assert "after" not in said.partition("From 2 to 3")[2].partition("Why this")[0]


def test_nothing_comes_after_the_last_plateau_of_a_collapse() -> None:
    said = about("figure2.cpds", "explore", Options(strengths=()))
    assert "From 3 to 4 contexts nothing new, and nothing can come after." in said


def test_a_generator_that_only_z_has_is_not_said_to_come() -> None:
    said = about("dekker.cpds", options=Options(strengths=parse_strength("cut")))
    assert "Z has generators that were not reached then: ⟨10-1 | -, idle⟩" in said
    assert "to come" not in said


def test_a_run_without_a_round_is_not_said_to_need_none() -> None:
    limits = tepui.Limits(max_contexts=0)
    said = about("bluetooth-buggy.cpds", options=Options(limits=limits, strengths=()))
    assert "Only the initial state was looked at: no round was completed." in said
    assert "Only the initial state was looked at: nothing had to be" in about("figure4.cpds")


def test_an_engine_that_cannot_begin_names_another() -> None:
    said = about("figure2.cpds", "explore", Options(engine="explicit"))
    assert "Only the initial state was looked at" in said
    assert "engine='diagram' looks at all of them" in said


def test_what_is_said_with_too_few_slots_is_said_of_these_slots() -> None:
    said = about("fork-crowd.bp", "explore")
    assert "4 slots for forked threads, which are enough for 5 contexts" in said
    assert "any number of contexts can reach with these slots" in said
    assert "slots" not in about("fork-figure4.bp", "explore")


def test_a_certificate_is_up_to_symmetry_only_where_threads_are_exchanged() -> None:
    options = Options(strengths=(), symmetry=False)
    assert "exchanging" in about("bluetooth.cpds", options=Options(strengths=()))
    assert "exchanging" not in about("bluetooth.cpds", options=options)


def test_evidence_that_a_limit_kept_from_being_made_is_no_error() -> None:
    system = tepui.load(EXAMPLES / "figure4.cpds")
    result = tepui.verify(system, options=Options(check=False))

    def too_late() -> None:
        raise CheckStopped("a limit was reached before there was evidence")

    late = replace(result, grounds=Grounds(too_late))
    assert "It could not be made: a limit was reached" in words(late)


def test_unchecked_evidence_is_said_to_be_unchecked() -> None:
    assert "has not examined" in about("figure4.cpds", options=Options(check=False))
