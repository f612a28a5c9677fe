"""The public suite of weighted pushdown systems, with the values that other tools expect.

PDAAAL, SPDS, WALi and WPDS++ are compared by the weights of configurations, because their automata
have other nodes than ours. Infinite optima, which no bounded idempotent semiring has, are refused.
Some domains of these tools break the laws; tests below say which ones, and where they fail.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import deque
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tepui.errors import UsageError
from tepui.weighted import (
    Boolean,
    BrokenLaw,
    Configurations,
    Inner,
    MinPath,
    Semiring,
    Sets,
    WeightedAutomaton,
    WeightedRule,
    WeightedSystem,
    check_descent,
    check_laws,
)
from tepui.weighted.configurations import Node, Transition
from tepui.weighted.files.documents import Document
from tepui.weighted.files.pdaaal import pdaaal_of
from tepui.weighted.files.systems import Given, WeightedFile
from tepui.weighted.negative_costs import Unbounded, least_costs
from tepui.weighted.paths import meet_over_all_paths, weight_of
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.system import Configuration
from tepui.weighted.weighing import load_weighted, weigh

FOLDER = Path(os.environ.get("TEPUI_BENCHMARKS", "")) / "wpds"

pytestmark = pytest.mark.skipif(
    not os.environ.get("TEPUI_BENCHMARKS"),
    reason="TEPUI_BENCHMARKS names no folder with the public benchmarks",
)


def suite(pattern: str) -> list[Any]:
    """The files that match, each as a case of its own."""
    found = sorted(FOLDER.glob(pattern)) if os.environ.get("TEPUI_BENCHMARKS") else []
    return [pytest.param(path, id=path.stem) for path in found]


def test_the_suite_is_there() -> None:
    assert len(suite("pdaaal-tests/*.json")) == 20
    assert len(suite("spds-tests/*.json")) == 9
    assert len(suite("wpdspp-baselines/*.txt")) == 6


# PDAAAL


@pytest.mark.parametrize("path", suite("pdaaal-tests/Verification_*.json"))
def test_a_verification_of_pdaaal_has_the_expected_weight(path: Path) -> None:
    expected = json.loads(path.read_text())["expected"]
    file = load_weighted(path)
    if "prestar_edges" in expected:
        _check_edges(file, expected["prestar_edges"])
    elif file.threads[0].start is None:
        assert path.stem == "Verification_shortest_trace_test"  # Its sets were not transcribed.
    elif isinstance(expected.get("optimal_weight"), str):
        with pytest.raises((UsageError, Unbounded), match=r"no bounded|no cheapest"):
            weigh(file)
    else:
        _check_weight(file, expected)


def _check_weight(file: WeightedFile, expected: dict[str, Any]) -> None:
    weighed = weigh(file)
    assert weighed.is_zero is not expected["reachable"]
    if "optimal_weight" in expected:
        assert weighed.weight == expected["optimal_weight"]
    if "witness_configurations" in expected:
        assert weighed.run is not None
        visited = list(weighed.run.configurations(file.threads[0].system))
        assert len(visited) == expected["witness_configurations"]
        start, target = file.threads[0].start, file.threads[0].target
        assert start is not None
        assert target is not None
        assert visited[0] in start
        assert visited[-1] in target


def _check_edges(file: WeightedFile, expected: list[dict[str, Any]]) -> None:
    thread = file.threads[0]
    assert thread.start is not None  # Transcribed as the start, though pre* is taken of it.
    costs = least_costs(thread.system, thread.start)
    for edge in expected:
        weight = -math.inf if edge["weight"] == "-infinity" else edge["weight"]
        assert costs[edge["src"], edge["sym"], edge["dst"]] == weight


def test_what_was_transcribed_without_sets_is_answered_as_a_search_does() -> None:
    path = FOLDER / "pdaaal-tests" / "Verification_shortest_trace_test.json"
    sets = [Given("< 0, [A] >", "start")], [Given("< 2, [B] [A] >", "target")]
    file = load_weighted(path, *sets)
    assert file.form.name == "min-path"
    assert weigh(file).weight == 0
    naive = _distances(file.threads[0].system, [("0", ("A",))], height=4)
    assert naive["2", ("B", "A")] == 0


@pytest.mark.parametrize("path", suite("pdaaal-tests/*PreStar.json"))
def test_a_pre_star_of_pdaaal_accepts_what_it_should(path: Path) -> None:
    case = json.loads(path.read_text())
    automaton = pre_star(_by_operations(case), Configurations.of(_configuration(case["initial"])))
    _check_acceptance(automaton, case["checks"])


@pytest.mark.parametrize("path", suite("pdaaal-tests/*PostStar*.json"))
def test_a_post_star_of_pdaaal_accepts_what_it_should(path: Path) -> None:
    case = json.loads(path.read_text())
    automaton = post_star(_by_operations(case), Configurations.of(_configuration(case["initial"])))
    _check_acceptance(automaton, case["checks"])


def _by_operations(case: dict[str, Any]) -> WeightedSystem[int | None]:
    """The rules of a test of PDAAAL that builds its automaton in code."""

    def rule(given: dict[str, Any], top: str) -> WeightedRule[int | None]:
        words = {"PUSH": (given["label"], top), "SWAP": (given["label"],), "POP": ()}
        cost = int(given["weight"] or 0)
        return WeightedRule(given["src"], top, given["dst"], words[given["op"]], cost)

    rules = (rule(given, top) for given in case["rules"] for top in given["pre"])
    return WeightedSystem.of(MinPath(), rules)


def _configuration(given: dict[str, Any]) -> Configuration:
    return given["state"], tuple(given["stack"])


def _check_acceptance(
    automaton: WeightedAutomaton[int | None], checks: list[dict[str, Any]]
) -> None:
    for check in checks:
        weight = automaton.weight(*_configuration(check))
        assert (weight is not None) is check.get("accepted", True)
        assert weight == check.get("weight", weight)


def test_the_example_instance_of_pdaaal_costs_what_a_search_finds() -> None:
    file = pdaaal_of(Document.of_file(FOLDER / "pdaaal-examples" / "example-instance.json"))
    thread = file.threads[0]
    starts = [("p0", ("A",)), ("p0", ("B", "A")), ("p1", ("A",))]
    assert thread.start is not None
    assert all(start in thread.start for start in starts)
    naive = _distances(thread.system, starts, height=6)
    ends = [("p2", ("A",)), ("p2", ())]
    assert weigh(file).weight == min(naive[end] for end in ends if end in naive) == 4


def test_the_unweighted_example_of_pdaaal_reaches_what_a_search_reaches() -> None:
    folder = FOLDER / "pdaaal-examples"
    given = Given((folder / "pautomaton1-i.txt").read_text(), "pautomaton1-i.txt")
    thread = load_weighted(folder / "pda-json-example-1.json", [given]).threads[0]
    assert thread.start is not None
    stacks = [word for size in range(7) for word in product("ABC", repeat=size)]
    starts = [(p, w) for p in ("Zero", "One", "Two") for w in stacks if (p, w) in thread.start]
    patterns = {"Zero": "(A?B)*", "One": "(A?B)*|BA?", "Two": "BA?|C+"}
    for state, stack in product(patterns, stacks):
        matches = re.fullmatch(patterns[state], "".join(stack)) is not None
        assert ((state, stack) in thread.start) is matches
    naive = _distances(thread.system, starts, height=9)
    reached = post_star(thread.system, thread.start)
    for end in product(("Zero", "One", "Two"), (word for word in stacks if len(word) <= 3)):
        assert reached.weight(*end) is (end in naive)


def _distances(
    system: WeightedSystem[Any], starts: list[tuple[str, tuple[str, ...]]], height: int
) -> dict[Configuration, int]:
    """What configurations cost, by search over all stacks up to a height."""
    costs: dict[Configuration, int] = dict.fromkeys(starts, 0)
    waiting = deque(costs)
    while waiting:
        state, stack = configuration = waiting.popleft()
        for rule in system.rules:
            if stack and (rule.state, rule.symbol) == (state, stack[0]):
                after = rule.target, rule.word + stack[1:]
                cost = costs[configuration] + int(rule.weight)
                if len(after[1]) <= height and cost < costs.get(after, cost + 1):
                    costs[after] = cost
                    waiting.append(after)
    return costs


# SPDS


class Sums:
    """Constant propagation of a counter: all paths add the same number, or it is unknown.

    In SPDS one weight is both «no path» and «unknown», which makes its combine depend on the order
    of paths; with two weights for the two, the laws hold.
    """

    zero = "no path"
    one = 0

    def combine(self, a: int | str, b: int | str) -> int | str:
        if self.zero in (a, b):
            return b if a == self.zero else a
        return a if a == b else "unknown"

    def extend(self, a: int | str, b: int | str) -> int | str:
        if self.zero in (a, b):
            return self.zero
        return a + b if isinstance(a, int) and isinstance(b, int) else "unknown"


class OriginalSums(Sums):
    """The same as SPDS has it."""

    def combine(self, a: int | str, b: int | str) -> int | str:
        if self.zero in (a, b):
            return b if a == self.zero else a
        return a if a == b else self.zero


def test_sums_keep_the_laws_and_those_of_spds_do_not() -> None:
    weights: list[int | str] = [1, 2, 5, "unknown"]
    check_laws(Sums(), weights)
    check_descent(Sums(), weights, height=2)
    with pytest.raises(BrokenLaw, match="⊕"):
        check_laws(OriginalSums(), [1, 2])


@pytest.mark.parametrize("path", suite("spds-tests/*.json"))
def test_a_test_of_spds_has_the_expected_weights(path: Path) -> None:
    case = json.loads(path.read_text())
    domain: Semiring[Any] = MinPath() if "min-plus" in case["semiring"] else Sums()
    system = _by_sides(case, domain)
    query = case["query_automaton"]
    only = Configurations.of((query["src"], (query["sym"],)))
    forwards = case["direction"] == "post*"
    automaton = post_star(system, only) if forwards else pre_star(system, only)
    for expected in case["expected_transition_weights"]:
        state, stack = expected["src"], (expected["sym"],)
        other = Configurations.of((state, stack))
        ends = (only, other) if forwards else (other, only)
        assert automaton.weight(state, stack) == int(expected["weight"])
        assert meet_over_all_paths(system, *ends) == int(expected["weight"])


def _by_sides(case: dict[str, Any], domain: Semiring[Any]) -> WeightedSystem[Any]:
    """Rules that are given by their left and right sides."""
    return WeightedSystem.of(
        domain,
        (
            WeightedRule(state, symbol, given["rhs"][0], tuple(given["rhs"][1:]), given["weight"])
            for given in case["rules"]
            for state, symbol in [given["lhs"]]
        ),
    )


# WALi


@pytest.mark.parametrize("path", suite("wali/*.json"))
def test_without_pushes_a_system_of_wali_is_a_graph_with_its_distances(path: Path) -> None:
    system = _by_sides(json.loads(path.read_text()), MinPath())
    symbols = [str(symbol) for symbol in system.symbols]
    for start in symbols:
        naive = _distances(system, [("p", (start,))], height=1)
        found = post_star(system, Configurations.of(("p", (start,))))
        for end in symbols:
            assert found.weight("p", (end,)) == naive.get(("p", (end,)))
    assert post_star(system, Configurations.of(("p", ("s1",)))).weight("p", ("s3",)) == 3


# WPDS++


class Dump:
    """A report of WPDS++: its rules, its automata by their titles, and its summaries.

    The weights are read by `weight`; `*` is ε, and what is not a state is an inner node.
    """

    def __init__(self, text: str, domain: Semiring[Any], weight: Any) -> None:
        head = text.split("CA\n")[0]
        rules = re.findall(r"^\t\d+\)\t<(\w+), (\w+)> -> <(\w+), ([\w ]*)>\t(.*)$", head, re.M)
        self.system = WeightedSystem.of(
            domain, (WeightedRule(p, a, q, tuple(w.split()), weight(f)) for p, a, q, w, f in rules)
        )
        self._weight = weight
        self._text = text
        states = re.search(r"P ==> { , (.*?) }", text)
        assert states is not None
        self.states = states[1].split(", ")
        self.summaries = {
            name: weight(text) for name, text in re.findall(r"^(\w+): (\S.*)$", text, re.M)
        }

    def automaton(self, title: str) -> WeightedAutomaton[Any]:
        """The last automaton after a title, as a backward one, which is how post* reads."""
        section = self._text.split(title)[-1].split("CA\n")[1].split("\n\n")[0]
        edges = re.findall(r"^\t\d+\) (\S+) --- (\S+) ---> (\S+)\t\t(.*)$", section, re.M)
        transitions: dict[Transition, Any] = {}
        for source, symbol, target, weight in edges:
            read = None if symbol == "*" else symbol
            edge = (self._node(source), read, self._node(target))
            transitions[edge] = self._weight(weight)
        ends = frozenset(Inner(name) for name in ("accepting_state", "accept", "999"))
        return WeightedAutomaton(self.system.domain, transitions, ends, "backward")

    def top(self, symbol: str, state: str) -> Configurations:
        """All configurations with a symbol on top."""
        return Configurations.topped([state], [[symbol]], self.system.symbols)

    def check_equal(
        self, ours: WeightedAutomaton[Any], theirs: WeightedAutomaton[Any], height: int
    ) -> None:
        """Both give all configurations up to a height the same weight."""
        symbols = self.system.symbols
        for size in range(height + 1):
            for stack in product(symbols, repeat=size):
                for state in self.states:
                    assert ours.weight(state, stack) == theirs.weight(state, stack)

    def _node(self, name: str) -> Node:
        return name if name in self.states else Inner(name)


FACTS = ("(a,1)", "(b,1)", "(c,1)", "(d,1)")


def _transformer(text: str) -> Any:
    match = re.fullmatch(r"<\\S\.\(S - {(.*)}\) U {(.*)}>", text)
    assert match is not None
    kill, gen = (
        sum(1 << i for i, fact in enumerate(FACTS) if fact in each) for each in match.groups()
    )
    return Sets(len(FACTS)).transformer(kill, gen)


def _gen_kill(name: str) -> Dump:
    text = (FOLDER / "wpdspp-baselines" / name).read_text()
    return Dump(text, Sets(len(FACTS)), _transformer)


def test_uninitialised_variables_are_those_that_wpdspp_finds() -> None:
    dump = _gen_kill("GenKill_duninit_var.txt")
    assert len(dump.system.rules) == 21
    ours = post_star(dump.system, Configurations.of(("q", ("e_main",))))
    dump.check_equal(ours, dump.automaton("\nafter\n"), height=3)
    assert len(dump.summaries) == 19
    for symbol, summary in dump.summaries.items():
        assert weight_of(ours, dump.top(symbol, "q")) == summary


@pytest.mark.parametrize("name", ["duninit_var", "uninit_var"])
def test_after_copying_the_tops_to_another_state_they_are_still_the_same(name: str) -> None:
    dump = _gen_kill(f"GenKill_{name}.pre.o.post.txt")
    assert len(dump.system.rules) == 40
    ours = post_star(dump.system, Configurations.of(("q", ("e_main",))))
    dump.check_equal(ours, dump.automaton("\nmiddle\n"), height=3)
    # Afterwards, the edges from c0 to the end have become what holds for any stack below.
    after = dump.automaton("\nafter\n")
    assert len(dump.summaries) == 19
    for symbol, summary in dump.summaries.items():
        assert weight_of(ours, dump.top(symbol, "c0")) == summary
        assert after.transitions["c0", symbol, Inner("accepting_state")] == summary


def test_pointers_point_where_wpdspp_says() -> None:
    # Its domain has one weight, which is zero and one; 4 ⊗ 1 = 1 shows that 1 is not neutral, so
    # only reachability is compared. A schema pops two symbols, and stands for a generated rule.
    text = (FOLDER / "wpdspp-baselines" / "csurf_pa.txt").read_text()
    dump = Dump(text, Boolean(), lambda _: True)
    generated = re.findall(r"generated\t<(\w+), (\w+)> -> <(\w+), (\w+)>", text)
    rules = [WeightedRule(p, a, q, (b,), True) for p, a, q, b in generated]
    system = WeightedSystem.of(Boolean(), [*dump.system.rules[:4], *rules])
    points_to = set(re.findall(r"^\t\d+\) (\w+) --- deref ---> (\w+)\t", text, re.M))
    assert len(rules) == 1
    assert len(points_to) == 5
    for target in dump.states:
        reaching = pre_star(system, Configurations.of((target, ())))
        for source in dump.states:
            assert reaching.weight(source, ("deref",)) is ((source, target) in points_to)


class Prefixes:
    """What all paths begin with: strings, with concatenation and the longest common prefix."""

    zero = None
    one = ""

    def combine(self, a: str | None, b: str | None) -> str | None:
        if a is None or b is None:
            return b if a is None else a
        same = (x == y for x, y in zip(a, b, strict=False))
        return a[: next((i for i, equal in enumerate(same) if not equal), min(len(a), len(b)))]

    def extend(self, a: str | None, b: str | None) -> str | None:
        return None if a is None or b is None else a + b


def test_prefixes_do_not_distribute_from_the_right() -> None:
    domain = Prefixes()
    with pytest.raises(BrokenLaw, match="⊕"):
        check_laws(domain, ["a", "b", "aa"])
    assert domain.extend(domain.combine("", "a"), "b") == "b"
    assert domain.combine(domain.extend("", "b"), domain.extend("a", "b")) == ""


@pytest.mark.parametrize(
    ("name", "start"),
    [("int_post", ("1", ("777",))), ("test_post", ("p", ("lambda",)))],
)
def test_substrings_are_those_of_wpdspp(name: str, start: tuple[str, tuple[str, ...]]) -> None:
    text = (FOLDER / "wpdspp-baselines" / f"substrings_{name}.txt").read_text()
    dump = Dump(text, Prefixes(), lambda word: "" if word == "ONE" else word)
    assert len(dump.system.rules) == 5
    ours = post_star(dump.system, Configurations.of(start))
    dump.check_equal(ours, dump.automaton("*** AFTER  ***\n"), height=4)
    for symbol, summary in dump.summaries.items():
        assert weight_of(ours, dump.top(symbol, start[0])) == summary
