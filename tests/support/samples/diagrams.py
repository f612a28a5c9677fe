"""Diagrams and products that certify small systems, made in the most naive way.

A diagram is made from a list of states: what remains of them below a local state of the first
thread is a child, and the local states with equal children form a label. Languages come from cuts:
all stacks with one cut and pairs in `below` are a regular set, and what holds of the cuts holds of
all these stacks (`tepui.checker.certificates.states`), so the languages of a closed cut are closed.
Everything can be spelled out again, as a plain list of states for the plain checker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from random import Random

from support.samples.evidence import (
    Concrete,
    CutStack,
    CutState,
    cut_states,
    reachable,
    singles,
    thread,
)
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.checker.certificates.states import Certificate
from tepui.model import EPSILON, StackSet, System
from tepui.model.build import Description, build
from tepui.model.system import Word

Pairs = frozenset[tuple[int, int]]

# Figure 2 -----------------------------------------------------------------------------------------


def figure_2() -> System:
    """The system of CUBA's Figure 2, in which one context reaches infinitely many stacks."""
    foo = ["q0|2 -> q0|3", "q1|2 -> q1|3", "q0|2 -> q0|4", "q1|2 -> q1|4", "q0|3 -> q0|2 4"]
    foo += ["q1|3 -> q1|2 4", "q1|4 -> q1|4", "q0|4 -> q0|5", "q0|5 -> q1|-", "q1|5 -> q1|-"]
    bar = ["q0|6 -> q0|7", "q1|6 -> q1|7", "q0|6 -> q0|8", "q1|6 -> q1|8", "q0|7 -> q0|6 8"]
    bar += ["q1|7 -> q1|6 8", "q0|8 -> q0|8", "q1|8 -> q1|9", "q0|9 -> q0|-", "q1|9 -> q0|-"]
    blocks = [thread("2", *foo, name="foo"), thread("6", *bar, name="bar")]
    return build(Description("q1", blocks, shared=["q0", "q1"], name="figure 2"))


def products_of_figure_2() -> SymbolicCertificate:
    """Its reachable states: before bar has ended a call; after foo has; and while x is 0."""
    system = figure_2()
    foo = languages(system, 0, "[234]4*", "[4]4* | -", "[2345]4* | -")
    bar = languages(system, 1, "[6789]8*", "[89]8* | -", "[8]8* | -")
    return SymbolicCertificate((foo, bar), ((1, 0, 0), (1, 1, 1), (0, 2, 2)))


def diagram_of_figure_2() -> DiagramCertificate:
    """The same states, by what may be below each stack of foo."""
    system = figure_2()
    foo = languages(system, 0, "[23]4*", "[4]4*", "[5]4*", "-")
    bar = languages(system, 1, "[679]8*", "[8]8*", "-", "[8]8* | -", "[9]8*")
    root = ((0, 0), (1, 1), (2, 2), (3, 3))
    lower = (((0, 1), (1, 2), (2, 0)), ((0, 1), (3, 2)), ((3, 0),), ((4, 1), (3, 2)))
    ends = ((0,), (1,), (0, 1))
    return DiagramCertificate("states", (0, 1), (None, None), (foo, bar), ((root,), lower), ends)


# Languages ----------------------------------------------------------------------------------------


def languages(system: System, template: int, *texts: str) -> tuple[StackSet, ...]:
    return tuple(stacks_like(text, system.templates[template].symbols) for text in texts)


def stacks_like(text: str, symbols: Sequence[str]) -> StackSet:
    """`stacks_like("[ab]c* | -", symbols)`: a choice of symbols, then one repeated; or nothing."""
    loops: dict[str, int] = {}
    edges: list[dict[int, int]] = [{}]
    accepting = [False]
    for choice in (part.strip() for part in text.split("|")):
        if choice == "-":
            accepting[0] = True
            continue
        first, _, repeated = choice.partition("]")
        loop = repeated.removesuffix("*")
        if loop not in loops:
            loops[loop] = len(edges)
            edges.append({symbols.index(loop): len(edges)} if loop else {})
            accepting.append(True)
        for letter in first.removeprefix("["):
            edges[0][symbols.index(letter)] = loops[loop]
    return StackSet(tuple(accepting), tuple(tuple(sorted(leaving.items())) for leaving in edges))


def stacks_in(words: Iterable[Word]) -> StackSet:
    """Finitely many stacks, as a tree."""
    nodes: dict[Word, int] = {(): 0}
    edges: list[dict[int, int]] = [{}]
    listed = set(words)
    for word in sorted(listed):
        for length in range(1, len(word) + 1):
            if word[:length] not in nodes:
                nodes[word[:length]] = len(nodes)
                edges.append({})
                edges[nodes[word[: length - 1]]][word[length - 1]] = nodes[word[:length]]
    return StackSet(
        tuple(word in listed for word in nodes),
        tuple(tuple(sorted(leaving.items())) for leaving in edges),
    )


