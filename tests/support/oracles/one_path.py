"""Runs the first thread of a Program that leaves no choice, from its beginning to its end.

It is a second meaning of Programs, for translations of sequential programs: every location must
have exactly one edge that can be taken, and what has no value must never be read. Anything else is
an error of the translation. Where a limit is reached, the larger translation is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tepui.program.expressions import (
    Binary,
    Conditional,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Unary,
    Variable,
)
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Edge,
    End,
    Program,
    Receive,
    Return,
    Step,
    Target,
    target_of,
)
from tepui.program.types import Array, Bounded, Scalar


class Ended(NamedTuple):
    """How a run ended: `end`, `violation`, `limit` or `stuck`, with a place and a message."""

    how: str
    place: str = ""
    message: str = ""
    steps: int = 0


class _BlockedError(Exception):
    """An expression that has no value, so that its edge cannot be taken."""


class UndeterminedError(Exception):
    """A value was needed that could be any."""


def run(program: Program, most: int = 3_000_000) -> Ended:
    """Run, and raise limits as long as that helps."""
    while True:
        ended = _Run(program, most).ended()
        if ended.how != "limit" or program.raised is None:
            return ended
        larger = program.raised(frozenset({ended.message}))
        if larger is None:
            return ended
        program = larger


Evaluate = Callable[[dict[str, Any], dict[str, Any]], int]


class _Run:
    def __init__(self, program: Program, most: int) -> None:
        self.program, self.most = program, most
        self.globals = {each.name: _initial(each) for each in program.globals}
        thread = program.threads[0]
        self.procedure = program.by_name[thread.procedure]
        self.at = self.procedure.entry if thread.start is None else thread.start
        self.locals = self._frame()
        self.frames: list[Any] = []
        self.results: tuple[int, ...] = ()
        self.compiled: dict[int, Evaluate] = {}

    def ended(self) -> Ended:
        for number in range(self.most):
            edges = [edge for edge in self.procedure.leaving[self.at] if self._can_take(edge)]
            if len(edges) != 1:
                return Ended(
                    "stuck",
                    self._place(),
                    f"{len(edges)} edges of {self.procedure.leaving[self.at]}",
                )
            ended = self._take(edges[0])
            if ended is not None:
                return ended._replace(steps=number)
        return Ended("long", self._place())

    def _place(self) -> str:
        return self.procedure.locations[self.at].position.short

    def _frame(self) -> dict[str, Any]:
        return {each.name: _initial(each) for each in self.procedure.variables}

    def _value(self, expression: Expression) -> int:
        found = self.compiled.get(id(expression))
        if found is None:
            found = self.compiled[id(expression)] = _evaluator(expression)
        return found(self.locals, self.globals)

    def _can_take(self, edge: Edge) -> bool:
        try:
            if not self._value(edge.guard):
                return False
            for expression in _needed(edge):
                self._value(expression)
        except _BlockedError:
            return False
        return True

    def _take(self, edge: Edge) -> Ended | None:
        match edge:
            case Step():
                self._assign([(each.target, self._value(each.value)) for each in edge.assignments])
            case Call():
                values = [self._value(each) for each in edge.arguments]
                self.frames.append((self.procedure, edge.target, self.locals))
                self.procedure = self.program.by_name[edge.procedure]
                self.locals = self._frame()
                parameters = self.procedure.variables[: self.procedure.parameters]
                for variable, value in zip(parameters, values, strict=True):
                    self.locals[variable.name] = _converted(value, variable.scalar)
                self.at = self.procedure.entry
                return None
            case Receive():
                pairs = zip(edge.targets, self.results, strict=True)
                self._assign([(target, value) for target, value in pairs if target is not None])
            case Assert():
                if not self._value(edge.condition):
                    how = "limit" if edge.kind == "limit" else "violation"
                    return Ended(how, self._place(), edge.message)
            case Return():
                scalars = self.procedure.results
                values = [self._value(each) for each in edge.values]
                self.results = tuple(map(_converted, values, scalars))
                return self._leave()
            case End():
                return Ended("end")
            case Create():
                pass
            case _:
                raise NotImplementedError(edge)
        target = target_of(edge)
        if target is None:
            return self._leave()
        self.at = target
        return None

    def _leave(self) -> Ended | None:
        if not self.frames:
            return Ended("end")
        self.procedure, self.at, self.locals = self.frames.pop()
        return None

    def _assign(self, pairs: list[tuple[Target, int]]) -> None:
        places: list[tuple[Variable, int | None, int]] = []
        for target, value in pairs:
            if isinstance(target, Variable):
                places.append((target, None, _converted(value, target.scalar)))
            else:
                index = self._value(target.index)
                if not 0 <= index < target.variable.length:
                    raise _BlockedError
                places.append((target.variable, index, _converted(value, target.variable.scalar)))
        for variable, place, value in places:
            values = self.globals if variable.procedure is None else self.locals
            if place is None:
                values[variable.name] = value
            else:
                values[variable.name][place] = value


def _needed(edge: Edge) -> list[Expression]:
    """What must have a value for an edge to be taken."""
    match edge:
        case Step():
            return [each.value for each in edge.assignments]
        case Call():
            return list(edge.arguments)
        case Return():
            return list(edge.values)
        case Assert():
            return [edge.condition]
    return []


def _initial(variable: Variable) -> Any:
    if isinstance(variable.type, Array):
        return [variable.initial] * variable.type.length
    return variable.initial


def _converted(value: int, scalar: Scalar) -> int:
    if isinstance(scalar, Bounded) and not scalar.low <= value <= scalar.high:
        if scalar.overflow == "block":
            raise _BlockedError
        if scalar.overflow == "saturate":
            return max(scalar.low, min(scalar.high, value))
        return scalar.low + (value - scalar.low) % scalar.size
    return value


def _evaluator(expression: Expression) -> Evaluate:
    """A function that gives the value, made of the text of a Python expression."""
    constants: dict[str, Any] = dict(_HELPERS)
    text = _text(expression, constants)
    return eval(f"lambda local, shared: {text}", constants)  # type: ignore[no-any-return]


def _text(expression: Expression, constants: dict[str, Any]) -> str:

    def of(each: Expression) -> str:
        return _text(each, constants)

    match expression:
        case Constant():
            return f"({expression.value})"
        case Read():
            where = "shared" if expression.variable.procedure is None else "local"
            return f"known({where}[{expression.variable.name!r}])"
        case ReadElement():
            where = "shared" if expression.variable.procedure is None else "local"
            return f"element({where}[{expression.variable.name!r}], {of(expression.index)})"
        case Unary():
            return f"({_UNARY[expression.operator]} {of(expression.operand)})"
        case Convert():
            name = f"t{len(constants)}"
            constants[name] = expression.type
            return f"converted({of(expression.operand)}, {name})"
        case Conditional():
            then, otherwise = of(expression.then), of(expression.otherwise)
            return f"({then} if {of(expression.condition)} else {otherwise})"
        case Binary():
            left, right = of(expression.left), of(expression.right)
            if expression.operator == "implies":
                return f"(not {left} or bool({right}))"
            if expression.operator in _CALLED:
                return f"{_CALLED[expression.operator]}({left}, {right})"
            return f"({left} {_BINARY.get(expression.operator, expression.operator)} {right})"
    raise UndeterminedError(expression)


def _known(value: int | None) -> int:
    if value is None:
        raise UndeterminedError
    return value


def _element(values: list[int | None], index: int) -> int:
    if not 0 <= index < len(values):
        raise _BlockedError
    return _known(values[index])


def _quotient(left: int, right: int) -> int:
    if right == 0:
        raise _BlockedError
    result = abs(left) // abs(right)
    return result if (left < 0) == (right < 0) else -result


def _rest(left: int, right: int) -> int:
    return left - right * _quotient(left, right)


def _shifted(left: int, right: int) -> int:
    if not 0 <= right <= 63:
        raise _BlockedError
    return left << right


def _shifted_back(left: int, right: int) -> int:
    if not 0 <= right <= 63:
        raise _BlockedError
    return left >> right


_UNARY = {"not": "not", "minus": "-", "complement": "~"}
_BINARY = {"=": "==", "xor": "^"}
_CALLED = {"/": "quotient", "%": "rest", "<<": "shifted", ">>": "shifted_back"}
_HELPERS = {
    "known": _known,
    "element": _element,
    "converted": _converted,
    "quotient": _quotient,
    "rest": _rest,
    "shifted": _shifted,
    "shifted_back": _shifted_back,
}
