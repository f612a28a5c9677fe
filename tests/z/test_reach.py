"""Z and questions about whole stacks: it never misses a reachable state."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.generators.systems import Sizes, random_system
from support.oracles import systems as oracle
from support.samples.reach import fits, random_reach
from tepui.kernels.door import ExplicitZ, system_kernel
from tepui.languages import loads
from tepui.model import System

pytestmark = pytest.mark.fuzz

SIZES = Sizes()

CALLS = """
initial q
thread P {
    stack a
    q | a -> q | b c
    q | b -> r | -
    r | c -> q | -
}
"""


def test_a_reachable_configuration_is_never_missing_from_z(fuzz_systems: int) -> None:
    excluded = 0
    for seed in range(fuzz_systems):
        rng = Random(52_000_000 + seed)
        system = random_system(rng, SIZES)
        asked = random_reach(rng, system)
        reached, _ = oracle.rounds(system, SIZES.contexts, SIZES.depth)
        is_reached = any(fits(asked, state) for state in reached[-1])
        for has_table, depth in ((True, 1), (False, 1), (False, 2), (False, 3)):
            z = _z(system, depth, has_table=has_table, symmetry=rng.random() < 0.5)
            missing = not z.has_reaching(asked)
            assert not (missing and is_reached), (seed, has_table, depth)
            excluded += missing
    assert excluded > fuzz_systems


@pytest.mark.parametrize(
    ("text", "depth", "expected"),
    [
        ("q | b c", 1, True),
        ("q | b", 1, False),
        ("q | b b", 1, True),
        ("q | b b", 2, False),
        ("q | b c c", 2, False),
        ("q | -", 1, True),
        ("r | -", 1, False),
        ("* | c .*", 1, True),
        ("* | c .+", 1, False),
    ],
)
def test_z_knows_as_much_of_a_stack_as_it_keeps(text: str, depth: int, expected: bool) -> None:
    system = loads(CALLS, "cpds").system
    asked = tepui.reach(system, text).reaches[0]
    z = _z(system, depth, has_table=False, symmetry=True)
    assert z.has_reaching(asked) is expected


def _z(system: System, depth: int, *, has_table: bool, symmetry: bool) -> ExplicitZ:
    """A complete Z; with a table, everything may emerge."""
    anything = [
        ([range(len(template.symbols))], [0] * len(template.symbols))
        for template in system.templates
    ]
    z = ExplicitZ(
        system_kernel(system),
        symmetry=symmetry,
        depth=depth,
        table=anything if has_table else None,
    )
    assert z.advance() == "done"
    return z
