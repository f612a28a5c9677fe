"""A lock with an owner on the command line: its proof is up to exchanging threads."""

from __future__ import annotations

import json
from pathlib import Path

from support.cli import call

LOCK = """\
thread owner, nobody;
void work() {
    atomic { wait(owner = nobody); owner := thread_self(); }
    assert(owner = thread_self());
    owner := nobody;
}
void main() { thread_create(work, 12); }
"""


def test_a_lock_with_an_owner_is_proved_and_checked(tmp_path: Path) -> None:
    (tmp_path / "lock.bp").write_text(LOCK)
    (tmp_path / "open.bp").write_text(LOCK.replace("wait(owner = nobody);", "skip;"))
    found = call(
        *("verify", "lock.bp", "--engine", "explicit", "--z", "off"),
        *("--evidence", "proof.json"),
        cwd=tmp_path,
    )
    assert "SAFE  lock.bp" in found.out
    assert "up to symmetry" in found.out
    assert json.loads((tmp_path / "proof.json").read_text())["kind"] == "orbits"
    assert "ACCEPTED" in call("check", "lock.bp", "proof.json", cwd=tmp_path).out
    assert "REJECTED" in call("check", "open.bp", "proof.json", cwd=tmp_path).out
    unsafe = call("verify", "open.bp", cwd=tmp_path).out
    assert "owner: work.1 -> work.2" in unsafe
