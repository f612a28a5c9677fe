"""Declarations in braces: variables, types, and what a procedure takes and returns."""

from __future__ import annotations

from tepui.languages.boolean import syntax
from tepui.languages.boolean.braces_expressions import (
    A_PROCEDURE,
    A_TYPE,
    MACHINE_TYPES,
    ExpressionReader,
)
from tepui.languages.boolean.lexer import NUMBER
from tepui.languages.boolean.reader import MAX_RESULTS
from tepui.program.types import (
    BOOLEAN,
    INTEGER,
    THREAD,
    Array,
    Bounded,
    Enumeration,
    Overflow,
    Scalar,
    Type,
    machine,
)
from tepui.records import replace
from tepui.words import shown

MAX_ELEMENTS = 10_000

TYPES = ("bool", "int", "enum", *MACHINE_TYPES)


class DeclarationReader(ExpressionReader):
    """The part of the reader that knows declarations."""

    def declaration(self) -> list[syntax.Declaration]:
        if self.kind == "thread":
            self.take()
            names = self.separated(self.name)
            declared = [syntax.Declaration(name.position, name.name, THREAD) for name in names]
        else:
            self.expect("decl")
            volatile = self.kind == "volatile" and self.accept("volatile")
            declared = self.separated(self._variable)
            if volatile:
                declared = [replace(variable, volatile=True) for variable in declared]
        self.expect(";")
        return declared

    def _variable(self) -> syntax.Declaration:
        name = self.name()
        type_ = self._type() if self.accept(":") else BOOLEAN
        initial = self._initial() if self.accept(":=") else None
        return syntax.Declaration(name.position, name.name, type_, initial)

    def _initial(self) -> syntax.Expression:
        if self.kind == "*":
            return syntax.Star(self.words.position(self.take()))
        return self.constant()

    def _type(self) -> Type:
        if self.kind != "thread" and self.kind not in TYPES:
            self.hoped.add(A_TYPE)
            raise self.unexpected()
        scalar: Scalar = THREAD
        if self.kind == "thread":
            self.take()
        else:
            scalar = self._scalar()
        if not self.accept("["):
            return scalar
        if scalar == THREAD:
            raise self.error("expected no length, because there are no arrays of threads")
        length = self.count(MAX_ELEMENTS, "elements")
        self.expect("]")
        return Array(scalar, length)

    def _scalar(self) -> Scalar:
        word = self.words.texts[self.take()]
        match word:
            case "bool":
                return BOOLEAN
            case "enum":
                return self._enumeration()
            case "int":
                return self._range()
        return machine(int(word.lstrip("uint")), signed=not word.startswith("u"))

    def _enumeration(self) -> Scalar:
        self.expect("{")
        members: dict[str, None] = {}
        for name in self.separated(self.name):
            if name.name in members:
                at, found = name.position, shown(name.name)
                raise self.source.error(
                    at.line, at.column, f"expected a new member, found '{found}' again"
                )
            members[name.name] = None
        self.expect("}")
        return Enumeration(tuple(members))

    def _range(self) -> Scalar:
        if self.kind not in (NUMBER, "-"):
            self.more.update((NUMBER, "-"))
            return INTEGER
        low = self._bound()
        self.expect("..")
        place = self.index
        high = self._bound()
        if low > high:
            raise self.error(f"expected a number from {low} upwards, found {high}", place)
        overflow: Overflow = "wrap"
        if self.accept("saturate"):
            overflow = "saturate"
        elif self.accept("block"):
            overflow = "block"
        return Bounded(low, high, overflow)

    def _bound(self) -> int:
        return -self.number().value if self.accept("-") else self.number().value

    def results(self) -> tuple[Scalar, ...]:
        if self.kind == "void":
            self.take()
            return ()
        if self.kind not in TYPES:
            self.hoped.add(A_PROCEDURE)
            raise self.unexpected()
        scalar = self._scalar()
        if scalar != BOOLEAN or not self.accept("<"):
            return (scalar,)
        count = self.count(MAX_RESULTS, "results")
        self.expect(">")
        return (BOOLEAN,) * count

    def parameter(self) -> syntax.Declaration:
        name = self.name()
        type_ = self._type() if self.accept(":") else BOOLEAN
        return syntax.Declaration(name.position, name.name, type_)
