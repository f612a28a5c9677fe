"""Expressions of Boolean programs: type checking, and translation into those of the Program.

There are four kinds of values: Booleans, integers, members of one enumeration, and threads, which
are copied, passed, joined and compared. The expected type decides what 0 and
1 are, and a member of an enumeration may also be named by its index (Figure 6 of CUBA writes
`s = 0`). `*` is any Boolean, but as a whole value it is any value of the expected type, and as one
side of a comparison any value of the type of the other side.

Long chains of an associative operator become balanced trees, which changes neither their value
nor the order of evaluation; otherwise the depth of an expression is limited.
"""

from __future__ import annotations

from typing import Literal

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.arithmetic import (
    complemented,
    computed,
    machine_type,
    negated,
    shifted_without_sign,
)
from tepui.languages.boolean.hints import THREAD_VARIABLE
from tepui.languages.boolean.oddities import Oddities, constant_value
from tepui.languages.boolean.scope import Scope
from tepui.languages.boolean.syntax import BinarySign
from tepui.program.expressions import (
    ANY,
    FALSE,
    TRUE,
    ArithmeticOperator,
    Binary,
    BinaryOperator,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Self,
    Unary,
    Variable,
    operands,
)
from tepui.program.program import Element, Position, Target
from tepui.program.types import (
    THREAD,
    Array,
    Boolean,
    Bounded,
    Enumeration,
    Integer,
    Scalar,
    ThreadId,
)
from tepui.words import shown

MAX_DEPTH = 64

Kind = Literal["bool", "int", "thread"] | Enumeration

_PLAIN = ("bool", "int")
_LOGIC: tuple[BinarySign, ...] = ("and", "or", "xor", "implies")
_ARITHMETIC: tuple[BinarySign, ...] = ("+", "-", "*", "/", "%", "<<", ">>", ">>>")
_COMPARISONS: tuple[BinarySign, ...] = ("=", "!=", "<", "<=", ">", ">=")
_ASSOCIATIVE: tuple[BinarySign, ...] = ("and", "or", "xor", "+", "*", "&", "|", "^")
_ON_INTEGERS: dict[BinarySign, ArithmeticOperator] = {
    "+": "+",
    "*": "*",
    "&": "&",
    "|": "|",
    "^": "^",
}
_ON_BOOLEANS: dict[BinarySign, BinaryOperator] = {"&": "and", "|": "or", "^": "xor"}
"""The operators on bits, each with what it is on Booleans."""


