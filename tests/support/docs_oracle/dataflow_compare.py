"""What `tepui.dataflow` and the oracle say about values and steps at a place, compared."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import tepui
from support.docs_oracle.cases import MEMORY
from support.docs_oracle.compare import LANGUAGES, broken, described
from support.docs_oracle.dataflow import Valuation, agrees, fewest_steps, values_at
from support.docs_oracle.explore import parse, places
from support.docs_oracle.features import features
from support.docs_oracle.graph import Graph
from support.docs_oracle.nodes import Node, followers, reachable
from support.docs_oracle.plan import Plan
from support.docs_oracle.reduce import reduced
from support.docs_oracle.report import Report
from support.docs_oracle.run import ENDS_GROUP
from support.docs_oracle.tree import Refused, TooBig

TIMEOUT = 3.0
STATES = 4_000
DEPTH = 9
QUESTIONS = 5


@dataclass(frozen=True)
class Asked:
    """A question about values."""

    thread: str
    place: str
    called_from: tuple[str, ...]
    contexts: int
    domain: str

    @property
    def at(self) -> str:
        """The thread and the place."""
        return f"{self.thread}:{self.place}" if self.thread else self.place

    def text(self) -> str:
        """For people."""
        calls = f" called from {', '.join(self.called_from)}" if self.called_from else ""
        return f"{self.at}{calls}, {self.contexts} contexts, {self.domain}"


@dataclass(frozen=True)
class Difference:
    """Two answers that do not fit."""

    kind: str
    asked: Asked
    tepui: str
    oracle: str

    def text(self) -> str:
        """For people."""
        return f"[{self.kind}] {self.asked.text()}\n  tepui:  {self.tepui}\n  oracle: {self.oracle}"


class Subject:
    """A program for both."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        path.write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = tepui.load(path)
        assert isinstance(program, tepui.Program)
        self.program = program
        self.graph = Graph(parse(text))
        self.plan = Plan(self.graph, {})

    def forks(self) -> bool:
        """Whether it has something to do with forked threads."""
        slots = [*self.graph.shared.slots, *(v for c in self.graph.codes for v in c.layout.slots)]
        return any(kind.forked for kind in self.plan.kinds) or any(
            variable.type.kind == "thread" for variable in slots
        )

    # Questions

    def questions(self, rng: Random) -> list[Asked]:
        """Some questions; most of them are about places where the thread comes."""
        names = [one.name for one in self.program.threads]
        known = [name for name in names if self.translated(name) != "?"]
        if not known:
            return []
        callees = {node.callee for node in self.graph.nodes if node.kind == "call"}
        found = []
        for _ in range(QUESTIONS):
            name = rng.choice(known)
            codes = self.closure(name)
            nodes = [node for node in self.graph.nodes if node.place and node.line]
            if rng.random() < 0.93:
                nodes = [node for node in nodes if node.code in codes]
            called = [node for node in nodes if node.code in callees]
            if called and rng.random() < 0.5:
                nodes = called
            if not nodes:
                continue
            node = rng.choice(nodes)
            calls = self.calls(node, rng) if rng.random() < 0.7 else ()
            place = rng.choice([str(node.line), *node.labels])
            several = len({self.graph.nodes[one].code for one in places(self.graph, place)}) > 1
            if (several or rng.random() < 0.3) and "@" not in self.graph.codes[node.code].name:
                place = f"{self.graph.codes[node.code].name}:{place}"
            domain = rng.choice(("relation", "relation", "shortest"))
            alone = len(self.plan.first) == 1 and (self.plan.plain or not self.plan.made)
            alone = alone and len(self.plan.kinds) == 1 and not several
            thread = "" if alone and len(names) == 1 and rng.random() < 0.3 else name
            found.append(Asked(thread, place, calls, rng.choice((1, 2, 2, 3)), domain))
        return found

    def translated(self, name: str) -> str:
        """The oracle's name of a thread; where only one name is left, that must be it."""
        names = [one.name for one in self.program.threads]
        kinds = self.plan.kinds
        if any(kind.name == name for kind in kinds) or not name:
            return name
        left = [
            kind.name
            for kind in kinds
            if kind.name not in names and self.graph.codes[kind.code].name == name.split("(")[0]
        ]
        others = [
            one for one in names if one.startswith((f"{name}#", f"{name}(")) and one not in left
        ]
        if len(left) == 1:
            return left[0]
        return name if left and not others and "(" not in name else "?"

    def calls(self, node: Node, rng: Random) -> tuple[str, ...]:
        """Calls that may lead to a node."""
        found: list[str] = []
        code = node.code
        while len(found) < 3 and (not found or rng.random() < 0.7):
            pool = [one for one in self.graph.nodes if one.kind == "call" and one.callee == code]
            if not pool:
                break
            call = rng.choice(pool)
            found.append(rng.choice([str(call.line), *call.labels]))
            code = call.code
        return tuple(found)

    def kinds(self, name: str) -> list[int]:
        """The kinds of threads that a name stands for."""
        name = self.translated(name)
        exact = [number for number, kind in enumerate(self.plan.kinds) if kind.name == name]
        return exact or [
            number
            for number, kind in enumerate(self.plan.kinds)
            if self.graph.codes[kind.code].name == name
        ]

    def closure(self, name: str, every: bool = False, seen_only: bool = False) -> set[int]:
        """The procedures that threads run, as far as the graph tells.

        With `every`, also calls that no path leads to; with `seen_only`, none inside of atomic
        sections.
        """
        starts = [self.graph.codes[self.plan.kinds[kind].code].entry for kind in self.kinds(name)]
        starts += [
            goal
            for one, kind in self.plan.made.items()
            if kind in self.kinds(name)
            for goal in self.graph.nodes[one].goals
        ]
        found: set[int] = set()
        todo = list(starts)
        seen = set(starts)
        while todo:
            entry = todo.pop()
            found.add(self.graph.nodes[entry].code)
            reached = reachable(self.graph.nodes, entry)
            for node in self.graph.nodes:
                inside = every and node.code == self.graph.nodes[entry].code
                if node.inside and seen_only:
                    continue
                if node.kind == "call" and (inside or node.number in reached):
                    goal = self.graph.codes[node.callee].entry
                    if goal not in seen:
                        seen.add(goal)
                        todo.append(goal)
        return found

    # Refusals

    def refusal(self, asked: Asked) -> str:
        """Why the docs refuse a question, or nothing."""
        nodes = places(self.graph, asked.place)
        name = asked.thread or self.program.threads[0].name
        if all(self.graph.nodes[number].inside for number in nodes):
            return "inside an atomic section"
        if not any(self.rests(self.graph.nodes[number]) for number in nodes):
            return "inside a step with a number"
        if not {self.graph.nodes[number].code for number in nodes} & self.closure(name):
            if {self.graph.nodes[number].code for number in nodes} & self.closure(name, True):
                return "never runs, because of a jump"
            return "never runs"
        if not {self.graph.nodes[n].code for n in nodes} & self.closure(name, seen_only=True):
            return "called inside an atomic section"
        often = self.plan.executions()
        made = [one for one, kind in self.plan.made.items() if kind in self.kinds(name)]
        if made and not self.plan.plain and all(often[one] == 0 for one in made):
            return "never creates"
        calls = [self.graph.nodes[n] for c in asked.called_from for n in places(self.graph, c)]
        if any(node.inside for node in calls):
            return "called inside an atomic section"
        if any(self.mixed(places(self.graph, call)) for call in asked.called_from):
            return "not told apart"
        return ""

    def rests(self, node: Node) -> bool:
        """Whether a thread may ever be seen at a node, as far as the groups tell."""
        if node.inside or not node.group or node.stop:
            return not node.inside
        if any(code.entry == node.number for code in self.graph.codes):
            return True
        return any(
            other.group != node.group or other.kind in ENDS_GROUP
            for other in self.graph.nodes
            if node.number in followers(other)
        )

    def mixed(self, chosen: frozenset[int]) -> bool:
        """Whether a call comes back to where another call of the same procedure does."""
        calls = [node for node in self.graph.nodes if node.kind == "call"]
        return any(
            one.number in chosen
            and other.number not in chosen
            and (one.code, one.callee, one.next) == (other.code, other.callee, other.next)
            for one in calls
            for other in calls
        )

    # Answers

    def compare(self, asked: Asked, report: Report) -> Difference | None:
        """Ask both."""
        try:
            answer = tepui.dataflow(
                self.program,
                asked.at,
                called_from=asked.called_from,
                contexts=asked.contexts,
                domain=asked.domain,  # type: ignore[arg-type]
                limits=tepui.Limits(timeout=TIMEOUT, memory=MEMORY // 2),
            ).data()
        except tepui.UsageError as error:
            return self.judge_refusal(asked, str(error), report)
        except tepui.TepuiError as error:
            if "limit" in str(error):
                report.answers["tepui: limit"] += 1
                return None
            return Difference(broken(error), asked, described(error), "-")
        except Exception as error:
            return Difference(broken(error), asked, described(error), "-")
        reason = self.refusal(asked)
        atomic = reason == "inside an atomic section" and answer["reachable"]
        if atomic or reason in ("never runs", "never creates"):
            return Difference("only the docs refuse", asked, str(answer), reason)
        try:
            wrong = self.judge(asked, answer)
        except TooBig:
            report.answers["too big for the oracle"] += 1
            return None
        except Refused as error:
            if reason and not answer["reachable"]:
                return None
            return Difference("only the oracle refuses", asked, str(answer), str(error))
        calls = f", {len(asked.called_from)} calls" if asked.called_from else ""
        there = "" if answer["reachable"] else ", not reachable"
        report.answers[f"{asked.domain}{calls}{there}"] += 1
        return wrong

    def judge_refusal(self, asked: Asked, message: str, report: Report) -> Difference | None:
        """Whether the docs list why tepui refuses."""
        if "shared states" in message:
            report.answers["refused: too many shared states"] += 1
            return None
        reason = self.refusal(asked)
        if not reason:
            return Difference("only tepui refuses", asked, message, "-")
        report.answers[f"refused: {reason}"] += 1
        return None

    def judge(self, asked: Asked, answer: dict[str, Any]) -> Difference | None:
        """Whether the values and steps are those of the oracle."""
        found = [
            {name: None if value is None else str(value) for name, value in one["values"].items()}
            for one in answer["valuations"]
        ]
        values = values_at(
            self.text,
            replace(asked, thread=self.translated(asked.thread)).at,
            asked.called_from,
            asked.contexts,
            max_states=STATES,
            max_depth=DEPTH,
        )
        if answer["reachable"] != bool(values):
            return Difference("reachable", asked, str(answer), listed(values))
        if not agrees(values, found):
            return Difference("other values", asked, str(answer), listed(values))
        if asked.domain != "shortest":
            return None
        steps = fewest_steps(
            self.text,
            replace(asked, thread=self.translated(asked.thread)).at,
            asked.called_from,
            asked.contexts,
            max_states=3 * STATES,
            max_depth=DEPTH,
        )
        given: dict[Valuation, int] = {}
        for one, valuation in zip(answer["valuations"], found, strict=True):
            for exact in expanded(valuation, values.domains):
                given[exact] = min(one["steps"], given.get(exact, one["steps"]))
        if given != steps or answer["steps"] != min(steps.values(), default=None):
            told = ", ".join(f"{count}: {sorted(one)}" for one, count in steps.items())
            return Difference("other steps", asked, str(answer), told)
        return None


def expanded(values: dict[str, str | None], domains: dict[str, tuple[str, ...]]) -> list[Valuation]:
    """Every valuation that one with `anything` stands for."""
    choices = [
        [(name, one) for one in (domains[name] if value is None else (value,))]
        for name, value in values.items()
    ]
    return [frozenset(chosen) for chosen in product(*choices)]


def listed(values: set[Valuation]) -> str:
    """Valuations as text."""
    return "; ".join(str(sorted(one)) for one in sorted(values, key=sorted))


def compare(text: str, seed: int, path: Path, report: Report) -> list[Difference]:
    """Compare answers about one program."""
    try:
        subject = Subject(text, path)
    except (Refused, TooBig, tepui.InputError):
        report.programs["refused or too big"] += 1
        return []
    if subject.forks() or "decl atomic := 1;" in text:  # the lock is then shown as 0
        report.programs["forks"] += 1
        return []
    report.programs["compared"] += 1
    report.features.update(features(text))
    asked = subject.questions(Random(f"dataflow {seed}"))
    found = [wrong for one in asked if (wrong := subject.compare(one, report)) is not None]
    return list({one.kind: one for one in reversed(found)}.values())


def still(wrong: Difference, text: str, path: Path) -> bool:
    """Whether a text shows the same difference."""
    try:
        subject = Subject(text, path)
        if subject.forks():
            return False
        now = subject.compare(wrong.asked, Report())
    except (Refused, TooBig, tepui.TepuiError):
        return False
    return now is not None and now.kind == wrong.kind


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="braces")
    parser.add_argument("--no-reduce", action="store_true")
    given = parser.parse_args(words)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.bp"
        for seed in range(given.first, given.first + given.count):
            text = LANGUAGES[given.language](seed)
            start = time.monotonic()
            for one in compare(text, seed, path, report):
                report.disagreements += 1
                print(f"=== {given.language} seed {seed}: {one.text()}", flush=True)
                if not given.no_reduce:
                    text = reduced(text, lambda t, w=one: still(w, t, path), 300)  # type: ignore[misc]
                print(f"--- text\n{text}", flush=True)
            if time.monotonic() - start > 10:
                print(f"seed {seed} took {time.monotonic() - start:.0f} s", flush=True)
    report.show()
    print(f"differences: {report.disagreements}")
    return 1 if report.disagreements else 0


if __name__ == "__main__":
    raise SystemExit(main())
