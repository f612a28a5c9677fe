"""Answers of tepui and of the oracle about the same text, compared."""

from __future__ import annotations

import argparse
import json
import re
import resource
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from click.testing import CliRunner

import tepui
from support.docs_oracle import cases as ask
from support.docs_oracle.cases import MAX_CONTEXTS, MEMORY, Case, cases, counts
from support.docs_oracle.explore import Exploration, Question, Refused, TooBig, explore
from support.docs_oracle.features import features
from support.docs_oracle.random_beginend import random_beginend
from support.docs_oracle.random_braces import random_braces
from support.docs_oracle.reduce import reduced
from support.docs_oracle.report import Report
from support.docs_oracle.run import KINDS
from tepui.cli.app import app

LANGUAGES = {"braces": random_braces, "beginend": random_beginend}


@dataclass(frozen=True)
class Disagreement:
    """Two answers that do not fit; `kind` says in which way."""

    kind: str
    case: Case | None
    tepui: str
    oracle: str

    def text(self) -> str:
        """For people."""
        what = f"{self.case.questions} {self.case.configuration.text()}" if self.case else "-"
        return f"[{self.kind}] {what}\n  tepui:  {self.tepui}\n  oracle: {self.oracle}"


# What tepui answers


def posed(program: tepui.Program, question: Question) -> list[tepui.Question]:
    """A question for tepui."""
    if question[0] == "assertions":
        return [*tepui.assertions(program), *errors(program)]
    if question[0] == "deadlock":
        return [tepui.deadlock()]
    if question[0] == "unreachable":
        return [tepui.unreachable(program, question[1])]
    return [tepui.never_together(program, question[1], question[2])]


def errors(program: tepui.Program) -> list[tepui.Question]:
    """The question for SLIC_ERROR, if the program has this label."""
    try:
        return [tepui.unreachable(program, "SLIC_ERROR")]
    except tepui.UsageError:
        return []


def fewest(oracle: Exploration, questions: Iterable[Question]) -> int | None:
    """The fewest contexts after which one of some questions is violated."""
    found = [one for question in questions if (one := oracle.fewest(question)) is not None]
    return min(found, default=None)


def reaches(oracle: Exploration, question: Question) -> bool:
    """Whether the oracle has a violation; not if it does not know the place."""
    try:
        return oracle.fewest(question) is not None
    except Refused:
        return False


def judge(
    result: tepui.Result, oracle: Exploration, questions: tuple[Question, ...], bound: int | None
) -> str:
    """Why an answer of tepui cannot be right, or nothing."""
    least = fewest(oracle, questions)
    if result.verdict == "safe":
        if bound is not None:
            return "safe within a bound"
        return "safe, but violated" if least is not None else ""
    if result.verdict == "bounded":
        if bound is None:
            return "bounded without a bound"
        return "bounded, but violated" if least is not None and least <= bound else ""
    if result.verdict != "unsafe":
        return ""
    return judge_trace(result, oracle, least, bound, stuck=("deadlock",) in questions)


def judge_trace(
    result: tepui.Result, oracle: Exploration, least: int | None, bound: int | None, *, stuck: bool
) -> str:
    """Why a violation cannot be right, or nothing."""
    if result.trace is None:
        return "unsafe without a trace"
    contexts = result.trace.contexts
    known = oracle.layers - (1 if stuck and oracle.truncated else 0)  # what was cut may be stuck
    counted = result.resource == "contexts"
    if counted and result.bound != contexts:
        return "bound is not that of the trace"
    if counted and bound is not None and contexts > bound:
        return "unsafe beyond the bound"
    if least is None:
        return "unsafe, but not violated" if oracle.exhausted or contexts <= known else ""
    if contexts < least:
        return "too few contexts" if oracle.exhausted or contexts <= known else ""
    return "another number of contexts" if counted and contexts != least else ""


