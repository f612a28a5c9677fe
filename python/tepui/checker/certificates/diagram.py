"""Certificates that are decision diagrams over the threads, checked without listing their states.

They make the same claim as `states`, for far more states. There may be infinitely many whole
stacks.

Notation. A node N of level i has edges (L, C): a label, which is a set of local states of the
thread of level i, and a child, a node of level i + 1 or one of the ends. S(N) is what N stands for:
S(end) is its set of shared states, and S(N) is the union of L × S(C) over its edges.
The certificate is S(root), and it has to satisfy what `states` asks of a set Z of states: it
contains the initial state and no bad one, and it is closed under every step; for a cut also that
the pairs of «below» are there, which `local_states` checks with each step. The proof there needs no
more of Z than that, so only these three need an argument here.

Closure. Let a state be in S(root), by a path that reaches the node N of level i, takes its edge
(L, C) there with the local state l of that thread, and goes on with r ∈ S(C), whose shared state is
q. Let the thread of level i take a step to the shared state q' and the local state l'. Nothing has
changed above N, so it is enough that (l', r with q' for q) ∈ S(N). For two nodes C and E of one
level say that C goes to E by (q, q') if for every r ∈ S(C) with shared state q, the same r with q'
is in S(E). Then it is enough that
  (a) l' is in the label of some edge (M, E) of N such that C goes to E by (q, q').
And C goes to E by (q, q') if
  (b) for every edge (K, D) of C with a q below D, and every k in K, k is in the label of some edge
      (M, F) of E such that D goes to F by (q, q'); for ends, if q' is in E whenever q is in C.
The check asks slightly more, which makes it simple. Take the image of L under the steps from q to
q' in (a), and K in (b): it must be included in the union of all labels M that it meets, and the
child must go by (q, q') to the child of every such edge. That implies (a) and (b). Where the labels
at a node are disjoint it is equivalent to closure; where they overlap, it may refuse a set that is
closed.

So demands come from above: a level has to satisfy a set of pairs (q, q') for each pair of its
nodes. This set is collected from the whole level above before the level is looked at, and no pair
of nodes is looked at twice. Every node goes to itself by (q, q).

Bad states: a path stands for products, see `bad_products`. Some state fits a pattern or a reach if
all labels of some path and its end do; all patterns and reaches are followed together, from the
root down. Deadlocks are sought from the ends up: in which shared states can all threads below a
node be stuck together, and in which of them while one of the threads is not idle?

Nodes that cannot be reached from the root stand for nothing and are not looked at, beyond their
form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from tepui.checker.bits import bits_of, members
from tepui.checker.certificates.bad_products import BadProducts
from tepui.checker.certificates.labels import Edge, Label, Labels, LanguageLabels, TableLabels
from tepui.checker.certificates.local_states import Local, LocalStates, cut_of
from tepui.checker.certificates.table_files import (
    Below,
    read_cut,
    read_labels,
    read_locals,
    written_cut,
    written_labels,
    written_locals,
)
from tepui.checker.evidence import AnyCertificate, Pair, register
from tepui.checker.patience import Patience
from tepui.checker.writing import Writer, lines
from tepui.errors import EvidenceError
from tepui.model import Property, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.json_values import Lookup
    from tepui.checker.reading import Reader

Node = Sequence[Edge]
"""A choice: a local state in the label of an edge, and a state of its child."""


@register
@record
class DiagramCertificate(AnyCertificate):
    """A set of states as a decision diagram: a level for each thread, shared states at the end.

    A state is in the set if a path from the root to an end has the thread's local state in the
    label of each edge, and the shared state in its end.

    >>> options = tepui.Options(engine="diagram", strengths=())
    >>> result = tepui.verify(tepui.load("examples/figure2.cpds"), options=options)
    >>> isinstance(result.evidence, tepui.DiagramCertificate)
    True
    """

    kinds: ClassVar = ("diagram",)
    fields: ClassVar = (
        *("templates", "form", "depth", "flags", "below"),
        *("order", "locals", "labels", "root", "nodes", "ends"),
    )

    kind: Literal["states", "cut"]
    """Whether stacks are whole or cut; a file calls it the form."""
    order: tuple[int, ...]
    """The thread of each level, from the root down."""
    locals: tuple[Sequence[Local] | None, ...]
    """Per template, the local states that labels name, each once; for `states`, whole stacks.

    None if the labels of the template are languages, as those of `states` may be.
    """
    labels: tuple[Sequence[Label], ...]
    """Per template; all levels with threads of a template use the same."""
    nodes: Sequence[Sequence[Node]]
    """Per level. A child is a node of the next level or, below the last one, one of the ends.

    The labels at a node should be disjoint: where they are not, a closed set may be refused.
    """
    ends: Sequence[Sequence[int]]
    """Sets of shared states."""
    root: int = 0
    depth: int = 0
    """How many symbols of each stack a cut keeps; 0 for `states`."""
    flags: bool = True
    """Whether a cut's local states know if something lies below; False only at depth 1."""
    below: tuple[Below, ...] = ()
    """Per template, (symbol, what may lie directly below it) at the cut or deeper; () for `states`.
    """

    @property
    def size(self) -> int:
        """How many nodes there are, not counting the ends."""
        return sum(map(len, self.nodes))

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        diagram = _Diagram(system, self, Patience(go_on))
        _check_initial(system, diagram)
        _check_not_bad(system, asked, diagram)
        _Closure(system, diagram).check()

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        diagram = _Diagram(system, self, Patience(go_on))
        found: list[set[Pair]] = [set() for _ in system.threads]
        for level, labels in enumerate(diagram.labels):
            occurring: dict[int, int] = {}
            for edges in diagram.reached(level):
                for label, child in edges:
                    shared = diagram.below[level + 1][child]
                    occurring[label] = occurring.get(label, 0) | shared
            for label, shared in occurring.items():
                tops = labels.tops(label)
                found[diagram.order[level]] |= {(q, top) for q in members(shared) for top in tops}
        return found

    def fixed(self) -> Self:
        return replace(
            self,
            locals=tuple(table if table is None else tuple(table) for table in self.locals),
            labels=tuple(map(tuple, self.labels)),
            nodes=tuple(tuple(map(tuple, level)) for level in self.nodes),
            ends=tuple(map(tuple, self.ends)),
        )

    def body(self, writer: Writer) -> dict[str, Any]:
        alphabets = writer.alphabets()
        return {
            "templates": writer.templates(),
            "form": self.kind,
            **written_cut(alphabets, self.depth, self.flags, self.below),
            "order": writer.all_threads(self.order),
            "locals": written_locals(alphabets, self.locals),
            "labels": written_labels(alphabets, self.labels),
            "root": self.root,
            "nodes": ("".join(lines(map(_node_line, level))) for level in self.nodes),
            "ends": (writer.line(writer.all_shared(end)) for end in self.ends),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        alphabets = reader.templates(fields["templates"])
        form = reader.a(str, fields["form"], "form")
        if form not in ("states", "cut"):
            reader.fail("form", "is neither states nor cut")
        tables = reader.items(fields["locals"], "locals", len(alphabets))
        return cls(
            "cut" if form == "cut" else "states",
            reader.all_threads(fields["order"], "order"),
            locals=tuple(
                None if table is None else read_locals(reader, symbols, table)
                for symbols, table in zip(alphabets, tables, strict=True)
            ),
            labels=read_labels(reader, alphabets, fields["labels"], partial(_read_label, reader)),
            nodes=tuple(
                tuple(_read_node(reader, node) for node in level)
                for level in reader.levels(fields["nodes"], "nodes")
            ),
            ends=tuple(
                reader.all_shared(end, f"ends[{number}]")
                for number, end in enumerate(reader.items(fields["ends"], "ends"))
            ),
            root=reader.a(int, fields["root"], "root"),
            **read_cut(reader, alphabets, form, fields),
        )


def _node_line(node: Node) -> str:
    """The edges of a node as one list: a label, a child, a label, a child and so on."""
    return f"[{','.join(f'{label},{child}' for label, child in node)}]"


def _read_node(reader: Reader, value: Any) -> Node:
    numbers = reader.integers(value, "a node")
    if len(numbers) % 2:
        reader.fail("a node", "has a label without a child")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _read_label(reader: Reader, symbols: Lookup, value: Any) -> Label:
    if isinstance(value, dict):
        return reader.language(symbols, value, "labels[…]")
    return reader.integers(value, "labels[…]")


class _Diagram:
    """The levels of a diagram. Every number in it has been checked."""

    def __init__(self, system: System, certificate: DiagramCertificate, patience: Patience) -> None:
        self.patience = patience
        self.order = certificate.order
        if sorted(self.order) != list(range(len(system.threads))):
            raise EvidenceError("the levels of the diagram are not the threads, each once")
        of_template = _labels(system, certificate, patience)
        self.labels = [of_template[system.threads[thread]] for thread in self.order]
        """The labels of each level."""
        self.nodes: list[tuple[Node, ...]] = [tuple(map(tuple, n)) for n in certificate.nodes]
        self.ends = [self._end(system, end) for end in certificate.ends]
        """Sets of shared states, as bits."""
        self.root = certificate.root
        self._check_nodes()
        self.below = self._shared_below()
        """For each level and node the shared states that occur below it, and last the ends."""
        self._reached = self._reached_nodes()

    def reached(self, level: int) -> Iterator[Node]:
        """The nodes of a level to which a path leads from the root."""
        nodes = self.nodes[level]
        for number in self.patience.each(self._reached[level]):
            self.patience.spend(len(nodes[number]))
            yield nodes[number]

    def _end(self, system: System, end: Sequence[int]) -> int:
        if not all(0 <= shared < len(system.shared) for shared in end):
            raise EvidenceError("an end of the diagram holds something that is no shared state")
        return bits_of(end)

    def _check_nodes(self) -> None:
        if len(self.nodes) != len(self.order):
            raise EvidenceError("the diagram does not have one level for each thread")
        if not 0 <= self.root < len(self.nodes[0]):
            raise EvidenceError("the diagram has no root")
        sizes = [*map(len, self.nodes[1:]), len(self.ends)]
        for level, (nodes, size) in enumerate(zip(self.nodes, sizes, strict=True)):
            labels = len(self.labels[level])
            for edges in self.patience.each(nodes):
                for label, child in edges:
                    if not (0 <= label < labels and 0 <= child < size):
                        raise EvidenceError(
                            f"a node of level {level} of the diagram points outside its tables"
                        )

    def _shared_below(self) -> list[list[int]]:
        below = [self.ends]
        for nodes in reversed(self.nodes):
            lower, found = below[-1], []
            for edges in self.patience.each(nodes):
                shared = 0
                for _, child in edges:
                    shared |= lower[child]
                found.append(shared)
            below.append(found)
        return below[::-1]

    def _reached_nodes(self) -> list[list[int]]:
        reached = [[self.root]]
        for nodes in self.nodes[:-1]:
            found = {child for number in reached[-1] for _, child in nodes[number]}
            reached.append(sorted(found))
        return reached


def _labels(
    system: System, certificate: DiagramCertificate, patience: Patience
) -> dict[int, Labels[Any]]:
    """The labels of each template that has threads."""
    count, relations = len(system.templates), certificate.below
    cut = cut_of(certificate.kind, certificate.depth, certificate.flags, len(relations), count)
    if len(certificate.locals) != count or len(certificate.labels) != count:
        raise EvidenceError("the diagram needs one table of stacks and labels for each template")
    found: dict[int, Labels[Any]] = {}
    for number, threads in enumerate(system.groups):
        table, labels = certificate.locals[number], certificate.labels[number]
        if not threads:
            continue
        if table is not None:
            pairs = relations[number] if relations else frozenset()
            found[number] = TableLabels(LocalStates(system, threads, table, cut, pairs), labels)
        elif certificate.kind == "cut":
            raise EvidenceError("the languages of a diagram are of whole stacks, not of cut ones")
        else:
            found[number] = LanguageLabels(system.templates[number], labels, patience)
    return found


def _check_initial(system: System, diagram: _Diagram) -> None:
    here = {diagram.root}
    for nodes, labels in zip(diagram.nodes, diagram.labels, strict=True):
        edges = (edge for number in here for edge in nodes[number])
        here = {child for label, child in edges if labels.has_initial(label)}
    if not any(diagram.ends[end] >> system.initial & 1 for end in here):
        raise EvidenceError("the certificate lacks the initial state")


def _check_not_bad(system: System, asked: Property, diagram: _Diagram) -> None:
    by_thread = dict(zip(diagram.order, diagram.labels, strict=True))
    bad = BadProducts(system, asked, [by_thread[thread] for thread in range(len(by_thread))])
    if bad.demands:
        _check_demands(bad, diagram)
    if asked.deadlock:
        _check_deadlock(bad, diagram)


def _check_demands(bad: BadProducts, diagram: _Diagram) -> None:
    """Find, from the root down, the patterns and reaches that the labels fit."""
    met = {diagram.root: bad.demands}
    for thread, nodes in zip(diagram.order, diagram.nodes, strict=True):
        lower: dict[int, int] = {}
        for number, demands in diagram.patience.each(met.items()):
            for label, child in nodes[number]:
                still = demands & bad.fitting(thread, label)
                if still:
                    lower[child] = lower.get(child, 0) | still
        met = lower
    for end, demands in met.items():
        if fitting := demands & bad.fitting_shared(diagram.ends[end]):
            raise bad.refuse(fitting)


def _check_deadlock(bad: BadProducts, diagram: _Diagram) -> None:
    """Collect, from the ends up, the cases in which all threads below can be stuck."""
    below = [(bad.cases.of_all(shared), 0) for shared in diagram.ends]
    for thread, nodes in reversed(list(zip(diagram.order, diagram.nodes, strict=True))):
        found = []
        for edges in diagram.patience.each(nodes):
            stuck = busy = 0
            for label, child in edges:
                stuck_here, busy_here = bad.stuck(thread, label)
                stuck_below, busy_below = below[child]
                stuck |= stuck_here & stuck_below
                busy |= busy_here & stuck_below | stuck_here & busy_below
            found.append((stuck, busy))
        below = found
    if below[diagram.root][1]:
        raise bad.refuse_deadlock(below[diagram.root][1])


class _Closure:
    """The demands on pairs of nodes, level by level."""

    def __init__(self, system: System, diagram: _Diagram) -> None:
        self._system = system
        self._diagram = diagram
        self._changes = _Changes(system)
        self._steps: dict[tuple[Labels[Any], int, int], list[tuple[Any, int]]] = {}
        self._demands: dict[Pair, int] = {}
        """For pairs of children of the level, the changes by which one must go to the other."""

    def check(self) -> None:
        for level in range(len(self._diagram.order)):
            demands, self._demands = self._demands, {}
            self._check_steps(level)
            self._check_demands(level, demands)
        ends = self._diagram.ends
        for (here, there), changes in self._demands.items():
            leading_out = changes & self._changes.leaving(ends[here])
            leading_out &= ~self._changes.entering(ends[there])
            if leading_out:
                raise self._not_closed(leading_out)

    def _check_steps(self, level: int) -> None:
        """The steps of the thread of a level, from each of its nodes; (a)."""
        diagram, labels = self._diagram, self._diagram.labels[level]
        below = diagram.below[level + 1]
        for edges in diagram.reached(level):
            for label, child in edges:
                for image, changes in self._steps_from(labels, label, below[child]):
                    targets = labels.targets(image, edges)
                    if targets is None:
                        raise self._step_leads_out(level, image, changes, edges)
                    self._demand(child, targets, changes)

    def _check_demands(self, level: int, demands: dict[Pair, int]) -> None:
        """What was demanded of pairs of nodes of a level; (b)."""
        diagram, labels = self._diagram, self._diagram.labels[level]
        nodes, below = diagram.nodes[level], diagram.below[level + 1]
        for (here, there), changes in diagram.patience.each(demands.items()):
            diagram.patience.spend(len(nodes[here]))
            for label, child in nodes[here]:
                leaving = changes & self._changes.leaving(below[child])
                if leaving:
                    targets = labels.targets(labels.whole(label), nodes[there])
                    if targets is None:
                        raise self._demand_fails(level, label, leaving, nodes[there])
                    self._demand(child, targets, leaving)

    def _demand(self, child: int, targets: list[int], changes: int) -> None:
        for target in targets:
            new = changes & ~self._changes.none if target == child else changes
            if new:
                self._demands[child, target] = self._demands.get((child, target), 0) | new

    def _steps_from(self, labels: Labels[Any], label: int, shared: int) -> list[tuple[Any, int]]:
        """The images of a label under the steps from some shared states, and their changes."""
        known = self._steps.get((labels, label, shared))
        if known is None:
            found: dict[Any, int] = {}
            for source in members(shared):
                for target, image in labels.moves(label, source):
                    found[image] = found.get(image, 0) | self._changes.bit(source, target)
            known = self._steps[labels, label, shared] = list(found.items())
        return known

    def _step_leads_out(self, level: int, image: Any, changes: int, edges: Node) -> EvidenceError:
        before, after = self._names(changes)
        return EvidenceError(
            f"the certificate is not closed: thread {self._thread(level)} can go from the shared "
            f"state {before} to {after} and the stack «{self._missing(level, image, edges)}», "
            "which it lacks there"
        )

    def _demand_fails(self, level: int, label: int, changes: int, edges: Node) -> EvidenceError:
        stack = self._missing(level, self._diagram.labels[level].whole(label), edges)
        return self._not_closed(changes, f" where thread {self._thread(level)} has «{stack}»")

    def _not_closed(self, changes: int, where: str = "") -> EvidenceError:
        before, after = self._names(changes)
        return EvidenceError(
            f"the certificate is not closed: a step from the shared state {before} to {after} "
            f"leads out of it{where}"
        )

    def _names(self, changes: int) -> tuple[str, str]:
        source, target = self._changes.pair(changes)
        return self._system.shared[source], self._system.shared[target]

    def _thread(self, level: int) -> str:
        return self._system.thread_names[self._diagram.order[level]]

    def _missing(self, level: int, image: Any, edges: Node) -> str:
        return self._diagram.labels[level].missing(image, [label for label, _ in edges])


class _Changes:
    """The ways in which a step can change the shared state, as sets: the bits of an integer."""

    def __init__(self, system: System) -> None:
        self._pairs = sorted({(rule.source, rule.target) for _, rule in system.rules()})
        self._numbers = {pair: number for number, pair in enumerate(self._pairs)}
        self._from: dict[int, int] = {}
        self._to: dict[int, int] = {}
        for number, (source, target) in enumerate(self._pairs):
            self._from[source] = self._from.get(source, 0) | 1 << number
            self._to[target] = self._to.get(target, 0) | 1 << number
        self.none = bits_of(
            number for number, (source, target) in enumerate(self._pairs) if source == target
        )
        """Those that change nothing."""
        self._leaving: dict[int, int] = {}

    def bit(self, source: int, target: int) -> int:
        return 1 << self._numbers[source, target]

    def pair(self, changes: int) -> Pair:
        """The first of some changes."""
        return self._pairs[next(members(changes))]

    def leaving(self, shared: int) -> int:
        """The changes from some shared states."""
        known = self._leaving.get(shared)
        if known is None:
            known = self._leaving[shared] = _joined(self._from, shared)
        return known

    def entering(self, shared: int) -> int:
        """The changes to some shared states."""
        return _joined(self._to, shared)


def _joined(changes: dict[int, int], shared: int) -> int:
    found = 0
    for state in members(shared):
        found |= changes.get(state, 0)
    return found
