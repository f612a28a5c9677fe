"""Evidence for verdicts: traces, certificates, their files, and the checker that believes neither.

Nothing here knows an engine. An answer of tepui is only as good as what `check` accepts.
"""

from tepui.evidence.certificate import (
    AnyCertificate,
    Certificate,
    DiagramCertificate,
    Evidence,
    SymbolicCertificate,
)
from tepui.evidence.checker import check
from tepui.evidence.files import (
    ProgramEvidence,
    read_evidence,
    read_program_evidence,
    write_evidence,
    write_program_evidence,
)
from tepui.evidence.programs import (
    ProgramTables,
    StateOptions,
    check_program,
    meaning_for,
    options_for,
)
from tepui.evidence.trace import Step, Trace

__all__ = [
    "AnyCertificate",
    "Certificate",
    "DiagramCertificate",
    "Evidence",
    "ProgramEvidence",
    "ProgramTables",
    "StateOptions",
    "Step",
    "SymbolicCertificate",
    "Trace",
    "check",
    "check_program",
    "meaning_for",
    "options_for",
    "read_evidence",
    "read_program_evidence",
    "write_evidence",
    "write_program_evidence",
]
