"""Programs that fork and join: tepui against the interpreter with really dynamic threads.

Every answer is compared: verdicts, the fewest contexts, proofs with slots, and answers up to a
bound. Where the interpreter had to drop states, it still knows what it has seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from support.boolean_flows import load
from support.fork_runs import deciding_with, limited
from support.generators.crews import random_crew
from support.generators.fork_programs import random_fork_program
from support.oracles.fork_interpreter import Fact, Findings, explore
from support.oracles.program_interpreter import TooLargeError
from support.samples.hasty import HASTY
from tepui.deciding import Options, verify, verify_all
from tepui.engines.registry import registered
from tepui.limits import Limits
from tepui.program.identities import kinds_of_equals
from tepui.program.program import Program
from tepui.program.questions import Question, assertions, deadlock, never_together, unreachable
from tepui.result import Result

CONTEXTS = 4
BATCHES = 4


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_verdicts_and_bounds_are_those_of_brute_force(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 15, BATCHES):
        program, findings = random_case(seed)
        assert contradictions(program, findings, options(Random(seed))) == [], seed


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_an_engine_that_does_not_look_for_the_fewest_contexts_finds_true_violations(
    fuzz_systems: int, batch: int
) -> None:
    with registered(HASTY):
        asked = Options(engine=HASTY.name, limits=Limits(timeout=60, max_contexts=15))
        for seed in range(batch, fuzz_systems // 8, BATCHES):
            program, findings = random_case(seed)
            pairs = list(questions(program))
            answers = verify_all(program, [question for _, question in pairs], asked)
            for (fact, _), answer in zip(pairs, answers, strict=True):
                if answer.result.verdict == "unsafe":
                    assert compared(fact, answer.result, findings, asked) is None, seed
                    assert answer.result.checked


@pytest.mark.fuzz
@pytest.mark.parametrize("contexts", range(CONTEXTS + 1))
def test_answers_for_so_many_contexts_are_those_of_brute_force(
    fuzz_systems: int, contexts: int
) -> None:
    for seed in range(contexts, fuzz_systems // 15, CONTEXTS + 1):
        program, findings = random_case(seed)
        bounded = Options(limits=Limits(timeout=60), contexts=contexts)
        assert contradictions(program, findings, bounded) == [], seed


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_identities_are_compared_as_by_brute_force(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 5, BATCHES):
        program, findings = random_case(seed, "comparing")
        chosen = options(Random(seed))
        if seed % 3 == 0:
            chosen = Options(limits=Limits(timeout=60), contexts=seed % CONTEXTS + 1)
        assert contradictions(program, findings, chosen) == [], seed


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_equal_threads_are_exchanged_as_if_they_were_not(fuzz_systems: int, batch: int) -> None:
    exchanged = 0
    for seed in range(batch, fuzz_systems // 8, BATCHES):
        program, findings = random_case(seed, "crew")
        rng = Random(seed)
        chosen = replace(options(rng), engine=rng.choice(["auto", "explicit"]))
        chosen = replace(chosen, strengths=rng.choice([chosen.strengths, ()]))
        assert contradictions(program, findings, chosen) == [], seed
        exchanged += chosen.symmetry and bool(kinds_of_equals(program))
    assert exchanged


@pytest.mark.fuzz
def test_forgetting_the_threads_that_have_ended_changes_nothing(fuzz_systems: int) -> None:
    for seed in range(fuzz_systems // 15):
        program, findings = random_case(seed, ["plain", "comparing"][seed % 2])
        literal = explore(program, 3, threads=6, height=4, most=50_000, forget=False)
        for fact in {*findings.found, *literal.found}:
            one, other = findings.found.get(fact), literal.found.get(fact)
            assert one == other or not literal.knows(one) or not findings.knows(other), seed


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_verify_all_answers_each_question_as_verify_does(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 30, BATCHES):
        program, _ = random_case(seed)
        asked = [question for _, question in questions(program)]
        Random(seed).shuffle(asked)
        chosen = options(Random(seed))
        for answer in verify_all(program, asked[:4], chosen):
            (question,) = (one for one in asked[:4] if one.text == answer.question.text)
            alone = verify(program, question, chosen)
            assert told(answer.result) == told(alone), (seed, question.text)


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_claim_contradicts_brute_force_where_runs_end_at_limits(
    fuzz_systems: int, batch: int
) -> None:
    for seed in range(batch, fuzz_systems // 15, BATCHES):
        rng = Random(seed)
        program, findings = random_case(seed)
        pairs = list(questions(program))
        rng.shuffle(pairs)
        asked = [question for _, question in pairs]
        chosen = replace(options(rng), engine=rng.choice(["auto", "explicit"]))
        with deciding_with(limited(lambda *_, rng=rng: rng.random() < 0.4)):
            answers = verify_all(program, asked, chosen)
        for (fact, _), answer in zip(pairs, answers, strict=True):
            first = findings.found.get(fact)
            assert first is None or first > claimed(answer.result), (seed, fact)


def test_random_programs_have_answers_of_every_kind() -> None:
    cases = [random_case(seed)[1] for seed in range(40)]
    late = [k for case in cases for k in case.found.values() if k >= 3]
    assert len(late) >= 40
    assert sum(case.exact is None for case in cases) >= 10
    assert sum(case.exact is not None and case.exact < 3 for case in cases) >= 5
    assert sum(case.unsafe is not None for case in cases) >= 10


STALE = """
decl never := 0;
thread old;
void quick() { skip; }
void slow() { assume(never); }
void main() {
    thread t;
    old := async quick();
    join(old);
    t := async slow();
    join(old);
  S: skip;
    join(t);
  E: skip;
}
"""

CASES: dict[str, tuple[str, dict[str, int | None]]] = {
    "the identity of an ended thread names no new one": (STALE, {"S": 3, "E": None}),
    "nor does a local one": (
        STALE.replace("thread old;\n", "").replace("thread t;", "thread t, old;"),
        {"S": 3, "E": None},
    ),
    "nor does one deep in a stack": (
        """
        decl never := 0;
        void quick() { skip; }
        void slow() { assume(never); }
        void below(old: thread) {
            thread t;
            t := async slow();
            join(old);
          S: skip;
            join(t);
          E: skip;
        }
        void main() { thread t; t := async quick(); join(t); below(t); }
        """,
        {"S": 3, "E": None},
    ),
    "nor does one that was kept while a copy of it was joined": (
        """
        decl never := 0;
        thread copy, late;
        void quick() { skip; }
        void slow() { assume(never); }
        void main() {
            thread t;
            t := async quick();
            copy := t;
            join(copy);
            late := t;
            copy := async slow();
            join(late);
          S: skip;
            join(copy);
          E: skip;
        }
        """,
        {"S": 3, "E": None},
    ),
    "nor does one that is passed on after a copy of it was joined": (
        """
        decl never := 0;
        thread copy;
        void quick() { skip; }
        void slow() { assume(never); }
        void below(old: thread) {
            copy := async slow();
            join(old);
          S: skip;
            join(copy);
          E: skip;
        }
        void main() {
            thread t;
            t := async quick();
            copy := t;
            join(copy);
            below(t);
        }
        """,
        {"S": 3, "E": None},
    ),
    "nor does one that is passed to a thread": (
        """
        decl never := 0;
        thread copy;
        void quick() { skip; }
        void slow() { assume(never); }
        void beside(old: thread) { join(old); S: skip; }
        void main() {
            thread t;
            t := async quick();
            copy := t;
            join(copy);
            async beside(t);
            async slow();
            async slow();
          E: skip;
        }
        """,
        {"S": 4, "E": 3},
    ),
    "a copy made before the end is as good": (
        """
        thread t, u;
        void quick() { skip; }
        void main() { t := async quick(); u := t; join(t); t := async quick(); join(u); S: skip; }
        """,
        {"S": 3},
    ),
    "who names nobody waits for ever": (
        "thread t; void main() { join(t); S: skip; }",
        {"S": None},
    ),
    "a thread that joins itself waits for ever": (
        "thread t; void f() { join(t); S: skip; } void main() { atomic { t := async f(); } }",
        {"S": None},
    ),
    "a thread can be joined twice, and by two": (
        """
        thread t;
        void f() { skip; }
        void g() { join(t); S: skip; }
        void main() { t := async f(); async g(); join(t); join(t); E: skip; }
        """,
        {"S": 3, "E": 3},
    ),
    "an argument is what a variable was before the fork": (
        """
        void quick() { skip; }
        void after(old: thread) { join(old); S: skip; }
        void main() { thread t; t := async quick(); t := async after(t); join(t); E: skip; }
        """,
        {"S": 3, "E": 4},
    ),
    "a thread has ended after its last step only": (
        """
        decl x := 0;
        void f() { x := 1; assume(!x); }
        void main() { thread t; t := async f(); assume(x); x := 0; join(t); S: skip; }
        """,
        {"S": 5},
    ),
    "forked threads fork, and pass their children on": (
        """
        thread child;
        void f() { C: skip; }
        void g() { child := async f(); }
        void main() { thread t; t := async g(); join(t); join(child); S: skip; }
        """,
        {"C": 3, "S": 4},
    ),
    "two of endlessly many threads": (
        """
        decl a := 0, b := 0;
        void f() { assume(!a); a := 1; assume(b); S: skip; }
        void g() { assume(a); b := 1; }
        void main() { while (1) { async f(); async g(); } }
        """,
        {"S": 4},
    ),
    "endless fork and join": (
        """
        decl task := 0;
        void start() { task := *; }
        void work() { task := !task; W: skip; }
        void main() {
            thread t;
            while (1) { start(); t := async work(); join(t); S: skip; }
          E: skip;
        }
        """,
        {"W": 2, "S": 3, "E": None},
    ),
    "identities in the locals of a recursion": (
        """
        decl x := 0;
        void f() { x := !x; }
        void down(last: thread) {
            thread t;
            t := async f();
            if (*) down(t); else join(last);
            join(t);
          S: skip;
        }
        void main() { thread t; down(t); E: skip; }
        """,
        {"S": 4, "E": 4},
    ),
    "a join inside an atomic section": (
        """
        decl x := 0;
        void f() { x := 1; }
        void main() { thread t; atomic { t := async f(); join(t); } S: skip; }
        """,
        {"S": None},
    ),
    "a fork inside an atomic section that is left by the new thread's end only": (
        """
        decl x := 0;
        void f() { x := 1; }
        void main() {
            thread t;
            t := async f();
            atomic { join(t); x := 0; t := async f(); }
          S: skip;
        }
        """,
        {"S": 3},
    ),
    "creation in a loop": (
        """
        decl x := 0, y := 0;
        void f() { if (x) { y := 1; } x := 1; }
        void main() { while (*) thread_create(f); assume(y); S: skip; }
        """,
        {"S": 4},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_identities_name_the_threads_that_they_should(name: str) -> None:
    text, expected = CASES[name]
    program = load(text)
    findings = explore(program, 5, threads=3, height=4)
    assert {label: findings.found.get(("label", label)) for label in expected} == expected
    assert contradictions(program, findings, Options(limits=Limits(max_contexts=5))) == []


@pytest.mark.parametrize(
    ("name", "label"),
    [(name, label) for name, (_, labels) in CASES.items() for label in labels if not labels[label]],
)
def test_what_cannot_be_reached_with_few_threads_at_once_is_proved(name: str, label: str) -> None:
    program = load(CASES[name][0])
    assert verify(program, unreachable(program, label)).verdict == "safe"


@cache
def random_case(seed: int, kind: str = "plain") -> tuple[Program, Findings]:
    """A random program, and what brute force finds about it."""
    rng = Random(seed)
    while True:
        compares = kind == "comparing"
        text = random_crew(rng) if kind == "crew" else random_fork_program(rng, compares=compares)
        program = load(text)
        try:
            findings = explore(program, CONTEXTS, threads=4, height=4, most=2_000)
        except TooLargeError:
            continue
        if program.forks:
            return program, findings


def options(rng: Random) -> Options:
    """Options under which answers come soon; some with less than it takes."""
    return Options(
        limits=Limits(max_contexts=CONTEXTS, timeout=60),
        slots=rng.choice([1, 2, 3, 3]),
        symmetry=rng.random() < 0.7,
        liveness=rng.random() < 0.8,
    )


def contradictions(program: Program, findings: Findings, asked: Options) -> list[str]:
    """What tepui and the interpreter do not agree about."""
    pairs = list(questions(program))
    answers = verify_all(program, [question for _, question in pairs], asked)
    found = []
    for (fact, _), answer in zip(pairs, answers, strict=True):
        contradiction = compared(fact, answer.result, findings, asked)
        if contradiction is not None:
            found.append(f"{fact}: {contradiction}")
    return found


def told(result: Result) -> tuple[object, ...]:
    """What an answer says about a question, but not how that was found."""
    bound = result.bound if result.verdict == "unsafe" else None
    slots = [note for note in result.notes if "slot" in note or "no violation" in note]
    return result.verdict, bound, result.reason, slots


def claimed(result: Result) -> int:
    """Within how many contexts there is no violation, as an answer says; -1 if it says nothing."""
    said = [result.reason or "", *result.notes]
    found = re.findall(r"no violation within (\d+) context", " ".join(said))
    return max(map(int, found), default=-1)


def questions(program: Program) -> Iterator[tuple[Fact, Question]]:
    """All that is asked about a program, and the fact that answers it."""
    for question in assertions(program):
        yield ("violated", int(question.text.rpartition(":")[2])), question
    labels = sorted(
        {
            label
            for procedure in program.procedures
            for location in procedure.locations
            for label in location.labels
        }
    )
    for label in labels:
        yield ("label", label), unreachable(program, label)
    for one, other in pairwise(labels[:4]):
        yield ("together", *sorted((one, other))), never_together(program, one, other)
    yield ("deadlock",), deadlock()


def compared(fact: Fact, result: Result, findings: Findings, asked: Options) -> str | None:
    """How an answer contradicts what was seen, if it does."""
    first = findings.found.get(fact)
    said = f"{result.verdict} at {result.bound}, brute force says {first}"
    match result.verdict:
        case "unsafe":
            assert result.bound is not None
            sooner = first is not None and first < result.bound and result.bound_is_fewest
            later = first is None or first > result.bound
            return said if sooner or (later and findings.knows(result.bound)) else None
        case "safe":
            return said if first is not None else None
        case "bounded":
            return said if first is not None and first <= (asked.contexts or 0) else None
    looked = asked.limits.max_contexts or 0
    complete = result.stop is not None and result.stop.kind == "threads"
    return said if complete and first is not None and first <= looked else None
