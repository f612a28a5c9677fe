"""The checker on diagrams: the right ones are accepted, and every way to be wrong is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from support.samples.diagrams import (
    cut_diagram,
    diagram_of,
    diagram_of_figure_2,
    figure_2,
    language_diagram,
    languages,
    stacks_in,
    states_in,
    whole_diagram,
    with_finite_languages,
)
from support.samples.evidence import figure_4, system_of, thread, turns
from tepui.checker import check
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import EPSILON, Pattern, Property, StackSet, System

ANY = Property()
FIGURE_2, FIGURE_4, TURNS = figure_2(), figure_4(), turns()
BY_HAND = diagram_of_figure_2()
WHOLE = whole_diagram(TURNS)
FINITE = with_finite_languages(WHOLE, [0])
CUT = cut_diagram(FIGURE_4, 2)
FLAGLESS = cut_diagram(FIGURE_4, 1, flags=False)
LANGUAGES = language_diagram(FIGURE_4, 2)
SAMPLES = [
    (FIGURE_2, BY_HAND),
    (TURNS, WHOLE),
    (TURNS, FINITE),
    (FIGURE_4, CUT),
    (FIGURE_4, FLAGLESS),
    (FIGURE_4, LANGUAGES),
]
every_sample = pytest.mark.parametrize(("system", "diagram"), SAMPLES)


def rejects(
    system: System, diagram: DiagramCertificate, *words: str, asked: Property = ANY
) -> None:
    with pytest.raises(EvidenceError) as caught:
        check(system, asked, diagram)
    for word in words:
        assert word in str(caught.value)


def with_node(
    diagram: DiagramCertificate, level: int, number: int, *edges: Any
) -> DiagramCertificate:
    nodes = [list(nodes) for nodes in diagram.nodes]
    nodes[level][number] = edges
    return replace(diagram, nodes=tuple(map(tuple, nodes)))


def with_labels(diagram: DiagramCertificate, template: int, *labels: Any) -> DiagramCertificate:
    changed = list(diagram.labels)
    changed[template] = labels
    return replace(diagram, labels=tuple(changed))


@every_sample
def test_correct_diagrams_are_accepted(system: System, diagram: DiagramCertificate) -> None:
    check(system, ANY, diagram)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_any_order_of_levels_will_do(order: tuple[int, ...]) -> None:
    check(TURNS, ANY, whole_diagram(TURNS, order))
    check(TURNS, ANY, cut_diagram(TURNS, 1, order=order))
    check(TURNS, ANY, language_diagram(TURNS, 2, order))


def test_figure_2_shows_exactly_its_26_visible_states() -> None:
    shown = 0
    for shared in range(2):
        for foo in range(len(FIGURE_2.templates[0].symbols)):
            for bar in range(len(FIGURE_2.templates[1].symbols)):
                asked = Property((Pattern(shared, (foo, bar)),))
                try:
                    check(FIGURE_2, asked, BY_HAND)
                except EvidenceError:
                    shown += 1
    assert shown == 26


@every_sample
def test_no_edge_can_be_spared(system: System, diagram: DiagramCertificate) -> None:
    for level, nodes in enumerate(diagram.nodes):
        for number, edges in enumerate(nodes):
            for edge in edges:
                fewer = [other for other in edges if other != edge]
                rejects(system, with_node(diagram, level, number, *fewer))


@every_sample
def test_no_shared_state_can_be_spared(system: System, diagram: DiagramCertificate) -> None:
    for number, end in enumerate(diagram.ends):
        for shared in end:
            ends = list(diagram.ends)
            ends[number] = tuple(other for other in end if other != shared)
            rejects(system, replace(diagram, ends=tuple(ends)))


@every_sample
def test_no_stack_of_a_label_can_be_spared(system: System, diagram: DiagramCertificate) -> None:
    for template, labels in enumerate(diagram.labels):
        for number, label in enumerate(labels):
            smaller: list[Any] = []
            if isinstance(label, StackSet):
                for state, accepts in enumerate(label.accepting):
                    flags = list(label.accepting)
                    flags[state] = False
                    smaller += [StackSet(tuple(flags), label.edges)] if accepts else []
            else:
                smaller = [tuple(i for i in label if i != index) for index in label]
            for less in smaller:
                changed = [*labels[:number], less, *labels[number + 1 :]]
                rejects(system, with_labels(diagram, template, *changed))


@pytest.mark.parametrize("diagram", [CUT, FLAGLESS])
def test_no_pair_can_be_spared(diagram: DiagramCertificate) -> None:
    for template, pairs in enumerate(diagram.below):
        for pair in pairs:
            below = list(diagram.below)
            below[template] = pairs - {pair}
            rejects(FIGURE_4, replace(diagram, below=tuple(below)), "«below» lacks")


def test_the_initial_state_must_be_there() -> None:
    for system, diagram in SAMPLES:
        rejects(system, replace(diagram, ends=((),) * len(diagram.ends)), "lacks the initial state")
    rejects(TURNS, with_node(WHOLE, 0, 0), "lacks the initial state")


def test_a_step_that_leads_out_is_told() -> None:
    without_calls = [*languages(FIGURE_2, 0, "[2]4*"), *BY_HAND.labels[0][1:]]
    rejects(
        FIGURE_2,
        with_labels(BY_HAND, 0, *without_calls),
        "thread foo can go from the shared state q0 to q0 and the stack «3», which it lacks there",
    )
    rejects(
        FIGURE_4,
        with_node(LANGUAGES, 1, 1, *LANGUAGES.nodes[1][1][1:]),
        "a step from the shared state q0 to q1 leads out of it where thread P2 has «-»",
    )
    rejects(
        FIGURE_2,
        replace(BY_HAND, ends=((0,), (1,), (1,))),
        "a step from the shared state q1 to q0 leads out of it",
    )


def test_labels_that_overlap_are_sound() -> None:
    foo, bar = BY_HAND.labels
    wider = languages(FIGURE_2, 0, "[234]4*")[0]
    overlapping = with_labels(BY_HAND, 0, wider, *foo[1:])
    rejects(FIGURE_2, overlapping, "not closed")
    same_child = with_node(BY_HAND, 0, 0, (0, 0), *BY_HAND.nodes[0][0])
    check(FIGURE_2, ANY, same_child)
    assert len(bar) == 5


def test_what_the_root_does_not_lead_to_does_not_matter() -> None:
    for system, diagram in SAMPLES:
        nodes = tuple((*level, ((0, 0),)) for level in diagram.nodes)
        check(system, ANY, replace(diagram, nodes=nodes))


def test_empty_nodes_labels_and_ends_stand_for_nothing() -> None:
    empty = StackSet((), ())
    for system, diagram in SAMPLES:
        for level, thread_number in enumerate(diagram.order):
            template = system.threads[thread_number]
            labels = diagram.labels[template]
            nothing: Any = empty if diagram.locals[template] is None else ()
            more = with_labels(diagram, template, *labels, nothing)
            root = 0 if level else diagram.root
            edges = diagram.nodes[level][root]
            check(system, ANY, with_node(more, level, root, *edges, (len(labels), 0)))
        last = diagram.nodes[-1][0]
        one_more = replace(diagram, ends=(*diagram.ends, ()))
        edges = (*last, (last[0][0], len(diagram.ends)))
        check(system, ANY, with_node(one_more, -1, 0, *last[1:], last[0]))
        rejects(system, with_node(one_more, -1, 0, *edges), "not closed")


@pytest.mark.parametrize(
    ("tops", "shared", "bad"),
    [
        ((None, None, None), None, True),
        ((1, 1, 1), 0, True),
        ((1, 1, 1), 1, False),
        ((3, 3, None), None, False),
        ((3, 4, None), None, False),
        ((None, 3, EPSILON), None, True),
        ((4, None, 1), 1, True),
        ((4, None, 1), 0, False),
        ((2, None, None), None, False),
    ],
)
def test_patterns_are_found(tops: tuple[int | None, ...], shared: int | None, bad: bool) -> None:
    asked = Property((Pattern(1, (2, 2, 2)), Pattern(shared, tops)))
    for diagram in (WHOLE, FINITE, cut_diagram(TURNS, 1), language_diagram(TURNS, 1)):
        if bad:
            rejects(TURNS, diagram, "bad state: one that fits", asked=asked)
        else:
            check(TURNS, asked, diagram)


def test_a_pattern_is_named_in_the_message() -> None:
    asked = Property((Pattern(None, (3, None, EPSILON)),))
    rejects(TURNS, WHOLE, "one that fits «* | b, *, -»", asked=asked)
    rejects(TURNS, WHOLE, "names 2 threads", asked=Property((Pattern(None, (None,) * 2),)))


def test_deadlocks_are_found() -> None:
    deadlock = Property(deadlock=True)
    rejects(FIGURE_4, CUT, "a deadlock in the shared state q1", asked=deadlock)
    rejects(FIGURE_4, LANGUAGES, "a deadlock in the shared state q1", asked=deadlock)
    check(TURNS, deadlock, WHOLE)
    check(TURNS, deadlock, FINITE)
    done = system_of("q", thread("a", "q|a -> q|-", count=2))
    check(done, deadlock, whole_diagram(done))
    stuck = system_of("q", thread("a", "q|a -> q|-", count=2), thread("b"))
    rejects(stuck, whole_diagram(stuck), "deadlock", asked=deadlock)
    idle = replace(stuck.templates[1], idle=frozenset({(0, 1)}))
    waiting = replace(stuck, templates=(stuck.templates[0], idle))
    check(waiting, deadlock, whole_diagram(waiting))


@every_sample
def test_numbers_that_point_outside_are_rejected(
    system: System, diagram: DiagramCertificate
) -> None:
    for wrong in (-1, 99, 10**30):
        for level in range(len(diagram.nodes)):
            edge = diagram.nodes[level][0][0]
            for changed in ((wrong, edge[1]), (edge[0], wrong)):
                rejects(system, with_node(diagram, level, 0, changed), f"level {level}", "outside")
        ends = (*diagram.ends[:-1], (wrong,))
        rejects(system, replace(diagram, ends=ends), "no shared state")
        rejects(system, replace(diagram, root=wrong), "no root")


def test_labels_must_fit_their_tables() -> None:
    for wrong in (-1, 99, 10**30):
        rejects(TURNS, with_labels(WHOLE, 0, *WHOLE.labels[0], (wrong,)), "points outside")
    rejects(TURNS, with_labels(WHOLE, 0, stacks_in([(1,)])), "is a language, although")
    rejects(TURNS, with_labels(FINITE, 0, *FINITE.labels[0], (0,)), "a table of stacks that is not")
    outside = StackSet((True,), (((99, 0),),))
    rejects(TURNS, with_labels(FINITE, 0, *FINITE.labels[0], outside), "no stack symbol")
    table = ((((1, 99), False),), *WHOLE.locals[1:])
    rejects(TURNS, replace(WHOLE, locals=table), "no stack symbol")
    twice = ((*(WHOLE.locals[0] or ()), (WHOLE.locals[0] or ())[0]), *WHOLE.locals[1:])
    rejects(TURNS, replace(WHOLE, locals=twice), "twice")


def test_a_diagram_of_another_form_is_rejected() -> None:
    kind: Any = "proof"
    rejects(TURNS, replace(WHOLE, kind=kind), "'proof'")
    rejects(FIGURE_4, replace(LANGUAGES, kind="cut", depth=1, below=CUT.below), "not of cut ones")
    rejects(FIGURE_4, replace(CUT, depth=0), "cannot be cut at 0")
    rejects(FIGURE_4, replace(CUT, flags=False), "cannot be cut at 2")
    rejects(FIGURE_4, replace(CUT, below=CUT.below[:1]), "one relation «below»")
    rejects(TURNS, replace(WHOLE, depth=1), "neither a depth")
    rejects(TURNS, replace(WHOLE, below=(frozenset(), frozenset())), "neither a depth")
    rejects(TURNS, replace(WHOLE, locals=WHOLE.locals[:1]), "for each template")
    rejects(TURNS, replace(WHOLE, labels=(*WHOLE.labels, ())), "for each template")
    rejects(TURNS, replace(WHOLE, nodes=WHOLE.nodes[:2]), "one level for each thread")
    rejects(TURNS, replace(WHOLE, nodes=((), *WHOLE.nodes[1:])), "no root")


@pytest.mark.parametrize("order", [(), (0, 1), (0, 1, 1), (0, 1, 2, 3), (0, 1, 3), (-1, 0, 1)])
def test_the_order_must_name_every_thread_once(order: tuple[int, ...]) -> None:
    rejects(TURNS, replace(WHOLE, order=order), "not the threads, each once")


def test_another_order_of_the_same_levels_is_another_set() -> None:
    rejects(TURNS, replace(WHOLE, order=(0, 2, 1)))


def test_a_diagram_of_the_wrong_kind_proves_nothing() -> None:
    rejects(FIGURE_4, replace(CUT, kind="states", depth=0, below=()))
    rejects(FIGURE_4, replace(CUT, depth=1), "longer than the cut")
    rejects(FIGURE_4, replace(FLAGLESS, flags=True), "lack")


def test_a_larger_set_is_accepted_if_it_is_closed() -> None:
    states = states_in(TURNS, WHOLE)
    held = {(1, locals_) for _, locals_ in states if locals_[0] == locals_[1] == ((1, 2), False)}
    assert not held <= states
    check(TURNS, ANY, diagram_of(TURNS, states | held))
    check(TURNS, Property((Pattern(1, (1, 1, None)),)), WHOLE)
    asked = Property((Pattern(1, (1, 1, None)),))
    rejects(TURNS, diagram_of(TURNS, states | held), "bad state", asked=asked)


def test_hundreds_of_threads_are_no_matter() -> None:
    system = system_of("q", thread("a", "q|a -> q|b", "q|b -> q|-", "q|- -> q|a", count=1500))
    table = tuple((word, False) for word in [(1,), (2,), ()])
    nodes = ((((0, 0),),),) * 1500
    diagram = DiagramCertificate(
        "states", tuple(range(1500)), (table,), (((0, 1, 2),),), nodes, ((0,),)
    )
    check(system, Property(deadlock=True), diagram)
    assert diagram.size == 1500


@pytest.mark.parametrize("patience", range(6))
@every_sample
def test_a_check_that_is_no_longer_wanted_comes_to_no_conclusion(
    system: System, diagram: DiagramCertificate, patience: int
) -> None:
    answers = iter([True] * patience + [False])
    with pytest.raises(CheckStopped):
        check(system, ANY, diagram, lambda: next(answers))
