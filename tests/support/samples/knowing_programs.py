"""Programs whose threads know themselves."""

from __future__ import annotations

from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from tepui.program.expressions import (
    FALSE,
    NOBODY,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Self,
    Variable,
)
from tepui.program.program import Assert, Call, Program, Thread
from tepui.program.types import THREAD, Bounded

OWNER = variable("owner", THREAD, None)
TAKEN = variable("taken")


def owns(who: Expression) -> Binary:
    return Binary("=", Read(OWNER), who)


def owner_lock(threads: int, checked: Expression | None = None) -> Program:
    """Threads work, take a lock by writing their identity into it, and give it back."""
    worker = procedure(
        "worker",
        step(0, 1),
        step(1, 2, assign(OWNER, Self()), guard=owns(NOBODY)),
        Assert(2, 3, owns(Self()) if checked is None else checked),
        step(3, 0, assign(OWNER, NOBODY)),
        labels={3: "L"},
    )
    return program(worker, shared=(OWNER,), threads=(Thread("worker", "worker", threads),))


def plain_lock(threads: int) -> Program:
    """The same with a Boolean."""
    free = Binary("=", Read(TAKEN), FALSE)
    worker = procedure(
        "worker",
        step(0, 1),
        step(1, 2, assign(TAKEN, TRUE), guard=free),
        Assert(2, 3, Read(TAKEN)),
        step(3, 0, assign(TAKEN, FALSE)),
        labels={3: "L"},
    )
    return program(worker, shared=(TAKEN,), threads=(Thread("worker", "worker", threads),))


def stolen_lock(threads: int) -> Program:
    """A lock that anybody takes from its owner, who then finds that it is not his."""
    worker = procedure(
        "worker",
        step(0, 1, assign(OWNER, Self())),
        Assert(1, 0, owns(Self())),
    )
    return program(worker, shared=(OWNER,), threads=(Thread("worker", "worker", threads),))


def owned_counter(threads: int, *, locked: bool) -> Program:
    """A counter that only the owner of a lock increments, if the lock is looked at."""
    owner = Variable("owner", THREAD, volatile=True)
    count = variable("count", Bounded(0, 3))
    free = Binary("=", Read(owner), NOBODY)
    more = Binary("+", Read(count), Constant(1, Bounded(0, 1)))
    worker = procedure(
        "worker",
        step(0, 1, assign(owner, Self()), guard=free if locked else TRUE),
        step(1, 2, assign(count, more)),
        step(2, 0, assign(owner, NOBODY)),
    )
    return program(worker, shared=(owner, count), threads=(Thread("worker", "worker", threads),))


def certain_lock(threads: int) -> Program:
    """A lock with an assertion that only one certain thread can violate."""
    second = Constant(2, THREAD)
    return owner_lock(threads, Binary("!=", Read(OWNER), second))


def remembering_lock(threads: int) -> Program:
    """A lock whose users keep their identities in a local variable, and pass it on."""
    mine, given = local("mine", THREAD, None, "worker"), local("given", THREAD, None, "leave")
    worker = procedure(
        "worker",
        step(0, 1, assign(mine, Self())),
        step(1, 2, assign(OWNER, Read(mine)), guard=owns(NOBODY)),
        Call(2, 0, "leave", (Read(mine),)),
        variables=(mine,),
    )
    leave = procedure(
        "leave",
        Assert(0, 1, owns(Read(given))),
        step(1, None, assign(OWNER, NOBODY)),
        variables=(given,),
        parameters=1,
    )
    return program(worker, leave, shared=(OWNER,), threads=(Thread("worker", "worker", threads),))
