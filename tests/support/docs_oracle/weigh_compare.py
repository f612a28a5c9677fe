"""Compares `tepui weigh` with the oracle: `python -m support.docs_oracle.weigh_compare`.

Run it in tests/, with --from SEED and --count N.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import shutil
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from support.docs_oracle.systems_call import Called, call, put, scratch
from support.docs_oracle.systems_check import DisagreementError, claim
from support.docs_oracle.systems_compare import Report
from support.docs_oracle.systems_random import reach_name
from support.docs_oracle.weigh_domains import Affine
from support.docs_oracle.weigh_oracle import (
    Configuration,
    GlobalMember,
    Weighted,
    accepted,
    global_member,
    members,
    reach,
    read_weighted,
    total,
)
from support.docs_oracle.weigh_pdaaal import Pdaaal, least, random_pdaaal
from support.docs_oracle.weigh_random import WeighCase, random_weighted

TRIED = 12  # configurations for which a printed automaton is asked


class Compared:
    """A case in a file, and the questions about it."""

    def __init__(self, case: WeighCase, folder: Path) -> None:
        self.case, self.file = case, folder / "system.json"
        put(self.file, json.dumps(case.text))
        self.system: Weighted = read_weighted(case.text)
        self.unknown = False
        self.soft = False
        self.verdict = ""

    def arguments(self) -> list[str]:
        found = ["weigh", str(self.file), "--timeout", "5"]
        for option, values in (("--from", self.case.starts), ("--to", self.case.targets)):
            for value in values:
                found += [option, value]
        for option, content in self.case.files.items():
            file = self.file.with_name(f"set{option}")
            put(file, content if isinstance(content, str) else json.dumps(content))
            found += [option, f"@{file}"]
        return found

    def call(self, *more: str) -> Called:
        called = call([*self.arguments(), *more])
        claim(called.code in (0, 3), "exit code", called.code, called.err[-1500:])
        self.unknown = called.code == 3
        return called

    @property
    def contexts(self) -> int | None:
        if not self.system.concurrent:
            return None
        if self.case.contexts is not None:
            return self.case.contexts
        return int(self.case.text["contexts"])

    def sets(self) -> tuple[GlobalMember, GlobalMember]:
        files = self.case.files
        starts = [*self.case.starts, *([files["--from"]] if "--from" in files else [])]
        targets = [*self.case.targets, *([files["--to"]] if "--to" in files else [])]
        start = starts or self.case.text.get("start")
        target = targets or self.case.text.get("target")
        return (
            global_member(self.system, start, "start"),
            global_member(self.system, target, "target"),
        )

    # --- the weight ------------------------------------------------------------------------------

    def weigh(self) -> None:
        """The weight of all runs."""
        more = [] if self.case.contexts is None else ["--contexts", str(self.case.contexts)]
        called = self.call("--json", *more)
        if self.unknown:
            return
        found = called.json
        start, target = self.sets()
        own = total(self.system, start, target, self.contexts)
        domain = self.system.domain
        theirs = domain.answer(found["weight"])
        claim(found["contexts"] == self.contexts, "contexts", found["contexts"])
        claim(domain.below(theirs, own.weight), "weight", theirs, "oracle has", own.weight)
        self.verdict = "exact" if own.exact else "stable" if own.stable else "below"
        self.verdict += " zero" if theirs == domain.zero else ""
        self.verdict += " one" if theirs == domain.one else ""
        if own.exact or own.stable:
            self.soft = not own.exact
            claim(theirs == own.weight, "weight", theirs, "oracle", own, "soft:", self.soft)
        claim(found["reachable"] is (theirs != domain.zero), "reachable", found["reachable"])
        rules = None
        if found["run"] is not None:
            rules = found["run"]["rules"]
            claim(theirs != domain.zero, "a run without a weight")
        elif isinstance(found["weight"], dict) and "rules" in found["weight"]:
            rules = found["weight"]["rules"]
        if rules is not None:
            self.replay(rules, theirs, found["run"])

    def replay(self, rules: list[int], weight: Any, run: Any) -> None:
        """The rules lead from the start to the target with this weight."""
        start, target = self.sets()
        domain = self.system.domain
        cost = domain.one
        for number in rules:
            cost = domain.extend(cost, self.system.rules[number].weight)
        claim(cost == weight, "the run has the weight", cost)
        begin: list[Configuration]
        if run is not None and not self.system.concurrent:
            shown = [(each[0], (tuple(each[1:]),)) for each in run["configurations"]]
            claim(len(shown) == len(rules) + 1, "configurations", len(shown))
            begin = [shown[0]]
            for number, before, after in zip(rules, shown, shown[1:], strict=False):
                claim(self.after(before, number) == after, "no such step", before, after)
        else:
            begin, all_of_them = members(self.system, start)
            if not all_of_them:
                return
        claim(any(self.leads(each, rules, start, target) for each in begin), "no such run", rules)

    def leads(
        self, here: Configuration, rules: list[int], start: GlobalMember, target: GlobalMember
    ) -> bool:
        if not start(here):
            return False
        threads = [self.system.rules[number].thread for number in rules]
        contexts = sum(at == 0 or threads[at - 1] != threads[at] for at in range(len(threads)))
        if self.contexts is not None and contexts > self.contexts:
            return False
        for number in rules:
            following = self.after(here, number)
            if following is None:
                return False
            here = following
        return target(here)

    def after(self, here: Configuration, number: int) -> Configuration | None:
        rule = self.system.rules[number]
        state, stacks = here
        stack = stacks[rule.thread]
        if not stack or rule.source != (state, stack[0]):
            return None
        word = rule.target[1] + stack[1:]
        return rule.target[0], (*stacks[: rule.thread], word, *stacks[rule.thread + 1 :])

    def text(self) -> None:
        """The relations that are printed for people, of affine maps."""
        domain = self.system.domain
        more = [] if self.case.contexts is None else ["--contexts", str(self.case.contexts)]
        found = self.call("--json", *more)
        shown = self.call(*more).out
        if self.unknown or found.code == 3 or not isinstance(domain, Affine):
            return
        weight = domain.answer(found.json["weight"])
        claim(("not reachable" in shown) == (weight == domain.zero), "reachable", shown)
        if weight == domain.zero:
            return
        lines = re.split(r"^  (?:weight|domain)  ", shown, flags=re.MULTILINE)[1].splitlines()
        relations = [
            _relation(line.strip(), domain) for line in lines if line.strip() != "nothing holds"
        ]
        claim(all(domain.holds(weight, each) for each in relations), "does not hold", lines)
        complete = domain.spanned(relations) == domain.holding(weight)
        claim(complete, "not all relations", lines, domain.holding(weight))

    # --- automata --------------------------------------------------------------------------------

    def post(self) -> None:
        """The weights of what the start reaches."""
        called = self.call("--post")
        if self.unknown:
            return
        start, _ = self.sets()
        starts, all_of_them = members(self.system, start)
        reached = reach(self.system, starts, None, 9)
        automaton = called.json
        claim(automaton["direction"] == "backward", "direction", automaton["direction"])
        domain = self.system.domain
        tried = sorted(reached.weights, key=lambda each: (len(each[1][0]), each))[:TRIED]
        tried += [(state, ((),)) for state in self.system.states]
        for state, (stack,) in tried:
            own = reached.weights.get((state, (stack,)), domain.zero)
            theirs = accepted(domain, automaton, state, stack)
            claim(domain.below(theirs, own), "post", state, stack, theirs, "oracle has", own)
            if reached.complete and all_of_them:
                claim(theirs == own, "post", state, stack, theirs, "oracle", own)

    def pre(self) -> None:
        """The weights of what reaches the target."""
        called = self.call("--pre")
        if self.unknown:
            return
        _, target = self.sets()
        automaton = called.json
        claim(automaton["direction"] == "forward", "direction", automaton["direction"])
        domain = self.system.domain
        configurations, _ = members(self.system, lambda each: len(each[1][0]) <= 2)
        for here in configurations[:: max(1, len(configurations) // TRIED)]:
            reached = reach(self.system, [here], None, 8)
            own = domain.zero
            for each, weight in reached.weights.items():
                if target(each):
                    own = domain.combine(own, weight)
            theirs = accepted(domain, automaton, here[0], here[1][0])
            claim(domain.below(theirs, own), "pre", here, theirs, "oracle has", own)
            if reached.complete:
                claim(theirs == own, "pre", here, theirs, "oracle", own)


def _relation(line: str, domain: Affine) -> tuple[int, ...]:
    """`2 x + y - 2 = 0 (mod 6)` as coefficients, the constant first."""
    left, right = line.split(" = ")
    claim(right == ("0" if domain.modulus is None else f"0 (mod {domain.modulus})"), line)
    found = [0] * domain.order
    sign = 1
    for term in re.split(r" ([+-]) ", left):
        if term in ("+", "-"):
            sign = 1 if term == "+" else -1
            continue
        match = re.fullmatch(r"(-?)(\d*) ?(.*)", term)
        claim(match is not None, line)
        minus, number, name = match.groups() if match else ("", "", "")
        at = domain.variables.index(name) + 1 if name else 0
        found[at] += sign * (-1 if minus else 1) * int(number or 1)
        sign = 1
    return tuple(found)


def ask(
    case: WeighCase, folder: Path, kind: str, report: Report | None = None
) -> tuple[str | None, bool]:
    """What is wrong about one question, and whether tepui did not answer."""
    compared = Compared(case, folder)
    try:
        getattr(compared, kind)()
    except DisagreementError as error:
        return str(error), False
    except Exception:  # the oracle does not understand the answer
        return "exception: " + traceback.format_exc()[-1500:], False
    if report is not None:
        report.verdicts[f"{kind} {compared.verdict}"] += 1
    return None, compared.unknown


def lively(case: WeighCase, seed: int) -> WeighCase:
    """The same with a target that has something far away, in most cases."""
    rng = Random(seed)
    compared = read_weighted(case.text)
    if "start" not in case.text or case.targets or case.files or rng.random() < 0.3:
        return case
    start = global_member(compared, case.starts or case.text["start"], "start")
    contexts = None if not compared.concurrent else 3
    reached = list(reach(compared, members(compared, start)[0][:5], contexts, 6).weights)
    if not reached:
        return case
    state, stacks = rng.choice(reached[-3:])
    words = [" ".join(map(reach_name, stack)) or "-" for stack in stacks]
    shared = "*" if rng.random() < 0.3 else reach_name(state)
    for thread in case.text.get("threads", ()):
        thread.pop("target", None)
    if compared.concurrent:
        wild = ["*" if rng.random() < 0.3 else word for word in words]
        case.text["target"] = f"{shared} | {', '.join(wild)}"
    else:
        case.text["target"] = f"<{shared}, {words[0]}{rng.choice(('', '', ' | .', ' .*'))}>"
    case.features.add("lively target")
    return case


def compare(seed: int, report: Report) -> None:
    """All questions about one random system."""
    case = lively(random_weighted(seed), seed)
    folder = scratch()
    try:
        report.cases += 1
        report.features.update(case.features)
        kinds = ["weigh"] if "threads" in case.text else ["weigh", "post", "pre"]
        for kind in [*kinds, "text"] if "affine" in case.features else kinds:
            label = f"{kind} {'concurrent' if 'threads' in case.text else 'sequential'}"
            report.answers[label] += 1
            wrong, unknown = ask(case, folder, kind, report)
            report.answers["(unknown)"] += unknown
            if wrong is not None:
                small, text = reduce_case(case, folder, kind, wrong)
                report.findings.append(
                    f"=== seed {seed} {kind}: {text}\n{json.dumps(small.text)}\n"
                    f"from {small.starts} to {small.targets} contexts {small.contexts}"
                )
    finally:
        shutil.rmtree(folder)


def compare_pdaaal(seed: int, report: Report) -> None:
    """The least cost of one random file of PDAAAL."""
    file = random_pdaaal(seed)
    folder = scratch()
    try:
        path = folder / "instance.json"
        put(path, json.dumps(file.text))
        arguments = ["weigh", str(path), "--timeout", "5", "--json"]
        for option, parts in (("--from", file.starts), ("--to", file.targets)):
            if parts:
                arguments += [option, " | ".join(part.text() for part in parts)]
        report.features.update(file.features)
        report.answers["weigh PDAAAL"] += 1
        called = call(arguments)
        report.answers["(unknown)"] += called.code == 3
        if wrong := wrong_cost(file, called):
            report.findings.append(
                f"=== seed {seed} PDAAAL: {wrong}\n{json.dumps(file.text)}\n{arguments[5:]}"
            )
    finally:
        shutil.rmtree(folder)


def wrong_cost(file: Pdaaal, called: Called) -> str | None:
    """What is wrong about the answer, if anything."""
    if called.code == 3:
        return None
    own = least(file)
    if called.code == 2:
        refused = own.endless or not own.exact
        negative = "negative" in called.err or "cycle" in called.err
        return None if refused and negative else f"refused: {called.err}"
    if called.code != 0:
        return f"exit code {called.code}: {called.err}"
    cost = called.json["weight"]
    if own.endless:
        return f"the cost {cost}, but it falls for ever"
    if own.exact:
        return None if cost == own.cost else f"cost {cost}, oracle {own}"
    fits = own.cost is None or (cost is not None and cost <= own.cost)
    return None if fits else f"cost {cost}, oracle has {own}"


def _smaller(case: WeighCase) -> Iterator[WeighCase]:
    """The case without one rule, or without the weight of one, or without an option."""
    threads = case.text.get("threads", [case.text])
    for at, thread in enumerate(threads):
        for number, rule in enumerate(thread["rules"]):
            smaller = copy.deepcopy(case)
            del smaller.text.get("threads", [smaller.text])[at]["rules"][number]
            yield smaller
            if "weight" in rule:
                smaller = copy.deepcopy(case)
                del smaller.text.get("threads", [smaller.text])[at]["rules"][number]["weight"]
                yield smaller
    for key in ("starts", "targets"):
        for at in range(len(getattr(case, key))):
            smaller = copy.deepcopy(case)
            del getattr(smaller, key)[at]
            yield smaller


def _kind(wrong: str) -> str:
    if not wrong.startswith("exit code"):
        return wrong[:9]
    return re.sub(r"[0-9]|/\S*", "", wrong.splitlines()[0])


def reduce_case(case: WeighCase, folder: Path, kind: str, wrong: str) -> tuple[WeighCase, str]:
    """A smaller case with the same kind of disagreement."""
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(case):
            found, _ = ask(smaller, folder, kind)
            if found is not None and _kind(found) == _kind(wrong):
                case, wrong, changed = smaller, found, True
                break
    return case, wrong


def main() -> None:
    """Compare this many systems and print the outcome."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    report = Report()
    start = time.monotonic()
    for seed in range(options.first, options.first + options.count):
        known = len(report.findings)
        compare(seed, report)
        compare_pdaaal(seed, report)
        for finding in report.findings[known:]:
            print(finding, flush=True)
        if (seed + 1 - options.first) % 200 == 0:
            print(seed + 1 - options.first, "systems", round(time.monotonic() - start), "s")
    answers = sum(report.answers.values()) - report.answers["(unknown)"]
    print(f"{report.cases} systems, {answers} answers, {len(report.findings)} disagreements")
    for name, counts in (
        ("features", report.features),
        ("answers", report.answers),
        ("verdicts", report.verdicts),
    ):
        print(name, ", ".join(f"{key}: {count}" for key, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
