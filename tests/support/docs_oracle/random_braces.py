"""Small random programs in braces, with every feature that the docs list."""

from __future__ import annotations

from dataclasses import dataclass, field

from support.docs_oracle.random_expressions import BOOL, THREAD, Expressions, Type, Variable


@dataclass
class Procedure:
    """What callers know of a procedure, and how it is used."""

    name: str
    params: list[Variable]
    results: list[Type]
    called: bool = False
    begun: bool = False


@dataclass
class Node:
    """A statement; `head` has no labels."""

    head: str
    kind: str = "simple"
    labels: list[str] = field(default_factory=list)
    body: list[Node] = field(default_factory=list)
    other: list[Node] | None = None
    bare: bool = False
    tail: str = ""  # behind the body of `do`
    cases: list[tuple[str, list[Node]]] = field(default_factory=list)


class Maker(Expressions):
    """One random program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.procedures: list[Procedure] = []
        self.here = 0
        self.depth_atomic = 0
        self.budget = 0
        self.creations = 0
        chance = self.chance
        self.use_array = chance(0.35)
        self.use_atomic = chance(0.4)
        self.use_numbers = chance(0.2)
        self.use_goto = chance(0.35)
        self.use_constrain = chance(0.2)
        self.use_recursion = chance(0.2)
        self.use_results = chance(0.45)
        self.style = self.rng.choices(
            ["static", "thread", "fork", "inner", "alone"], [45, 20, 22, 8, 5]
        )[0]
        self.use_fork = self.style == "fork"
        self.use_self = self.style in ("static", "thread") and chance(0.15)
        self.use_loops = chance(0.4)
        self.loops: list[str] = []  # the loops and switches around a statement

    # declarations

    def declare(self, into: list[Variable], prefix: str) -> str:
        """A declaration of one or several variables."""
        if self.use_fork and self.chance(0.35):
            count = self.rng.choice((1, 1, 2))
            made = [Variable(self.name("t"), THREAD) for _ in range(count)]
            into.extend(made)
            if count == 1 and self.chance(0.4):
                return f"decl {made[0].name}: thread;"
            return f"thread {', '.join(one.name for one in made)};"
        kind = self.random_type(enums=True)
        volatile = "volatile " if prefix == "x" and self.chance(0.1) else ""
        if kind is BOOL and self.chance(0.3):
            made = [Variable(self.name(prefix), BOOL) for _ in range(2)]
            into.extend(made)
            names = ", ".join(one.name + self.initial(BOOL) for one in made)
            return f"decl {volatile}{names};"
        size = self.rng.choice((1, 2, 2, 2, 3)) if self.use_array and self.chance(0.55) else 0
        one = Variable(self.name(prefix), kind, size)
        into.append(one)
        text = kind.text()
        if size:
            spaced = kind.kind == "int" and not kind.machine
            text = f": {text} [{size}]" if spaced else f": {text}[{size}]"
        elif kind is BOOL and self.chance(0.7):
            text = ""
        else:
            text = f": {text}"
        return f"decl {volatile}{one.name}{text}{self.initial(kind)};"

    # statements

    def target(self, kinds: tuple[str, ...] = ("bool", "int", "enum")) -> Variable | None:
        """Something to assign to."""
        pool = [one for kind in kinds for one in self.variables(kind)]
        return self.rng.choice(pool) if pool else None

    def assignment(self) -> str:
        """An assignment, perhaps of several values, perhaps constrained."""
        count = 2 if self.chance(0.2) else 1
        ones = [one for _ in range(count) if (one := self.target()) is not None]
        if not ones:
            return "skip;"
        left = ", ".join(self.read(one) for one in ones)
        if count == 1 and ones[0].type.kind == "int" and self.use_operators and self.chance(0.4):
            return self.compound(ones[0]) + ";"
        if self.use_constrain and self.chance(0.5):
            right = ", ".join(
                "*" if self.chance(0.7) and not one.type.machine else self.value(one.type)
                for one in ones
            )
            return f"{left} := {right} constrain {self.primed(ones)};"
        return f"{left} := {', '.join(self.value(one.type) for one in ones)};"

    def compound(self, one: Variable) -> str:
        """x += e and so on."""
        place = self.read(one)
        if self.chance(0.5):
            sign = self.rng.choice(("++", "--"))
            return f"{place}{sign}" if self.chance(0.6) else f"{sign}{place}"
        sign = self.rng.choice(("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"))
        if sign in ("<<", ">>", "/", "%") and not self.use_outside:
            return f"{place} {sign}= {self.rng.choice('12')}"
        return f"{place} {sign}= {self.integer(1)}"

    def primed(self, ones: list[Variable]) -> str:
        """A condition about values after the step."""
        plain = [one for one in ones if not one.size] or [
            one for one in self.globals if not one.size and one.type.kind != "thread"
        ]
        if not plain:
            return self.factor(1)
        one = self.rng.choice(plain)
        if one.type is BOOL:
            return self.rng.choice(
                (f"'{one.name}", f"'{one.name} = {self.factor(0)}", f"'{one.name} != {one.name}")
            )
        operator = self.rng.choice(("=", "!="))
        right = self.rng.choice((one.name, self.constant(one.type)))
        return f"'{one.name} {operator} {right}"

    def arguments(self, procedure: Procedure, constants: bool = False) -> str:
        """What a call passes."""
        if constants:
            return ", ".join(
                "*"
                if self.chance(0.12) and not one.type.machine
                else str(one.type.high + 1)
                if one.type.kind == "int" and self.chance(0.12)
                else self.constant(one.type)
                for one in procedure.params
            )
        return ", ".join(self.value(one.type) for one in procedure.params)

    def passable(self, procedure: Procedure) -> bool:
        """Whether there is a variable for every parameter that names a thread."""
        wanted = any(one.type is THREAD for one in procedure.params)
        return not wanted or bool(self.variables("thread"))

    def call(self) -> str | None:
        """A call of another procedure, or of this one."""
        last = len(self.procedures)
        first = self.here if self.use_recursion and self.here < last else self.here + 1
        pool = [
            one
            for one in self.procedures[first:]
            if self.passable(one) and not (one.begun and one.results)
        ]
        if not pool:
            return None
        one = self.rng.choice(pool)
        one.called = True
        text = f"{one.name}({self.arguments(one)});"
        if not one.results:
            return text
        targets = []
        for kind in one.results:
            same = [
                other
                for other in self.variables(kind.kind)
                if kind.kind != "enum" or other.type == kind
            ]
            targets.append(
                "_" if not same or self.chance(0.15) else self.read(self.rng.choice(same))
            )
        return f"{', '.join(targets)} := {text}"

    def create(self) -> str | None:
        """A fork or a creation of a thread."""
        pool = [one for one in self.procedures if self.passable(one)]
        names = [one.name for one in self.variables("thread")]
        self.creations += 1
        if self.use_fork and self.chance(0.75):
            one = self.rng.choice(pool)
            text = f"async {one.name}({self.arguments(one)});"
            if names and self.chance(0.75):
                return f"{self.rng.choice(names)} := {text}"
            return text
        pool = [one for one in pool if not (one.called and one.results)]
        if not pool:
            return None
        one = self.rng.choice(pool)
        one.begun = True
        count = ", 2" if self.chance(0.12) else ""
        if one.params:
            return f"thread_create({one.name}({self.arguments(one)}){count});"
        return f"thread_create({one.name}{count});"

    def threading(self) -> Node | None:
        """A statement about threads, now and then."""
        names = [one.name for one in self.variables("thread")]
        if self.use_fork and names and self.chance(0.2):
            if self.chance(0.75):
                return Node(f"join({self.rng.choice(names)});")
            if self.chance(0.3):
                pair = [self.rng.choice(names) for _ in range(4)]
                return Node(f"{pair[0]}, {pair[1]} := {pair[2]}, {pair[3]};")
            return Node(f"{self.rng.choice(names)} := {self.rng.choice(names)};")
        wanted = 0.0
        if self.use_fork and self.creations < 3:
            wanted = 0.25 if self.here < 0 else 0.06
        elif self.style == "inner" and self.creations < 2:
            wanted = 0.2
        text = self.create() if self.chance(wanted) else None
        return Node(text) if text else None

    def simple(self) -> Node:
        """A statement without others in it."""
        draw = self.rng.random()
        node = self.threading()
        if node is not None:
            return node
        if self.loops and self.chance(0.2):
            leaves = ["break;"] if "loop" not in self.loops else ["break;", "continue;"]
            return Node(self.rng.choice(leaves))
        if self.use_self and self.chance(0.2):
            names = [one.name for one in self.variables("thread")]
            value = self.rng.choice([*names, "thread_self()", "thread_self()"])
            return Node(f"{self.rng.choice(names)} := {value};")
        if draw < 0.07:
            return Node("skip;")
        if draw < 0.45:
            return Node(self.assignment())
        if draw < 0.6:
            return Node(self.call() or self.assignment())
        if draw < 0.78:
            return Node(f"assert({self.condition()});")
        if draw < 0.88:
            return Node(f"{self.rng.choice(('assume', 'wait'))}({self.condition()});")
        if draw < 0.92 and self.here >= 0:
            return Node(self.returning())
        if draw < 0.99 and self.use_goto:
            return Node("goto", "goto")
        return Node(self.assignment())

    def returning(self) -> str:
        """A return."""
        results = self.procedures[self.here].results if self.here >= 0 else []
        values = ", ".join(self.value(one) for one in results)
        return f"return {values};" if values else "return;"

    def statement(self, depth: int) -> Node:
        """Any statement."""
        self.budget -= 1
        draw = self.rng.random()
        if depth == 0 or self.budget <= 0 or draw < 0.68:
            return self.simple()
        if self.use_loops and self.chance(0.6):
            return self.rng.choice((self.repeated, self.counted, self.switched))(depth)
        if draw < 0.82:
            test = "*" if self.use_star and self.chance(0.3) else self.boolean()
            bare = self.chance(0.3)
            body = self.block(depth - 1, 1 if bare else 2)
            other = self.block(depth - 1, 1 if bare else 2) if self.chance(0.4) else None
            if other is not None and self.chance(0.1):
                other = []
            return Node(f"if ({test})", "if", body=body, other=other, bare=bare)
        if draw < 0.88:
            test = self.rng.choice(("*", "1", self.condition(), self.condition()))
            bare = self.chance(0.3)
            body = self.inside("loop", depth, 1 if bare else 2)
            if not bare and self.chance(0.15):
                body = []
            return Node(f"while ({test})", "while", body=body, bare=bare)
        if not self.use_atomic or self.depth_atomic > 1:
            return self.simple()
        self.depth_atomic += 1
        body = self.block(depth - 1, 3)
        self.depth_atomic -= 1
        return Node("atomic", "atomic", body=body)

    def inside(self, what: str, depth: int, most: int) -> list[Node]:
        """The body of a loop or a case of a switch."""
        self.loops.append(what)
        body = self.block(depth - 1, most)
        self.loops.pop()
        return body

    def repeated(self, depth: int) -> Node:
        """do … while"""
        test = self.rng.choice(("*", "0", self.condition(), self.condition()))
        bare = self.chance(0.2)
        body = self.inside("loop", depth, 1 if bare else 2)
        if not bare and self.chance(0.1):
            body = []
        return Node("do", "do", body=body, bare=bare, tail=f"while ({test});")

    def counted(self, depth: int) -> Node:
        """for (…; …; …)"""
        ints = [one for one in self.variables("int") if not one.size]
        if ints and self.chance(0.8):
            one = self.rng.choice(ints)
            low = max(one.type.low, -1)
            head = f"{one.name} := {low}; {one.name} < {low + 2}; {one.name}++"
        else:
            first = self.assignment().rstrip(";") if self.chance(0.4) else ""
            update = self.assignment().rstrip(";") if self.chance(0.4) else ""
            parts = [part if part != "skip" else "" for part in (first, update)]
            test = self.condition() if self.chance(0.7) else ""
            head = f"{parts[0]}; {test}; {parts[1]}"
        bare = self.chance(0.3)
        body = self.inside("loop", depth, 1 if bare else 2)
        return Node(f"for ({head})", "for", body=body, bare=bare)

    def switched(self, depth: int) -> Node:
        """switch (e) { … }"""
        pool = [one for kind in ("bool", "int", "enum") for one in self.variables(kind)]
        if not pool:
            return self.simple()
        one = self.rng.choice(pool)
        kind = one.type
        if kind.kind == "enum":
            values = list(kind.members)
        elif kind.kind == "bool":
            values = self.rng.choice((["0", "1"], ["true", "F"]))
        else:
            numbers = set(range(max(kind.low, -2), min(kind.high, 3) + 1))
            values = [str(value) for value in sorted(numbers)]
        values = self.rng.sample(values, min(len(values), self.rng.choice((1, 2, 2, 3))))
        words = [f"case {value}" for value in values]
        if self.chance(0.6):
            words.insert(self.rng.randint(0, len(words)), "default")
        star, self.use_star = self.use_star, False
        subject = self.read(one)
        if kind.kind == "int" and self.chance(0.3):
            subject = self.integer(1)
        self.use_star = star
        cases = []
        for word in words:
            empty = self.chance(0.2)
            cases.append((word, [] if empty else self.inside("switch", depth, 2)))
            if self.chance(0.5) and not empty:
                cases[-1][1].append(Node("break;"))
        return Node(f"switch ({subject})", "switch", cases=cases)

    def block(self, depth: int, most: int) -> list[Node]:
        """Some statements."""
        return [self.statement(depth) for _ in range(self.rng.randint(1, most))]

    # labels

    def label(self, nodes: list[Node], path: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        """Give labels to statements; where each is, as the atomic sections around it."""
        found: dict[str, tuple[int, ...]] = {}
        for node in nodes:
            if self.chance(0.12):
                node.labels.append(self.name("L"))
                if self.chance(0.1):
                    node.labels.append(self.name("L"))
            elif self.use_numbers and self.chance(0.1 if path else 0.5):
                node.labels.append(self.number())
            for one in node.labels:
                found[one] = path
            inner = (*path, id(node)) if node.kind == "atomic" else path
            found.update(self.label(node.body, inner))
            found.update(self.label(node.other or [], inner))
            for _, body in node.cases:
                if not self.use_numbers:  # Where a step ends then, the docs do not say.
                    found.update(self.label(body, inner))
        return found

    def number(self) -> str:
        """A fresh number as a label."""
        self.names += 1
        return str(self.names)

    def aim(
        self, nodes: list[Node], labels: dict[str, tuple[int, ...]], path: tuple[int, ...]
    ) -> None:
        """Let every goto go somewhere."""
        for node in nodes:
            if node.kind == "goto":
                inside = [one for one in labels if labels[one] == path]
                if self.chance(0.3) or not inside:
                    inside = [one for one in labels if labels[one] == path[: len(labels[one])]]
                count = self.rng.choice((1, 1, 2))
                aims = [self.rng.choice(inside) for _ in range(count)] if inside else []
                node.head = f"goto {', '.join(dict.fromkeys(aims))};" if aims else "skip;"
            inner = (*path, id(node)) if node.kind == "atomic" else path
            self.aim(node.body, labels, inner)
            self.aim(node.other or [], labels, inner)
            for _, body in node.cases:
                self.aim(body, labels, inner)

    # text

    def lines(self, nodes: list[Node], indent: str) -> list[str]:
        """The text of statements."""
        out = []
        for node in nodes:
            before = indent + "".join(f"{one}: " for one in node.labels)
            if node.kind in ("simple", "goto"):
                out.append(before + node.head)
                continue
            deeper = indent + "    "
            if node.kind == "switch":
                out.append(f"{before}{node.head} {{")
                for word, body in node.cases:
                    out += [f"{deeper}{word}:", *self.lines(body, deeper + "    ")]
                out.append(indent + "}")
                continue
            if node.kind == "do":
                bare = node.bare and len(node.body) == 1
                out.append(before + (node.head if bare else f"{node.head} {{"))
                out += self.lines(node.body, deeper)
                out.append(indent + ("" if bare else "} ") + node.tail)
                continue
            if node.bare and len(node.body) == 1 and not self.dangling(node):
                out += [before + node.head, *self.lines(node.body, deeper)]
                if node.other:
                    out += [indent + "else", *self.lines(node.other[:1], deeper)]
                continue
            out += [f"{before}{node.head} {{", *self.lines(node.body, deeper)]
            if node.other is not None:
                out += [indent + "} else {", *self.lines(node.other, deeper)]
            out.append(indent + "}")
        return out

    def dangling(self, node: Node) -> bool:
        """Whether braces are needed, so that an `else` belongs to the right `if`."""
        return any(one.kind in ("if", "while", "for") for one in node.body)

    def body(self, declared: list[str], nodes: list[Node]) -> list[str]:
        """A body with its labels."""
        labels = self.label(nodes, ())
        self.aim(nodes, labels, ())
        return [f"    {line}" for line in declared] + self.lines(nodes, "    ")

    def signature(self, number: int) -> Procedure:
        """The head of a procedure."""
        params = []
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            if self.use_fork and self.chance(0.15):
                params.append(Variable(self.name("t"), THREAD))
            else:
                params.append(Variable(self.name("p"), self.random_type(enums=False)))
        results: list[Type] = []
        if self.use_results and self.chance(0.6):
            kind = self.random_type(enums=False)
            results = [kind]
            if kind is BOOL and self.chance(0.35):
                results = [BOOL, BOOL]
        return Procedure("fghk"[number], params, results)

    def head(self, procedure: Procedure) -> str:
        """The first line of a procedure."""
        result = "void"
        if len(procedure.results) > 1:
            result = f"bool<{len(procedure.results)}>"
        elif procedure.results:
            result = procedure.results[0].text()
        params = []
        for one in procedure.params:
            plain = one.type is BOOL and self.chance(0.8)
            params.append(one.name if plain else f"{one.name}: {one.type.text()}")
        return f"{result} {procedure.name}({', '.join(params)}) {{"

    def procedure(self, number: int) -> list[str]:
        """The text of a procedure."""
        self.here = number
        one = self.procedures[number]
        self.locals = list(one.params)
        declared = [self.declare(self.locals, "l") for _ in range(self.rng.choice((0, 0, 1, 1)))]
        self.budget = 6
        nodes = [] if self.chance(0.03) and not one.results else self.block(2, 4)
        if nodes and self.chance(0.35):
            place = self.rng.randint(0, len(nodes))
            nodes.insert(place, Node(f"assert({self.condition()});"))
        if one.results:
            nodes.append(Node(self.returning()))
        return [self.head(one), *self.body(declared, nodes), "}"]

    def creations_only(self) -> list[Node]:
        """What a main consists of that is no thread."""
        nodes: list[Node] = []
        wanted = self.rng.choice((1, 2, 2, 2, 3))
        while wanted > 0:
            pool = [
                one
                for one in self.procedures
                if not (one.called and one.results)
                and not any(param.type is THREAD for param in one.params)
            ]
            if not pool:
                break
            one = self.rng.choice(pool)
            one.begun = True
            count = 2 if self.chance(0.25) and wanted > 1 else 1
            wanted -= count
            call = f"{one.name}({self.arguments(one, True)})" if one.params else one.name
            nodes.append(Node(f"thread_create({call}{', 2' if count > 1 else ''});"))
        if nodes and self.use_numbers and self.chance(0.1):
            nodes[0].labels.append("1")
        return nodes

    def beginning(self) -> list[Node]:
        """What a main does that creates threads and is one."""
        nodes = self.block(1, 2) if self.chance(0.4) else []
        for _ in range(self.rng.choice((1, 2, 2))):
            text = self.create()
            if text:
                nodes.append(Node(text))
            if self.chance(0.4):
                nodes += self.block(1, 1)
        if self.chance(0.08):
            return [Node("while (*)", "while", body=nodes[-1:])]
        if self.use_atomic and self.chance(0.1):
            return [Node("atomic", "atomic", body=nodes)]
        return nodes

    def main(self) -> list[str]:
        """The text of main."""
        self.here = -1
        self.locals = []
        only = self.creations_only() if self.style == "static" else []
        if only:
            return ["void main() {", *self.lines(only, "    "), "}"]
        declared = [self.declare(self.locals, "l") for _ in range(self.rng.choice((0, 0, 1)))]
        if self.use_fork and not self.variables("thread"):
            made = Variable(self.name("t"), THREAD)
            self.locals.append(made)
            declared.append(f"thread {made.name};")
        self.budget = 7
        nodes = self.beginning() if self.style in ("thread", "fork", "inner") else []
        nodes += self.block(2, 3)
        return ["void main() {", *self.body(declared, nodes), "}"]

    def text(self) -> str:
        """The whole program."""
        lines = [self.declare(self.globals, "x") for _ in range(self.rng.choice((1, 2, 2, 3)))]
        if self.use_self:
            made = [Variable(self.name("t"), THREAD) for _ in range(2)]
            lines.append(f"thread {', '.join(one.name for one in made)};")
            self.globals += made
        if all(one.type is THREAD for one in self.globals):
            lines.append("decl x0 := 0;")
            self.globals.append(Variable("x0", BOOL))
        self.procedures = [self.signature(one) for one in range(self.rng.choice((1, 2, 2, 3)))]
        parts = [self.procedure(one) for one in range(len(self.procedures))]
        last = self.main()
        parts.insert(len(parts) if self.chance(0.8) else 0, last)
        return "\n".join([*lines, *(line for part in parts for line in part)]) + "\n"


def random_braces(seed: int) -> str:
    """A small random program in braces."""
    return Maker(seed).text()
