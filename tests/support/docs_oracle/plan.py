"""Which threads there are: those from the start, those that are created, and those forked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from support.docs_oracle import tree
from support.docs_oracle.graph import Graph
from support.docs_oracle.meaning import UNFIT, Env, Values
from support.docs_oracle.nodes import END, Code, Node, followers, reachable
from support.docs_oracle.tree import Expr, Refused

MANY = 2


@dataclass
class Kind:
    """A kind of threads. `then` are the threads that Getafix's init starts."""

    name: str
    code: int
    forked: bool
    then: list[int] = field(default_factory=list)


@dataclass
class First:
    """A thread that is there from the start.

    It takes one of these arguments with a first step of its own, or is at its first statement at
    once if `arguments` is None.
    """

    kind: int
    arguments: list[Values] | None


class Plan:
    """The threads of a program."""

    def __init__(self, graph: Graph, counts: Mapping[str, int]) -> None:
        self.graph = graph
        self.kinds: list[Kind] = []
        self.first: list[First] = []
        self.made: dict[int, int] = {}  # the kind that a node creates or forks
        self.forked: dict[int, int] = {}  # the kind of forked threads, by procedure
        self.left = dict(counts)
        self.main = graph.find("main")
        self.plain = self.main_only_creates()
        self.refuse_mixed()
        if graph.program.getafix:
            self.getafix()
        else:
            self.usual()
        if self.left:
            raise Refused(f"there are no threads {', '.join(self.left)}")

    def refuse_mixed(self) -> None:
        """A procedure with results is not called and begun with; end_thread is not called."""
        called = {node.callee for node in self.graph.nodes if node.kind == "call"}
        begun = {node.callee for node in self.graph.nodes if node.kind == "create"}
        begun.add(self.main.number)
        if self.graph.program.getafix:
            begun |= {code.number for code in self.getafix_codes()} | {0}
        for number in called & begun:
            if self.graph.codes[number].results:
                raise Refused(f"{self.graph.codes[number].name} has results, is called and begun")
        for node in self.graph.nodes:
            if node.kind == "end_thread" and node.code in called:
                raise Refused(f"line {node.line}: end_thread in a procedure that is called")

    def main_only_creates(self) -> bool:
        """Whether main is no thread, because it only creates some."""
        body = self.main.procedure.body
        if any(node.callee == self.main.number for node in self.graph.nodes):
            return False
        numbers = not self.graph.program.begin_end
        return bool(body) and all(
            isinstance(statement, tree.Create)
            and all(numbers and label.isdigit() for label in statement.labels)
            and all(is_constant(self.graph, argument) for argument in statement.arguments)
            for statement in body
        )

    # Getafix

    def getafix_codes(self) -> list[Code]:
        """main, and every procedure whose name begins with thread."""
        return [
            code
            for code in self.graph.codes
            if code.name == "main" or code.name.startswith("thread")
        ]

    def getafix(self) -> None:
        """init first, then the others."""
        code = self.graph.codes[0]
        self.kinds.append(Kind(code.name, 0, False))
        self.first.append(self.begin(0))
        for other in self.getafix_codes():
            self.kinds[0].then.append(len(self.kinds))
            self.kinds.append(Kind(other.name, other.number, False))

    def begin(self, kind: int) -> First:
        """A thread that begins with a procedure; parameters have any values."""
        parameters = self.graph.codes[self.kinds[kind].code].procedure.parameters
        return First(kind, any_values(parameters) if parameters else None)

    # Braces, and the other conventions of begin/end

    def usual(self) -> None:
        """main, and what is created and forked."""
        if not self.plain:
            self.kinds.append(Kind("main", self.main.number, False))
            self.first.append(self.begin(0))
        creators = [node for node in self.graph.nodes if node.kind in ("create", "create_at")]
        creators.sort(key=lambda node: (node.line, -node.number))
        self.rename(creators)
        often = self.executions()
        single = [node for node in creators if often[node.number] < MANY and not self.passes(node)]
        names = self.names(single)
        for node in single:
            name = names[node.number]
            if name in self.left:
                node.count = self.left.pop(name)
            self.made[node.number] = len(self.kinds)
            self.kinds.append(Kind(name, node.callee, False))
        self.copies([node for node in creators if node.number not in self.made])
        for node in self.graph.nodes:
            if node.kind in ("create", "create_at", "fork") and node.number not in self.made:
                self.made[node.number] = self.fork_kind(node.callee)
        if self.plain:
            self.start_all()

    def passes(self, node: Node) -> bool:
        """Whether a creation, or one in the same statement, passes the identity of a thread: then
        all of them are forks."""
        return any(
            parameter.type.kind == "thread"
            for each in self.row(node)
            if each.kind == "create"
            for parameter in self.graph.codes[each.callee].procedure.parameters
        )

    def row(self, node: Node) -> list[Node]:
        """The creations that are one statement with this one."""
        nodes, kinds = self.graph.nodes, ("create", "create_at")
        found = [node]
        while found[-1].next != END and is_joined(nodes[found[-1].next]):
            found.append(nodes[found[-1].next])
        while is_joined(found[0]):
            before = [each for each in nodes if each.next == found[0].number and each.kind in kinds]
            found.insert(0, before[0])
        return found

    def rename(self, creators: list[Node]) -> None:
        """Counts must be known before one knows what is executed how often."""
        names = self.names(creators)
        for node in creators:
            if names[node.number] in self.left:
                node.count = self.left[names[node.number]]

    def fork_kind(self, code: int) -> int:
        """The kind of forked threads that run a procedure."""
        if code not in self.forked:
            self.forked[code] = len(self.kinds)
            self.kinds.append(Kind(self.graph.codes[code].name, code, True))
        return self.forked[code]

    def copies(self, repeated: list[Node]) -> None:
        """`start_thread goto L`, again and again, runs a procedure of its own."""
        todo = [node for node in repeated if node.kind == "create_at"]
        while todo:
            node = todo.pop()
            code = self.graph.codes[node.code]
            label = label_of(node)
            size = len(self.graph.nodes)
            copy = self.graph.copy(code, label)
            node.callee, node.goals = copy.number, [copy.labels[label]]
            todo += [made for made in self.graph.nodes[size:] if made.kind == "create_at"]

    def names(self, creators: list[Node]) -> dict[int, str]:
        """The names of thread types."""
        groups: dict[int, list[Node | None]] = {}
        if not self.plain:
            groups[self.main.number] = [None]
        for node in creators:
            groups.setdefault(node.callee, []).append(node)
        found: dict[int, str] = {}
        for callee, nodes in groups.items():
            name = self.graph.codes[callee].name
            shown = [text_of(node) for node in nodes]
            for place, maker in enumerate(nodes):
                if maker is None:
                    continue
                if len(nodes) == 1:
                    found[maker.number] = name
                elif shown[place] and shown.count(shown[place]) == 1:
                    found[maker.number] = f"{name}({shown[place]})"
                else:
                    found[maker.number] = f"{name}#{place + 1}"
        return found

    def executions(self) -> dict[int, int]:
        """How often each node may be executed: 0, 1 or MANY times."""
        nodes = self.graph.nodes
        often = dict.fromkeys(range(len(nodes)), 0)
        reach: dict[int, set[int]] = {}
        loops = {number for number in often if self.on_cycle(number)}
        while True:
            begins: dict[int, int] = {}
            if not self.graph.program.getafix:
                begins[self.main.entry] = 1
            for node in nodes:
                if node.kind in ("call", "create", "fork", "create_at"):
                    goal = node.goals[0] if node.kind == "create_at" else -1
                    entry = goal if goal >= 0 else self.graph.codes[node.callee].entry
                    begins[entry] = begins.get(entry, 0) + often[node.number] * node.count
            found = dict.fromkeys(often, 0)
            for entry, count in begins.items():
                if count:
                    for number in reach.setdefault(entry, reachable(nodes, entry)):
                        found[number] += MANY if number in loops else count
            found = {number: min(count, MANY) for number, count in found.items()}
            if found == often:
                return often
            often = found

    def on_cycle(self, number: int) -> bool:
        """Whether a path leads from a node back to it."""
        nodes = self.graph.nodes
        return any(
            number in reachable(nodes, follower)
            for follower in followers(nodes[number])
            if follower != END
        )

    def start_all(self) -> None:
        """The threads of a main that only creates."""
        nodes = [node for node in self.graph.nodes if node.code == self.main.number]
        for node in sorted(nodes, key=lambda node: (node.line, -node.number)):
            arguments = None
            if node.values:
                env: Env = ((), (), (), (), ())
                given = product(*[value(env) for value in node.values])
                arguments = [values for values in given if UNFIT not in values]
            self.first += [First(self.made[node.number], arguments)] * node.count


