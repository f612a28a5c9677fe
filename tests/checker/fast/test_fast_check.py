"""Who decides: the fast checker, and its reference where it cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

import tepui
from support.samples.evidence import cut_states, whole_states
from tepui.checker import check
from tepui.checker.certificates.states import Certificate
from tepui.checker.fast import crate_door, fast_check
from tepui.checker.fast.fast_check import CheckersDisagreeError
from tepui.deciding import verify
from tepui.errors import CheckStopped, EvidenceError
from tepui.model import Property
from tepui.result import Result

FIGURE_4 = tepui.load_system("examples/figure4.cpds")
CUT = cut_states(FIGURE_4, FIGURE_4.groups, 1)
ANY = Property()


class NotAskedError(Exception):
    """The reference was asked."""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is not asked."""

    def asked(*_: object) -> None:
        raise NotAskedError

    monkeypatch.setattr(Certificate, "check", asked)


@pytest.mark.usefixtures("alone")
def test_the_fast_checker_accepts_without_its_reference() -> None:
    check(FIGURE_4, ANY, CUT)
    with pytest.raises(NotAskedError):
        check(FIGURE_4, ANY, CUT, reference=True)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["bst-insert", "quicksort", "peterson", "work-queue", "flip"])
def test_the_fast_checker_accepts_programs_without_its_reference(name: str) -> None:
    """Also one with slots, whose rules come from the reference semantics."""
    result = verified(f"examples/{name}.bp")
    assert result.checked


def test_the_reference_says_why() -> None:
    less = replace(CUT, states=tuple(CUT.states)[1:])
    with pytest.raises(EvidenceError, match=r"thread P2 can go from «q0 \| 1, 4» to «q0 \| 1, -»"):
        check(FIGURE_4, ANY, less)


@pytest.mark.usefixtures("alone")
def test_what_is_too_large_to_be_explained_is_rejected_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fast_check, "MOST_EXPLAINED", 1)
    less = replace(CUT, states=tuple(CUT.states)[:-1])
    with pytest.raises(EvidenceError, match=r"not closed: a step leads to \[3, 1, 2\]"):
        check(FIGURE_4, ANY, less)


def test_nothing_is_believed_if_the_two_disagree() -> None:
    def wrong(*_: object, **__: object) -> tuple[str, str]:
        return "rejected", "no reason"

    with patch.object(crate_door, "check_system", wrong), pytest.raises(CheckersDisagreeError):
        check(FIGURE_4, ANY, CUT)


@pytest.mark.parametrize("number", [-1, 2**32, 2**70])
def test_the_reference_decides_about_numbers_that_do_not_fit(number: int) -> None:
    states = [*CUT.states]
    states[1] = (*states[1][:-1], number)
    with pytest.raises(EvidenceError, match="points outside its tables"):
        check(FIGURE_4, ANY, replace(CUT, states=states))


def test_the_reference_decides_what_the_fast_checker_cannot_tell() -> None:
    def unsure(*_: object, **__: object) -> tuple[str, str]:
        return "undecided", "a number has more than 127 bits"

    with patch.object(crate_door, "check_program", unsure):
        assert verified("examples/peterson.bp").checked
        asked = patch.object(Certificate, "check", side_effect=NotAskedError)
        with asked, pytest.raises(NotAskedError):
            verified("examples/peterson.bp")


@pytest.mark.parametrize("go_on", [lambda: False, lambda: 0])
def test_the_check_stops_when_it_is_told_to(go_on: Callable[[], bool]) -> None:
    with pytest.raises(CheckStopped):
        check(FIGURE_4, ANY, CUT, go_on)


def test_what_go_on_raises_is_raised() -> None:
    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(FIGURE_4, ANY, CUT, interrupted)


def test_whole_states_of_a_finite_system_are_accepted() -> None:
    system = tepui.load_system("examples/peterson.cpds")
    certificate = whole_states(system, system.groups)
    check(system, system.property, certificate)
    check(system, system.property, certificate, reference=True)


def verified(path: str) -> Result:
    return verify(tepui.load(path))
