"""A step that was cut short, because others did not need it any more, is computed anew."""

from __future__ import annotations

import pickle

import pytest

import tepui
from tepui.engines.explicit import ExplicitEngine
from tepui.errors import AT_LIMIT
from tepui.kernels.door import KernelLimits
from tepui.kernels.lowered_system import LoweredSystem, lower

SECTION = """
decl n: int 0..100 := 0;
decl done := 0;

void main() {
    atomic {
        while (n < 100) n := n + 1;
        done := 1;
    }
    assert(done);
}
"""

NO_TIME: KernelLimits = {
    "states": None,
    "bytes": None,
    "seconds": None,
    "pause": None,
    "run": (0.0, None),
}


def cut_short() -> tuple[LoweredSystem, ExplicitEngine]:
    """A system whose first step was cut short, and the engine that has asked for it."""
    system = lower(tepui.loads(SECTION, "bp", threads={"main": 1}))
    engine = ExplicitEngine(system)
    with pytest.raises(AT_LIMIT):
        engine.advance(NO_TIME)
    return system, engine


def test_what_is_passed_is_not_told_while_a_step_is_cut_short() -> None:
    _, engine = cut_short()
    with pytest.raises(AT_LIMIT):
        engine.points()


def test_what_was_met_meanwhile_is_forgotten() -> None:
    system, _ = cut_short()
    assert system.kernel.forget_limit()
    assert not system.kernel.forget_limit()
    fresh = ExplicitEngine(lower(system.program))
    again = ExplicitEngine(system)
    for engine in (fresh, again):
        while not engine.has_collapsed:
            engine.advance(None)
    assert again.points() == fresh.points() != [[]]
    assert again.observations[-1].visible == fresh.observations[-1].visible > 2


def test_a_result_whose_run_was_ended_inside_of_a_step_can_be_told_and_pickled() -> None:
    program = tepui.loads(SECTION.replace("100", "99999999"), "bp", threads={"main": 1})
    for jobs in (1, 3):
        limits = tepui.Limits(timeout=0.3)
        result = tepui.verify(program, options=tepui.Options(limits=limits, jobs=jobs))
        assert (result.verdict, result.coverage) == ("unknown", None)
        again = pickle.loads(pickle.dumps(result))
        assert (again.verdict, again.coverage, again.rounds) == ("unknown", None, result.rounds)
