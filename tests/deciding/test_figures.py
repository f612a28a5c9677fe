"""The figures and examples of CUBA, as the paper prints them, and tepui's answers about them."""

from __future__ import annotations

from itertools import islice, product

import pytest

from support.oracles import systems as oracle
from tepui.deciding import Options, explore, verify
from tepui.engines.finite_context import has_finite_context_reachability, reachable_stacks
from tepui.engines.observe import observe
from tepui.engines.sequences import ObservationSequence
from tepui.languages import loads
from tepui.limits import Limits
from tepui.model import Pattern, Property, System
from tepui.z import Z, emerging_symbols, generators, is_generator
from tepui.z.strength import CUT, MATCHED, Strength

FIGURE_2 = """
shared q0 q1
initial q1
thread foo {
    stack 2
    q0 | 2 -> q0 | 3
    q1 | 2 -> q1 | 3
    q0 | 2 -> q0 | 4
    q1 | 2 -> q1 | 4
    q0 | 3 -> q0 | 2 4
    q1 | 3 -> q1 | 2 4
    q1 | 4 -> q1 | 4
    q0 | 4 -> q0 | 5
    q0 | 5 -> q1 | -
    q1 | 5 -> q1 | -
}
thread bar {
    stack 6
    q0 | 6 -> q0 | 7
    q1 | 6 -> q1 | 7
    q0 | 6 -> q0 | 8
    q1 | 6 -> q1 | 8
    q0 | 7 -> q0 | 6 8
    q1 | 7 -> q1 | 6 8
    q0 | 8 -> q0 | 8
    q1 | 8 -> q1 | 9
    q0 | 9 -> q0 | -
    q1 | 9 -> q0 | -
}
"""

FIGURE_3 = """
initial q0
thread P {
    stack 0
    q0 | 0 -> q1 | 1 0
    q1 | 1 -> q2 | 2 0
    q2 | 2 -> q0 | 1
    q0 | 1 -> q0 | -
}
"""

FIGURE_4 = """
shared q0 q1 q2 q3
initial q0
thread P1 {
    stack 1
    q0 | 1 -> q1 | 2
    q3 | 2 -> q0 | 1
}
thread P2 {
    stack 4
    q0 | 4 -> q0 | -
    q1 | 4 -> q2 | 5
    q2 | 5 -> q3 | 4 6
}
"""

FIGURE_6 = """
shared q0 q1 q2 q3 q4
initial q0
thread foo {
    stack 1
    q0 | 1 -> q1 | 2
    q3 | 2 -> q0 | 1
    q3 | 2 -> q2 | 2
}
thread bar1 {
    stack 3
    q0 | 3 -> q0 | -
    q1 | 3 -> q2 | 4
    q2 | 3 -> q2 | 6
    q2 | 4 -> q3 | 3 5
    q0 | 5 -> q0 | -
    q2 | 6 -> q4 | 8 7
    q1 | 7 -> q1 | -
    q4 | 8 -> q1 | -
}
"""

NEW_IN_ROUND = [
    {"q0 | 1, 4"},
    {"q1 | 2, 4", "q0 | 1, -"},
    {"q1 | 2, -", "q2 | 2, 5", "q3 | 2, 4 6"},
    {"q0 | 1, 4 6", "q1 | 2, 4 6"},
    {"q0 | 1, 6", "q2 | 2, 5 6", "q3 | 2, 4 6 6"},
    {"q1 | 2, 6", "q0 | 1, 4 6 6", "q1 | 2, 4 6 6"},
    {"q0 | 1, 6 6", "q2 | 2, 5 6 6", "q3 | 2, 4 6 6 6"},
]
"""R_k \\ R_{k-1} of Figure 4."""

NEWLY_VISIBLE = [
    {"q0 | 1, 4"},
    {"q1 | 2, 4", "q0 | 1, -"},
    {"q1 | 2, -", "q2 | 2, 5", "q3 | 2, 4"},
    set(),
    {"q0 | 1, 6"},
    {"q1 | 2, 6"},
    set(),
]
"""T(R_k) \\ T(R_{k-1}) of Figure 4."""


def read(text: str) -> System:
    return loads(text, "cpds").system


def test_figure_4_has_the_table_of_the_paper() -> None:
    system = read(FIGURE_4)
    known: set[str] = set()
    known_visible: set[str] = set()
    for observation in observe(system):
        states = {system.state_text(*state) for state in observation.list_states()}
        visible = {system.visible_text(seen) for seen in observation.list_visible()}
        assert states - known == NEW_IN_ROUND[observation.k]
        assert visible - known_visible == NEWLY_VISIBLE[observation.k]
        known, known_visible = states, visible
        if observation.k == 6:
            return


def test_figure_4_stutters_at_2_and_collapses_at_5() -> None:
    system = read(FIGURE_4)
    observations = list(islice(observe(system), 7))
    visible_states = ObservationSequence([seen.visible for seen in observations])
    global_states = ObservationSequence([seen.mark for seen in observations], stutter_free=True)
    assert [k for k in range(6) if visible_states.plateaus_at(k)] == [2, 5]
    assert visible_states.last_growth == 5
    assert not any(global_states.plateaus_at(k) for k in range(6))
    result = explore(system)
    assert (result.verdict, result.bound, result.visible_states) == ("collapsed", 5, 8)
    assert str(result.proof) == "T(R_k) = T(Z)"


