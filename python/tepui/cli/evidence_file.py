"""Writing the evidence of a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tepui.result import Result


def save_evidence(path: Path, result: Result) -> bool:
    """Write the trace or the certificate of a result. Returns whether there is one."""
    evidence = result.evidence
    if evidence is None:
        return False
    result.subject.write(path, result.asked, evidence)
    return True


def numbered(path: Path, number: int) -> Path:
    """The path with a number before its suffix."""
    return path.with_name(f"{path.stem}-{number}{path.suffix}")
