"""Compares tepui with the oracle on random systems.

Run it in tests/: `python -m support.docs_oracle.systems_compare`, with --from SEED and --count N.
"""

from __future__ import annotations

import argparse
import shutil
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random

from support.docs_oracle.systems_call import call, scratch
from support.docs_oracle.systems_check import Asked, DisagreementError, Question, claim, read_case
from support.docs_oracle.systems_random import (
    PLAIN,
    Block,
    Case,
    Shape,
    Writer,
    random_reach,
    random_reach_like,
    random_shape,
    spoil,
    write_cpds,
    write_pds,
)
from support.docs_oracle.systems_read import RefusedError, State
from support.docs_oracle.systems_run import Explorer

MOST_SECONDS = 60  # to make a disagreement smaller
CONTEXT_ENGINES = ("auto", "explicit", "diagram", "symbolic")
DELAY_ENGINES = ("delay", "abstract")
STRENGTHS = ("auto", "auto", "cut", "matched", "matched:2", "matched:3", "off")


@dataclass
class Report:
    """What was compared, and what came of it."""

    cases: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


def random_case(seed: int) -> tuple[Random, Shape, Case]:
    """A system as a text, and what it was made of."""
    rng = Random(seed)
    numbers = rng.random() < 0.4
    shape = random_shape(rng, numbers)
    return rng, shape, write_pds(rng, shape) if numbers else write_cpds(rng, shape)


def _how(rng: Random, question: Question) -> Question:
    """The question to a random engine, with or without symmetry, with some Z."""
    engine = rng.choice((*CONTEXT_ENGINES, *DELAY_ENGINES))
    z = rng.choice(STRENGTHS)
    if engine == "abstract" and z == "off":
        z = "auto"
    return replace(question, engine=engine, symmetry=rng.random() < 0.7, z=z)


def questions(rng: Random, shape: Shape, case: Case) -> Iterator[Question]:
    """About fifteen questions about a case."""
    writer = Writer(rng, case.form == "pds")
    init = writer.state(shape) if rng.random() < 0.3 or case.init_file is None else None
    init = None if case.form == "cpds" and rng.random() < 0.8 else init
    own = bool(case.spec_file) or "bad " in case.text
    targets = tuple(writer.target(shape) for _ in range(rng.choice((1, 1, 2))))
    targets = () if own and rng.random() < 0.3 else targets
    deep = _deep(rng, case, init)
    if deep is not None and rng.random() < 0.7:
        targets = (writer.like(deep),)
    asked = Question("verify", init=init, targets=targets)
    yield replace(asked, evidence=rng.random() < 0.3)
    yield _how(rng, asked)
    yield replace(_how(rng, asked), evidence=rng.random() < 0.3)
    engine = rng.choice(CONTEXT_ENGINES)
    yield replace(asked, contexts=rng.randint(0, 4), engine=engine)
    yield replace(_how(rng, asked), targets=(), deadlock=True)
    reach = tuple(random_reach(rng, shape) for _ in range(rng.choice((1, 1, 2))))
    if deep is not None and rng.random() < 0.7:
        reach = (random_reach_like(rng, deep),)
    whole = replace(asked, targets=(), reach=reach, deadlock=rng.random() < 0.1)
    yield replace(whole, contexts=rng.randint(0, 4), engine=rng.choice(CONTEXT_ENGINES))
    yield _how(rng, whole)
    yield from _explorations(rng, init)
    bounded = rng.choice((asked, whole))
    rounds, delays = rng.randint(0, 6), rng.randint(0, 3)
    yield replace(
        bounded,
        engine=rng.choice(("auto", *DELAY_ENGINES)),
        rounds=rng.choice((rounds, rounds, None)),
        delays=delays,
    )
    yield from _facts(rng, shape, init, case)
    to = rng.choice(("cpds", "pds"))
    yield Question("convert", init=init, targets=targets, to=to)


