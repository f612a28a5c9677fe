"""Boolean programs with `begin` and `end`: words to syntax trees, by recursive descent.

One grammar, in docs/formats.md, reads four dialects: that of SLAM and boppo, what SATABS writes for
Boom, the numbered statements of BoPP (`.nbp`), and that of Getafix. Their conventions beyond the
grammar are in `conventions`. `thread` is no keyword, since Getafix runs procedures whose names
begin so. `;` ends a simple statement and may be left out before a closing word. Three decisions are
made here:

- A number before a statement is a label like any other; unlike in braces, it opens no step.
- boppo and Getafix differ in which of `= != & | ^ =>` bind tighter. A chain of operators that they
  group differently is refused: it needs parentheses, since no meaning is guessed.
- A declaration belongs to the whole procedure. If it has a value and stands after the first
  statement or under a label, it is also an assignment there, since control may pass it more than
  once.

Long chains of `&`, `|` and `^` become balanced trees, so that only nesting makes a tree deep.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import ClassVar

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.beginend_expressions import BEGIN_END, ChainReader
from tepui.languages.boolean.conventions import apply_conventions
from tepui.languages.boolean.hints import (
    THREAD_VARIABLE,
    Starting,
    Trouble,
    character_hint,
    fork_hint,
    is_thread_declaration,
    keyword_hint,
)
from tepui.languages.boolean.lexer import COMMENT, END, NAME, NUMBER, Words
from tepui.languages.boolean.reader import (
    A_LABEL,
    A_NAME,
    A_NUMBER,
    A_STATEMENT,
    AN_EXPRESSION,
    AN_OPERATOR,
    MAX_RESULTS,
    THE_END,
)
from tepui.languages.boolean.syntax import SyntaxTree
from tepui.languages.source import Source
from tepui.program.program import Position
from tepui.program.types import BOOLEAN, THREAD, Scalar
from tepui.records import record, replace
from tepui.words import shown

A_PART = "a declaration or a procedure"
A_CONSTANT = "0, 1, T, F or '*'"

_CLOSING = frozenset({"end", "fi", "od", "else", "elsif"})
_ARITHMETIC = ("+", "-", "/", "%")
_NO_INTEGERS = "; all values are Boolean here, only programs in braces have integers"
_PARTS = ("decl", "void", "bool", "dfs")
_NAME_OR_COMMENT = re.compile(rf"(?P<name>\{{[^{{}}\n]+\}})|{COMMENT}")


def parse_begin_end(source: Source) -> SyntaxTree:
    """The syntax tree of a text with `begin` and `end`, its conventions already applied."""
    return apply_conventions(_BeginEnd(Words(source, BEGIN_END)).program())


@record
class _Declared:
    """A declaration among the statements of a body."""

    position: Position
    text: str
    variables: tuple[syntax.Declaration, ...]
    labels: tuple[syntax.Label, ...] = ()


_Item = syntax.Statement | _Declared


class _BeginEnd(ChainReader):
    closing: ClassVar = _CLOSING | {";", ",", ")", "]", ":", "then", "do", END}
    phrases: ClassVar = (
        *(A_PART, A_STATEMENT, AN_EXPRESSION, A_CONSTANT, A_LABEL, AN_OPERATOR, A_NAME, A_NUMBER),
        *(THE_END, THREAD_VARIABLE),
    )
    phrases_first: ClassVar = True

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self.late: list[syntax.Declaration] = []
        """The variables of the present procedure that are declared among its statements."""
        self.open: list[int] = []
        """The words that have to be closed."""

    def program(self) -> SyntaxTree:
        variables: list[syntax.Declaration] = []
        procedures: list[syntax.Procedure] = []
        while self.kind != END:
            first = self.index
            self.depth, self.open, self.late = 0, [], []
            try:
                if self.kind == "decl":
                    variables += self._declaration().variables
                    self.expect(";")
                else:
                    procedures.append(self._procedure())
            except InputError as error:
                self.note(error, first)
                self._skip_part(first)
        return SyntaxTree(
            self.source,
            tuple(variables),
            tuple(procedures),
            keywords=BEGIN_END.keywords,
            errors=tuple(self.errors),
            doubtful=frozenset(self.doubtful),
        )

    # Declarations and procedures.

    def _declaration(self) -> _Declared:
        first = self.take()
        is_thread = self.words.texts[self.index] == "thread" and self.kinds[self.index + 1] == NAME
        if is_thread:
            self.take()
        variables = self.separated(self._variable)
        if is_thread:
            variables = [replace(variable, type=THREAD) for variable in variables]
        return _Declared(self.words.position(first), self.text_since(first), tuple(variables))

    def _variable(self) -> syntax.Declaration:
        name = self.name()
        initial = self._constant() if self.accept(":=") else None
        return syntax.Declaration(name.position, name.name, initial=initial)

    def _constant(self) -> syntax.Expression:
        if self.kind in (NUMBER, "T", "F", "*"):
            return self.atom()
        self.hoped.add(A_CONSTANT)
        raise self.unexpected()

    def _procedure(self) -> syntax.Procedure:
        if self.kind not in _PARTS:
            self.hoped.add(A_PART)
            raise self.unexpected()
        if self.kind == "dfs":
            self.take()
        results = self._results()
        name = self.name()
        self.expect("(")
        parameters: list[syntax.Declaration] = []
        if not self.accept(")"):
            parameters = self.separated(self._parameter)
            self.expect(")")
        self.open.append(self.expect("begin"))
        head, body = self._split(self._block("end"))
        end = self.expect("end")
        late = sorted(self.late, key=lambda declared: astuple(declared.position))
        return syntax.Procedure(
            name.position,
            name.name,
            self.words.position(end),
            tuple(parameters),
            results,
            (*head, *late),
            body,
        )

    def _results(self) -> tuple[Scalar, ...]:
        if self.kinds[self.expect_one_of(("bool", "void"))] == "void":
            return ()
        if not self.accept("<"):
            return (BOOLEAN,)
        index = self.expect(NUMBER)
        digits = self.words.texts[index].lstrip("0")
        if len(digits) > len(str(MAX_RESULTS)) or not 1 <= int(digits or "0") <= MAX_RESULTS:
            found = shown(self.words.texts[index])
            message = f"expected a number of results (1 to {MAX_RESULTS}), found {found}"
            raise self.error(message, index)
        self.expect(">")
        return (BOOLEAN,) * int(digits)

    def _parameter(self) -> syntax.Declaration:
        name = self.name()
        if name.name == "thread" and self.kind == NAME:
            name = self.name()
            return syntax.Declaration(name.position, name.name, THREAD)
        return syntax.Declaration(name.position, name.name)

    # Statements.

    def _block(self, *closers: str) -> list[_Item]:
        """The statements up to a word that closes them."""
        items: list[_Item] = []
        while self.kind not in _CLOSING and self.kind not in ("void", "dfs", "bool", END):
            if self.kind == ";":
                self.take()
                continue
            first, depth, count = self.index, self.depth, len(self.open)
            try:
                self.hoped.update(closers)
                items.append(self._statement(closers))
            except InputError as error:
                self.depth = depth
                del self.open[count:]
                self.note(error, first)
                self._skip_statement(first)
        self.hoped.update(closers)
        self.more.add(A_STATEMENT)
        return items

    def _statement(self, closers: tuple[str, ...]) -> _Item:
        labels: list[syntax.Label] = []
        while self.kind in (NAME, NUMBER) and self.kinds[self.index + 1] == ":":
            index = self.take()
            labels.append(syntax.Label(self.words.position(index), self.words.texts[index]))
            self.take()
        item: _Item
        if self.kind in ("if", "while"):
            item = self._if() if self.kind == "if" else self._while()
        else:
            item = self._simple(labels)
            if self.kind not in _CLOSING:
                self.hoped.update(closers)
                self.expect(";")
        return replace(item, labels=tuple(labels)) if labels else item

    def _simple(self, labels: list[syntax.Label]) -> _Item:
        read = _STATEMENTS.get(self.kind)
        if read is not None:
            return read(self)
        if labels and (self.kind == ";" or self.kind in _CLOSING):
            return syntax.Skip(labels[0].position, "")
        self.more.add(A_STATEMENT)
        raise self.unexpected()

    def _if(self) -> syntax.If:
        self.open.append(self.index)
        branches = [self._branch()]
        while self.kind == "elsif":
            branches.append(self._branch())
        otherwise: tuple[syntax.Statement, ...] = ()
        if self.accept("else"):
            otherwise = self._body(self._block("fi"))
        self._close("fi")
        return syntax.If(branches[0].position, branches[0].text, tuple(branches), otherwise)

    def _branch(self) -> syntax.Branch:
        first = self.take()
        condition = self.expression()
        text = self.text_since(first)
        self.expect("then")
        self.nest()
        body = self._body(self._block("else", "elsif", "fi"))
        self.depth -= 1
        return syntax.Branch(self.words.position(first), text, condition, body)

    def _while(self) -> syntax.While:
        first = self.take()
        self.open.append(first)
        condition = self.expression()
        text = self.text_since(first)
        self.expect("do")
        self.nest()
        body = self._body(self._block("od"))
        self.depth -= 1
        self._close("od")
        return syntax.While(self.words.position(first), text, condition, body)

    def _close(self, word: str) -> None:
        self.expect(word)
        self.open.pop()

    def _print(self) -> syntax.Skip:
        first = self.take()
        self.arguments()
        return syntax.Skip(*self.where(first))

    def _return(self) -> syntax.Return:
        first = self.take()
        values: tuple[syntax.Expression, ...] = ()
        if self.kind != ";" and self.kind not in _CLOSING:
            self.hoped.add(";")
            values = tuple(self.separated(self.expression))
        return syntax.Return(*self.where(first), values)

    def _condition_in_parentheses(self) -> tuple[int, syntax.Expression]:
        first = self.take()
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        return first, condition

    def _assert(self) -> syntax.Assert:
        first, condition = self._condition_in_parentheses()
        return syntax.Assert(*self.where(first), condition)

    def _assume(self) -> syntax.Assume:
        first, condition = self._condition_in_parentheses()
        return syntax.Assume(*self.where(first), condition)

    def _abortif(self) -> syntax.AbortIf:
        first = self.take()
        condition = self.expression()
        return syntax.AbortIf(*self.where(first), condition)

    def _enforce(self) -> syntax.Enforce:
        first = self.take()
        condition = self.expression()
        return syntax.Enforce(*self.where(first), condition)

    def _dead(self) -> syntax.Dead:
        first = self.take()
        names = tuple(self.separated(self.name))
        return syntax.Dead(*self.where(first), names)

    def _start(self) -> syntax.ThreadCreate | syntax.StartGoto:
        first = self.take()
        if self.accept("goto"):
            target = self._label()
            return syntax.StartGoto(*self.where(first), target)
        procedure = self.name()
        arguments = self.arguments()
        return syntax.ThreadCreate(*self.where(first), procedure, arguments)

    def _end_thread(self) -> syntax.EndThread:
        return syntax.EndThread(*self.where(self.take()))

    def _atomic_begin(self) -> syntax.AtomicBegin:
        return syntax.AtomicBegin(*self.where(self.take()))

    def _atomic_end(self) -> syntax.AtomicEnd:
        return syntax.AtomicEnd(*self.where(self.take()))

    def _unsupported(self) -> syntax.Unsupported:
        first = self.take()
        if self.kinds[first] == "sync":
            self.name()
        return syntax.Unsupported(*self.where(first), self.words.texts[first])

    def _assign_or_call(self) -> syntax.Statement:
        first = self.index
        if self.kinds[first + 1] == "(":
            return self._called(first, ())
        targets = [self._place()]
        self.hoped.update(("(", ":"))
        while self.accept(","):
            targets.append(self._place())
        self.expect(":=")
        return self._assigned(first, tuple(targets))

    def _assigned(self, first: int, targets: tuple[syntax.Target, ...]) -> syntax.Statement:
        if self.kind == "async":
            return self._forked(first, targets)
        if self.kind == NAME and self.kinds[self.index + 1] == "(":
            return self._called(first, targets)
        self.hoped.add("async")
        begin = self.index
        values = [self.expression()]
        if self.index == begin + 1 and self.kinds[begin] == NAME:
            self.more.add("(")
        while self.accept(","):
            values.append(self.expression())
        constraint = self.expression() if self.accept("constrain") else None
        return syntax.Assign(*self.where(first), targets, tuple(values), constraint)

    def _place(self) -> syntax.Target:
        name = self.name()
        return syntax.Ignored(name.position) if name.name == "_" else name

    def arguments(self) -> tuple[syntax.Expression, ...]:
        self.expect("(")
        if self.accept(")"):
            return ()
        values = tuple(self.separated(self.expression))
        self.expect(")")
        return values

    # Declarations among statements.

    def _split(
        self, items: list[_Item]
    ) -> tuple[tuple[syntax.Declaration, ...], tuple[syntax.Statement, ...]]:
        """The declarations that open a body, and the statements that follow."""
        count = 0
        head: tuple[syntax.Declaration, ...] = ()
        for item in items:
            if not isinstance(item, _Declared) or item.labels:
                break
            head += item.variables
            count += 1
        return head, self._body(items[count:])

    def _body(self, items: list[_Item]) -> tuple[syntax.Statement, ...]:
        """The statements of a block; declarations among them are recorded."""
        statements: list[syntax.Statement] = []
        for item in items:
            if isinstance(item, _Declared):
                self.late += [replace(variable, initial=None) for variable in item.variables]
                statements += _initialisation(item)
            else:
                statements.append(item)
        return tuple(statements)

    # Errors, and the way on behind them.

    def tidied(self, text: str) -> str:
        return " ".join(_NAME_OR_COMMENT.sub(lambda found: found["name"] or " ", text).split())

    def described(self, accepted: set[str]) -> str:
        if ";" in accepted:
            accepted = accepted - _CLOSING
        expected = super().described(accepted)
        if self.kind in (END, *_CLOSING) and self.open and accepted & _CLOSING:
            word, line = self.words.texts[self.open[-1]], self.words.position(self.open[-1]).line
            expected += f" for the '{word}' of line {line}"
        return expected

    def hint(self, trouble: Trouble) -> str:
        if is_thread_declaration(trouble):
            return "; a thread is declared as in 'decl thread t;'"
        if trouble.found in ("=", "==") and ":=" in trouble.accepted:
            return "; assignment is ':='"
        if trouble.found in ("<", ">") and AN_OPERATOR in trouble.accepted:
            return _NO_INTEGERS
        return fork_hint(trouble) or keyword_hint(trouble, BEGIN_END.keywords, _STARTING)

    def stray(self, rest: str) -> str:
        if rest == "{":
            return "expected a name in braces, closed on the same line"
        hint = "" if rest.startswith("/*") else character_hint(rest[0])
        return f"{super().stray(rest)}{_NO_INTEGERS if rest in _ARITHMETIC else hint}"

    def _skip_statement(self, first: int) -> None:
        """Go on behind the statement that begins with a word."""
        depth = 1 if self.kinds[first] in ("if", "while") else 0
        if self.kind in ("fi", "od") and depth:  # The wrong word, but it closes the statement.
            self.take()
            depth = 0
        else:
            self._skip_to_end(depth)
        self.doubt(first)

    def _skip_to_end(self, depth: int) -> None:
        """Go on behind the next semicolon, or behind the words that close `depth` statements."""
        while self.kind not in ("end", "void", "dfs", "bool", END):
            if self.kind in _CLOSING and not depth:
                return
            depth += (self.kind in ("if", "while")) - (self.kind in ("fi", "od"))
            ends = self.kind in (";", "fi", "od") and not depth
            self.take()
            if ends:
                return

    def _skip_part(self, first: int) -> None:
        """Go on with the next declaration or procedure."""
        in_body = "begin" in self.kinds[first : self.index]
        while self.kind != END and not (self.index > first and self._at_part(in_body)):
            in_body = in_body or self.kind == "begin"
            self.take()
        self.doubt(first)

    def _at_part(self, in_body: bool) -> bool:
        return self.kind in _PARTS and not (in_body and self.kind == "decl")


_STATEMENTS: dict[str, Callable[[_BeginEnd], _Item]] = {
    NAME: _BeginEnd._assign_or_call,
    "decl": _BeginEnd._declaration,
    "skip": _BeginEnd._skip,
    "goto": _BeginEnd._goto,
    "return": _BeginEnd._return,
    "assert": _BeginEnd._assert,
    "assume": _BeginEnd._assume,
    "constrain": _BeginEnd._assume,
    "abortif": _BeginEnd._abortif,
    "enforce": _BeginEnd._enforce,
    "dead": _BeginEnd._dead,
    "print": _BeginEnd._print,
    "start_thread": _BeginEnd._start,
    "async": _BeginEnd._async,
    "join": _BeginEnd._join,
    "end_thread": _BeginEnd._end_thread,
    "atomic_begin": _BeginEnd._atomic_begin,
    "atomic_end": _BeginEnd._atomic_end,
    "wait": _BeginEnd._unsupported,
    "broadcast": _BeginEnd._unsupported,
    "sync": _BeginEnd._unsupported,
}
_STARTING: Starting = {A_STATEMENT: _STATEMENTS}
"""The simple statements, by the words with which they begin."""


def _initialisation(declared: _Declared) -> Iterator[syntax.Statement]:
    """The statements for a declaration that control passes."""
    given = [variable for variable in declared.variables if variable.initial is not None]
    if given:
        yield syntax.Assign(
            declared.position,
            declared.text,
            tuple(syntax.Name(variable.position, variable.name) for variable in given),
            tuple(variable.initial for variable in given if variable.initial is not None),
            labels=declared.labels,
        )
    elif declared.labels:
        yield syntax.Skip(declared.position, declared.text, labels=declared.labels)
