"""Boolean programs with `begin` and `end`: text to syntax tree.

One grammar, `beginend.lark`, reads four dialects: that of SLAM and boppo, what SATABS writes for
Boom, the numbered statements of BoPP (`.nbp`), and that of Getafix. Their conventions beyond the
grammar are in `conventions`. Importing this module loads lark, so it is imported only when there is
something to parse. Three decisions are made here:

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
from collections.abc import Iterator
from dataclasses import astuple, replace
from functools import cache
from typing import Any, cast

from lark import Lark, Token, Tree, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.tree import Meta

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.conventions import apply_conventions
from tepui.languages.boolean.hints import (
    THREAD_VARIABLE,
    expects_thread,
    fork_hint,
    is_thread_declaration,
    keyword_hint,
)
from tepui.languages.boolean.nodes import MAX_RESULTS, TreeBuilder, Where
from tepui.languages.boolean.parsers import keywords_of, parser_of
from tepui.languages.boolean.syntax import SyntaxTree
from tepui.languages.source import Source
from tepui.program.expressions import BinaryOperator
from tepui.program.program import Position
from tepui.program.types import BOOLEAN, THREAD, Scalar
from tepui.records import record
from tepui.words import shown


def parse_begin_end(source: Source) -> SyntaxTree:
    """The syntax tree of a text with `begin` and `end`, its conventions already applied."""
    text = "\n".join(source.lines)
    try:
        tree = _parser().parse(text)
        return apply_conventions(_Builder(source, text).transform(tree))
    except UnexpectedToken as trouble:
        raise _unexpected(source, trouble) from None
    except UnexpectedCharacters as trouble:
        raise _stray(source, text, trouble) from None
    except VisitError as trouble:
        raise trouble.orig_exc from None
    except RecursionError:
        message = "the statements are nested too deeply"
        raise InputError(source.name, 0, 0, message) from None


@cache
def _parser() -> Lark:
    return parser_of("beginend")


@record
class _Declared:
    """A declaration among the statements of a body."""

    where: Where
    variables: tuple[syntax.Declaration, ...]
    labels: tuple[syntax.Label, ...] = ()


@v_args(meta=True)
class _Builder(TreeBuilder):
    """The nodes that are special in this grammar."""

    def __init__(self, source: Source, text: str) -> None:
        super().__init__(source, text)
        self.late: list[syntax.Declaration] = []
        """The variables of the present procedure that are declared among its statements."""

    def start(self, meta: Meta, children: list[Any]) -> SyntaxTree:
        procedures = [child for child in children if isinstance(child, syntax.Procedure)]
        declared = [child for child in children if isinstance(child, _Declared)]
        variables = [variable for each in declared for variable in each.variables]
        return SyntaxTree(
            self.source, tuple(variables), tuple(procedures), keywords=keywords_of(_parser())
        )

    def declaration(self, meta: Meta, variables: list[Any]) -> _Declared:
        return _Declared(self._where(meta), tuple(variables))

    def typed(self, meta: Meta, children: list[Any]) -> _Declared:
        word, *variables = children
        first = variables[0]
        if word != "thread":
            self._fail(first.position, f"expected ',', ';' or ':=', found '{shown(first.name)}'")
        return self.declaration(meta, [replace(each, type=THREAD) for each in variables])

    def variable(self, meta: Meta, children: list[Any]) -> syntax.Declaration:
        name, initial = children
        return syntax.Declaration(self._at(name), str(name), initial=initial)

    def procedure(self, meta: Meta, children: list[Any]) -> syntax.Procedure:
        results, name, parameters, items, end = children
        head, body = self._split(items)
        late = sorted(self.late, key=lambda declared: astuple(declared.position))
        self.late = []
        return syntax.Procedure(
            position=self._at(name),
            name=str(name),
            end=self._at(end),
            parameters=parameters,
            results=results,
            locals=(*head, *late),
            body=body,
        )

    def one_result(self, meta: Meta, children: list[Any]) -> tuple[Scalar, ...]:
        return (BOOLEAN,)

    def several_results(self, meta: Meta, children: list[Any]) -> tuple[Scalar, ...]:
        (number,) = children
        digits = number.lstrip("0")
        if len(digits) > len(str(MAX_RESULTS)) or not 1 <= int(digits or "0") <= MAX_RESULTS:
            found = shown(number)
            self._fail(number, f"expected a number of results (1 to {MAX_RESULTS}), found {found}")
        return (BOOLEAN,) * int(digits)

    def parameters(self, meta: Meta, children: list[Any]) -> tuple[syntax.Declaration, ...]:
        return tuple(children)

    def parameter(self, meta: Meta, children: list[Any]) -> syntax.Declaration:
        *words, name = children
        position = self._at(name)
        if words not in ([], ["thread"]):
            self._fail(position, f"expected ')' or ',', found '{shown(name)}'")
        return syntax.Declaration(position, str(name), THREAD if words else BOOLEAN)

    def block(self, meta: Meta, items: list[Any]) -> list[syntax.Statement | _Declared]:
        return items

    def simple(self, meta: Meta, children: list[Any]) -> syntax.Statement | _Declared:
        if isinstance(children[-1], syntax.Label):
            children = [*children, syntax.Skip(position=self._at(meta), text="")]
        *labels, item = children
        return cast(syntax.Statement, replace(item, labels=tuple(labels))) if labels else item

    compound = simple

    def label(self, meta: Meta, children: list[Any]) -> syntax.Label:
        return syntax.Label(self._at(meta), str(children[0]))

    def if_(self, meta: Meta, children: list[Any]) -> syntax.If:
        head, then, *others, otherwise = children
        first = self.elsif(meta, [head, then])
        return syntax.If(
            position=first.position,
            text=first.text,
            branches=(first, *others),
            otherwise=self._body(otherwise or []),
        )

    def elsif(self, meta: Meta, children: list[Any]) -> syntax.Branch:
        (text, condition), items = children
        return syntax.Branch(self._at(meta), text, condition, self._body(items))

    def while_(self, meta: Meta, children: list[Any]) -> syntax.While:
        (text, condition), items = children
        return syntax.While(
            position=self._at(meta), text=text, condition=condition, body=self._body(items)
        )

    elsif_head = while_head = TreeBuilder.if_head

    print = TreeBuilder.skip

    def goto(self, meta: Meta, children: list[Any]) -> syntax.Goto:
        return syntax.Goto(**self._where(meta), targets=self._names(children))

    def abortif(self, meta: Meta, children: list[Any]) -> syntax.AbortIf:
        return syntax.AbortIf(**self._where(meta), condition=children[0])

    def enforce(self, meta: Meta, children: list[Any]) -> syntax.Enforce:
        return syntax.Enforce(**self._where(meta), condition=children[0])

    def dead(self, meta: Meta, children: list[Any]) -> syntax.Dead:
        return syntax.Dead(**self._where(meta), variables=self._names(children))

    def create(self, meta: Meta, children: list[Any]) -> syntax.ThreadCreate:
        name, arguments = children
        return syntax.ThreadCreate(
            **self._where(meta), procedure=self.name(meta, [name]), arguments=arguments
        )

    def start_goto(self, meta: Meta, children: list[Any]) -> syntax.StartGoto:
        return syntax.StartGoto(**self._where(meta), target=self.name(meta, children))

    def end_thread(self, meta: Meta, children: list[Any]) -> syntax.EndThread:
        return syntax.EndThread(**self._where(meta))

    def atomic_begin(self, meta: Meta, children: list[Any]) -> syntax.AtomicBegin:
        return syntax.AtomicBegin(**self._where(meta))

    def atomic_end(self, meta: Meta, children: list[Any]) -> syntax.AtomicEnd:
        return syntax.AtomicEnd(**self._where(meta))

    def unsupported(self, meta: Meta, children: list[Any]) -> syntax.Unsupported:
        return syntax.Unsupported(**self._where(meta), construct=str(children[0]))

    def places(self, meta: Meta, names: list[Any]) -> tuple[syntax.Target, ...]:
        return tuple(
            syntax.Ignored(self._at(name)) if name == "_" else self.name(meta, [name])
            for name in names
        )

    arguments = TreeBuilder.expressions

    def number(self, meta: Meta, children: list[Any]) -> syntax.Number:
        (number,) = children
        if number not in ("0", "1"):
            self._fail(number, f"expected 0, 1, T or F, found '{shown(number)}'")
        return syntax.Number(self._at(number), int(number))

    def true(self, meta: Meta, children: list[Any]) -> syntax.Truth:
        return syntax.Truth(self._at(meta), True)

    def false(self, meta: Meta, children: list[Any]) -> syntax.Truth:
        return syntax.Truth(self._at(meta), False)

    def chain(self, meta: Meta, children: list[Any]) -> syntax.Expression:
        signs = children[1::2]
        operators = [_OPERATORS[sign] for sign in signs]
        clash = _first_clash(operators)
        if clash:
            earlier, later = (signs[index] for index in clash)
            self._fail(
                later,
                f"expected parentheses to group '{earlier}' and '{later}', "
                "on which the dialects differ",
            )
        return _grouped(children[::2], operators, [self._at(sign) for sign in signs])

    def _split(
        self, items: list[syntax.Statement | _Declared]
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

    def _body(self, items: list[syntax.Statement | _Declared]) -> tuple[syntax.Statement, ...]:
        """The statements of a block; declarations among them are recorded."""
        statements: list[syntax.Statement] = []
        for item in items:
            if isinstance(item, _Declared):
                self.late += [replace(variable, initial=None) for variable in item.variables]
                statements += _initialisation(item)
            else:
                statements.append(item)
        return tuple(statements)

    def _names(self, names: list[Token]) -> tuple[syntax.Name, ...]:
        return tuple(syntax.Name(self._at(name), str(name)) for name in names)

    def _without_comments(self, text: str) -> str:
        if "/" not in text:
            return text
        return _NAME_OR_COMMENT.sub(lambda found: found["name"] or " ", text)


def _initialisation(declared: _Declared) -> Iterator[syntax.Statement]:
    """The statements for a declaration that control passes."""
    given = [variable for variable in declared.variables if variable.initial is not None]
    if given:
        yield syntax.Assign(
            **declared.where,
            labels=declared.labels,
            targets=tuple(syntax.Name(variable.position, variable.name) for variable in given),
            values=tuple(variable.initial for variable in given if variable.initial is not None),
        )
    elif declared.labels:
        yield syntax.Skip(**declared.where, labels=declared.labels)


_NAME_OR_COMMENT = re.compile(r"(?P<name>\{[^{}\n]+\})|//[^\n]*|/\*[\s\S]*?\*/")

_OPERATORS: dict[str, BinaryOperator] = {
    "&": "and",
    "&&": "and",
    "|": "or",
    "||": "or",
    "^": "xor",
    "=>": "implies",
    "=": "=",
    "==": "=",
    "!=": "!=",
}

_LEVELS: tuple[frozenset[BinaryOperator], ...] = (
    frozenset({"implies"}),
    frozenset({"or"}),
    frozenset({"xor"}),
    frozenset({"and"}),
    frozenset({"=", "!="}),
)
"""The operators, loosest first, as Getafix and BoPP have them. In boppo `=` and `!=` bind as
loosely as `=>`, all three to the right, and `^` binds looser than `|`."""

_CLASHES: dict[BinaryOperator, frozenset[BinaryOperator]] = {
    "and": frozenset({"=", "!="}),
    "or": frozenset({"=", "!=", "xor"}),
    "xor": frozenset({"or"}),
    "implies": frozenset({"=", "!=", "implies"}),
    "=": frozenset({"and", "or"}),
    "!=": frozenset({"and", "or"}),
}
"""For each operator, those on its left in the same chain that make its meaning depend on the
dialect. Chains of `=`, `!=` and `^` mean the same however they are grouped."""


def _first_clash(operators: list[BinaryOperator]) -> tuple[int, int] | None:
    """The places of two operators of a chain that the dialects group differently."""
    seen: dict[BinaryOperator, int] = {}
    for index, operator in enumerate(operators):
        for other in seen:
            if other in _CLASHES[operator]:
                return seen[other], index
        if operator == "implies":
            seen.clear()
        seen[operator] = index
    return None


def _grouped(
    operands: list[syntax.Expression],
    operators: list[BinaryOperator],
    positions: list[Position],
) -> syntax.Expression:
    """The tree of a chain: split at the middle one of its loosest operators."""
    if not operators:
        return operands[0]
    loosest = next(level for level in _LEVELS if level.intersection(operators))
    places = [index for index, operator in enumerate(operators) if operator in loosest]
    middle = places[len(places) // 2]
    return syntax.Binary(
        positions[middle],
        operators[middle],
        _grouped(operands[: middle + 1], operators[:middle], positions[:middle]),
        _grouped(operands[middle + 1 :], operators[middle + 1 :], positions[middle + 1 :]),
    )


def _unexpected(source: Source, trouble: UnexpectedToken) -> InputError:
    """The message for a token that cannot stand where it does."""
    token = trouble.token
    terminals = set(trouble.accepts or trouble.expected)
    if "COMMA" in terminals:  # Only the word `thread` is followed by another name.
        terminals.discard("NAME")
    expected = THREAD_VARIABLE if expects_thread(trouble) else _described(terminals)
    if token.type in {"$END", *_CLOSING} and _CLOSING & terminals:
        expected += _opened(trouble)
    if token.type == "$END":
        return source.error_at_end(f"expected {expected}, found the end of the file")
    found = f"'{shown(token)}'"
    if terminals == {"NAME"} and token.isidentifier():
        found = f"the keyword {found}"
    hint = fork_hint(trouble)
    if is_thread_declaration(trouble):
        hint = "; a thread is declared as in 'decl thread t;'"
    hint = hint or keyword_hint(trouble, keywords_of(_parser()))
    return source.error(token.line, token.column, f"expected {expected}, found {found}{hint}")


def _stray(source: Source, text: str, trouble: UnexpectedCharacters) -> InputError:
    """The message for a character that begins no token."""
    rest = text[trouble.pos_in_stream :]
    message = f"no word or sign begins with '{shown(rest[0])}'"
    if rest.startswith("/*"):
        message = "the comment opened here is not closed"
    elif rest.startswith("{"):
        message = "expected a name in braces, closed on the same line"
    return source.error(trouble.line, trouble.column, message)


def _terminals(names: str) -> frozenset[str]:
    return frozenset(names.split())


_STATEMENT = _terminals(
    "NAME NUMBER DECL SKIP GOTO RETURN ASSERT ASSUME CONSTRAIN ABORTIF ENFORCE DEAD PRINT IF WHILE "
    "START_THREAD END_THREAD ASYNC JOIN ATOMIC_BEGIN ATOMIC_END WAIT BROADCAST SYNC SEMICOLON"
)
_GROUPS: dict[str, frozenset[str]] = {
    "a declaration or a procedure": _terminals("DECL VOID BOOL DFS $END"),
    "a statement": _STATEMENT,
    "an expression": _terminals("NAME NUMBER T F LPAR NOT STAR QUESTION QUOTE SCHOOSE"),
    "0, 1, T, F or '*'": _terminals("NUMBER T F STAR"),
    "a label": _terminals("NAME NUMBER"),
    "an operator": _terminals("OPERATOR QUESTION"),
}
_WORDS = {"NAME": "a name", "NUMBER": "a number"}
_CLOSING = _terminals("END FI OD ELSE ELSIF")
_OPENING = {"BEGIN": "begin", "if_head": "if", "while_head": "while"}


def _described(terminals: set[str]) -> str:
    """The tokens that may stand at a place, in words."""
    rest = set(terminals)
    phrases = []
    for phrase, group in _GROUPS.items():
        if group <= rest:
            phrases.append(phrase)
            rest -= group
    if "SEMICOLON" in rest:
        rest -= _CLOSING
    signs = {terminal.name: terminal.pattern.value for terminal in _parser().terminals}
    phrases += [_WORDS.get(name) or f"'{signs[name]}'" for name in sorted(rest)]
    return " or ".join(filter(None, [", ".join(phrases[:-1]), phrases[-1]]))


def _opened(trouble: UnexpectedToken) -> str:
    """The word that has to be closed, if there is one."""
    for part in reversed(trouble.interactive_parser.parser_state.value_stack):
        kind = part.data if isinstance(part, Tree) else part.type
        if kind in _OPENING:
            line = part.meta.line if isinstance(part, Tree) else part.line
            return f" for the '{_OPENING[kind]}' of line {line}"
    return ""
