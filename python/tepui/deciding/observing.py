"""R_0, R_1, R_2, … one after the other, for those who want to watch and decide for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.convergence import finite_contexts
from tepui.deciding.options import BY_DELAYS, EngineName, check_engine
from tepui.engines.delay import DelayExploration
from tepui.engines.diagram import DiagramExploration
from tepui.engines.engine import Engine, Observation
from tepui.engines.explicit import Exploration
from tepui.engines.symbolic import SymbolicExploration
from tepui.errors import UsageError
from tepui.kernels.lowered import lower
from tepui.model import System
from tepui.program.program import Program


def observe(
    system: System | Program,
    *,
    engine: EngineName = "auto",
    symmetry: bool = True,
    height: int | None = None,
    tops: int = 1,
) -> Iterator[Observation]:
    """R_0, R_1, R_2, … without end; or, by an engine that counts delays, R(0, 0) and so on, in the
    order of Algorithm 1.

    The explicit engine explores where a context reaches finitely many stacks, or where a height
    limits them; otherwise diagrams do, unless another engine is asked for. `tops` is for those that
    count delays: how many symbols of each stack to look at.
    """
    check_engine(engine)
    if isinstance(system, Program):
        system = lower(system)
    if tops != 1 and engine not in BY_DELAYS:
        raise UsageError(f"tops is for the engines delay and abstract, not for {engine}")
    chosen = _engine(system, engine, symmetry, height, tops)
    yield chosen.observations[-1]
    while chosen.advance() == "done":
        yield chosen.observations[-1]


def _engine(
    system: System, name: EngineName, symmetry: bool, height: int | None, tops: int
) -> Engine:
    if height is not None:
        if name not in ("auto", "explicit"):
            raise UsageError(f"a height is for the explicit engine, not for {name}")
        return Exploration(system, symmetry=symmetry, height=height)
    if name == "symbolic":
        return SymbolicExploration(system, symmetry=symmetry)
    if name == "abstract":
        raise UsageError("abstract is delay with another test of what was seen: observe delay")
    if name == "delay":
        return DelayExploration(system, tops=tops)
    finite = finite_contexts(system)
    if name == "diagram" or (name == "auto" and not all(finite)):
        return DiagramExploration(system, finite, list_up_to_symmetry=symmetry)
    if not all(finite):
        infinite = system.templates[finite.index(False)].name
        raise UsageError(
            f"thread {infinite} may reach infinitely many stacks within one context: "
            "give a height, as in observe(system, height=10), or choose another engine"
        )
    return Exploration(system, symmetry=symmetry)
