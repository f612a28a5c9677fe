"""What is asked about a program, and how tepui is run for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

import tepui
from support.docs_oracle.explore import Question, Refused, TooBig, parse
from support.docs_oracle.features import features
from support.docs_oracle.graph import Graph
from support.docs_oracle.plan import Plan

TIMEOUT = 1.0
MAX_CONTEXTS = 7
MEMORY = 3 << 30
COPY_PLACES = False
"""Whether places in PROCEDURE@L are asked for; tepui takes them for those of PROCEDURE."""
STRENGTH = type(tepui.Options().strengths[0])
STRENGTHS = {
    "default": tepui.Options().strengths,
    "off": (),
    "cut": (STRENGTH("cut"),),
    "matched": (STRENGTH("matched"),),
    "matched:2": (STRENGTH("matched", 2),),
    "omega": (STRENGTH("omega"),),
    "omega-l": (STRENGTH("omega-l"),),
    "omega-ll": (STRENGTH("omega-ll"),),
}


@dataclass(frozen=True)
class Configuration:
    """How tepui is run; `ask` is verify, all, or explore."""

    ask: str = "verify"
    engine: str = "auto"
    liveness: bool = True
    symmetry: bool = True
    fusion: bool = True
    contexts: int | None = None
    slots: int = 8
    z: str = "default"

    def options(self) -> tepui.Options:
        """The same for tepui."""
        return tepui.Options(
            engine=self.engine,
            liveness=self.liveness and self.z not in ("omega", "omega-l"),
            symmetry=self.symmetry,
            fusion=self.fusion,
            contexts=self.contexts,
            slots=self.slots,
            strengths=STRENGTHS[self.z],
            limits=tepui.Limits(
                timeout=TIMEOUT,
                memory=MEMORY // 2,
                max_contexts=None if self.counts_delays() else MAX_CONTEXTS,
            ),
        )

    def counts_delays(self) -> bool:
        """Whether the engine counts no contexts."""
        return self.engine in ("delay", "abstract")

    def text(self) -> str:
        """Only what is not as usual."""
        usual = Configuration()
        return " ".join(
            f"{name}={value}"
            for name, value in vars(self).items()
            if name == "ask" or value != getattr(usual, name)
        )


@dataclass(frozen=True)
class Case:
    """Something to ask, and how."""

    questions: tuple[Question, ...]
    configuration: Configuration


def places(text: str, rng: Random) -> list[str]:
    """Some labels and lines of statements."""
    labels = re.findall(r"(?<![\w'?] )\b([A-Z]\w*|\d+): ", text)
    lines = []
    procedure, inside = "", False
    skipped = "main" if "main is no thread" in features(text) else ""
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\S.*\b(\w+)\(.*\) (\{|begin)$", line)
        if head:
            procedure = head.group(1)
        inside = line.startswith(" ")
        word = line.strip()
        if not inside or procedure == skipped:
            continue
        if re.match(r"(decl|thread|enforce|else|elsif|fi|od|case|default)\b|\}", word):
            continue
        if re.search(r"[;{]$|^(if|while)|(then|do)$", word):
            lines.append((procedure, number))
    chosen = rng.sample(labels, min(len(labels), 1))
    if rng.random() < 0.3:
        chosen.append(
            rng.choice(re.findall(r"^\S.*?([\w$]+)\(.*\) (?:\{|begin)$", text, re.M)) + "()"
        )
    for name, number in rng.sample(lines, min(len(lines), 4 - len(chosen))):
        chosen.append(f"{name}:{number}" if rng.random() < 0.3 else str(number))
    plan = planned(text) if "start_thread goto" in text else None
    copies = [one.name for one in plan.graph.codes if "@" in one.name] if plan else []
    if not COPY_PLACES:
        named = tuple(name.split("@")[0] + sign for name in copies for sign in "(:")
        return [one for one in chosen if not one.startswith(named)]
    for name in copies[:1]:
        place = rng.choice(labels or ["1"])
        chosen.append(rng.choice((f"{name}()", f"{name}:{place}", f"{name}:{place}")))
    return chosen


def planned(text: str) -> Plan | None:
    """The threads of a program, if it is not refused."""
    try:
        return Plan(Graph(parse(text)), {})
    except (Refused, TooBig):
        return None


def counts(text: str, rng: Random) -> dict[str, int]:
    """Another number of threads for some type, now and then.

    Only types with a creation of their own, of one thread: the docs do not say when two creations
    are one type. And none behind a loop that never ends: there are no such threads.
    """
    endless = re.search(r"while \((1|T|true)\)|; ;", text)
    plan = planned(text) if rng.random() < 0.3 and not endless else None
    if plan is None:
        return {}
    often = plan.executions()
    created = [plan.graph.nodes[one].callee for one in plan.made]
    names = [
        plan.kinds[kind].name
        for one, kind in plan.made.items()
        if not plan.kinds[kind].forked
        and not creates(plan, plan.graph.nodes[one].callee)
        and often[one] == plan.graph.nodes[one].count == 1
        and created.count(plan.graph.nodes[one].callee) == 1
        and "#" not in plan.kinds[kind].name
    ]
    return {rng.choice(names): rng.choice((1, 2, 2, 3))} if names else {}


def creates(plan: Plan, code: int) -> bool:
    """Whether threads that run a procedure may create others; tepui then has only one of them."""
    found, todo = {code}, [code]
    while todo:
        now = todo.pop()
        for node in plan.graph.nodes:
            if node.code == now and node.kind in ("create", "create_at", "fork"):
                return True
            if node.code == now and node.kind == "call" and node.callee not in found:
                found.add(node.callee)
                todo.append(node.callee)
    return False


def cases(text: str, rng: Random) -> list[Case]:
    """About 15 questions."""
    own: Question = ("assertions",)
    dead: Question = ("deadlock",)
    found = places(text, rng)
    every: list[Question] = [own, dead, *(("unreachable", one) for one in found)]
    if found:
        every += [("never_together", rng.choice(found), rng.choice(found)) for _ in range(2)]
    made = [Case((own,), Configuration()), Case((dead,), Configuration())]
    made.append(Case((own,), Configuration(ask="own")))
    made.append(Case(tuple(every), replace(some(rng), ask="all")))
    for question in (own, dead, rng.choice(every), rng.choice(every)):
        made.append(Case((question,), some(rng)))
    made.append(Case(tuple(rng.sample(every, 2)), some(rng)))
    for question in (own, dead, rng.choice(every)):
        how = replace(some(rng), contexts=rng.randint(0, 4), z="default")
        made.append(Case((question,), replace(how, engine="auto") if how.counts_delays() else how))
    made.append(Case((), replace(some(rng), ask="explore")))
    if "machine integer" in features(text):  # Omega lists all values of local variables.
        return [Case(one.questions, without_omega(one.configuration)) for one in made]
    return made


def without_omega(how: Configuration) -> Configuration:
    """The same with another strength of Z, if it has this one."""
    return replace(how, z="matched") if how.z.startswith("omega") else how


def some(rng: Random) -> Configuration:
    """A random configuration."""
    engine = rng.choice(("auto", "explicit", "diagram", "symbolic", "delay", "auto"))
    if rng.random() < 0.04:
        engine = "abstract"
    return Configuration(
        engine=engine,
        liveness=rng.random() < 0.7,
        symmetry=rng.random() < 0.7,
        fusion=rng.random() < 0.7,
        z="default" if engine == "abstract" else rng.choice(("default", "default", *STRENGTHS)),
        slots=rng.choice((0, 1, 2, 8)),
    )
