"""The graph of a procedure: steps that do nothing are left out, and nothing else is."""

from __future__ import annotations

from tepui.languages.java.heap import INT
from tepui.languages.java.method_graph import Graph
from tepui.languages.java.stack_values import integer
from tepui.program.expressions import FALSE, TRUE, Binary, Read, Variable
from tepui.program.program import Assert, Assignment, Position, Procedure, Return, Step, target_of

HERE = Position("A.java", 3, 1)
X = Variable("x", INT, "A.go")


def graph(count: int, *, atomic: tuple[int, ...] = (), texts: tuple[int, ...] = ()) -> Graph:
    """A graph with some places, and no edges."""
    made = Graph("A.go")
    for number in range(count):
        text = f"place {number}" if number in texts else ""
        made.place(HERE, text, atomic=number in atomic)
    return made


def procedure(made: Graph) -> Procedure:
    return made.procedure((X,), 0, (), HERE)


def write(source: int, target: int) -> Step:
    return Step(source, target, TRUE, (Assignment(X, integer(source)),))


def ends(made: Procedure) -> list[tuple[int, int | None]]:
    return [(each.source, target_of(each)) for each in made.edges]


def test_steps_that_do_nothing_are_skipped() -> None:
    made = graph(5)
    for edge in (write(0, 1), Step(1, 2), Step(2, 3), write(3, 4), Return(4)):
        made.add(edge)
    found = procedure(made)
    assert ends(found) == [(0, 1), (1, 2), (2, None)]
    assert len(found.locations) == 3


def test_places_that_say_something_are_kept() -> None:
    made = graph(3, texts=(1,))
    for edge in (write(0, 1), Step(1, 2), Return(2)):
        made.add(edge)
    found = procedure(made)
    assert [each.text for each in found.locations] == ["", "place 1", ""]


def test_the_first_place_is_kept() -> None:
    made = graph(2)
    made.add(Step(0, 1))
    made.add(Return(1))
    assert ends(procedure(made)) == [(0, 1), (1, None)]


def test_a_step_with_a_guard_a_constraint_or_an_assignment_is_kept() -> None:
    condition = Binary("=", Read(X), integer(1))
    for step in (Step(1, 2, condition), Step(1, 2, TRUE, (), condition), write(1, 2)):
        made = graph(3)
        for edge in (write(0, 1), step, Return(2)):
            made.add(edge)
        assert ends(procedure(made)) == [(0, 1), (1, 2), (2, None)]


def test_a_choice_between_two_steps_is_kept() -> None:
    made = graph(4)
    for edge in (write(0, 1), Step(1, 2), Step(1, 3), Return(2), Assert(3, 3, FALSE)):
        made.add(edge)
    assert ends(procedure(made)) == [(0, 1), (1, 2), (1, 3), (2, None), (3, 3)]


def test_the_end_of_an_atomic_part_is_kept_on_both_sides() -> None:
    made = graph(4, atomic=(1,))
    for edge in (write(0, 1), Step(1, 2), write(2, 3), Return(3)):
        made.add(edge)
    found = procedure(made)
    assert [each.atomic for each in found.locations] == [False, True, False, False]
    made = graph(4, atomic=(2,))
    for edge in (write(0, 1), Step(1, 2), write(2, 3), Return(3)):
        made.add(edge)
    assert [each.atomic for each in procedure(made).locations] == [False, False, True, False]


def test_a_loop_that_does_nothing_stays_a_loop() -> None:
    made = graph(3)
    for edge in (write(0, 1), Step(1, 2), Step(2, 1)):
        made.add(edge)
    found = procedure(made)
    reached, at = [], 0
    for _ in range(4):
        at = next(target for source, target in ends(found) if source == at and target is not None)
        reached.append(at)
    assert 0 not in reached


def test_what_nothing_leads_to_is_left_out() -> None:
    made = graph(4)
    for edge in (Return(0), write(1, 2), Return(2), Return(3)):
        made.add(edge)
    found = procedure(made)
    assert (len(found.locations), ends(found)) == (1, [(0, None)])


def test_a_place_is_described_once() -> None:
    made = graph(2, texts=(1,))
    there = Position("A.java", 9, 1)
    made.describe(0, there, "first")
    made.describe(0, HERE, "second")
    assert made.is_described(0)
    for edge in (write(0, 1), Return(1)):
        made.add(edge)
    found = procedure(made)
    assert (found.locations[0].text, found.locations[0].position) == ("first", there)
    assert (made.is_atomic(0), made.edges) == (False, [write(0, 1), Return(1)])
