"""Evidence for verdicts: traces, certificates, their files, and the checker that believes neither.

This package holds all that is trusted, besides the model and the meaning of programs, and nothing
else. Nothing here knows an engine or calls a pass. An answer of tepui is only as good as what
`check` accepts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tepui.checker.checker import check
from tepui.checker.evidence import AnyCertificate, Evidence
from tepui.checker.trace import Schedule, Trace, TraceStep

if TYPE_CHECKING:
    from tepui.checker.certificates.diagram import DiagramCertificate as DiagramCertificate
    from tepui.checker.certificates.products import SymbolicCertificate as SymbolicCertificate
    from tepui.checker.certificates.states import Certificate as Certificate
    from tepui.checker.files import ProgramEvidence as ProgramEvidence
    from tepui.checker.files import read_evidence as read_evidence
    from tepui.checker.files import read_program_evidence as read_program_evidence
    from tepui.checker.files import write_evidence as write_evidence
    from tepui.checker.files import write_program_evidence as write_program_evidence
    from tepui.checker.programs.program_check import StateOptions as StateOptions
    from tepui.checker.programs.rules import check_program as check_program
    from tepui.checker.programs.state_tables import ProgramTables as ProgramTables

_HOMES = {
    "Certificate": "certificates.states",
    "DiagramCertificate": "certificates.diagram",
    "SymbolicCertificate": "certificates.products",
    "ProgramEvidence": "files",
    "read_evidence": "files",
    "read_program_evidence": "files",
    "write_evidence": "files",
    "write_program_evidence": "files",
    "ProgramTables": "programs.state_tables",
    "StateOptions": "programs.program_check",
    "check_program": "programs.rules",
}

__all__ = [
    "AnyCertificate",
    "Evidence",
    "Schedule",
    "TraceStep",
    "Trace",
    "check",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    """Fetch what not every run needs when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tepui.checker' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"tepui.checker.{_HOMES[name]}"), name)
