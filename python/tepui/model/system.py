"""The concurrent pushdown system (CUBA, section 2.2), in full.

Shared states and stack symbols are small integers; their names are kept beside them.
Symbol 0 of every template is EPSILON, the empty stack: it is never on a stack. As the top of a rule
or of a visible state it says that the stack is empty. Words are written top first.

The symbols of a template may be put into classes, of which EPSILON is always one by itself, number
0. A property names classes: it cannot tell two symbols of one class apart.

Threads with equal rules and equal initial stacks share one Template, so that an engine sees
their symmetry. The order of `System.threads` is the order of the input file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from tepui.model.property import Property
from tepui.records import field, record, replace
from tepui.words import printable

if TYPE_CHECKING:
    from tepui.program.program import Program

EPSILON = 0

Word = tuple[int, ...]
"""Stack symbols, top first."""

VisibleState = tuple[int, ...]
"""The shared state, then the top of each thread's stack (EPSILON where it is empty)."""


@record
class Rule:
    """⟨source|top⟩ → ⟨target|word⟩; `top` is EPSILON for a rule on the empty stack."""

    source: int
    top: int
    target: int
    word: Word

    @property
    def kind(self) -> Literal["pop", "overwrite", "push"]:
        """CUBA's name for the rule, by what it does to the height of the stack."""
        height = 0 if self.top == EPSILON else 1
        if len(self.word) < height:
            return "pop"
        return "overwrite" if len(self.word) == height else "push"


@record
class Template:
    """The pushdown system that one or more threads run, and the stack they start with."""

    name: str
    symbols: Sequence[str]
    stack: Word
    rules: Sequence[Rule]
    classes: Sequence[int] | None = None
    """For each symbol, the class by which patterns name it; None if every symbol is its own."""

    idle: frozenset[tuple[int, int]] = frozenset()
    """Shared states and classes of symbols with which a thread does not exist yet: it has nothing
    to do, as if its stack were empty."""

    stuck: Mapping[tuple[int, int], frozenset[int]] | None = None
    """For a shared state and a top, the cases of the shared state (`System.cases`) in which a
    thread cannot move. None if there are no cases: then a thread cannot move where it has no
    rule."""

    def is_idle(self, shared: int, top: int) -> bool:
        """Whether a thread with this top has nothing to do, so that it cannot be stuck."""
        return top == EPSILON or (shared, self.class_of(top)) in self.idle

    def class_of(self, symbol: int) -> int:
        """The class that a pattern must name to match this symbol on top of a stack."""
        return symbol if self.classes is None else self.classes[symbol]

    def word_text(self, word: Word) -> str:
        """A stack as people read it: names from the top down, `-` where it is empty."""
        return " ".join(self.symbols[symbol] for symbol in word) or self.symbols[EPSILON]


@record
class System:
    """A concurrent pushdown system, its initial state, and the property its file asks about.

    >>> system = tepui.load_system("examples/figure4.cpds")
    >>> print(system)
    figure4: 4 shared states, threads P1, P2
    """

    shared: Sequence[str]
    initial: int
    templates: tuple[Template, ...]
    threads: tuple[int, ...]
    thread_names: tuple[str, ...]
    property: Property = field(default_factory=Property)
    name: str = "system"
    cases: Mapping[int, int] = field(default_factory=dict, compare=False)
    """How many cases a shared state stands for, if more than one: in a program, variables that have
    no value yet may have any, and whether a thread can move may depend on them."""
    program: Program | None = field(default=None, kw_only=True, compare=False, repr=False)
    """The program whose system this is. Its rules are then created while it is explored, and are
    never known to be complete."""

    def class_count(self, template: int) -> int:
        """How many classes the symbols of a template have."""
        return len(self.templates[template].symbols)

    def template_of(self, thread: int) -> Template:
        return self.templates[self.threads[thread]]

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The threads of each template: within one group all are interchangeable."""
        members: list[list[int]] = [[] for _ in self.templates]
        for thread, template in enumerate(self.threads):
            members[template].append(thread)
        return tuple(tuple(group) for group in members)

    def is_sorted(self, visible: VisibleState) -> bool:
        """Whether equal threads are in the order of their tops: one state of each orbit is."""
        return all(
            visible[1 + left] <= visible[1 + right]
            for group in self.groups
            for left, right in pairwise(group)
        )

    def with_property(self, asked: Property) -> System:
        return replace(self, property=asked)

    def visible_text(self, visible: VisibleState) -> str:
        """A visible state as CUBA writes it, without the brackets: `q | a, -, b`."""
        tops = (self.template_of(thread).symbols[top] for thread, top in enumerate(visible[1:]))
        return f"{self.shared[visible[0]]} | {', '.join(tops)}"

    def state_text(self, shared: int, stacks: tuple[Word, ...]) -> str:
        """A global state, whole stacks included: `q | a b, -, c`."""
        words = (self.template_of(thread).word_text(word) for thread, word in enumerate(stacks))
        return f"{self.shared[shared]} | {', '.join(words)}"

    def initial_stacks(self) -> tuple[Word, ...]:
        return tuple(self.templates[template].stack for template in self.threads)

    def rules(self) -> Iterator[tuple[Template, Rule]]:
        """Every rule of every template, once."""
        for template in self.templates:
            for rule in template.rules:
                yield template, rule

    def __str__(self) -> str:
        counts = ", ".join(
            template.name if len(group) == 1 else f"{template.name} × {len(group)}"
            for template, group in zip(self.templates, self.groups, strict=True)
        )
        return printable(f"{self.name}: {len(self.shared)} shared states, threads {counts}")

    def _repr_html_(self) -> str | None:
        from tepui.report.notebook import system_html

        return system_html(self)
