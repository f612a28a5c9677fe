"""Transducers one after another (WPDS, section 6.3, Definition 15 and Theorem 4).

What one transducer writes, the next one reads; weights are to be extended in the order of the
transducers, though all tapes are read at once. So they are kept apart, in a tensor with two
components for each transducer: what its first part does, and what its second part does, transposed,
so that both are extended along the path (a 2-TSTP removes the partition). At the end TDeTensor
makes one weight from it.

Only places that can be reached are made, and only those that lead to the end are kept. One more
transducer can be put behind a composition at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from tepui.weighted.domains.semiring import Semiring, Tensors, W, tensorable, transposable
from tepui.weighted.transducers.path_weights import Graph
from tepui.weighted.transducers.tapes import Letter, Place, Tapes
from tepui.weighted.transducers.transducer import Arc, Transducer

At = tuple[Place, Place]
Transition = tuple[Letter | None, Letter | None, At, Any]


@dataclass(frozen=True)
class Composition(Generic[W]):
    """Some transducers, as one without a partition over tensors of twice their number."""

    domain: Semiring[W]
    number: int
    whole: Transducer[Any]

    @classmethod
    def of(cls, first: Transducer[W], *others: Transducer[W]) -> Composition[W]:
        composed = cls(first.domain, 1, _without_partition(first))
        for other in others:
            composed = composed.then(other)
        return composed

    def then(self, other: Transducer[W]) -> Composition[W]:
        """This composition, followed by another transducer."""
        first, second = self.whole, _without_partition(other)
        tensors = _tensors(self.domain, self.number + 1)

        def steps(at: At) -> Iterator[Transition]:
            place, also = at
            for read, written, target, weight in first.leaving.get(place, ()):
                if written is None:
                    alone = tensors.concatenate(weight, second.domain.one)
                    yield read, None, (target, also), alone
                else:
                    for letter, output, following, more in second.leaving.get(also, ()):
                        if letter is not None and letter == written:
                            both = tensors.concatenate(weight, more)
                            yield read, output, (target, following), both
            for letter, output, following, more in second.leaving.get(also, ()):
                if letter is None:
                    alone = tensors.concatenate(first.domain.one, more)
                    yield None, output, (place, following), alone

        start = ((p, q) for p in first.initial for q in second.initial)
        whole = _explored(tensors, start, (first.final, second.final), steps)
        return Composition(self.domain, self.number + 1, whole)

    def reading(self, inputs: Tapes) -> Composition[W]:
        """This composition for some inputs only. They become part of it, so nothing is read any
        more."""

        def steps(at: At) -> Iterator[Transition]:
            place, middle = at
            for letter, target in inputs.leaving.get(place, ()):
                if letter is None:
                    yield None, None, (target, middle), self.whole.domain.one
            for read, written, following, weight in self.whole.leaving.get(middle, ()):
                if read is None:
                    yield None, written, (place, following), weight
                else:
                    for letter, target in inputs.leaving.get(place, ()):
                        if letter is not None and letter == read:
                            yield None, written, (target, following), weight

        start = ((i, m) for i in inputs.initial for m in self.whole.initial)
        ends = inputs.accepting, self.whole.final
        return Composition(
            self.domain, self.number, _explored(self.whole.domain, start, ends, steps)
        )

    def writing(self, outputs: Tapes) -> W:
        """The combine of the values of all paths that read nothing and write one of the outputs."""
        tensor = self.whole.between(Tapes.word(()), outputs)
        return _tensors(self.domain, self.number).transposed_detensor(tensor)

    def between(self, inputs: Tapes, outputs: Tapes) -> W:
        """R(S, T) of Theorem 4."""
        return self.reading(inputs).writing(outputs)


def _without_partition(transducer: Transducer[W]) -> Transducer[Any]:
    """The same over tensors of order 2, all forward; TDeTensor recovers the weights."""
    domain = transducer.domain
    tensors, transpose = _tensors(domain, 1), transposable(domain).transpose
    arcs = {
        arc: tensors.tensor(domain.one, transpose(weight))
        if arc[0] in transducer.backward
        else tensors.tensor(weight, domain.one)
        for arc, weight in transducer.arcs.items()
    }
    return Transducer(tensors, arcs, transducer.initial, transducer.final)


def _tensors(domain: Semiring[W], number: int) -> Tensors[W, Any]:
    return tensorable(domain).tensors(2 * number)


def _explored(
    domain: Semiring[Any],
    start: Iterable[At],
    ends: tuple[frozenset[Place], frozenset[Place]],
    steps: Callable[[At], Iterator[Transition]],
) -> Transducer[Any]:
    """The product of two transducers, without places that are of no use."""
    arcs: dict[Arc, Any] = {}

    def following(at: At) -> Iterator[tuple[At, bool]]:
        for read, written, target, weight in steps(at):
            arc = at, read, written, target
            arcs[arc] = domain.combine(arcs[arc], weight) if arc in arcs else weight
            yield target, True

    graph = Graph.explored(start, following)
    final = [at for at in graph.steps if at[0] in ends[0] and at[1] in ends[1]]
    kept = graph.leading_to(final).steps
    return Transducer(
        domain,
        {arc: weight for arc, weight in arcs.items() if arc[0] in kept and arc[3] in kept},
        frozenset(at for at in graph.start if at in kept),
        frozenset(final),
    )