def judge_line(results: list[tepui.Result], oracle: Exploration, question: Question) -> str:
    """Why answers about one line cannot be right; there are several if procedures share it."""
    least = oracle.fewest(question)
    reasons = [
        judge(one, oracle, (question,), None)
        for one in results
        if one.verdict in ("safe", "unsafe")
    ]
    usual = {"safe, but violated", "another number of contexts"}
    if any(one.verdict not in ("safe", "unsafe") for one in results) or len(results) > 1:
        good = any(one.verdict == "unsafe" and one.bound == least for one in results)
        known = all(one.verdict in ("safe", "unsafe") for one in results)
        strange = [why for why in reasons if why and why not in usual]
        return (
            strange[0] if strange else next(filter(None, reasons), "") if known and not good else ""
        )
    return next(filter(None, reasons), "")


class Comparison:
    """One text, loaded by tepui and explored by the oracle."""

    def __init__(self, text: str, path: Path, threads: Mapping[str, int] | None = None) -> None:
        self.text = text
        self.threads = dict(threads or {})
        self.path = path
        self.program: tepui.Program | None = None
        self.oracle: Exploration | None = None
        self.status = "compared"
        self.disagreement: Disagreement | None = None
        self.answers: Counter[str] = Counter()
        self.accept(self.load(), self.explore())

    def accept(self, refusal: str | None, reason: str | None) -> None:
        """Compare why tepui and the oracle refuse the text, or that they do not."""
        if self.disagreement or (refusal is None and reason is None):
            return
        if refusal is not None and reason is not None:
            self.status = "refused by both"
        elif refusal is not None and self.oracle is not None:
            self.disagreement = Disagreement("only tepui refuses", None, refusal, "accepted")
        elif reason is not None and self.program is not None:
            self.disagreement = Disagreement("only the oracle refuses", None, "accepted", reason)

    def load(self) -> str | None:
        """Load it; why tepui refuses it, if it does."""
        self.path.write_text(self.text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                program = tepui.load(self.path, threads=self.threads)
        except (tepui.InputError, tepui.UsageError) as error:
            return str(error)
        except Exception as error:
            self.disagreement = Disagreement(broken(error), None, described(error), "-")
            return None
        assert isinstance(program, tepui.Program)
        self.program = program
        return None

    def explore(self) -> str | None:
        """Explore it; why the oracle refuses it, if it does."""
        try:
            self.oracle = explore(
                self.text,
                threads=self.threads,
                max_contexts=MAX_CONTEXTS,
                max_states=4000,
                max_depth=8,
                max_threads=5,
            )
        except Refused as error:
            return str(error) or "refused"
        except TooBig:
            self.status = "too big for the oracle"
        except Exception as error:
            kind = f"oracle {broken(error)}"
            self.disagreement = Disagreement(kind, None, "-", described(error))
        return None

    def check(self, case: Case) -> Disagreement | None:
        """Ask tepui, and compare."""
        if self.program is None or self.oracle is None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if case.configuration.ask == "explore":
                    return self.coverage(case)
                return self.verdicts(case)
        except Exception as error:
            return Disagreement(broken(error), case, described(error), "-")

    def verdicts(self, case: Case) -> Disagreement | None:
        """Compare answers to questions."""
        assert self.program is not None
        assert self.oracle is not None
        how = case.configuration
        options = how.options()
        if ("assertions",) in case.questions and not posed(self.program, ("assertions",)):
            self.answers["assertions: none"] += 1
            if self.oracle.fewest(("assertions",)) is not None:
                return Disagreement("asks nothing, but violated", case, "-", "violated")
            case = Case(tuple(one for one in case.questions if one != ("assertions",)), how)
        questions = tuple(each for each in case.questions if self.known(each))
        for each in case.questions:
            if each not in questions and reaches(self.oracle, each):
                return Disagreement("no such place, but reached", case, "-", str(each))
        if not questions:
            return None
        case = Case(questions, how)
        pairs: list[tuple[tuple[Question, ...], tepui.Result]] = []
        if how.ask == "verify":
            asked = [one for each in case.questions for one in posed(self.program, each)]
            own = case.questions == (("assertions",),)
            result = tepui.verify(self.program, None if own else asked, options)
            pairs.append((case.questions, result))
        elif how.ask == "own":
            return self.own(case, options)
        else:
            rest = [each for each in case.questions if each != ("assertions",)]
            asked = [one for each in rest for one in posed(self.program, each)]
            answers = tepui.verify_all(self.program, asked, options)
            pairs += [((each,), one.result) for each, one in zip(rest, answers, strict=True)]
        for questions, result in pairs:
            least = fewest(self.oracle, questions)
            self.count(result, questions)
            why = judge(result, self.oracle, questions, how.contexts)
            if why:
                only = Case(questions, how) if how.ask == "verify" else case
                return Disagreement(why, only, shown(result), self.told(questions, least))
        return None

    def known(self, question: Question) -> bool:
        """Whether tepui knows the places of a question; it knows only those that can be run."""
        assert self.program is not None
        try:
            posed(self.program, question)
        except (tepui.UsageError, tepui.InputError):
            self.answers["no such place"] += 1
            return False
        return True

    def own(self, case: Case, options: tepui.Options) -> Disagreement | None:
        """Compare answers to each of the program's own questions."""
        assert self.program is not None
        assert self.oracle is not None
        found: dict[Question, list[tepui.Result]] = {}
        for answer in tepui.verify_all(self.program, None, options):
            place = re.search(r" at \S+:(\d+)", answer.question.text, re.DOTALL)
            question: Question = ("unreachable", "SLIC_ERROR")
            if place and answer.question.kind in KINDS:
                question = (answer.question.kind, place[1])
            found.setdefault(question, []).append(answer.result)
        for question, results in found.items():
            for result in results:
                self.count(result, (question,))
            why = judge_line(results, self.oracle, question)
            if why:
                told = self.told((question,), self.oracle.fewest(question))
                return Disagreement(why, case, "; ".join(map(shown, results)), told)
        for kind, line in self.oracle.violated_lines():
            if (kind, str(line)) not in found:
                return Disagreement("not asked, but violated", case, "-", f"{kind} {line}")
        return None

    def coverage(self, case: Case) -> Disagreement | None:
        """Compare which statements are reached."""
        assert self.oracle is not None
        how = case.configuration
        z = "auto" if how.z == "default" else how.z
        words = ["explore", str(self.path), "--json", "--engine", how.engine, "--z", z]
        words += ["--symmetry", "on" if how.symmetry else "off"]
        for name, count in self.threads.items():
            words += ["--threads", f"{name}={count}"]
        words += ["--timeout", str(ask.TIMEOUT), "--memory", f"{MEMORY >> 21}M"]
        words += [] if how.counts_delays() else ["--max-contexts", str(MAX_CONTEXTS)]
        words += [] if how.liveness else ["--no-liveness"]
        run = CliRunner().invoke(app, [*words, "--slots", str(how.slots)])
        if "--slots is for programs that fork" in str(run.exception):
            run = CliRunner().invoke(app, words)
        if run.exit_code not in (0, 3):
            return Disagreement(
                f"exit code {run.exit_code}", case, run.output[-1500:] + str(run.exception), "-"
            )
        result = json.loads(run.stdout)
        certain = result["coverage_certain"]
        self.answers[f"explore: {result['verdict']}, {certain}"] += 1
        reached = {plain(one) for one in result["coverage"] if one["reached_by"]}
        known = {plain(one) for one in result["coverage"]}
        seen = {(name.split("@")[0], line) for name, line in self.oracle.reached_lines()}
        told = f"exhausted={self.oracle.exhausted} reached {sorted(seen)}"
        both = f"{certain}: reached {sorted(reached)} of {sorted(known)}"
        if seen - known:
            return Disagreement("statements unknown to tepui", case, both, told)
        whole = self.oracle.exhausted
        if certain in ("all", "reached") and whole and reached - seen:
            return Disagreement("reached, but not by the oracle", case, both, told)
        if certain in ("all", "unreached") and seen - reached:
            return Disagreement("not reached, but by the oracle", case, both, told)
        return None

    def count(self, result: tepui.Result, questions: tuple[Question, ...]) -> None:
        """Count an answer."""
        kind = questions[0][0] if len(questions) == 1 else "several"
        self.answers[f"{kind}: {result.verdict}"] += 1

    def told(self, questions: tuple[Question, ...], least: int | None) -> str:
        """What the oracle says."""
        one = self.oracle
        assert one is not None
        how = f"exhausted={one.exhausted} layers={one.layers} truncated={one.truncated}"
        return f"fewest({questions}) = {least}, {how}"


def plain(statement: dict[str, object]) -> tuple[str, int]:
    """The procedure and line of a statement of coverage."""
    return str(statement["procedure"]), int(str(statement["line"]))


def broken(error: Exception) -> str:
    """A kind of disagreement: an exception where none is expected."""
    return f"exception {type(error).__name__}"


def described(error: Exception) -> str:
    """An exception with its last places."""
    places = traceback.extract_tb(error.__traceback__)[-3:]
    rows = ", ".join(f"{Path(one.filename).name}:{one.lineno}" for one in places)
    return f"{type(error).__name__}: {str(error)[:1500]} ({rows})"


def shown(result: tepui.Result) -> str:
    """A result in one line."""
    contexts = result.trace.contexts if result.trace else None
    return (
        f"{result.verdict} bound={result.bound} {result.resource} engine={result.engine} "
        f"trace={contexts} proof={result.proof} notes={result.notes}"
    )


def compare(text: str, seed: int, path: Path, report: Report) -> list[Disagreement]:
    """Compare what tepui and the oracle say about a text; at most one of each kind."""
    threads = counts(text, Random(f"threads {seed}"))
    one = Comparison(text, path, threads)
    found: dict[str, Disagreement] = {}
    if one.disagreement is not None:
        found[one.disagreement.kind] = one.disagreement
    elif one.program is not None and one.oracle is not None:
        for case in cases(text, Random(f"cases {seed}")):
            wrong = one.check(case)
            if wrong is not None:
                found.setdefault(wrong.kind, wrong)
        report.features.update(features(text) | ({"threads="} if threads else set()))
        if one.oracle.exhausted:
            one.status = "compared, exhausted"
        elif one.oracle.truncated:
            one.status = "compared, truncated"
    report.programs[one.status] += 1
    report.answers.update(one.answers)
    report.disagreements += len(found)
    return list(found.values())


def still(wrong: Disagreement, text: str, path: Path, threads: Mapping[str, int]) -> bool:
    """Whether a text shows the same disagreement."""
    one = Comparison(text, path, threads)
    if wrong.case is None:
        return one.disagreement is not None and one.disagreement.kind == wrong.kind
    if one.disagreement is not None:
        return False
    now = one.check(wrong.case)
    return now is not None and now.kind == wrong.kind


def minimal(
    text: str, wrong: Disagreement, path: Path, threads: Mapping[str, int]
) -> tuple[str, Disagreement]:
    """A smaller text with the same disagreement, and how it looks there."""
    small = reduced(text, lambda shorter: still(wrong, shorter, path, threads), most=400)
    one = Comparison(small, path, threads)
    if wrong.case is None:
        return small, one.disagreement or wrong
    return small, one.check(wrong.case) or wrong


def campaign(language: str, first: int, count: int, folder: Path, reduce: bool) -> Report:
    """Compare many programs, and print what goes on."""
    report = Report()
    path = folder / "p.bp"
    began = time.monotonic()
    for seed in range(first, first + count):
        text = LANGUAGES[language](seed)
        start = time.monotonic()
        threads = counts(text, Random(f"threads {seed}"))
        for wrong in compare(text, seed, path, report):
            print(f"=== {language} seed {seed} {threads}: {wrong.text()}", flush=True)
            shorter, now = minimal(text, wrong, path, threads) if reduce else (text, wrong)
            print(f"--- text\n{shorter}--- {now.text()}\n", flush=True)
        if time.monotonic() - start > 10:
            print(f"seed {seed} took {time.monotonic() - start:.0f} s", flush=True)
        if (seed - first + 1) % 50 == 0:
            took = time.monotonic() - began
            print(f"{seed - first + 1} programs, {took:.0f} s, {dict(report.programs)}", flush=True)
    return report


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="braces")
    parser.add_argument("--no-reduce", action="store_true")
    given = parser.parse_args(words)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        report = campaign(
            given.language, given.first, given.count, Path(folder), not given.no_reduce
        )
    report.show()
    print(f"disagreements: {report.disagreements}")
    return 1 if report.disagreements else 0


if __name__ == "__main__":
    raise SystemExit(main())
