"""Random Java expressions of every type, for random programs.

What is divided by is mostly odd, and indexes are mostly 0 or 1, so that most programs go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

INTS = (0, 1, -1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, -128, -129, 32767,
        32768, 65535, 65536, 2147483647, -2147483648, -2147483647, 1073741824, 1000003)  # fmt: skip
LONGS = (*INTS, 4294967295, 4294967296, -4294967296, 2**63 - 1, -(2**63), 2**62, 10**15)
SMALL = {"byte": (-128, 127), "short": (-32768, 32767), "char": (0, 65535)}
INTEGRAL = ("int", "long", "byte", "short", "char")
PRIMITIVE = (*INTEGRAL, "boolean")
BOXES = {
    "Integer": "int",
    "Long": "long",
    "Character": "char",
    "Byte": "byte",
    "Boolean": "boolean",
}
TEXTS = ("", "a", "b", "Aa", "BB", "abc", "C#", "Bb")

_OBJECTS = ("A", "Integer", "String", "int[]", "E", "Long", "Object[]", "A[]", "R", "Character",
            "Byte")  # fmt: skip
_TESTED = ("A", "B", "I", "C", "String", "Integer", "int[]", "Object[]", "E", "Number",
           "Comparable")  # fmt: skip
_FIELDS = {"int": "i", "long": "l", "byte": "b", "char": "c", "boolean": "z", "A": "o"}

Method = tuple[str, str, tuple[str, ...]]
"""The name of a static method, its result, and its parameters behind the one that counts down."""


@dataclass
class Scope:
    """What can be named at a place."""

    names: dict[str, str] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    """Those that are never assigned, so that lambdas may capture them."""
    labels: tuple[str, ...] = ()
    breakable: bool = False
    continuable: bool = False
    returns: str | None = None
    in_object: bool = False
    loops: int = 0

    def inner(self, **changes: Any) -> Scope:
        made = Scope(**{**self.__dict__, "names": dict(self.names), "fixed": set(self.fixed)})
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def of(self, *types: str, assigned: bool = False) -> list[str]:
        return [
            name
            for name, type_ in self.names.items()
            if type_ in types and not (assigned and name in self.fixed)
        ]


class Expressions:
    """Writes expressions with the names that a scope has."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.random = name, Random(seed)
        self.methods: list[Method] = []
        """The static methods that exist already."""

    def expression(self, type_: str, scope: Scope, depth: int) -> str:
        if type_ in ("int", "long"):
            return self._integral(type_, scope, depth)
        if type_ in SMALL:
            return self._small(type_, scope, depth)
        if type_ == "boolean":
            return self._boolean(scope, depth)
        return self._reference(type_, scope, depth)

    def switched(self, scope: Scope) -> tuple[str, list[str]]:
        """A value to switch on, and some labels."""
        kind = self.pick("int", "int", "String", "E", "char", "byte")
        count = self.random.randint(1, 4)
        if kind == "String":
            labels = [f'"{text}"' for text in self.random.sample(TEXTS, count)]
            return self.expression("String", scope, 2), labels
        if kind == "E":
            return self.expression("E", scope, 2), self.random.sample("PQR", min(count, 3))
        value = self.expression("int", scope, 2)
        if kind == "int":
            pool: Sequence[int] = INTS if self.chance(0.4) else range(-2, 7)
            return f"(int) ({value})", [str(n) for n in self.random.sample(pool, count)]
        labels = [str(n) for n in self.random.sample(range(8), count)]
        return f"({kind}) ({value} & 7)", labels

    def literal(self, type_: str) -> str:
        if type_ == "boolean":
            return self.pick("true", "false")
        if type_ == "long":
            return f"{self.random.choice(LONGS)}L"
        if type_ == "int":
            return str(self.random.choice(INTS))
        low, high = SMALL[type_]
        value = self.random.choice((low, high, 0, 1, 65, self.random.randint(low, high)))
        return f"({type_}) {value}"

    def place(self, type_: str, scope: Scope) -> str | None:
        """A variable, an element or a field that can be assigned."""
        places = self._places(type_, scope, 2, assigned=True)
        return self.random.choice(places) if places else None

    def compound(self, place: str, scope: Scope) -> str:
        """A compound assignment."""
        operator = self.pick("+", "-", "*", "&", "|", "^", "<<", ">>", ">>>", "/", "%")
        value = self.expression(self.pick(*INTEGRAL), scope, 2)
        if operator in "/%":
            value = f"({value} | 1)"
        return f"{place} {operator}= {value}"

    def object_call(self, scope: Scope, depth: int) -> str:
        """A call of a method of an object, with an int as result."""
        value = self.expression("int", scope, depth - 1)
        if scope.in_object:
            return f"({value})"
        return f"{self.expression('A', scope, 1)}.{self.pick('g', 'own', 'd')}({value})"

    def made(self, type_: str, scope: Scope) -> str:
        """A new object, or a constant."""
        if type_ == "String":
            return f'"{self.random.choice(TEXTS)}"'
        if type_ == "E":
            return f"E.{self.pick('P', 'Q', 'R')}"
        if type_.endswith("[]"):
            return self._array(type_, scope)
        number = self.expression("int", scope.inner(), 1)
        if type_ == "R":
            return f"new R({number}, {self.literal('long')}, null)"
        if scope.in_object:
            return "((A) null)" if self.chance(0.1) else "this"
        return self.pick("new A()", f"new A({number})", "new B()", f"new B({number})", "new C()")

    def pick(self, *ways: str) -> str:
        return self.random.choice(ways)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def _places(self, type_: str, scope: Scope, depth: int, *, assigned: bool = False) -> list[str]:
        places = list(scope.of(type_, assigned=assigned))
        if depth > 0:
            for array in scope.of(f"{type_}[]"):
                places.append(f"{array}[{self._index(scope, depth - 1)}]")
            objects = scope.of("A")
            if type_ in _FIELDS and objects:
                places.append(f"{self.pick(*objects)}.{_FIELDS[type_]}")
        return places

    def _index(self, scope: Scope, depth: int) -> str:
        value = self.expression(self.pick("int", "byte", "char"), scope, depth)
        if self.chance(0.06):
            return value
        return f"{value} & 1" if self.chance(0.8) else "0"

    # Numbers.

    def _small(self, type_: str, scope: Scope, depth: int) -> str:
        places = self._places(type_, scope, depth)
        if places and self.chance(0.5):
            return self.pick(*places)
        if depth <= 0 or self.chance(0.3):
            return self.literal(type_)
        return f"({type_}) ({self.expression(self.pick(*INTEGRAL), scope, depth - 1)})"

    def _integral(self, type_: str, scope: Scope, depth: int) -> str:
        if depth <= 0:
            names = scope.of(type_)
            return self.pick(*names) if names and self.chance(0.6) else self.literal(type_)
        if self.chance(0.6):
            return self._computed(type_, scope, depth)
        way = self.pick("place", "place", "step", "assign", "call", "box", "special")
        if way == "special":
            return self._special(scope, depth)
        if way == "box":
            box = "Integer" if type_ == "int" else "Long"
            names = scope.of(box)
            if names and self.chance(0.3):
                return f"({type_}) {self.pick(*names)}"
            return f"({type_}) ({box}) ({type_}) ({self.expression(type_, scope, depth - 1)})"
        if way == "call":
            fitting = [method for method in self.methods if method[1] == type_]
            if fitting:
                return self._static_call(self.random.choice(fitting), scope, depth)
            return f"({type_}) {self.object_call(scope, depth)}"
        place = self.place(type_, scope)
        if place is None:
            return self.literal(type_)
        if way == "place":
            return self.pick(*self._places(type_, scope, depth), place)
        if way == "step":
            return self.pick(f"{place}++", f"++{place}", f"{place}--", f"(--{place})")
        if self.chance(0.4):
            return f"({place} = {self.expression(type_, scope, depth - 1)})"
        return f"({self.compound(place, scope)})"

    def _computed(self, type_: str, scope: Scope, depth: int) -> str:
        """An operator; one operand may be narrower than the result."""
        left = self.expression(type_, scope, depth - 1)
        narrow = self.pick("int", "byte", "short", "char", type_)
        right = self.expression(narrow, scope, depth - 1)
        way = self.pick("arithmetic", "arithmetic", "division", "shift", "unary", "cast", "ternary")
        if way == "division":
            divisor = right if self.chance(0.1) else f"({right} | 1)"
            return f"({left} {self.pick('/', '%')} {divisor})"
        if way == "shift":
            count = self.expression(self.pick(*INTEGRAL), scope, depth - 1)
            return f"({left} {self.pick('<<', '>>', '>>>')} {count})"
        if way == "unary":
            return f"({self.pick('-', '~', '+')}({left}))"
        if way == "cast":
            return f"({type_}) ({self.expression(self.pick(*INTEGRAL), scope, depth - 1)})"
        if way == "ternary":
            return f"({self._boolean(scope, depth - 1)} ? {left} : {right})"
        if self.chance(0.3):
            left, right = right, left
        return f"({left} {self.pick('+', '-', '*', '&', '|', '^')} {right})"

    def _special(self, scope: Scope, depth: int) -> str:
        """What gives an int in some other way."""

        def sub(type_: str) -> str:
            return self.expression(type_, scope, depth - 1)

        ways = [
            f"kind({sub('Object')})",
            f"Math.{self.pick('max', 'min')}({sub('int')}, {sub('int')})",
            f"Integer.compare({sub('int')}, {sub('int')})",
            f"Long.compare({sub('long')}, {sub('long')})",
            f"{sub('E')}.val({sub('int')})",
            f"{sub('E')}.ordinal()",
            f"{sub('String')}.length()",
            f"Math.abs({sub('int')})",
            f"{sub('R')}.sum()",
            f"{sub('R')}.x()",
        ]
        arrays = scope.of("int[]", "byte[]", "Object[]", "int[][]", "A[]")
        if arrays:
            ways.append(f"{self.pick(*arrays)}.length")
        if scope.in_object:
            ways += ["this.i", "p"]
        of, labels = self.switched(scope)
        arms = " ".join(f"case {label} -> {sub('int')};" for label in labels)
        ways.append(f"(switch ({of}) {{ {arms} default -> {{ h(3); yield {sub('int')}; }} }})")
        return self.pick(*ways)

    def _static_call(self, method: Method, scope: Scope, depth: int) -> str:
        name, _, parameters = method
        count = "depth - 1" if "depth" in scope.names else str(self.random.randint(1, 3))
        values = [self.expression(each, scope, min(depth - 1, 1)) for each in parameters]
        return f"{name}({', '.join([count, *values])})"

    # Booleans.

    def _boolean(self, scope: Scope, depth: int) -> str:
        places = self._places("boolean", scope, depth)
        if depth <= 0 or self.chance(0.1):
            return self.pick(*places) if places else self.literal("boolean")
        if self.chance(0.35):
            return self._about_objects(scope, depth)
        if self.chance(0.5):
            left, right = (
                self.expression(self.pick(*INTEGRAL), scope, depth - 1) for _ in range(2)
            )
            return f"({left} {self.pick('<', '<=', '>', '>=', '==', '!=')} {right})"
        left, right = (self._boolean(scope, depth - 1) for _ in range(2))
        if self.chance(0.2):
            return f"!({left})"
        return f"({left} {self.pick('&&', '||', '&', '|', '^', '==')} {right})"

    def _about_objects(self, scope: Scope, depth: int) -> str:
        """Comparisons and tests of references."""

        def sub(type_: str) -> str:
            return self.expression(type_, scope, depth - 1)

        way = self.pick("instanceof", "same", "equals", "null")
        if way == "instanceof":
            return f"((Object) {sub('Object')} instanceof {self.pick(*_TESTED)})"
        if way == "same":
            type_ = self.pick("A", "Integer", "String", "Object", "E", "Long")
            return f"({sub(type_)} {self.pick('==', '!=')} {sub(type_)})"
        if way == "null":
            return f"({sub(self.pick('A', 'int[]', 'Object', 'String'))} == null)"
        type_ = self.pick("Integer", "String", "E", "Long")
        of = self._boxed(type_, scope, depth) if type_ in BOXES else self.made(type_, scope)
        return f"{of}.equals({sub(self.pick(type_, type_, 'Object'))})"

    # References.

    def _reference(self, type_: str, scope: Scope, depth: int) -> str:
        places = self._places(type_, scope, depth)
        if type_ == "A" and scope.in_object:
            places.append("this")
        if places and self.chance(0.6):
            return self.pick(*places)
        if self.chance(0.03):
            return f"(({type_}) null)"
        if type_ in BOXES:
            return self._boxed(type_, scope, depth)
        if type_ == "I":
            return f"((I) {self.expression('A', scope, depth - 1)})"
        if type_ == "Object":
            return f"((Object) {self.expression(self.pick(*_OBJECTS), scope, depth - 1)})"
        objects = scope.of("Object", "I")
        if type_ == "A" and depth > 0 and objects and self.chance(0.15):
            return f"((A) {self.pick(*objects)})"
        return self.made(type_, scope)

    def _boxed(self, type_: str, scope: Scope, depth: int) -> str:
        kind = BOXES[type_]
        return f"(({type_}) ({kind}) ({self.expression(kind, scope, depth - 1)}))"

    def _array(self, type_: str, scope: Scope) -> str:
        number = self.expression("int", scope.inner(), 1)
        if type_ == "A[]":
            return self.pick("new A[2]", f"new A[] {{{self.made('A', scope)}, null}}", "new B[2]")
        if type_ == "Object[]":
            texts = 'new String[] {"a", "b"}'
            return self.pick("new Object[2]", texts, "new A[2]", "new Integer[] {1, 200}")
        if type_ == "int[][]":
            rows = f"new int[][] {{{{1, 2}}, {{{number}, 3, 4}}}}"
            return self.pick("new int[2][2]", "new int[2][]", rows, "new int[2][3]")
        element, count = type_[:-2], self.random.randint(2, 4)
        if self.chance(0.4):
            values = [self.expression(element, scope.inner(), 0) for _ in range(count)]
            return f"new {type_} {{{', '.join(values)}}}"
        return f"new {element}[{number} & 3]" if self.chance(0.05) else f"new {element}[{count}]"
