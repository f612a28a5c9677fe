"""Boolean programs in braces: words to syntax trees, by recursive descent.

The grammar is in docs/formats.md; a test compares it with this reader. Numeric labels are Figure
1's program counters and open a step; other labels only name a place.
"""

from __future__ import annotations

from collections.abc import Callable

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.braces_declarations import TYPES, DeclarationReader
from tepui.languages.boolean.braces_expressions import (
    A_DECLARATION,
    A_PROCEDURE,
    A_TYPE,
    AN_ASSIGNMENT,
    BRACES,
)
from tepui.languages.boolean.hints import Starting, Trouble, character_hint
from tepui.languages.boolean.lexer import END, NAME, NUMBER, Words
from tepui.languages.boolean.reader import A_NAME, A_STATEMENT
from tepui.languages.boolean.syntax import BinarySign, SyntaxTree
from tepui.languages.source import Source
from tepui.model.build import MAX_THREADS
from tepui.records import replace

_DECLARATIONS = ("decl", "thread")
_COMPOUND_SIGNS: dict[str, BinarySign] = {
    "+=": "+",
    "-=": "-",
    "*=": "*",
    "/=": "/",
    "%=": "%",
    "&=": "&",
    "|=": "|",
    "^=": "^",
    "<<=": "<<",
    ">>=": ">>",
    ">>>=": ">>>",
    "++": "+",
    "--": "-",
}
_COUNTING = ("++", "--")
_LONGEST_HEAD = 40
"""How many words from its beginning the name of a procedure is looked for behind an error."""


def parse_braces(source: Source) -> SyntaxTree:
    """The syntax tree of a text in braces, and what is wrong with the text."""
    return _Braces(Words(source, BRACES)).program()


