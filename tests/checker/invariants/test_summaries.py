"""Summaries made by hand: true ones are accepted, and each obligation rejects what is false."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

import tepui
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.summaries import Summaries, Summary
from tepui.checker.invariants.summary_obligations import check_summaries_with
from tepui.checker.json_values import WHOLE, Values, parse
from tepui.checker.patience import Patience
from tepui.errors import CheckStopped, EvidenceError, InputError
from tepui.program.calls import procedures_run_by
from tepui.program.places import places
from tepui.program.program import Program, Receive
from tepui.records import replace

pytest.importorskip("cvc5")


def load(text: str) -> Program:
    program = tepui.loads(text, "bp")
    assert isinstance(program, Program)
    return program


def asserted(program: Program) -> tuple[Bad, ...]:
    layout = program.layout
    return tuple(
        ((thread, layout.violation(number)),)
        for number, assertion in enumerate(layout.assertions)
        for thread in range(len(program.threads))
        if assertion.procedure in procedures_run_by(program, thread)
    )


def summaries(program: Program, formulas: Mapping[str, str], otherwise: str) -> Summaries:
    """The formulas at labels, and one for all other places at which threads may rest."""
    at = {places(program, label)[0]: text for label, text in formulas.items()}
    layout = program.layout
    found = []
    for thread in range(len(program.threads)):
        run = procedures_run_by(program, thread)
        for point, (procedure, number) in enumerate(layout.locations):
            code = program.procedures[procedure]
            receives = any(isinstance(edge, Receive) for edge in code.leaving[number])
            if procedure in run and not receives and not code.locations[number].atomic:
                found.append(Summary(thread, point, at.get(point, otherwise)))
        if program.threads[thread].created:
            found.append(Summary(thread, layout.waiting, otherwise))
    return Summaries(tuple(found))


def reason(program: Program, claimed: Summaries, bad: tuple[Bad, ...] | None = None) -> str | None:
    """Why summaries are rejected; None if they are accepted."""
    try:
        claimed.check_program(program, asserted(program) if bad is None else bad, lambda: True)
    except EvidenceError as error:
        return str(error)
    return None


STEPS = "decl x: int := 0; void f() { A: x := x + 1; B: assert(x = 1); } void main() { f(); }"


def test_steps_of_the_thread() -> None:
    program = load(STEPS)
    right = {"A": "(= |g.x.0| 0)", "B": "(= |g.x.0| 1)"}
    assert reason(program, summaries(program, right, "(= |g.x.0| |first.g.x.0|)")) is not None
    program = load(STEPS.replace("void main() { f(); }", "void main() { thread_create(f); }"))
    assert reason(program, summaries(program, right, "true")) is None
    wrong = {"A": "(= |g.x.0| 0)", "B": "(= |g.x.0| 2)"}
    found = reason(program, summaries(program, wrong, "true"), ())
    assert "where a thread f is at assert" in str(found)


def test_the_beginning() -> None:
    text = "decl x: int := 1; void f() { A: skip; B: assert(x = 0); }"
    program = load(f"{text} void main() {{ thread_create(f); }}")
    found = reason(program, summaries(program, {}, "(= |g.x.0| 0)"))
    assert found == "the summaries prove nothing: threads f begin where it does not hold"


def test_something_bad() -> None:
    program = load(STEPS.replace("void main() { f(); }", "void main() { thread_create(f); }"))
    assert "may be violated" in str(reason(program, summaries(program, {}, "true")))
    (point,) = places(program, "B")
    right = summaries(program, {"A": "(= |g.x.0| 0)", "B": "(= |g.x.0| 1)"}, "true")
    assert "a bad state is in it" in str(reason(program, right, (((0, point),),)))
    never = summaries(program, {"B": "false", "A": "true"}, "true")
    assert "is at assert(x = 1)" in str(reason(program, never, (((0, point),),)))


COUNTING = """
decl x: int := 0;
void count(n: int) {
    A: x := x + 1;
    B: if (n > 0) count(n - 1);
    C: skip;
}
void main() {
    count(LEAST);
    D: assert(x = SUM);
}
"""
WHILE_COUNTING = {
    "A": "(and (= |l.n.0| |first.l.n.0|) (= |g.x.0| |first.g.x.0|) (>= |l.n.0| 0))",
    "B": "(and (= |l.n.0| |first.l.n.0|) (= |g.x.0| (+ |first.g.x.0| 1)) (>= |l.n.0| 0))",
    "C": "(and (>= |first.l.n.0| 0) (= |g.x.0| (+ |first.g.x.0| |first.l.n.0| 1)))",
}
"""The procedure adds as many as its argument says, and one more."""


def counting(argument: int, total: int) -> Program:
    return load(COUNTING.replace("LEAST", str(argument)).replace("SUM", str(total)))


def counted(program: Program, end: int) -> Summaries:
    """Before the call of main, and behind it."""
    found = summaries(program, {**WHILE_COUNTING, "D": f"(= |g.x.0| {end})"}, "(= |g.x.0| 0)")
    at_call = [places(program, label)[0] for label in "B"]
    behind = {  # The place of the recursive call, behind the condition.
        point + 1: "(and (= |l.n.0| |first.l.n.0|) (= |g.x.0| (+ |first.g.x.0| 1)) (> |l.n.0| 0))"
        for point in at_call
    }
    return Summaries(
        tuple(
            replace(each, formula=behind.get(each.point, each.formula))
            for each in found.definitions
        )
    )


def test_calls_and_returns_of_a_procedure_that_calls_itself() -> None:
    program = counting(3, 4)
    assert reason(program, counted(program, 4)) is None
    assert "is at assert(x = 4)" in str(reason(program, counted(program, 5), ()))


def test_a_return_comes_back_to_the_call_that_was_made() -> None:
    program = counting(2, 4)
    assert "is at assert(x = 4)" in str(reason(program, counted(program, 4)))


def test_arguments_are_those_that_are_given() -> None:
    program = counting(-1, 0)
    assert "is at x := x + 1" in str(reason(program, counted(program, 0)))


@pytest.mark.parametrize("label", "ABC")
def test_each_summary_is_needed_and_may_not_be_false(label: str) -> None:
    program = counting(3, 4)
    true = counted(program, 4)
    (point,) = places(program, label)
    dropped = Summaries(tuple(one for one in true.definitions if one.point != point))
    assert reason(program, dropped) is not None
    for formula in ("false", "true", "(= |g.x.0| 0)"):
        changed = tuple(
            replace(one, formula=formula) if one.point == point else one for one in true.definitions
        )
        assert reason(program, Summaries(changed)) is not None, formula


TWO = """
decl x: int := 0;
void f() { A: x := 1; B: assert(x = 1); C: x := 0; }
void main() { thread_create(f, NUMBER); }
"""


def test_steps_of_others_of_which_there_are_none_for_a_single_thread() -> None:
    formulas = {"A": "(= |g.x.0| 0)", "B": "(= |g.x.0| 1)", "C": "(= |g.x.0| 1)"}
    alone, two, any_number = (load(TWO.replace("NUMBER", number)) for number in ("1", "2", "*"))
    assert reason(alone, summaries(alone, formulas, "true")) is None
    for program in (two, any_number):
        assert "leads out of it" in str(reason(program, summaries(program, formulas, "true")))


def test_identities_of_two_threads_differ() -> None:
    text = """
    thread owner, nobody;
    void f() { A: atomic { wait(owner = nobody); owner := thread_self(); }
               B: assert(owner = thread_self()); C: owner := nobody; }
    void main() { thread_create(f, *); }
    """
    program = load(text)
    free = "(= |g.nobody.0| 0)"
    own = "(and (= |g.nobody.0| 0) (= |g.owner.0| |self|))"
    assert reason(program, summaries(program, {"A": free, "B": own, "C": own}, free)) is None
    early = load(text.replace("C: owner", "C: skip; owner").replace("wait(owner = nobody);", ""))
    assert reason(early, summaries(early, {"A": free, "B": own, "C": own}, free)) is not None


RECEIVED = """
decl x: int := 0;
int five() { E: return 5; }
void f() { A: x := five(); B: skip; }
void g() { C: skip; D: assert(x = 0); }
void main() { thread_create(f, *); thread_create(g, *); }
"""


def test_others_see_what_is_received() -> None:
    program = load(RECEIVED)
    found = reason(program, summaries(program, {}, "(= |g.x.0| 0)"))
    assert found is not None
    claimed = summaries(program, {"B": "true", "A": "true", "E": "true"}, "(= |g.x.0| 0)")
    assert "leads out of it where a thread" in str(reason(program, claimed))
    harmless = load(RECEIVED.replace("return 5", "return 0"))
    assert reason(harmless, summaries(harmless, {}, "(= |g.x.0| 0)")) is None


def test_a_violation_in_the_step_that_receives() -> None:
    text = """
    int five() { E: return 5; }
    void f() { decl l: int := 0; 1: l := five(); B: assert(l = 4); 2: skip; }
    void main() { thread_create(f, *); }
    """
    program = at_once_at(load(text), "B")
    assert "an assertion may be violated" in str(reason(program, summaries(program, {}, "true")))
    right = at_once_at(load(text.replace("l = 4", "l = 5")), "B")
    assert reason(right, summaries(right, {}, "true")) is None


def test_a_call_in_the_step_that_receives_is_refused() -> None:
    text = """
    int five() { return 5; }
    void g() { skip; }
    void f() { decl l: int := 0; 1: l := five(); B: g(); 2: skip; }
    void main() { thread_create(f, *); }
    """
    program = at_once_at(load(text), "B")
    assert "results are received" in str(reason(program, summaries(program, {}, "true"), ()))


def at_once_at(program: Program, label: str) -> Program:
    """The program in which nobody rests at a place."""
    ((procedure, number),) = [program.layout.locations[point] for point in places(program, label)]
    procedures = list(program.procedures)
    old = procedures[procedure]
    locations = list(old.locations)
    locations[number] = replace(locations[number], atomic=True)
    procedures[procedure] = replace(old, locations=tuple(locations))
    return replace(program, procedures=tuple(procedures))


def test_two_threads_that_are_never_together() -> None:
    program = load(TWO.replace("NUMBER", "*"))
    (a,), (b,) = places(program, "A"), places(program, "B")
    claimed = summaries(program, {}, "true")
    assert "a bad state" in str(reason(program, claimed, (((0, a), (0, b)),)))
    alone = load(TWO.replace("NUMBER", "1"))
    assert reason(alone, summaries(alone, {}, "true"), (((0, a), (0, b)),)) is None


def test_recursion_inside_an_atomic_section_is_refused() -> None:
    text = "decl x: int; void f() { atomic { x := 1; if (*) f(); } }"
    program = load(f"{text} void main() {{ f(); assert(x = 1); }}")
    found = reason(program, summaries(program, {}, "true"))
    assert "recursion inside an atomic section" in str(found)


@pytest.mark.parametrize(
    ("definition", "problem"),
    [
        (Summary(1, 0, "true"), "a place that the program does not have"),
        (Summary(0, 99, "true"), "a place that the program does not have"),
        (Summary(0, 0, "(= |l.x.0| 0)"), "l.x.0"),
        (Summary(0, 0, "7"), "a formula is an integer"),
    ],
)
def test_what_has_another_form_is_rejected(definition: Summary, problem: str) -> None:
    program = load(TWO.replace("NUMBER", "*"))
    assert problem in str(reason(program, Summaries((definition,))))


def test_two_summaries_of_one_place_are_rejected() -> None:
    program = load(TWO.replace("NUMBER", "*"))
    twice = Summaries((Summary(0, 0, "true"), Summary(0, 0, "true")))
    assert "two summaries" in str(reason(program, twice))


def test_summaries_go_through_a_file(tmp_path: Path) -> None:
    program = counting(3, 4)
    claimed = counted(program, 4)
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(claimed.body()))
    values = Values(str(path))
    found = Summaries.read(
        values, "summaries", values.record(parse(str(path)), WHOLE, Summaries.fields)
    )
    assert found == claimed.fixed() == claimed
    for field in ("thread", "point", "formula"):
        damaged = json.loads(path.read_text())
        del damaged["definitions"][0][field]
        with pytest.raises(InputError, match=field):
            Summaries.read(Values("file"), "summaries", damaged)


@pytest.mark.fuzz
def test_nothing_is_accepted_about_programs_that_go_wrong() -> None:
    """However summaries are damaged: they were right about programs that differ in one place."""
    wrong = counting(3, 5)
    counts = [counted(counting(3, end), end) for end in (4, 5)]
    received = load(RECEIVED)
    zero = [summaries(received, {}, "(= |g.x.0| 0)"), summaries(received, {}, "true")]
    crowd = load(TWO.replace("NUMBER", "*"))
    formulas = {"A": "(= |g.x.0| 0)", "B": "(= |g.x.0| 1)", "C": "(= |g.x.0| 1)"}
    two = [summaries(crowd, formulas, "true"), summaries(crowd, {}, "(>= |g.x.0| 0)")]
    rng, rejected = Random(1), 0
    with Solver(lambda: True, seconds=10) as solver:
        for number in range(sized(4000)):
            program, some = ((wrong, counts), (received, zero), (crowd, two))[number % 3]
            damaged = rng.choice(some)
            for _ in range(rng.randint(1, 3)):
                damaged = _damaged(rng, damaged)
            solver.forget()
            patience = Patience(lambda: True)
            try:
                check_summaries_with(solver, program, damaged, asserted(program), patience)
            except (EvidenceError, CheckStopped):
                rejected += 1
            else:
                raise AssertionError((number, damaged))
    assert rejected == sized(4000)


def _damaged(rng: Random, claimed: Summaries) -> Summaries:
    """Another number, variable or relation in one of the formulas, or one formula for another."""
    definitions = list(claimed.definitions)
    at = rng.randrange(len(definitions))
    old = definitions[at].formula
    words = re.findall(r"\|[^|]*\||[()]|[^\s()|]+", old)
    kind = rng.random()
    if kind < 0.15 or len(words) == 1:
        new = rng.choice(["true", "false", rng.choice(definitions).formula])
    else:
        place = rng.randrange(len(words))
        word = words[place]
        if word.isdigit():
            words[place] = str(int(word) + rng.choice((-1, 1, 2))).replace("-", "")
        elif word.startswith("|"):
            words[place] = rng.choice([each for each in words if each.startswith("|")])
        elif word in ("=", "<=", ">=", "<", ">"):
            words[place] = rng.choice(["=", "<=", ">=", "<", ">", "distinct"])
        elif word in ("and", "or"):
            words[place] = rng.choice(["and", "or"])
        new = " ".join(words)
    definitions[at] = replace(definitions[at], formula=new)
    return Summaries(tuple(definitions))
