"""The nodes of a graph: what a statement is, and the paths between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from support.docs_oracle import tree
from support.docs_oracle.meaning import Address, Env, Evaluate, Layout, Scope, Values
from support.docs_oracle.tree import Expr, Procedure, Refused, Statement, Type

END = -1
"""In place of a node: the end of the procedure, where nothing is left to do."""


@dataclass
class Target:
    """Where a value goes; the type says what is stored."""

    type: Type
    addresses: Callable[[Env], list[Address]]


@dataclass
class Node:
    """One statement, or a part of one.

    A thread can be at a node that is a place. A step goes on from one node to the next inside an
    atomic section, and within a group, up to a node that stops it.
    """

    number: int
    code: int
    kind: str
    line: int = 0
    labels: tuple[str, ...] = ()
    place: bool = True
    next: int = END
    goals: list[int] = field(default_factory=list)
    group: int = 0
    stop: bool = False
    inside: bool = False
    condition: Evaluate | None = None
    values: list[Evaluate] = field(default_factory=list)
    targets: list[Target | None] = field(default_factory=list)
    callee: int = -1
    count: int = 1
    twice: bool = False  # a result is taken with one step, and assigned with another
    statement: Statement | None = None
    cases: dict[int, int] = field(default_factory=dict)  # where each value of a switch leads


@dataclass
class Code:
    """A procedure that was translated."""

    number: int
    name: str
    procedure: Procedure
    layout: Layout
    scope: Scope
    starts: list[Values]
    entry: int = END
    last: int = END
    labels: dict[str, int] = field(default_factory=dict)
    enforce: Evaluate | None = None

    @property
    def results(self) -> list[Type]:
        """The types of the results."""
        return self.procedure.results

    def thread_slots(self) -> list[int]:
        """Which local variables name threads."""
        return [i for i, v in enumerate(self.layout.slots) if v.type.kind == "thread"]


def inner(statement: Statement) -> list[Statement]:
    """The statements directly inside of a statement."""
    if isinstance(statement, tree.If):
        return statement.then + statement.other
    if isinstance(statement, tree.Switch):
        return [each for _, body in statement.cases for each in body]
    loops = tree.While | tree.Do | tree.For | tree.Atomic
    return statement.body if isinstance(statement, loops) else []


def chooses(expr: Expr) -> bool:
    """Whether `*` or schoose stands in an expression."""
    match expr:
        case tree.Star() | tree.Schoose():
            return True
        case tree.Unary(_, operand) | tree.Element(_, operand):
            return chooses(operand)
        case tree.Binary(_, left, right):
            return chooses(left) or chooses(right)
        case tree.Choice(test, yes, no):
            return any(map(chooses, (test, yes, no)))
    return False


def has_label(body: list[Statement]) -> bool:
    """Whether a label stands somewhere in these statements."""
    return any(statement.labels or has_label(inner(statement)) for statement in body)


def followers(node: Node) -> list[int]:
    """The nodes, or END, that can come behind this one in its procedure."""
    if node.kind in ("return", "end_thread", "empty"):
        return []
    if node.kind in ("if", "goto", "switch"):
        return [*node.goals, *node.cases.values()]
    return [node.next]


def reachable(nodes: list[Node], entry: int) -> set[int]:
    """The nodes that some path in the procedure comes to."""
    found, todo = {entry}, [entry]
    while todo:
        for follower in followers(nodes[todo.pop()]):
            if follower != END and follower not in found:
                found.add(follower)
                todo.append(follower)
    return found


def mark_sections(nodes: list[Node], entry: int) -> None:
    """Find out what is between atomic_begin and atomic_end, on every path."""
    inside: dict[int, bool] = {}
    code = nodes[entry].code
    goals = [goal for node in nodes if node.kind == "create_at" for goal in node.goals]
    todo = [(entry, False)] + [(goal, False) for goal in goals if nodes[goal].code == code]
    while todo:
        number, now = todo.pop()
        node = nodes[number]
        if number in inside:
            if inside[number] != now:
                raise Refused(f"line {node.line} is inside an atomic section and outside")
            continue
        inside[number] = node.inside = now
        if node.kind == "atomic" and now:
            raise Refused(f"line {node.line}: an atomic section in another one")
        if node.kind == "close" and not now:
            raise Refused(f"line {node.line}: atomic_end outside of an atomic section")
        later = (now or node.kind == "atomic") and node.kind != "close"
        if node.kind == "return" and now:
            raise Refused(f"line {node.line}: return inside an atomic section")
        for follower in followers(node):
            if follower != END:
                todo.append((follower, later))
            elif later:
                raise Refused(f"line {node.line}: the atomic section is not closed")