def _deep(rng: Random, case: Case, init: str | None) -> State | None:
    """A state that takes many contexts, or one that is nearly so."""
    try:
        system = read_case(case, init)
    except RefusedError:
        return None
    rounds = Explorer(system).explore(6).rounds
    fresh = [new for new in (b - a for a, b in pairwise([set(), *rounds])) if new]
    shared, stacks = rng.choice(sorted(fresh[rng.choice((-1, -1, -2)) % len(fresh)]))
    if rng.random() < 0.4:
        other = rng.choice(sorted(rounds[-1]))
        at = rng.randrange(len(stacks))
        stacks = (*stacks[:at], other[1][at], *stacks[at + 1 :])
    return shared, stacks


def _explorations(rng: Random, init: str | None) -> Iterator[Question]:
    explore = Question("explore", init=init, listed=rng.random() < 0.5)
    engine = rng.choice(CONTEXT_ENGINES)
    compare = rng.random() < 0.4
    yield replace(_how(rng, explore), engine=engine, compare=compare)
    yield replace(
        _how(rng, explore),
        engine=rng.choice(("delay", "delay", "abstract")),
        z=rng.choice(("auto", "matched", "cut")),
        tops=rng.choice((1, 1, 2, 3)),
        rounds=rng.randint(3, 8),
        delays=rng.choice((None, 1, 2)),
        listed=False,
    )


def _facts(rng: Random, shape: Shape, init: str | None, case: Case) -> Iterator[Question]:
    at = rng.randrange(len(shape.blocks))
    block = shape.blocks[at]
    name = f"T{at + 1}" if case.form == "pds" else block.name
    known = _known(block) if init is None else [s for s in _known(block) if s in _ruled(block)]
    if not known or not all(PLAIN.fullmatch(each) for each in (name, *block.symbols)):
        return
    for domain in ("relation", "shortest"):
        yield Question(
            "dataflow",
            init=init,
            at=(name, rng.choice(known)),
            called_from=tuple(rng.choices(known, k=rng.choice((0, 0, 0, 1, 2)))),
            contexts=rng.choice((None, 1, 2, 3, 4)),
            domain=domain,
            compare=rng.random() < 0.3,
        )


def _ruled(block: Block) -> set[str]:
    return {s for _, top, _, word in block.rules for s in (top, *word) if s is not None}


def _known(block: Block) -> list[str]:
    return sorted(_ruled(block) | set(block.stack))


# --- comparing -----------------------------------------------------------------------------------


def _label(question: Question) -> str:
    kind = question.command
    if kind == "verify":
        kind += " --reach" if question.reach else " deadlock" if question.deadlock else ""
        kind += " bounded" if question.contexts is not None else ""
        kind += " R(r, d)" if question.rounds is not None or question.delays is not None else ""
    kind += " --compare" if question.compare else ""
    kind += " --evidence" if question.evidence else ""
    kind += f" {question.domain}" if question.command == "dataflow" else ""
    return kind + (f" {question.engine}" if question.command in ("verify", "explore") else "")


def _try(asked: Asked, question: Question) -> str | None:
    try:
        asked.ask(question)
    except DisagreementError as error:
        return str(error)
    except Exception:  # the oracle does not understand the answer
        return "exception: " + traceback.format_exc()[-1500:]
    return None


def compare(seed: int, report: Report) -> None:
    """Ask all questions about one random system, and whether broken texts are refused."""
    rng, shape, case = random_case(seed)
    folder = scratch()
    try:
        report.cases += 1
        report.features.update(case.features | {case.form})
        asked = Asked(case, folder)
        asked.write()
        for question in questions(rng, shape, case):
            report.answers[_label(question)] += 1
            error = _try(asked, question)
            report.answers["(unknown)"] += asked.unknown
            report.verdicts[asked.verdict] += 1
            if error is not None:
                small, text = reduce_case(asked, question)
                report.findings.append(_told(seed, small, question, text))
        asked = Asked(case, folder)
        for _ in range(2):
            spoiled = _spoiled(rng, case)
            report.answers["read spoiled"] += 1
            if wrong_reading(Asked(spoiled, folder)):
                small, text = _reduce(spoiled, lambda each: wrong_reading(Asked(each, folder)))
                report.findings.append(_told(seed, small, Question("explore"), text))
    finally:
        shutil.rmtree(folder)