def test_figure_4_has_the_generators_of_example_17() -> None:
    system = read(FIGURE_4)
    listed = {system.visible_text(visible) for visible in generators(system)}
    assert listed == {"q0 | 1, -", "q0 | 1, 6", "q0 | 2, -", "q0 | 2, 6"}
    z = Z(system, CUT).completed().list_visible()
    assert len(z) == 8
    generators_in_z = {system.visible_text(seen) for seen in z if is_generator(system, seen)}
    assert generators_in_z == {"q0 | 1, -", "q0 | 1, 6"}


def test_figure_8_tells_the_threads_of_figure_2_from_those_of_figure_4() -> None:
    assert has_finite_context_reachability(read(FIGURE_4)) == (True, True)
    assert has_finite_context_reachability(read(FIGURE_2)) == (False, False)


def test_figure_2_reaches_the_state_of_example_10_within_two_contexts() -> None:
    """foo spins in its loop while bar has returned: ⟨q0|4,ε⟩, not within one context."""
    system = loads(FIGURE_2, "cpds", targets=["q0|4,-"]).system
    result = verify(system)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", 2, True)


def test_figure_2_is_explored_though_its_contexts_are_infinite() -> None:
    system = read(FIGURE_2)
    result = explore(system)
    deep, _ = oracle.rounds(system, contexts=4, depth=6)
    assert result.verdict == "collapsed"
    assert result.states is None
    assert {system.visible_text(seen) for seen in result.list_visible()} == {
        system.visible_text(seen) for seen in oracle.visible_states(deep[-1])
    }
    # The assertion x = 0 after x := 0 can fail: foo sets x before bar goes on.
    safe = loads(FIGURE_2, "cpds", targets=["q1|3,9"]).system
    assert verify(safe).verdict == "unsafe"


def test_figure_3_has_the_reachable_stacks_that_brute_force_finds() -> None:
    system = read(FIGURE_3)
    automaton = reachable_stacks(system, 0, [(system.initial, system.templates[0].stack)])
    assert automaton.is_finite is False
    # Runs to stacks of height 8 need no stack higher than 12.
    reached, _ = oracle.rounds(system, contexts=1, depth=12)
    short = {(shared, stacks[0]) for shared, stacks in reached[1] if len(stacks[0]) <= 8}
    symbols = range(1, len(system.templates[0].symbols))
    accepted = {
        (shared, word)
        for shared in range(len(system.shared))
        for height in range(9)
        for word in product(symbols, repeat=height)
        if automaton.accepts(shared, word)
    }
    assert accepted == short
    assert len(short) > 10


def test_figure_6_needs_more_than_the_emerging_symbols() -> None:
    system = read(FIGURE_6)
    unreachable = "q0 | 1, 7"
    cut = Z(system, CUT).completed()
    in_cut = {system.visible_text(seen): seen for seen in cut.list_visible()}
    assert unreachable in in_cut
    assert is_generator(system, in_cut[unreachable])
    stopped = explore(system, Options(strengths=(CUT,), limits=Limits(max_contexts=30)))
    assert stopped.verdict == "stopped"

    matched = Z(system, MATCHED).completed()
    assert matched.visible == 12
    result = explore(system)
    assert (result.verdict, result.visible_states) == ("collapsed", 12)
    assert unreachable not in {system.visible_text(seen) for seen in result.list_visible()}
    bad = Property((Pattern(0, (1, system.templates[1].symbols.index("7"))),))
    assert verify(system, bad).verdict == "safe"


def test_the_exact_fragment_counts_the_empty_stack() -> None:
    """Theorem 25 as printed: main calls f once and loops, so the post-call state of f is unique,
    yet Z as a table lets the empty stack emerge after f and is not exact."""
    system = read(
        """
        initial q
        thread main {
            stack main
            q | main -> q | f loop
            q | f -> q | -
            q | loop -> q | loop
        }
        """
    )
    cut = Z(system, CUT).completed()
    assert "q | -" in {system.visible_text(seen) for seen in cut.list_visible()}
    assert not cut.is_exact
    matched = Z(system, MATCHED).completed()
    assert matched.is_exact
    assert {system.visible_text(seen) for seen in matched.list_visible()} == {
        "q | main",
        "q | f",
        "q | loop",
    }


def test_symbols_below_the_top_of_an_initial_stack_emerge() -> None:
    system = read("initial q\nthread T {\n stack a b c\n q | a -> q | -\n q | b -> q | -\n}\n")
    template = system.templates[0]
    assert {template.symbols[symbol] for symbol in emerging_symbols(template)} == {"b", "c"}
    for strength in (CUT, MATCHED, Strength("matched", 2), Strength("matched", 3)):
        z = Z(system, strength).completed()
        seen = {system.visible_text(visible) for visible in z.list_visible()}
        assert seen >= {"q | a", "q | b", "q | c"}
        assert ("q | -" in seen) is (strength == CUT)


@pytest.mark.parametrize("text", [FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_6])
def test_every_strength_of_z_covers_the_figures(text: str) -> None:
    system = read(text)
    reached, _ = oracle.rounds(system, contexts=5, depth=7)
    for strength in (CUT, MATCHED, Strength("matched", 2), Strength("matched", 4)):
        z = Z(system, strength).completed()
        assert set(z.list_visible()) >= oracle.visible_states(reached[-1])
