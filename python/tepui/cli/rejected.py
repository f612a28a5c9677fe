"""What happens if the checker rejects an answer: no verdict, the evidence saved, a plea."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tepui.errors import EvidenceRejected
from tepui.evidence import write_evidence


def report_rejected(error: EvidenceRejected) -> int:
    """Save the rejected evidence and ask for a report; the exit code of an internal error."""
    result = error.result
    folder = Path(tempfile.mkdtemp(prefix="tepui-rejected-"))
    path = folder / "evidence.json"
    if result.evidence is not None:
        write_evidence(path, result.system, result.asked, result.evidence)
    print(
        f"internal error: the checker rejected the evidence for this answer: {error}\n"
        "So there is no answer. This is a bug in tepui; please report it with the input and "
        f"the evidence, saved as {path}",
        file=sys.stderr,
    )
    return 5
