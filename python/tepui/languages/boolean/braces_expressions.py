"""Expressions in braces: words to syntax trees, by precedence climbing."""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from tepui.languages.boolean import syntax
from tepui.languages.boolean.hints import THREAD_VARIABLE
from tepui.languages.boolean.lexer import COMMENT, END, NAME, NUMBER, vocabulary
from tepui.languages.boolean.reader import (
    A_LABEL,
    A_NAME,
    A_NUMBER,
    A_STATEMENT,
    AN_EXPRESSION,
    AN_OPERATOR,
    THE_END,
    Reader,
)
from tepui.languages.boolean.syntax import BinarySign
from tepui.words import shown

A_DECLARATION, A_CONSTANT, AN_ASSIGNMENT = "a declaration", "a constant", "an assignment"
A_PROCEDURE, A_TYPE = "a procedure", "a type"

MACHINE_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

BRACES = vocabulary(
    """T F _ assert assume async atomic block bool break case constrain continue decl default do
    else enum false for goto if int join return saturate schoose skip switch thread thread_create
    thread_self true void volatile wait while """
    + " ".join(MACHINE_TYPES),
    """:= += -= *= /= %= &= |= ^= <<= >>= >>>= ++ -- => == = != <= >= << >> >>> < > && & || | ^
    + - * / % ! ~ ? : .. . , ; ( ) [ ] { } '""",
    name=r"[A-Za-z_$][A-Za-z0-9_$]*",
    number=r"0[xX][0-9A-Fa-f]+|[0-9]+",
)

MOST = 2**64 - 1
"""The largest number that may be written."""

_LONGEST = 30
_TRUTH = {"true": True, "T": True, "false": False, "F": False}


class _Operator(NamedTuple):
    level: int
    meaning: BinarySign
    to_the_right: bool = False


OPERATORS: dict[str, _Operator] = {
    "=>": _Operator(1, "implies", to_the_right=True),
    "||": _Operator(2, "or"),
    "|": _Operator(2, "|"),
    "^": _Operator(3, "^"),
    "&&": _Operator(4, "and"),
    "&": _Operator(4, "&"),
    "=": _Operator(5, "="),
    "==": _Operator(5, "="),
    "!=": _Operator(5, "!="),
    "<": _Operator(6, "<"),
    "<=": _Operator(6, "<="),
    ">": _Operator(6, ">"),
    ">=": _Operator(6, ">="),
    "<<": _Operator(7, "<<"),
    ">>": _Operator(7, ">>"),
    ">>>": _Operator(7, ">>>"),
    "+": _Operator(8, "+"),
    "-": _Operator(8, "-"),
    "*": _Operator(9, "*"),
    "/": _Operator(9, "/"),
    "%": _Operator(9, "%"),
}
"""The binary operators, the loosest first."""

_COMMENT = re.compile(COMMENT)
_OCTAL = re.compile("[0-7]+")


