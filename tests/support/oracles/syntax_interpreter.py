"""What a procedure in braces does, straight from its syntax tree: no Program, no locations, no
edges. Statements are run as a reader would run them with a finger on the text.

One run makes every choice as a script says; `outcomes` tries all scripts. A run ends with values of
the variables, with a violation, by waiting for ever, or because it is too long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tepui.languages.boolean import syntax
from tepui.program.types import Array, Bounded, Scalar

MOST_STEPS = 200
MOST_RUNS = 300

Type = tuple[int, bool] | str | None
"""The bits of a machine integer and whether it has a sign; `bool`; or None for other integers."""


class TooLongError(Exception):
    """A run has too many steps, or there are too many runs."""


class _Break(Exception):  # noqa: N818 - it is how `break` leaves
    pass


class _Continue(Exception):  # noqa: N818 - it is how `continue` leaves
    pass


class _Violated(Exception):  # noqa: N818 - it is an outcome
    pass


class _Waits(Exception):  # noqa: N818 - it is an outcome
    pass


@dataclass
class _Script:
    """The choices of a run: those that are given, and the first ones after that."""

    given: list[int]
    made: list[tuple[int, int]] = field(default_factory=list)

    def choose(self, count: int) -> int:
        number = self.given[len(self.made)] if len(self.made) < len(self.given) else 0
        self.made.append((number, count))
        return number

    def next(self) -> list[int] | None:
        """The choices of the next run, if there is one."""
        made = list(self.made)
        while made:
            number, count = made.pop()
            if number + 1 < count:
                return [each for each, _ in made] + [number + 1]
        return None


def outcomes(tree: syntax.SyntaxTree) -> set[tuple[object, ...]]:
    """All ways in which `main` can end: with these values, or with this violation."""
    found: set[tuple[object, ...]] = set()
    given: list[int] | None = []
    for _ in range(MOST_RUNS):
        assert given is not None
        script = _Script(given)
        run = _Run(tree, script)
        try:
            run.block(tree.procedures[0].body)
            found.add(("end", *(tuple(values) for values in run.values.values())))
        except _Violated as violated:
            found.add(("violated", str(violated)))
        except _Waits:
            pass
        given = script.next()
        if given is None:
            return found
    raise TooLongError


class _Run:
    def __init__(self, tree: syntax.SyntaxTree, script: _Script) -> None:
        self.script = script
        self.steps = 0
        self.types = {each.name: each.type for each in tree.globals}
        self.values: dict[str, list[int]] = {}
        for each in tree.globals:
            assert isinstance(each.initial, syntax.Number | syntax.Truth)
            length = each.type.length if isinstance(each.type, Array) else 1
            self.values[each.name] = [int(each.initial.value)] * length

    # Statements.

    def block(self, statements: Sequence[syntax.Statement]) -> None:
        for statement in statements:
            self.run(statement)

    def run(self, statement: syntax.Statement) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLongError
        match statement:
            case syntax.Assign():
                self._assign(statement)
            case syntax.Assert():
                if not self._value(statement.condition)[0]:
                    raise _Violated("assertion")
            case syntax.Assume():
                if not self._value(statement.condition)[0]:
                    raise _Waits
            case syntax.Break():
                raise _Break
            case syntax.Continue():
                raise _Continue
            case syntax.Skip():
                pass
            case syntax.Atomic():
                self.block(statement.body)
            case _:
                self._compound(statement)

    def _compound(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.If():
                holding = (each for each in statement.branches if self._value(each.condition)[0])
                branch = next(holding, None)
                self.block(statement.otherwise if branch is None else branch.body)
            case syntax.While():
                self._loop(statement.condition, statement.body, None)
            case syntax.For():
                if statement.initial is not None:
                    self.run(statement.initial)
                self._loop(statement.condition, statement.body, statement.update)
            case syntax.DoWhile():
                self._do(statement)
            case syntax.Switch():
                self._switch(statement)
            case _:
                raise AssertionError(statement)

    def _loop(
        self,
        condition: syntax.Expression | None,
        body: Sequence[syntax.Statement],
        update: syntax.Statement | None,
    ) -> None:
        while condition is None or self._value(condition)[0]:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLongError
            try:
                self.block(body)
            except _Break:
                return
            except _Continue:
                pass
            if update is not None:
                self.run(update)

    def _do(self, statement: syntax.DoWhile) -> None:
        while True:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLongError
            try:
                self.block(statement.body)
            except _Break:
                return
            except _Continue:
                pass
            if not self._value(statement.condition)[0]:
                return

    def _switch(self, statement: syntax.Switch) -> None:
        subject = self._value(statement.subject)[0]
        start = None
        for number, case in enumerate(statement.cases):
            constants = [each for each in case.values if not isinstance(each, syntax.Default)]
            if any(self._value(each)[0] == subject for each in constants):
                start = number
        if start is None:
            default = [
                number
                for number, case in enumerate(statement.cases)
                if any(isinstance(each, syntax.Default) for each in case.values)
            ]
            start = default[0] if default else len(statement.cases)
        try:
            for case in statement.cases[start:]:
                self.block(case.body)
        except _Break:
            pass

    def _assign(self, statement: syntax.Assign) -> None:
        stores: list[Callable[[], None]] = []
        for target, value in zip(statement.targets, statement.values, strict=True):
            assert isinstance(target, syntax.Name | syntax.Index)
            index = self._index(target) if isinstance(target, syntax.Index) else 0
            stores.append(self._store(target.name, index, value))
        for store in stores:
            store()

    def _store(self, name: str, index: int, node: syntax.Expression) -> Callable[[], None]:
        type_ = self.types[name]
        scalar = type_.element if isinstance(type_, Array) else type_
        if isinstance(node, syntax.Star):
            value = scalar.low + self.script.choose(scalar.size)
        else:
            value = self._value(node)[0]
        if isinstance(scalar, Bounded):
            value = (value - scalar.low) % scalar.size + scalar.low
        return lambda: self.values[name].__setitem__(index, value)

    def _index(self, node: syntax.Index) -> int:
        index = self._value(node.index)[0]
        if not 0 <= index < len(self.values[node.name]):
            raise _Violated("bounds")
        return index

    # Expressions.

    def _value(self, node: syntax.Expression) -> tuple[int, Type]:
        match node:
            case syntax.Number():
                return node.value, None
            case syntax.Truth():
                return int(node.value), "bool"
            case syntax.Star():
                return self.script.choose(2), "bool"
            case syntax.Name():
                return self.values[node.name][0], _type(self.types[node.name])
            case syntax.Index():
                return self.values[node.name][self._index(node)], _type(self.types[node.name])
            case syntax.Ternary():
                chosen = node.then if self._value(node.condition)[0] else node.otherwise
                return self._value(chosen)[0], self._type_of(node)
            case syntax.Unary():
                return self._unary(node)
            case syntax.Binary():
                return self._binary(node)
        raise AssertionError(node)

    def _type_of(self, node: syntax.Expression) -> Type:
        """The type of an expression, whatever its value."""
        match node:
            case syntax.Number():
                return None
            case syntax.Name() | syntax.Index():
                return _type(self.types[node.name])
            case syntax.Ternary():
                types = self._type_of(node.then), self._type_of(node.otherwise)
                return "bool" if "bool" in types else _wider(*types)
            case syntax.Unary() if node.operator != "not":
                return self._type_of(node.operand)
            case syntax.Binary() if node.operator in ("<<", ">>", ">>>"):
                return self._type_of(node.left)
            case syntax.Binary() if node.operator in _COMPUTED:
                types = self._type_of(node.left), self._type_of(node.right)
                return "bool" if "bool" in types else _wider(*types)
        return "bool"

    def _unary(self, node: syntax.Unary) -> tuple[int, Type]:
        value, type_ = self._value(node.operand)
        if node.operator == "not" or type_ == "bool":
            return 1 - value, "bool"
        return _wrapped(-value if node.operator == "minus" else ~value, type_), type_

    def _binary(self, node: syntax.Binary) -> tuple[int, Type]:
        left, left_type = self._value(node.left)
        operator = node.operator
        if left_type == "bool" and operator in _DECIDED and left == _DECIDED[operator][0]:
            return _DECIDED[operator][1], "bool"
        right, right_type = self._value(node.right)
        if operator in _COMPARED:
            return int(_COMPARED[operator](left, right)), "bool"
        if "bool" in (left_type, right_type):
            return left ^ right if operator == "^" else right, "bool"
        if operator in ("<<", ">>", ">>>"):
            return self._shifted(operator, left, left_type, right), left_type
        type_ = _wider(left_type, right_type)
        left, right = _wrapped(left, type_), _wrapped(right, type_)
        if operator in ("/", "%") and right == 0:
            raise _Violated("division")
        return _wrapped(_COMPUTED[operator](left, right), type_), type_

    def _shifted(self, operator: str, left: int, type_: Type, amount: int) -> int:
        bits = type_[0] if isinstance(type_, tuple) else 64
        if not 0 <= amount < bits:
            raise _Violated("bounds")
        if operator == ">>>":
            left %= 2**bits
        return _wrapped(left << amount if operator == "<<" else left >> amount, type_)


_DECIDED = {"and": (0, 0), "&": (0, 0), "or": (1, 1), "|": (1, 1), "implies": (0, 1)}
"""The operators that need not look at their right side, for which left side, and their value."""

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "=": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


def _toward_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": _toward_zero,
    "%": lambda x, y: x - _toward_zero(x, y) * y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
}


def _type(type_: Scalar | Array) -> Type:
    text = str(type_.element if isinstance(type_, Array) else type_)
    if text == "bool":
        return text
    digits = text.lstrip("uint")
    return (int(digits), not text.startswith("u")) if digits.isdecimal() else None


def _wider(left: Type, right: Type) -> Type:
    known = [each for each in (left, right) if isinstance(each, tuple)]
    return max(known, key=lambda each: (each[0], not each[1])) if known else None


def _wrapped(value: int, type_: Type) -> int:
    if not isinstance(type_, tuple):
        return value
    bits, signed = type_
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value
