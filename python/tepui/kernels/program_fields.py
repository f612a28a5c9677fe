"""A program in the form that the kernels take: every construct is a dictionary of its fields, with
its kind where there are several.

`crates/tepui-python/src/program.rs` reads the fields by the same names. Only four things are
computed: which cell a variable has, what is live where, where fused steps go on, and which assigned
choices can wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.kernels.fusion import fused_points
from tepui.program.expressions import (
    Binary,
    Choice,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
)
from tepui.program.identities import families
from tepui.program.layout import Cell, Fused, Layout
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
    scalar_of,
    target_of,
)
from tepui.program.types import Bounded, Scalar, ThreadId
from tepui.records import field, record

Fields = dict[str, object]
"""A construct by the names of its fields."""


@record
class LoweringOptions:
    """How a program becomes a system.

    `liveness` removes values that are never read again from frames. `decide_first` gives variables
    their values by steps of their own, not when they are read. `share` lets a copy of a variable
    without a value have the same value later, in programs with such copies (`Layout.copies`).
    `probes` are points inside atomic sections that a property names. `fused` says how steps are
    fused with what touches nothing shared.
    """

    liveness: bool = True
    decide_first: bool = False
    share: bool = True
    probes: frozenset[int] = field(default_factory=frozenset)
    fused: Fused | None = None


def fields_of(layout: Layout, options: LoweringOptions) -> Fields:
    """The whole program, to be read once: procedures and locations are made when they are read, so
    that a large program is never in memory as a whole."""
    return _Lowering(layout, options).program()


class _Lowering:
    def __init__(self, layout: Layout, options: LoweringOptions) -> None:
        self._layout = layout
        self._program = layout.program
        self._options = options
        self._passed = fused_points(self._program, options.fused)
        self._joined = frozenset() if options.fused is None else options.fused.joined
        self._violations = {
            (assertion.procedure, id(assertion.edge)): layout.violation(index)
            for index, assertion in enumerate(layout.assertions)
        }
        self._families = families(self._program)
        self._globals = _cells_of(self._program.globals)
        self._locals: dict[Variable, int] = {}
        self._procedure = 0
        self._places: dict[int, Fields] = {}
        """By identity, because hashing a variable takes longer than everything else here."""

    def program(self) -> Fields:
        program, layout = self._program, self._layout
        return {
            "cells": [_cell(cell) for cell in layout.shared_cells],
            "own_cells": layout.own_cells,
            "naming": [
                number
                for number, cell in enumerate(layout.shared_cells)
                if isinstance(cell.type, ThreadId)
            ],
            "halted": layout.hidden.get("halted"),
            "full": layout.hidden.get("full"),
            "results": len(layout.results),
            "holder": layout.hidden.get("holder"),
            "lock": None if program.lock is None else self._globals[program.lock],
            "procedures": map(self._of_procedure, range(len(program.procedures))),
            "threads": [self._thread(*template) for template in layout.templates],
            "violations": len(layout.assertions),
            "decide_first": self._options.decide_first,
            "share": self._options.share and not self._options.decide_first and layout.copies,
            "fused": self._options.fused is not None,
            "watched": sorted(self._options.probes),
            "limits": sorted(layout.unknown_beyond),
        }

    def _of_procedure(self, index: int) -> Fields:
        procedure = self._program.procedures[index]
        self._procedure = index
        self._locals = _cells_of(procedure.variables)
        return {
            "cells": [_cell(cell) for cell in self._layout.frame_cells[index]],
            "results": [_range(self._layout.held(scalar)) for scalar in procedure.results],
            "entry": procedure.entry,
            "joined": index in self._joined,
            "locations": self._locations(procedure),
        }

    def _locations(self, procedure: Procedure) -> Iterator[Fields]:
        live: Sequence[Iterable[Variable]] = [procedure.variables] * len(procedure.locations)
        if self._options.liveness:
            live = live_variables(procedure)
        passed, by_holder = self._passed
        first = self._layout.first_points[self._procedure]
        for number, location in enumerate(procedure.locations):
            yield {
                "atomic": location.atomic,
                "passed": first + number in passed,
                "passed_by_holder": first + number in by_holder,
                "live": [
                    self._locals[variable] + element
                    for variable in live[number]
                    for element in range(variable.length)
                ],
                "edges": [self._edge(edge) for edge in procedure.leaving[number]],
            }

    def _thread(self, thread_type: int, first: int) -> Fields:
        """A template: the frames of one type have the same numbers in all its templates."""
        thread = self._program.threads[thread_type]
        procedure = self._program.procedure_of(thread)
        layout = self._layout
        cells = _cells_of(procedure.variables)
        return {
            "type": thread_type,
            "identity": first + 1,
            "interchangeable": thread_type in self._families,
            "procedure": self._program.numbers[thread.procedure],
            "start": procedure.entry if thread.start is None else thread.start,
            "created": layout.created(thread) if thread.created else None,
            "inherited": [
                (cells[variable], layout.inherited(thread, variable))
                for variable in thread.inherited
            ],
            "idle": layout.idle(thread),
        }

    def _edge(self, edge: Edge) -> Fields:
        return {
            "target": target_of(edge),
            "guard": self._expression(edge.guard),
            "action": self._action(edge),
        }

    def _action(self, edge: Edge) -> Fields:
        match edge:
            case Step():
                return {
                    "kind": "step",
                    "assignments": [
                        (
                            self._target(one.target),
                            self._source(one.value, scalar_of(one.target)),
                        )
                        for one in edge.assignments
                    ],
                    "constraint": self._expression(edge.constraint),
                }
            case Call():
                callee = self._program.by_name[edge.procedure]
                parameters = callee.variables[: callee.parameters]
                return {
                    "kind": "call",
                    "procedure": self._program.numbers[edge.procedure],
                    "is_tail": self._layout.is_tail_call(self._procedure, edge),
                    "arguments": [
                        self._source(value, parameter.scalar)
                        for value, parameter in zip(edge.arguments, parameters, strict=True)
                    ],
                }
            case Receive():
                targets = [target and self._target(target) for target in edge.targets]
                return {"kind": "receive", "targets": targets}
            case Return():
                return {"kind": "return", "values": list(map(self._expression, edge.values))}
            case Assert():
                return {
                    "kind": "assert",
                    "condition": self._expression(edge.condition),
                    "violation": self._violations[self._procedure, id(edge)],
                }
            case Create():
                return {"kind": "create", "values": self._creations(edge)}
            case End():
                return {"kind": "end"}
            case Fork() | Join():
                raise AssertionError("a program with forks is not lowered")

    def _creations(self, edge: Create) -> list[tuple[int, object]]:
        """Scalars of the shared state, and what they are set to."""
        values_of: list[tuple[int, object]] = []
        for index, number in enumerate(edge.threads):
            thread = self._program.threads[number]
            values = edge.values[index] if edge.values else ()
            for variable, value in zip(thread.inherited, values, strict=True):
                cell = self._layout.inherited(thread, variable)
                values_of.append((cell, self._expression(value)))
            values_of.append((self._layout.created(thread), 1))
        return values_of

    def _target(self, target: Target) -> Fields:
        if isinstance(target, Element):
            return self._element(target.variable, target.index)
        return self._place(target)

    def _source(self, value: Expression, scalar: Scalar) -> object:
        """What is assigned; None if that can wait until it is read."""
        can_wait = isinstance(value, Choice) and _values(value.type) == _values(scalar)
        if can_wait and not self._options.decide_first:
            return None
        return self._expression(value)

    def _place(self, variable: Variable) -> Fields:
        place = self._places.get(id(variable))
        if place is None:
            is_global = variable.procedure is None
            cells = self._globals if is_global else self._locals
            place = {"kind": "scalar", "global": is_global, "cell": cells[variable]}
            self._places[id(variable)] = place
        return place

    def _element(self, variable: Variable, index: Expression) -> Fields:
        return {
            **self._place(variable),
            "kind": "element",
            "length": variable.length,
            "index": self._expression(index),
        }

    def _expression(self, expression: Expression) -> Fields | int:
        match expression:
            case Constant():
                return expression.value
            case Read():
                read = self._place(expression.variable)
                return {**read, "kind": "after"} if expression.after else read
            case ReadElement():
                return self._element(expression.variable, expression.index)
            case Self():
                return {"kind": "self"}
            case Choice():
                return {"kind": "choice", **_range(expression.type)}
            case Unary():
                return {
                    "kind": expression.operator,
                    "operand": self._expression(expression.operand),
                }
            case Conditional():
                return {
                    "kind": "conditional",
                    "condition": self._expression(expression.condition),
                    "then": self._expression(expression.then),
                    "otherwise": self._expression(expression.otherwise),
                }
            case Convert():
                operand = self._expression(expression.operand)
                return {"kind": "convert", "operand": operand, **_range(expression.type)}
            case Binary():
                return {
                    "kind": expression.operator,
                    "left": self._expression(expression.left),
                    "right": self._expression(expression.right),
                }


def _cell(cell: Cell) -> Fields:
    return {**_range(cell.type), "initial": cell.initial}


def _range(scalar: Scalar) -> Fields:
    overflow = scalar.overflow if isinstance(scalar, Bounded) else "block"
    return {"low": scalar.low, "size": scalar.size, "overflow": overflow}


def _values(scalar: Scalar) -> tuple[int, int]:
    return scalar.low, scalar.size


def _cells_of(variables: Iterable[Variable]) -> dict[Variable, int]:
    """Where each variable's scalars begin."""
    cells, count = {}, 0
    for variable in variables:
        cells[variable] = count
        count += variable.length
    return cells
