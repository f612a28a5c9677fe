"""Sets of stacks of one template's threads: what the labels of a diagram or a product stand for.

Labels are sets of local states from a table, or languages of whole stacks. Either way a step, or
just staying, makes an *image* of a label: the set of local states that the thread can be in after
it. The checker asks which labels an image meets, and whether it is included in them.
For a table, an image is a set of indices, as the bits of an integer. For languages it is a word
over the rest of a language: {w·u : σ·u ∈ L} is w over what follows σ in L.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from tepui.checker.bits import bits_of, members
from tepui.checker.certificates.local_states import LocalStates
from tepui.checker.certificates.stack_languages import Languages, Rest
from tepui.checker.name_text import local_text
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Rule, StackSet, Template
from tepui.model.system import Word

Label = Sequence[int] | StackSet
"""A set of local states of one thread: indices into a table of them, or a language of stacks."""

Edge = tuple[int, int]
"""A label and a child, by number."""

_Image = TypeVar("_Image")


class Labels(ABC, Generic[_Image]):
    """The labels of one template, by number."""

    template: Template

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def has_initial(self, label: int) -> bool:
        """Whether the initial stack is in a label."""

    @abstractmethod
    def tops(self, label: int) -> frozenset[int]:
        """The top symbols of the stacks in a label, EPSILON for the empty one."""

    @abstractmethod
    def fits(self, label: int, stacks: StackSet) -> bool:
        """Whether some stack of a label may be in a set."""

    @abstractmethod
    def whole(self, label: int) -> _Image:
        """What is in a label."""

    @abstractmethod
    def moves(self, label: int, shared: int) -> Iterable[tuple[int, _Image]]:
        """Shared states after one step from a label, each with what the step makes of it."""

    @abstractmethod
    def targets(self, image: _Image, edges: Iterable[Edge]) -> list[int] | None:
        """The children of all edges whose labels meet an image; None if it is not included in the
        union of these labels."""

    @abstractmethod
    def missing(self, image: _Image, labels: Iterable[int]) -> str:
        """Some stack of an image that is in none of the labels, as text. Such a stack must
        exist."""


class TableLabels(Labels[int]):
    """Labels that are sets of indices into a table of local states."""

    def __init__(self, table: LocalStates, labels: Iterable[Label]) -> None:
        self.template = table.template
        self._table = table
        self._bits = [self._bits_of(label) for label in labels]
        self._moves: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def __len__(self) -> int:
        return len(self._bits)

    def has_initial(self, label: int) -> bool:
        return bool(self._bits[label] & self._initial)

    def tops(self, label: int) -> frozenset[int]:
        return frozenset(map(self._table.top, members(self._bits[label])))

    def fits(self, label: int, stacks: StackSet) -> bool:
        return any(self._table.fits(index, stacks) for index in members(self._bits[label]))

    def whole(self, label: int) -> int:
        return self._bits[label]

    def moves(self, label: int, shared: int) -> Iterable[tuple[int, int]]:
        after: dict[int, int] = {}
        for index in members(self._bits[label]):
            moves = self._moves.get((shared, index))
            if moves is None:
                moves = self._moves[shared, index] = self._table.moves(shared, index)
            for target, local in moves:
                after[target] = after.get(target, 0) | 1 << local
        return after.items()

    def targets(self, image: int, edges: Iterable[Edge]) -> list[int] | None:
        bits, rest, found = self._bits, image, []
        for label, child in edges:
            if image & bits[label]:
                found.append(child)
                rest &= ~bits[label]
        return None if rest else found

    def missing(self, image: int, labels: Iterable[int]) -> str:
        for label in labels:
            image &= ~self._bits[label]
        return local_text(self.template.symbols, self._table.locals[next(members(image))])

    @cached_property
    def _initial(self) -> int:
        return 1 << self._table.initial_local()

    def _bits_of(self, label: Label) -> int:
        names = self._table.names()
        if isinstance(label, StackSet):
            raise EvidenceError(f"a label of {names} is a language, although there is a table")
        if not all(0 <= index < len(self._table.locals) for index in label):
            raise EvidenceError(f"a label of {names} points outside its table of stacks")
        return bits_of(label)


Residue = tuple[Rest, Word]
"""The rest of a language, and what lies above it."""


class LanguageLabels(Labels[Residue]):
    """Labels that are languages of whole stacks."""

    def __init__(self, template: Template, labels: Iterable[Label], patience: Patience) -> None:
        self.template = template
        sets = [self._checked(label) for label in labels]
        self._count = len(sets)
        self._languages = Languages(sets, patience)
        self._empty_stack = self._languages.add(StackSet((True,), ((),)))
        self._asked: dict[StackSet, int] = {}
        self._rules: dict[int, dict[int, list[Rule]]] = {}
        for rule in template.rules:
            self._rules.setdefault(rule.source, {}).setdefault(rule.top, []).append(rule)

    def __len__(self) -> int:
        return self._count

    def has_initial(self, label: int) -> bool:
        return self._languages.has(label, self.template.stack)

    def tops(self, label: int) -> frozenset[int]:
        return self._languages.tops(label)

    def fits(self, label: int, stacks: StackSet) -> bool:
        if stacks not in self._asked:
            self._asked[stacks] = self._languages.add(stacks)
        start = self._languages.after(self._asked[stacks], ())
        return self._languages.meet(self._languages.after(label, ()), start)

    def whole(self, label: int) -> Residue:
        return self._languages.after(label, ()), ()

    def moves(self, label: int, shared: int) -> Iterator[tuple[int, Residue]]:
        rules = self._rules.get(shared, {})
        for top in sorted(self.tops(label) & rules.keys()):
            if top == EPSILON:
                rest = self._languages.after(self._empty_stack, ())
            else:
                rest = self._languages.after(label, (top,))
            for rule in rules[top]:
                yield rule.target, (rest, rule.word)

    def meets(self, image: Residue, label: int) -> bool:
        """Whether some stack of an image is in a label."""
        rest, above = image
        return self._languages.meet(rest, self._languages.after(label, above))

    def includes(self, labels: Iterable[int], image: Residue) -> bool:
        """Whether every stack of an image is in one of the labels."""
        return self._missing(image, labels) is None

    def choices(self, image: Residue, labels: Sequence[int]) -> set[tuple[bool, ...]]:
        """For the stacks of an image, which labels contain them: every combination that occurs."""
        rest, above = image
        others = [self._languages.after(label, above) for label in labels]
        return self._languages.memberships(rest, others)

    def targets(self, image: Residue, edges: Iterable[Edge]) -> list[int] | None:
        met = [(label, child) for label, child in edges if self.meets(image, label)]
        if not self.includes((label for label, _ in met), image):
            return None
        return [child for _, child in met]

    def missing(self, image: Residue, labels: Iterable[int]) -> str:
        word = self._missing(image, labels) or ()
        return local_text(self.template.symbols, (image[1] + word, False))

    def _missing(self, image: Residue, labels: Iterable[int]) -> Word | None:
        rest, above = image
        others = (self._languages.after(label, above) for label in labels)
        return self._languages.missing(rest, others)

    def _checked(self, label: Label) -> StackSet:
        name = self.template.name
        if not isinstance(label, StackSet):
            raise EvidenceError(
                f"a label of {name} points into a table of stacks that is not there"
            )
        count = len(self.template.symbols)
        if any(symbol >= count for leaving in label.edges for symbol, _ in leaving):
            raise EvidenceError(f"a language of {name} holds something that is no stack symbol")
        return label
