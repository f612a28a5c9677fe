"""Nets in the format of the public tool mist, `.spec`.

Sections, in this order: `vars` has the names, `rules` the transitions, `init` the initial counts,
`target` the bad markings, `invariants` weights. A rule `x >= 1 -> x' = x - 1, z' = z + y, y' = 0;`
has a guard and new counts. Counts never become negative: a rule that would make one so cannot be
taken. A variable without a new count keeps its count. In `target`, a comma means «and», and what
follows without a comma is one more bad marking.

What is not monotone is refused by name: guards with `=`, `<=` or an interval, and tokens that are
copied. Invariants are only hints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tepui.errors import InputError, UsageError
from tepui.languages.loaded_model import LoadedNet
from tepui.languages.source import Source
from tepui.model.net import Marking, Net, Row, Transition, marking_of, validate_net
from tepui.parameter_names import named
from tepui.records import record
from tepui.words import did_you_mean

MOST = 1_000_000
"""The largest number that a file may have."""

_SECTIONS = ("vars", "rules", "init", "target", "invariants")
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+|->|>=|<=|\S")
_NAME = re.compile(r"[A-Za-z_]")


@record
class _Word:
    text: str
    line: int
    column: int


def read_spec(
    source: Source, init: str | None = None, targets: Sequence[str] | None = None
) -> LoadedNet:
    """The net of a file."""
    for option, given in (("init", init), ("target", targets)):
        if given:
            raise UsageError(
                f"{source.name}: {named(option)} is not for nets, whose files say that themselves"
            )
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.words = [
            _Word(match[0], number, match.start() + 1)
            for number, line in enumerate(source.lines, start=1)
            for match in _TOKEN.finditer(line.partition("#")[0])
        ]
        self.at = 0
        self.places: dict[str, int] = {}

    def read(self) -> LoadedNet:
        self._vars()
        self._section("rules")
        transitions = []
        while not self._is_section():
            transitions.append(self._rule())
        initial, warnings = self._init()
        self._section("target")
        targets = [self._condition()]
        while self._peek() is not None and not self._is_section():
            targets.append(self._condition())
        hints = self._invariants()
        net = Net(
            self.source.stem,
            tuple(self.places),
            tuple(initial),
            tuple(transitions),
            tuple(targets),
            tuple(hints),
        )
        return LoadedNet(validate_net(net), warnings)

    def _vars(self) -> None:
        self._section("vars")
        while not self._is_section():
            word = self._word("a variable")
            if not _NAME.match(word.text):
                raise self._error(word, "expected a variable, or the section rules")
            if word.text in self.places:
                raise self._error(word, f"there is a variable {word.text} already")
            self.places[word.text] = len(self.places)
        if not self.places:
            raise self._error_here("expected a variable")

    def _rule(self) -> Transition:
        begin = self.at
        guard = self._condition()
        self._expect("->")
        rows: dict[int, Row] = {}
        while True:
            word = self._word("a variable")
            place = self._place(word)
            if place in rows:
                raise self._error(word, f"{word.text} has a new count already")
            self._expect("'")
            self._expect("=")
            rows[place] = self._row(place)
            if not self._accept(","):
                break
        self._expect(";")
        self._refuse_copies(begin, rows)
        words = self.words[begin : self.at - 1]
        text = " ".join(word.text for word in words).replace(" '", "'").replace(" ,", ",")
        changed = (row for row in rows.values() if row.sources != (row.place,) or row.constant)
        return Transition(guard, tuple(changed), text, words[0].line)

    def _row(self, place: int) -> Row:
        sources: list[int] = []
        constant, sign = 0, 1
        while True:
            word = self._word("a variable or a number")
            if _NAME.match(word.text):
                source = self._place(word)
                if sign < 0:
                    raise self._error(
                        word, f"a count minus {word.text} is not monotone: expected a number"
                    )
                if source in sources:
                    raise self._error(word, f"{word.text} is added twice: tokens are not copied")
                sources.append(source)
            else:
                constant += sign * self._number(word)
            if self._accept("+"):
                sign = 1
            elif self._accept("-"):
                sign = -1
            else:
                return Row(place, tuple(sources), constant)

    def _refuse_copies(self, begin: int, rows: dict[int, Row]) -> None:
        owner: dict[int, int] = {}
        names = list(self.places)
        for row in rows.values():
            for source in row.sources:
                other = owner.setdefault(source, row.place)
                kept = source not in rows
                if other != row.place or kept:
                    where = "keeps its count" if kept else f"is added to {names[other]}, too"
                    raise self._error(
                        self.words[begin],
                        f"this rule adds {names[source]} to {names[row.place]}, and it {where}: "
                        "tokens are not copied",
                    )

    def _condition(self) -> Marking:
        """Conditions that must hold together, each of the form x >= 1."""
        counts: dict[int, int] = {}
        while True:
            place = self._place(self._word("a variable"))
            word = self._word(">=")
            if word.text in ("=", "<=", "<", "in"):
                raise self._error(
                    word, f"a condition with {word.text} is not monotone: expected >="
                )
            if word.text != ">=":
                raise self._error(word, "expected >=")
            number = self._number(self._word("a number"))
            counts[place] = max(number, counts.get(place, 0))
            if not self._accept(","):
                return marking_of(counts)

    def _init(self) -> tuple[list[tuple[int, int | None]], list[str]]:
        self._section("init")
        given: dict[int, tuple[int, int | None]] = {}
        while True:
            word = self._word("a variable")
            place = self._place(word)
            if place in given:
                raise self._error(word, f"{word.text} has an initial count already")
            given[place] = self._range()
            if not self._accept(","):
                break
        if not self._is_section():
            raise self._error_here("expected a comma, or the section target")
        free = [name for name, place in self.places.items() if place not in given]
        warnings = [
            f"{self.source.name}: init does not say how many {name} there are: any number is read"
            for name in free
        ]
        return [given.get(place, (0, None)) for place in self.places.values()], warnings

    def _range(self) -> tuple[int, int | None]:
        word = self._word("=, >= or in")
        if word.text == ">=":
            return self._number(self._word("a number")), None
        if word.text == "=":
            number = self._number(self._word("a number"))
            return number, number
        if word.text != "in":
            raise self._error(word, "expected =, >= or in")
        self._expect("[")
        least = self._number(self._word("a number"))
        self._expect(",")
        last = self._word("a number")
        most = self._number(last)
        self._expect("]")
        if most < least:
            raise self._error(last, f"expected a number that is not less than {least}")
        return least, most

    def _invariants(self) -> list[tuple[int, ...]]:
        """Weights that may be those of an invariant, one after another."""
        hints = []
        if self._peek() is not None:
            self._section("invariants")
        while self._peek() is not None:
            weights = [0] * len(self.places)
            while True:
                place = self._place(self._word("a variable"))
                self._expect("=")
                weights[place] = self._number(self._word("a number"))
                if not self._accept(","):
                    break
            hints.append(tuple(weights))
        return hints

    def _section(self, name: str) -> None:
        word = self._word(f"the section {name}")
        if word.text != name:
            raise self._error(word, f"expected the section {name}")

    def _is_section(self) -> bool:
        word = self._peek()
        return word is not None and word.text in _SECTIONS

    def _place(self, word: _Word) -> int:
        if word.text not in self.places:
            hint = did_you_mean(word.text, list(self.places))
            raise self._error(word, f"expected a variable of the section vars{hint}")
        return self.places[word.text]

    def _number(self, word: _Word) -> int:
        if not word.text.isascii() or not word.text.isdigit():
            raise self._error(word, "expected a number")
        digits = word.text.lstrip("0") or "0"
        if len(digits) > len(str(MOST)) or int(digits) > MOST:
            raise self._error(word, f"expected a number up to {MOST:,}")
        return int(digits)

    def _peek(self) -> _Word | None:
        return self.words[self.at] if self.at < len(self.words) else None

    def _word(self, expected: str) -> _Word:
        word = self._peek()
        if word is None:
            raise self.source.error_at_end(f"expected {expected}")
        self.at += 1
        return word

    def _accept(self, text: str) -> bool:
        word = self._peek()
        if word is None or word.text != text:
            return False
        self.at += 1
        return True

    def _expect(self, text: str) -> None:
        word = self._word(text)
        if word.text != text:
            raise self._error(word, f"expected {text}")

    def _error(self, word: _Word, message: str) -> InputError:
        return self.source.error(word.line, word.column, message)

    def _error_here(self, message: str) -> InputError:
        word = self._peek()
        return self.source.error_at_end(message) if word is None else self._error(word, message)
