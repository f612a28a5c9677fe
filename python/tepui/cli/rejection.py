"""When the checker rejects an answer: no verdict, the evidence is saved, please report it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tepui.cli.evidence_file import save_evidence
from tepui.errors import EvidenceRejected
from tepui.report.terminal.printing import echo


def report_rejected(error: EvidenceRejected) -> int:
    """Save the rejected evidence and ask for a report. Returns the exit code of an internal
    error."""
    folder = Path(tempfile.mkdtemp(prefix="tepui-rejected-"))
    path = folder / "evidence.json"
    save_evidence(path, error.result)
    echo(f"internal error: the checker rejected the evidence for this answer: {error}", err=True)
    echo(
        "So there is no answer. This is a bug in tepui; please report it with the input and "
        f"the evidence, saved as {path}",
        err=True,
    )
    return 5
