"""How many threads are enough in a picture."""

from __future__ import annotations

import pytest

from tepui.watching.predicates.pictured_states import witnesses
from tepui.watching.predicates.predicate_text import read_predicate


@pytest.mark.parametrize(
    ("text", "if_true", "if_false"),
    [
        ("x = 1", (0, 0), (0, 0)),
        ("forall o: o.l = 1", (0, 0), (0, 1)),
        ("exists o: o.l = 1", (0, 1), (0, 0)),
        ("count(l = 1) >= 2", (2, 0), (0, 0)),
        ("count(l = 1) > 2", (3, 0), (0, 0)),
        ("count(l = 1) < 2", (0, 0), (2, 0)),
        ("count(l = 1) <= 2", (0, 0), (3, 0)),
        ("count(l = 1) = 2", (2, 0), (3, 0)),
        ("count(l = 1) != 2", (3, 0), (2, 0)),
        ("count(t: t.l = l) >= 2", (0, 2), (0, 0)),
        ("!(exists o: o.l = 1)", (0, 0), (0, 1)),
        ("(exists o: o.l = 1) && count(l = 1) >= 2", (2, 1), (0, 0)),
        ("(exists o: o.l = 1) && (exists o: o.l = 2)", (0, 2), (0, 0)),
        ("(forall o: o.l = 1) && (forall o: o.l = 2)", (0, 0), (0, 1)),
        ("(exists o: o.l = 1) || (exists o: o.l = 2)", (0, 1), (0, 0)),
        ("(forall o: o.l = 1) || (forall o: o.l = 2)", (0, 0), (0, 2)),
        ("(exists o: o.l = 1) -> (exists o: o.l = 2)", (0, 1), (0, 1)),
        ("(exists o: o.l = 1) = (exists o: o.l = 2)", (0, 2), (0, 2)),
    ],
)
def test_a_truth_value_needs_witnesses(
    text: str, if_true: tuple[int, int], if_false: tuple[int, int]
) -> None:
    predicate = read_predicate(text)
    for value, expected in ((True, if_true), (False, if_false)):
        found = witnesses([predicate], [((0,), (value,))])
        assert (found.common, found.own) == expected
    anything = witnesses([predicate], None)
    assert anything.common == max(if_true[0], if_false[0])
    assert anything.own == max(if_true[1], if_false[1])


def test_predicates_without_values_need_no_witnesses() -> None:
    assert witnesses([read_predicate("exists o: o.l = 1")], [((0,), (None,))]).total == 0
