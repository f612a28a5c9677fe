"""Limits hold inside a round, however large it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from support.cli import LONG
from support.generators.automata import given_limits
from tepui.engines.diagram import DiagramEngine
from tepui.engines.explicit import ExplicitEngine
from tepui.languages import loads
from tepui.model import System


@pytest.mark.parametrize("engine", [ExplicitEngine, partial(DiagramEngine, finite=[True] * 12)])
def test_a_round_ends_unfinished_when_its_time_is_over(
    engine: Callable[[System], ExplicitEngine | DiagramEngine],
) -> None:
    exploration = engine(loads(LONG, "cpds").system)
    while exploration.advance(given_limits(seconds=0.0)) == "done":
        pass
    unfinished = exploration.last.k
    assert exploration.advance(given_limits(seconds=0.0)) == "time"
    assert exploration.last.k == unfinished
