"""The local states of a thread, whole stacks or cut ones, and what one step makes of them.

The proof in `states` says what the functions here have to yield.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

from tepui.checker.name_text import local_text, rule_text
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Rule, System
from tepui.model.stack_sets import StackSet
from tepui.model.system import Word
from tepui.records import record

Local = tuple[Word, bool]
"""The part of a stack that is kept, and whether something lies below it."""


@record
class Cut:
    """How much of a stack is kept, and whether it is known if more lies below."""

    depth: int
    flags: bool

    def fits(self, local: Local, stacks: StackSet, symbols: int) -> bool:
        """Whether some stack with this cut may be in a set over this number of symbols."""
        word, more = local
        if more:
            return any(stacks.may_continue((*word, symbol)) for symbol in range(1, symbols))
        if word and not self.flags:
            return stacks.may_continue(word)
        return stacks.accepts(word)


WHOLE = Cut(sys.maxsize, flags=True)
"""No stack is as high as this cut."""


def cut_of(kind: str, depth: int, flags: bool, relations: int, tables: int) -> Cut:
    """How a certificate of a kind cuts stacks, if it has one relation «below» for each table."""
    if kind not in ("states", "cut"):
        raise EvidenceError(f"there is no kind of certificate {kind!r}")
    if kind == "states":
        if depth or relations:
            raise EvidenceError("a certificate of whole states has neither a depth nor «below»")
        return WHOLE
    if depth < 1 or not (flags or depth == 1):
        raise EvidenceError(
            f"stacks cannot be cut at {depth}: with flags the depth is 1 or more, "
            "without them it is 1"
        )
    if relations != tables:
        raise EvidenceError("the certificate does not have one relation «below» for each group")
    return Cut(depth, flags)


class LocalStates:
    """A table of local states that some threads of one template share, and their steps."""

    def __init__(
        self,
        system: System,
        threads: Sequence[int],
        table: Sequence[Local],
        cut: Cut,
        pairs: frozenset[tuple[int, int]],
    ) -> None:
        """`pairs` are the relation «below» of these threads; there must be a thread."""
        self._system = system
        self.threads = threads
        self.template = system.template_of(threads[0])
        self.locals = tuple(table)
        self._cut = cut
        self._pairs = pairs
        self._check_locals()
        self._check_pairs()
        self._index = {local: index for index, local in enumerate(self.locals)}
        self._below: dict[int, list[int]] = {}
        for symbol, lower in sorted(self._pairs):
            self._below.setdefault(symbol, []).append(lower)
        self._rules: dict[tuple[int, int], list[Rule]] = {}
        for rule in self.template.rules:
            self._rules.setdefault((rule.source, rule.top), []).append(rule)

    def initial_local(self) -> int:
        """The local state of the initial stack, whose pairs at the cut and deeper are checked."""
        stack, depth = self.template.stack, self._cut.depth
        local = stack[:depth], self._cut.flags and len(stack) > depth
        for pair in self._pairs_of(stack, [EPSILON]):
            if pair not in self._pairs:
                raise self._no_pair(pair, "the initial stack")
        if local not in self._index:
            raise self._no_local(local, "the initial stack")
        return self._index[local]

    def moves(self, shared: int, index: int) -> list[tuple[int, int]]:
        """All pairs (shared state, local state) after one step of a thread. The pairs of «below»
        are checked."""
        local = self.locals[index]
        found = []
        for rule in self._rules.get((shared, self.top(index)), ()):
            for pair in self._new_pairs(local, rule):
                if pair not in self._pairs:
                    raise self._no_pair(pair, self._step_text(local, rule))
            for after in self._new_locals(local, rule):
                if after not in self._index:
                    raise self._no_local(after, self._step_text(local, rule))
                found.append((rule.target, self._index[after]))
        return list(dict.fromkeys(found))

    def top(self, index: int) -> int:
        """The top of the stacks of a local state."""
        word, _ = self.locals[index]
        return word[0] if word else EPSILON

    def fits(self, index: int, stacks: StackSet) -> bool:
        """Whether a local state may stand for a stack in a set."""
        return self._cut.fits(self.locals[index], stacks, len(self.template.symbols))

    def _new_pairs(self, local: Local, rule: Rule) -> list[tuple[int, int]]:
        """The pairs at the cut and deeper that a step makes; a pop makes none."""
        return self._pairs_of(rule.word + local[0][1:], self._under(local))

    def _new_locals(self, local: Local, rule: Rule) -> list[Local]:
        """The cuts of all stacks that a step can lead to."""
        word, more = local
        after, depth = rule.word + word[1:], self._cut.depth
        if not self._cut.flags:
            if rule.word:
                return [(after[:1], False)]
            return [(() if lower == EPSILON else (lower,), False) for lower in self._under(local)]
        if not more:
            return [(after[:depth], len(after) > depth)]
        if rule.word:
            return [(after[:depth], True)]
        return [
            ((*after, emerging), lower != EPSILON)
            for emerging in self._under(local)
            for lower in self._below.get(emerging, ())
        ]

    def _under(self, local: Local) -> list[int]:
        """What may follow the part of a stack that is kept."""
        word, more = local
        if not word:
            return [EPSILON]
        if not self._cut.flags:
            return self._below.get(word[0], [])
        if not more:
            return [EPSILON]
        return [lower for lower in self._below.get(word[-1], ()) if lower != EPSILON]

    def _pairs_of(self, word: Word, under: list[int]) -> list[tuple[int, int]]:
        """The pairs at the cut and deeper of a word, up to the one that crosses its end."""
        if len(word) < self._cut.depth:
            return []
        return [*pairwise(word[self._cut.depth - 1 :]), *((word[-1], lower) for lower in under)]

    def _check_locals(self) -> None:
        for word, more in self.locals:
            if not all(0 < symbol < len(self.template.symbols) for symbol in word):
                raise self._no_cut((word, more), "holds something that is no stack symbol")
            if len(word) > self._cut.depth:
                raise self._no_cut((word, more), f"is longer than the cut at {self._cut.depth}")
            if more and not (self._cut.flags and len(word) == self._cut.depth):
                raise self._no_cut((word, more), "is not cut, so nothing can lie below it")
        if len(set(self.locals)) < len(self.locals):
            raise EvidenceError(f"the certificate lists a stack of {self.names()} twice")

    def _check_pairs(self) -> None:
        count = len(self.template.symbols)
        for upper, lower in self._pairs:
            if not (0 < upper < count and 0 <= lower < count):
                raise EvidenceError(
                    f"the relation «below» of {self.names()} "
                    "holds something that is no stack symbol"
                )

    def _no_cut(self, local: Local, problem: str) -> EvidenceError:
        text = local_text(self.template.symbols, local)
        return EvidenceError(f"the stack «{text}» of {self.names()} {problem}")

    def _no_pair(self, pair: tuple[int, int], cause: str) -> EvidenceError:
        upper, lower = (self.template.symbols[symbol] for symbol in pair)
        return EvidenceError(
            f"{cause} of {self.names()} can put {lower} below {upper}, "
            "which the certificate's relation «below» lacks"
        )

    def _no_local(self, local: Local, cause: str) -> EvidenceError:
        text = local_text(self.template.symbols, local)
        return EvidenceError(
            f"{cause} of {self.names()} leads to the stack «{text}», which the certificate lacks"
        )

    def _step_text(self, local: Local, rule: Rule) -> str:
        text = local_text(self.template.symbols, local)
        return f"the rule {rule_text(self._system, self.template, rule)} on the stack «{text}»"

    def names(self) -> str:
        """The threads, for messages."""
        names = [self._system.thread_names[thread] for thread in self.threads]
        return f"thread {names[0]}" if len(names) == 1 else f"threads {', '.join(names)}"
