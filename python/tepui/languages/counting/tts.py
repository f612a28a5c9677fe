"""Thread transition systems, as the public tool BFC reads them.

A file has the numbers of shared and of local states, then a transition on each line:

    s l -> t m             a thread moves
    s l -> t m  a ~> b     and all others at a go to b; there may be several such pairs
    s l +> t m             a thread at l stays there and starts another one at m
    s l ~> t m             all threads at l, and be it none, go to m

`#` begins a comment. All threads start in local state 0, in shared state 0, and there is any number
of them. The bad states are in the file beside it, `x.tts.prop`, one on each line: `s|l,m` has
shared state s and threads at l and m.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tepui.errors import InputError, UsageError
from tepui.languages.loaded_model import LoadedNet
from tepui.languages.source import Source
from tepui.model.net import Marking, Net, Row, Transition, marking_of, validate_net
from tepui.parameter_names import named
from tepui.records import record

BESIDE = ".tts.prop"

MOST_STATES = 1_000_000
"""The largest number of shared or local states."""

_TOKEN = re.compile(r"[0-9]+|->|\+>|~>|\S")


@record
class _Word:
    text: str
    line: int
    column: int


def read_tts(
    source: Source, init: str | None = None, targets: Sequence[str] | None = None
) -> LoadedNet:
    """The net of a thread transition system: first its shared states, then its local states."""
    if init is not None:
        raise UsageError(
            f"{source.name}: {named('init')} is for pushdown systems; all threads of a thread "
            "transition system start in local state 0"
        )
    return LoadedNet(_Reader(source).net(targets))


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.shared = self.local = 0

    def net(self, targets: Sequence[str] | None) -> Net:
        lines = self._lines()
        header = next(lines, None)
        if header is None:
            raise self.source.error_at_end("expected the numbers of shared and of local states")
        if len(header) != 2:
            word = header[min(2, len(header) - 1)]
            raise self._error(word, "expected the numbers of shared and of local states, no more")
        self.shared, self.local = (self._size(word) for word in header)
        transitions = dict.fromkeys(map(self._transition, lines))
        unique = {(one.guard, one.rows): one for one in reversed(transitions)}
        asked = self._targets(targets)
        return validate_net(
            Net(
                self.source.stem,
                (
                    *(f"shared {number}" for number in range(self.shared)),
                    *(f"local {number}" for number in range(self.local)),
                ),
                (
                    (1, 1),
                    *[(0, 0)] * (self.shared - 1),
                    (0, None),
                    *[(0, 0)] * (self.local - 1),
                ),
                tuple(reversed(unique.values())),
                tuple(asked),
                ((1,) * self.shared + (0,) * self.local,),
            )
        )

    def _lines(self) -> Iterator[list[_Word]]:
        for number, line in enumerate(self.source.lines, start=1):
            code = line.partition("#")[0]
            words = [_Word(m[0], number, m.start() + 1) for m in _TOKEN.finditer(code)]
            if words:
                yield words

    def _transition(self, words: list[_Word]) -> Transition:
        if len(words) < 5 or words[2].text not in ("->", "+>", "~>"):
            at = next((w for w in words[2:3] if w.text not in ("->", "+>", "~>")), words[-1])
            raise self._error(
                at, "expected a transition such as 0 1 -> 2 3, 0 1 +> 2 3 or 0 1 ~> 2 3"
            )
        source, target = self._shared(words[0]), self._shared(words[3])
        start, end = self._local(words[1]), self._local(words[4])
        moved = self._moved(words[2].text, words[5:])
        change: Counter[int] = Counter()
        guard = {source: 1}
        change[source] -= 1
        change[target] += 1
        match words[2].text:
            case "~>":
                moved = {start: end} if start != end else {}
            case "+>":
                guard[start] = 1
                change[end] += 1
            case _:
                guard[start] = 1
                change[moved.get(start, start)] -= 1
                change[end] += 1
        first, last = words[0], words[-1]
        text = self.source.lines[first.line - 1][
            first.column - 1 : last.column + len(last.text) - 1
        ]
        return Transition(
            marking_of(guard), _rows(change, moved), " ".join(text.split()), first.line
        )

    def _moved(self, kind: str, words: list[_Word]) -> dict[int, int]:
        """Where other threads go, by the places where they are."""
        moved: dict[int, int] = {}
        for at in range(0, len(words), 3):
            pair = words[at : at + 3]
            if len(pair) < 3 or pair[1].text != "~>":
                raise self._error(pair[0], "expected the end of the line, or a pair such as 1 ~> 2")
            if kind != "->":
                raise self._error(pair[0], f"other threads move with -> only, not with {kind}")
            start, end = self._local(pair[0]), self._local(pair[2])
            if moved.setdefault(start, end) != end:
                raise self._error(
                    pair[0],
                    f"threads at {pair[0].text} go to two places: broadcasts whose receivers "
                    "choose are not supported",
                )
        return {start: end for start, end in moved.items() if start != end}

    def _targets(self, given: Sequence[str] | None) -> list[Marking]:
        if given:
            return [self._target(Source.of_text(text, named("target")), 1, text) for text in given]
        beside = self.source.beside(BESIDE)
        if beside is None:
            raise UsageError(
                f"{self.source.name} asks no question: name bad states with {named('target')}, "
                f"such as '1|2,2', or in the file {self.source.stem}{BESIDE} beside it"
            )
        lines = ((n, line.partition("#")[0]) for n, line in enumerate(beside.lines, start=1))
        found = [self._target(beside, number, line) for number, line in lines if line.strip()]
        if not found:
            raise beside.error_at_end("expected a bad state such as 1|2,2")
        return found

    def _target(self, source: Source, number: int, line: str) -> Marking:
        words = [_Word(m[0], number, m.start() + 1) for m in _TOKEN.finditer(line)]
        counts: Counter[int] = Counter()
        reader = _Reader(source)
        reader.shared, reader.local = self.shared, self.local
        if len(words) < 2 or words[1].text != "|":
            at = words[min(1, len(words) - 1)] if words else _Word("", number, 1)
            raise reader._error(at, "expected a bad state such as 1|2,2")
        counts[reader._shared(words[0])] += 1
        for number, word in enumerate(words[2:]):
            if number % 2 and word.text != ",":
                raise reader._error(word, "expected a comma, or the end of the line")
            if not number % 2:
                counts[reader._local(word)] += 1
        if len(words) > 2 and len(words) % 2 == 0:
            raise reader._error(words[-1], "expected a local state after the comma")
        return marking_of(counts)

    def _size(self, word: _Word) -> int:
        number = self._number(word, MOST_STATES + 1, "a number of states")
        if number == 0:
            raise self._error(word, "expected at least one state")
        return number

    def _shared(self, word: _Word) -> int:
        return self._number(word, self.shared, "a shared state")

    def _local(self, word: _Word) -> int:
        return self.shared + self._number(word, self.local, "a local state")

    def _number(self, word: _Word, below: int, what: str) -> int:
        if not word.text.isascii() or not word.text.isdigit():
            raise self._error(word, f"expected {what}, which is a number")
        digits = word.text.lstrip("0") or "0"
        if len(digits) > 9 or int(digits) >= below:
            raise self._error(word, f"expected {what} from 0 to {below - 1}")
        return int(digits)

    def _error(self, word: _Word, message: str) -> InputError:
        return self.source.error(word.line, word.column, message)


def _rows(change: Counter[int], moved: dict[int, int]) -> tuple[Row, ...]:
    """What changes and where others go, as rows."""
    touched = {place for place, count in change.items() if count} | moved.keys() | {*moved.values()}
    return tuple(
        Row(
            place,
            tuple(
                sorted(
                    {start for start, end in moved.items() if end == place}
                    | ({place} - moved.keys())
                )
            ),
            change[place],
        )
        for place in sorted(touched)
    )