class _Braces(DeclarationReader):
    """The part of the reader that knows procedures and statements."""

    def program(self) -> SyntaxTree:
        variables: list[syntax.Declaration] = []
        procedures: list[syntax.Procedure] = []
        while not self.accept(END):
            first = self.index
            self.depth = 0
            try:
                if not procedures and self.kind in _DECLARATIONS:
                    variables += self.declaration()
                else:
                    if not procedures:
                        self.hoped.add(A_DECLARATION)
                    procedures.append(self._procedure())
            except InputError as error:
                self.note(error, first)
                self._skip_part(first)
        return SyntaxTree(
            self.source,
            tuple(variables),
            tuple(procedures),
            warnings=tuple(self.warnings),
            keywords=BRACES.keywords,
            errors=tuple(self.errors),
            doubtful=frozenset(self.doubtful),
        )

    # Declarations and procedures.

    def _procedure(self) -> syntax.Procedure:
        results = self.results()
        name = self.name()
        self.expect("(")
        parameters: list[syntax.Declaration] = []
        if self.kind == "void":  # As in C: the rest of the procedure makes sense.
            self.hoped.add(A_NAME)
            self.hoped.add(")")
            self.note(self.unexpected())
            self.take()
        if not self.accept(")"):
            parameters = self.separated(self.parameter)
            self.expect(")")
        self.expect("{")
        variables = self._locals()
        body = self._items()
        end = self.expect("}")
        return syntax.Procedure(
            name.position,
            name.name,
            self.words.position(end),
            tuple(parameters),
            results,
            tuple(variables),
            body,
        )

    def _locals(self) -> list[syntax.Declaration]:
        variables: list[syntax.Declaration] = []
        while self.kind in _DECLARATIONS:
            first = self.index
            try:
                variables += self.declaration()
            except InputError as error:
                self.note(error, first)
                self._skip_statement(first)
        self.more.add(A_DECLARATION)
        return variables

    # Statements.

    def _items(self, *closers: str) -> tuple[syntax.Statement, ...]:
        """The statements up to a brace, or up to one of some more words."""
        statements: list[syntax.Statement] = []
        while self.kind not in ("}", END, *closers) and not self._at_procedure():
            if self.kind == ";":
                self.take()
                continue
            first, depth = self.index, self.depth
            try:
                self.hoped.update(("}", *closers))
                statements.append(self._statement())
            except InputError as error:
                self.depth = depth
                self.note(error, first)
                self._skip_statement(first)
        self.more.add(A_STATEMENT)
        return tuple(statements)

    def _block(self) -> tuple[syntax.Statement, ...]:
        self.nest()
        self.expect("{")
        statements = self._items()
        self.expect("}")
        self.depth -= 1
        return statements

    def _body(self) -> tuple[syntax.Statement, ...]:
        if self.kind == "{":
            return self._block()
        self.hoped.add("{")
        if self.kind == ";":  # As in C: the rest of the statement makes sense.
            self.hoped.add(A_STATEMENT)
            self.note(self.unexpected())
            self.take()
            return ()
        self.nest()
        statement = self._statement()
        self.depth -= 1
        return (statement,)

    def _statement(self) -> syntax.Statement:
        labels = self._labels()
        read = _COMPOUND_STATEMENTS.get(self.kind)
        if read is not None:
            statement = read(self)
        elif (read := _SIMPLE_STATEMENTS.get(self.kind)) is not None:
            statement = read(self)
            self.expect(";")
        else:
            self.more.add(A_STATEMENT)
            statement = self._no_statement()
        return replace(statement, labels=tuple(labels)) if labels else statement

    def _no_statement(self) -> syntax.If:
        """Refuse what begins no statement. If it is a block as in C, what stands in it is checked
        all the same."""
        error, at = self.unexpected(), self.at()
        if self.kind != "{":
            raise error
        self.note(error)
        return syntax.If(at, "", (syntax.Branch(at, "", syntax.Truth(at, True), self._block()),))

    def _labels(self) -> list[syntax.Label]:
        labels: list[syntax.Label] = []
        while self.kind in (NAME, NUMBER) and self.kinds[self.index + 1] == ":":
            index = self.take()
            position, text = self.words.position(index), self.words.texts[index]
            labels.append(syntax.Label(position, text, self.kinds[index] == NUMBER))
            self.take()
        return labels

    def _if(self) -> syntax.If:
        branches = []
        otherwise: tuple[syntax.Statement, ...] = ()
        while True:
            first = self.take()
            condition = self.in_parentheses()
            text = self.text_since(first)
            at = self.words.position(first)
            branches.append(syntax.Branch(at, text, condition, self._body()))
            if self.kind != "else":
                self.more.add("else")
                break
            self.take()
            if self.kind != "if":
                otherwise = self._body()
                break
        match otherwise:
            case (syntax.If(labels=()) as inner,):
                branches += inner.branches
                otherwise = inner.otherwise
        first_branch = branches[0]
        return syntax.If(first_branch.position, first_branch.text, tuple(branches), otherwise)

    def _while(self) -> syntax.While:
        first = self.take()
        condition = self.in_parentheses()
        text = self.text_since(first)
        return syntax.While(self.words.position(first), text, condition, self._body())

    def _do(self) -> syntax.DoWhile:
        first = self.take()
        body = self._body()
        second = self.expect("while")
        condition = self.in_parentheses()
        test = self.words.position(second), self.text_since(second)
        self.expect(";")
        return syntax.DoWhile(self.words.position(first), "do", body, test, condition)

    def _for(self) -> syntax.For:
        first = self.take()
        self.expect("(")
        initial = self._assignment_up_to(";")
        condition = None
        if not self.accept(";"):
            condition = self.expression()
            self.expect(";")
        update = self._assignment_up_to(")")
        text = self.text_since(first)
        at = self.words.position(first)
        return syntax.For(at, text, initial, condition, update, self._body())

    def _assignment_up_to(self, closer: str) -> syntax.Statement | None:
        """An assignment in the head of `for`, or nothing."""
        if self.accept(closer):
            return None
        first = self.index
        if self.kind in ("++", "--"):
            assignment: syntax.Statement = self._count_first()
        else:
            assignment = self._assigned(first, self._places())
        self.expect(closer)
        return assignment

    def _switch(self) -> syntax.Switch:
        first = self.take()
        subject = self.in_parentheses()
        text = self.text_since(first)
        self.nest()
        self.expect("{")
        cases = self._cases()
        self.depth -= 1
        return syntax.Switch(self.words.position(first), text, subject, cases)

    def _cases(self) -> tuple[syntax.Case, ...]:
        """The cases of a `switch`, and the brace behind them."""
        cases = []
        while not self.accept("}"):
            values: list[syntax.Expression | syntax.Default] = []
            try:
                while self.kind in ("case", "default") or not values:
                    values.append(self._case())
            except InputError as error:
                if self.kind == END or self._at_procedure():
                    raise
                self.note(error)
                first = self.index
                self._labels()  # One error is enough if a label stands before a case.
                self.doubt(first)
            cases.append(syntax.Case(tuple(values), self._items("case", "default")))
        return tuple(cases)

    def _case(self) -> syntax.Expression | syntax.Default:
        index = self.expect_one_of(("case", "default"))
        is_case = self.kinds[index] == "case"
        value = self.constant() if is_case else syntax.Default(self.words.position(index))
        self.expect(":")
        return value

    def _atomic(self) -> syntax.Atomic:
        first = self.take()
        return syntax.Atomic(self.words.position(first), "atomic { … }", self._block())

    # Statements that end with a semicolon.

    def _break(self) -> syntax.Break:
        return syntax.Break(*self.where(self.take()))

    def _continue(self) -> syntax.Continue:
        return syntax.Continue(*self.where(self.take()))

    def _return(self) -> syntax.Return:
        first = self.take()
        values: tuple[syntax.Expression, ...] = ()
        if self.kind != ";":
            self.hoped.add(";")
            values = self.expressions()
        return syntax.Return(*self.where(first), values)

    def _assert(self) -> syntax.Assert:
        first = self.take()
        condition = self.in_parentheses()
        return syntax.Assert(*self.where(first), condition)

    def _assume(self) -> syntax.Assume:
        first = self.take()
        condition = self.in_parentheses()
        return syntax.Assume(*self.where(first), condition)

    def _create(self) -> syntax.ThreadCreate:
        first = self.take()
        self.expect("(")
        procedure = self.name()
        arguments = self.arguments() if self.kind == "(" else ()
        self.more.add("(")
        count: int | None = 1
        if self.accept(","):
            count = None if self.accept("*") else self.count(MAX_THREADS, "threads")
        self.expect(")")
        return syntax.ThreadCreate(*self.where(first), procedure, arguments, count)

    def arguments(self) -> tuple[syntax.Expression, ...]:
        self.expect("(")
        if self.accept(")"):
            return ()
        arguments = self.expressions()
        self.expect(")")
        return arguments

    def _assign_or_call(self) -> syntax.Statement:
        first = self.index
        if self.kind == NAME and self.kinds[first + 1] == "(":
            return self._called(first, ())
        return self._assigned(first, self._places("(", ":"), calls=True)

    def _places(self, *others: str) -> tuple[syntax.Target, ...]:
        """What is assigned. If it is a single name up to now, others may follow."""
        first = self.index
        places = [self._place()]
        if self.index == first + 1:
            self.hoped.update(others)
        while self.accept(","):
            places.append(self._place())
        return tuple(places)

    def _place(self) -> syntax.Target:
        if self.kind == "_":
            return syntax.Ignored(self.words.position(self.take()))
        name = self.name()
        if self.kind == "[":
            return self.element(name)
        self.hoped.add("[")
        return name

    def _assigned(
        self, first: int, targets: tuple[syntax.Target, ...], calls: bool = False
    ) -> syntax.Statement:
        """An assignment whose left side was taken; with `calls`, perhaps one of a result."""
        if len(targets) == 1 and not isinstance(targets[0], syntax.Ignored):
            sign = _COMPOUND_SIGNS.get(self.kind)
            if sign is not None:
                return self._compound(first, targets[0], sign)
            if self.kind != ":=":
                self.hoped.add(AN_ASSIGNMENT)
                raise self.unexpected()
        self.expect(":=")
        if calls:
            if self.kind == "async":
                return self._forked(first, targets)
            if self.kind == NAME and self.kinds[self.index + 1] == "(":
                return self._called(first, targets)
            self.hoped.add("async")
        begin = self.index
        values = [self.expression()]
        if calls and self.index == begin + 1 and self.kinds[begin] == NAME:
            self.more.add("(")
        while self.accept(","):
            values.append(self.expression())
        constraint = self.expression() if self.accept("constrain") else None
        return syntax.Assign(*self.where(first), targets, tuple(values), constraint)

    def _compound(
        self, first: int, target: syntax.Name | syntax.Index, sign: BinarySign
    ) -> syntax.Assign:
        """`x += e` or `x++`, of which the target was taken."""
        index = self.take()
        at = self.words.position(index)
        counts = self.kinds[index] in _COUNTING
        value = syntax.Number(at, 1) if counts else self.expression()
        sum_ = syntax.Binary(at, sign, target, value)
        return syntax.Assign(*self.where(first), (target,), (sum_,), compound=True)

    def _count_first(self) -> syntax.Assign:
        """`++x`."""
        first = self.take()
        at, sign = self.words.position(first), _COMPOUND_SIGNS[self.kinds[first]]
        name = self.name()
        target = self.element(name) if self.kind == "[" else name
        self.more.add("[")
        sum_ = syntax.Binary(at, sign, target, syntax.Number(at, 1))
        return syntax.Assign(*self.where(first), (target,), (sum_,), compound=True)

    # Errors, and the way on behind them.

    def hint(self, trouble: Trouble) -> str:
        from tepui.languages.boolean.habits import braces_hint  # Few programs are wrong.

        return braces_hint(trouble, BRACES.keywords, _STARTING_WORDS)

    def stray(self, rest: str) -> str:
        hint = "" if rest.startswith("/*") else character_hint(rest[0])
        return f"{super().stray(rest)}{hint}"

    def _at_procedure(self) -> bool:
        """Whether the next words can only be the head of a procedure."""
        if self.kind == "void":
            return self.kinds[self.index + 1] not in (")", "*", ",")  # As in C, but not a head.
        if self.kind not in TYPES:
            return False
        ahead = range(self.index + 1, min(self.index + _LONGEST_HEAD, len(self.kinds) - 1))
        for index in ahead:
            if self.kinds[index] in (";", ":=", "=", END):
                return False
            if self.kinds[index] == NAME and self.kinds[index + 1] == "(":
                return True
        return False

    def _skip_statement(self, first: int) -> None:
        """Go on behind the statement or declaration that begins with a word. Blocks inside it are
        read, so that errors in them are found."""
        declares = self.kinds[first] in _DECLARATIONS
        in_head = 0
        if self.kinds[first] == "for":
            read = self.kinds[first : self.index]
            in_head = read.count("(") - read.count(")")
        while self.kind not in ("}", END) and not self._at_procedure():
            if self.kind == "{" and declares:
                self._skip_braces()
                continue
            if self.kind == "{":
                self._block_of_broken()
                if self.kind != "else":
                    break
            elif self.kind == ";" and in_head <= 0:
                self.take()
                if self.kind != "else":
                    break
            elif self.index > first and self._opens_statement():
                break
            in_head += (self.kind == "(") - (self.kind == ")")
            self.take()
        self.doubt(first)

    def _skip_braces(self) -> None:
        """Go on behind the brace that closes what the next one opens, or at a semicolon."""
        while self.kind not in ("}", ";", END):
            self.take()
        self.accept("}")

    def _opens_statement(self) -> bool:
        return self.kind in _STARTING and self.words.opens_line(self.index)

    def _block_of_broken(self) -> None:
        """Read a block whose head is broken, for the errors in it."""
        self.nest()
        self.take()
        self._items("case", "default")
        if self.kind in ("case", "default"):
            self._cases()
        else:
            self.accept("}")
        self.depth -= 1

    def _skip_part(self, first: int) -> None:
        """Go on behind the declaration or procedure that begins with a word. Where none begins,
        the next one is looked for."""
        begins = self.kinds[first] in ("void", *TYPES, *_DECLARATIONS)
        declares = self.kinds[first] in _DECLARATIONS or self._names_enumeration(first)
        while self.kind != END:
            if begins and self.kind == "{" and declares:
                self._skip_braces()
                continue
            if begins and self.kind == "{":
                self._body_of_broken()
                break
            if begins and self.kind == ";":
                self.take()
                break
            if self.index > first and self._at_part():
                break
            self.take()
        self.doubt(first)

    def _body_of_broken(self) -> None:
        """Read the body of a procedure whose head is broken, for the errors in it."""
        self.take()
        self._locals()
        try:
            self._items()
        except InputError as error:
            self.note(error)
        self.accept("}")

    def _names_enumeration(self, first: int) -> bool:
        """Whether `enum NAME {` stands there, as in C."""
        return self.kinds[first : first + 3] == ["enum", NAME, "{"]

    def _at_part(self) -> bool:
        opens = self.kind in _DECLARATIONS and self.words.opens_line(self.index)
        return opens or self._at_procedure()


