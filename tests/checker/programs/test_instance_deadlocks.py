"""Evidence about instances, where it proves less than it says: a thread of an instance may be stuck
because a number does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from tepui.deciding import open_driver
from tepui.errors import EvidenceRejected

COUNTING = """\
decl n: int := 0;
void worker() { while (1) { n := n + 1; } }
void main() { thread_create(worker, 2); }
"""

STUCK = """\
decl come: int 0..7 saturate := 0;
void worker() { come := come + 1; wait(come >= 2); }
void main() { thread_create(worker, *); }
"""


def test_a_deadlock_among_integers_within_bounds_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_driver._Case, "_posed", open_driver._Case._asked)
    program = tepui.loads(COUNTING, "bp")
    with pytest.raises(EvidenceRejected, match="no deadlock is known to be one"):
        tepui.verify(program, tepui.deadlock())


def test_a_file_about_a_deadlock_of_some_threads_is_accepted(tmp_path: Path) -> None:
    program = tepui.loads(STUCK, "bp")
    result = tepui.verify(program, tepui.deadlock())
    path = tmp_path / "proof.json"
    assert result.evidence is not None
    result.subject.write(path, result.asked, result.evidence)
    proved = tepui.check(program, path, tepui.deadlock())
    assert proved.text == "violated within 1 context: no deadlock"
