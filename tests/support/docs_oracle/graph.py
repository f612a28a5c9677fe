"""From the tree to a graph: every statement is a node, and says which node comes next."""

from __future__ import annotations

from support.docs_oracle import tree
from support.docs_oracle.meaning import (
    INT,
    THREAD,
    Evaluate,
    Layout,
    Scope,
    constantly,
    constants,
    starts,
)
from support.docs_oracle.nodes import (
    END,
    Code,
    Node,
    Target,
    chooses,
    followers,
    has_label,
    inner,
    mark_sections,
    reachable,
)
from support.docs_oracle.tree import Expr, Procedure, Program, Refused, Statement


class Graph:
    """The nodes and procedures of a whole program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes: list[Node] = []
        self.codes: list[Code] = []
        self.constants = constants(program)
        self.shared = Layout()
        self.groups = 0
        for variable in program.variables:
            if variable.name in self.constants:
                raise Refused(f"{variable.name} is there twice")
            self.shared.add(variable)
        scope = Scope(self.constants, self.shared, Layout())
        check_initial(scope, program.variables)
        self.starts = starts(scope, program.variables, "atomic" if program.getafix else "")
        names = [procedure.name for procedure in program.procedures]
        if len(set(names)) < len(names):
            raise Refused("a procedure is there twice")
        for procedure in program.procedures:
            self.declare(procedure, procedure.name)
        for code in self.codes:
            Translator(self, code).translate()

    def declare(self, procedure: Procedure, name: str) -> Code:
        """A procedure with its variables, and nothing of its body."""
        layout = Layout()
        for variable in procedure.parameters + procedure.variables:
            layout.add(variable)
        scope = Scope(self.constants, self.shared, layout)
        check_initial(scope, procedure.variables)
        first = starts(scope, procedure.variables)
        code = Code(len(self.codes), name, procedure, layout, scope, first)
        self.codes.append(code)
        return code

    def copy(self, code: Code, label: str) -> Code:
        """The procedure of threads that start at a label again and again."""
        name = f"{code.procedure.name}@{label}"
        for known in self.codes:
            if known.name == name:
                return known
        made = self.declare(code.procedure, name)
        Translator(self, made).translate()
        made.entry = made.labels[label]
        return made

    def find(self, name: str) -> Code:
        """The procedure of this name."""
        for code in self.codes:
            if code.name == name:
                return code
        raise Refused(f"there is no procedure {name}")


def check_initial(scope: Scope, variables: list[tree.Variable]) -> None:
    """Initial values are constants."""
    for variable in variables:
        first = variable.initial
        if isinstance(first, tree.Name) and not scope.is_constant(first.name):
            raise Refused(f"{first.name} is no constant")


class Translator:
    """Translates one procedure."""

    def __init__(self, graph: Graph, code: Code) -> None:
        self.graph = graph
        self.code = code
        self.scope = code.scope
        self.gotos: list[tuple[Node, list[str], int]] = []
        self.sections: dict[str, int] = {}  # the atomic block in which a label stands
        self.outer: dict[int, int] = {0: 0}  # the block around an atomic block
        self.leaving: list[tuple[int, int | None]] = []  # where break and continue lead

    def translate(self) -> None:
        """Fill in the nodes."""
        procedure, code = self.code.procedure, self.code
        if procedure.enforce is not None:
            code.enforce = self.scope.condition(procedure.enforce)
        code.entry = self.block(procedure.body, self.end(), 0, 0)
        if code.entry == END:
            code.entry = self.node("empty", None, place=False).number
        for node, goals, section in self.gotos:
            for goal in goals:
                if goal not in code.labels:
                    raise Refused(f"there is no label {goal}")
                around = section
                while around not in (0, self.sections[goal]):
                    around = self.outer[around]
                if around != self.sections[goal]:
                    raise Refused(f"goto {goal} leads into an atomic block")
                node.goals.append(code.labels[goal])
        if self.graph.program.begin_end:
            mark_sections(self.graph.nodes, code.entry)
        elif procedure.results:
            self.refuse_end()

    def end(self) -> int:
        """What happens at the end: Getafix's init starts threads, and results are any values."""
        program, code = self.graph.program, self.code
        if program.getafix and code.number == 0:
            node = self.node("start_all", None)
        elif program.begin_end and code.results:
            node = self.node("return", None, place=False)
            node.values = [constantly(kind.values()) for kind in code.results]
        else:
            return END
        node.line = code.procedure.end
        code.last = node.number
        return node.number

    def refuse_end(self) -> None:
        """In braces, a procedure with results does not just end."""
        for number in reachable(self.graph.nodes, self.code.entry):
            node = self.graph.nodes[number]
            if node.kind == "empty" or END in followers(node):
                raise Refused(f"{self.code.name} ends without a result")

    def node(self, kind: str, statement: Statement | None, place: bool = True) -> Node:
        """A new node."""
        made = Node(len(self.graph.nodes), self.code.number, kind, place=place)
        if statement is not None:
            made.line, made.labels, made.statement = statement.line, statement.labels, statement
            if not place:
                made.labels = ()
        self.graph.nodes.append(made)
        return made

    def fresh(self) -> int:
        """A new group."""
        self.graph.groups += 1
        return self.graph.groups

    def block(self, body: list[Statement], after: int, group: int, section: int) -> int:
        """The first node of a block; `after` comes behind it."""
        groups: list[tuple[int, bool]] = []
        row = False  # whether the last statement creates threads
        line = 0
        for statement in body:
            creates = isinstance(statement, tree.Create | tree.CreateAt)
            if statement.labels:
                number = any(label.isdigit() for label in statement.labels)
                group = self.fresh() if number and not self.graph.program.begin_end else 0
            here = group
            row = row and creates and not statement.labels
            if row:
                statement.line = line  # They are one statement, on the line of the first.
            line = statement.line
            if creates and not group:
                here = groups[-1][0] if row else self.fresh()
            groups.append((here, row))
            row = creates
            if has_label(inner(statement)):  # the docs say so of `if` only
                group = 0
        for statement, (own, joined) in zip(reversed(body), reversed(groups), strict=True):
            after = self.labelled(statement, after, own, section)
            if joined:  # one statement with the creation before it
                self.graph.nodes[after].place = False
        return after

    def labelled(self, statement: Statement, after: int, group: int, section: int) -> int:
        """The first node of a statement."""
        node = self.statement(statement, after, group, section)
        if isinstance(statement, tree.Do) and not statement.labels and statement.body:
            return node.number  # It is no step.
        node.group = group
        tests = isinstance(statement, tree.While) or (
            isinstance(statement, tree.For) and statement.first is None
        )
        node.stop = bool(statement.labels) or tests
        node.inside = section != 0
        for label in statement.labels:
            if label in self.code.labels:
                raise Refused(f"the label {label} is there twice")
            self.code.labels[label] = node.number
            self.sections[label] = section
        return node.number

    def statement(self, statement: Statement, after: int, group: int, section: int) -> Node:
        """The first node of a statement, without its labels."""
        match statement:
            case tree.If(condition, then, other):
                node = self.node("if", statement)
                node.condition = self.scope.condition(condition)
                node.goals = [
                    self.block(then, after, group, section),
                    self.block(other, after, group, section),
                ]
                return node
            case tree.While(condition, body):
                node = self.node("if", statement)
                node.condition = self.scope.condition(condition)
                self.leaving.append((after, node.number))
                node.goals = [self.block(body, node.number, group, section), after]
                self.leaving.pop()
                return node
            case tree.Do() | tree.For():
                return self.loop(statement, after, group, section)
            case tree.Switch():
                return self.switch(statement, after, group, section)
            case tree.Break() | tree.Continue():
                node = self.node("goto", statement)
                node.goals = [self.left(statement)]
                return node
            case tree.Atomic(body):
                return self.atomic(statement, body, after, group, section)
            case tree.Call():
                return self.call(statement, after, group, section)
            case tree.Goto(goals):
                node = self.node("goto", statement)
                self.gotos.append((node, goals, section))
                return node
            case _:
                node = self.simple(statement)
                node.next = after
                return node

    def loop(self, statement: tree.Do | tree.For, after: int, group: int, section: int) -> Node:
        """A loop with a test of its own; a step ends before the test."""
        test = self.node("if", statement)
        test.group, test.stop, test.inside = group, True, section != 0
        condition = statement.condition
        test.condition = constantly((1,)) if condition is None else self.scope.condition(condition)
        if isinstance(statement, tree.Do):
            test.line, test.labels = statement.test, ()
            self.leaving.append((after, test.number))
            begin = self.block(statement.body, test.number, group, section)
            self.leaving.pop()
            test.goals = [begin, after]
            if not statement.labels and statement.body:
                return self.graph.nodes[begin]
            head = self.node("skip", statement)
            head.next = begin
            return head
        again = test
        if statement.update is not None:
            again = self.part(statement.update, test.number, group, section)
        self.leaving.append((after, again.number))
        test.goals = [self.block(statement.body, again.number, group, section), after]
        self.leaving.pop()
        if statement.first is None:
            return test
        test.labels = ()
        first = self.part(statement.first, test.number, group, section)
        first.labels = statement.labels
        return first

    def part(self, assignment: tree.Assign, after: int, group: int, section: int) -> Node:
        """An assignment in the head of `for`."""
        node = self.assign(assignment)
        node.next, node.group, node.inside = after, group, section != 0
        return node

    def switch(self, statement: tree.Switch, after: int, group: int, section: int) -> Node:
        """A jump to one of its cases, which fall through into the next one."""
        node = self.node("switch", statement)
        subject = statement.subject
        kind = self.scope.kind(subject)
        kind = INT if kind.name == "number" else kind
        if kind == THREAD or chooses(subject):
            raise Refused("a switch looks at one value")
        node.condition = self.scope.evaluate(subject)
        self.leaving.append((after, self.leaving[-1][1] if self.leaving else None))
        following = after
        node.goals = [after]
        for values, body in reversed(statement.cases):
            following = self.block(body, following, group, section)
            for value in values:
                if value is None:
                    node.goals[0] = following
                    continue
                self.scope.need(kind, value, False)
                number = self.scope.evaluate(value)(((), (), (), (), ()))[0]
                if number in node.cases:
                    raise Refused(f"the case {number} is there twice")
                node.cases[number] = following
        if sum(None in values for values, _ in statement.cases) > 1 or any(
            values.count(None) > 1 for values, _ in statement.cases
        ):
            raise Refused("the default is there twice")
        self.leaving.pop()
        return node

    def left(self, statement: Statement) -> int:
        """Where break or continue leads."""
        if not self.leaving:
            raise Refused("there is no loop around it")
        after, again = self.leaving[-1]
        if isinstance(statement, tree.Break):
            return after
        if again is None:
            raise Refused("there is no loop around it")
        return again

    def atomic(
        self, statement: Statement, body: list[Statement], after: int, group: int, section: int
    ) -> Node:
        """An atomic block: a node before it, its inside, and a node that closes it."""
        node = self.node("atomic", statement)
        close = self.node("close", None, place=False)
        close.next, close.group, close.inside = after, group, True
        self.outer[node.number + 1] = section
        node.next = self.block(body, close.number, 0, node.number + 1)
        if section:
            node.inside = True
        return node

    def call(self, call: tree.Call, after: int, group: int, section: int) -> Node:
        """A call, and the nodes that take and assign its results."""
        node = self.node("call", call)
        callee = self.graph.find(call.procedure)
        node.callee, node.next = callee.number, after
        node.values = self.arguments(callee.procedure, call.arguments)
        if call.targets is not None and len(call.targets) != len(callee.results):
            raise Refused(f"{call.procedure} has {len(callee.results)} results")
        if not callee.results:
            return node
        take = self.node("receive", None, place=False)
        take.line = call.line
        take.group, take.inside, take.next = group, section != 0, after
        take.targets = self.results(callee, call.targets or [None] * len(callee.results))
        node.next = take.number
        taken = [
            target for target in zip(call.targets or [], take.targets, strict=False) if target[1]
        ]
        take.twice = any(
            (isinstance(expr, tree.Element) and not self.is_inside(expr))
            or (target is not None and target.type.mode == "block")
            or self.code.procedure.enforce is not None
            for expr, target in taken
        )
        if take.twice:
            store = self.node("store", None, place=False)
            store.line, store.group, store.inside = call.line, group, section != 0
            store.targets, store.next, take.next = take.targets, after, store.number
        return node

    def is_inside(self, element: tree.Element) -> bool:
        """Whether the index of an element need not be checked: it is a number, or a variable whose
        range is inside the array."""
        length = self.scope.find(element.name)[2].length or 0
        match element.index:
            case tree.Num(value):
                return value < length
            case tree.Name(name) if not self.scope.is_constant(name):
                kind = self.scope.find(name)[2].type
                return kind.low >= 0 and kind.high < length
        return False

    def results(self, callee: Code, targets: list[Expr | None]) -> list[Target | None]:
        """The variables that get the results of a call."""
        found: list[Target | None] = []
        for target, kind in zip(targets, callee.results, strict=True):
            if target is None:
                found.append(None)
                continue
            made = Target(*self.scope.addresses(target))
            if (made.type.kind, made.type.members) != (kind.kind, kind.members):
                raise Refused(f"a result of {callee.name} has another type")
            found.append(made)
        return found

    def arguments(self, callee: Procedure, given: list[Expr]) -> list[Evaluate]:
        """What is passed to a procedure."""
        if len(given) != len(callee.parameters):
            raise Refused(f"{callee.name} has {len(callee.parameters)} parameters")
        return [
            self.scope.stored(expr, parameter.type)
            for expr, parameter in zip(given, callee.parameters, strict=True)
        ]

    def simple(self, statement: Statement) -> Node:
        """A statement without other statements in it."""
        match statement:
            case tree.Skip():
                return self.node("skip", statement)
            case tree.Assign():
                return self.assign(statement)
            case tree.Assert(condition) | tree.Assume(condition):
                node = self.node(type(statement).__name__.lower(), statement)
                node.condition = self.scope.condition(condition)
                return node
            case tree.Return(values):
                node = self.node("return", statement)
                results = self.code.results
                if len(values) != len(results):
                    raise Refused(f"{self.code.name} returns {len(results)} values")
                node.values = [
                    self.scope.stored(value, kind)
                    for value, kind in zip(values, results, strict=True)
                ]
                return node
            case tree.AtomicBegin():
                return self.node("atomic", statement)
            case tree.AtomicEnd():
                return self.node("close", statement)
            case tree.EndThread():
                return self.node("end_thread", statement)
            case _:
                return self.thread_statement(statement)

    def assign(self, statement: tree.Assign) -> Node:
        """An assignment of all values at once."""
        node = self.node("assign", statement)
        for target, value in zip(statement.targets, statement.values, strict=True):
            made = Target(*self.scope.addresses(target))
            node.targets.append(made)
            node.values.append(self.scope.stored(value, made.type))
        if statement.constrain is not None:
            node.condition = self.scope.condition(statement.constrain, primes=True)
        return node

    def thread_statement(self, statement: Statement) -> Node:
        """What creates threads and waits for them."""
        match statement:
            case tree.Create(procedure, arguments, count):
                node = self.node("create", statement)
                node.callee, node.count = self.graph.find(procedure).number, count
                node.values = self.arguments(self.graph.codes[node.callee].procedure, arguments)
            case tree.CreateAt(goal):
                node = self.node("create_at", statement)
                node.callee = self.code.number
                self.gotos.append((node, [goal], 0))
            case tree.Fork(target, procedure, arguments):
                node = self.node("fork", statement)
                node.callee = self.graph.find(procedure).number
                node.values = self.arguments(self.graph.codes[node.callee].procedure, arguments)
                if target is not None:
                    node.targets = [self.thread_variable(target)]
            case tree.Join(name):
                node = self.node("join", statement)
                self.thread_variable(name)
                node.values = [self.scope.evaluate(tree.Name(name))]
            case _:
                raise AssertionError(statement)
        return node

    def thread_variable(self, name: str) -> Target:
        """A variable that names threads."""
        target = Target(*self.scope.addresses(tree.Name(name)))
        if target.type.kind != "thread":
            raise Refused(f"{name} names no thread")
        return target
