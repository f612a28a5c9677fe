"""The checker on random diagrams and products, right and wrong ones.

If a certificate can be written out as a list of states, it must be judged like that list by the
plain checker. Infinite languages cannot be written out; if one is accepted, it must contain all
that plain exploration finds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from support.generators.systems import Sizes, random_system
from support.oracles.systems import is_bad, visible
from support.samples.diagrams import (
    cut_diagram,
    diagram_of,
    has_state,
    language_diagram,
    products_of,
    random_set,
    spelled_out,
    stacks_in,
    states_in,
    with_finite_languages,
)
from support.samples.evidence import Concrete, CutState, reachable
from tepui.checker import AnyCertificate, check
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Pattern, Property, Reach, StackSet, System
from tepui.model.system import Word

SIZES = Sizes(threads=3, shared=3, symbols=3, rules=5, stack=3, states=60)
CUTS = [(1, True), (2, True), (1, False)]


def small_system(rng: Random) -> System:
    """A random system, with few reachable states at small heights, and no question."""
    return replace(random_system(rng, SIZES), property=Property())


def is_accepted(system: System, certificate: AnyCertificate, asked: Property) -> bool:
    try:
        check(system, asked, certificate)
    except EvidenceError:
        return False
    return True


def random_property(rng: Random, system: System) -> Property:
    threads = range(len(system.threads))
    shared = [None, *range(len(system.shared))]
    symbols = [len(system.template_of(thread).symbols) for thread in threads]
    patterns = [
        Pattern(rng.choice(shared), tuple(rng.choice([None, *range(count)]) for count in symbols))
        for _ in range(rng.choice([0, 0, 1, 2]))
    ]
    reaches = [
        Reach(
            rng.choice(shared),
            tuple(
                random_set(rng, 3, count - 1) if rng.random() < 0.7 else None for count in symbols
            ),
        )
        for _ in range(rng.choice([0, 0, 1, 2]))
    ]
    return Property(tuple(patterns), rng.random() < 0.3, tuple(reaches))


def changed(rng: Random, diagram: DiagramCertificate) -> DiagramCertificate:
    """The diagram with a random number somewhere in it; its labels at a node stay disjoint."""
    level = rng.randrange(len(diagram.nodes))
    nodes = [[list(edges) for edges in nodes] for nodes in diagram.nodes]
    ends = [list(end) for end in diagram.ends]
    edges = rng.choice(nodes[level])
    place = rng.randrange(len(edges)) if edges else 0
    match rng.randrange(4):
        case 0 if edges:
            del edges[place]
        case 1 if edges:
            children = len(nodes[level + 1]) if level + 1 < len(nodes) else len(ends)
            edges[place] = (edges[place][0], rng.randrange(children))
        case 2:
            end = rng.choice(ends)
            shared = rng.randrange(1 + max(map(max, filter(None, ends)), default=0))
            end.remove(shared) if shared in end else end.append(shared)
        case _:
            return _with_other_label(rng, diagram)
    return replace(
        diagram,
        nodes=tuple(tuple(map(tuple, nodes)) for nodes in nodes),
        ends=tuple(map(tuple, ends)),
    )


def _with_other_label(rng: Random, diagram: DiagramCertificate) -> DiagramCertificate:
    """One stack less in a label, wherever that is used."""
    labels = [list(labels) for labels in diagram.labels]
    mine = rng.choice(labels)
    number = rng.randrange(len(mine))
    label = mine[number]
    if not isinstance(label, StackSet):
        mine[number] = tuple(index for index in label if rng.random() < 0.7)
    elif label.accepting:
        flags = list(label.accepting)
        flags[rng.randrange(len(flags))] = False
        mine[number] = StackSet(tuple(flags), label.edges)
    return replace(diagram, labels=tuple(map(tuple, labels)))


def random_diagram(rng: Random, system: System) -> DiagramCertificate | None:
    """Of whole or cut stacks, correct before up to two changes; None if it would be too large."""
    order = rng.sample(range(len(system.threads)), len(system.threads))
    if rng.random() < 0.5:
        found = reachable(system, height=6, most=400)
        if len(found) >= 400 or any(len(stack) > 4 for _, stacks in found for stack in stacks):
            return None
        cut = {(shared, tuple((stack, False) for stack in stacks)) for shared, stacks in found}
        diagram = diagram_of(system, cut, order)
    else:
        depth, flags = rng.choice(CUTS)
        diagram = cut_diagram(system, depth, flags=flags, order=order)
    for _ in range(rng.randrange(3)):
        diagram = changed(rng, diagram)
    return diagram


@pytest.mark.fuzz
def test_a_diagram_is_judged_like_the_list_of_its_states(fuzz_systems: int) -> None:
    answers: Counter[tuple[str, bool]] = Counter()
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = small_system(rng)
        diagram = random_diagram(rng, system)
        if diagram is None or len(states_in(system, diagram)) > 3000:
            continue
        asked = random_property(rng, system)
        accepted = is_accepted(system, diagram, asked)
        assert accepted == is_accepted(system, spelled_out(system, diagram), asked), seed
        answers[diagram.kind, accepted] += 1
        if diagram.kind == "states":
            chosen = [t for t in range(len(system.templates)) if rng.random() < 0.6]
            finite = with_finite_languages(diagram, chosen)
            assert is_accepted(system, finite, asked) == accepted, seed
    assert min(answers[kind, accepted] for kind in ("states", "cut") for accepted in (True, False))


@pytest.mark.fuzz
def test_products_are_judged_like_the_list_of_their_states(fuzz_systems: int) -> None:
    answers: Counter[bool] = Counter()
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = small_system(rng)
        products = random_products(rng, system)
        if products is None:
            continue
        asked = random_property(rng, system)
        certificate, states = products
        listed = diagram_of(
            system, {(shared, tuple((w, False) for w in stacks)) for shared, stacks in states}
        )
        accepted = is_accepted(system, certificate, asked)
        assert accepted == is_accepted(system, spelled_out(system, listed), asked), seed
        answers[accepted] += 1
    assert min(answers[True], answers[False])


def random_products(
    rng: Random, system: System
) -> tuple[SymbolicCertificate, set[Concrete]] | None:
    """Random boxes that cover the reachable states or, now and then, not all of them."""
    found = reachable(system, height=6, most=200)
    if len(found) >= 200 or any(len(stack) > 4 for _, stacks in found for stack in stacks):
        return None
    labels: list[dict[StackSet, int]] = [{} for _ in system.templates]
    rows, covered = set(), set()
    for state in rng.sample(sorted(found), len(found)):
        if state in covered or rng.random() < 0.02:
            continue
        box = _widened(rng, state, found)
        row = [state[0]]
        for template, words in zip(system.threads, box, strict=True):
            table = labels[template]
            row.append(table.setdefault(stacks_in(words), len(table)))
        rows.add(tuple(row))
        covered |= {(state[0], stacks) for stacks in product(*box)}
    return SymbolicCertificate(tuple(map(tuple, labels)), tuple(sorted(rows))), covered


def _widened(rng: Random, state: Concrete, found: set[Concrete]) -> list[set[Word]]:
    """A stack or more for each thread, such that all their combinations were found."""
    shared, stacks = state
    box = [{stack} for stack in stacks]
    for thread in rng.sample(range(len(box)), len(box)):
        for word in sorted({other[thread] for _, other in found}):
            wider = [*box[:thread], {word}, *box[thread + 1 :]]
            if rng.random() < 0.7 and {(shared, chosen) for chosen in product(*wider)} <= found:
                box[thread] = box[thread] | {word}
    return box


@pytest.mark.fuzz
def test_languages_of_a_closed_cut_are_closed(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 2):
        rng = Random(seed)
        system = small_system(rng)
        order = rng.sample(range(len(system.threads)), len(system.threads))
        diagram = language_diagram(system, rng.randint(1, 2), order)
        check(system, Property(), diagram)
        check(system, Property(), products_of(system, diagram))


@pytest.mark.fuzz
def test_what_is_accepted_of_languages_covers_what_is_reachable(fuzz_systems: int) -> None:
    answers: Counter[bool] = Counter()
    for seed in range(fuzz_systems):
        rng = Random(seed)
        system = small_system(rng)
        diagram = language_diagram(system, rng.randint(1, 2))
        for _ in range(rng.randrange(3)):
            diagram = changed(rng, diagram)
        asked = random_property(rng, system)
        certificates: list[DiagramCertificate | SymbolicCertificate] = [diagram]
        certificates.append(products_of(system, diagram))
        found = reachable(system, height=5, most=300)
        bad = any(state_is_bad(system, asked, state) for state in found)
        verdicts = [is_accepted(system, certificate, asked) for certificate in certificates]
        assert verdicts[0] == verdicts[1], seed
        if verdicts[0]:
            assert not bad, seed
            for certificate in certificates:
                assert all(has_state(system, certificate, state) for state in found), seed
        answers[verdicts[0]] += 1
    assert min(answers[True], answers[False])


@pytest.mark.fuzz
def test_rules_are_wanted_for_the_pairs_that_occur(fuzz_systems: int) -> None:
    """The shared states and tops for which programs are asked for their rules."""
    for seed in range(fuzz_systems // 3):
        rng = Random(seed)
        system = small_system(rng)
        diagram = random_diagram(rng, system)
        if diagram is None or len(states_in(system, diagram)) > 3000:
            continue
        occurring = _pairs(system, states_in(system, diagram))
        found = diagram.pairs(system, lambda: True)
        assert all(map(set.issuperset, found, occurring)), seed
        if diagram.kind == "states":
            finite = with_finite_languages(diagram, range(len(system.templates)))
            products = products_of(system, finite)
            assert products.pairs(system, lambda: True) == occurring, seed


def _pairs(system: System, states: set[CutState]) -> list[set[tuple[int, int]]]:
    return [
        {
            (shared, word[0] if word else EPSILON)
            for shared, locals_ in states
            for word, _ in [locals_[thread]]
        }
        for thread in range(len(system.threads))
    ]


def state_is_bad(system: System, asked: Property, state: Concrete) -> bool:
    shared, stacks = state
    return is_bad(system, asked, visible(state)) or any(
        reach.shared in (None, shared)
        and all(
            wanted is None or wanted.accepts(stack)
            for wanted, stack in zip(reach.stacks, stacks, strict=True)
        )
        for reach in asked.reaches
    )
