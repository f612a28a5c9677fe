"""Certificates that are unions of products ⟨q | L₁, …, L_n⟩ of languages of whole stacks (CUBA,
section 4; QR, section 3).

Its states are those with the shared state of some product and a stack from each of its labels. As
in `states`, the initial state has to be among them and no bad one, and they have to be closed
under every step; then all reachable states are among them.

Closure. A step of thread i from ⟨q | L₁, …, L_n⟩ by a rule ⟨q|σ⟩ → ⟨q'|w⟩ gives the product
⟨q' | L₁, …, {w·u : σ·u ∈ L_i}, …, L_n⟩. It has to be included in the union of the listed ones.
Usually one of these includes it, or several that differ from it only at thread i do. Otherwise it
is split, exactly: the stacks of the first thread fall into classes, according to the listed
products that have them as their first stack. For each class only those products matter, and the
stacks of the next thread are split in the same way. The inclusion fails if and only if some choice
of classes leaves no product. A class that has all the products of another one need not be looked
at, as it leaves more.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.certificates.bad_products import BadProducts
from tepui.checker.certificates.labels import LanguageLabels, Residue
from tepui.checker.certificates.table_files import read_labels, written_labels
from tepui.checker.evidence import AnyCertificate, Pair, register
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError
from tepui.model import Property, StackSet, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer

Product = tuple[int, ...]
"""A label for each thread."""


@register
@record
class SymbolicCertificate(AnyCertificate):
    """A set of global states: the union of products ⟨q | L₁, …, L_n⟩ of languages of stacks.

    >>> options = tepui.Options(engine="symbolic", strengths=())
    >>> result = tepui.verify(tepui.load("examples/figure2.cpds"), options=options)
    >>> isinstance(result.evidence, tepui.SymbolicCertificate)
    True
    """

    kinds: ClassVar = ("products",)
    fields: ClassVar = ("templates", "labels", "states")

    labels: tuple[Sequence[StackSet], ...]
    """Per template."""
    states: Sequence[tuple[int, ...]]
    """(shared state, label of its template for each thread), in thread order."""

    @property
    def size(self) -> int:
        """How many products there are."""
        return len(self.states)

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        union = _Union(system, self, Patience(go_on))
        union.check_initial()
        union.check_not_bad(asked)
        union.check_closed()

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        union = _Union(system, self, Patience(go_on))
        found: list[set[Pair]] = []
        for thread, labels in enumerate(union.labels):
            occurring = {(shared, product[thread]) for shared, product in union.states}
            found.append(
                {(shared, top) for shared, label in occurring for top in labels.tops(label)}
            )
        return found

    def fixed(self) -> Self:
        return replace(self, labels=tuple(map(tuple, self.labels)), states=tuple(self.states))

    def body(self, writer: Writer) -> dict[str, Any]:
        return {
            "templates": writer.templates(),
            "labels": written_labels(writer.alphabets(), self.labels),
            "states": writer.rows(self.states),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        alphabets = reader.templates(fields["templates"])
        labels = read_labels(
            reader,
            alphabets,
            fields["labels"],
            lambda symbols, value: reader.language(symbols, value, "labels[…]"),
        )
        return cls(labels, reader.rows(fields["states"], "states"))


class _Union:
    """The listed products. Every number in them has been checked."""

    def __init__(
        self, system: System, certificate: SymbolicCertificate, patience: Patience
    ) -> None:
        self._system = system
        self._patience = patience
        if len(certificate.labels) != len(system.templates):
            raise EvidenceError("the certificate needs one table of languages for each template")
        of_template = [
            LanguageLabels(template, labels, patience)
            for template, labels in zip(system.templates, certificate.labels, strict=True)
        ]
        self.labels = [of_template[template] for template in system.threads]
        """The labels of each thread."""
        self.states = list(self._read(certificate.states))
        self._by_shared: dict[int, list[Product]] = {}
        for shared, product in self.states:
            self._by_shared.setdefault(shared, []).append(product)
        self._covered: dict[tuple[int, tuple[Residue, ...]], bool] = {}

    def check_initial(self) -> None:
        for product in self._by_shared.get(self._system.initial, ()):
            if all(map(LanguageLabels.has_initial, self.labels, product)):
                return
        raise EvidenceError("the certificate lacks the initial state")

    def check_not_bad(self, asked: Property) -> None:
        bad = BadProducts(self._system, asked, self.labels)
        for shared, product in self._patience.each(self.states):
            demands = bad.demands and bad.fitting_shared(1 << shared)
            stuck, busy = bad.cases.of(shared), 0
            for thread, label in enumerate(product):
                if demands:
                    demands &= bad.fitting(thread, label)
                if asked.deadlock:
                    stuck_here, busy_here = bad.stuck(thread, label)
                    busy = busy & stuck_here | stuck & busy_here
                    stuck &= stuck_here
            if demands:
                raise bad.refuse(demands)
            if busy:
                raise bad.refuse_deadlock(busy)

    def check_closed(self) -> None:
        """Every step from a listed product leads into listed ones."""
        for thread, labels in enumerate(self.labels):
            neighbours = self._neighbours(thread)
            for shared, product in self._patience.each(self.states):
                for target, image in labels.moves(product[thread], shared):
                    near = neighbours.get((target, _without(product, thread)), ())
                    if not labels.includes(near, image) and not self._covers(
                        target, self._images(product, thread, image)
                    ):
                        raise self._not_closed(thread, shared, target, image)

    def _neighbours(self, thread: int) -> dict[tuple[int, Product], list[int]]:
        """The labels of a thread in products with a shared state and labels of all others."""
        found: dict[tuple[int, Product], list[int]] = {}
        for shared, product in self.states:
            found.setdefault((shared, _without(product, thread)), []).append(product[thread])
        return found

    def _images(self, product: Product, thread: int, image: Residue) -> tuple[Residue, ...]:
        images = list(map(LanguageLabels.whole, self.labels, product))
        images[thread] = image
        return tuple(images)

    def _covers(self, shared: int, images: tuple[Residue, ...]) -> bool:
        """Whether the listed products include this one."""
        if (shared, images) not in self._covered:
            products = self._by_shared.get(shared, ())
            self._covered[shared, images] = any(
                all(
                    labels.includes((label,), image)
                    for labels, label, image in zip(self.labels, product, images, strict=True)
                )
                for product in self._patience.each(products)
            ) or self._covers_split(images, products)
        return self._covered[shared, images]

    def _covers_split(self, images: Sequence[Residue], products: Iterable[Product]) -> bool:
        """The same, exactly, by splitting the stacks of one thread after the other."""
        meeting = tuple(
            product
            for product in self._patience.each(products)
            if all(map(LanguageLabels.meets, self.labels, images, product))
        )
        waiting, found = [(0, meeting)], {(0, meeting)}
        while waiting:
            thread, left = waiting.pop()
            if not left:
                return False
            if thread == len(images):
                continue
            for held in self._classes(thread, images[thread], left):
                rest = thread + 1, tuple(product for product in left if product[thread] in held)
                if rest not in found:
                    found.add(rest)
                    waiting.append(rest)
        return True

    def _classes(
        self, thread: int, image: Residue, products: Iterable[Product]
    ) -> list[frozenset[int]]:
        """For the stacks of an image, the labels that contain them: the least of these sets."""
        numbers = sorted({product[thread] for product in products})
        answers = self.labels[thread].choices(image, numbers)
        held = {frozenset(compress(numbers, answer)) for answer in answers}
        return [labels for labels in held if not any(other < labels for other in held)]

    def _read(self, states: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, Product]]:
        """The shared states and labels; a product with an empty label stands for nothing."""
        sizes = len(self._system.shared), *map(len, self.labels)
        for number, state in enumerate(self._patience.each(states), start=1):
            if len(state) != len(sizes):
                raise EvidenceError(
                    f"product {number} of the certificate does not have one entry per thread"
                )
            if min(state) < 0 or not all(map(operator.lt, state, sizes)):
                raise EvidenceError(
                    f"product {number} of the certificate points outside its tables"
                )
            if all(map(LanguageLabels.tops, self.labels, state[1:])):
                yield state[0], state[1:]

    def _not_closed(self, thread: int, shared: int, target: int, image: Residue) -> EvidenceError:
        name = self._system.thread_names[thread]
        before, after = self._system.shared[shared], self._system.shared[target]
        stack = self.labels[thread].missing(image, ())
        return EvidenceError(
            f"the certificate is not closed: thread {name} can go from the shared state {before} "
            f"to {after} with stacks such as «{stack}», and no products include all of that"
        )


def _without(product: Product, thread: int) -> Product:
    return product[:thread] + product[thread + 1 :]