class Values:
    """Translates the expressions and targets inside one procedure."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._oddities = Oddities(scope.names)
        self._constraining = False
        self._depth = 0

    def condition(self, node: syntax.Expression) -> Expression:
        """A Boolean expression."""
        return self._of_kind(node, "bool")

    def constraint(self, node: syntax.Expression) -> Expression:
        """A Boolean expression in which `'x` may occur."""
        self._constraining = self._oddities.constraining = True
        try:
            return self.condition(node)
        finally:
            self._constraining = self._oddities.constraining = False

    def value(self, node: syntax.Expression, scalar: Scalar) -> Expression:
        """An expression as the whole value that is assigned, passed or returned."""
        if scalar == THREAD:
            if isinstance(node, syntax.Binary) and node.operator in _ARITHMETIC:
                self._of_kind(node, "int")  # It complains of `t` in `t++`.
            return Self() if isinstance(node, syntax.Self) else self.thread(node)
        if isinstance(node, syntax.Star):
            return Choice(scalar)
        value = self._of_kind(node, kind_of_type(scalar))
        self._oddities.assigned(_start(node), value, scalar)
        return value

    def thread(self, node: syntax.Expression) -> Read:
        """A variable that names a thread."""
        if isinstance(node, syntax.Name) and self._scope.member(node.name) is None:
            variable = self._scalar(node.name, node.position)
            if variable.type == THREAD:
                return Read(variable)
        raise self._error(
            _start(node),
            f"expected {THREAD_VARIABLE}, found {self._found(node)}",
        )

    def switch(
        self, statement: syntax.Switch
    ) -> tuple[Expression, list[tuple[Expression | None, ...]]]:
        """What a `switch` looks at, and the values of its cases; None for the default."""
        node = statement.subject
        kind = self._kind(node)
        subject = self._of_kind(node, kind)
        if kind == "thread" or chooses(subject):
            raise self._error(
                _start(node),
                "expected a value that is the same for all cases, found "
                + ("a thread" if kind == "thread" else "'*'; assign it to a variable first"),
            )
        seen: dict[int | None, Position] = {}
        found = []
        for case in statement.cases:
            values: list[Expression | None] = []
            for value in case.values:
                with self._scope.names.complaints:
                    values.append(self._case(value, kind, subject, seen))
            found.append(tuple(values))
        return subject, found

    def _case(
        self,
        node: syntax.Expression | syntax.Default,
        kind: Kind,
        subject: Expression,
        seen: dict[int | None, Position],
    ) -> Expression | None:
        value = None if isinstance(node, syntax.Default) else self._of_kind(node, kind)
        number = None if value is None else constant_value(value)
        if number is None and value is not None:
            raise self._error(node.position, "expected a constant behind 'case', found a variable")
        if number in seen:
            raise self._error(
                node.position,
                f"expected a new case, but line {seen[number].line} already has it",
            )
        seen[number] = node.position
        if value is not None:
            self._oddities.case(node.position, value, subject)
        return value

    def target(self, node: syntax.Name | syntax.Index) -> Target:
        """The variable or array element that is assigned."""
        if isinstance(node, syntax.Index):
            return Element(*self._element(node))
        return self._scalar(node.name, node.position)

    def _of_kind(self, node: syntax.Expression, kind: Kind) -> Expression:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(
                node.position, f"expected at most {MAX_DEPTH} nested operators, found more"
            )
        try:
            return self._translated(node, kind)
        finally:
            self._depth -= 1

    def _translated(self, node: syntax.Expression, kind: Kind) -> Expression:
        match node:
            case syntax.Name():
                return self._name(node, kind)
            case syntax.Number():
                return self._number(node, kind)
            case syntax.Ternary() if kind != "thread":
                return Conditional(
                    self.condition(node.condition),
                    self._of_kind(node.then, kind),
                    self._of_kind(node.otherwise, kind),
                )
            case syntax.Binary() if node.operator in _ON_BOOLEANS and kind in _PLAIN:
                return self._chained(node, kind)
            case syntax.Unary(operator="~") if kind in _PLAIN:
                operand = self._of_kind(node.operand, kind)
                return Unary("not", operand) if kind == "bool" else complemented(operand)
        found = self._kind(node)
        if found == kind and isinstance(node, syntax.Unary | syntax.Binary) and kind not in _PLAIN:
            raise self._error(
                node.position,
                f"expected {kind_text(kind)}, found '{node.operator}', which is for Booleans and "
                "integers",
            )
        if found != kind or (kind == "thread" and isinstance(node, syntax.Ternary | syntax.Next)):
            raise self._mismatch(node, kind, found)
        return self._known(node, kind)

    def _known(self, node: syntax.Expression, kind: Kind) -> Expression:
        """An expression that is known to be of this kind."""
        match node:
            case syntax.Truth():
                return TRUE if node.value else FALSE
            case syntax.Star():
                return ANY
            case syntax.Index():
                return ReadElement(*self._element(node))
            case syntax.Next():
                return Read(self._scalar(node.name, node.position), after=True)
            case syntax.Self():
                return Self()
            case syntax.Schoose():
                positive, negative = map(self.condition, (node.positive, node.negative))
                return _if(positive, TRUE, _if(negative, FALSE, ANY))
            case syntax.Unary():
                operand = self._of_kind(node.operand, kind)
                return negated(operand) if kind == "int" else Unary("not", operand)
            case syntax.Binary():
                return self._binary(node)
        raise AssertionError(f"{type(node).__name__} is of no such kind")

    def _number(self, node: syntax.Number, kind: Kind) -> Expression:
        if kind == "int":
            return Constant(node.value, Bounded(node.value, node.value))
        size = kind.size if isinstance(kind, Enumeration) else 2
        if kind == "thread" or not 0 <= node.value < size:
            raise self._error(node.position, f"expected {kind_text(kind)}, found {node.value}")
        return Constant(node.value, kind) if isinstance(kind, Enumeration) else Constant(node.value)

    def _name(self, node: syntax.Name, kind: Kind) -> Expression:
        enumeration = self._scope.member(node.name)
        if enumeration is not None:
            value: Expression = Constant(enumeration.members.index(node.name), enumeration)
            found: Kind = enumeration
        else:
            variable = self._scalar(node.name, node.position)
            value, found = Read(variable), kind_of_type(variable.scalar)
        if found != kind:
            raise self._mismatch(node, kind, found)
        return value

    def _binary(self, node: syntax.Binary) -> Expression:
        kind = self._operand_kind(node)
        if node.operator in _ASSOCIATIVE:
            return self._chained(node, kind)
        left, right = self._operands(node, kind)
        self._oddities.right_operand(_start(node.right), node.operator, left, right)
        match node.operator:
            case "-" | "/" | "%" | "<<" | ">>" as operator:
                self._oddities.operand(_start(node.left), operator, left, right)
                self._oddities.operand(_start(node.right), operator, right, left)
                return computed(operator, left, right)
            case ">>>":
                shifted = shifted_without_sign(left, right)
                if shifted is None:
                    raise self._error(
                        node.position,
                        "expected a machine integer such as int32 before '>>>', found an integer "
                        "without a width",
                    )
                return shifted
            case operator:
                return Binary(operator, left, right)

    def _operands(self, node: syntax.Binary, kind: Kind) -> tuple[Expression, Expression]:
        """Both operands. In a comparison, `*` is any value of the type of the other one."""
        if node.operator in _COMPARISONS and kind != "bool":
            if isinstance(node.left, syntax.Star):
                right = self._of_kind(node.right, kind)
                return self._any_like(right, node.left, kind), right
            if isinstance(node.right, syntax.Star):
                left = self._of_kind(node.left, kind)
                return left, self._any_like(left, node.right, kind)
        return self._of_kind(node.left, kind), self._of_kind(node.right, kind)

    def _any_like(self, other: Expression, node: syntax.Star, kind: Kind) -> Expression:
        """Any value of the type of a variable, an enumeration or a machine integer."""
        if isinstance(kind, Enumeration):
            return Choice(kind)
        if isinstance(other, Read | ReadElement) and kind != "thread":
            return Choice(other.variable.scalar)
        machine = machine_type(other)
        if machine is None:
            raise self._mismatch(node, kind, "bool")
        return Choice(machine)

    def _chained(self, node: syntax.Binary, kind: Kind) -> Expression:
        """A chain of one operator. With machine integers of different widths it matters what is
        computed first, so parentheses count."""
        nodes = _chain(node) if kind == "bool" else _left_chain(node)
        operands = [self._of_kind(operand, kind) for operand in nodes]
        operator = node.operator
        if kind == "bool":
            return _balanced(_ON_BOOLEANS.get(operator, operator), operands)
        assert operator in _ON_INTEGERS
        if all(machine_type(operand) is None for operand in operands):
            return _balanced(operator, operands)
        if len(operands) > MAX_DEPTH:
            raise self._error(
                node.position, f"expected at most {MAX_DEPTH} nested operators, found more"
            )
        value = operands[0]
        for each, operand in zip(nodes[1:], operands[1:], strict=True):
            self._oddities.operand(_start(nodes[0]), operator, value, operand)
            self._oddities.operand(_start(each), operator, operand, value)
            value = computed(_ON_INTEGERS[operator], value, operand)
        return value

    def _operand_kind(self, node: syntax.Binary) -> Kind:
        """The kind that both operands must have; the left one decides, unless it is a constant that
        leaves it open."""
        if node.operator in _LOGIC:
            return "bool"
        if node.operator not in ("=", "!="):
            return "int"
        sides = [side for side in (node.left, node.right) if not _is_open(side)]
        kinds = [self._kind(side) for side in sides]
        for kind in kinds:
            if isinstance(kind, Enumeration):
                return kind
        if kinds:
            return kinds[0]
        leaves = (*_leaves(node.left), *_leaves(node.right))
        numbers = [leaf for leaf in leaves if isinstance(leaf, syntax.Number)]
        return "int" if any(number.value > 1 for number in numbers) else "bool"

    def _kind(self, node: syntax.Expression) -> Kind:
        """The kind of an expression; a number counts as an integer."""
        match node:
            case syntax.Number():
                return "int"
            case syntax.Name() if (enumeration := self._scope.member(node.name)) is not None:
                return enumeration
            case syntax.Name():
                return kind_of_type(self._scalar(node.name, node.position).scalar)
            case syntax.Index():
                return kind_of_type(self._scope.variable(node.name, node.position).scalar)
            case syntax.Next():
                return self._next_kind(node)
            case syntax.Self():
                return "thread"
            case syntax.Unary(operator="minus"):
                return "int"
            case syntax.Binary() if node.operator in _ARITHMETIC:
                return "int"
            case _ if _is_transparent(node):
                leaves = _leaves(node)
                return self._kind(next((leaf for leaf in leaves if not _is_open(leaf)), leaves[0]))
        return "bool"

    def _next_kind(self, node: syntax.Next) -> Kind:
        if not self._constraining:
            raise self._error(
                node.position,
                f'expected a value before the step, found "\'{shown(node.name)}", '
                "the value after it; that may only stand behind 'constrain'",
            )
        return kind_of_type(self._scalar(node.name, node.position).scalar)

    def _scalar(self, name: str, position: Position) -> Variable:
        variable = self._scope.variable(name, position)
        if isinstance(variable.type, Array):
            raise self._error(
                position, f"expected a single value, found the array '{shown(name)}' without index"
            )
        return variable

    def _element(self, node: syntax.Index) -> tuple[Variable, Expression]:
        variable = self._scope.variable(node.name, node.position)
        if not isinstance(variable.type, Array):
            raise self._error(
                node.position, f"expected an array before '[', found '{shown(node.name)}'"
            )
        index = self._of_kind(node.index, "int")
        self._oddities.element(_start(node.index), node.name, variable.length, index)
        return variable, index

    def _found(self, node: syntax.Expression) -> str:
        """A description of what was found where a thread is expected."""
        match node:
            case syntax.Star():
                return "'*'"
            case syntax.Number():
                return str(node.value)
            case syntax.Self():
                return "'thread_self()'"
            case syntax.Name() | syntax.Index() | syntax.Next():
                return self._described(node, self._kind(node))
        return "an expression"

    def _mismatch(self, node: syntax.Expression, wanted: Kind, found: Kind) -> InputError:
        """The error that an expression is of another kind."""
        described = self._described(node, found)
        return self._error(_start(node), f"expected {kind_text(wanted)}, found {described}")

    def _described(self, node: syntax.Expression, kind: Kind) -> str:
        if isinstance(node, syntax.Name | syntax.Index | syntax.Next):
            after = " after the step" if isinstance(node, syntax.Next) and kind == "thread" else ""
            return f"'{shown(node.name)}', which is {kind_text(kind)}{after}"
        return "'*', any Boolean" if isinstance(node, syntax.Star) else kind_text(kind)

    def _error(self, position: Position, message: str) -> InputError:
        return self._scope.names.error(position, message)


def kind_of_type(scalar: Scalar) -> Kind:
    """The kind of the values of a type."""
    match scalar:
        case Boolean():
            return "bool"
        case Bounded() | Integer():
            return "int"
        case Enumeration():
            return scalar
        case ThreadId():
            return "thread"


def kind_text(kind: Kind) -> str:
    """A kind in words."""
    if isinstance(kind, Enumeration):
        return f"a member of {kind}"
    return {"int": "an integer", "bool": "a Boolean", "thread": "a thread"}[kind]


def chooses(expression: Expression) -> bool:
    """Whether an expression may have several values in one state."""
    return isinstance(expression, Choice) or any(map(chooses, operands(expression)))


def _is_open(node: syntax.Expression) -> bool:
    """Whether the other side of a comparison decides the kind of this one."""
    return all(isinstance(leaf, syntax.Number | syntax.Star) for leaf in _leaves(node))


def _leaves(node: syntax.Expression) -> list[syntax.Expression]:
    """The expressions that decide the kind of one, from left to right: those between which it
    chooses, and the operands of operators that Booleans and integers have."""
    found: list[syntax.Expression] = []
    waiting = [node]
    while waiting:
        leaf = waiting.pop()
        match leaf:
            case syntax.Ternary():
                waiting += [leaf.otherwise, leaf.then]
            case syntax.Binary() if leaf.operator in _ON_BOOLEANS:
                waiting += [leaf.right, leaf.left]
            case syntax.Unary(operator="~"):
                waiting.append(leaf.operand)
            case _:
                found.append(leaf)
    return found


def _is_transparent(node: syntax.Expression) -> bool:
    """Whether the operands of an expression decide its kind."""
    if isinstance(node, syntax.Binary):
        return node.operator in _ON_BOOLEANS
    if isinstance(node, syntax.Unary):
        return node.operator == "~"
    return isinstance(node, syntax.Ternary)


def _start(node: syntax.Expression) -> Position:
    """Where the text of an expression begins."""
    while True:
        match node:
            case syntax.Binary():
                node = node.left
            case syntax.Ternary():
                node = node.condition
            case _:
                return node.position


def _chain(node: syntax.Binary) -> list[syntax.Expression]:
    """The operands of a chain of one operator, from left to right."""
    found: list[syntax.Expression] = []
    waiting: list[syntax.Expression] = [node]
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, syntax.Binary) and operand.operator == node.operator:
            waiting += [operand.right, operand.left]
        else:
            found.append(operand)
    return found


def _left_chain(node: syntax.Binary) -> list[syntax.Expression]:
    """The same, but what stands on the right in parentheses is one operand."""
    found: list[syntax.Expression] = []
    operand: syntax.Expression = node
    while isinstance(operand, syntax.Binary) and operand.operator == node.operator:
        found.append(operand.right)
        operand = operand.left
    return [operand, *reversed(found)]


def _balanced(operator: BinarySign, operands: list[Expression]) -> Expression:
    if len(operands) == 1:
        return operands[0]
    assert operator != ">>>", "it is not associative"
    middle = (len(operands) + 1) // 2
    return Binary(
        operator, _balanced(operator, operands[:middle]), _balanced(operator, operands[middle:])
    )


def _if(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """A conditional, or only the part that counts if that is known, so that a bare choice can
    wait."""
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return Conditional(condition, then, otherwise)
