"""Samples: a program that is not the one as written, apart from fewer values, is refused; and what
a trace of one shows about the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tepui
from support.generators.programs import random_case
from support.samples.program_texts import program_of
from support.sizes import sized
from tepui.checker.programs.program_check import StateOptions, check_derivation, derivation_of
from tepui.cli.evidence_file import save_evidence
from tepui.deciding.drivers import Attempt, decided
from tepui.deciding.options import Options
from tepui.errors import EvidenceError, EvidenceRejected, InputError
from tepui.limits import Limits, Meter
from tepui.program.expressions import (
    ANY,
    TRUE,
    Binary,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    ReadElement,
    Variable,
    with_operands,
)
from tepui.program.passes.instances import instance, within
from tepui.program.passes.samples import Sampled, sampled
from tepui.program.passes.sorts import Shrunk, with_small_sorts
from tepui.program.program import Assert, Derived, Program, Step
from tepui.program.questions import Question, assertions, deadlock, own_questions
from tepui.program.types import BOOLEAN, Bounded, machine
from tepui.program.walk import with_expressions
from tepui.records import replace
from tepui.report.evidence_text import rebuilt
from tepui.result import Result

WORD = machine(32, signed=True)

TEXT = """\
decl g: int32;
decl flag: int 0..1;
decl a: int32[2];
decl b := 0;
decl n: int 0..9 := 4;
void set(p: int32) { g := p; }
void work() {
    decl x: int32;
    x := *;
    b := *;
    set(x - 7);
    L: assert(g + a[flag] != 70);
}
void other() { flag := 1; }
void main() { thread_create(work); thread_create(other); }
"""

WORK = 1
"""The procedure in which values are chosen: first x, then b."""


def written() -> Program:
    return program_of(TEXT)


def made(*values: int) -> Sampled:
    """The sample in which x has these values."""
    return sampled(written(), {(WORK, 0, 0): values}, {0: 3, 2: 0, 3: 0}, {(WORK, 0): 5})


def explored(program: Program, questions: list[Question], **given: Any) -> Result:
    options = Options(engine="explicit", **given)
    (result,) = decided(Attempt(program, options, [questions], proofs=False), Meter(options.limits))
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Evidence about a sample that is violated."""
    path = tmp_path / "evidence.json"
    assert save_evidence(path, explored(made(77), own_questions(written())))
    return path


def test_a_violation_of_a_sample_is_one_of_the_program() -> None:
    question = own_questions(written())
    result = explored(made(1, 77), question)
    assert result.verdict == "unsafe"
    assert result.checked
    assert result.subject.model == written()
    assert result.trace is not None
    texts = [step.text for step in result.trace.story.steps if hasattr(step, "text")]
    assert [text for text in texts if "*" in text] == ["x := *", "b := *"]
    assert explored(made(76), question).verdict == "safe"


def test_a_certificate_about_a_sample_proves_nothing_about_the_program() -> None:
    options = Options(engine="explicit")
    attempt = Attempt(made(76), options, [own_questions(written())])
    with pytest.raises(EvidenceRejected, match="what holds for some values"):
        decided(attempt, Meter(options.limits))
    with pytest.raises(EvidenceError, match="what holds for some values"):
        derivation_of(made(76)).meaning(StateOptions())


STUCK = "decl x: int32; void main() { x := *; wait(x = 5); L: assert(x != 5); }"


def test_a_deadlock_of_a_sample_counts_where_no_choice_is_left_out() -> None:
    program = sampled(program_of(STUCK), {(0, 0, 0): [4]}, {}, {})
    assert explored(program, [deadlock()]).checked
    both = [deadlock(), *assertions(program)]
    assert explored(program, both).checked
    other = sampled(program_of(STUCK), {(0, 0, 0): [5]}, {}, {})
    assert explored(other, both).checked


@pytest.mark.parametrize(
    "text",
    [
        "void main() { decl x: int32; atomic { x := *; wait(x = 5); } }",
        "int32 any() { decl y: int32; return y; }\n"
        "void main() { decl x: int32; atomic { x := any(); wait(x = 5); } }",
        "void low() { decl y: int32; y := *; wait(y = 5); }\n"
        "void main() { atomic { low(); skip; } }",
    ],
)
def test_a_deadlock_of_a_sample_does_not_count_where_the_program_can_go_on(text: str) -> None:
    program = sampled(program_of(text), {}, {}, {})
    with pytest.raises(EvidenceRejected, match="a state of the program that is not bad"):
        explored(program, [deadlock()])