_COMPOUND_STATEMENTS: dict[str, Callable[[_Braces], syntax.Statement]] = {
    "if": _Braces._if,
    "while": _Braces._while,
    "do": _Braces._do,
    "for": _Braces._for,
    "switch": _Braces._switch,
    "atomic": _Braces._atomic,
}
_SIMPLE_STATEMENTS: dict[str, Callable[[_Braces], syntax.Statement]] = {
    NAME: _Braces._assign_or_call,
    "_": _Braces._assign_or_call,
    "++": _Braces._count_first,
    "--": _Braces._count_first,
    "skip": _Braces._skip,
    "break": _Braces._break,
    "continue": _Braces._continue,
    "goto": _Braces._goto,
    "return": _Braces._return,
    "assert": _Braces._assert,
    "assume": _Braces._assume,
    "wait": _Braces._assume,
    "async": _Braces._async,
    "join": _Braces._join,
    "thread_create": _Braces._create,
}
_STARTING = frozenset(
    word for word in (*_COMPOUND_STATEMENTS, *_SIMPLE_STATEMENTS) if word in BRACES.keywords
)
_STARTING_WORDS: Starting = {
    A_STATEMENT: _STARTING,
    A_DECLARATION: _DECLARATIONS,
    A_PROCEDURE: ("void", *TYPES),
    A_TYPE: ("thread", *TYPES),
}
