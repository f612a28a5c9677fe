"""Random files of PDAAAL, as docs/weighted.md describes them, and their least costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from support.docs_oracle.systems_pattern import Node
from support.docs_oracle.weigh_oracle import member_of, words

Stack = tuple[str, ...]
Place = tuple[str, Stack]
MOST = 900


@dataclass(frozen=True)
class Atom:
    """`[A, B]`, `[^A]` or `.` (not nothing), and what follows it: nothing, ?, + or *."""

    labels: tuple[str, ...]
    other: bool
    after: str

    def text(self) -> str:
        inside = ", ".join(self.labels)
        shown = "." if self.other and not self.labels else f"[{'^' * self.other}{inside}]"
        return shown + self.after

    def node(self, known: Iterable[str]) -> Node:
        chosen = [name for name in known if (name in self.labels) != self.other]
        node = Node("either", parts=tuple(Node("symbol", name) for name in chosen))
        return Node(self.after, parts=(node,)) if self.after else node


@dataclass(frozen=True)
class Part:
    """`< [p, q], ATOMS >`."""

    states: tuple[str, ...]
    atoms: tuple[Atom, ...]

    def text(self) -> str:
        states = self.states[0] if len(self.states) == 1 else f"[{', '.join(self.states)}]"
        return f"< {states}, {' '.join(atom.text() for atom in self.atoms)} >"


@dataclass
class Pdaaal:
    """The file, the options, and how it is to be understood."""

    text: dict[str, Any]
    starts: list[Part] = field(default_factory=list)
    targets: list[Part] = field(default_factory=list)
    features: set[str] = field(default_factory=set)

    @property
    def table(self) -> dict[str, Any]:
        found: dict[str, Any] = self.text["instance"][1]["states"]
        return found

    def labels(self) -> list[str]:
        """All that the file and the two sets name."""
        found = {label for rules in self.table.values() for label in rules}
        for _, operation in self.operations():
            found |= {operation.get("push", ""), operation.get("swap", "")}
        for at, parts in ((2, self.starts), (3, self.targets)):
            if parts:
                found |= {name for part in parts for atom in part.atoms for name in atom.labels}
            else:
                found |= {label for _, label, _ in self.text["instance"][at]["edges"]}
        return sorted(found - {"", "*"})

    def operations(self) -> list[tuple[tuple[str, str], dict[str, Any]]]:
        found = []
        for state, rules in self.table.items():
            for label, several in rules.items():
                for each in several if isinstance(several, list) else [several]:
                    found.append(((state, label), each))
        return found

    def has(self, at: int, parts: list[Part], place: Place) -> bool:
        if not parts:
            automaton = self.text["instance"][at]
            described = {"transitions": automaton["edges"], "accepting": automaton["accepting"]}
            return member_of(described)(*place)
        known = self.labels()
        return any(
            place[0] in part.states
            and Node("row", parts=tuple(atom.node(known) for atom in part.atoms)).matches(place[1])
            for part in parts
        )

    def steps(self, place: Place) -> list[tuple[int, Place]]:
        """The cost of each step, and where it leads."""
        state, stack = place
        found = []
        for (source, label), each in self.operations():
            if not stack or source != state or label not in ("*", stack[0]):
                continue
            if "pop" in each:
                word = stack[1:]
            elif "push" in each:
                word = (each["push"], *stack)
            else:
                word = (stack[0] if each["swap"] == "*" else each["swap"], *stack[1:])
            found.append((each.get("weight", 0), (each["to"], word)))
        return found


@dataclass
class Least:
    """The least cost of the runs that were looked at, whether there is an endless gain."""

    cost: int | None
    endless: bool
    exact: bool


def least(file: Pdaaal) -> Least:
    """By Bellman and Ford over the configurations."""
    known = file.labels()
    places = [(state, word) for word in words(known, 5) for state in file.table]
    starts = [place for place in places if file.has(2, file.starts, place)]
    exact = all(len(stack) < 4 for _, stack in starts)
    starts = [place for place in starts if len(place[1]) < 4]
    edges: dict[Place, list[tuple[int, Place]]] = {}
    queue = list(starts)
    for place in queue:
        if place in edges:
            continue
        edges[place] = [step for step in file.steps(place) if len(step[1][1]) <= 9]
        exact = exact and len(edges[place]) == len(file.steps(place))
        queue += [there for _, there in edges[place] if there not in edges]
        if len(edges) > MOST:
            exact = False
            break
    ends = {place for place in edges if file.has(3, file.targets, place)}
    useful = set(ends)
    while True:
        more = {place for place in edges if any(there in useful for _, there in edges[place])}
        if more <= useful:
            break
        useful |= more
    costs = dict.fromkeys((place for place in starts if place in useful), 0)
    changed = True
    for _ in range(len(useful) + 1):
        changed = False
        for place in [each for each in edges if each in costs]:
            for cost, there in edges[place]:
                if there in useful and costs[place] + cost < costs.get(there, 10**9):
                    costs[there] = costs[place] + cost
                    changed = True
        if not changed:
            break
    return Least(min((costs[end] for end in ends if end in costs), default=None), changed, exact)


# --- random files --------------------------------------------------------------------------------


def _operation(rng: Random, label: str, labels: list[str], states: list[str]) -> dict[str, Any]:
    kind = rng.choice(("pop", "swap", "swap", "push"))
    value = "" if kind == "pop" else rng.choice(labels)
    if label == "*" and kind == "swap" and rng.random() < 0.6:
        value = "*"
    return {"to": rng.choice(states), kind: value}


def _automaton(rng: Random, states: list[str], labels: list[str]) -> dict[str, Any]:
    edges = []
    for _ in range(rng.choice((1, 2, 3, 4))):
        source: Any = rng.choice((*states, 7, 8))
        edges.append([source, rng.choice(labels), rng.choice((7, 8, 9))])
    accepting: list[Any] = [rng.choice((7, 8, 9))]
    if rng.random() < 0.3:
        accepting.append(rng.choice(states))
    for node in (7, 8, 9):  # a node to which no edge leads is refused; the documentation is silent
        named = node in accepting or any(edge[0] == node for edge in edges)
        if named and not any(edge[2] == node for edge in edges):
            edges.append([rng.choice(states), rng.choice(labels), node])
    return {"accepting": accepting, "edges": edges}


def _part(rng: Random, states: list[str], labels: list[str]) -> Part:
    atoms = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        chosen = tuple(rng.sample(labels, rng.randint(1, len(labels))))
        kind = rng.choice(("these", "these", "others", "any"))
        after = rng.choice(("", "", "?", "+", "*"))
        atoms.append(Atom(() if kind == "any" else chosen, kind != "these", after))
    return Part(tuple(rng.sample(states, rng.choice((1, 1, 2)))), tuple(atoms))


def random_pdaaal(seed: int) -> Pdaaal:
    """A random instance, with sets of its own or as options."""
    rng = Random(seed)
    states, labels = ["p0", "p1", "p2"], ["A", "B"]
    negative = rng.random() < 0.4
    table: dict[str, dict[str, Any]] = {state: {} for state in states}
    for _ in range(rng.choice((2, 3, 4, 5, 6, 7))):
        label = rng.choice((*labels * 3, "*"))
        operation = _operation(rng, label, labels, states)
        operation["weight"] = rng.choice((0, 1, 2, 3, *((-1, -2) if negative else ())))
        rules = table[rng.choice(states)]
        if label not in rules:
            rules[label] = operation
        elif isinstance(rules[label], list):
            rules[label].append(operation)
        else:
            rules[label] = [rules[label], operation]
    kind = {"state-names": True, "weight-type": "int" if negative else "uint"}
    sets = [_automaton(rng, states, labels) for _ in range(2)]
    file = Pdaaal({"instance": [kind, {"states": table}, *sets]})
    file.features.add("PDAAAL negative" if negative else "PDAAAL")
    if rng.random() < 0.4:
        file.starts = [_part(rng, states, labels) for _ in range(rng.choice((1, 1, 2)))]
        file.features.add("PDAAAL --from")
    if rng.random() < 0.4:
        file.targets = [_part(rng, states, labels) for _ in range(rng.choice((1, 1, 2)))]
        file.features.add("PDAAAL --to")
    return file
