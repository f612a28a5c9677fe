"""Machine integers that are only stored, copied and compared: decided for all their values."""

from __future__ import annotations

import pytest

from tepui.deciding import Options, explore, verify
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.expressions import (
    Binary,
    Choice,
    Constant,
    Convert,
    Expression,
    Read,
    ReadElement,
    Variable,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Edge,
    Element,
    Location,
    Position,
    Procedure,
    Program,
    Step,
    Thread,
)
from tepui.program.questions import deadlock, unreachable
from tepui.program.types import Array, Bounded, Scalar, machine
from tepui.result import Result

WORDS = [machine(bits, signed=signed) for bits in (8, 32, 64) for signed in (False, True)]
WORD = machine(32, signed=True)


def program_with(edges: list[Edge], variables: list[Variable], count: int = 1) -> Program:
    """Threads that take these edges, one after the other."""
    places = [
        Location(Position("words.bp", number + 1, 1), f"edge {number}")
        for number in range(max(edge.source for edge in edges) + 1)
    ]
    main = Procedure("main", tuple(places), tuple(edges))
    return Program((main,), (Thread("main", "main", count),), tuple(variables), name="words")


def asserted(left: Expression, operator: str, right: Expression, x: Variable) -> Result:
    compared = Binary("=" if operator == "=" else "!=", left, right)
    return verify(program_with([Assert(0, None, compared)], [x]))


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_a_choice_can_equal_an_input_and_differ_from_it(word: Scalar) -> None:
    x = Variable("x", word)
    for operator in ("=", "!="):
        for sides in ((Choice(word), Read(x)), (Read(x), Choice(word))):
            result = asserted(sides[0], operator, sides[1], x)
            assert (result.verdict, result.checked) == ("unsafe", True)
    assert asserted(Read(x), "=", Read(x), x).verdict == "safe"
    assert asserted(Convert(Read(x), word), "!=", Constant(3, word), x).verdict == "unsafe"


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_inputs_that_are_never_compared_are_no_obstacle(word: Scalar) -> None:
    x, y = Variable("x", word), Variable("y", word, None, 5)
    written: list[Edge] = [
        Step(0, 1, assignments=(Assignment(x, Choice(word)),)),
        Step(1, 2, assignments=(Assignment(y, Read(x)), Assignment(x, Choice(word)))),
        Assert(2, None, Constant(1)),
    ]
    result = verify(program_with(written, [x, y], count=2))
    assert (result.verdict, result.checked) == ("safe", True)


def inputs(word: Scalar, low: int, high: int) -> Program:
    """An array of inputs that are copied around; two elements are compared."""
    a, x, y = Variable("a", Array(word, 4)), Variable("x", word), Variable("y", word)

    def element(index: int) -> ReadElement:
        return ReadElement(a, Constant(index, Bounded(0, 3)))

    def stored(index: int, value: Expression) -> Assignment:
        return Assignment(Element(a, Constant(index, Bounded(0, 3))), value)

    edges: list[Edge] = [
        Step(number, number + 1, assignments=(stored(number, Choice(word)),)) for number in range(4)
    ]
    edges += [
        Step(4, 5, assignments=(Assignment(x, element(0)), stored(0, element(1)))),
        Step(5, 6, assignments=(stored(2, Read(x)), Assignment(y, Read(x)))),
        Assert(6, None, Binary("=", element(low), element(high))),
    ]
    return program_with(edges, [a, x, y])


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0, 1, "safe"), (0, 2, "unsafe"), (3, 3, "safe")]
)
def test_words_take_as_many_states_as_a_few_values(low: int, high: int, verdict: str) -> None:
    found = [verify(inputs(word, low, high)) for word in (WORD, Bounded(0, 5))]
    assert [result.verdict for result in found] == [verdict] * 2
    assert all(result.checked for result in found)
    assert found[0].states == found[1].states
    assert [len(result.subject.sorts) for result in found] == [1, 0]


def test_deadlocks_depend_on_which_values_are_equal() -> None:
    x, y = Variable("x", WORD), Variable("y", WORD)
    same = Binary("=", Read(x), Read(y))
    waits = program_with([Step(0, None, same)], [x, y])
    result = verify(waits, deadlock())
    assert (result.verdict, result.checked) == ("unsafe", True)
    copied = Step(0, 1, assignments=(Assignment(y, Read(x)),))
    goes_on = program_with([copied, Step(1, None, same)], [x, y])
    assert verify(goes_on, deadlock()).verdict == "safe"


def test_other_uses_and_other_commands_look_at_all_values() -> None:
    small = Bounded(0, 9)
    x = Variable("x", small)
    program = program_with([Assert(0, None, Binary("<", Read(x), Constant(9, small)))], [x])
    assert not verify(program).subject.sorts
    only_compared = program_with([Assert(0, None, Binary("=", Read(x), Read(x)))], [x])
    assert verify(only_compared).subject.sorts
    assert not verify(only_compared, options=Options(small_sorts=False)).subject.sorts
    assert not explore(only_compared).subject.sorts


def test_a_sum_is_no_copy() -> None:
    x = Variable("x", WORD)
    more = Convert(Binary("+", Read(x), Constant(1, WORD)), WORD)
    program = program_with([Assert(0, None, Binary("!=", more, Read(x)))], [x])
    assert verify(program, options=Options(engine="explicit")).verdict == "unknown"
    assert verify(program).engine == "bdd"


@pytest.mark.parametrize(
    "text",
    [
        "void f(p: int8) { skip; }\nvoid main() { skip; here: thread_create(f(1)); }",
        "int8 f() { return 5; }\nvoid main() { decl n: int8 := 0; n := f(); here: n := f(); }",
    ],
)
def test_what_is_hidden_and_not_used_yet_does_not_matter_to_a_trace(text: str) -> None:
    program = load_program(Source.of_text(text, "hidden.bp"))
    for engine in ("explicit", "delay"):
        result = verify(program, [unreachable(program, "here")], Options(engine=engine))
        assert (result.verdict, result.checked) == ("unsafe", True)


def test_a_recursive_procedure_that_only_forked_threads_run_needs_no_values_without_slots() -> None:
    text = """decl x := 0;
bool h(p: uint8) { x := h(1); return x; }
void g() { x := h(2); }
void main() { while (*) { async g(); } here: skip; }"""
    program = load_program(Source.of_text(text, "forked.bp"))
    result = verify(program, [unreachable(program, "here")], Options(slots=0))
    assert (result.verdict, result.checked) == ("unsafe", True)
