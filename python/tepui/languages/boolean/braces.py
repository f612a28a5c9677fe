"""Boolean programs in braces: text to syntax tree.

The grammar is in `braces.lark`; this module turns its parse trees into the trees of `syntax`, and
its errors into messages for people. Importing it loads lark, so it is imported only when there is
something to parse.

Numeric labels are Figure 1's program counters and open a step; other labels only name a place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.tree import Meta

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.habits import character_hint, declaration_hint, habit_hint, type_hint
from tepui.languages.boolean.hints import (
    THREAD_VARIABLE,
    expects_thread,
    fork_hint,
    keyword_hint,
)
from tepui.languages.boolean.nodes import MAX_RESULTS, TreeBuilder
from tepui.languages.boolean.parsers import keywords_of, parser_of
from tepui.languages.boolean.syntax import SyntaxTree
from tepui.languages.source import Source
from tepui.model.build import MAX_THREADS
from tepui.program.expressions import BinaryOperator
from tepui.program.types import (
    BOOLEAN,
    INTEGER,
    THREAD,
    Array,
    Bounded,
    Enumeration,
    Overflow,
    Scalar,
)
from tepui.words import shown

MAX_DIGITS = 9
MAX_ELEMENTS = 10_000


def parse_braces(source: Source) -> SyntaxTree:
    """The syntax tree of a text in braces."""
    text = "\n".join(source.lines)
    try:
        tree = _parser().parse(text)
    except UnexpectedToken as trouble:
        raise _unexpected(source, text, trouble) from None
    except UnexpectedCharacters as trouble:
        raise _stray(source, text, trouble) from None
    try:
        return cast(SyntaxTree, _Builder(source, text).transform(tree))
    except VisitError as trouble:
        raise trouble.orig_exc from None


@cache
def _parser() -> Lark:
    return parser_of("braces")


_OPERATORS: dict[str, BinaryOperator] = {
    "&&": "and",
    "&": "and",
    "||": "or",
    "|": "or",
    "^": "xor",
    "=>": "implies",
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "+": "+",
    "-": "-",
    "*": "*",
}
_COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?\*/")


@v_args(meta=True)
class _Builder(TreeBuilder):
    """The nodes that are special in this grammar."""

    def start(self, meta: Meta, children: list[Any]) -> SyntaxTree:
        procedures = [child for child in children if isinstance(child, syntax.Procedure)]
        declarations = [child for child in children if isinstance(child, list)]
        return SyntaxTree(
            self.source,
            tuple(chain(*declarations)),
            tuple(procedures),
            keywords=keywords_of(_parser()),
        )

    def declaration(self, meta: Meta, variables: list[Any]) -> list[syntax.Declaration]:
        return variables

    def threads(self, meta: Meta, names: list[Any]) -> list[syntax.Declaration]:
        return [syntax.Declaration(self._at(name), str(name), THREAD) for name in names]

    def variable(self, meta: Meta, children: list[Any]) -> syntax.Declaration:
        name, of_type, initial = children
        return syntax.Declaration(self._at(name), str(name), of_type or BOOLEAN, initial)

    def of_type(self, meta: Meta, children: list[Any]) -> Scalar | Array:
        scalar, length = children
        if length is None:
            return cast(Scalar, scalar)
        if scalar == THREAD:
            self._fail(length, "expected no length, because there are no arrays of threads")
        return Array(scalar, self._count(length, MAX_ELEMENTS, "elements"))

    def identity(self, meta: Meta, children: list[Any]) -> Scalar:
        return THREAD

    def boolean(self, meta: Meta, children: list[Any]) -> Scalar:
        return BOOLEAN

    def enumeration(self, meta: Meta, names: list[Token]) -> Scalar:
        for index, name in enumerate(names):
            if name in names[:index]:
                self._fail(name, f"expected a new member, found '{shown(name)}' again")
        return Enumeration(tuple(map(str, names)))

    def bounded(self, meta: Meta, children: list[Any]) -> Scalar:
        (_, low), (place, high), *overflow = children
        if low > high:
            self._fail(place, f"expected a number from {low} upwards, found {high}")
        how = str(overflow[0]) if overflow else "wrap"
        return Bounded(low, high, cast(Overflow, how))

    def integer(self, meta: Meta, children: list[Any]) -> Scalar:
        return INTEGER

    def bound(self, meta: Meta, children: list[Any]) -> tuple[Token, int]:
        minus, number = children
        value = self._value(number)
        return (minus or number), (-value if minus else value)

    def one_result(self, meta: Meta, children: list[Any]) -> tuple[Scalar, ...]:
        return (children[0],)

    def several_results(self, meta: Meta, children: list[Any]) -> tuple[Scalar, ...]:
        return (BOOLEAN,) * self._count(children[0], MAX_RESULTS, "results")

    def parameters(self, meta: Meta, children: list[Any]) -> list[syntax.Declaration]:
        return children

    def parameter(self, meta: Meta, children: list[Any]) -> syntax.Declaration:
        name, of_type = children
        return syntax.Declaration(self._at(name), str(name), of_type or BOOLEAN)

    def procedure(self, meta: Meta, children: list[Any]) -> syntax.Procedure:
        results, name, parameters, *declarations, body, end = children
        return syntax.Procedure(
            self._at(name),
            str(name),
            self._at(end),
            tuple(parameters or ()),
            results,
            tuple(chain(*declarations)),
            body,
        )

    def items(self, meta: Meta, statements: list[Any]) -> tuple[syntax.Statement, ...]:
        return tuple(statements)

    def one(self, meta: Meta, statements: list[Any]) -> tuple[syntax.Statement, ...]:
        return tuple(statements)

    def label(self, meta: Meta, children: list[Any]) -> syntax.Label:
        (name,) = children
        return syntax.Label(self._at(name), str(name), name.type == "NUMBER")

    def labelled(self, meta: Meta, children: list[Any]) -> syntax.Statement:
        *labels, statement = children
        return cast(syntax.Statement, replace(statement, labels=tuple(labels)))

    def if_(self, meta: Meta, children: list[Any]) -> syntax.If:
        (text, condition), then, otherwise = children
        position = self._at(meta)
        branches: tuple[syntax.Branch, ...] = (syntax.Branch(position, text, condition, then),)
        match otherwise:
            case (syntax.If(labels=()) as inner,):
                branches += inner.branches
                otherwise = inner.otherwise
        return syntax.If(position=position, text=text, branches=branches, otherwise=otherwise or ())

    def while_(self, meta: Meta, children: list[Any]) -> syntax.While:
        (text, condition), body = children
        return syntax.While(position=self._at(meta), text=text, condition=condition, body=body)

    while_head = TreeBuilder.if_head

    def atomic(self, meta: Meta, children: list[Any]) -> syntax.Atomic:
        return syntax.Atomic(position=self._at(meta), text="atomic { … }", body=children[0])

    def goto(self, meta: Meta, children: list[Any]) -> syntax.Goto:
        return syntax.Goto(**self._where(meta), targets=tuple(children))

    def target(self, meta: Meta, children: list[Any]) -> syntax.Name:
        return self.name(meta, children)

    def create(self, meta: Meta, children: list[Any]) -> syntax.ThreadCreate:
        name, arguments, count = children
        return syntax.ThreadCreate(
            **self._where(meta),
            procedure=self.name(meta, [name]),
            arguments=arguments or (),
            count=1 if count is None else self._count(count, MAX_THREADS, "threads"),
        )

    def places(self, meta: Meta, children: list[Any]) -> tuple[syntax.Target, ...]:
        return tuple(children)

    def ignored(self, meta: Meta, children: list[Any]) -> syntax.Ignored:
        return syntax.Ignored(self._at(meta))

    def number(self, meta: Meta, children: list[Any]) -> syntax.Number:
        return syntax.Number(self._at(meta), self._value(children[0]))

    def negative(self, meta: Meta, children: list[Any]) -> syntax.Number:
        return syntax.Number(self._at(meta), -self._value(children[1]))

    def truth(self, meta: Meta, children: list[Any]) -> syntax.Truth:
        return syntax.Truth(self._at(meta), children[0] in ("true", "T"))

    def element(self, meta: Meta, children: list[Any]) -> syntax.Index:
        name, index = children
        return syntax.Index(self._at(name), str(name), index)

    def minus(self, meta: Meta, children: list[Any]) -> syntax.Unary:
        return syntax.Unary(self._at(meta), "minus", children[1])

    def binary(self, meta: Meta, children: list[Any]) -> syntax.Binary:
        left, operator, right = children
        return syntax.Binary(self._at(operator), _OPERATORS[operator], left, right)

    def _without_comments(self, text: str) -> str:
        return _COMMENT.sub(" ", text)

    def _value(self, number: Token) -> int:
        if len(number.lstrip("0")) > MAX_DIGITS:
            self._fail(number, f"expected at most {MAX_DIGITS} digits, found a longer number")
        return int(number)

    def _count(self, number: Token, most: int, what: str) -> int:
        value = self._value(number)
        if not 1 <= value <= most:
            self._fail(number, f"expected a number of {what} (1 to {most}), found {value}")
        return value


def _unexpected(source: Source, text: str, trouble: UnexpectedToken) -> InputError:
    """The message for a token that cannot stand where it does."""
    token = trouble.token
    accepted = trouble.accepts or trouble.expected
    expected = THREAD_VARIABLE if expects_thread(trouble) else _described(accepted)
    if token.type == "$END":
        return source.error_at_end(f"expected {expected}, found the end of the file")
    before = _COMMENT.sub(" ", text[: token.start_pos]).split()
    hint = fork_hint(trouble) or _hint(token, accepted, before, text[token.start_pos :])
    hint = hint or habit_hint(trouble, text)
    hint = hint or keyword_hint(trouble, keywords_of(_parser())) or type_hint(trouble)
    return source.error(
        token.line, token.column, f"expected {expected}, found '{shown(token)}'{hint}"
    )


def _hint(token: Token, accepted: set[str], before: list[str], rest: str) -> str:
    """A hint at what the author of such a text probably wants."""
    last = before[-1] if before else ""
    if before[-2:-1] == ["thread"] and token.value in _AFTER_THREAD:
        return _AFTER_THREAD[token.value]
    if before[-2:-1] in (["int"], ["bool"]) and _sign("(") in accepted:
        return declaration_hint(last, before[-2], rest)
    if token.type == "EQUAL" and _sign(":=") in accepted:
        return "; assignment is ':='"
    if token.value in ("+", "-") and _sign(":=") in accepted:
        return f"; to count is written as in 'x := x {token.value} 1;'"
    if token.type == "DECL" and last.endswith(","):
        return "; 'decl' is written once for several variables"
    if token.type in ("DECL", "THREAD") and "SKIP" in accepted:
        return "; declarations come first"
    if token.type in ("INT", "BOOL", "ENUM") and "SKIP" in accepted:
        return "; variables are declared first, as in 'decl x: int 0..7;'"
    return ""


_AFTER_THREAD = {
    "(": "; procedures do not return threads",
    "[": "; there are no arrays of threads",
    ":=": "; it names a thread when 'async' is assigned to it",
}
"""The message for an error after `thread NAME`."""


def _sign(text: str) -> str:
    """The name of the terminal that is this sign."""
    return next(one.name for one in _parser().terminals if one.pattern.value == text)


def _stray(source: Source, text: str, trouble: UnexpectedCharacters) -> InputError:
    """The message for a character that begins no token."""
    start = trouble.pos_in_stream or 0
    if text.startswith("/*", start):
        return source.error(trouble.line, trouble.column, "the comment opened here is not closed")
    found, hint = shown(text[start]), character_hint(text[start])
    message = f"no word or sign begins with '{found}'{hint}"
    return source.error(trouble.line, trouble.column, message)


_GROUPS = {
    "a declaration": "DECL THREAD",
    "a statement": "NAME NUMBER UNDERSCORE SKIP GOTO RETURN ASSERT ASSUME WAIT THREAD_CREATE"
    " ASYNC JOIN IF WHILE ATOMIC",
    "an expression": "NAME NUMBER TRUE FALSE T F LPAR NOT MINUS TIMES QUOTE SCHOOSE",
    "a constant": "NAME NUMBER TRUE FALSE T F MINUS TIMES",
    "an operator": "QUESTION IMPLIES OR XOR AND EQUAL LESS GREATER AT_MOST AT_LEAST"
    " PLUS MINUS TIMES",
    "a procedure": "VOID BOOL INT ENUM",
    "a type": "BOOL INT ENUM THREAD",
    "a label": "NAME NUMBER",
}
_WORDS = {"NAME": "a name", "NUMBER": "a number", "$END": "the end of the file"}


def _described(terminals: set[str]) -> str:
    """The tokens that may stand at a place, in words; signs first, then names of more than one
    word."""
    rest = terminals - {"SEMICOLON"} if "CLOSE" in terminals else set(terminals)
    phrases = []
    for phrase, names in _GROUPS.items():
        if rest.issuperset(names.split()):
            phrases.append(phrase)
            rest.difference_update(names.split())
    signs = {terminal.name: f"'{terminal.pattern.value}'" for terminal in _parser().terminals}
    words = sorted({**signs, **_WORDS}[name] for name in rest)
    *others, last = words + phrases
    return f"{', '.join(others)} or {last}" if others else last
