"""Call-return relations on random programs: each strength of Z contains the sharper ones."""

from __future__ import annotations

from random import Random

import pytest

from support.generators.programs import random_program, with_bare_ends
from support.places import EXAMPLES
from tepui import System, load
from tepui.errors import UsageError
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.z import Strength, Z, parse_strength
from tepui.z.strength import Kind

MOST_STATES = 20_000


@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("kinds", "liveness"),
    [(("matched", "omega-ll"), True), (("matched", "omega-l", "omega"), False)],
)
def test_a_coarser_relation_gives_a_larger_z(
    kinds: tuple[Kind, ...], liveness: bool, fuzz_systems: int
) -> None:
    compared = 0
    for seed in range(fuzz_systems // 2):
        program = random_program(Random(seed))
        program = with_bare_ends(program) if seed % 2 else program
        system = lower(program, LoweringOptions(liveness=liveness))
        sharper: set[tuple[int, ...]] = set()
        for kind in kinds:
            z = Z(system, Strength(kind))
            outcome = z.advance(
                {"states": MOST_STATES, "bytes": None, "seconds": None, "pause": None}
            )
            if outcome != "done":
                break
            visible = set(z.list_visible())
            assert sharper <= visible, (seed, kind)
            sharper = visible
            compared += 1
    assert compared > fuzz_systems // 2


def test_omega_refuses_to_list_too_many_frames() -> None:
    names = ", ".join(f"v{number}" for number in range(40))
    program = _program(
        f"void f() {{ skip; }} void main() {{ decl {names}; f(); assert(v0 = v0); }}"
    )
    with pytest.raises(UsageError, match=r"--z omega: the call-return relation lists"):
        Z(lower(program, LoweringOptions(liveness=False)), Strength("omega"))


def test_a_call_return_relation_needs_a_program() -> None:
    system = load(EXAMPLES / "figure6.cpds")
    assert isinstance(system, System)
    with pytest.raises(UsageError, match="needs a program"):
        Z(system, Strength("omega"))


def test_strengths_of_a_file_without_a_program_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="--z sharp: expected auto, off, cut, omega"):
        parse_strength("sharp")


def _program(text: str) -> Program:
    return load_program(Source.of_text(text, "program.bp"))
