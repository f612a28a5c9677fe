"""Closure as all threads see it: witnesses need witnesses of their own, and no further ones."""

from __future__ import annotations

import pytest

from tepui.api import loads
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.program.program import Program
from tepui.watching.predicates.closure_queries import Closed, ClosureQueries
from tepui.watching.predicates.picture_queries import Action, PictureQueries
from tepui.watching.predicates.predicate_terms import PredicateTerms
from tepui.watching.predicates.predicate_text import read_predicate

pytest.importorskip("cvc5")

PROGRAM = """
decl x: int 0..1 := 0;
void work() {
    decl l: int 0..9 := 0;
L0: x := 1;
L1: skip;
L2: skip;
L3: skip;
}
void main() { thread_create(work, COUNT); }
"""


def _first_step(first: int, last: int, count: str = "*") -> Closed:
    """Whether some abstract states are closed under the first statement of the watched thread.

    Before it, while x is 0, threads at L2 see one whose number l is the next one; those at L3 have
    the last number, and see none; those at L0 have the number 0. After it, when x is 1, the watched
    thread sees whether there is one with the first number, which is in none of them.
    """
    program = loads(PROGRAM.replace("COUNT", count), "bp")
    assert isinstance(program, Program)
    predicates = [
        f"exists o: x = 1 && o.l = {first} || x = 0 && o.l = l + 1",
        "x = 0",
        "l = 0",
        f"l = {last}",
    ]
    rows = [
        (0, (first == 1, True, True, False)),
        (1, (False, False, True, False)),
        (2, (True, True, False, False)),
        (3, (False, True, False, True)),
    ]
    paths = Paths(program, (), Terms())
    with Solver(lambda: True) as solver:
        about = PredicateTerms(paths)
        queries = PictureQueries(about, list(map(read_predicate, predicates)), 0, solver)
        closure = ClosureQueries(queries, [((place,), values) for place, values in rows])
        return closure.under(Action("watched", 0, (0,)))


def test_what_a_witness_sees_may_need_a_witness() -> None:
    """The watched thread, one at L2 with l = 2, and one at L3 with l = 3."""
    assert _first_step(2, 3).decided == "no"
    assert _first_step(2, 3, "3").decided == "no"


def test_a_step_that_leaves_the_set_by_definition_may_not_be_possible_as_all_see_it() -> None:
    """The thread at L2 does not see the one with l = 3, as there are only two."""
    found = _first_step(2, 3, "2")
    assert found.decided == "yes"
    assert found.escape is not None


def test_the_witness_of_a_witness_may_need_one_that_is_not_in_the_picture() -> None:
    """Threads with l = 1, l = 2 and so on up to l = 9, each of which sees the next."""
    assert _first_step(1, 9).decided == "no"
