"""Thread-modular Horn clauses: what an invariant over observed threads has to satisfy.

There is one predicate for each *key*: the values of the small global variables, and one local state
for each observed thread. Its arguments are the other variables, and the counters. An invariant does
not depend on the order of observed threads of one type, so only keys with sorted local states have
a predicate; every atom is turned into one of those. (Hoenicke, Majumdar and Podelski, Thread
Modularity at Many Levels, POPL 2017, with counters after Pani, Weissenbacher and Zuleger,
Thread-modular Counter Abstraction for Parameterized Program Safety, FMCAD 2020.)

A clause says: where its premises hold and its conditions, the conclusion holds; one without a
conclusion says that this cannot be. Clauses are made when keys are met, so that those which
nothing leads to cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

from tepui.checker.evidence import Bad
from tepui.horn.folding import FoldedGlobals, Folding, LocalState, Move
from tepui.horn.linear_terms import (
    Formula,
    Interval,
    Term,
    at_most,
    conjunction,
    equal,
    negation,
    plus,
    replaced,
    settled,
    substituted,
)
from tepui.horn.valuing import Refused
from tepui.records import record

Key = tuple[FoldedGlobals, tuple[int, ...]]
"""The small global variables, and the number of a local state for each observed thread."""


@record
class Counted:
    """What a counter counts: threads of a type with this control stack and these small values."""

    thread: int
    stack: tuple[int, ...]
    values: tuple[tuple[str, int], ...] = ()

    def counts(self, state: LocalState) -> bool:
        if (state.thread, state.stack) != (self.thread, self.stack):
            return False
        return set(self.values) <= set(state.values)


@record
class Atom:
    """A predicate with terms in place of those arguments that are not the variables themselves."""

    key: Key
    terms: Mapping[str, Term]


@record
class Clause:
    """Premises, the conditions of a step, and a conclusion."""

    body: tuple[Atom, ...]
    conditions: tuple[Formula, ...]
    head: Atom | None
    ranges: Mapping[str, Interval]
    """Those of all variables that occur."""


@record
class Question:
    """What must not be reached, over which observed threads it is asked, and what is counted.

    `relations` are formulas over global variables and counters that hold anyway, and are part of
    the invariant.
    """

    bad: tuple[Bad, ...]
    observed: tuple[int, ...]
    counted: tuple[Counted, ...] = ()
    relations: tuple[Formula, ...] = ()
    seen: tuple[Counted, ...] = ()
    """What `seen.N` stands for in relations: threads of types all of whose threads are observed."""


class TooFewObserved(Refused):
    """A question is about more threads than are observed or counted."""


class Clauses:
    """The clauses of a question about a program."""

    def __init__(self, folding: Folding, question: Question) -> None:
        self.folding = folding
        self.question = question
        self.threads = [
            number for number, seen in enumerate(question.observed) for _ in range(seen)
        ]
        """For each observed thread, its type."""
        self.local_states: list[LocalState] = []
        self._numbers: dict[LocalState, int] = {}
        self._counts: dict[int, tuple[int, ...]] = {}
        self._parameters: dict[Key, tuple[str, ...]] = {}
        self._met: dict[Key, None] = {}
        self._seen_in: dict[tuple[FoldedGlobals, int], dict[int, None]] = {}
        self._done: set[tuple[Key, int]] = set()
        types = range(len(folding.program.threads))
        self._others = [number for number in types if self._has_others(number)]
        self._anywhere = {
            number: [self.number(each) for each in folding.local_states(number)]
            for number in self._others
            if question.observed[number] == 0
        }
        self._check_question()
        self._check_starts()

    @property
    def sees_all(self) -> bool:
        """Whether all threads are observed."""
        return not self._others

    def number(self, state: LocalState) -> int:
        """The number of a local state."""
        if state not in self._numbers:
            self._numbers[state] = len(self.local_states)
            self.local_states.append(state)
        return self._numbers[state]

    def parameters(self, key: Key) -> tuple[str, ...]:
        """The variables that are arguments of a predicate."""
        if key not in self._parameters:
            shared = [*self.folding.integers, *self._counter_names()]
            own = [
                f"t{position}.{name}"
                for position, number in enumerate(key[1])
                for name in self.local_states[number].integers
            ]
            self._parameters[key] = (*shared, *own)
        return self._parameters[key]

    def ranges(self, key: Key) -> dict[str, Interval]:
        """The ranges of the variables of a key."""
        return self._ranges(self._named(key[1]))

    def facts(self, key: Key) -> list[Formula]:
        """What is true of the arguments of a predicate by definition, and the relations."""
        return self._facts(key, self._named(key[1]))

    def relations(self, key: Key) -> list[Formula]:
        """The relations that hold, for the small global variables and local states of a key."""
        known: dict[str, Term] = dict(zip(self.folding.folded, key[0], strict=True))
        states = [self.local_states[number] for number in key[1]]
        for number, each in enumerate(self.question.seen):
            known[f"seen.{number}"] = sum(map(each.counts, states))
        return [replaced(each, known) for each in self.question.relations]

    def initial(self) -> Iterator[Clause]:
        """The clauses that nothing is needed for."""
        locals_ = [self.folding.local_starts(thread) for thread in self.threads]
        for start in self.folding.starts():
            for chosen in product(*locals_):
                numbers = [self.number(state) for state, _ in chosen]
                terms = dict(start.terms) | dict.fromkeys(self._counter_names(), 0)
                ranges, conditions = dict(start.ranges), list(start.conditions)
                for position, (_, local) in enumerate(chosen):
                    prefix = f"t{position}."
                    new = {name: prefix + name for name in (*local.ranges, "self")}
                    ranges |= {new[name]: each for name, each in local.ranges.items()}
                    conditions += [replaced(each, new) for each in local.conditions]
                    for name, term in local.terms.items():
                        terms[prefix + name] = substituted(term, new)
                named = self._named(numbers)
                ranges = self._ranges(named) | ranges
                conditions += self._identities_differ(named)
                for head in self._heads(start.values, numbers, terms):
                    yield Clause((), tuple(conditions), head, ranges)

    def following(self, key: Key) -> Iterator[Clause]:
        """The clauses that have a premise about a key, which is met now, and others only about keys
        that were met before."""
        self._met[key] = None
        globals_, numbers = key
        for thread, number in zip(self.threads, numbers, strict=True):
            self._seen_in.setdefault((globals_, thread), {})[number] = None
        yield from self._bad_places(key)
        for position in range(len(numbers)):
            yield from self._own_steps(key, position)
        for thread in self._others:
            for base, other in self._new_pairs(key, thread):
                yield from self._steps_of_others(base, thread, other)

    def _has_others(self, thread: int) -> bool:
        count = self.folding.program.threads[thread].count
        return count is None or count > self.question.observed[thread]

    def _counter_names(self) -> list[str]:
        return [f"c.{number}" for number in range(len(self.question.counted))]

    def _counters_of(self, number: int) -> tuple[int, ...]:
        """The counters that count a local state."""
        if number not in self._counts:
            state = self.local_states[number]
            found = (j for j, each in enumerate(self.question.counted) if each.counts(state))
            self._counts[number] = tuple(found)
        return self._counts[number]

    def _positions(self, thread: int) -> list[int]:
        return [position for position, each in enumerate(self.threads) if each == thread]

    def _named(self, numbers: Sequence[int]) -> list[tuple[str, int]]:
        return [(f"t{position}.", number) for position, number in enumerate(numbers)]

    def _ranges(self, threads: Sequence[tuple[str, int]]) -> dict[str, Interval]:
        found = dict(self.folding.symbolic_ranges)
        for prefix, number in threads:
            local = self.folding.local_ranges(self.local_states[number])
            found |= {prefix + name: each for name, each in local.items()}
        return found | dict.fromkeys(self._counter_names(), (0, None))

    def _facts(self, key: Key, threads: Sequence[tuple[str, int]]) -> list[Formula]:
        """Counters count at least these threads, identities differ, and relations hold."""
        here = [0] * len(self.question.counted)
        for _, number in threads:
            for counter in self._counters_of(number):
                here[counter] += 1
        found = [at_most(least, f"c.{j}") for j, least in enumerate(here) if least]
        return found + self._identities_differ(threads) + self.relations(key)

    def _identities_differ(self, threads: Sequence[tuple[str, int]]) -> list[Formula]:
        selves = [
            prefix + "self"
            for prefix, number in threads
            if "self" in self.local_states[number].integers
        ]
        return [negation(equal(one, other)) for one, other in combinations(selves, 2)]

    def _own_steps(self, key: Key, position: int) -> Iterator[Clause]:
        """The steps of an observed thread."""
        globals_, numbers = key
        before = self.local_states[numbers[position]]
        threads, body = self._named(numbers), (Atom(key, {}),)
        for move in self.folding.moves(before, globals_):
            prefix = f"t{position}."
            if move.after is None:
                if self._is_asked(move):
                    yield self._clause(body, threads, move, prefix, None)
                continue
            after = list(numbers)
            after[position] = self.number(move.after)
            terms = self._shared_terms(move, prefix)
            own = self._renaming(before, prefix)
            terms |= {prefix + name: substituted(t, own) for name, t in move.local.items()}
            for head in self._heads(move.globals, after, terms):
                yield self._clause(body, threads, move, prefix, head)

    def _steps_of_others(self, key: Key, thread: int, other: int) -> Iterator[Clause]:
        """The steps of a thread that is not observed, from a local state of it."""
        globals_, numbers = key
        before = self.local_states[other]
        threads = [*self._named(numbers), ("e.", other)]
        body: tuple[Atom, ...] | None = None
        for move in self.folding.moves(before, globals_):
            if move.after is None:
                if not self._is_asked(move) or self.question.observed[thread]:
                    continue
            elif move.globals == globals_ and not self._shared_terms(move, "e."):
                continue
            if body is None:
                exchanged = (self._exchanged(key, each, other) for each in self._positions(thread))
                body = (Atom(key, {}), *exchanged)
            if move.after is None:
                yield self._clause(body, threads, move, "e.", None)
                continue
            for head in self._heads(move.globals, numbers, self._shared_terms(move, "e.")):
                yield self._clause(body, threads, move, "e.", head)

    def _clause(
        self,
        body: tuple[Atom, ...],
        threads: Sequence[tuple[str, int]],
        move: Move,
        prefix: str,
        head: Atom | None,
    ) -> Clause:
        own = self._renaming(move.before, prefix)
        ranges = self._ranges(threads) | dict(move.ranges)
        conditions = [replaced(each, own) for each in move.conditions]
        conditions += self._facts(body[0].key, threads)
        known = (settled(each, ranges) for each in conditions)
        return Clause(body, tuple(each for each in known if each is not True), head, ranges)

    def _renaming(self, state: LocalState, prefix: str) -> dict[str, Term]:
        return {name: prefix + name for name in (*state.integers, "self")}

    def _shared_terms(self, move: Move, prefix: str) -> dict[str, Term]:
        """What becomes of global variables and of counters."""
        own = self._renaming(move.before, prefix)
        terms = {name: substituted(term, own) for name, term in move.terms.items()}
        assert move.after is not None
        leaving = self._counters_of(self.number(move.before))
        arriving = self._counters_of(self.number(move.after))
        for counter in {*leaving, *arriving}:
            change = (counter in arriving) - (counter in leaving)
            if change:
                terms[f"c.{counter}"] = plus(f"c.{counter}", change)
        return terms

    def _heads(
        self, globals_: FoldedGlobals, numbers: Sequence[int], terms: Mapping[str, Term]
    ) -> Iterator[Atom]:
        """The atoms for local states in any order. Where two are equal, both orders count."""
        shared = {name: term for name, term in terms.items() if not name.startswith("t")}
        for order in self._orders(numbers):
            renamed = dict(shared)
            for position, source in enumerate(order):
                for name in self.local_states[numbers[source]].integers:
                    old, new = f"t{source}.{name}", f"t{position}.{name}"
                    term = terms.get(old, old)
                    if term != new:
                        renamed[new] = term
            yield Atom((globals_, tuple(numbers[source] for source in order)), renamed)

    def _orders(self, numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The ways to sort the local states of each type."""
        groups: list[list[tuple[int, ...]]] = []
        for thread in dict.fromkeys(self.threads):
            positions = self._positions(thread)
            in_order = sorted(numbers[each] for each in positions)
            groups.append(
                [
                    order
                    for order in permutations(positions)
                    if [numbers[each] for each in order] == in_order
                ]
            )
        for chosen in product(*groups):
            yield tuple(each for group in chosen for each in group)

    def _exchanged(self, key: Key, position: int, other: int) -> Atom:
        """The atom in which a thread that is not observed takes the place of one that is."""
        numbers = list(key[1])
        numbers[position] = other
        names = self.local_states[other].integers
        terms: dict[str, Term] = {f"t{position}.{name}": f"e.{name}" for name in names}
        return next(self._heads(key[0], numbers, terms))

    def _new_pairs(self, key: Key, thread: int) -> Iterator[tuple[Key, int]]:
        """Keys and local states of an unobserved thread for which all premises are met by now, and
        were not before."""
        globals_, numbers = key
        positions = self._positions(thread)
        if not positions:
            for other in self._anywhere[thread]:
                yield key, other
            return
        seen = list(self._seen_in[globals_, thread])
        candidates = [(key, other) for other in seen]
        for position in positions:
            for number in seen:
                base = list(numbers)
                base[position] = number
                candidates.append((next(self._heads(globals_, base, {})).key, numbers[position]))
        for base_key, other in candidates:
            if (base_key, other) in self._done or base_key not in self._met:
                continue
            exchanged = (self._exchanged(base_key, each, other).key for each in positions)
            if all(each in self._met for each in exchanged):
                self._done.add((base_key, other))
                yield base_key, other

    def _check_starts(self) -> None:
        """Refuse types of which no thread is observed if their threads begin with certain values.
        For an invariant, a thread that is not observed has any values wherever it is; relations
        between counters know that it begins with these."""
        for thread, numbers in self._anywhere.items():
            begun = {state for state, _ in self.folding.local_starts(thread)}
            stack = self.folding.stacks.start(thread)
            there = {
                each for each in map(self.local_states.__getitem__, numbers) if each.stack == stack
            }
            if there != begun or any({*each.integers} - {"self"} for each in begun):
                raise TooFewObserved("threads that begin with certain values have to be observed")

    def _is_asked(self, move: Move) -> bool:
        assert move.violated is not None
        point = self.folding.stacks.layout.violation(move.violated)
        return ((move.before.thread, point),) in self.question.bad

    def _bad_places(self, key: Key) -> Iterator[Clause]:
        """The clauses that say that observed or counted threads are at no bad places."""
        tops = [
            (self.local_states[number].thread, (self.local_states[number].stack or (None,))[0])
            for number in key[1]
        ]
        for bad in self.question.bad:
            for condition in self._bad_conditions(bad, tops):
                facts = self.facts(key)
                if condition is not True:
                    facts.append(condition)
                yield Clause((Atom(key, {}),), tuple(facts), None, self.ranges(key))

    def _bad_conditions(
        self, bad: Bad, tops: Sequence[tuple[int, int | None]]
    ) -> Iterator[Formula]:
        """When something bad is there: at once, or where counters say so."""
        seen = [list(_positions_of(place, tops)) for place in bad]
        counters = [self._place_counters(place) for place in bad]
        if len(bad) == 1:
            yield from (True for _ in seen[0])
            yield from (at_most(1, f"c.{counter}") for counter in counters[0])
            return
        yield from (True for one, other in product(*seen) if one != other)
        for one, other in ((0, 1), (1, 0)):
            for position in seen[one]:
                least = 2 if tops[position] == bad[other] else 1
                yield from (at_most(least, f"c.{counter}") for counter in counters[other])
        for first, second in product(*counters):
            if first == second:
                yield at_most(2, f"c.{first}")
            else:
                yield conjunction((at_most(1, f"c.{first}"), at_most(1, f"c.{second}")))

    def _place_counters(self, place: tuple[int, int]) -> list[int]:
        """The counters that together count the threads of a type at a point."""
        thread, point = place
        return [
            number
            for number, each in enumerate(self.question.counted)
            if each.thread == thread and each.stack[:1] == (point,) and not each.values
        ]

    def _check_question(self) -> None:
        """Refuse a question about places at which no observed or counted thread can be."""
        for bad in self.question.bad:
            if len(bad) > 1 and any(p > self.folding.stacks.layout.waiting for _, p in bad):
                raise Refused("a question about a violation and another thread")
            for place in bad:
                needed = sum(each[0] == place[0] for each in bad)
                if self.question.observed[place[0]] < needed and not self._is_counted(place):
                    raise TooFewObserved("more observed threads are needed")

    def _is_counted(self, place: tuple[int, int]) -> bool:
        thread, point = place
        if point > self.folding.stacks.layout.waiting:
            return True
        stacks = self.folding.stacks.all_stacks(thread)
        here = {stack for stack in stacks if stack[:1] == (point,)}
        counted = {
            each.stack
            for each in self.question.counted
            if each.thread == thread and not each.values
        }
        return here <= counted


def _positions_of(place: tuple[int, int], tops: Sequence[tuple[int, int | None]]) -> Iterator[int]:
    return (position for position, top in enumerate(tops) if top == place)
