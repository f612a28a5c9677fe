"""One question to tepui, the same to the oracle, and whether the answers agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from support.docs_oracle.systems_call import Called, call, put
from support.docs_oracle.systems_random import Case
from support.docs_oracle.systems_read import (
    Reach,
    RefusedError,
    State,
    System,
    Target,
    UnusedError,
    read_cpds,
    read_pds,
    read_reach,
)
from support.docs_oracle.systems_run import (
    Bad,
    Explored,
    Explorer,
    canonical,
    fewest_steps,
    groups,
    is_reach,
    is_target,
    moves,
    orbits,
    round_robin,
    steps,
    visible,
)

MOST_CONTEXTS = 7
MOST_ROUNDS = 14


class DisagreementError(Exception):
    """Two answers to one question."""


def claim(holds: bool, *what: object) -> None:
    """Raise unless it holds."""
    if not holds:
        raise DisagreementError(" ".join(map(str, what)))


@dataclass(frozen=True)
class Question:
    """A call of tepui: the command, and its options by their names."""

    command: str
    init: str | None = None
    targets: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()
    deadlock: bool = False
    contexts: int | None = None
    engine: str = "auto"
    symmetry: bool = True
    z: str = "auto"
    rounds: int | None = None
    delays: int | None = None
    tops: int = 1
    listed: bool = False
    at: tuple[str, str] = ("", "")
    called_from: tuple[str, ...] = ()
    domain: str = "relation"
    to: str = "cpds"
    compare: bool = False  # let tepui compare with its own second opinion
    evidence: bool = False  # write the evidence, and let `tepui check` look at it

    def asking(self) -> list[str]:
        """The options that say what is asked."""
        found = []
        for option, values in (
            ("--init", () if self.init is None else (self.init,)),
            ("--target", self.targets),
            ("--reach", self.reach),
            ("--property", ("deadlock",) if self.deadlock else ()),
        ):
            for value in values:
                found += [option, value]
        return found

    def arguments(self, file: Path) -> list[str]:
        """The command line."""
        found = [self.command, str(file), *self.asking()]
        if self.command == "convert":
            return [*found, str(file.with_name(f"converted.{self.to}")), "--force"]
        for option, number in (
            ("--contexts", self.contexts),
            ("--rounds", self.rounds),
            ("--delays", self.delays),
        ):
            if number is not None:
                found += [option, str(number)]
        own = self.of_dataflow() if self.command == "dataflow" else self.of_verify()
        if self.evidence:
            own += ["--evidence", str(file.with_name("evidence.json"))]
        return [*found, "--timeout", "1", "--json", *own]

    def of_dataflow(self) -> list[str]:
        found = ["--at", ":".join(self.at), "--domain", self.domain]
        for each in self.called_from:
            found += ["--called-from", each]
        return [*found, "--compare"] if self.compare else found

    def of_verify(self) -> list[str]:
        found = []
        for option, value, usual in (
            ("--engine", self.engine, "auto"),
            ("--symmetry", "on" if self.symmetry else "off", "on"),
            ("--z", self.z, "auto"),
            ("--tops", str(self.tops), "1"),
        ):
            if value != usual:
                found += [option, value]
        if self.engine not in ("delay", "abstract") and self.rounds is None and self.delays is None:
            found += ["--max-contexts", "9"]
        found += ["--compare", "3"] if self.compare else []
        return [*found, "--list"] if self.listed else found


def read_case(case: Case, init: str | None = None, targets: tuple[str, ...] = ()) -> System:
    """The system that the documentation sees in the texts."""
    if case.form == "cpds":
        return read_cpds(case.text, init, targets)
    return read_pds(case.text, case.init_file, case.spec_file, init, targets)


@dataclass
class Asked:
    """A case in a folder, with what the oracle knows about it."""

    case: Case
    folder: Path
    explored: dict[str | None, Explored] = field(default_factory=dict)
    unknown: bool = False
    verdict: str = ""

    @property
    def file(self) -> Path:
        return self.folder / f"system.{self.case.form}"

    def write(self) -> None:
        """The files of the case."""
        put(self.file, self.case.text)
        if self.case.form == "pds":
            put(self.folder / "system.init", self.case.init_file)
            put(self.folder / "system.spec", self.case.spec_file)

    def explore(self, system: System, init: str | None) -> Explored:
        if init not in self.explored:
            self.explored[init] = Explorer(system).explore(MOST_CONTEXTS)
        return self.explored[init]

    def ask(self, question: Question) -> None:
        """Raise a DisagreementError if tepui gives another answer than the oracle."""
        self.unknown, self.verdict = False, "refused"
        called = call(question.arguments(self.file))
        claim(called.code in (0, 1, 2, 3, 4), "exit code", called.code, called.err[-1500:])
        try:
            system = read_case(self.case, question.init, question.targets)
            reach = [read_reach(system, text) for text in question.reach]
        except RefusedError as error:
            claim(called.code == 2, f"the oracle refuses ({error}), tepui accepts")
            return
        except UnusedError:
            return
        asks = system.targets or reach or question.deadlock
        if question.command == "verify" and not asks:
            claim(called.code == 2, "nothing is asked, and tepui answers")  # the docs are silent
            return
        if question.command == "dataflow" and thread_named(system, question.at[0]) is None:
            claim(called.code == 2, "threads that are not equal")
            return
        claim(called.code != 2, "the oracle accepts, tepui refuses:", called.err)
        self.verdict = question.command
        if question.command == "convert":
            check_converted(self, question, system)
        elif question.command == "dataflow":
            self.unknown = called.code == 3
            if not self.unknown:
                check_dataflow(question, system, called.json)
        else:
            explored = self.explore(system, question.init)
            answer = Answer(question, system, reach, explored, called)
            answer.check()
            bound, resource = answer.result["bound"], answer.result["resource"]
            self.verdict = (
                f"{answer.verdict} {resource if bound is None else f'{bound} {resource}'}"
            )
            if question.evidence and called.code in (0, 1):
                evidence = str(self.folder / "evidence.json")
                checked = call(["check", str(self.file), evidence, *question.asking()])
                claim(checked.code == 0, "tepui check:", checked.code, checked.out, checked.err)
            self.unknown = called.code == 3


def bad_of(question: Question, system: System, reach: list[Reach]) -> Bad:
    """Whether a state is bad: what the options say, or else the file."""
    targets = list(system.targets)
    if not question.targets and (reach or question.deadlock):
        targets = []
    if question.deadlock:
        targets.append(Target(None, (), True))
    return lambda state: (
        any(is_target(system, target, state) for target in targets)
        or any(is_reach(each, state) for each in reach)
    )


@dataclass
class Answer:
    """What tepui has answered to verify or explore, to be compared."""

    question: Question
    system: System
    reach: list[Reach]
    explored: Explored
    called: Called

    def check(self) -> None:
        self.result = self.called.json
        self.verdict = str(self.result["verdict"])
        self.bad = bad_of(self.question, self.system, self.reach)
        codes = {"safe": 0, "collapsed": 0, "unsafe": 1, "unknown": 3, "stopped": 3, "bounded": 4}
        claim(codes[self.verdict] == self.called.code, "verdict", self.verdict, self.called.code)
        if self.question.command == "verify":
            if self.verdict == "unsafe":
                self.check_trace()
            self.check_verdict()
        if self.result["resource"] == "contexts":
            self.check_rounds()
            self.check_symmetry()
            self.check_bound()
        else:
            self.check_delays()
        self.check_end()

    # --- verify ----------------------------------------------------------------------------------

    def check_verdict(self) -> None:
        fewest, exact = self.explored.fewest(self.bad)
        bound, contexts = self.result["bound"], self.question.contexts
        counts_contexts = self.result["resource"] == "contexts"
        bounded = contexts is not None or (not counts_contexts and self.delays_bounded)
        claim(not (bounded and self.verdict == "safe"), "bounded runs are never safe")
        claim(bounded or self.verdict != "bounded", "bounded without a bound")
        if self.verdict in ("safe", "unsafe"):
            claim(self.result["checked"] is True, "evidence was not accepted")
        if self.verdict == "safe":
            claim(fewest is None, "safe, but bad within", fewest)
        elif self.verdict == "unsafe":
            claim(fewest is not None or not exact, "unsafe, but nothing bad is reachable")
            if counts_contexts:
                within = contexts is None or bound <= contexts
                claim(within, "unsafe with", bound, "of", contexts)
                claim(fewest is None or self.is_partial() or bound <= fewest, "fewer:", fewest)
                claim(fewest is None or not exact or bound >= fewest, "unsafe too early:", fewest)
                states, complete = self.explored.within(bound)
                claim(not complete or any(map(self.bad, states)), "not within", bound)
        elif self.verdict == "bounded" and counts_contexts:
            claim(bound == contexts, "bound", bound)
            claim(fewest is None or fewest > (contexts or 0), "bounded, but bad within", fewest)

    @property
    def delays_bounded(self) -> bool:
        return self.question.rounds is not None or self.question.delays is not None

    def check_trace(self) -> None:
        trace = self.result["trace"]
        state = _state(trace["initial"])
        claim(state == self.system.start, "the trace starts in", state)
        names = [thread.name for thread in self.system.threads]
        order: list[int] = []
        waits = 0
        turn = 0
        for step in trace["steps"]:
            claim(step["thread"] in names, "no thread is called", step["thread"])
            thread = names.index(step["thread"])
            while turn % len(names) != thread:
                waits += bool(steps(self.system, state, turn % len(names)))
                turn += 1
            turn += 1
            after = _state(step)
            rule = step["rule"]
            fitting = [
                each
                for each, _, _ in moves(
                    self.system.threads[thread].rules, state[0], state[1][thread]
                )
                if (each.source, each.target) == (rule["source"], rule["target"])
                and (each.top if each.top is not None else "-") == rule["top"]
                and list(each.word) == rule["word"]
            ]
            claim(bool(fitting), "no such rule", rule)
            claim(after in steps(self.system, state, thread), "no such step", step)
            order.append(thread)
            state = after
        contexts = sum(at == 0 or order[at - 1] != order[at] for at in range(len(order)))
        claim(contexts == trace["contexts"], "the trace has contexts:", contexts)
        claim(self.bad(state), "the trace does not end in a bad state:", state)
        if self.result["resource"] == "contexts":
            claim(contexts == self.result["bound"], "bound and contexts of the trace", contexts)
        else:
            found = {"rounds": -(-turn // len(names)), "delays": waits}
            claim(trace["schedule"] == found, "schedule", trace["schedule"], found)
            claim(self.result["bound"] == waits, "bound", self.result["bound"], waits)
            claim(self.result["bound_rounds"] == found["rounds"], "bound_rounds")

    # --- contexts --------------------------------------------------------------------------------

    def is_partial(self) -> bool:
        """Whether this may be an exploration that leaves high stacks out."""
        if self.result["engine"] != "explicit":
            return False
        return any(
            len(rule.word) > 1 and rule.top is not None
            for thread in self.system.threads
            for rule in thread.rules
        )

    def check_rounds(self) -> None:
        before = 0
        for k, row in enumerate(self.result["rounds"]):
            claim(row["k"] == k, "row", row)
            states, exact = self.explored.within(k)
            seen = {visible(state) for state in states}
            claim(row["new_visible"] == row["visible"] - before, "new_visible", row)
            before = row["visible"]
            if self.is_partial():
                claim(not exact or row["visible"] <= len(seen), "too many visible", row)
                claim(not exact or row["states"] <= len(states), "too many states", row)
                continue
            infinite = self.explored.infinite is not None and k >= self.explored.infinite
            if exact:
                found = (len(states), len(seen))
                claim((row["states"], row["visible"]) == found, "round", row, "oracle", found)
            else:
                claim(row["visible"] >= len(seen), "round", row, "oracle has", len(seen))
                if infinite:
                    claim(row["states"] is None, "R_k is infinite:", row)
                elif row["states"] is not None:
                    claim(row["states"] >= len(states), "round", row, "oracle", len(states))
        last = self.result["rounds"][-1]
        claim(self.result["states"] in (None, last["states"]), "states", self.result["states"])

    def check_symmetry(self) -> None:
        result, last = self.result, len(self.result["rounds"]) - 1
        states, exact = self.explored.within(last)
        on = self.question.symmetry and result["engine"] in ("explicit", "symbolic")
        claim(result["symmetry"] is on or result["engine"] == "diagram", "symmetry", on)
        if self.is_partial() or not exact:
            return
        if result["states_up_to_symmetry"] is not None:
            found = orbits(self.system, states) if on else len(states)
            claim(result["states_up_to_symmetry"] == found, "up to symmetry", found)
        if result["visible_up_to_symmetry"] is not None and result["visible_states"] is not None:
            seen = {visible(state) for state in states}
            if len(seen) == result["visible_states"]:
                found = orbits(self.system, seen) if on else len(seen)
                claim(result["visible_up_to_symmetry"] == found, "visible up to symmetry", found)

    def check_bound(self) -> None:
        """Of safe and collapsed: the smallest k with T(R_k) = T(R)."""
        bound = self.result["bound"]
        if self.verdict not in ("safe", "collapsed") or bound is None:
            return
        if self.explored.finished:
            sets = [{visible(state) for state in states} for states in self.explored.rounds]
            found = next(k for k, seen in enumerate(sets) if seen == sets[-1])
            claim(bound == found, "collapsed at", bound, "oracle", found)

    # --- delays ----------------------------------------------------------------------------------

    def check_delays(self) -> None:
        rows = self.result["rounds"]
        asked = self.question
        found_bound = (self.result["bound"] or 0, self.result["bound_rounds"] or 0)
        delays = max([row["delays"] for row in rows] + [asked.delays or 0, found_bound[0]])
        rounds = max([row["rounds"] for row in rows] + [asked.rounds or 0, found_bound[1], 8])
        table = round_robin(self.system, min(rounds, MOST_ROUNDS), delays)
        before: set[Any] = set()
        for row in rows:
            states = table.reached(row["rounds"], row["delays"])
            if states is None:
                break
            seen = {visible(state) for state in states}
            words = {visible(state, self.question.tops) for state in states}
            found = (len(states), len(seen), len(words))
            own = (row["states"], row["visible"], row["top_words"])
            claim(own == found, "round", row, "oracle", found)
            claim(row["new_visible"] == len(seen - before), "new_visible", row)
            before = seen
        bad = self.bad  # these very threads, although equal ones are interchangeable elsewhere
        if self.verdict == "unsafe":
            bound, within = self.result["bound"], self.result["bound_rounds"]
            states = table.reached(within, bound)
            claim(states is None or any(map(bad, states)), "not in R(r, d)", within, bound)
            last = rows[-1]
            states = table.reached(last["rounds"], bound - 1)
            claim(states is None or not any(map(bad, states)), "fewer delays are enough")
            if self.question.delays is not None:
                claim(bound <= self.question.delays, "more delays than allowed")
            if self.question.rounds is not None:
                claim(within <= self.question.rounds, "more rounds than allowed")
        if self.verdict == "bounded":
            most = self.question.rounds if self.question.rounds is not None else len(table.rounds)
            allowed = self.question.delays if self.question.delays is not None else delays
            states = table.reached(min(most, len(table.rounds) - 1), allowed)
            claim(states is None or not any(map(bad, states)), "bad within the bound")
            claim(self.result["bound"] == self.question.delays, "bound", self.result["bound"])
            claim(self.result["bound_rounds"] == self.question.rounds, "bound_rounds")
        if self.verdict == "collapsed" and self.result["bound"] is not None:
            states = table.reached(self.result["bound_rounds"], self.result["bound"])
            if states is not None and self.explored.finished:
                tops = self.question.tops
                found_tops = {visible(state, tops) for state in states}
                wanted = {visible(state, tops) for state in self.explored.rounds[-1]}
                claim(found_tops == wanted, "not everything is there at the bound")

    # --- the end ---------------------------------------------------------------------------------

    def check_end(self) -> None:
        if self.verdict != "collapsed":
            return
        seen = {visible(state) for state in self.explored.rounds[-1]}
        count = self.result["visible_states"]
        claim(count >= len(seen), "collapsed with", count, "but the oracle has", len(seen))
        claim(not self.explored.finished or count == len(seen), "visible", count, len(seen))
        if not self.question.listed:
            return
        listed = self.result["listed"]
        claim(len(listed) == len(set(listed)) or not self.is_plain(), "listed twice")
        shown = {_shown(state) for state in seen}
        claim(not self.explored.finished or set(listed) <= shown, "listed", set(listed) - shown)
        if self.is_plain():
            there = {canonical(self.system, _read_shown(each)) for each in listed}
            for state in seen:
                claim(canonical(self.system, state) in there, "not listed", state)

    def is_plain(self) -> bool:
        return all(
            name.isalnum()
            for thread in self.system.threads
            for name in thread.symbols | self.system.shared
        )


def _shown(state: State) -> str:
    tops = (stack[0] if stack else "-" for stack in state[1])
    return f"{state[0]} | {', '.join(tops)}"


def _read_shown(text: str) -> State:
    shared, _, tops = text.partition(" | ")
    return shared, tuple(() if top == "-" else (top,) for top in tops.split(", "))


def _state(found: Mapping[str, Any]) -> State:
    return found["shared"], tuple(tuple(stack) for stack in found["stacks"])


# --- dataflow and conversion ---------------------------------------------------------------------


def thread_named(system: System, name: str) -> int | None:
    """A thread of this name, or one of several equal ones; None if they are not equal."""
    names = [thread.name for thread in system.threads]
    if name in names:
        return names.index(name)
    found = [at for at, each in enumerate(names) if each.rpartition(".")[0] == name]
    return found[0] if any(set(found) <= set(group) for group in groups(system)) else None


def check_dataflow(question: Question, system: System, found: Mapping[str, Any]) -> None:
    """The shared states, and the fewest steps, with a word on top of the stack of a thread."""
    symbol = question.at[1]
    at = thread_named(system, question.at[0]) or 0
    word = (symbol, *question.called_from)
    contexts = question.contexts if question.contexts is not None else 2
    claim(found["contexts"] == contexts, "contexts", found["contexts"])
    own, complete = fewest_steps(system, contexts, lambda state: state[1][at][: len(word)] == word)
    theirs = {each["values"]["shared state"]: each.get("steps") for each in found["valuations"]}
    claim(found["reachable"] is bool(theirs), "reachable", found["reachable"])
    claim(set(own) <= set(theirs), "missing values", set(own) - set(theirs))
    if complete is None:
        claim(set(own) == set(theirs), "values too many", set(theirs) - set(own))
    if question.domain != "shortest":
        return
    for shared, count in theirs.items():
        if shared in own:
            claim(count == own[shared], "steps", shared, count, "oracle", own[shared])
        else:
            claim(complete is not None and count > complete, "steps", shared, count)
    fewest = min(theirs.values(), default=None)
    claim(found["steps"] == fewest, "fewest steps", found["steps"])


def check_converted(asked: Asked, question: Question, system: System) -> None:
    """What was written reads back as the same system, or as one with the same answers."""
    file = asked.folder / f"converted.{question.to}"
    texts = [file.with_suffix(suffix) for suffix in (f".{question.to}", ".init", ".spec")]
    written = [text.read_bytes().decode() if text.exists() else None for text in texts]
    for text in texts:
        text.unlink(missing_ok=True)
    try:
        if question.to == "cpds":
            again = read_cpds(written[0] or "")
        else:
            again = read_pds(written[0] or "", written[1], written[2])
    except RefusedError as error:
        raise DisagreementError(f"the oracle refuses what was written: {error}") from error
    if question.to == "cpds" and asked.case.form == "cpds":
        claim(_content(again) == _content(system), "another system")
    targets = [list(dict.fromkeys(each.targets)) for each in (system, again)]
    claim(len(targets[0]) == len(targets[1]), "targets", *targets)
    explored, other = Explorer(system).explore(3), Explorer(again).explore(3)
    for k, (here, there) in enumerate(zip(explored.rounds, other.rounds, strict=False)):
        if not explored.exact[k] or not other.exact[k]:
            return
        claim(len(here) == len(there), "R_k differs", k, len(here), len(there))
        seen = [{visible(state) for state in each} for each in (here, there)]
        claim(len(seen[0]) == len(seen[1]), "T(R_k) differs", k)
    own = sorted(str(explored.fewest(partial(is_target, system, each))) for each in targets[0])
    found = sorted(str(other.fewest(partial(is_target, again, each))) for each in targets[1])
    claim(own == found, "targets", own, found)


def _content(system: System) -> tuple[object, ...]:
    threads = [(each.name, frozenset(each.rules)) for each in system.threads]
    return threads, system.start, set(system.targets)
