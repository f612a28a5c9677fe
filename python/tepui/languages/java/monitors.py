"""Monitors: who is in the monitor of an object, and how often (JLS 17.1)."""

from __future__ import annotations

from tepui.languages.java.heap import read
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.intrinsics import MONITOR_STATE
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.shared_numbers import check_monitor
from tepui.languages.java.stack_values import computed, integer
from tepui.program.expressions import Binary, Conditional, Expression, Read


def enter_instruction(method: MethodTranslator, instruction: Instruction) -> None:
    of = method.pop()
    method.check_not_null(of)
    check_monitor(method, of)
    if method.at is not None:
        enter(method, of.expression)


def leave_instruction(method: MethodTranslator, instruction: Instruction) -> None:
    of = method.pop()
    method.check_not_null(of)
    if method.at is not None:
        check_owner(method, of.expression)
        leave(method, of.expression)


def enter(method: MethodTranslator, of: Expression) -> None:
    """Wait until nobody else is in the monitor, and enter it."""
    heap, me = method.heap, Read(method.me)
    owner, entries = heap.owner(of), heap.entries(of)
    room = Binary("<", read(entries), integer(heap.bounds.entries))
    method.limit(Binary("or", Binary("!=", read(owner), me), room), method.translation.too_deep())
    free = Binary("or", Binary("=", read(owner), integer(0)), Binary("=", read(owner), me))
    more = computed("+", read(entries), integer(1))
    method.effect([(owner, me), (entries, more)], free, "lock")


def leave(method: MethodTranslator, of: Expression) -> None:
    """Leave the monitor once."""
    if method.at is None:
        return
    heap = method.heap
    owner, entries = heap.owner(of), heap.entries(of)
    last = Binary("=", read(entries), integer(1))
    rest = Conditional(last, integer(0), read(owner))
    less = computed("-", read(entries), integer(1))
    method.effect([(owner, rest), (entries, less)], action="unlock")


def check_owner(method: MethodTranslator, of: Expression) -> None:
    """Only who is in a monitor can leave it, wait, or wake others."""
    mine = Binary("=", read(method.heap.owner(of)), Read(method.me))
    method.check(mine, MONITOR_STATE, "exception")
