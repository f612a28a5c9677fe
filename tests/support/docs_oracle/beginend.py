"""A parser of begin/end, with the conventions of its dialects."""

from __future__ import annotations

from collections.abc import Iterator

from support.docs_oracle.tree import (
    BOOL,
    THREAD,
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Binary,
    Call,
    Create,
    CreateAt,
    EndThread,
    Expr,
    Fork,
    Goto,
    If,
    Join,
    Name,
    Procedure,
    Program,
    Refused,
    Return,
    Schoose,
    Skip,
    Star,
    Statement,
    Truth,
    Type,
    Unary,
    Variable,
    While,
)
from support.docs_oracle.words import Reader, words

NAME = r"[A-Za-z_$][A-Za-z0-9_$#-]*|\{[^{}]*\}"
KEYWORDS = frozenset(
    [
        "decl",
        "void",
        "bool",
        "begin",
        "end",
        "skip",
        "print",
        "goto",
        "assert",
        "assume",
        "constrain",
        "return",
        "if",
        "then",
        "elsif",
        "else",
        "fi",
        "while",
        "do",
        "od",
        "dead",
        "abortif",
        "enforce",
        "start_thread",
        "async",
        "join",
        "end_thread",
        "atomic_begin",
        "atomic_end",
        "T",
        "F",
        "schoose",
        "thread",
        "wait",
        "broadcast",
        "sync",
        "_",
    ]
)
SAME = {"|": "||", "&": "&&", "==": "="}
OPERATORS = ("=", "==", "!=", "&", "&&", "|", "||", "^", "=>")
CLOSING = ("end", "fi", "od", "else", "elsif")


def parse(text: str) -> Program:
    """The tree of a text with begin and end."""
    reader = BeginEnd(words(text, NAME))
    variables: list[Variable] = []
    while reader.sees("decl"):
        variables += reader.declaration()
    procedures = []
    while reader.word.kind != "end":
        procedures.append(reader.procedure())
    program = Program(variables, procedures, begin_end=True)
    creates = any(
        isinstance(statement, Create | CreateAt | Fork)
        for procedure in procedures
        for statement in everything(procedure.body)
    )
    program.getafix = bool(procedures) and procedures[0].name == "init" and not creates
    return program


