"""Weighted pushdown systems that look like programs, from 10,000 to a million rules.

A program is a list of procedures. Their bodies are blocks of statements, branches with two arms,
loops and calls, nested at random; most procedures are small, but most statements are in large ones,
as in real programs. Procedures call later ones, some of them close by and some from a small common
stock at the end, which calls nothing; now and then a guarded call leads back to an earlier
procedure or to the same, so there is recursion. Every procedure is called by an earlier one, and
every statement can be reached.

The two states tell whether an exception is on its way: a procedure may raise one, and a call that
is ended by one either catches it or is ended itself. Costs are spread over three orders of
magnitude, as those of statements are.

Rules are made as numbers in arrays at once, in the form that the kernel takes.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from random import Random

NORMAL, RAISED = range(2)
STATES = 2
SMALLEST, LARGEST = 10, 3000
"""Statements of a procedure; their logarithms are uniformly distributed."""

LARGEST_COST = 1000
LEAVES = 0.1
"""The share of the rules that are in procedures which call nothing."""

CATCHING = 0.2
STATEMENT, BRANCH, LOOP, CALL, GUARDED_CALL = 0.5, 0.7, 0.8, 0.97, 0.985
"""Up to which random number a statement is of a kind; those above may raise an exception."""


@dataclass
class Program:
    """Rules in numbers, and all that is needed to make them."""

    rng: Random
    rules: array[int] = field(default_factory=lambda: array("I"))
    """(Source, top, target, length of the word, 0) for each rule."""
    words: array[int] = field(default_factory=lambda: array("I"))
    costs: list[int] = field(default_factory=list)
    points: int = 0
    """How many stack symbols there are."""
    entries: list[int] = field(default_factory=list)
    calls: list[tuple[int, int]] = field(default_factory=list)
    """The procedures that call, and where in the words the callee goes."""
    guarded_calls: list[tuple[int, int]] = field(default_factory=list)
    is_leaf: bool = False

    def rule(self, source: int, top: int, target: int, *word: int) -> None:
        self.rules.extend((source, top, target, len(word), 0))
        self.words.extend(word)
        self.costs.append(int(LARGEST_COST ** self.rng.random()))

    def point(self) -> int:
        self.points += 1
        return self.points - 1

    def procedure(self) -> None:
        entry = self.point()
        self.entries.append(entry)
        size = SMALLEST * (LARGEST / SMALLEST) ** self.rng.random()
        self.rule(NORMAL, self.block(entry, int(size)), NORMAL)

    def block(self, here: int, size: int) -> int:
        """So many statements, more or less, from a point on; where they end."""
        while size > 0:
            kind = self.rng.random()
            if kind < STATEMENT or size < 4 or (self.is_leaf and kind >= LOOP):
                after = self.point()
                self.rule(NORMAL, here, NORMAL, after)
                here, size = after, size - 1
            elif kind < LOOP:
                inner = self.rng.randrange(1, size)
                here = self.branch(here, inner) if kind < BRANCH else self.loop(here, inner)
                size -= inner + 2
            else:
                here, size = self.call(here, kind), size - 2
        return here

    def branch(self, here: int, size: int) -> int:
        left, right = self.point(), self.point()
        self.rule(NORMAL, here, NORMAL, left)
        self.rule(NORMAL, here, NORMAL, right)
        part = self.rng.randrange(size)
        ends = self.block(left, part), self.block(right, size - part)
        after = self.point()
        for end in ends:
            self.rule(NORMAL, end, NORMAL, after)
        return after

    def loop(self, here: int, size: int) -> int:
        body, after = self.point(), self.point()
        self.rule(NORMAL, here, NORMAL, body)
        self.rule(NORMAL, here, NORMAL, after)
        self.rule(NORMAL, self.block(body, size), NORMAL, here)
        return after

    def call(self, here: int, kind: float) -> int:
        """A call of what `link` will say, or a statement that may raise an exception."""
        after = self.point()
        if kind >= CALL:
            self.rule(NORMAL, here, NORMAL, after)
        if kind >= GUARDED_CALL:
            self.rule(NORMAL, here, RAISED)
            return after
        calls = self.calls if kind < CALL else self.guarded_calls
        calls.append((len(self.entries) - 1, len(self.words)))
        self.rule(NORMAL, here, NORMAL, here, after)
        if self.rng.random() < CATCHING:
            self.rule(RAISED, after, NORMAL, after)
        else:
            self.rule(RAISED, after, RAISED)
        return after

    def link(self) -> None:
        """Choose what is called where."""
        last = len(self.entries) - 1
        uncalled = 1
        for number, (caller, place) in enumerate(self.calls):
            share = (last + 1 - uncalled) / (len(self.calls) - number)
            if uncalled <= last and (uncalled <= caller + 1 or self.rng.random() < share):
                callee, uncalled = uncalled, uncalled + 1
            elif self.rng.random() < 0.5:
                callee = caller + 1 + int(self.rng.expovariate(1 / 30))
            else:
                callee = last - int((last - caller) * self.rng.random() ** 3)
            self.words[place] = self.entries[max(caller + 1, min(callee, last))]
        for caller, place in self.guarded_calls:
            self.words[place] = self.entries[max(0, caller - int(self.rng.expovariate(1 / 3)))]


def random_program(rules: int, seed: int) -> Program:
    """A program with at least so many rules."""
    program = Program(Random(seed))
    while len(program.costs) < rules:
        program.is_leaf = len(program.costs) > (1 - LEAVES) * rules or rules < LARGEST
        program.procedure()
    program.is_leaf = True
    program.procedure()
    program.link()
    return program
