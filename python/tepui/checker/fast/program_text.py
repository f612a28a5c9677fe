"""A program as text, for the crate `tepui-checker`: lists in brackets, of words and numbers.

`crates/tepui-checker/src/program/text.rs` reads the same. What is written is the program as it
stands, with addresses in the place of variables (`layout` says which). What follows from it, such
as which values matter or where fused steps go on, the crate finds out for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
from tepui.program.layout import Cell, Fused, Layout
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
    is_check,
    target_of,
)
from tepui.program.types import Bounded, Scalar, ThreadId
from tepui.program.walk import created_by


def program_text(
    layout: Layout,
    *,
    liveness: bool,
    share: bool,
    probes: Iterable[int],
    fused: Fused | None,
) -> str:
    """The program of a layout, and the options of its meaning."""
    program, hidden = layout.program, layout.hidden
    own = _addresses(program.globals)
    lock = None if program.lock is None else own[None, program.lock.name]
    parts = [
        _list(map(_cell, layout.shared_cells)),
        str(layout.own_cells),
        _list(
            [
                _optional(hidden.get("halted")),
                _optional(hidden.get("full")),
                _numbers(layout.results),
                _optional(hidden.get("holder")),
                _optional(lock),
            ]
        ),
        _list(_Procedure(layout, own, number).text() for number in range(len(program.procedures))),
        _list(_template(layout, *template) for template in layout.templates),
        _numbers(layout.threads),
        str(len(program.threads)),
        _flag(liveness),
        _flag(share and layout.copies),
        _numbers(sorted(probes)),
        _numbers(sorted(layout.unknown_beyond)),
        "( )"
        if fused is None
        else _list([_numbers(sorted(fused.named)), _numbers(sorted(fused.joined))]),
    ]
    return _list(parts)


class _Procedure:
    """Writes one procedure."""

    def __init__(
        self, layout: Layout, shared: dict[tuple[str | None, str], int], number: int
    ) -> None:
        self._layout = layout
        self._number = number
        self._code = layout.program.procedures[number]
        self._shared = shared
        self._own = _addresses(self._code.variables)

    def text(self) -> str:
        code = self._code
        return _list(
            [
                _list(map(_cell, self._layout.frame_cells[self._number])),
                _list(map(_type_list, code.results)),
                str(code.entry),
                _list(self._locations(code)),
                _list(map(self._edge, code.edges)),
            ]
        )

    def _locations(self, code: Procedure) -> Iterator[str]:
        for location in code.locations:
            named = bool(location.text or location.labels)
            yield _list([_flag(location.atomic), _flag(named)])

    def _edge(self, edge: Edge) -> str:
        kind, parts = self._action(edge)
        target = _optional(target_of(edge))
        return _list([kind, str(edge.source), target, self._expression(edge.guard), *parts])

    def _action(self, edge: Edge) -> tuple[str, list[str]]:
        match edge:
            case Step():
                assignments = [
                    _list([self._target(each.target), self._expression(each.value)])
                    for each in edge.assignments
                ]
                return "step", [_list(assignments), self._expression(edge.constraint)]
            case Call():
                callee = self._layout.program.numbers[edge.procedure]
                return "call", [str(callee), self._expressions(edge.arguments)]
            case Receive():
                targets = ["( )" if each is None else self._target(each) for each in edge.targets]
                return "receive", [_list(targets)]
            case Return():
                return "return", [self._expressions(edge.values)]
            case Assert():
                return "assert", [_flag(is_check(edge)), self._expression(edge.condition)]
            case Create():
                return "create", [_list(self._creations(edge))]
            case End():
                return "end", []
            case Fork() | Join():
                raise AssertionError("evidence is about programs without forks")

    def _creations(self, edge: Create) -> Iterator[str]:
        for number, values in created_by(edge):
            thread = self._layout.program.threads[number]
            inherited = [
                _list(
                    [
                        str(self._layout.inherited(thread, variable)),
                        _type(variable.scalar),
                        self._expression(value),
                    ]
                )
                for variable, value in zip(thread.inherited, values, strict=True)
            ]
            yield _list([str(self._layout.created(thread)), *inherited])

    def _target(self, target: Target) -> str:
        if isinstance(target, Element):
            return self._element(target.variable, target.index)
        return _list(["read", self._address(target)])

    def _element(self, variable: Variable, index: Expression) -> str:
        place = self._address(variable)
        return _list(["element", place, str(variable.length), self._expression(index)])

    def _address(self, variable: Variable) -> str:
        key = variable.procedure, variable.name
        if variable.procedure is None:
            return f"global {self._shared[key]}"
        return f"local {self._own[key]}"

    def _expressions(self, expressions: Sequence[Expression]) -> str:
        return _list(map(self._expression, expressions))

    def _expression(self, expression: Expression) -> str:
        match expression:
            case Constant():
                return _list(["constant", str(expression.value)])
            case Self():
                return _list(["self"])
            case Choice():
                return _list(["choice", _type(expression.type)])
            case Read():
                word = "after" if expression.after else "read"
                return _list([word, self._address(expression.variable)])
            case ReadElement():
                return self._element(expression.variable, expression.index)
            case Unary():
                return _list([expression.operator, self._expression(expression.operand)])
            case Binary():
                sides = self._expression(expression.left), self._expression(expression.right)
                return _list([expression.operator, *sides])
            case Convert():
                operand = self._expression(expression.operand)
                return _list(["convert", _type(expression.type), operand])
            case Conditional():
                parts = (expression.condition, expression.then, expression.otherwise)
                return _list(["conditional", *map(self._expression, parts)])


def _template(layout: Layout, thread_type: int, first: int) -> str:
    thread = layout.program.threads[thread_type]
    procedure = layout.program.procedure_of(thread)
    cells = {cell.name: number for number, cell in enumerate(_cells_of(layout, thread.procedure))}
    inherited = [
        _numbers([cells[variable.name], layout.inherited(thread, variable)])
        for variable in thread.inherited
    ]
    idle = layout.idle(thread)
    return _list(
        [
            str(thread_type),
            str(first),
            str(layout.program.numbers[thread.procedure]),
            str(procedure.entry if thread.start is None else thread.start),
            _optional(layout.created(thread) if thread.created else None),
            _list(inherited),
            _list([] if idle is None else [_numbers(idle)]),
        ]
    )


def _cells_of(layout: Layout, procedure: str) -> Sequence[Cell]:
    return layout.frame_cells[layout.program.numbers[procedure]]


def _addresses(variables: Iterable[Variable]) -> dict[tuple[str | None, str], int]:
    """Where the scalars of each variable begin."""
    found, address = {}, 0
    for variable in variables:
        found[variable.procedure, variable.name] = address
        address += variable.length
    return found


def _cell(cell: Cell) -> str:
    initial = cell.initial
    assert initial is None or isinstance(initial, int), "at the start, no variables share a value"
    return _list([_type(cell.type), _optional(initial)])


def _type_list(scalar: Scalar) -> str:
    return _list([_type(scalar)])


def _type(scalar: Scalar) -> str:
    if isinstance(scalar, ThreadId):
        kind = "thread"
    else:
        kind = scalar.overflow if isinstance(scalar, Bounded) else "block"
    return f"{kind} {scalar.low} {scalar.size}"


def _list(items: Iterable[str]) -> str:
    return f"( {' '.join(items)} )"


def _numbers(numbers: Iterable[int]) -> str:
    return _list(map(str, numbers))


def _optional(number: int | None) -> str:
    return "-" if number is None else str(number)


def _flag(value: bool) -> str:
    return "1" if value else "0"
