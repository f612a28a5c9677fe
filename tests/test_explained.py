"""The proof in words: plateaus, the generators that they still wait for, and what follows."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

import tepui
from cli import EXAMPLES
from random_systems import Sizes, random_system
from tepui.convergence import is_generator
from tepui.errors import UsageError
from tepui.report.awaited import Plateau, awaited, plateaus
from tepui.report.explained import explained
from tepui.result import Result, Round
from tepui.sequences import Options, explore, observe


def rounds_of(*visible: int) -> list[Round]:
    return [Round(k, None, count, 0, 0.0) for k, count in enumerate(visible)]


def words(result: Result) -> str:
    lines = [line for one in explained(result) for line in (one.title, one.text, *one.items)]
    return "\n".join(lines)


def about(name: str, what: str = "verify", options: Options | None = None) -> str:
    model = tepui.load(EXAMPLES / name)
    if what == "explore":
        return words(tepui.explore(model, options))
    return words(tepui.verify(model, options=options))


def test_a_sequence_that_always_grows_has_no_plateau() -> None:
    assert plateaus(rounds_of(1, 2, 3)) == []


def test_every_pause_is_a_plateau_and_only_the_last_may_be_final() -> None:
    found = plateaus(rounds_of(1, 1, 2, 3, 3, 3, 4, 4))
    assert found == [Plateau(0, 1, False), Plateau(3, 5, False), Plateau(6, 7, True)]


def test_plateaus_are_where_neighbours_are_equal() -> None:
    rng = Random(7)
    for _ in range(200):
        visible = [1]
        for _ in range(rng.randrange(12)):
            visible.append(visible[-1] + rng.choice((0, 0, 1)))
        inside = {k for one in plateaus(rounds_of(*visible)) for k in range(one.first, one.last)}
        assert inside == {k for k, (one, two) in enumerate(pairwise(visible)) if one == two}


def test_figure_4_waits_for_one_generator_when_it_pauses() -> None:
    system = tepui.load(EXAMPLES / "figure4.cpds")
    assert isinstance(system, tepui.System)
    found = awaited(tepui.explore(system))
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
        for one in awaited(result) or []:
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


def test_delays_are_explained_as_a_scheduler() -> None:
    said = about("figure2.cpds", "explore", Options(engine="delay"))
    assert "A scheduler went round" in said
    assert "nothing new, and then there was" in said


def test_a_bounded_answer_is_said_to_be_no_proof() -> None:
    assert "That is no proof for larger bounds" in about(
        "figure4.cpds", options=Options(contexts=2)
    )


def test_an_unknown_answer_gives_the_reason() -> None:
    limits = tepui.Limits(max_contexts=1)
    said = about("bluetooth-buggy.cpds", options=Options(limits=limits, strengths=()))
    assert "There is no answer: the limit of 1 context was reached" in said


def test_unchecked_evidence_is_said_to_be_unchecked() -> None:
    assert "has not examined" in about("figure4.cpds", options=Options(check=False))
