"""Every engine and every over-approximation against brute force, on random systems.

`make fuzz` runs the same comparisons on ten thousand systems and more.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.samples import evidence as evidence_samples
from tepui.checker.certificates.states import Certificate
from tepui.deciding import Options, explore, verify
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.finite_context import finite_contexts
from tepui.kernels.door import KernelLimits
from tepui.limits import Limits
from tepui.model import Block, Description, NamedRule, System, build
from tepui.model.system import VisibleState
from tepui.z import Z, generators, is_generator, parse_strength
from tepui.z.strength import Strength

pytestmark = pytest.mark.fuzz

SIZES = Sizes()
LONG = Sizes(contexts=8, depth=9, threads=3, states=4000)


def random_cases(number: int, offset: int = 0) -> list[tuple[int, System, Sizes]]:
    """Seeded systems, one in eight of them with a longer horizon."""
    cases = []
    for seed in range(offset, offset + number):
        sizes = LONG if seed % 8 == 0 else SIZES
        cases.append((seed, random_system(Random(seed), sizes), sizes))
    return cases


def test_every_round_is_exactly_what_brute_force_finds(fuzz_systems: int) -> None:
    for seed, system, sizes in random_cases(fuzz_systems):
        if not all(finite_contexts(system)):
            continue
        expected, dropped = oracle.rounds(system, sizes.contexts, sizes.depth)
        for symmetry in (False, True):
            exploration = ExplicitEngine(system, symmetry=symmetry)
            for k in range(sizes.contexts + 1):
                if dropped[k]:
                    break
                if k:
                    assert exploration.advance() == "done"
                observation = exploration.last
                states = observation.list_states()
                visible = observation.list_visible()
                place = (seed, symmetry, k)
                assert observation.states == len(expected[k]), place
                assert observation.visible == len(oracle.visible_states(expected[k])), place
                assert len(states) == observation.states_up_to_symmetry, place
                assert len(visible) == observation.visible_up_to_symmetry, place
                if symmetry:
                    assert _orbits(system, states) == _orbits(system, expected[k]), place
                    assert len(_orbits(system, states)) == len(states), place
                    assert _visible_orbits(visible, system) == _visible_orbits(
                        oracle.visible_states(expected[k]), system
                    ), place
                else:
                    assert set(states) == expected[k], place
                    assert set(visible) == oracle.visible_states(expected[k]), place


def test_pausing_and_resuming_a_round_changes_nothing(fuzz_systems: int) -> None:
    for seed, system, sizes in random_cases(fuzz_systems // 4, offset=1_000_000):
        if not all(finite_contexts(system)):
            continue
        whole, sliced = ExplicitEngine(system), ExplicitEngine(system)
        for _ in range(sizes.contexts):
            whole.advance()
            limits = KernelLimits(states=None, bytes=None, seconds=None, pause=1)
            while sliced.advance(limits) == "paused":
                pass
        assert whole.last.list_states() == sliced.last.list_states(), seed


def test_every_verdict_agrees_with_brute_force(fuzz_systems: int) -> None:
    verdicts = set()
    for seed, system, sizes in random_cases(fuzz_systems, offset=2_000_000):
        expected, dropped = oracle.rounds(system, sizes.contexts, sizes.depth)
        first = oracle.first_bad(system, system.property, expected)
        for symmetry in (False, True):
            options = Options(symmetry=symmetry, limits=Limits(max_contexts=sizes.contexts))
            result = verify(system, options=options)
            verdicts.add(result.verdict)
            place = (seed, symmetry, result.verdict)
            assert result.checked is (result.verdict != "unknown"), place
            if result.verdict == "safe":
                assert first is None, place
            elif result.verdict == "unsafe":
                assert result.trace is not None
                assert result.trace.contexts == result.bound, place
                if first is None:  # It may need higher stacks than brute force looks at.
                    assert dropped[-1], place
                elif not any(note.startswith("found with stacks") for note in result.notes):
                    exact = not dropped[min(first, result.bound)]
                    assert not exact or result.bound == first, place
            elif not dropped[-1]:
                assert first is None, place
    assert verdicts == {"safe", "unsafe", "unknown"}


def test_a_bounded_run_finds_exactly_the_violations_within_its_bound(fuzz_systems: int) -> None:
    for seed, system, sizes in random_cases(fuzz_systems // 4, offset=3_000_000):
        expected, dropped = oracle.rounds(system, 3, sizes.depth)
        if dropped[-1]:
            continue
        first = oracle.first_bad(system, system.property, expected)
        result = verify(system, options=Options(contexts=3))
        if first is None:
            assert (result.verdict, result.bound) == ("bounded", 3), seed
        else:
            # Brute force has seen every stack there is, so a higher one cannot be in the way.
            assert (result.verdict, result.bound) == ("unsafe", first), seed


def test_a_collapse_is_where_brute_force_sees_the_last_visible_state(fuzz_systems: int) -> None:
    collapsed = 0
    for seed, system, sizes in random_cases(fuzz_systems, offset=4_000_000):
        expected, dropped = oracle.rounds(system, sizes.contexts, sizes.depth)
        seen = [oracle.visible_states(states) for states in expected]
        finished = not dropped[-1] and expected[-1] == expected[-2]
        options = Options(symmetry=False, limits=Limits(max_contexts=sizes.contexts))
        result = explore(system, options)
        if result.verdict == "stopped":
            assert not finished, seed
            continue
        collapsed += 1
        visible = set(result.list_visible())
        assert visible >= seen[-1], seed
        assert len(visible) == result.visible_states, seed
        if finished:
            assert visible == seen[-1], seed
            if result.bound is not None:
                assert result.bound == seen.index(seen[-1]), seed
    assert collapsed > fuzz_systems // 2


def test_every_strength_of_z_contains_what_is_reachable(fuzz_systems: int) -> None:
    names = ("cut", "matched", "matched:2", "matched:3")
    strengths = [parse_strength(name)[0] for name in names]
    exact_ones = 0
    for seed, system, sizes in random_cases(fuzz_systems, offset=5_000_000):
        expected, dropped = oracle.rounds(system, sizes.contexts, sizes.depth)
        reached = oracle.visible_states(expected[-1])
        finished = not dropped[-1] and expected[-1] == expected[-2]
        larger: set[tuple[int, ...]] | None = None
        for strength in strengths:
            z = Z(system, strength, symmetry=False).completed()
            visible = set(z.list_visible())
            assert visible >= reached, (seed, str(strength))
            assert larger is None or visible <= larger, (seed, str(strength))
            if z.is_exact and finished:
                exact_ones += 1
                assert visible == reached, (seed, str(strength))
            larger = visible
            _assert_symmetry_only_folds(system, strength, z)
        cut = Z(system, strengths[0], symmetry=False).completed()
        assert set(cut.list_visible()) == oracle.overapproximation_depth1(system), seed
    assert exact_ones > fuzz_systems // 4


def test_z_is_the_least_fixed_point_that_its_definition_asks_for(fuzz_systems: int) -> None:
    for seed, system, _ in random_cases(fuzz_systems // 4, offset=6_000_000):
        for depth in (1, 2):
            z = Z(system, Strength("matched", depth), symmetry=False).completed()
            found = z.certificate()
            assert isinstance(found, Certificate)
            naive = evidence_samples.cut_states(
                system, evidence_samples.singles(system), depth=depth, flags=True
            )
            assert _spelled_out(found) == _spelled_out(naive), (seed, depth)
            assert found.below == naive.below, (seed, depth)


def test_the_generator_test_of_algorithm_3_is_the_comparison_with_z(fuzz_systems: int) -> None:
    """At a plateau, G ∩ Z ⊆ T(R_k) exactly when T(R_k) = Z, for the Z of Algorithm 2."""
    open_questions = 0
    for seed, system, sizes in random_cases(fuzz_systems, offset=7_000_000):
        expected, dropped = oracle.rounds(system, sizes.contexts, sizes.depth)
        cut = Z(system, Strength("cut"), symmetry=False).completed()
        z = set(cut.list_visible())
        seen = [oracle.visible_states(states) for states in expected]
        for k in range(1, len(seen)):
            if seen[k - 1] == seen[k] and not dropped[k]:
                passed = {v for v in z if is_generator(system, v)} <= seen[k]
                assert passed is (seen[k] == z), (seed, k)
                open_questions += not passed
    assert open_questions


def test_generators_are_those_of_equation_2() -> None:
    for seed in range(200):
        system = random_system(Random(seed), Sizes(threads=2))
        everything = oracle.all_visible_states(system)
        expected = {seen for seen in everything if oracle.is_generator(system, seen)}
        assert {seen for seen in everything if is_generator(system, seen)} == expected, seed
        # Listed are those that no thread shows as empty which never is.
        never_empty = [
            thread
            for thread in range(len(system.threads))
            if system.template_of(thread).stack
            and all(rule.kind != "pop" for rule in system.template_of(thread).rules)
        ]
        assert set(generators(system)) == {
            seen for seen in expected if all(seen[1 + thread] for thread in never_empty)
        }, seed


@pytest.mark.parametrize(("threads", "values"), [(1, 5000), (2, 90), (7, 4)])
def test_packing_anew_loses_no_state(threads: int, values: int) -> None:
    """Stacks of many heights outgrow every field that starts narrow."""
    climb = [NamedRule("q", str(n), "q", (str(n + 1), str(n))) for n in range(values)]
    exploration = ExplicitEngine(_threads(threads, climb), symmetry=False)
    for _ in range(threads):
        exploration.advance()
    assert exploration.last.states == (values + 1) ** threads


def test_more_threads_than_bits_in_a_word_are_explored() -> None:
    system = _threads(200, [NamedRule("q", "0", "r", ("1",)), NamedRule("r", "1", "q", ("2",))])
    for symmetry in (False, True):
        exploration = ExplicitEngine(system, symmetry=symmetry)
        for _ in range(2):
            exploration.advance()
        # One thread is at 1 or 2; or one is at 2 and another at 1 or 2.
        assert exploration.last.states == 1 + 2 * 200 + 200 * 199 + 200 * 199 // 2


def _threads(count: int, rules: list[NamedRule]) -> System:
    return build(Description("q", [Block("T", ("0",), rules, count)]))


def _assert_symmetry_only_folds(system: System, strength: Strength, z: Z) -> None:
    folded = Z(system, strength, symmetry=True).completed()
    assert folded.real_visible == z.visible
    assert _visible_orbits(folded.list_visible(), system) == _visible_orbits(
        z.list_visible(), system
    )
    assert folded.is_exact is z.is_exact


def _orbits(system: System, states: Iterable[oracle.State]) -> set[oracle.State]:
    return {oracle.orbit_representative(system, state) for state in states}


def _visible_orbits(visible: Iterable[VisibleState], system: System) -> set[VisibleState]:
    """Visible states with the tops of equal threads sorted."""
    as_states = ((seen[0], tuple((top,) for top in seen[1:])) for seen in visible)
    return {
        (shared, *(stack[0] for stack in stacks)) for shared, stacks in _orbits(system, as_states)
    }


def _spelled_out(certificate: Certificate) -> set[tuple[object, ...]]:
    """The states of a certificate without the indirection through its tables of local states."""
    tables = {
        thread: local_states
        for group, local_states in zip(certificate.groups, certificate.locals, strict=True)
        for thread in group
    }
    return {
        (state[0], *(tables[thread][local] for thread, local in enumerate(state[1:])))
        for state in certificate.states
    }
