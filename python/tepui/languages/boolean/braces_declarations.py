"""Declarations in braces: variables, types, and what a procedure takes and returns."""

from __future__ import annotations

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.braces_expressions import (
    A_PROCEDURE,
    A_TYPE,
    MACHINE_TYPES,
    ExpressionReader,
)
from tepui.languages.boolean.lexer import END, NUMBER
from tepui.languages.boolean.reader import A_NUMBER, MAX_RESULTS
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

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


class DeclarationReader(ExpressionReader):
    """The part of the reader that knows declarations."""

    def declaration(self) -> list[syntax.Declaration]:
        if self.kind == "thread":
            self.take()
            names = self.separated(self.name)
            declared = [syntax.Declaration(name.position, name.name, THREAD) for name in names]
            self.expect(";")
        else:
            self.expect("decl")
            volatile = self.kind == "volatile" and self.accept("volatile")
            declared = self._variables()
            if volatile:
                declared = [replace(variable, volatile=True) for variable in declared]
        return declared

    def _variables(self) -> list[syntax.Declaration]:
        """The variables up to a semicolon. After an error in one of them, the next one is read."""
        variables = []
        while True:
            first = self.index
            try:
                variable = self._variable()
                end = self.expect_one_of((",", ";"))
                variables.append(variable)
            except InputError as error:
                found = self._end_of_variable(first)
                if found is None:
                    raise
                self.note(error)
                while self.index <= found:
                    end = self.take()
                self.doubt(first)
            if self.kinds[end] == ";":
                return variables

    def _end_of_variable(self, first: int) -> int | None:
        """The comma or semicolon behind the variable that begins with a word and has an error, if
        nothing else begins before it."""
        read = self.kinds[first : self.index]
        depth = sum(map(read.count, _OPENING)) - sum(map(read.count, _CLOSING))
        for index in range(self.index, len(self.kinds)):
            kind = self.kinds[index]
            if kind == ";" or (kind == "," and not depth):
                return index
            begins = self.words.opens_line(index) and self.kinds[index - 1] != ","
            depth += (kind in _OPENING) - (kind in _CLOSING)
            if begins or depth < 0 or kind in ("decl", "void", END):
                return None
        return None

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
        if self.kind == "thread":
            self.take()
            if self.kind == "[":
                raise self.error("expected no length, because there are no arrays of threads")
            return THREAD
        scalar = self._scalar()
        if not self.accept("["):
            return scalar
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
            self.more.update((A_NUMBER, "-"))
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
