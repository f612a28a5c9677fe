"""Random sequential Java programs, to be run on the JVM and in tepui.

Each is one class with a method `run`, which mixes whatever it computes into a static field `acc`,
and ends, perhaps by an exception. Loops count to small numbers and recursion counts down, so every
run is short. All that happens is what the Java Language Specification says; nothing depends on
time, hash codes of objects, floating point numbers or the text of computed strings.
"""

from __future__ import annotations

from support.generators.java_expressions import (
    INTEGRAL,
    PRIMITIVE,
    Expressions,
    Scope,
)

EXCEPTIONS = ("RuntimeException", "X", "Y", "ArithmeticException", "NullPointerException",
              "ArrayIndexOutOfBoundsException", "ClassCastException", "IllegalStateException",
              "NegativeArraySizeException", "ArrayStoreException", "IndexOutOfBoundsException",
              "Throwable", "Exception", "Error")  # fmt: skip
THROWN = ("new X({i})", "new Y({i})", "new RuntimeException()", "new IllegalStateException()",
          "new Error()", "new ArithmeticException()")  # fmt: skip


class JavaProgram(Expressions):
    """One random program."""

    def __init__(self, name: str, seed: int, size: int = 12) -> None:
        super().__init__(name, seed)
        self.size = size
        self.count = self.depth = 0
        self.globals: dict[str, str] = {}

    def source(self) -> str:
        statics = self._statics()
        helpers = [self._helper() for _ in range(self.random.randint(1, max(1, self.size // 3)))]
        types = self._types()
        body = self._body(Scope(names=dict(self.globals)), self.size)
        parts = [
            f"public class {self.name} {{",
            "static int acc; static int fuel = 60;",
            "static void h(int x) { acc = acc * 31 + x; }",
            "static void h(long x) { h((int) x); h((int) (x >> 32)); }",
            "static void h(boolean x) { h(x ? 1 : 2); }",
            "static void h(Integer x) { if (x == null) h(77); else h((int) x); }",
            "static void h(Object x) { h(kind(x)); }",
            _KIND,
            *statics,
            *types,
            *helpers,
            "static void run() {",
            *body,
            "}",
            "}",
        ]
        return "\n".join(parts) + "\n"

    # Declarations.

    def _statics(self) -> list[str]:
        """Static fields, in an order that shows."""
        lines = []
        for type_ in ("int", "long", "byte", "short", "char", "boolean", "Integer", "A", "int[]"):
            if self.random.random() < 0.6:
                name = self._new("s")
                value = self.expression(type_, Scope(names=dict(self.globals)), 1)
                if type_ in ("A", "int[]"):
                    value = self.made(type_, Scope())
                volatile = "volatile " if self.random.random() < 0.1 else ""
                lines.append(f"static {volatile}{type_} {name} = {value};")
                self.globals[name] = type_
        if self.random.random() < 0.3 and self.globals:
            scope = Scope(names=dict(self.globals))
            lines += ["static {", *self._body(scope.inner(loops=1), 2), "}"]
        return lines

    def _types(self) -> list[str]:
        """The nested types: objects, a subclass, an interface, exceptions, an enum, a record."""
        own = {"i": "int", "l": "long", "b": "byte", "c": "char", "z": "boolean", "o": "A"}
        scope = Scope(
            names={**self.globals, **own, "p": "int"}, in_object=True, returns="int", loops=1
        )
        f = [self._body(scope.inner(), self.random.randint(0, self.size // 3)) for _ in range(5)]

        def e() -> str:
            return self.expression("int", scope.inner(), 2)

        lazy = self._body(Scope(names=dict(self.globals), loops=1), 2)
        synchronized = "synchronized " if self.random.random() < 0.3 else ""
        return [
            "interface I { int g(int p); default int d(int p) { return g(p + 1) - 3; }"
            " static int s(int p) { return p * 7; } }",
            "interface F<T, U> { U ap(T t); }",
            f"static class A implements I {{ int i = {self.literal('int')}; long l; byte b = 7;"
            f" char c = 'q'; boolean z; A o; {{ l = {self.literal('long')}; }}",
            f"A() {{ this({self.literal('int')}); h(1); }} A(int p) {{ i += p; hook(p); }}",
            "void hook(int p) { h(p); }",
            f"public {synchronized}int g(int p) {{", *f[0], f"return {e()}; }}",
            "int own(int p) {", *f[1], f"return {e()}; }}", "}",
            f"static class B extends A {{ short x = {self.random.randint(-99, 99)}; int i = 4;",
            "B() { super(3); h(x); } B(int p) { x += p; }",
            "void hook(int p) { super.hook(p + 1); h(x); }",
            "public int g(int p) { int q = super.g(p - 1);", *f[2],
            "return q * 3 + i + x + super.i; }",
            "public int d(int p) {", *f[3], f"return {e()}; }}", "}",
            "static final class C extends B { int own(int p) { return super.own(p) ^ (int) l; } }",
            "static class X extends RuntimeException { int code;",
            "X(int code) { this.code = code; } }",
            "static class Y extends X { Y(int p) { super(p + 1); code *= 2; } }",
            "static class Lazy { static int v = 3; static {", *lazy, "v = v * 2 + acc; }",
            "static int get(int p) { return v + p; } }",
            "static class Lazier extends Lazy { static int w = v + 1; static final int K = 11; }",
            "enum E { P, Q(5) { int val(int p) { return p - v; } }, R(-2); int v; E() { v = 1; }"
            " E(int v) { this.v = v; } int val(int p) { return v * p; } }",
            "record R(int x, long y, A a) { R { h(x); } int sum() { return x + (int) y; } }",
            "class In { int k = 5; int get(int p) { return k + p + acc; } }",
        ]  # fmt: skip

    def _helper(self) -> str:
        """A static method whose first parameter counts down."""
        name = self._new("m")
        result = self.random.choice((*PRIMITIVE, "int", "int"))
        parameters = tuple(
            self.random.choice((*PRIMITIVE, "int[]", "A")) for _ in range(self.random.randint(0, 2))
        )
        self.methods.append((name, result, parameters))
        names = {**self.globals, "depth": "int"} | {f"q{n}": t for n, t in enumerate(parameters)}
        scope = Scope(names=names, fixed={"depth"}, returns=result, loops=1)
        before = f"if (depth <= 0 || fuel-- <= 0) return {self.literal(result)};"
        body = self._body(scope, self.random.randint(1, 1 + self.size // 3))
        value = self.expression(result, scope, 3)
        modifier = "static synchronized" if self.random.random() < 0.2 else "static"
        declared = ", ".join(["int depth", *(f"{t} q{n}" for n, t in enumerate(parameters))])
        return "\n".join(
            [f"{modifier} {result} {name}({declared}) {{", before, *body, f"return {value};", "}"]
        )

    def _new(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # Statements.

    def _body(self, scope: Scope, size: int) -> list[str]:
        lines = []
        for _ in range(size):
            lines += self.statement(scope)
        return lines

    def statement(self, scope: Scope) -> list[str]:
        """Some lines; what they declare is added to the scope."""
        self.depth += 1
        try:
            simple = self.depth > min(4, 1 + self.size // 3)
            kinds = _SIMPLE if simple else _SIMPLE + _COMPOUND
            lines: list[str] = getattr(self, f"_{self.pick(*kinds)}")(scope)
            return lines
        finally:
            self.depth -= 1

    def _block(self, scope: Scope, size: int = 2) -> list[str]:
        return self._body(scope.inner(), self.random.randint(1, size))

    def _declare(self, scope: Scope) -> list[str]:
        type_ = self.pick(*_DECLARED)
        name = self._new("v")
        value = self.expression(type_, scope, 3)
        scope.names[name] = type_
        if self.random.random() < 0.3:
            scope.fixed.add(name)
            return [f"final {type_} {name} = {value};"]
        return [f"{type_} {name} = {value};"]

    def _assign(self, scope: Scope) -> list[str]:
        types = ("Integer", "A", "int[]", "String", "Object", "E", "I", *PRIMITIVE, *PRIMITIVE)
        type_ = self.random.choice(types)
        place = self.place(type_, scope)
        return [f"{place} = {self.expression(type_, scope, 3)};"] if place else self._mix(scope)

    def _compounds(self, scope: Scope) -> list[str]:
        type_ = self.random.choice(INTEGRAL)
        place = self.place(type_, scope)
        if place is None:
            return self._mix(scope)
        return [f"{self.compound(place, scope)};"]

    def _step(self, scope: Scope) -> list[str]:
        place = self.place(self.random.choice(INTEGRAL), scope)
        return (
            [self.random.choice((f"{place}++;", f"--{place};", f"h({place}--);"))]
            if place
            else self._mix(scope)
        )

    def _mix(self, scope: Scope) -> list[str]:
        type_ = self.random.choice((*PRIMITIVE, "int", "Integer", "Object", "String"))
        return [f"h({self.expression(type_, scope, 4)});"]

    def _call(self, scope: Scope) -> list[str]:
        value = self.object_call(scope, 3)
        return [f"h({value});"]

    def _if(self, scope: Scope) -> list[str]:
        lines = [f"if ({self.expression('boolean', scope, 3)}) {{", *self._block(scope, 3), "}"]
        if self.random.random() < 0.5:
            lines += ["else {", *self._block(scope, 3), "}"]
        return lines

    def _loop(self, scope: Scope) -> list[str]:
        if scope.loops >= 2:
            return self._mix(scope)
        name, most = self._new("k"), self.random.randint(1, 3)
        label = self._new("loop") if self.random.random() < 0.4 else None
        labels = (*scope.labels, label) if label else scope.labels
        inner = scope.inner(labels=labels, breakable=True, continuable=True, loops=scope.loops + 1)
        inner.names[name] = "int"
        inner.fixed.add(name)
        kind = self.random.choice(("for", "for", "while", "do", "each"))
        counter, start = inner, f"{label}: " if label else ""
        body = self._body(counter, self.random.randint(1, 3))
        if kind == "for":
            return [
                f"{start}for (int {name} = 0; {name} < {most}; {name}++) {{",
                *self._unfixed(body, name),
                "}",
            ]
        if kind == "each":
            array = self.made("int[]", scope)
            return [f"{start}for (int {name} : {array}) {{", *self._unfixed(body, name), "}"]
        # The counter is stepped first, because of continue.
        outer = self._new("w")
        head = [f"int {outer} = 0;"]
        step = f"int {name} = {outer}++;"
        if kind == "while":
            return [*head, f"{start}while ({outer} < {most}) {{", step, *body, "}"]
        return [*head, f"{start}do {{", step, *body, f"}} while ({outer} < {most});"]

    def _unfixed(self, body: list[str], name: str) -> list[str]:
        """In a for loop the counter is not effectively final, so a lambda captures a copy of it."""
        copy = self._new("c")
        return [f"final int {copy} = {name};", *(line.replace(f"¢{name}¢", copy) for line in body)]

    def _leave(self, scope: Scope) -> list[str]:
        """Break, continue or return, or throw."""
        condition = self.expression("boolean", scope, 2)
        ways = [self._throw(scope)]
        if scope.breakable:
            ways.append("break;")
        if scope.continuable:
            ways.append("continue;")
        ways += [f"{self.random.choice(('break', 'continue'))} {label};" for label in scope.labels]
        if scope.returns:
            ways.append(f"return {self.expression(scope.returns, scope, 2)};")
        return [f"if ({condition}) {self.random.choice(ways)}"]

    def _throw(self, scope: Scope) -> str:
        value = self.random.choice(THROWN).format(i=self.expression("int", scope, 1))
        return f"throw {value};"

    def _try(self, scope: Scope) -> list[str]:
        lines = ["try {", *self._block(scope, 3)]
        if self.random.random() < 0.4:
            lines.append(f"if ({self.expression('boolean', scope, 2)}) {self._throw(scope)}")
        lines.append("}")
        caught = self.random.sample(EXCEPTIONS, self.random.randint(0, 2))
        if len(caught) == 2 and _is_above(caught[0], caught[1]):
            caught.reverse()
        if len(set(caught)) == 2 and (caught[0] in ("Throwable",) or _is_above(*caught)):
            caught.pop()
        for type_ in caught:
            name = self._new("e")
            inner = scope.inner()
            code = f"h({name}.code);" if type_ in ("X", "Y") else f"h({name});"
            rethrow = (
                f"if ({self.expression('boolean', inner, 2)}) throw {name};"
                if self.random.random() < 0.3 and type_ not in ("Throwable", "Exception")
                else ""
            )
            lines += [f"catch ({type_} {name}) {{", code, *self._body(inner, 1), rethrow, "}"]
        if not caught or self.random.random() < 0.5:
            lines += ["finally {", *self._block(scope, 2), "}"]
        return lines

    def _switch(self, scope: Scope) -> list[str]:
        of, labels = self.switched(scope)
        lines = [f"switch ({of}) {{"]
        inner = scope.inner(breakable=True)
        if self.random.random() < 0.4:
            for label in labels:
                lines += [f"case {label} -> {{", *self._block(inner, 2), "}"]
            if self.random.random() < 0.5:
                lines += ["default -> {", *self._block(inner, 2), "}"]
        else:
            spots = [f"case {label}:" for label in labels]
            if self.random.random() < 0.6:
                spots.insert(self.random.randrange(len(spots) + 1), "default:")
            for spot in spots:
                stop = "break;" if self.random.random() < 0.6 else ""
                lines += [spot, "{", *self._block(inner, 2), stop, "}"]
        return [*lines, "}"]

    def _synchronized(self, scope: Scope) -> list[str]:
        of = self.expression(self.random.choice(("A", "A", "int[]")), scope, 1)
        if self.random.random() < 0.3:
            of = f"{self.name}.class"
        return [f"synchronized ({of}) {{", *self._block(scope, 3), "}"]

    def _copy(self, scope: Scope) -> list[str]:
        arrays = scope.of("int[]")
        if not arrays:
            return self._mix(scope)
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        if self.random.random() < 0.85:
            numbers = [f"({self.expression('int', scope, 1)} & 1)" for _ in range(3)]
        else:
            numbers = [self.expression("int", scope, 1) for _ in range(3)]
        return [f"System.arraycopy({a}, {numbers[0]}, {b}, {numbers[1]}, {numbers[2]});"]

    def _lambda(self, scope: Scope) -> list[str]:
        name, type_ = (
            self._new("f"),
            self.random.choice(("I", "F<Integer, Integer>", "F<A, Long>", "Runnable", "I")),
        )
        fixed = {n: t for n, t in scope.names.items() if n in scope.fixed and not n.startswith("k")}
        inner = Scope(names={**self.globals, **fixed}, fixed=set(fixed), loops=2)
        if type_ == "Runnable":
            return [f"Runnable {name} = () -> {{", *self._body(inner, 2), "};", f"{name}.run();"]
        if type_ == "I":
            first = self.expression("int", inner, 2)
            inner.names["p9"] = "int"
            value = self.expression("int", inner, 3)
            anonymous = (
                f"new I() {{ int u = {first}; public int g(int p9) {{ return u++ + {value}; }} }}"
            )
            bound = ("new A()::own", f"new {self.name}().new In()::get")
            made = self.pick(f"p9 -> {value}", "I::s", "Lazy::get", anonymous, *bound)
            return [
                f"I {name} = {made};",
                f"h({name}.g({self.expression('int', scope, 1)}));",
                f"h({name}.d(3));",
            ]
        if type_ == "F<A, Long>":
            inner.names["p9"] = "A"
            return [
                f"{type_} {name} = p9 -> (long) ({self.expression('long', inner, 3)});",
                f"h((long) {name}.ap({self.expression('A', scope, 1)}));",
            ]
        inner.names["p9"] = "Integer"
        made = self.random.choice(
            (f"p9 -> (int) ({self.expression('int', inner, 3)})", "I::s", "p9 -> p9")
        )
        return [
            f"{type_} {name} = {made};",
            f"h({name}.ap((int) ({self.expression('int', scope, 2)})));",
        ]

    def _lazily(self, scope: Scope) -> list[str]:
        return [self.pick(*_LAZILY)]


_KIND = (
    "static int kind(Object x) { if (x == null) return 0; if (x instanceof C) return 1;"
    " if (x instanceof B) return 2; if (x instanceof A) return 3;"
    " if (x instanceof Integer n) return n; if (x instanceof Long n) return (int) (long) n;"
    " if (x instanceof Character n) return n + 1;"
    " if (x instanceof Byte n) return n + 2;"
    " if (x instanceof String n) return n.length() + 10; if (x instanceof int[] n) return n.length;"
    " if (x instanceof A[] n) return n.length + 20;"
    " if (x instanceof Object[] n) return n.length + 30;"
    " if (x instanceof E n) return n.ordinal() + 40; if (x instanceof Y n) return n.code + 3;"
    " if (x instanceof X n) return n.code; if (x instanceof ArithmeticException) return 50;"
    " if (x instanceof NullPointerException) return 51;"
    " if (x instanceof ClassCastException) return 52;"
    " if (x instanceof ArrayIndexOutOfBoundsException) return 53;"
    " if (x instanceof NegativeArraySizeException) return 54;"
    " if (x instanceof ArrayStoreException) return 55; if (x instanceof Error) return 56;"
    " return x instanceof RuntimeException ? 57 : 58; }"
)

_DECLARED = (*PRIMITIVE, "int", "long", "Integer", "A", "int[]", "String", "Object", "E", "Long",
             "int[][]", "byte[]", "Object[]", "char[]", "long[]", "I", "R", "boolean[]", "short[]",
             "A[]")  # fmt: skip
_LAZILY = ("h(Lazy.get(3));", "h(Lazier.w);", "h(Lazier.v);", "h(Lazier.K);", "Lazy.v += 2;",
           "h(new Lazy());", "h(new Lazier[1].length);")  # fmt: skip
_SIMPLE = ("declare", "declare", "declare", "assign", "assign", "compounds", "step", "mix", "mix",
           "mix", "leave", "call", "copy", "lazily")  # fmt: skip
_COMPOUND = ("if", "if", "loop", "loop", "try", "try", "switch", "switch", "synchronized",
             "lambda", "lambda")  # fmt: skip

_ABOVE = {
    "Throwable": EXCEPTIONS,
    "Exception": [e for e in EXCEPTIONS if e not in ("Throwable", "Error", "Exception")],
    "RuntimeException": [
        e for e in EXCEPTIONS if e not in ("Throwable", "Error", "Exception", "RuntimeException")
    ],
    "X": ["Y"],
    "IndexOutOfBoundsException": ["ArrayIndexOutOfBoundsException"],
}


def _is_above(first: str, second: str) -> bool:
    """Whether a class of exceptions is above another, and so must be caught after it."""
    return second in _ABOVE.get(first, ())
