"""A program in the numbers that the kernels take: every construct a kind, every list its length.

`crates/tepui-core/src/program/decode.rs` reads this code in the same order. Nothing is computed
here but which slot a variable has, what is live where, and which assigned choices can wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, get_args

from tepui.program.expressions import (
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.layout import Layout, Slot
from tepui.program.liveness import live_variables
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    Element,
    End,
    Fork,
    Join,
    Procedure,
    Receive,
    Return,
    Step,
    Target,
    Thread,
    scalar_of,
    target_of,
)
from tepui.program.types import Bounded, Scalar

_Item = TypeVar("_Item")

_OPERATORS = {operator: 8 + index for index, operator in enumerate(get_args(BinaryOperator))}
_OVERFLOWS = {"block": 0, "wrap": 1, "saturate": 2}


@dataclass(frozen=True, slots=True)
class LoweringOptions:
    """How a program becomes a system.

    `liveness` takes values out of frames that no one will read. `decide_first` gives variables
    their values by steps of their own, not when they are read. `watched` are points inside atomic
    sections that a property names.
    """

    liveness: bool = True
    decide_first: bool = False
    watched: frozenset[int] = field(default_factory=frozenset)


def code(layout: Layout, options: LoweringOptions) -> list[int]:
    """The whole program."""
    return _Encoder(layout, options).program()


class _Encoder:
    def __init__(self, layout: Layout, options: LoweringOptions) -> None:
        self._layout = layout
        self._program = layout.program
        self._options = options
        self._violations = {
            (assertion.procedure, id(assertion.edge)): layout.violation(index)
            for index, assertion in enumerate(layout.assertions)
        }
        self._globals = _slots_of(self._program.globals)
        self._locals: dict[Variable, int] = {}
        self._procedure = 0

    def program(self) -> list[int]:
        program, layout = self._program, self._layout
        hidden = layout.hidden
        lock = -1 if program.lock is None else self._globals[program.lock]
        return [
            *_list(layout.shared_slots, _slot),
            layout.own_slots,
            hidden.get("halted", -1),
            hidden.get("full", -1),
            len(layout.results),
            hidden.get("holder", -1),
            lock,
            *_list(range(len(program.procedures)), self._encode_procedure),
            *_list(program.threads, self._thread),
            int(self._options.decide_first),
            *_list(sorted(self._options.watched), lambda point: [point]),
            len(layout.assertions),
            *self._idle(),
        ]

    def _idle(self) -> list[int]:
        """Where threads in slots have nothing to do."""
        return [
            number
            for kind, thread in enumerate(self._program.threads)
            if not thread.created and (idle := self._layout.idle(thread)) is not None
            for number in (kind, *idle)
        ]

    def _encode_procedure(self, index: int) -> list[int]:
        procedure = self._program.procedures[index]
        self._procedure = index
        self._locals = _slots_of(procedure.variables)
        return [
            *_list(self._layout.frame_slots[index], _slot),
            *_list(procedure.results, _range),
            procedure.entry,
            *self._locations(procedure),
        ]

    def _locations(self, procedure: Procedure) -> list[int]:
        live: Sequence[Iterable[Variable]] = [procedure.variables] * len(procedure.locations)
        if self._options.liveness:
            live = live_variables(procedure)
        encoded = [len(procedure.locations)]
        for number, location in enumerate(procedure.locations):
            slots = sorted(
                self._locals[variable] + element
                for variable in live[number]
                for element in range(variable.length)
            )
            encoded += [
                int(location.atomic),
                *_list(slots, lambda slot: [slot]),
                *_list(procedure.leaving[number], self._edge),
            ]
        return encoded

    def _thread(self, thread: Thread) -> list[int]:
        procedure = self._program.procedure_of(thread)
        layout = self._layout
        slots = _slots_of(procedure.variables)
        return [
            self._program.numbers[thread.procedure],
            procedure.entry if thread.start is None else thread.start,
            layout.created(thread) if thread.created else -1,
            *_list(
                thread.inherited,
                lambda variable: [slots[variable], layout.inherited(thread, variable)],
            ),
        ]

    def _edge(self, edge: Edge) -> list[int]:
        target = target_of(edge)
        return [
            -1 if target is None else target,
            *self._expression(edge.guard),
            *self._action(edge),
        ]

    def _action(self, edge: Edge) -> list[int]:
        match edge:
            case Step():
                return [
                    0,
                    *_list(
                        edge.assignments,
                        lambda one: [
                            *self._target(one.target),
                            *self._source(one.value, scalar_of(one.target)),
                        ],
                    ),
                    *self._expression(edge.constraint),
                ]
            case Call():
                callee = self._program.by_name[edge.procedure]
                parameters = callee.variables[: callee.parameters]
                pairs = list(zip(edge.arguments, parameters, strict=True))
                return [
                    1,
                    self._program.numbers[edge.procedure],
                    int(self._layout.is_tail_call(self._procedure, edge)),
                    *_list(pairs, lambda pair: self._source(pair[0], pair[1].scalar)),
                ]
            case Receive():
                return [2, *_list(edge.targets, self._receiver)]
            case Return():
                return [3, *_list(edge.values, self._expression)]
            case Assert():
                point = self._violations[self._procedure, id(edge)]
                return [4, point, *self._expression(edge.condition)]
            case Create():
                return [5, *_list(self._creations(edge), lambda pair: pair)]
            case End():
                return [6]
            case Fork() | Join():
                raise AssertionError("a program with forks is not lowered")

    def _creations(self, edge: Create) -> list[list[int]]:
        set_slots = []
        for index, number in enumerate(edge.threads):
            thread = self._program.threads[number]
            values = edge.values[index] if edge.values else ()
            for variable, value in zip(thread.inherited, values, strict=True):
                slot = self._layout.inherited(thread, variable)
                set_slots.append([slot, *self._expression(value)])
            set_slots.append([self._layout.created(thread), 0, 1])
        return set_slots

    def _receiver(self, target: Target | None) -> list[int]:
        return [0] if target is None else [1, *self._target(target)]

    def _target(self, target: Target) -> list[int]:
        if isinstance(target, Element):
            return [1, *self._array(target.variable), *self._expression(target.index)]
        return [0, *self._place(target)]

    def _source(self, value: Expression, scalar: Scalar) -> list[int]:
        can_wait = isinstance(value, Choice) and _values(value.type) == _values(scalar)
        if can_wait and not self._options.decide_first:
            return [1]
        return [0, *self._expression(value)]

    def _place(self, variable: Variable) -> list[int]:
        if variable.procedure is None:
            return [1, self._globals[variable]]
        return [0, self._locals[variable]]

    def _array(self, variable: Variable) -> list[int]:
        return [*self._place(variable), variable.length]

    def _expression(self, expression: Expression) -> list[int]:
        match expression:
            case Constant():
                return [0, expression.value]
            case Read():
                return [2 if expression.after else 1, *self._place(expression.variable)]
            case ReadElement():
                array = self._array(expression.variable)
                return [3, *array, *self._expression(expression.index)]
            case Choice():
                return [4, *_range(expression.type)]
            case Unary():
                kind = 5 if expression.operator == "not" else 6
                return [kind, *self._expression(expression.operand)]
            case Conditional():
                parts = (expression.condition, expression.then, expression.otherwise)
                return [7, *(number for part in parts for number in self._expression(part))]
            case Binary():
                return [
                    _OPERATORS[expression.operator],
                    *self._expression(expression.left),
                    *self._expression(expression.right),
                ]


def _list(items: Iterable[_Item], encode: Callable[[_Item], Iterable[int]]) -> list[int]:
    encoded = [list(encode(item)) for item in items]
    return [len(encoded), *(number for item in encoded for number in item)]


def _slot(slot: Slot) -> list[int]:
    initial = [0] if slot.initial is None else [1, slot.initial]
    return [*_range(slot.type), *initial]


def _range(scalar: Scalar) -> list[int]:
    overflow = scalar.overflow if isinstance(scalar, Bounded) else "block"
    return [scalar.low, scalar.size, _OVERFLOWS[overflow]]


def _values(scalar: Scalar) -> tuple[int, int]:
    return scalar.low, scalar.size


def _slots_of(variables: Iterable[Variable]) -> dict[Variable, int]:
    """Where each variable's scalars begin."""
    slots, count = {}, 0
    for variable in variables:
        slots[variable] = count
        count += variable.length
    return slots
