"""A parser of the braces language, by recursive descent."""

from __future__ import annotations

from support.docs_oracle.tree import (
    BOOL,
    THREAD,
    Assert,
    Assign,
    Assume,
    Atomic,
    Binary,
    Break,
    Call,
    Choice,
    Continue,
    Create,
    Do,
    Element,
    Expr,
    For,
    Fork,
    Goto,
    If,
    Join,
    Name,
    Num,
    Procedure,
    Program,
    Refused,
    Return,
    Schoose,
    Self,
    Skip,
    Star,
    Statement,
    Switch,
    Truth,
    Type,
    Unary,
    Variable,
    While,
    bounded,
    machine_integer,
)
from support.docs_oracle.words import Reader, words

NAME = r"[A-Za-z_$][A-Za-z0-9_$]*"
MACHINE = frozenset(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64))
COUNTS = {"++": "+", "--": "-"}
COMPOUND = {f"{op}=": op for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>")}
KEYWORDS = MACHINE | frozenset(
    [
        "volatile",
        "do",
        "for",
        "break",
        "continue",
        "switch",
        "case",
        "default",
        "thread_self",
        "decl",
        "bool",
        "int",
        "enum",
        "thread",
        "void",
        "saturate",
        "block",
        "skip",
        "constrain",
        "return",
        "assert",
        "assume",
        "wait",
        "goto",
        "if",
        "else",
        "while",
        "atomic",
        "thread_create",
        "async",
        "join",
        "true",
        "false",
        "T",
        "F",
        "schoose",
        "_",
    ]
)
SAME = {"==": "="}
LEVELS = (("||", "|"), ("^",), ("&&", "&"), ("=", "==", "!="), ("<", "<=", ">", ">="))
SUMS = (("<<", ">>", ">>>"), ("+", "-"), ("*", "/", "%"))


def parse(text: str) -> Program:
    """The tree of a text in braces."""
    reader = Braces(words(text, NAME))
    variables: list[Variable] = []
    while reader.sees("decl", "thread"):
        variables += reader.declaration()
    procedures = []
    while reader.word.kind != "end":
        procedures.append(reader.procedure())
    return Program(variables, procedures, begin_end=False)


class Braces(Reader):
    """Every method reads what it is named after."""

    def name(self) -> str:
        if self.word.kind != "name" or self.word.text in KEYWORDS:
            raise self.wrong("a name")
        return self.take().text

    # Declarations

    def declaration(self) -> list[Variable]:
        threads = self.take().text == "thread"
        if not threads:
            self.accept("volatile")
        found = []
        while True:
            name = self.name()
            if threads:
                found.append(Variable(name, THREAD))
            else:
                found.append(self.declared(name))
            if not self.accept(","):
                break
        self.expect(";")
        return found

    def declared(self, name: str) -> Variable:
        kind, length, initial = BOOL, None, None
        if self.accept(":"):
            kind = self.type()
            if self.accept("["):
                length = self.number()
                if length == 0:
                    raise self.wrong("an array with elements")
                self.expect("]")
        if self.accept(":="):
            initial = self.constant()
        if kind == THREAD and (length is not None or initial is not None):
            raise self.wrong("a plain variable for a thread")
        return Variable(name, kind, None if isinstance(initial, Star) else initial, length)

    def constant(self) -> Expr:
        if self.accept("*"):
            return Star()
        if self.accept("-"):
            return Unary("-", Num(self.number()))
        if self.word.kind == "number":
            return Num(self.number())
        if self.sees("true", "T", "false", "F"):
            return Truth(int(self.take().text in ("true", "T")))
        return Name(self.name())

    def type(self) -> Type:
        if self.accept("bool"):
            return BOOL
        if self.accept("thread"):
            return THREAD
        if self.accept("enum"):
            self.expect("{")
            members = [self.name()]
            while self.accept(","):
                members.append(self.name())
            self.expect("}")
            return Type("enum", 0, len(members) - 1, members=tuple(members))
        if self.sees(*MACHINE):
            return machine_integer(self.take().text)
        self.expect("int")
        if self.word.kind != "number" and not self.sees("-"):
            raise Refused("an integer without bounds is only for affine relations")
        low = self.signed()
        self.expect("..")
        high = self.signed()
        mode = "wrap"
        if self.sees("saturate", "block"):
            mode = self.take().text
        return bounded(low, high, mode)

    def signed(self) -> int:
        minus = self.accept("-")
        number = self.number()
        return -number if minus else number

    def procedure(self) -> Procedure:
        results: list[Type] = []
        if not self.accept("void"):
            kind = self.type()
            if kind == THREAD:
                raise self.wrong("a result that is no thread")
            count = 1
            if kind == BOOL and self.accept("<"):
                count = self.number()
                self.expect(">")
            results = [kind] * count
        name = self.name()
        parameters = []
        self.expect("(")
        if not self.sees(")"):
            parameters.append(self.parameter())
            while self.accept(","):
                parameters.append(self.parameter())
        self.expect(")")
        self.expect("{")
        variables: list[Variable] = []
        while self.sees("decl", "thread"):
            variables += self.declaration()
        body = self.items("}")
        self.expect("}")
        return Procedure(name, results, parameters, variables, body)

    def parameter(self) -> Variable:
        name = self.name()
        return Variable(name, self.type() if self.accept(":") else BOOL)

    # Statements

    def block(self) -> list[Statement]:
        if not self.accept("{"):
            return [self.statement()]
        found = self.items("}")
        self.expect("}")
        return found

    def items(self, *ends: str) -> list[Statement]:
        """Statements, up to one of these words; a semicolon alone is nothing."""
        found = []
        while not self.sees(*ends):
            if not self.accept(";"):
                found.append(self.statement())
        return found

    def statement(self) -> Statement:
        labels = []
        while self.ahead(1).text == ":" and self.word.kind in ("name", "number"):
            labels.append(self.take().text if self.word.kind == "number" else self.name())
            self.expect(":")
        line = self.word.line
        found = self.structured() or self.simple()
        found.line, found.labels = line, tuple(labels)
        return found

    def structured(self) -> Statement | None:
        if self.accept("if"):
            condition = self.condition()
            then = self.block()
            return If(condition, then, self.block() if self.accept("else") else [])
        if self.accept("while"):
            condition = self.condition()
            return While(condition, self.block())
        if self.accept("do"):
            body = self.block()
            test = self.expect("while").line
            condition = self.condition()
            self.expect(";")
            return Do(body, condition, test)
        if self.accept("for"):
            return self.loop()
        if self.accept("switch"):
            return self.switch()
        if self.accept("atomic"):
            if not self.sees("{"):
                raise self.wrong("{")
            return Atomic(self.block())
        return None

    def loop(self) -> For:
        self.expect("(")
        first = None if self.sees(";") else self.assignment()
        self.expect(";")
        condition = None if self.sees(";") else self.expression()
        self.expect(";")
        update = None if self.sees(")") else self.assignment()
        self.expect(")")
        return For(first, condition, update, self.block())

    def assignment(self) -> Assign:
        line = self.word.line
        found = self.assignment_or_call()
        if not isinstance(found, Assign):
            raise self.wrong("an assignment")
        found.line = line
        return found

    def switch(self) -> Switch:
        subject = self.condition()
        self.expect("{")
        cases: list[tuple[list[Expr | None], list[Statement]]] = []
        while not self.accept("}"):
            values: list[Expr | None] = []
            while self.sees("case", "default"):
                values.append(self.constant() if self.take().text == "case" else None)
                self.expect(":")
            if not values or any(isinstance(value, Star) for value in values):
                raise self.wrong("a case")
            cases.append((values, self.items("case", "default", "}")))
        return Switch(subject, cases)

    def condition(self) -> Expr:
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    def simple(self) -> Statement:
        found = self.keyword() or self.assignment_or_call()
        self.expect(";")
        return found

    def keyword(self) -> Statement | None:
        if self.accept("skip"):
            return Skip()
        if self.accept("break"):
            return Break()
        if self.accept("continue"):
            return Continue()
        if self.accept("return"):
            return Return([] if self.sees(";") else self.expressions())
        if self.accept("assert"):
            return Assert(self.condition())
        if self.accept("assume", "wait"):
            return Assume(self.condition())
        if self.accept("goto"):
            goals = [self.goal()]
            while self.accept(","):
                goals.append(self.goal())
            return Goto(goals)
        if self.accept("join"):
            self.expect("(")
            name = self.name()
            self.expect(")")
            return Join(name)
        if self.accept("async"):
            return Fork(None, self.name(), self.arguments())
        if self.accept("thread_create"):
            return self.creation()
        return None

    def goal(self) -> str:
        return self.take().text if self.word.kind == "number" else self.name()

    def creation(self) -> Create:
        self.expect("(")
        found = Create(self.name(), self.arguments() if self.sees("(") else [])
        if self.accept(","):
            found.count = self.number()
        self.expect(")")
        return found

    def assignment_or_call(self) -> Statement:
        if self.ahead(1).text == "(":
            return Call(None, self.name(), self.arguments())
        if self.sees(*COUNTS):
            sign = COUNTS[self.take().text]
            return self.changed(self.target(), sign, Num(1))
        targets = [self.target()]
        if self.sees(*COUNTS):
            return self.changed(targets[0], COUNTS[self.take().text], Num(1))
        if self.sees(*COMPOUND):
            sign = COMPOUND[self.take().text]
            return self.changed(targets[0], sign, self.expression())
        while self.accept(","):
            targets.append(self.target())
        self.expect(":=")
        if self.accept("async"):
            if len(targets) != 1 or not isinstance(targets[0], Name):
                raise self.wrong("one variable for the thread")
            return Fork(targets[0].name, self.name(), self.arguments())
        if self.word.kind == "name" and self.ahead(1).text == "(" and not self.sees(*KEYWORDS):
            return Call(targets, self.name(), self.arguments())
        plain = [target for target in targets if target is not None]
        if len(plain) < len(targets):
            raise self.wrong("a call, for `_`")
        values = self.expressions()
        if len(values) != len(plain):
            raise self.wrong("as many values as variables")
        return Assign(plain, values, self.expression() if self.accept("constrain") else None)

    def changed(self, target: Expr | None, op: str, value: Expr) -> Assign:
        """x += e and so on."""
        if target is None:
            raise self.wrong("a variable")
        return Assign([target], [Binary(op, target, value)])

    def target(self) -> Expr | None:
        if self.accept("_"):
            return None
        name = self.name()
        return Element(name, self.index()) if self.sees("[") else Name(name)

    def index(self) -> Expr:
        self.expect("[")
        found = self.expression()
        self.expect("]")
        return found

    def arguments(self) -> list[Expr]:
        self.expect("(")
        found = [] if self.sees(")") else self.expressions()
        self.expect(")")
        return found

    # Expressions

    def expressions(self) -> list[Expr]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def expression(self) -> Expr:
        test = self.implication()
        if not self.accept("?"):
            return test
        yes = self.expression()
        self.expect(":")
        return Choice(test, yes, self.expression())

    def implication(self) -> Expr:
        left = self.chain(LEVELS + SUMS)
        return Binary("=>", left, self.implication()) if self.accept("=>") else left

    def chain(self, levels: tuple[tuple[str, ...], ...]) -> Expr:
        """Operators that group to the left; the first level is the loosest."""
        if not levels:
            return self.unary()
        left = self.chain(levels[1:])
        while self.sees(*levels[0]):
            op = self.take().text
            left = Binary(SAME.get(op, op), left, self.chain(levels[1:]))
        return left

    def unary(self) -> Expr:
        if self.sees("!", "~", "-"):
            op = self.take().text
            return Unary(SAME.get(op, op), self.unary())
        return self.atom()

    def atom(self) -> Expr:
        if self.accept("*"):
            return Star()
        if self.sees("("):
            return self.condition()
        if self.word.kind == "number":
            return Num(self.number())
        if self.sees("true", "T", "false", "F"):
            return Truth(int(self.take().text in ("true", "T")))
        if self.accept("schoose"):
            self.expect("[")
            one = self.expression()
            self.expect(",")
            zero = self.expression()
            self.expect("]")
            return Schoose(one, zero)
        if self.accept("thread_self"):
            self.expect("(")
            self.expect(")")
            return Self()
        primed = self.accept("'")
        name = self.name()
        if self.sees("["):
            return Element(name, self.index(), primed)
        return Name(name, primed)
