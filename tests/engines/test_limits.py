"""Limits hold inside of a round, however large it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from support.cli import LONG
from support.generators.automata import given_limits
from tepui.engines.diagram import DiagramExploration
from tepui.engines.explicit import Exploration
from tepui.languages import read_cpds_text
from tepui.model import System


@pytest.mark.parametrize("engine", [Exploration, partial(DiagramExploration, finite=[True] * 12)])
def test_a_round_ends_unfinished_when_its_time_is_over(
    engine: Callable[[System], Exploration | DiagramExploration],
) -> None:
    exploration = engine(read_cpds_text(LONG).system)
    while exploration.advance(given_limits(seconds=0.0)) == "done":
        pass
    unfinished = exploration.last.k
    assert exploration.advance(given_limits(seconds=0.0)) == "time"
    assert exploration.last.k == unfinished
