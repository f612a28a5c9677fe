"""What the readers of both syntaxes share: a cursor over the words of a text, the messages for a
word that cannot stand where it does, and the way on behind an error.

A reader is a method for each rule of its grammar. It never goes back: one word ahead, sometimes
two, says which rule applies. Whenever it looks for a word that is not there, it notes what it has
hoped for; the notes since the last word that was taken are what the message says was expected.

An error ends a statement, a declaration or the head of a procedure, and reading goes on behind it,
so that all errors of a file are found. Names that occur in what was skipped are doubtful: nobody
complains about them later.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeVar

from tepui.errors import InputError, alone
from tepui.languages.boolean import syntax
from tepui.languages.boolean.hints import THREAD_VARIABLE, Trouble
from tepui.languages.boolean.lexer import END, NAME, NUMBER, STRAY, Words
from tepui.languages.source import Source
from tepui.program.program import Position
from tepui.words import shown

MAX_RESULTS = 64
MAX_BRACKETS = 100
"""How deep brackets, blocks and conditionals may stand inside each other in a text."""

A_STATEMENT, AN_EXPRESSION, AN_OPERATOR = "a statement", "an expression", "an operator"
A_NAME, A_NUMBER, A_LABEL, THE_END = "a name", "a number", "a label", "the end of the file"
_PHRASES = {NAME: A_NAME, NUMBER: A_NUMBER, END: THE_END}

_Part = TypeVar("_Part")


class Reader(ABC):
    """Reads the words of one text."""

    closing: ClassVar[frozenset[str]]
    """The words that close something: before one of them, nobody expects that more follows."""
    phrases: ClassVar[tuple[str, ...]]
    """The phrases for what is expected, in the order of messages."""
    phrases_first: ClassVar[bool]

    def __init__(self, words: Words) -> None:
        self.words = words
        self.source: Source = words.source
        self.kinds = words.kinds
        self.index = 0
        self.kind = words.kinds[0]
        self.hoped: set[str] = set()
        self.more: set[str] = set()
        """What would go on with something that is complete already."""
        self.errors: list[InputError] = []
        self.warnings: list[str] = []
        self.doubtful: set[str] = set()
        self.failed = -1
        """The number of the word at which the last error was found."""
        self.depth = 0

    def take(self) -> int:
        """Take the next word. Returns its number."""
        index = self.index
        self.index = index + 1
        self.kind = self.kinds[index + 1]
        self.hoped.clear()
        self.more.clear()
        return index

    def accept(self, kind: str) -> bool:
        """Take the next word if it is of this kind."""
        if self.kind == kind:
            self.take()
            return True
        self.hoped.add(kind)
        return False

    def expect(self, kind: str) -> int:
        """Take the next word, which must be of this kind."""
        if self.kind == kind:
            return self.take()
        self.hoped.add(kind)
        raise self.unexpected()

    def expect_one_of(self, kinds: Iterable[str]) -> int:
        """Take the next word, which must be of one of these kinds."""
        if self.kind in kinds:
            return self.take()
        self.hoped.update(kinds)
        raise self.unexpected()

    def separated(self, part: Callable[[], _Part]) -> list[_Part]:
        """One part or more, with commas between them."""
        parts = [part()]
        while self.accept(","):
            parts.append(part())
        return parts

    def name(self) -> syntax.Name:
        index = self.expect(NAME)
        return syntax.Name(self.words.position(index), self.words.texts[index])

    def at(self) -> Position:
        """Where the next word stands."""
        return self.words.position(self.index)

    def text_since(self, first: int) -> str:
        """The text from a word up to the last one that was taken, in one line, without comments."""
        words = self.words
        text = words.text[words.starts[first] : words.end(self.index - 1)]
        if "/" in text or "\n" in text or "  " in text or "\t" in text:
            return self.tidied(text)
        return text

    def where(self, first: int) -> tuple[Position, str]:
        """The position and the text of a statement that ends with the last word taken."""
        return self.words.position(first), self.text_since(first)

    @abstractmethod
    def expression(self) -> syntax.Expression:
        """An expression."""

    @abstractmethod
    def arguments(self) -> tuple[syntax.Expression, ...]:
        """The arguments of a call, in parentheses."""

    @abstractmethod
    def tidied(self, text: str) -> str:
        """A text in one line, without comments."""

    def nest(self) -> None:
        """Go one level deeper, if that is not too deep."""
        self.depth += 1
        if self.depth > MAX_BRACKETS:
            error = self.error(f"expected at most {MAX_BRACKETS} levels of nesting, found more")
            self.errors.append(error)
            self.failed = self.index = len(self.kinds) - 2  # What follows makes no sense.
            self.kind = END
            raise error

    def error(self, message: str, index: int | None = None) -> InputError:
        """The error at a word, the next one unless another is named."""
        at = self.words.position(self.index if index is None else index)
        return self.source.error(at.line, at.column, message)

    def unexpected(self) -> InputError:
        """The error that the next word cannot stand where it does."""
        if self.kind == STRAY:
            return self.error(self.stray(self.words.texts[self.index]))
        closes = self.kind in self.closing and bool(self.hoped)
        accepted = {_PHRASES.get(kind, kind) for kind in self.hoped}
        expected = self.described(accepted if closes else accepted | self.more)
        if self.kind == END:
            return self.source.error_at_end(f"expected {expected}, found {THE_END}")
        found = f"'{shown(self.words.texts[self.index])}'"
        if accepted == {A_NAME} and found[1:-1].isidentifier():
            found = f"the keyword {found}"
        hint = self.hint(Trouble(self.words, self.index, frozenset(accepted | self.more)))
        return self.error(f"expected {expected}, found {found}{hint}")

    def described(self, accepted: set[str]) -> str:
        """What is expected, in words."""
        words = sorted(f"'{each}'" for each in accepted if " " not in each)
        phrases = [each for each in self.phrases if each in accepted]
        parts = phrases + words if self.phrases_first else words + phrases
        *others, last = parts
        return f"{', '.join(others)} or {last}" if others else last

    @abstractmethod
    def hint(self, trouble: Trouble) -> str:
        """What the author of such a text probably wants."""

    def stray(self, rest: str) -> str:
        """The message for a text that begins no word or sign."""
        if rest.startswith("/*"):
            return "the comment opened here is not closed"
        return f"no word or sign begins with '{shown(rest[0])}'"

    def note(self, error: InputError, first: int = -1) -> None:
        """Note an error. If it is at the word with which something begins, see to it that reading
        goes on; who names no such word knows how to."""
        if self.index != self.failed:  # One error at a word is enough.
            self.errors.append(alone(error))
        self.failed = self.index
        if self.words.texts[self.index].startswith("/*"):  # Nothing follows.
            self.failed += 1
        if self.index == first and self.kind not in (END, *self.closing):
            self.take()

    def doubt(self, first: int) -> None:
        """Names from a word up to the next one are doubtful."""
        for index in range(first, self.index):
            if self.kinds[index] in (NAME, NUMBER):
                self.doubtful.add(self.words.texts[index])

    # Statements that are the same in both syntaxes.

    def _skip(self) -> syntax.Skip:
        return syntax.Skip(*self.where(self.take()))

    def _goto(self) -> syntax.Goto:
        first = self.take()
        targets = tuple(self.separated(self._label))
        return syntax.Goto(*self.where(first), targets)

    def _label(self) -> syntax.Name:
        if self.kind not in (NAME, NUMBER):
            self.hoped.add(A_LABEL)
            raise self.unexpected()
        index = self.take()
        return syntax.Name(self.words.position(index), self.words.texts[index])

    def _async(self) -> syntax.Async:
        return self._forked(self.index, ())

    def _forked(self, first: int, targets: tuple[syntax.Target, ...]) -> syntax.Async:
        self.expect("async")
        procedure = self.name()
        arguments = self.arguments()
        return syntax.Async(*self.where(first), procedure, arguments, targets)

    def _called(self, first: int, targets: tuple[syntax.Target, ...]) -> syntax.Call:
        procedure = self.name()
        arguments = self.arguments()
        return syntax.Call(*self.where(first), procedure, arguments, targets)

    def _join(self) -> syntax.Join:
        first = self.take()
        self.expect("(")
        if self.kind in self.closing:
            self.hoped.add(THREAD_VARIABLE)
            raise self.unexpected()
        thread = self.expression()
        self.expect(")")
        return syntax.Join(*self.where(first), thread)
