"""The models in examples/ do what their comments and the table here say.

The counts come from runs that were inspected by hand, with symmetry on; a second test checks that
symmetry makes no difference. Where a file explains why some strength of Z fails, it is tried.
"""

from __future__ import annotations

import pytest

import tepui
from support.places import EXAMPLES
from support.samples.expected_examples import BY_STATES, BY_Z, Expected
from tepui.z import parse_strength


class Example(Expected):
    """A pushdown system."""

    suffix = ".cpds"
    comment = "#"


TABLE = [
    Example("figure2", "safe", BY_Z, None, 3, 26),
    Example("figure3", "safe", BY_Z, None, 1, 4),
    Example("figure4", "safe", BY_Z, None, 5, 8),
    Example("figure6", "safe", BY_Z, None, 4, 12),
    Example("bluetooth", "safe", BY_STATES, None, 16, 24324),
    Example("bluetooth-buggy", "unsafe", None, 7, 13, 2408),
    Example("peterson", "safe", BY_Z, None, 2, 20),
    Example("dekker", "safe", BY_Z, None, 4, 26),
    Example("recursive-lock", "safe", BY_Z, None, 1, 7),
    Example("readers-writers", "safe", BY_Z, None, 3, 10),
    Example("ping-pong", "safe", BY_Z, None, 4, 8),
    Example("deadlock", "unsafe", None, 2, 2, 10),
    Example("deadlock-repaired", "safe", BY_Z, None, 1, 7),
    Example("job-queue", "safe", BY_STATES, None, 9, 66),
    Example("stack-inspection", "safe", "Z (matched:2) has no bad state", None, 5, 10),
    Example("round-robin", "unsafe", None, 1, 1, 3),
    Example("token-ring", "safe", BY_Z, None, 59, 251658240),
    Example("two-wheels", "unsafe", None, 3, 3, 20),
]

every_example = pytest.mark.parametrize("example", TABLE, ids=lambda example: example.name)


def test_the_table_and_the_readme_have_every_example() -> None:
    files = {path.name for path in EXAMPLES.glob("*.cpds")}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert files == {example.path.name for example in TABLE}
    assert [name for name in sorted(files) if f"`{name}`" not in readme] == []


@every_example
def test_an_example_has_the_verdict_and_the_proof_of_the_table(example: Example) -> None:
    result = tepui.verify(tepui.load(example.path))
    assert (result.verdict, result.proof and str(result.proof)) == (example.verdict, example.proof)
    assert result.checked
    if example.verdict == "unsafe":
        assert result.bound == example.contexts


@every_example
@pytest.mark.parametrize("symmetry", [True, False], ids=["symmetry", "no-symmetry"])
def test_an_example_collapses_where_the_table_says(example: Example, symmetry: bool) -> None:
    result = tepui.explore(tepui.load(example.path), tepui.Options(symmetry=symmetry))
    assert (result.verdict, result.bound, result.visible_states) == (
        "collapsed",
        example.collapse,
        example.visible,
    )


@every_example
def test_a_comment_says_what_to_expect(example: Example) -> None:
    assert example.sentence in example.path.read_text(encoding="utf-8").splitlines()


@every_example
def test_an_example_ends_with_what_is_bad(example: Example) -> None:
    assert example.path.read_text(encoding="utf-8").splitlines()[-1].startswith("bad ")


@pytest.mark.parametrize(
    ("name", "strength", "proof"),
    [
        ("figure3", "cut", BY_STATES),
        ("figure3", "matched", BY_Z),
        ("figure6", "cut", None),
        ("figure6", "matched", BY_Z),
        ("bluetooth", "matched:3", BY_STATES),
        ("bluetooth", "matched:4", "Z (matched:4) has no bad state"),
        ("job-queue", "matched", BY_STATES),
        ("job-queue", "matched:2", "Z (matched:2) has no bad state"),
        ("stack-inspection", "matched", None),
        ("stack-inspection", "matched:2", "Z (matched:2) has no bad state"),
    ],
)
def test_a_strength_of_z_proves_as_much_as_the_comment_says(
    name: str, strength: str, proof: str | None
) -> None:
    options = tepui.Options(
        strengths=parse_strength(strength), limits=tepui.Limits(max_contexts=30)
    )
    result = tepui.verify(tepui.load(EXAMPLES / f"{name}.cpds"), options=options)
    assert result.verdict == ("safe" if proof else "unknown")
    assert (result.proof and str(result.proof)) == proof


def test_the_states_of_the_token_ring_are_as_many_as_its_comment_works_out() -> None:
    system = tepui.load(EXAMPLES / "token-ring.cpds")
    result = tepui.verify(system, options=tepui.Options(strengths=()))
    assert (result.verdict, str(result.proof), result.engine) == ("safe", BY_STATES, "diagram")
    assert result.states == 12 * 12 * 6**11
    visible = [row.visible for row in result.rounds]
    assert visible[22] < visible[23] == visible[36] < visible[37]


def test_the_calls_of_the_two_wheels_are_too_deep_for_the_explicit_engine() -> None:
    system = tepui.load(EXAMPLES / "two-wheels.cpds")
    assert tepui.verify(system, options=tepui.Options(engine="explicit")).verdict == "unknown"
    found = tepui.verify(system)
    assert found.trace is not None
    assert max(len(step.stacks[0]) for step in found.trace.steps) == 34 + 1


def test_figure_6_keeps_its_unreachable_generator_only_with_a_cut() -> None:
    system = tepui.load(EXAMPLES / "figure6.cpds")
    limits = tepui.Limits(max_contexts=30)
    cut = tepui.explore(system, tepui.Options(strengths=parse_strength("cut"), limits=limits))
    matched = tepui.explore(system, tepui.Options(limits=limits))
    assert cut.z is not None
    assert matched.z is not None
    assert (cut.verdict, cut.z.visible_states) == ("stopped", 13)
    assert (matched.verdict, matched.z.visible_states) == ("collapsed", 12)


@pytest.mark.parametrize("name", ["figure4", "figure6", "ping-pong", "stack-inspection"])
def test_global_states_diverge_where_visible_states_collapse(name: str) -> None:
    options = tepui.Options(strengths=(), limits=tepui.Limits(max_contexts=30))
    rounds = tepui.explore(tepui.load(EXAMPLES / f"{name}.cpds"), options).rounds
    states = [row.states or 0 for row in rounds]
    assert all(states[k] < states[k + 2] for k in range(len(rounds) - 2))
    assert rounds[-1].visible == rounds[-10].visible
