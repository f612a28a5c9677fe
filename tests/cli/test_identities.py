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


FORKED = """\
decl lock := 0, count: int 0..3 := 0;
thread owner;
void worker() {
    atomic { assume(!lock); lock := 1; }
    owner := thread_self();
    count := count + 1;
    assert(owner = thread_self());
    lock := 0;
}
void main() {
    thread s, t;
    while (*) {
        s := async worker();
        t := async worker();
        assert(s != t & s != thread_self());
        join(s);
        join(t);
    }
}
"""


def test_forked_threads_know_who_owns_a_lock(tmp_path: Path) -> None:
    (tmp_path / "lock.bp").write_text(FORKED)
    (tmp_path / "open.bp").write_text(FORKED.replace("assume(!lock); ", ""))
    found = call("verify", "lock.bp", "--evidence", "proof.json", cwd=tmp_path)
    assert "SAFE  lock.bp" in found.out
    assert "3 slots are enough" in found.out
    assert "ACCEPTED" in call("check", "lock.bp", "proof.json", cwd=tmp_path).out
    assert "REJECTED" in call("check", "open.bp", "proof.json", cwd=tmp_path).out
    unsafe = call("verify", "open.bp", "--evidence", "trace.json", cwd=tmp_path)
    assert "can be violated, with 4 contexts" in unsafe.out
    assert "owner: worker#1 -> worker#2" in unsafe.out
    assert "ACCEPTED" in call("check", "open.bp", "trace.json", cwd=tmp_path).out
    assert "REJECTED" in call("check", "lock.bp", "trace.json", cwd=tmp_path).out


def test_a_race_needs_a_second_forked_thread(tmp_path: Path) -> None:
    (tmp_path / "one.bp").write_text(
        FORKED.replace("t := async worker();", "t := s;").replace("s != t & ", "")
    )
    (tmp_path / "two.bp").write_text(FORKED.replace("assume(!lock); ", ""))
    one = call("verify", "one.bp", "--property", "race", cwd=tmp_path)
    two = call("verify", "two.bp", "--property", "race", cwd=tmp_path)
    assert "SAFE  one.bp" in one.out
    assert "UNSAFE  two.bp" in two.out
    assert "worker#1" in two.out
    assert "worker#2" in two.out


def test_a_thread_that_has_ended_is_no_later_one(tmp_path: Path) -> None:
    text = """\
thread old, new;
void work() { skip; }
void main() {
    old := async work();
    join(old);
    new := async work();
    join(new);
    assert(old = new);
}
"""
    (tmp_path / "same.bp").write_text(text)
    (tmp_path / "other.bp").write_text(text.replace("old = new", "old != new"))
    assert "SAFE  other.bp" in call("verify", "other.bp", cwd=tmp_path).out
    unsafe = call("verify", "same.bp", cwd=tmp_path).out
    assert "old: nobody -> work#1" in unsafe
    assert "new: nobody -> work#2" in unsafe
