"""`tepui inspect --bits`: how the engine `bdd` would write the states of a program in bits."""

from __future__ import annotations

from typing import Any

from tepui.deciding.bits_driver import refusal
from tepui.errors import UsageError
from tepui.kernels.door import BitsSearch, system_kernel
from tepui.kernels.lowered_system import lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.model import Property
from tepui.program.program import Program, thread_names

TOGETHER = "digit by digit, the lowest first"


def describe_bits(program: Program) -> dict[str, Any]:
    """The scalars of a program from the top of a diagram on, each with the number of its digits.
    Those whose digits lie beside those of others are one entry."""
    why = refusal(program)
    if why is not None:
        raise UsageError(f"{program.name}: {why}")
    parts = _parts(program)
    places: dict[tuple[str | int, ...], list[int]] = {}
    for place, (kind, numbers) in enumerate(parts):
        of: tuple[str | int, ...] = (kind, *numbers[:-1])
        places.setdefault(of, []).append(place)
    rows: list[dict[str, Any]] = []
    together: list[dict[str, Any]] = []
    for of, some in places.items():
        row = {"name": _name(program, of), "digits": len(some)}
        if some[-1] - some[0] + 1 == len(some):
            rows.append(row)
        elif not together:
            rows.append({"name": TOGETHER, "scalars": together})
            together.append(row)
        else:
            together.append(row)
    return {"program": program.name, "bits": len(parts), "order": rows}


def bits_lines(found: dict[str, Any]) -> list[str]:
    """The same for people."""
    lines = [f"{found['program']}: {found['bits']} bits, from the top of a diagram on"]
    for row in found["order"]:
        if "scalars" in row:
            lines.append(f"  {row['name']}:")
            lines += [f"    {each['digits']:>4}  {each['name']}" for each in row["scalars"]]
        else:
            lines.append(f"  {row['digits']:>4}  {row['name']}")
    return lines


def _parts(program: Program) -> list[tuple[str, list[int]]]:
    try:
        search = BitsSearch(system_kernel(lower(program, LoweringOptions(), Property())), [])
    except ValueError as error:
        raise UsageError(f"{program.name}: {error}") from error
    return search.parts


def _name(program: Program, of: tuple[str | int, ...]) -> str:
    layout, threads = program.layout, thread_names(program)
    match of:
        case ("shared", int(cell)):
            return layout.shared_cells[cell].name
        case ("shape", int(thread)):
            return f"where {threads[thread]} is"
        case ("frame", int(thread), int(depth), int(procedure), int(cell)):
            name = layout.frame_cells[procedure][cell].name
            owner = program.procedures[procedure].name
            return f"{owner}.{name} of {threads[thread]}, frame {depth}"
        case _:
            return "what a step chooses"