def random_set(rng: Random, most: int = 3, symbols: int = 2) -> StackSet:
    """Any language whose automaton has at most this many states."""
    count = rng.randint(0, most)
    return StackSet(
        tuple(rng.random() < 0.4 for _ in range(count)),
        tuple(
            tuple(
                (symbol, rng.randrange(count))
                for symbol in range(1, symbols + 1)
                if rng.random() < 0.6
            )
            for _ in range(count)
        ),
    )


def stacks_cut_to(cuts: Iterable[CutStack], below: Pairs, depth: int) -> StackSet:
    """All stacks with one of these cuts whose neighbours, from the cut down, are in `below`."""
    chosen = set(cuts)
    numbers: dict[Word, int] = {(): 0}
    accepting: list[bool] = []
    edges: list[list[tuple[int, int]]] = []
    waiting: list[Word] = [()]
    for kept in waiting:  # What was read, or below the cut (0, its last symbol).
        deep = kept[:1] == (EPSILON,)
        at_cut = deep or len(kept) == depth
        may_end = deep or (kept, False) in chosen
        may_go_on = deep or (kept, True) in chosen
        accepting.append(may_end and (not at_cut or (kept[-1], EPSILON) in below))
        following = {lower for upper, lower in below if kept and upper == kept[-1] and may_go_on}
        nexts: dict[int, Word] = {s: (EPSILON, s) for s in following if s != EPSILON}
        if not at_cut:
            begun = {word[: len(kept) + 1] for word, _ in chosen if word[: len(kept)] == kept}
            nexts = {word[-1]: word for word in begun if len(word) > len(kept)}
        for after in sorted(nexts.values()):
            if after not in numbers:
                numbers[after] = len(numbers)
                waiting.append(after)
        edges.append([(symbol, numbers[after]) for symbol, after in sorted(nexts.items())])
    return StackSet(tuple(accepting), tuple(map(tuple, edges)))


# Diagrams -----------------------------------------------------------------------------------------


def diagram_of(
    system: System,
    states: Iterable[CutState],
    order: Sequence[int] | None = None,
    form: Certificate | None = None,
) -> DiagramCertificate:
    """The diagram of some states; `form` says how their stacks are cut, if they are."""
    draft = _Draft(system, tuple(range(len(system.threads)) if order is None else order))
    rows = {(tuple(locals_[t] for t in draft.order), shared) for shared, locals_ in states}
    root = draft.node(0, frozenset(rows))
    return DiagramCertificate(
        "states" if form is None else "cut",
        draft.order,
        locals=tuple(map(tuple, draft.locals)),
        labels=tuple(map(tuple, draft.labels)),
        nodes=tuple(map(tuple, draft.nodes)),
        ends=tuple(draft.ends),
        root=root,
        depth=0 if form is None else form.depth,
        flags=True if form is None else form.flags,
        below=() if form is None else form.below,
    )


@dataclass
class _Draft:
    """Tables that grow with the nodes of a diagram."""

    system: System
    order: tuple[int, ...]
    locals: list[dict[CutStack, int]] = field(init=False)
    labels: list[dict[tuple[int, ...], int]] = field(init=False)
    nodes: list[dict[tuple[tuple[int, int], ...], int]] = field(init=False)
    ends: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.locals = [{} for _ in self.system.templates]
        self.labels = [{} for _ in self.system.templates]
        self.nodes = [{} for _ in self.order]

    def node(self, level: int, rows: frozenset[tuple[tuple[CutStack, ...], int]]) -> int:
        if level == len(self.order):
            end = tuple(sorted(shared for _, shared in rows))
            return self.ends.setdefault(end, len(self.ends))
        rests: dict[CutStack, set[tuple[tuple[CutStack, ...], int]]] = {}
        for (first, *others), shared in rows:
            rests.setdefault(first, set()).add((tuple(others), shared))
        template = self.system.threads[self.order[level]]
        table = self.locals[template]
        members: dict[int, list[int]] = {}
        for local, rest in sorted(rests.items()):
            child = self.node(level + 1, frozenset(rest))
            members.setdefault(child, []).append(table.setdefault(local, len(table)))
        labels, nodes = self.labels[template], self.nodes[level]
        edges = tuple(
            (labels.setdefault(tuple(sorted(label)), len(labels)), child)
            for child, label in members.items()
        )
        return nodes.setdefault(edges, len(nodes))


def whole_diagram(system: System, order: Sequence[int] | None = None) -> DiagramCertificate:
    """All reachable states; the system must have finitely many."""
    return diagram_of(system, map(_uncut, reachable(system, height=99)), order)


def cut_diagram(
    system: System, depth: int, *, flags: bool = True, order: Sequence[int] | None = None
) -> DiagramCertificate:
    """The least cut, every permutation of equal threads written out."""
    cut = cut_states(system, system.groups, depth, flags=flags)
    return diagram_of(system, every_permutation(system, cut), order, cut)


def language_diagram(
    system: System, depth: int, order: Sequence[int] | None = None
) -> DiagramCertificate:
    """All whole stacks that the least cut stands for: the labels are languages."""
    cut = cut_diagram(system, depth, order=order)
    labels = tuple(
        tuple(stacks_cut_to((table[index] for index in label), below, depth) for label in labels)
        for table, labels, below in zip(_tables(cut), _finite(cut), cut.below, strict=True)
    )
    none = (None,) * len(labels)
    return DiagramCertificate("states", cut.order, none, labels, cut.nodes, cut.ends, cut.root)


