"""Expressions with `begin` and `end`: words to syntax trees.

boppo and Getafix differ in which of `= != & | ^ =>` bind tighter. So a chain of operators is read
as a whole, and refused if they group it differently.
"""

from __future__ import annotations

from tepui.languages.boolean import syntax
from tepui.languages.boolean.lexer import vocabulary
from tepui.languages.boolean.reader import AN_EXPRESSION, AN_OPERATOR, Reader
from tepui.program.expressions import BinaryOperator
from tepui.program.program import Position
from tepui.words import shown

BEGIN_END = vocabulary(
    """T F abortif assert assume async atomic_begin atomic_end begin bool broadcast constrain dead
    decl dfs do else elsif end end_thread enforce fi goto if join od print return schoose skip
    start_thread sync then void wait while""",
    ":= => == = != && & || | ^ ! ~ ? * : , ; ( ) [ ] < > '",
    name=r"[$A-Za-z_][A-Za-z0-9_$#-]*|\{[^{}\n]+\}",
    number="[0-9]+",
)


class ChainReader(Reader):
    """The part of the reader that knows expressions."""

    def expression(self) -> syntax.Expression:
        self.nest()
        condition = self._chain()
        if self.kind == "?":
            at = self.words.position(self.take())
            then = self.expression()
            self.expect(":")
            condition = syntax.Ternary(at, condition, then, self._chain())
        self.depth -= 1
        return condition

    def _chain(self) -> syntax.Expression:
        operands = [self._operand()]
        signs: list[int] = []
        while self.kind in _OPERATORS:
            signs.append(self.take())
            operands.append(self._operand())
        self.more.add(AN_OPERATOR)
        operators = [_OPERATORS[self.kinds[index]] for index in signs]
        clash = _first_clash(operators)
        if clash:
            earlier, later = (self.kinds[signs[index]] for index in clash)
            raise self.error(
                f"expected parentheses to group '{earlier}' and '{later}', "
                "on which the dialects differ",
                signs[clash[1]],
            )
        return _grouped(operands, operators, list(map(self.words.position, signs)))

    def _operand(self) -> syntax.Expression:
        signs = []
        while self.kind in ("!", "~"):
            signs.append(self.take())
        operand = self.atom()
        for index in reversed(signs):
            operand = syntax.Unary(self.words.position(index), "not", operand)
        return operand

    def atom(self) -> syntax.Expression:
        at = self.at()
        match self.kind:
            case "NAME":
                return self.name()
            case "NUMBER":
                return self._number()
            case "T" | "F" as truth:
                self.take()
                return syntax.Truth(at, truth == "T")
            case "*" | "?":
                self.take()
                return syntax.Star(at)
            case "'":
                self.take()
                return syntax.Next(at, self.name().name)
            case "schoose":
                return self._schoose()
            case "(":
                self.take()
                inner = self.expression()
                self.expect(")")
                return inner
        self.hoped.add(AN_EXPRESSION)
        raise self.unexpected()

    def _number(self) -> syntax.Number:
        index = self.take()
        text = self.words.texts[index]
        if text not in ("0", "1"):
            raise self.error(f"expected 0, 1, T or F, found '{shown(text)}'", index)
        return syntax.Number(self.words.position(index), int(text))

    def _schoose(self) -> syntax.Schoose:
        at = self.words.position(self.take())
        self.expect("[")
        positive = self.expression()
        self.expect(",")
        negative = self.expression()
        self.expect("]")
        return syntax.Schoose(at, positive, negative)


_OPERATORS: dict[str, BinaryOperator] = {
    "&": "and",
    "&&": "and",
    "|": "or",
    "||": "or",
    "^": "xor",
    "=>": "implies",
    "=": "=",
    "==": "=",
    "!=": "!=",
}

_LEVELS: tuple[frozenset[BinaryOperator], ...] = (
    frozenset({"implies"}),
    frozenset({"or"}),
    frozenset({"xor"}),
    frozenset({"and"}),
    frozenset({"=", "!="}),
)
"""The operators, loosest first, as Getafix and BoPP have them. In boppo `=` and `!=` bind as
loosely as `=>`, all three to the right, and `^` binds looser than `|`."""

_CLASHES: dict[BinaryOperator, frozenset[BinaryOperator]] = {
    "and": frozenset({"=", "!="}),
    "or": frozenset({"=", "!=", "xor"}),
    "xor": frozenset({"or"}),
    "implies": frozenset({"=", "!=", "implies"}),
    "=": frozenset({"and", "or"}),
    "!=": frozenset({"and", "or"}),
}
"""For each operator, those on its left in the same chain that make its meaning depend on the
dialect. Chains of `=`, `!=` and `^` mean the same however they are grouped."""


def _first_clash(operators: list[BinaryOperator]) -> tuple[int, int] | None:
    """The places of two operators of a chain that the dialects group differently."""
    seen: dict[BinaryOperator, int] = {}
    for index, operator in enumerate(operators):
        for other in seen:
            if other in _CLASHES[operator]:
                return seen[other], index
        if operator == "implies":
            seen.clear()
        seen[operator] = index
    return None


def _grouped(
    operands: list[syntax.Expression],
    operators: list[BinaryOperator],
    positions: list[Position],
) -> syntax.Expression:
    """The tree of a chain: split at the middle one of its loosest operators."""
    if not operators:
        return operands[0]
    loosest = next(level for level in _LEVELS if level.intersection(operators))
    places = [index for index, operator in enumerate(operators) if operator in loosest]
    middle = places[len(places) // 2]
    return syntax.Binary(
        positions[middle],
        operators[middle],
        _grouped(operands[: middle + 1], operators[:middle], positions[:middle]),
        _grouped(operands[middle + 1 :], operators[middle + 1 :], positions[middle + 1 :]),
    )
