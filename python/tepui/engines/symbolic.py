"""The symbolic engine: R_k as a set S_k of symbolic states ⟨q | L₁, …, Lₙ⟩.

Each is a shared state and a regular language of stacks for each thread (CUBA, section 7.1; QR,
section 3). It needs no finite-context reachability, and it decides exactly whether R_k grew, also
where it is infinite (Scheme 1 over S_k). Compared with the diagram engine, it lists visible states
one by one, but nothing has to be cut into disjoint labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from tepui.checker.certificates.products import SymbolicCertificate
from tepui.engines.kernel_engine import SequenceEngine
from tepui.errors import UsageError
from tepui.kernels.door import SymbolicKernel, system_kernel
from tepui.model import StackSet, System
from tepui.model.system import Word
from tepui.z.z import certificate_groups, count_arrangements

SymbolicState = tuple[int, tuple[StackSet, ...]]
"""⟨q | L₁, …, Lₙ⟩: the shared state, and the stacks that each thread may have."""


class SymbolicEngine(SequenceEngine[SymbolicKernel]):
    """The symbolic engine at work on a system.

    `symmetry` treats equal threads as interchangeable, `pruning` leaves out what is included in
    another symbolic state. Neither changes what is observed.
    """

    def __init__(self, system: System, *, symmetry: bool = True, pruning: bool = True) -> None:
        kernel = SymbolicKernel(system_kernel(system), symmetry=symmetry, pruning=pruning)
        super().__init__(system, kernel, symmetry=symmetry)

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]:
        raise UsageError("the symbolic engine does not list states; the explicit engine does")

    def list_symbolic_states(self, k: int) -> list[SymbolicState]:
        """S_k, in the order of discovery; up to symmetry if that is on."""
        languages: dict[int, StackSet] = {}
        return [
            (row[0], tuple(self._language(language, languages) for language in row[1:]))
            for row in self._kernel.product_rows(0, self._kernel.round(k).parts)
        ]

    def certificate(self) -> SymbolicCertificate:
        """Every permutation of equal threads is listed."""
        groups = certificate_groups(self.system, self.symmetry)
        labels: list[dict[int, int]] = [{} for _ in self.system.templates]
        states = []
        for shared, *row in self._kernel.settled_rows():
            numbers = [
                labels[template].setdefault(language, len(labels[template]))
                for template, language in zip(self.system.threads, row, strict=True)
            ]
            states += [(shared, *order) for order in _orders(numbers, groups)]
        languages: dict[int, StackSet] = {}
        return SymbolicCertificate(
            labels=tuple(
                tuple(self._language(language, languages) for language in of_template)
                for of_template in labels
            ),
            states=states,
        )

    def certificate_size(self) -> tuple[int, int]:
        groups = certificate_groups(self.system, self.symmetry)
        rows = self._kernel.settled_rows()
        size = sum(
            prod(count_arrangements([row[1 + thread] for thread in group]) for group in groups)
            for row in rows
        )
        automata = map(self._kernel.automaton, {number for row in rows for number in row[1:]})
        return size, sum(len(edges) for automaton in automata for _, edges in automaton)

    def _language(self, number: int, known: dict[int, StackSet]) -> StackSet:
        if number not in known:
            automaton = self._kernel.automaton(number)
            known[number] = StackSet(
                accepting=tuple(accepting for accepting, _ in automaton),
                edges=tuple(tuple(edges) for _, edges in automaton),
            )
        return known[number]


def _orders(row: Sequence[int], groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """The rows that differ by a permutation within groups, each once."""
    choices = [list(_arrangements(Counter(row[place] for place in group))) for group in groups]
    for chosen in product(*choices):
        order = list(row)
        for group, entries in zip(groups, chosen, strict=True):
            for place, entry in zip(group, entries, strict=True):
                order[place] = entry
        yield tuple(order)


def _arrangements(entries: Counter[int]) -> Iterator[tuple[int, ...]]:
    """The different ways to put entries into a row."""
    if not entries:
        yield ()
    for first in sorted(entries):
        for rest in _arrangements(entries - Counter([first])):
            yield first, *rest