def with_finite_languages(
    diagram: DiagramCertificate, templates: Iterable[int]
) -> DiagramCertificate:
    """The same states, with languages for the labels of some templates."""
    tables, labels = list(diagram.locals), list(diagram.labels)
    for template in templates:
        table = _tables(diagram)[template]
        labels[template] = tuple(
            stacks_in(table[index][0] for index in label) for label in _finite(diagram)[template]
        )
        tables[template] = None
    return DiagramCertificate(
        "states",
        diagram.order,
        tuple(tables),
        tuple(labels),
        diagram.nodes,
        diagram.ends,
        diagram.root,
    )


def products_of(system: System, diagram: DiagramCertificate) -> SymbolicCertificate:
    """A product for each path through a diagram of languages and each shared state at its end."""
    found: set[tuple[int, ...]] = set()
    for labels, end in paths(diagram):
        by_thread = dict(zip(diagram.order, labels, strict=True))
        row = tuple(by_thread[thread] for thread in range(len(system.threads)))
        found |= {(shared, *row) for shared in diagram.ends[end]}
    languages = tuple(
        tuple(label for label in labels if isinstance(label, StackSet)) for labels in diagram.labels
    )
    return SymbolicCertificate(languages, tuple(sorted(found)))


# Spelled out --------------------------------------------------------------------------------------


def paths(diagram: DiagramCertificate) -> Iterator[tuple[tuple[int, ...], int]]:
    """The labels on every path from the root, and the end to which it leads."""
    waiting: list[tuple[tuple[int, ...], int]] = [((), diagram.root)]
    while waiting:
        labels, number = waiting.pop()
        if len(labels) == len(diagram.order):
            yield labels, number
        else:
            for label, child in diagram.nodes[len(labels)][number]:
                waiting.append(((*labels, label), child))


def states_in(system: System, diagram: DiagramCertificate) -> set[CutState]:
    """All states of a diagram whose labels point into tables."""
    found = set()
    for labels, end in paths(diagram):
        chosen: list[list[CutStack]] = [[] for _ in labels]
        for member, label in zip(diagram.order, labels, strict=True):
            template = system.threads[member]
            table = _tables(diagram)[template]
            chosen[member] = [table[index] for index in _finite(diagram)[template][label]]
        found |= {(shared, locals_) for shared in diagram.ends[end] for locals_ in product(*chosen)}
    return found


def spelled_out(system: System, diagram: DiagramCertificate) -> Certificate:
    """The same certificate as a list of states, each thread a group of its own."""
    tables = [_tables(diagram)[template] for template in system.threads]
    cut = diagram.kind == "cut"
    return Certificate(
        diagram.kind,
        singles(system),
        tuple(map(tuple, tables)),
        tuple(
            (shared, *(tables[t].index(local) for t, local in enumerate(locals_)))
            for shared, locals_ in sorted(states_in(system, diagram))
        ),
        diagram.depth,
        diagram.flags,
        tuple(diagram.below[template] for template in system.threads) if cut else (),
    )


def has_state(
    system: System, certificate: DiagramCertificate | SymbolicCertificate, state: Concrete
) -> bool:
    """Whether a state is in a certificate whose labels are languages."""
    shared, stacks = state
    if isinstance(certificate, SymbolicCertificate):
        return any(
            row[0] == shared
            and all(
                certificate.labels[system.threads[thread]][label].accepts(stacks[thread])
                for thread, label in enumerate(row[1:])
            )
            for row in certificate.states
        )
    here = {certificate.root}
    for level, member in enumerate(certificate.order):
        labels = certificate.labels[system.threads[member]]
        edges = [edge for number in here for edge in certificate.nodes[level][number]]
        here = {child for label, child in edges if _accepts(labels[label], stacks[member])}
    return any(shared in certificate.ends[end] for end in here)


def every_permutation(system: System, certificate: Certificate) -> set[CutState]:
    """The states of a certificate whose groups are the templates, each permutation by itself."""
    found = set()
    for shared, *indices in certificate.states:
        arrangements = []
        for group, table in zip(certificate.groups, certificate.locals, strict=True):
            mine = [table[indices[thread]] for thread in group]
            arrangements.append([dict(zip(group, p, strict=True)) for p in permutations(mine)])
        for chosen in product(*arrangements):
            locals_ = {thread: local for part in chosen for thread, local in part.items()}
            found.add((shared, tuple(locals_[t] for t in range(len(system.threads)))))
    return found


def _uncut(state: Concrete) -> CutState:
    return state[0], tuple((stack, False) for stack in state[1])


def _accepts(label: object, word: Word) -> bool:
    assert isinstance(label, StackSet)
    return label.accepts(word)


def _tables(diagram: DiagramCertificate) -> list[Sequence[CutStack]]:
    return [() if table is None else table for table in diagram.locals]


def _finite(diagram: DiagramCertificate) -> list[list[Sequence[int]]]:
    return [
        [() if isinstance(label, StackSet) else label for label in labels]
        for labels in diagram.labels
    ]