class ExpressionReader(Reader):
    """The part of the reader that knows expressions."""

    closing: ClassVar = frozenset({";", ",", ")", "]", "}", ":", END})
    phrases: ClassVar = (
        *(A_NAME, A_NUMBER, THE_END, A_DECLARATION, A_STATEMENT, AN_EXPRESSION, A_CONSTANT),
        *(AN_OPERATOR, A_PROCEDURE, A_TYPE, A_LABEL, AN_ASSIGNMENT, THREAD_VARIABLE),
    )
    phrases_first: ClassVar = False

    def tidied(self, text: str) -> str:
        return " ".join(_COMMENT.sub(" ", text).split())

    def expressions(self) -> tuple[syntax.Expression, ...]:
        return tuple(self.separated(self.expression))

    def in_parentheses(self) -> syntax.Expression:
        self.expect("(")
        inner = self.expression()
        self.expect(")")
        return inner

    def expression(self) -> syntax.Expression:
        self.nest()
        condition = self._operation(1)
        if self.kind == "?":
            at = self.at()
            self.take()
            then = self.expression()
            self.expect(":")
            condition = syntax.Ternary(at, condition, then, self.expression())
        self.depth -= 1
        return condition

    def _operation(self, level: int) -> syntax.Expression:
        """Operands with operators of at least this level between them."""
        left = self._operand()
        while True:
            operator = OPERATORS.get(self.kind)
            if operator is None or operator.level < level:
                self.more.add(AN_OPERATOR)
                return left
            at = self.at()
            self.take()
            if operator.to_the_right:
                self.nest()
                right = self._operation(operator.level)
                self.depth -= 1
            else:
                right = self._operation(operator.level + 1)
            left = syntax.Binary(at, operator.meaning, left, right)

    def _operand(self) -> syntax.Expression:
        if self.kind == NAME:
            return self._name_or_element()
        if self.kind not in ("!", "~", "-"):
            return self._atom()
        signs = []
        while self.kind in ("!", "~", "-"):
            signs.append(self.take())
        operand = self._name_or_element() if self.kind == NAME else self._atom()
        for index in reversed(signs):
            at = self.words.position(index)
            match self.kinds[index]:
                case "!":
                    operand = syntax.Unary(at, "not", operand)
                case "~":
                    operand = syntax.Unary(at, "~", operand)
                case _:
                    operand = syntax.Unary(at, "minus", operand)
        return operand

    def _name_or_element(self) -> syntax.Name | syntax.Index:
        name = self.name()
        if self.kind == "[":
            return self.element(name)
        self.more.add("[")
        return name

    def element(self, name: syntax.Name) -> syntax.Index:
        """The element of an array whose name was taken."""
        self.expect("[")
        index = self.expression()
        self.expect("]")
        return syntax.Index(name.position, name.name, index)

    def _atom(self) -> syntax.Expression:
        kind = self.kind
        if kind == NUMBER:
            return self.number()
        if kind == "(":
            return self.in_parentheses()
        at = self.at()
        if kind in _TRUTH:
            self.take()
            return syntax.Truth(at, _TRUTH[kind])
        match kind:
            case "*":
                self.take()
                return syntax.Star(at)
            case "'":
                self.take()
                return syntax.Next(at, self.name().name)
            case "schoose":
                return self._schoose()
            case "thread_self":
                self.take()
                self.expect("(")
                self.expect(")")
                return syntax.Self(at)
        self.hoped.add(AN_EXPRESSION)
        raise self.unexpected()

    def _schoose(self) -> syntax.Schoose:
        at = self.at()
        self.take()
        self.expect("[")
        positive = self.expression()
        self.expect(",")
        negative = self.expression()
        self.expect("]")
        return syntax.Schoose(at, positive, negative)

    def constant(self) -> syntax.Expression:
        """What a variable may start with, and what a case may be, except for `*`."""
        at = self.at()
        match self.kind:
            case "-":
                self.take()
                return syntax.Number(at, -self.number().value)
            case "NUMBER":
                return self.number()
            case "NAME":
                return self.name()
            case "true" | "T" | "false" | "F" as truth:
                self.take()
                return syntax.Truth(at, _TRUTH[truth])
        self.hoped.add(A_CONSTANT)
        raise self.unexpected()

    def number(self) -> syntax.Number:
        index = self.expect(NUMBER)
        text = self.words.texts[index]
        base = 16 if text[1:2] in ("x", "X") else 10
        short = len(text.lstrip("0")) <= _LONGEST  # A very long number takes very long.
        value = int(text, base) if short else MOST + 1
        if text[0] == "0" and base == 10 and short:
            self._warn_of_octal(index, text)
        if value > MOST:
            raise self.error("expected a number below 2^64, found a larger one", index)
        return syntax.Number(self.words.position(index), value)

    def _warn_of_octal(self, index: int, text: str) -> None:
        """Warn about a number that C would read in another way."""
        octal = int(text, 8) if _OCTAL.fullmatch(text) else int(text)
        if octal != int(text):
            place, number = self.words.position(index), shown(text)
            self.warnings.append(f"{place}: {number} is {int(text)} here, and {octal} in C")

    def count(self, most: int, what: str) -> int:
        """A number of things, at least one of them."""
        index = self.index
        value = self.number().value
        if not 1 <= value <= most:
            raise self.error(f"expected a number of {what} (1 to {most}), found {value}", index)
        return value
