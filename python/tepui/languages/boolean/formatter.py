"""Our layout of programs in braces: one statement per line, four blanks per block.

It works on words, not on trees, so that nothing but blanks, line ends and empty statements changes:
braces stay where they are, comments stay with their words. As in the figures of the papers, short
labels hang in the margin, and what stands on one line remains there if it is one numeric step, or
a condition and a simple statement.

A comment inside a statement stays there if it is a short `/* … */`, else it goes before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from tepui.languages.boolean.braces import parse_braces
from tepui.languages.boolean.braces_expressions import MACHINE_TYPES
from tepui.languages.boolean.commented_words import Comment, Word, words_of
from tepui.languages.source import Source

WIDTH = 100
INDENT = 4


def format_program(text: str, name: str) -> str:
    """The text in canonical layout, or an InputError if it does not follow the grammar."""
    source = Source.of_text(text, name)
    parse_braces(source).refuse_errors()
    return _Formatter(words_of("\n".join(source.lines))).run()


class _Formatter:
    """Reads words and writes lines."""

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.next = 0
        self.lines: list[str] = []
        self.depth = 0
        self.opened = True
        """Whether the last line opened a block or a file, so that no empty line follows it."""

    def run(self) -> str:
        while self._peek():
            if self._peek() in ("decl", "thread"):
                self._write(self._up_to(";"))
            else:
                self._procedure()
        self._write_comments(self.words[-1].before)
        return "".join(f"{line}\n" for line in self.lines)

    def _procedure(self) -> None:
        """A procedure, with an empty line before it and before the comments that belong to it."""
        first = self.words[self.next]
        if first.before:
            first.before[0].after_blank = True
        else:
            first.after_blank = True
        self._write(self._block([*self._up_to(")"), self._take()]))

    def _block(self, head: list[Word]) -> list[Word]:
        """A block that begins with a line `head`. Returns the line that it ends with."""
        closing = self.words[self.next]
        if closing.text == "}" and not closing.before and not head[-1].after:
            return [*head, self._take()]
        self._write_head(head)
        self.depth += 1
        in_case = False
        while self._peek() != "}":
            if self._peek() in ("decl", "thread"):
                self._write(self._up_to(";"))
            elif self._peek() in ("case", "default"):
                self.depth -= in_case
                self._write_head(self._up_to(":"))
                self.depth += 1
                in_case = True
            else:
                self._statement()
        closing = self._take()
        self._write_comments(closing.before)
        closing.before = []
        self.depth -= 1 + in_case
        return [closing]

    def _statement(self) -> None:
        head: list[Word] = []
        while self._peek(1) == ":":
            head += [self._take(), self._take()]
        if self._peek() == "if":
            self._if([*head, *self._up_to(")")])
        elif self._peek() in ("while", "for"):
            self._write(self._body([*head, *self._up_to(")")]))
        elif self._peek() == "do":
            closing = self._body([*head, self._take()])
            self._write([*closing, *self._up_to(";")])
        elif self._peek() == "switch":
            self._write(self._block([*head, *self._up_to(")"), self._take()]))
        elif self._peek() == "atomic":
            self._write(self._block([*head, self._take(), self._take()]))
        else:
            self._simple(head)

    def _if(self, head: list[Word]) -> None:
        while True:
            closing = self._body(head)
            if self._peek() != "else":
                return self._write(closing)
            head = [*closing, self._take()]
            if self._peek() != "if":
                return self._write(self._body(head))
            head += self._up_to(")")

    def _body(self, head: list[Word]) -> list[Word]:
        """The statement after a condition. Returns the line that it ends with, if it is a block."""
        if self._peek() == "{":
            return self._block([*head, self._take()])
        if (line := self._with_next(head)) is not None:
            self._write(line)
            return []
        self._write_head(head)
        self.depth += 1
        self._statement()
        self.depth -= 1
        return []

    def _simple(self, labels: list[Word]) -> None:
        line = [*labels, *self._up_to(";")]
        in_step = any(label.text.isdigit() for label in labels)
        while in_step and (longer := self._with_next(line)) is not None:
            line = longer
        self._write(line)

    def _with_next(self, line: list[Word]) -> list[Word] | None:
        """A line with the simple statement that follows on the same line of the source, if there is
        one, and if it fits."""
        word = self.words[self.next]
        is_simple = word.text not in _NOT_SIMPLE and self._peek(1) != ":"
        if not is_simple or word.opens_line or word.before or line[-1].after:
            return None
        start = self.next
        longer = [*line, *self._up_to(";")]
        if self.depth * INDENT + len(_spaced(longer)) > WIDTH:
            self.next = start
            return None
        return longer

    def _peek(self, ahead: int = 0) -> str:
        return self.words[min(self.next + ahead, len(self.words) - 1)].text

    def _take(self) -> Word:
        self.next += 1
        return self.words[self.next - 1]

    def _up_to(self, last: str) -> list[Word]:
        """The words up to the first `last` outside all parentheses that open among them."""
        taken: list[Word] = []
        depth = 0
        while True:
            word = self._take()
            taken.append(word)
            depth += (word.text == "(") - (word.text == ")")
            if word.text == last and depth == 0:
                return taken

    def _write_head(self, head: list[Word]) -> None:
        self._write(head)
        self.opened = True

    def _write(self, line: list[Word]) -> None:
        """Write words as one line, with their comments before, in and after it."""
        if not line:
            return
        first = line[0]
        inner = [[*word.after, *follower.before] for word, follower in pairwise(line)]
        moved = [comment for comment in chain(*inner) if not comment.is_inline]
        if first.text == "}":
            self.depth += 1
            self._write_comments(moved)
            self.depth -= 1
        else:
            if moved and not first.before:
                moved[0].after_blank, first.after_blank = first.after_blank, False
            self._write_comments([*first.before, *moved])
            if first.after_blank:
                self._blank_line()
        after = "".join(f"  {comment.text}" for comment in line[-1].after)
        self._write_line(_spaced(line) + after, _margin(line))

    def _write_comments(self, comments: Sequence[Comment]) -> None:
        for comment in comments:
            if comment.after_blank:
                self._blank_line()
            self._write_line(comment.text)

    def _write_line(self, text: str, margin: str = "") -> None:
        """Write a line, with a label that is short enough in its margin."""
        if margin and text.startswith(f"{margin} "):
            text = margin.ljust(INDENT) + text[len(margin) + 1 :]
            self.lines.append(" " * (INDENT * (self.depth - 1)) + text)
        else:
            self.lines.append(" " * (INDENT * self.depth) + text)
        self.opened = False

    def _blank_line(self) -> None:
        if not self.opened:
            self.lines.append("")


def _margin(line: Sequence[Word]) -> str:
    """The label of a line, if it is the only one and fits into the margin."""
    texts = [word.text for word in line[:4]]
    is_label = texts[1:2] == [":"] and texts[3:] != [":"]
    return f"{texts[0]}:" if is_label and len(texts[0]) + 1 < INDENT else ""


def _spaced(line: Sequence[Word]) -> str:
    """Words with blanks between them where there should be some."""
    text = ""
    roles = _Roles()
    for index, word in enumerate(line):
        blank = roles.blank_before(word)
        before = [comment.text for comment in word.before if index and comment.is_inline]
        after = [comment.text for comment in word.after if comment.is_inline]
        parts = [*before, word.text, *(after if index + 1 < len(line) else [])]
        text += (" " if text and (blank or before) else "") + " ".join(parts)
    return text


class _Roles:
    """Decides after each word whether a blank comes before the next one."""

    def __init__(self) -> None:
        self.before = Word("")
        self.tight = True
        self.operand = False
        self.ternaries = 0
        self.counting_results = False

    def blank_before(self, word: Word) -> bool:
        """Whether a blank comes before this word; call it once for each word, in order."""
        doubled = word.text == self.before.text == "-"
        blank = doubled or (not self.tight and not self._clings(word))
        self.tight = self._lets_cling(word)
        self.ternaries += (word.text == "?") - (word.text == ":" and self.ternaries > 0)
        is_star = word.text == "*" and not self.operand
        self.operand = word.is_operand or word.text in (")", "]") or is_star
        self.before = word
        return blank

    def _clings(self, word: Word) -> bool:
        """Whether a word follows the one before it without a blank."""
        before = self.before.text
        match word.text:
            case ")" | "]" | "," | ";" | "}" | "..":
                return True
            case "++" | "--":
                return self.operand
            case ":":
                return self.ternaries == 0
            case "(":
                return self.before.is_operand or before in _LIKE_CALLS
            case "[":
                return before in ("bool", "int", *MACHINE_TYPES) or (
                    self.before.is_operand and not before.isdigit()
                )
            case "<":
                return before == "bool"
            case ">":
                return self.counting_results
        return False

    def _lets_cling(self, word: Word) -> bool:
        """Whether the next word follows without a blank."""
        is_count = word.text == "<" and self.before.text == "bool"
        self.counting_results = is_count or (self.counting_results and word.text != ">")
        if word.text in ("-", "++", "--"):
            return not self.operand
        return word.text in ("(", "[", "{", "!", "~", "'", "..") or is_count


_LIKE_CALLS = ("assert", "assume", "join", "thread_create", "thread_self", "wait")
_NOT_SIMPLE = ("", "}", "if", "while", "for", "do", "switch", "case", "default", "atomic")
