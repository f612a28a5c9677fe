"""Threads that know themselves, in braces."""

from __future__ import annotations

import pytest

from support.boolean_flows import load
from tepui.deciding import verify
from tepui.program.expressions import Read, Self, Variable
from tepui.program.program import Step
from tepui.program.types import THREAD

LOCK = """
thread owner, nobody;
decl inside: int 0..3 := 0;
void work() {
    atomic { wait(owner = nobody); owner := thread_self(); }
    inside++;
    assert(inside = 1);
    inside--;
    assert(owner = thread_self());
    owner := nobody;
}
void main() { thread_create(work, 3); }
"""


def test_a_thread_stores_who_it_is() -> None:
    program = load("thread t; void main() { t := thread_self(); wait(t != thread_self()); }")
    first, second = program.procedures[0].edges
    assert isinstance(first, Step)
    assert isinstance(second, Step)
    variable = Variable("t", THREAD)
    assert first.assignments[0].value == Self()
    assert (second.guard.left, second.guard.right) == (Read(variable), Self())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("", "", "safe"),
        ("wait(owner = nobody);", "skip;", "unsafe"),
        ("owner := thread_self();", "owner := owner;", "unsafe"),
    ],
)
def test_a_lock_with_an_owner(old: str, new: str, verdict: str) -> None:
    assert verify(load(LOCK.replace(old, new) if old else LOCK)).verdict == verdict
