"""Writing the evidence of a result: about a system, or about a program."""

from __future__ import annotations

from pathlib import Path

from tepui.kernels.lowered import LoweredSystem
from tepui.result import Result


def save_evidence(path: Path, result: Result) -> bool:
    """Write the trace or the certificate of a result; whether there is one."""
    evidence, system = result.evidence, result.system
    if evidence is None:
        return False
    if not isinstance(system, LoweredSystem):
        from tepui.checker.files import write_evidence

        write_evidence(path, system, result.asked, evidence)
        return True
    from tepui.checker.files import write_program_evidence
    from tepui.deciding.checking import tables_of

    tables, options = tables_of(system), system.options
    write_program_evidence(path, system.program, result.asked, options, tables, evidence)
    return True


def numbered(path: Path, number: int) -> Path:
    """The path with a number before its suffix."""
    return path.with_name(f"{path.stem}-{number}{path.suffix}")
