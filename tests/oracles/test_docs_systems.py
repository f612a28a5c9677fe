"""The oracles for systems and for `tepui weigh`: cases computed by hand, and comparisons."""

from __future__ import annotations

import pytest

from support.docs_oracle import systems_compare, weigh_compare
from support.docs_oracle.systems_pattern import Reader, parse_configurations, tokens_of
from support.docs_oracle.systems_read import (
    RefusedError,
    Rule,
    Target,
    read_cpds,
    read_pds,
    read_reach,
)
from support.docs_oracle.systems_run import (
    Explorer,
    fewest_steps,
    is_reach,
    is_target,
    orbits,
    round_robin,
    visible,
)
from support.docs_oracle.weigh_domains import Affine, MinPath, Relations, Sets
from support.docs_oracle.weigh_oracle import global_member, read_weighted, total

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
bad q3 | 2, 6
"""

ROUND_ROBIN = """
initial 0
thread T0 { # comment
    stack l
    0 | l -> 1 | l
}
thread T1 {
    stack l
    0 | l -> 1 | l
}
thread T2 {
    stack l
    0 | l -> 2 | l
}
bad 2 | *, *, *
"""


# --- reading -------------------------------------------------------------------------------------


def test_figure_4_as_pds_and_as_cpds() -> None:
    pds = "4\nPDA 1 2\n0 1 -> 1 2\n3 2 -> 0 1\nPDA 4 6\n0 4->0 -\n1 4 -> 2 5\n2 5 -> 3 4 6\n"
    system = read_pds(pds, "0|1,4", "1|2,-\ndeadlock")
    assert system.start == ("0", (("1",), ("4",)))
    assert system.threads[1].rules[2] == Rule("2", "5", "3", ("4", "6"))
    assert system.targets == (Target("1", (("2",), ())), Target(None, (), True))
    assert len(Explorer(system).explore(5).rounds[5]) == 14
    assert len(Explorer(read_cpds(FIGURE_4)).explore(5).rounds[5]) == 14


def test_states_with_counts_dots_and_quotes() -> None:
    text = 'initial stack\nthread "a b" * 3 {\nstack "x y".b c\nstack | - -> "#" | -\n}\n'
    system = read_cpds(text + 'bad * | * * 2, "x y"\nbad deadlock')
    assert [thread.name for thread in system.threads] == ["a b.1", "a b.2", "a b.3"]
    assert system.start == ("stack", (("x y", "b", "c"),) * 3)
    assert system.targets[0] == Target(None, (None, None, ("x y",)))
    assert system.targets[1].deadlock
    other = read_cpds(text, init="q | b . c, - * 2", targets=["deadlock | -, -, -"])
    assert other.start == ("q", (("b", "c"), (), ()))
    assert other.targets == (Target("deadlock", ((), (), ())),)


@pytest.mark.parametrize(
    "text",
    [
        "thread P {\nstack a\n}",  # no initial
        "initial q",  # no thread
        "initial q\ninitial q\nthread P {\nstack a\n}",
        "initial q\nthread P {\n}",  # no stack
        "initial q\nthread P {\nstack a\nstack a\n}",
        "shared p\ninitial q\nthread P {\nstack a\n}",
        "initial q\nshared q\nthread P {\nstack a\n}",
        "initial q\nthread P {\nstack a\n}\nthread P {\nstack a\n}",
        "initial q\nthread P {\nstack a\n}\nbad q | a, a",
        'initial q\nthread P {\nstack "-"\n}',
        "initial q\nthread P {\nstack a.\n}",
        "initial q\nthread P {\nstack a\nq | a b -> q | a\n}",
        'initial q\nthread P {\nstack "a\n}',
    ],
)
def test_refused_texts(text: str) -> None:
    with pytest.raises(RefusedError):
        read_cpds(text)


def test_names_and_arrows() -> None:
    system = read_cpds("initial a->b".replace("->b", "") + "\nthread P {\nstack a-\na|a-->a|-\n}")
    assert system.threads[0].rules == (Rule("a", "a-", "a", ()),)


# --- patterns ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("a b c", ["a b c"], ["a b", "a b c c", ""]),
        ("a*", ["", "a", "a a"], ["b", "a b"]),
        ("a+ b?", ["a", "a a b"], ["", "b", "a b b"]),
        ("a | b c", ["a", "b c"], ["a c", "b"]),
        ("(a | b)* .", ["c", "a b b c"], ["", "c c"]),
        ("(- | a) -* b", ["b", "a b"], ["a", "a a b"]),
        ('"a b"+', [], ["a b"]),
    ],
)
def test_patterns(pattern: str, inside: list[str], outside: list[str]) -> None:
    node = Reader(tokens_of(pattern)).either()
    assert all(node.matches(tuple(word.split())) for word in inside)
    assert not any(node.matches(tuple(word.split())) for word in outside)


def test_whole_configurations() -> None:
    system = read_cpds(FIGURE_4)
    asked = read_reach(system, "q3 | *, 4 6 6+")
    explored = Explorer(system).explore(6)
    assert explored.fewest(lambda state: is_reach(asked, state)) == (4, True)
    with pytest.raises(RefusedError):
        read_reach(system, "q3 | *, 7")
    shared, node = parse_configurations("<q0, a (b | c)* d>")
    assert shared == "q0"
    assert node is not None
    assert node.matches(("a", "c", "b", "d"))


# --- runs ----------------------------------------------------------------------------------------


def test_contexts_of_figure_4() -> None:
    explored = Explorer(read_cpds(FIGURE_4)).explore(5)
    assert [len(states) for states in explored.rounds] == [1, 3, 6, 8, 11, 14]
    seen = [len({visible(state) for state in states}) for states in explored.rounds]
    assert seen == [1, 3, 6, 6, 7, 8]


def test_a_stack_that_grows_for_ever() -> None:
    system = read_cpds("initial q\nthread P {\nstack a\nq | a -> q | a a\n}")
    explored = Explorer(system).explore(2)
    assert explored.infinite == 1
    assert explored.exact[:2] == [True, False]


def test_deadlocks_and_equal_threads() -> None:
    text = "initial q\nthread P * 2 {\nstack a b\nq | a -> p | -\np | b -> q | -\n}\nbad deadlock"
    system = read_cpds(text)
    explored = Explorer(system).explore(6)
    assert explored.finished
    target = system.targets[0]
    assert explored.fewest(lambda state: is_target(system, target, state)) == (None, True)
    assert len(explored.rounds[1]) == 5
    assert orbits(system, explored.rounds[1]) == 3


def test_delays_of_round_robin() -> None:
    system = read_cpds(ROUND_ROBIN)
    table = round_robin(system, 4, 3)
    counts = [[len(table.reached(rounds, d) or ()) for d in range(4)] for rounds in range(3)]
    assert counts == [[1, 1, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]


def test_fewest_steps_of_figure_4() -> None:
    found, complete = fewest_steps(read_cpds(FIGURE_4), 2, lambda state: state[1][0][:1] == ("2",))
    assert found == {"q1": 1, "q2": 2, "q3": 3}
    assert complete is None


# --- weights -------------------------------------------------------------------------------------


def test_domains() -> None:
    assert MinPath().combine(None, 3) == 3
    relations = Relations(2)
    assert relations.extend(frozenset({(0, 1)}), frozenset({(1, 0)})) == frozenset({(0, 0)})
    union, meet = Sets(["x"], True), Sets(["x"], False)
    kill, gen = union.read({"kill": ["x"], "gen": []}), union.read({"kill": [], "gen": ["x"]})
    assert union.extend(gen, kill) == kill
    assert union.combine(gen, kill) == gen
    assert meet.combine(meet.one, gen) == meet.one
    affine = Affine(["x"], 4)
    anything = affine.read({"assign": {"x": "?"}})
    assert affine.extend(affine.read({"assign": {"x": [1, 3]}}), anything) == anything
    assert affine.extend(affine.one, anything) == anything


def test_the_weights_of_figure_7() -> None:
    system = read_weighted(
        {
            "domain": "min-path",
            "rules": [
                {"from": ["p1", "a"], "to": ["p2", "b", "b"], "weight": 2},
                {"from": ["p2", "b"], "to": ["p2", "b", "b"], "weight": 1},
            ],
        }
    )
    start = global_member(system, "<p1, a>", "start")
    target = global_member(system, "<p2, b b b b>", "target")
    assert total(system, start, target, None).weight == 4


def test_contexts_of_a_weighted_system() -> None:
    rules = [{"from": ["p", "a"], "to": ["q", "b"], "weight": 1}]
    back = [{"from": ["q", "a"], "to": ["p", "a"], "weight": 3}]
    again = {"from": ["p", "b"], "to": ["p"], "weight": 5}
    threads = [{"name": "A", "rules": [*rules, again]}, {"name": "B", "rules": back}]
    system = read_weighted({"domain": "min-path", "threads": threads})
    start = global_member(system, "p | a, a", "start")
    target = global_member(system, "p | -, *", "target")
    assert total(system, start, target, 2).weight is None
    assert total(system, start, target, 3).weight == 9


# --- comparisons ---------------------------------------------------------------------------------


@pytest.mark.fuzz
def test_systems_against_the_oracle(fuzz_systems: int) -> None:
    report = systems_compare.Report()
    for seed in range(max(1, fuzz_systems // 30)):
        systems_compare.compare(seed, report)
    assert not report.findings, "\n".join(report.findings)


@pytest.mark.fuzz
def test_weights_against_the_oracle(fuzz_systems: int) -> None:
    report = systems_compare.Report()
    for seed in range(max(1, fuzz_systems // 20)):
        weigh_compare.compare(seed, report)
    assert not report.findings, "\n".join(report.findings)