def test_a_file_goes_round(file: Path) -> None:
    proved = tepui.check(written(), file)
    assert proved.verdict == "unsafe"
    assert proved.text == "violated within 1 context: assert(g + a[flag] != 70) at test.bp:12"
    assert json.loads(file.read_text())["sample"] == {
        "few": 16,
        "choices": [{"procedure": "work", "location": 0, "edge": 0, "values": [77]}],
        "globals": {"g": 3, "a": 0},
        "locals": {"set": {"p": 0}, "work": {"x": 5}},
    }


def test_a_file_about_an_array_that_keeps_all_values_goes_round(tmp_path: Path) -> None:
    program = sampled(written(), {(WORK, 0, 0): [77]}, {2: 0, 3: 1}, {})
    assert derivation_of(program).said()["sample"]["globals"] == {"g": 0, "a": None}
    values = derivation_of(program).said()
    document = json.loads(json.dumps(values))
    again = rebuilt(program.original, tepui.checker.json_values.Values("file"), document)
    assert again == program
    assert derivation_of(again).said() == values


def _choice(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda sample: sample["choices"][0].update({key: value})


DAMAGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "another value": _choice("values", [76]),
    "a value outside the type": _choice("values", [2**31]),
    "one more value outside the type": _choice("values", [77, 2**31]),
    "a value twice": _choice("values", [77, 77]),
    "no value": _choice("values", []),
    "a value that is no number": _choice("values", ["77"]),
    "a value that is true": _choice("values", [True]),
    "an expression": _choice("values", [["x"]]),
    "another edge": _choice("edge", 1),
    "an edge below the first": _choice("edge", -1),
    "another location": _choice("location", 1),
    "a location that does not exist": _choice("location", 99),
    "another procedure": _choice("procedure", "set"),
    "a procedure that does not exist": _choice("procedure", "work2"),
    "a number for a procedure": _choice("procedure", 1),
    "an edge twice": lambda it: it["choices"].append(it["choices"][0]),
    "nothing chosen": lambda it: it["choices"].clear(),
    "another initial value": lambda it: it["globals"].update(a=1),
    "an initial value outside the type": lambda it: it["globals"].update(a=2**31),
    "no initial value": lambda it: it["globals"].update(a=None, g=2**40),
    "an initial value that is no number": lambda it: it["globals"].update(a="0"),
    "an initial value that is not said": lambda it: it["globals"].pop("a"),
    "a variable of few values": lambda it: it["globals"].update(flag=1),
    "a variable that has a value": lambda it: it["globals"].update(b=1),
    "a variable that does not exist": lambda it: it["globals"].update(z=1),
    "a local variable that does not exist": lambda it: it["locals"].update(other={"z": 1}),
    "a procedure without variables": lambda it: it["locals"].update(other={}),
    "variables in a list": lambda it: it.update(globals=[1]),
    "locals in a list": lambda it: it.update(locals=[1]),
    "choices in an object": lambda it: it.update(choices={}),
    "all values": lambda it: it.update(few=2**32),
    "no number of values": lambda it: it.update(few=None),
    "a field too many": lambda it: it.update(many=1),
    "a field is missing": lambda it: it.pop("few"),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_file_is_rejected(file: Path, damage: str) -> None:
    document = json.loads(file.read_text())
    DAMAGES[damage](document["sample"])
    file.write_text(json.dumps(document))
    with pytest.raises((EvidenceError, InputError)):
        tepui.check(written(), file)


def test_a_sample_is_of_a_program_with_a_system(file: Path) -> None:
    document = json.loads(file.read_text())
    for text in (
        "decl n: int; void main() { n := 1; }",
        "void f() { skip; } void main() { async f(); }",
    ):
        threads = {"threads": ["main"], "system": "<text>"}
        file.write_text(json.dumps({**document, **threads}))
        with pytest.raises(InputError, match="is about a program with a system of its own"):
            tepui.check(tepui.loads(text, "bp"), file)


@dataclass(frozen=True, repr=False)
class Nameless(Derived):
    """A program that does not say what made it."""

    def point(self, original: int) -> int:
        return original


def with_edge(program: Sampled, old: type, new: Callable[..., object]) -> Sampled:
    """The same with another edge in place of the first one of some kind in `work`."""
    work = program.procedures[WORK]
    edges = list(work.edges)
    place = next(number for number, edge in enumerate(edges) if isinstance(edge, old))
    edges[place] = new(edges[place])  # type: ignore[call-overload]
    return with_work(program, edges=tuple(edges))


def with_work(program: Sampled, **changes: Any) -> Sampled:
    procedures = list(program.procedures)
    procedures[WORK] = replace(procedures[WORK], **changes)
    return replace(program, procedures=tuple(procedures))


def choosing(value: Expression, of: int = 0) -> Sampled:
    """A sample in which an assignment of `work` has this in place of its choice."""
    work = made(77).procedures[WORK]
    edges = list(work.edges)
    steps = [place for place, edge in enumerate(edges) if isinstance(edge, Step)]
    step = edges[steps[of]]
    assert isinstance(step, Step)
    assignments = (replace(step.assignments[0], value=value),)
    edges[steps[of]] = replace(step, assignments=assignments)
    return with_work(made(77), edges=tuple(edges))


def with_global(number: int, **changes: Any) -> Sampled:
    """A sample with a global variable that is another one, wherever it is."""
    program = made(77)
    old = program.globals[number]
    new = replace(old, **changes)

    def variable(each: Variable) -> Variable:
        return new if each == old else each

    def expression(each: Expression) -> Expression:
        if isinstance(each, Read | ReadElement):
            each = replace(each, variable=variable(each.variable))
        return with_operands(each, expression)

    return replace(
        program,
        globals=tuple(map(variable, program.globals)),
        procedures=tuple(
            replace(
                each, edges=tuple(with_expressions(e, expression, variable) for e in each.edges)
            )
            for each in program.procedures
        ),
    )


FIVE = Constant(5, WORD)
X = Variable("x", WORD, "work", 5)

RIGHT: dict[str, Callable[[], Sampled]] = {
    "one value": lambda: choosing(FIVE),
    "the choice": lambda: choosing(Choice(WORD)),
    "values": lambda: choosing(Conditional(ANY, FIVE, Conditional(ANY, Constant(-1, WORD), FIVE))),
    "a Boolean": lambda: choosing(ANY, 1),
    "another initial value": lambda: with_global(0, initial=WORD.high),
    "any initial value": lambda: with_global(0, initial=None),
    "an initial value of a small type": lambda: with_global(1, initial=1),
}

FAULTS: dict[str, Callable[[], Sampled]] = {
    "a value outside the type": lambda: choosing(Constant(2**31, WORD)),
    "a value below the type": lambda: choosing(Constant(-(2**31) - 1, WORD)),
    "a value of another type": lambda: choosing(Constant(5, Bounded(0, 7))),
    "a value that is no integer": lambda: choosing(Constant(5.0, WORD)),  # type: ignore[arg-type]
    "one of two values": lambda: choosing(Conditional(ANY, FIVE, Constant(2**31, WORD))),
    "another choice": lambda: choosing(Choice(Bounded(0, 99))),
    "a smaller choice inside": lambda: choosing(Conditional(ANY, Choice(Bounded(0, 99)), FIVE)),
    "a condition that reads": lambda: choosing(Conditional(Read(X), FIVE, FIVE)),
    "a condition that is no choice": lambda: choosing(Conditional(TRUE, FIVE, FIVE)),
    "a wide condition": lambda: choosing(Conditional(Choice(WORD), FIVE, FIVE)),
    "a variable": lambda: choosing(Read(X)),
    "a sum": lambda: choosing(Binary("+", FIVE, FIVE)),
    "a fixed Boolean": lambda: choosing(TRUE, 1),
    "another initial value than written": lambda: with_global(3, initial=1),
    "another number than written": lambda: with_global(4, initial=5),
    "no initial value": lambda: with_global(4, initial=None),
    "an initial value outside the type": lambda: with_global(0, initial=2**31),
    "an initial value that is no integer": lambda: with_global(0, initial=True),
    "another type": lambda: with_global(0, type=Bounded(0, 9)),
    "another name": lambda: with_global(0, name="h"),
    "another way to synchronise": lambda: with_global(0, volatile=True),
    "another guard": lambda: with_edge(
        made(77), Step, lambda edge: replace(edge, guard=Constant(0))
    ),
    "another target": lambda: with_edge(made(77), Step, lambda edge: replace(edge, target=0)),
    "another kind of edge": lambda: with_edge(
        made(77), Step, lambda edge: Assert(edge.source, edge.target, TRUE)
    ),
    "another assertion": lambda: with_edge(
        made(77), Assert, lambda edge: replace(edge, condition=FIVE)
    ),
    "another kind of violation": lambda: with_edge(
        made(77), Assert, lambda edge: replace(edge, kind="limit")
    ),
    "an assignment is missing": lambda: with_edge(
        made(77), Step, lambda edge: replace(edge, assignments=())
    ),
    "an assignment too many": lambda: with_edge(
        made(77), Step, lambda edge: replace(edge, assignments=edge.assignments * 2)
    ),
    "another sum": lambda: with_edge(
        made(77), Assert, lambda edge: replace(
            edge, condition=replace(edge.condition, operator="=")
        )
    ),
    "an edge is missing": lambda: with_work(made(77), edges=made(77).procedures[WORK].edges[:-1]),
    "edges in another order": lambda: with_work(
        made(77), edges=made(77).procedures[WORK].edges[::-1]
    ),
    "a location is atomic": lambda: with_work(
        made(77),
        locations=(
            made(77).procedures[WORK].locations[0],
            replace(made(77).procedures[WORK].locations[1], atomic=True),
            *made(77).procedures[WORK].locations[2:],
        ),
    ),
    "another entry": lambda: with_work(made(77), entry=1),
    "a variable is missing": lambda: with_work(made(77), variables=()),
    "a procedure is missing": lambda: replace(made(77), procedures=made(77).procedures[:-1]),
    "a global variable is missing": lambda: replace(made(77), globals=made(77).globals[:-1]),
    "another thread": lambda: replace(
        made(77), threads=(replace(made(77).threads[0], procedure="set"), made(77).threads[1])
    ),
    "more threads": lambda: replace(
        made(77), threads=(replace(made(77).threads[0], count=2), made(77).threads[1])
    ),
    "a thread is missing": lambda: replace(made(77), threads=made(77).threads[:1]),
    "a lock": lambda: replace(made(77), lock=Variable("b", BOOLEAN, None, 0)),
    "of an instance": lambda: sampled(instance(written(), {}, within(3)), {}, {}, {}),
    "of smaller sorts": lambda: sampled(
        with_small_sorts(program_of("decl x: int32; void main() { x := 1; }")), {}, {}, {}
    ),
    "of what another pass has made": lambda: sampled(
        Nameless(written().procedures, written().threads, written().globals, original=written()),
        {}, {}, {},
    ),
    "of a program that forks": lambda: sampled(
        program_of("void f() { skip; } void main() { async f(); }"), {}, {}, {}
    ),
    "of an open program": lambda: sampled(
        program_of("decl n: int; void main() { n := 1; }"), {}, {}, {}
    ),
}  # fmt: skip


@pytest.mark.parametrize("sample", sorted(RIGHT))
def test_what_is_a_sample_is_accepted(sample: str) -> None:
    check_derivation(RIGHT[sample]())


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_what_is_no_sample_is_refused(fault: str) -> None:
    with pytest.raises(EvidenceError):
        check_derivation(FAULTS[fault]())


def test_nothing_is_made_of_a_sample() -> None:
    program = sampled(program_of("decl x: int32; void main() { x := *; }"), {}, {}, {})
    check_derivation(program)
    small = with_small_sorts(program)
    assert isinstance(small, Shrunk)
    for each in (small, sampled(program, {}, {}, {})):
        with pytest.raises(EvidenceError, match="was given what another pass has made"):
            check_derivation(each)


def test_random_samples_are_violated_where_the_program_is(tmp_path: Path) -> None:
    """Engines find violations of samples, their traces are accepted, and so are their files; brute
    force finds the same violations in the program."""
    found = 0
    for seed in range(sized(120)):
        rng = Random(seed)
        program, findings = random_case(rng)
        chosen = {
            (number, location, place): [rng.randint(-1, 2)]
            for number, procedure in enumerate(program.procedures)
            for location, edges in enumerate(procedure.leaving)
            for place, _ in enumerate(edges)
        }
        questions = assertions(program)
        if not questions:
            continue
        result = explored(
            sampled(program, chosen, {}, {}, few=2), questions, limits=Limits(max_contexts=6)
        )
        if result.verdict == "unsafe":
            found += 1
            assert result.checked
            assert findings.first("unsafe") is not None
            assert result.bound is not None
            assert result.bound >= (findings.first("unsafe") or 0)
            path = tmp_path / "evidence.json"
            assert save_evidence(path, result)
            assert tepui.check(program, path, questions).verdict == "unsafe"
        else:
            assert result.verdict in ("safe", "unknown", "bounded", "stopped")
    assert found > 3
