"""Automata of threads: the figures of CUBA, and the corners of the interface."""

from __future__ import annotations

import doctest

import pytest

import tepui.automata
from support.generators.automata import reached
from support.oracles.systems import top_of
from support.places import EXAMPLES
from tepui.automata import Automaton
from tepui.errors import TepuiError, UsageError
from tepui.kernels.lowered_system import lower
from tepui.languages import load, loads
from tepui.limits import Limits
from tepui.model import EPSILON, Block, Description, NamedRule, System, build
from tepui.program.program import Program


def example(name: str) -> System:
    return load(EXAMPLES / f"{name}.cpds").system


def alone(system: System, thread: int) -> System:
    """The system in which a thread is the only one."""
    template = system.template_of(thread)
    rules = [
        NamedRule(
            system.shared[rule.source],
            None if rule.top == EPSILON else template.symbols[rule.top],
            system.shared[rule.target],
            tuple(template.symbols[symbol] for symbol in rule.word),
        )
        for rule in template.rules
    ]
    stack = tuple(template.symbols[symbol] for symbol in template.stack)
    shared = system.shared[system.initial]
    return build(
        Description(shared, [Block(template.name, stack, rules)], shared=list(system.shared))
    )


THREADS = [("figure2", 0), ("figure2", 1), ("figure3", 0), ("figure4", 0), ("figure4", 1)]


@pytest.mark.parametrize(("name", "thread"), THREADS)
def test_the_figures_reach_the_stacks_that_brute_force_finds(name: str, thread: int) -> None:
    """From the initial stack as in Figure 3, and from all short stacks as in Figure 8."""
    system = alone(example(name), thread)
    for start in (Automaton.initial(system, 0), Automaton.short(system, 0)):
        # Runs to stacks of height 8 need no stack higher than 12.
        found = reached(system, start.words(1), 12, most=1_000_000)
        low = {each for each in found if len(each[1]) <= 8}
        assert start.post_star().words(8) == sorted(low)


def test_figure_8_has_loops_for_figure_2_and_none_for_figure_4() -> None:
    finite = {
        (name, thread): Automaton.short(example(name), thread).post_star().is_finite
        for name, thread in THREADS
    }
    assert finite == {
        ("figure2", 0): False,
        ("figure2", 1): False,
        ("figure3", 0): False,
        ("figure4", 0): True,
        ("figure4", 1): True,
    }
    short = Automaton.short(example("figure4"), 1).post_star()
    assert short.count() == len(short.words(8)) == 17
    assert Automaton.short(example("figure2"), 0).post_star().count() is None


def test_figure_3_is_drawn_as_in_the_paper() -> None:
    system = example("figure3")
    assert Automaton.initial(system, "P").post_star().dot() == (
        'digraph "figure3: P" {\n'
        "    rankdir=LR;\n"
        '    node [shape=box, fontname="monospace"];\n'
        '    edge [fontname="monospace"];\n'
        '    q0 [label="q0"];\n'
        '    q1 [label="q1"];\n'
        '    q2 [label="q2"];\n'
        '    s1 [label="s1", shape=circle, peripheries=2];\n'
        '    s2 [label="s2", shape=circle];\n'
        '    s3 [label="s3", shape=circle];\n'
        '    q0 -> s1 [label="0"];\n'
        '    q0 -> s2 [label="0"];\n'
        '    q0 -> s3 [label="1"];\n'
        '    q1 -> s2 [label="1"];\n'
        '    q2 -> s3 [label="2"];\n'
        '    s2 -> s1 [label="0"];\n'
        '    s2 -> s2 [label="0"];\n'
        '    s3 -> s2 [label="0"];\n'
        "}\n"
    )


def test_what_is_drawn_is_quoted() -> None:
    system = loads(
        'initial q\nthread T {\n stack "a\\"b"\n q | "a\\"b" -> q | -\n}\n', "cpds"
    ).system
    drawn = Automaton.initial(system, 0).post_star().dot()
    assert 'q0 -> s1 [label="a\\"b"];' in drawn
    assert 'q0 [label="q", peripheries=2];' in drawn