def _spoiled(rng: Random, case: Case) -> Case:
    if case.form == "pds" and rng.random() < 0.4:
        name = rng.choice(("init_file", "spec_file"))
        text = getattr(case, name)
        if text is not None:
            changed = spoil(rng, text)
            if name == "init_file":
                return replace(case, init_file=changed)
            return replace(case, spec_file=changed)
    return replace(case, text=spoil(rng, case.text))


def wrong_reading(asked: Asked) -> str | None:
    """Whether tepui takes a text that the oracle refuses, or the other way round."""
    asked.write()
    called = call(["explore", str(asked.file), "--max-contexts", "0", "--json"])
    try:
        claim(called.code in (0, 2, 3), "exit code", called.code, called.err[-1500:])
        try:
            read_case(asked.case)
        except RefusedError as error:
            claim(called.code == 2, f"the oracle refuses ({error}), tepui accepts")
        else:
            claim(called.code != 2, "the oracle accepts, tepui refuses:", called.err)
    except DisagreementError as error:
        return str(error)
    return None


def _kind(text: str) -> str:
    """What a disagreement is about, without its numbers."""
    return "".join(letter for letter in text[:24] if not letter.isdigit())


def _reduce(case: Case, wrong: Callable[[Case], str | None]) -> tuple[Case, str]:
    """Take lines away, and words, as long as it stays the same kind of disagreement."""
    text = wrong(case) or ""
    end = time.monotonic() + MOST_SECONDS
    changed = True
    while changed:
        changed = False
        for tried in _smaller_cases(case):
            if time.monotonic() > end:
                return case, text
            found = wrong(tried) if tried != case else None
            if found is not None and _kind(found) == _kind(text):
                case, text, changed = tried, found, True
                break
    return case, text


def _smaller_cases(case: Case) -> Iterator[Case]:
    for text in _smaller(case.text):
        yield replace(case, text=text)
    for text in _smaller(case.spec_file or ""):
        yield replace(case, spec_file=text)
    for text in _smaller(case.init_file or ""):
        yield replace(case, init_file=text)


def _smaller(text: str) -> Iterator[str]:
    yield text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    for at in range(len(lines)):
        yield "\n".join(lines[:at] + lines[at + 1 :])
    for at, line in enumerate(lines):
        words = line.split(" ")
        for cut in range(len(words)):
            rest = " ".join(words[:cut] + words[cut + 1 :])
            yield "\n".join([*lines[:at], rest, *lines[at + 1 :]])


def reduce_case(asked: Asked, question: Question) -> tuple[Case, str]:
    """A smaller case with the same disagreement about the question."""

    def wrong(case: Case) -> str | None:
        tried = Asked(case, asked.folder)
        tried.write()
        return _try(tried, question)

    small, text = _reduce(asked.case, wrong)
    asked.write()
    return small, text


def _told(seed: int, case: Case, question: Question, text: str) -> str:
    command = " ".join(map(repr, question.arguments(Path(f"system.{case.form}"))))
    files = [f"system.{case.form}:", case.text]
    if case.form == "pds":
        files += [f"init: {case.init_file!r}", f"spec: {case.spec_file!r}"]
    return "\n".join([f"=== seed {seed}: {text}", f"tepui {command}", *files])


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
        for finding in report.findings[known:]:
            print(finding, flush=True)
        if (seed + 1 - options.first) % 200 == 0:
            print(
                f"{seed + 1 - options.first} systems, {time.monotonic() - start:.0f} s", flush=True
            )
    total = sum(report.answers.values()) - report.answers["(unknown)"]
    print(f"{report.cases} systems, {total} answers, {len(report.findings)} disagreements")
    for name, counts in (
        ("features", report.features),
        ("answers", report.answers),
        ("verdicts", report.verdicts),
    ):
        print(name, ", ".join(f"{key}: {count}" for key, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