def everything(body: list[Statement]) -> Iterator[Statement]:
    """All statements, also those inside others."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from everything(statement.then)
            yield from everything(statement.other)
        elif isinstance(statement, While):
            yield from everything(statement.body)


class BeginEnd(Reader):
    """Every method reads what it is named after."""

    def name(self) -> str:
        if self.word.kind != "name" or self.word.text in KEYWORDS:
            raise self.wrong("a name")
        return self.take().text

    # Declarations

    def declaration(self) -> list[Variable]:
        self.expect("decl")
        kind = THREAD if self.accept("thread") else BOOL
        found = [self.declared(kind)]
        while self.accept(","):
            found.append(self.declared(kind))
        self.expect(";")
        return found

    def declared(self, kind: Type) -> Variable:
        variable = Variable(self.name(), kind)
        if kind == BOOL and self.accept(":="):
            first = self.atom()
            if not isinstance(first, Truth | Star):
                raise self.wrong("a constant")
            variable.initial = first if isinstance(first, Truth) else None
        return variable

    def procedure(self) -> Procedure:
        count = 0
        if not self.accept("void"):
            self.expect("bool")
            count = 1
            if self.accept("<"):
                count = self.number()
                self.expect(">")
        found = Procedure(self.name(), [BOOL] * count, [], [], [])
        self.expect("(")
        if not self.sees(")"):
            found.parameters.append(self.parameter())
            while self.accept(","):
                found.parameters.append(self.parameter())
        self.expect(")")
        self.expect("begin")
        while self.sees("decl"):
            found.variables += self.declaration()
        if self.accept("enforce"):
            found.enforce = self.expression()
            self.accept(";")
        found.body = self.statements(found)
        found.end = self.word.line
        self.expect("end")
        return found

    def parameter(self) -> Variable:
        kind = THREAD if self.accept("thread") else BOOL
        return Variable(self.name(), kind)

    # Statements

    def statements(self, procedure: Procedure) -> list[Statement]:
        found: list[Statement] = []
        while not self.sees(*CLOSING):
            if self.sees("decl"):
                found += self.late(procedure, ())
            else:
                found.append(self.statement(procedure))
        return found

    def late(self, procedure: Procedure, labels: tuple[str, ...]) -> list[Statement]:
        """A declaration behind the first statement, or under a label, assigns its values."""
        line = self.word.line
        made = self.declaration()
        procedure.variables += made
        given = [one for one in made if one.initial is not None]
        if labels and not given:
            raise self.wrong("a value, for a label before a declaration")
        targets: list[Expr] = [Name(one.name) for one in given]
        values = [one.initial for one in given if one.initial is not None]
        for one in given:
            one.initial = None
        return [Assign(targets, values, line=line, labels=labels)] if given else []

    def statement(self, procedure: Procedure) -> Statement:
        labels = []
        while self.ahead(1).text == ":" and self.word.kind in ("name", "number"):
            labels.append(self.take().text if self.word.kind == "number" else self.name())
            self.expect(":")
        line = self.word.line
        if self.sees("decl"):
            return self.late(procedure, tuple(labels))[0]
        found = self.structured(procedure) or self.simple()
        self.accept(";")
        if any(label.startswith("ASYNC_") for label in labels) and isinstance(found, Call):
            if found.targets is not None:
                raise self.wrong("a call without results behind ASYNC_")
            found = Create(found.procedure, found.arguments)
        found.line, found.labels = line, tuple(labels)
        return found

    def structured(self, procedure: Procedure) -> Statement | None:
        if self.accept("if"):
            found = self.decision(procedure)
            self.expect("fi")
            return found
        if self.accept("while"):
            condition = self.expression()
            self.expect("do")
            body = self.statements(procedure)
            self.expect("od")
            return While(condition, body)
        return None

    def decision(self, procedure: Procedure) -> If:
        condition = self.expression()
        self.expect("then")
        then = self.statements(procedure)
        line = self.word.line
        if self.accept("elsif"):
            other = self.decision(procedure)
            other.line = line
            return If(condition, then, [other])
        if self.accept("else"):
            return If(condition, then, self.statements(procedure))
        return If(condition, then, [])

    def simple(self) -> Statement:
        if self.sees("wait", "broadcast", "sync"):
            raise Refused(f"line {self.word.line}: {self.word.text} is refused")
        return (
            self.condition_statement()
            or self.thread_statement()
            or self.plain_statement()
            or self.assignment_or_call()
        )

    def condition_statement(self) -> Statement | None:
        if self.accept("assert"):
            return Assert(self.expression())
        if self.accept("assume", "constrain"):
            return Assume(self.expression())
        if self.accept("abortif"):
            return Assume(Unary("!", self.expression()))
        return None

    def thread_statement(self) -> Statement | None:
        if self.accept("start_thread"):
            if self.accept("goto"):
                return CreateAt(self.goal())
            return Create(self.name(), self.arguments())
        if self.accept("async"):
            return Fork(None, self.name(), self.arguments())
        if self.accept("join"):
            self.expect("(")
            name = self.name()
            self.expect(")")
            return Join(name)
        if self.accept("end_thread"):
            return EndThread()
        if self.accept("atomic_begin"):
            return AtomicBegin()
        return AtomicEnd() if self.accept("atomic_end") else None

    def plain_statement(self) -> Statement | None:
        if self.accept("skip"):
            return Skip()
        if self.accept("print"):
            self.arguments()
            return Skip()
        if self.accept("goto"):
            goals = [self.goal()]
            while self.accept(","):
                goals.append(self.goal())
            return Goto(goals)
        if self.accept("return"):
            return Return([] if self.sees(";", *CLOSING) else self.expressions())
        if self.accept("dead"):
            names: list[Expr] = [Name(self.name())]
            while self.accept(","):
                names.append(Name(self.name()))
            return Assign(names, [Star() for _ in names])
        return None

    def goal(self) -> str:
        return self.take().text if self.word.kind == "number" else self.name()

    def assignment_or_call(self) -> Statement:
        if self.ahead(1).text == "(":
            return Call(None, self.name(), self.arguments())
        targets = [self.target()]
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
        values = self.expressions()
        if len(values) != len(plain) or len(plain) < len(targets):
            raise self.wrong("as many values as variables")
        return Assign(plain, values, self.expression() if self.accept("constrain") else None)

    def target(self) -> Expr | None:
        return None if self.accept("_") else Name(self.name())

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
        """Where two operators meet, they are the same, or there are parentheses."""
        left = self.unary()
        first = ""
        while self.sees(*OPERATORS):
            op = self.take().text
            op = SAME.get(op, op)
            if first and (op != first or op == "=>"):
                raise self.wrong("parentheses")
            first = op
            left = Binary(op, left, self.unary())
        return left

    def unary(self) -> Expr:
        if self.accept("!", "~"):
            return Unary("!", self.unary())
        return self.atom()

    def atom(self) -> Expr:
        if self.accept("*", "?"):
            return Star()
        if self.accept("("):
            found = self.expression()
            self.expect(")")
            return found
        if self.sees("T", "1", "F", "0"):
            return Truth(int(self.take().text in ("T", "1")))
        if self.accept("schoose"):
            self.expect("[")
            one = self.expression()
            self.expect(",")
            zero = self.expression()
            self.expect("]")
            return Schoose(one, zero)
        primed = self.accept("'")
        return Name(self.name(), primed)