def test_figure_3_has_the_languages_of_the_paper() -> None:
    system = example("figure3")
    found = Automaton.of_pattern(system, "P", "q0, 0").post_star()
    described = Automaton.of_pattern(system, "P", "q0, 0+", "q0, 1 0 0+", "q1, 1 0+", "q2, 2 0 0+")
    assert found.equals(described)
    zero = system.templates[0].symbols.index("0")
    assert found.language("q0")[0] == (False, [(zero, 1), (zero + 1, 2)])
    assert [system.templates[0].symbols[top] for top in found.tops("q0")] == ["0", "1"]
    assert found.tops("q2") == [system.templates[0].symbols.index("2")]
    assert found.missing_from(Automaton.of_pattern(system, "P", "*, 0 | .")) == (0, (1, 1))


def test_a_run_says_how_a_configuration_is_reached() -> None:
    system = example("figure3")
    found = Automaton.initial(system, "P").post_star()
    run = found.run_to("q0, 0 0")
    assert str(run).splitlines() == ["q0 | 0", "q1 | 1 0", "q2 | 2 0 0", "q0 | 1 0 0", "q0 | 0 0"]
    assert all(
        (rule.source, rule.top) == (shared, top_of(stack))
        for rule, (shared, stack) in zip(run.rules, run.configurations(), strict=False)
    )
    back = Automaton.of_pattern(system, "P", "q0, 0 0").pre_star()
    assert str(back.run_from("q0, 0")) == str(run)


def test_what_has_no_run_is_refused() -> None:
    system = example("figure3")
    start = Automaton.initial(system, "P")
    with pytest.raises(UsageError, match="<q1, 0> is not in this set"):
        start.post_star().run_to("q1, 0")
    with pytest.raises(UsageError, match=r"only in what post_star\(\) returns"):
        start.run_to("q0, 0")
    with pytest.raises(UsageError, match=r"only in what pre_star\(\) returns"):
        start.post_star().run_from("q0, 0")


def test_automata_of_different_threads_do_not_mix() -> None:
    system = example("figure4")
    first, second = Automaton.initial(system, "P1"), Automaton.initial(system, "P2")
    for combine in (first.union, first.intersection, first.includes, first.missing_from):
        with pytest.raises(UsageError, match="different threads"):
            combine(second)
    with pytest.raises(UsageError, match="different threads"):
        first.equals(Automaton.initial(example("figure4"), "P1"))


def test_equal_threads_have_the_same_automata() -> None:
    system = loads("initial q\nthread T * 2 {\n stack a\n q | a -> q | -\n}\n", "cpds").system
    first, second = (Automaton.initial(system, name).post_star() for name in ("T.1", "T.2"))
    assert first.equals(second)
    assert first.words(3) == [(0, ()), (0, (1,))]


@pytest.mark.parametrize(
    ("thread", "message"),
    [
        ("P3", "there is no thread P3; the threads are P1, P2"),
        (2, "there is no thread number 2: the threads are 0 to 1"),
        (-1, "there is no thread number -1: the threads are 0 to 1"),
    ],
)
def test_a_thread_that_is_not_there_is_refused(thread: str | int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Automaton.initial(example("figure4"), thread)


def test_numbers_that_mean_nothing_are_refused() -> None:
    found = Automaton.initial(example("figure3"), "P").post_star()
    for wrong in [(3, ()), (-1, ()), (0, (4,)), (0, (0,))]:
        with pytest.raises(UsageError, match="is no configuration of P"):
            assert wrong in found
    with pytest.raises(UsageError, match="there is no shared state q9"):
        found.tops("q9")


def test_a_program_is_first_written_out() -> None:
    program = load(EXAMPLES / "figure2.bp").model
    assert isinstance(program, Program)
    with pytest.raises(UsageError, match=r"tepui\.written_out writes it out"):
        Automaton.initial(lower(program), 0)


def test_limits_stop_what_takes_too_long() -> None:
    system = example("figure2")
    start = Automaton.short(system, "foo")
    for work in (start.post_star, start.pre_star, start.count):
        with pytest.raises(TepuiError, match="stopped at a limit: time"):
            work(Limits(timeout=0))
    found = start.post_star()
    with pytest.raises(TepuiError, match="stopped at a limit: time"):
        found.run_to("q1, 4 4", Limits(timeout=0))
    with pytest.raises(TepuiError, match="stopped at a limit: time"):
        found.includes(start, Limits(timeout=0))


def test_the_example_in_the_package_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    results = doctest.testmod(tepui.automata)
    assert (results.failed, results.attempted > 4) == (0, True)