def is_joined(node: Node) -> bool:
    """Whether a creation is one statement with the one before it."""
    return node.kind in ("create", "create_at") and not node.place


def any_values(parameters: list[tree.Variable]) -> list[Values]:
    """Every tuple of arguments."""
    return list(product(*[parameter.type.values() for parameter in parameters]))


def is_constant(graph: Graph, expr: Expr) -> bool:
    """A constant or `*`."""
    match expr:
        case tree.Num() | tree.Truth() | tree.Star():
            return True
        case tree.Unary(_, operand):
            return isinstance(operand, tree.Num | tree.Truth)
        case tree.Name(name):
            return name in graph.constants
        case _:
            return False


def label_of(node: Node) -> str:
    """The label at which `start_thread goto` begins."""
    assert isinstance(node.statement, tree.CreateAt)
    return node.statement.goal


def text_of(node: Node | None) -> str:
    """The arguments of a creation, as text."""
    if node is None or not isinstance(node.statement, tree.Create):
        return ""
    return ", ".join(written(argument) for argument in node.statement.arguments)


def written(expr: Expr) -> str:
    """An expression as text, good enough to tell arguments apart."""
    match expr:
        case tree.Num(value):
            return str(value)
        case tree.Truth(value):
            return "true" if value else "false"
        case tree.Star():
            return "*"
        case tree.Name(name):
            return name
        case tree.Unary(op, operand):
            return op + written(operand)
        case _:
            return repr(expr)
