"""Invariants in source names, as text and on a page."""

from __future__ import annotations

import pytest

import tepui
from support.places import EXAMPLES
from tepui.report.invariant_text import InvariantText
from tepui.report.proof_text import explained, invariant_of
from tepui.result import Result

pytest.importorskip("z3")
pytest.importorskip("cvc5")


def result_of(name: str, **threads: int) -> Result:
    return tepui.verify(tepui.load(EXAMPLES / "any-number" / name, threads=threads or None))


def invariant(result: Result) -> InvariantText:
    found = invariant_of(result)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def ticket_lock() -> Result:
    return result_of("ticket-lock.bp")


def test_tickets_of_two_customers_differ(ticket_lock: Result) -> None:
    said = invariant(ticket_lock)
    assert said.about == "holds for any 2 different threads customer (#1, #2)"
    waiting = [
        clause for clause in said.clauses if "#1 at customer:26, #2 at customer:26" in clause.places
    ]
    assert len(waiting) == 1
    assert "mine#1 != mine#2" in waiting[0].lines[0]


def test_of_two_vectors_that_differ_in_their_order_one_is_shown(ticket_lock: Result) -> None:
    places = [place for clause in invariant(ticket_lock).clauses for place in clause.places]
    assert "#1 at customer:24, #2 at customer:26" in places
    assert "#1 at customer:26, #2 at customer:24" not in places
    assert len(places) == len(set(places))


def test_what_cannot_be_is_left_out(ticket_lock: Result) -> None:
    places = [place for clause in invariant(ticket_lock).clauses for place in clause.places]
    assert not any(place.count("customer:27") == 2 for place in places)


def test_counters_say_where_threads_are() -> None:
    said = invariant(result_of("bluetooth3.bp"))
    assert said.about.endswith("threads(PLACE) is how many threads are there")
    lines = [line for clause in said.clauses for line in clause.lines]
    assert any("pendingIo = threads(" in line for line in lines)


def test_every_kind_of_proof_is_explained(ticket_lock: Result) -> None:
    spin = result_of("spin-lock.bp")
    for result, word in ((ticket_lock, "cvc5"), (spin, "sums of threads")):
        paragraphs = {one.title: one.text for one in explained(result)}
        assert list(paragraphs) == [
            "What was tried",
            "What follows",
            "The certificate",
            "The check",
        ]
        assert word in paragraphs["The certificate"]
    assert invariant_of(spin) is None
