"""Small random programs with begin/end, in each of its four conventions."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

CONVENTIONS = ("boppo", "satabs", "bopp", "getafix", "fork")


@dataclass
class Procedure:
    """What callers know of a procedure, and how it is used."""

    name: str
    params: list[str]
    threads: list[str]
    results: int
    called: bool = False
    begun: bool = False


@dataclass
class Node:
    """A statement; `words` surround its blocks."""

    words: list[str]
    blocks: list[list[Node]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    goto: bool = False
    start: bool = False
    atomic: bool = False


class Maker:
    """One random program."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"begin/end {seed}")
        self.names = 0
        self.convention = CONVENTIONS[seed % len(CONVENTIONS)]
        self.globals: list[str] = []
        self.locals: list[str] = []
        self.threads: list[str] = []
        self.procedures: list[Procedure] = []
        self.here = -1
        self.budget = 0
        self.atomic = False
        self.creations = 0
        self.use_star = self.chance(0.5)
        self.use_atomic = self.convention != "getafix" and self.chance(0.4)
        self.use_goto = self.chance(0.35)
        self.use_recursion = self.chance(0.15)
        self.use_results = self.chance(0.5)
        self.use_odd_names = self.chance(0.15)
        self.use_enforce = self.chance(0.15)
        self.use_lock = self.convention == "getafix" and self.chance(0.6)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def name(self, prefix: str) -> str:
        """A fresh name."""
        self.names += 1
        if self.use_odd_names and prefix in "xl" and self.chance(0.5):
            return self.rng.choice(
                (f"{prefix}#{self.names}", "{" + f"{prefix} > {self.names}" + "}")
            )
        return f"{prefix}{self.names}"

    # expressions

    def variable(self) -> str:
        """A variable to read, often a global one."""
        return self.rng.choice(self.globals * 2 + self.locals)

    def constant(self) -> str:
        """A constant."""
        return self.rng.choice("01TF")

    def expression(self, depth: int = 2) -> str:
        """An expression; only parentheses say what belongs together."""
        draw = self.rng.random()
        if depth == 0 or draw < 0.4:
            if self.use_star and self.chance(0.15):
                return self.rng.choice("**?")
            return self.variable() if self.chance(0.85) else self.constant()
        if draw < 0.55:
            return f"{self.rng.choice('!!~')}{self.factor(depth - 1)}"
        if draw < 0.6 and self.use_star:
            return f"schoose [{self.expression(depth - 1)}, {self.expression(depth - 1)}]"
        operator = self.rng.choice(("&", "&", "|", "|", "^", "=", "!=", "=>", "&&", "||"))
        if operator in ("&", "|") and self.chance(0.15):
            return f" {operator} ".join(self.factor(0) for _ in range(3))
        return f"{self.factor(depth - 1)} {operator} {self.factor(depth - 1)}"

    def factor(self, depth: int) -> str:
        """An expression that binds tightly."""
        text = self.expression(depth)
        return f"({text})" if " " in text else text

    # statements

    def assignment(self) -> str:
        """An assignment, perhaps of several values, perhaps constrained."""
        pool = sorted(set(self.globals + self.locals))
        count = min(2 if self.chance(0.2) else 1, len(pool))
        ones = self.rng.sample(pool, count)
        if self.chance(0.05):
            ones = [ones[0]] * count
        values = [
            self.rng.choice("*?") if self.use_star and self.chance(0.2) else self.expression()
            for _ in ones
        ]
        text = f"{', '.join(ones)} := {', '.join(values)}"
        if self.chance(0.12):
            after = f"'{self.rng.choice(ones)}"
            right = self.rng.choice((f" != {ones[0]}", f" = {self.factor(0)}", ""))
            text += f" constrain ({after}{right})"
        return text + ";"

    def arguments(self, procedure: Procedure) -> str:
        """What a call passes."""
        values = [self.expression(1) for _ in procedure.params]
        return ", ".join(values + [self.rng.choice(self.threads) for _ in procedure.threads])

    def usable(self) -> list[Procedure]:
        """Procedures for which there are arguments."""
        return [one for one in self.procedures if self.threads or not one.threads]

    def call(self) -> str | None:
        """A call of another procedure, or of this one."""
        first = self.here + (0 if self.use_recursion and self.here >= 0 else 1)
        pool = [
            one
            for one in self.usable()
            if self.procedures.index(one) >= first and not (one.begun and one.results)
        ]
        if not pool:
            return None
        one = self.rng.choice(pool)
        one.called = True
        text = f"{one.name}({self.arguments(one)});"
        if not one.results:
            return text
        targets = [
            "_" if self.chance(0.1) else one
            for one in self.rng.choices(self.globals + self.locals, k=one.results)
        ]
        return f"{', '.join(targets)} := {text}"

    def create(self) -> Node | None:
        """A new thread, as the convention makes it."""
        self.creations += 1
        if self.convention == "getafix":
            return None
        if self.convention == "fork" and self.chance(0.8):
            one = self.rng.choice(self.usable())
            text = f"async {one.name}({self.arguments(one)});"
            if self.threads and self.chance(0.8):
                text = f"{self.rng.choice(self.threads)} := {text}"
            return Node([text])
        if self.convention == "satabs" and self.chance(0.7):
            return Node(["start_thread goto"], start=True)
        pool = [one for one in self.usable() if not (one.called and one.results)]
        if not pool:
            return None
        one = self.rng.choice(pool)
        one.begun = True
        text = f"{one.name}({self.arguments(one)});"
        if self.convention == "boppo" and not one.results:
            return Node([text], labels=[self.name("ASYNC_")])
        return Node([f"start_thread {text}"])

    def simple(self) -> Node:
        """A statement without others in it."""
        if self.threads and self.chance(0.2):
            if self.chance(0.75):
                return Node([f"join({self.rng.choice(self.threads)});"])
            return Node([f"{self.rng.choice(self.threads)} := {self.rng.choice(self.threads)};"])
        if self.creations < 2 and self.chance(0.15 if self.here < 0 else 0.05):
            made = self.create()
            if made:
                return made
        if self.use_lock and self.chance(0.2):
            return Node([f"atomic := {self.rng.choice('TF1F0')};"])
        kind = self.rng.choices(
            [
                "skip",
                "assign",
                "call",
                "assert",
                "assume",
                "dead",
                "print",
                "error",
                "leave",
                "goto",
            ],
            [5, 38, 14, 12, 9, 4, 3, 5, 5, 5],
        )[0]
        if kind == "goto" and self.use_goto:
            return Node(["goto"], goto=True)
        if kind == "call":
            text = self.call()
            if text:
                return Node([text])
        if kind == "error":
            return Node(["skip;"], labels=["SLIC_ERROR"] if self.chance(0.7) else [])
        if kind == "leave":
            return Node([self.leaving()])
        texts = {
            "skip": "skip;",
            "assert": f"assert({self.expression()});",
            "assume": self.rng.choice(("assume({});", "abortif {};", "constrain({});")).format(
                self.factor(2)
            ),
            "dead": f"dead {self.variable()};",
            "print": f"print({self.variable()});",
        }
        if kind == "dead" and self.locals and self.chance(0.3):
            texts["dead"] = f"dead {self.rng.choice(self.globals)}, {self.rng.choice(self.locals)};"
        return Node([texts.get(kind, self.assignment())])

    def leaving(self) -> str:
        """A return or the end of a thread."""
        if self.atomic and self.chance(0.8):
            return "skip;"
        one = self.procedures[self.here] if 0 <= self.here < len(self.procedures) else None
        if self.chance(0.4) and (one is None or (one.begun and not one.called)):
            return "end_thread;"
        if one is None or not one.results:
            return "return;"
        return f"return {', '.join(self.expression(1) for _ in range(one.results))};"

    def statement(self, depth: int) -> Node:
        """Any statement."""
        self.budget -= 1
        draw = self.rng.random()
        if depth == 0 or self.budget <= 0 or draw < 0.7:
            return self.simple()
        test = f"({self.expression()})" if self.chance(0.7) else self.factor(1)
        if draw < 0.84:
            words = [f"if {test} then"]
            blocks = [self.block(depth - 1, 2)]
            if self.chance(0.2):
                words.append(f"elsif ({self.expression(1)}) then")
                blocks.append(self.block(depth - 1, 1))
            if self.chance(0.4):
                words.append("else")
                blocks.append(self.block(depth - 1, 2))
            return Node([*words, "fi"], blocks)
        if draw < 0.9:
            test = self.rng.choice(("(*)", "(1)", test, test))
            block = self.block(depth - 1, 2)
            return Node([f"while {test} do", "od"], [block])
        if not self.use_atomic or self.atomic:
            return self.simple()
        self.atomic = True
        block = self.block(depth - 1, 3)
        self.atomic = False
        return Node(["atomic_begin;", "atomic_end;"], [block], atomic=True)

    def block(self, depth: int, most: int) -> list[Node]:
        """Some statements."""
        return [self.statement(depth) for _ in range(self.rng.randint(1, most))]

    # labels

    def label(self, nodes: list[Node], section: int) -> dict[str, int]:
        """Give labels to statements; in which atomic section each is."""
        found: dict[str, int] = {}
        numbers = self.convention in ("bopp", "satabs")
        for node in nodes:
            if "SLIC_ERROR" in node.labels and self.errors:
                node.labels.remove("SLIC_ERROR")
            self.errors = self.errors or "SLIC_ERROR" in node.labels
            if numbers and self.chance(0.4):
                self.names += 1
                node.labels.append(str(self.names))
            elif self.chance(0.15):
                node.labels.append(self.name("L"))
            for one in node.labels:
                found[one] = section
            inner = id(node) if node.atomic else section
            for block in node.blocks:
                found.update(self.label(block, inner))
        return found

    def aim(self, nodes: list[Node], labels: dict[str, int], section: int) -> None:
        """Let every goto go somewhere, and every thread start somewhere."""
        for node in nodes:
            pool = [one for one in labels if labels[one] == (0 if node.start else section)]
            if node.start:
                node.words = [f"start_thread goto {self.rng.choice(pool)};" if pool else "skip;"]
            elif node.goto:
                aims = (
                    dict.fromkeys(self.rng.choices(pool, k=self.rng.choice((1, 1, 2))))
                    if pool
                    else {}
                )
                node.words = [f"goto {', '.join(aims)};" if aims else "skip;"]
            inner = id(node) if node.atomic else section
            for block in node.blocks:
                self.aim(block, labels, inner)

    # text

    def lines(self, nodes: list[Node], indent: str) -> list[str]:
        """The text of statements."""
        out = []
        for node in nodes:
            labels = "".join(f"{one}: " for one in node.labels)
            out.append(f"{indent}{labels}{node.words[0]}")
            for word, block in zip(node.words[1:], node.blocks, strict=True):
                out += [*self.lines(block, indent + "  "), indent + word]
        return out

    errors = False

    def declared(self, names: list[str]) -> list[str]:
        """Declarations, some with initial values."""
        if len(names) > 1 and self.chance(0.5):
            return [f"decl {', '.join(names)};"]
        return [
            f"decl {one}{f' := {self.constant()}' if self.chance(0.5) else ''};" for one in names
        ]

    def body(self, nodes: list[Node], own: list[str]) -> list[str]:
        """A body with its declarations and labels."""
        chosen = self.use_enforce and self.chance(0.5)
        first = [f"  enforce {self.factor(1)};"] if chosen else []
        self.errors = False
        labels = self.label(nodes, 0)
        self.aim(nodes, labels, 0)
        declared = [f"  {line}" for line in self.declared(own)] if own else []
        out = self.lines(nodes, "  ")
        if declared and self.chance(0.3):
            place = self.rng.randint(0, len(out))
            if self.chance(0.2) and ":=" in declared[0]:
                declared[0] = f"  {self.name('L')}: {declared[0].strip()}"
            return apart([*first, *out[:place], *declared, *out[place:]])
        return apart([*declared, *first, *out])

    def procedure(self, number: int) -> list[str]:
        """The text of a procedure."""
        self.here = number
        one = self.procedures[number]
        own = [self.name("l") for _ in range(self.rng.choice((0, 0, 1, 1)))]
        self.locals = one.params + own
        shared = [name for name in self.threads if name.startswith("t")]
        self.threads = shared + one.threads
        self.budget = 6
        nodes = self.block(2, 4)
        if self.chance(0.3):
            place = self.rng.randint(0, len(nodes))
            nodes.insert(place, Node([f"assert({self.expression()});"]))
        if one.results and self.chance(0.8):
            values = ", ".join(self.expression(1) for _ in range(one.results))
            nodes.append(Node([f"return {values};"]))
        result = (
            "void" if not one.results else "bool" if one.results == 1 else f"bool<{one.results}>"
        )
        params = one.params + [f"thread {name}" for name in one.threads]
        head = f"{result} {one.name}({', '.join(params)}) begin"
        lines = [head, *self.body(nodes, own), "end"]
        self.threads = shared
        return lines

    def main(self) -> list[str]:
        """The text of main."""
        self.here = -1
        own = [self.name("l") for _ in range(self.rng.choice((0, 0, 1)))]
        self.locals = own
        mine = []
        if self.convention == "fork" and (not self.threads or self.chance(0.3)):
            mine = [self.name("u")]
        self.threads = self.threads + mine
        self.budget = 7
        nodes: list[Node] = []
        if self.chance(0.4):
            nodes += self.block(1, 2)
        for _ in range(self.rng.choice((1, 2, 2))):
            made = self.create()
            if made:
                nodes.append(made)
            if self.chance(0.5):
                nodes += self.block(1, 1)
        if self.chance(0.08):
            nodes = [Node(["while (*) do", "od"], [nodes[-1:] or [Node(["skip;"])]])]
        nodes += self.block(2, 3)
        declared = [f"  decl thread {name};" for name in mine]
        return ["void main() begin", *declared, *self.body(nodes, own), "end"]

    def init(self) -> list[str]:
        """The text of init, which Getafix runs first."""
        self.here, self.locals, self.budget = -1, [], 3
        if self.chance(0.1):
            return ["void init() begin", "end"]
        nodes = [Node([self.assignment()]) for _ in range(self.rng.choice((1, 1, 2)))]
        if self.use_lock and self.chance(0.3):
            nodes.append(Node(["atomic := F;"]))
        nodes += self.block(1, 2)
        return ["void init() begin", *self.body(nodes, []), "end"]

    def text(self) -> str:
        """The whole program."""
        self.globals = [self.name("x") for _ in range(self.rng.choice((1, 2, 2, 3)))]
        lines = self.declared(self.globals)
        if self.use_lock:
            lines.append(self.rng.choice(("decl atomic;",) * 4 + ("decl atomic := F;",)))
            if self.chance(0.05):
                lines[-1] = "decl atomic := 1;"
        if self.convention == "fork" and self.chance(0.5):
            self.threads = [self.name("t")]
            lines.append(f"decl thread {self.threads[0]};")
        for number in range(self.rng.choice((1, 2, 2))):
            begun = self.convention == "getafix" and (number == 0 or self.chance(0.5))
            results = self.rng.choice((1, 1, 2)) if self.use_results and self.chance(0.6) else 0
            self.procedures.append(
                Procedure(
                    f"thread_{number}" if begun else "fghk"[number],
                    [] if begun else [self.name("p") for _ in range(self.rng.choice((0, 0, 1, 2)))],
                    [self.name("v")] if self.convention == "fork" and self.chance(0.15) else [],
                    0 if begun else results,
                    begun=begun,
                )
            )
        parts = [self.procedure(one) for one in range(len(self.procedures))]
        parts.append(self.main())
        if self.convention == "getafix":
            parts.insert(0, self.init())
        elif self.chance(0.2):
            parts.insert(0, parts.pop())
        return "\n".join([*lines, *(line for part in parts for line in part)]) + "\n"


def apart(lines: list[str]) -> list[str]:
    """A statement before a creation in a row with `start_thread goto`.

    By the docs they are one statement, for tepui two.
    """
    found: list[str] = []
    last = ""
    for line in lines:
        word = line.strip()
        if word.startswith("start_thread") and "start_thread" in last and "goto" in last + word:
            found.append(line.replace(word, "skip;"))
        found.append(line)
        last = last if word.startswith("decl") and ":=" not in word else word
    return found


def random_beginend(seed: int) -> str:
    """A small random program with begin/end; the convention depends on the seed."""
    return Maker(seed).text()
