"""What the two parsers of Boolean programs share: the nodes that look the same in both grammars."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, NoReturn, TypedDict, cast

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from tepui.languages.boolean import syntax
from tepui.languages.source import Source
from tepui.program.program import Position
from tepui.program.types import Scalar

MAX_RESULTS = 64


class Where(TypedDict):
    """The position of a statement, and its text."""

    position: Position
    text: str


@v_args(meta=True)
class TreeBuilder(Transformer_NonRecursive[Token, Any]):
    """Makes the nodes of the syntax tree, the innermost first; one method for each rule."""

    def __init__(self, source: Source, text: str) -> None:
        super().__init__()
        self.source = source
        self.text = text

    def no_results(self, meta: Meta, children: list[Any]) -> tuple[Scalar, ...]:
        return ()

    def if_head(self, meta: Meta, children: list[Any]) -> tuple[str, syntax.Expression]:
        return self._text(meta), children[0]

    def skip(self, meta: Meta, children: list[Any]) -> syntax.Skip:
        return syntax.Skip(**self._where(meta))

    def assign(self, meta: Meta, children: list[Any]) -> syntax.Assign:
        targets, values, constraint = children
        return syntax.Assign(
            **self._where(meta), targets=targets, values=values, constraint=constraint
        )

    def call(self, meta: Meta, children: list[Any]) -> syntax.Call:
        name, arguments = children
        return syntax.Call(
            **self._where(meta), procedure=self.name(meta, [name]), arguments=arguments or ()
        )

    def receive(self, meta: Meta, children: list[Any]) -> syntax.Call:
        targets, *called = children
        return replace(self.call(meta, called), targets=targets)

    def return_(self, meta: Meta, children: list[Any]) -> syntax.Return:
        return syntax.Return(**self._where(meta), values=children[0] or ())

    def assert_(self, meta: Meta, children: list[Any]) -> syntax.Assert:
        return syntax.Assert(**self._where(meta), condition=children[0])

    def assume(self, meta: Meta, children: list[Any]) -> syntax.Assume:
        return syntax.Assume(**self._where(meta), condition=children[0])

    def async_(self, meta: Meta, children: list[Any]) -> syntax.Async:
        name, arguments = children
        return syntax.Async(
            **self._where(meta), procedure=self.name(meta, [name]), arguments=arguments or ()
        )

    def async_into(self, meta: Meta, children: list[Any]) -> syntax.Async:
        targets, *forked = children
        return replace(self.async_(meta, forked), targets=targets)

    def join(self, meta: Meta, children: list[Any]) -> syntax.Join:
        return syntax.Join(**self._where(meta), thread=children[0])

    def expressions(self, meta: Meta, children: list[Any]) -> tuple[syntax.Expression, ...]:
        return tuple(children)

    def name(self, meta: Meta, children: list[Any]) -> syntax.Name:
        return syntax.Name(self._at(children[0]), str(children[0]))

    def next(self, meta: Meta, children: list[Any]) -> syntax.Next:
        return syntax.Next(self._at(meta), str(children[0]))

    def star(self, meta: Meta, children: list[Any]) -> syntax.Star:
        return syntax.Star(self._at(meta))

    def schoose(self, meta: Meta, children: list[Any]) -> syntax.Schoose:
        return syntax.Schoose(self._at(meta), *children)

    def not_(self, meta: Meta, children: list[Any]) -> syntax.Unary:
        return syntax.Unary(self._at(meta), "not", children[1])

    def ternary(self, meta: Meta, children: list[Any]) -> syntax.Ternary:
        condition, question, then, otherwise = children
        return syntax.Ternary(self._at(question), condition, then, otherwise)

    def _where(self, meta: Meta) -> Where:
        return {"position": self._at(meta), "text": self._text(meta)}

    def _at(self, place: Meta | Token) -> Position:
        return Position(self.source.name, cast(int, place.line), cast(int, place.column))

    def _text(self, meta: Meta) -> str:
        """The text of a part of the source, in one line and without comments."""
        return " ".join(self._without_comments(self.text[meta.start_pos : meta.end_pos]).split())

    @abstractmethod
    def _without_comments(self, text: str) -> str: ...

    def _fail(self, place: Token | Position, message: str) -> NoReturn:
        raise self.source.error(cast(int, place.line), cast(int, place.column), message)
