"""The net of a pushdown system with any number of threads, for the checker and for those who seek
evidence.

A token is the shared state, or a thread at a stack, of which the net keeps the uppermost symbols,
up to some `height`, and whether more lie below. A *kind* of thread is a template.

**Why this is right.** Threads of one template have equal rules, and differ in their stacks only, so
it is enough to count them. A stack is *seen* as itself, if it is not higher than `height`; or as
some of its uppermost symbols, at least one, and the mark `more`, if it has more symbols, and all
symbols under its top one occur below the first place of the initial stack or of the word of a
rule (`_below`). Every stack of a thread is seen in some way. For that to be so after a step, too:
a rule looks at the top symbol only, which is seen. What it writes under its top is in `_below`, and
what was under the top stays under the top, or becomes the top. If the step leads to seen symbols,
cut to `height` where they are more, the new stack is seen as that. If none is left and there is
`more`, then the symbol on top is one of `_below`, and it is the last one or not: all of these are
in the net. A rule on the empty stack is taken where nothing is seen and there is no more. So every
step of the system is a transition of the net, between markings that see its states; a bad state is
seen as a marking that is bad, since patterns name the shared state and tops. Hence what cannot be
covered in the net cannot be reached in the system, with any number of threads. Where no stack in
the net has the mark, everything is seen as itself, and the net is exact. That pairs are enough is
proved in `programs.program_net`. ∎

What is bad names some threads, each with the top of its stack: threads that may have any top are
there in any case, or in the same run with more threads, which do not move. A deadlock is not of
this kind, and is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, islice, product
from math import comb, prod
from typing import NamedTuple

from tepui.checker.net_search import NoNet, PairSearch, ThreadNet, TooManyPairs
from tepui.checker.patience import Patience
from tepui.model import EPSILON, Pattern, Property, SystemInstance, Template
from tepui.model.net import Marking, marking_of
from tepui.model.system import Word
from tepui.records import record

MOST_TARGETS = 100_000
"""More bad markings are refused."""


class Seen(NamedTuple):
    """What is seen of a thread: its template, the uppermost symbols of its stack, and whether more
    lie below."""

    kind: int
    word: Word
    more: bool


@record
class SystemNet(ThreadNet):
    """The net of a system."""

    shared: tuple[int, ...]
    locals: tuple[Seen, ...]

    @property
    def is_exact(self) -> bool:
        """Whether all stacks are seen as a whole."""
        return not any(local.more for local in self.locals)


def system_net(
    system: SystemInstance,
    asked: Property,
    height: int,
    go_on: Callable[[], bool] = lambda: True,
    most: int | None = None,
) -> SystemNet:
    """The net for any number of threads of the system of an instance, in which all that is bad is
    at hand; a `NoNet` if it has none.

    At most this number of pairs is looked at. `go_on` is called now and then, and CheckStopped is
    raised when it returns false.
    """
    if asked.deadlock or asked.reaches:
        raise NoNet("for any number of threads, only tops of stacks can be asked for")
    if height < 1:
        raise NoNet("the net of a system sees at least one symbol of each stack")
    threads = _Threads(system, height)
    search = PairSearch(threads, Patience(go_on), most)
    begun = search.run()
    places = (
        *(system.shared[shared] for shared in search.shared),
        *(_text(system.templates[local.kind], local) for local in search.locals),
    )
    initial = list(zip(_fixed_counts(system), threads.counts, strict=True))
    targets = _targets(system, search, asked.patterns)
    found = search.net(system.name, begun, places, initial, targets)
    return SystemNet(
        found.net, found.invariants, found.control, tuple(search.shared), tuple(search.locals)
    )


class _Threads:
    """What one thread does, by the rules of its template."""

    def __init__(self, system: SystemInstance, height: int) -> None:
        self._system = system
        self._height = height
        self.counts = _counts(system)
        self._below = [_below(template) for template in system.templates]
        self._rules: list[dict[tuple[int, int], list[tuple[int, Word]]]] = []
        for template in system.templates:
            rules: dict[tuple[int, int], list[tuple[int, Word]]] = {}
            for rule in template.rules:
                rules.setdefault((rule.source, rule.top), []).append((rule.target, rule.word))
            self._rules.append(rules)

    def initial(self) -> tuple[int, list[Seen]]:
        templates = enumerate(self._system.templates)
        begun = [self._cut(kind, template.stack, more=False) for kind, template in templates]
        return self._system.initial, begun

    def steps(self, shared: int, local: Seen) -> list[tuple[int, tuple[Seen, ...]]]:
        top, rest = (local.word[0], local.word[1:]) if local.word else (EPSILON, ())
        found = {
            (target, (after,)): None
            for target, word in self._rules[local.kind].get((shared, top), ())
            for after in self._after(local.kind, word + rest, more=local.more)
        }
        found.pop((shared, (local,)), None)  # It changes nothing.
        return list(found)

    def _after(self, kind: int, word: Word, *, more: bool) -> list[Seen]:
        """What may be seen of a stack with this upper part."""
        if word or not more:
            return [self._cut(kind, word, more=more)]
        return [Seen(kind, (top,), below) for top in self._below[kind] for below in (False, True)]

    def _cut(self, kind: int, word: Word, *, more: bool) -> Seen:
        if len(word) <= self._height:
            return Seen(kind, word, more)
        return Seen(kind, word[: self._height], more=True)


def _below(template: Template) -> list[int]:
    """The symbols that may lie under the top of a stack."""
    words = (template.stack, *(rule.word for rule in template.rules))
    return sorted({symbol for word in words for symbol in word[1:]})


def _fixed_counts(system: SystemInstance) -> list[int]:
    """For each template, how many threads there are, without those of which there is any number."""
    counts = Counter[int]()
    for count, template in _block_templates(system):
        counts[template] += count or 0
    return [counts[template] for template in range(len(system.templates))]


def _counts(system: SystemInstance) -> tuple[int | None, ...]:
    """The same, None where there is any number."""
    fixed: list[int | None] = list(_fixed_counts(system))
    for count, template in _block_templates(system):
        if count is None:
            fixed[template] = None
    return tuple(fixed)


def _block_templates(system: SystemInstance) -> Iterator[tuple[int | None, int]]:
    """For each block, how many threads it has, None if any number, and their template."""
    threads = iter(system.threads)
    for block in system.original.blocks:
        size = system.counts[block.name] if block.count is None else block.count
        (template,) = set(islice(threads, size))
        yield block.count, template


def _text(template: Template, local: Seen) -> str:
    """A state of a thread, by the name of its template."""
    more = " …" if local.more else ""
    return f"{template.name}: {template.word_text(local.word)}{more}"


def _targets(
    system: SystemInstance, search: PairSearch[int, Seen], patterns: tuple[Pattern, ...]
) -> Iterator[Marking]:
    """The markings that are bad: for each thread that is named, all that is seen of it there."""
    first = len(search.shared)
    shared = {number: place for place, number in enumerate(search.shared)}
    at: dict[tuple[int, int], list[int]] = {}
    for place, local in enumerate(search.locals, start=first):
        top = local.word[0] if local.word else EPSILON
        at.setdefault((local.kind, top), []).append(place)
    left = MOST_TARGETS
    for pattern in patterns:
        if pattern.shared is not None and pattern.shared not in shared:
            continue  # No thread ever leads there.
        base = [] if pattern.shared is None else [shared[pattern.shared]]
        named = Counter(
            (system.threads[thread], top)
            for thread, top in enumerate(pattern.tops)
            if top is not None
        )
        choices = [(at.get(each, []), count) for each, count in sorted(named.items())]
        left -= prod(comb(len(some) + count - 1, count) if some else 0 for some, count in choices)
        if left < 0:
            raise TooManyPairs("there are too many bad states of threads")
        for chosen in product(*(combinations_with_replacement(*each) for each in choices)):
            yield marking_of(Counter([*base, *(place for some in chosen for place in some)]))
