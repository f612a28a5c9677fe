"""Possible values and fewest steps of small programs, and how answers are written."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import tepui
from tepui.errors import Stopped, UsageError
from tepui.languages import loads
from tepui.limits import Limits
from tepui.program.program import Program
from tepui.weighted.dataflow.analysis import Domain, dataflow
from tepui.weighted.dataflow.answers import (
    Dataflow,
    FewestSteps,
    Name,
    PossibleValues,
    Valuation,
    together,
)
from tepui.weighted.dataflow.possible_values import MOST_SHARED

LOCAL = """
decl g: enum {red, green} := red;
void f(n: int 0..3) {
    decl g: bool := 1, unset: int 0..5;
    if (n = 0) g := 0;
L:  skip;
}
void main() { f(*); }
"""


def test_values_of_locals_are_shown_beside_those_of_globals() -> None:
    assert _lines(LOCAL, "f:L") == [
        "g = red, n = 0, f.g = 0, unset = anything",
        "g = red, n = 1, f.g = 1, unset = anything",
        "g = red, n = 2, f.g = 1, unset = anything",
        "g = red, n = 3, f.g = 1, unset = anything",
    ]


def test_a_value_that_no_one_will_read_is_shown_all_the_same() -> None:
    text = "void main() { decl n: int 0..7; n := 4; L: skip; }"
    assert _lines(text, "main:L") == ["n = 4"]


def test_what_a_violated_assertion_leaves_standing_is_no_part_of_an_answer() -> None:
    text = """
    decl x := 0;
    void watch() { L: skip; }
    void tear() { atomic { x := 1; assert(0); x := 0; } }
    void main() { thread_create(watch); thread_create(tear); }
    """
    assert _lines(text, "watch:L") == ["x = 0"]


def test_more_contexts_show_more_values() -> None:
    text = """
    decl x: int 0..3 := 0;
    void a() { wait(x = 0); x := 1; wait(x = 2); x := 3; L: skip; }
    void b() { wait(x = 1); x := 2; M: skip; }
    void main() { thread_create(a); thread_create(b); }
    """
    for contexts, expected in {1: [], 2: [], 3: ["x = 3"], 4: ["x = 3"]}.items():
        assert _lines(text, "a:L", contexts=contexts) == expected
    assert (
        str(_answer(text, "a:L", contexts=2))
        == "a at L: unreachable within 2 contexts; more may reach it"
    )
    assert (
        str(_answer(text, "a:L", contexts=1))
        == "a at L: unreachable within 1 context; more may reach it"
    )
    assert _lines(text, "b:M", contexts=2) == ["x = 2"]
    assert _lines(text, "b:M", contexts=3) == ["x = 2", "x = 3"]


def test_the_fewest_steps_are_counted_for_each_valuation() -> None:
    text = "decl x: int 0..7 := 0; void main() { while (*) x := x + 1; L: skip; }"
    answer = _answer(text, "main:L", domain="shortest")
    assert isinstance(answer, FewestSteps)
    assert answer.steps == 1
    assert [(v.values, v.steps) for v in answer.valuations] == [
        ((value,), 1 + 2 * value) for value in range(8)
    ]
    assert answer.lines()[:2] == ["1 step at least", "1 step: x = 0"]


def test_many_valuations_are_put_together() -> None:
    text = "decl x: int 0..7, y: int 0..7; void main() { x, y := x, y; x := x + 0; L: skip; }"
    copied = text.replace("x + 0", "x * 1").replace("x, y := x, y", "x, y := x + 0, y + 0")
    answer = _answer(copied, "main:L")
    assert isinstance(answer, PossibleValues)
    assert len(answer.valuations) == 64
    assert answer.lines() == ["x = 0..7, y = 0..7"]


def test_products_of_sets_hold_the_same_valuations() -> None:
    valuations = [(x, y, z) for x, y, z in product(range(4), repeat=3) if (x + y) % 3 or z == 1]
    boxes = together(valuations)
    assert len(boxes) < len(valuations)
    unfolded = [each for box in boxes for each in product(*(values or () for values in box))]
    assert sorted(unfolded) == sorted(valuations)


def test_a_long_answer_is_cut_off_but_its_data_is_whole() -> None:
    names = (Name("x"), Name("y"))
    valuations = tuple(Valuation((n, n)) for n in range(50))
    answer = PossibleValues("q", 2, True, (), names, valuations)
    assert answer.lines()[-1] == "… and 10 more"
    assert len(answer.data()["valuations"]) == 50


def test_an_answer_prints_itself_and_knows_its_data() -> None:
    answer = _answer("decl b := 0; void main() { b := 1; L: skip; }", "L")
    assert str(answer) == "main at L, within 2 contexts:\n  b = 1"
    assert repr(answer) == "<PossibleValues: main at L>"
    assert ">b = 1</pre>" in answer._repr_html_()
    assert answer.data() == {
        "question": "main at L",
        "contexts": 2,
        "reachable": True,
        "domain": "relation",
        "variables": ["b"],
        "valuations": [{"values": {"b": 1}}],
        "notes": [],
    }


def test_a_program_without_variables_can_be_asked_whether_a_place_is_reached() -> None:
    assert _lines("void main() { L: skip; }", "L") == [
        "reachable; there are no variables that could have values"
    ]
    assert _lines("void main() { L: skip; }", "L", domain="affine") == [
        "reachable; there are no variables that relations could be between"
    ]
    assert _lines("void main() { L: skip; }", "L", domain="shortest") == ["0 steps at least"]


def test_too_many_shared_states_are_refused() -> None:
    text = "decl x: int 0..9999 := 0; void main() { while (*) x := x + 1; L: skip; }"
    with pytest.raises(UsageError, match=f"more than {MOST_SHARED:,}"):
        _answer(text, "L")


@pytest.mark.parametrize("domain", ["relation", "affine", "shortest"])
def test_no_time_is_no_answer(domain: Domain) -> None:
    with pytest.raises(Stopped, match="stopped at a limit"):
        _answer(LOCAL, "f:L", domain=domain, limits=Limits(timeout=0.0))


def test_a_scheduler_lock_that_nobody_holds_is_shown_as_free() -> None:
    text = "decl l, x := 0; void main() { L: l := 1; M: x := 1; l := 0; N: skip; }"
    program = loads(text, "bp").model
    assert isinstance(program, Program)
    locking = replace(program, lock=program.globals[0])
    lines = [dataflow(locking, f"main:{place}").lines() for place in "LMN"]
    assert lines == [["l = 0, x = 0"], ["l = 1, x = 0"], ["l = 0, x = 1"]]


def test_the_function_is_part_of_the_package() -> None:
    program = loads(LOCAL, "bp").model
    assert tepui.dataflow(program, "f:L").reachable
    assert tepui.dataflow(program, "f:L").reachable


def _lines(text: str, at: str, contexts: int = 2, domain: Domain = "relation") -> list[str]:
    answer = _answer(text, at, contexts, domain)
    return answer.lines() if answer.reachable else []


def _answer(
    text: str,
    at: str,
    contexts: int = 2,
    domain: Domain = "relation",
    limits: Limits | None = None,
) -> Dataflow:
    program = loads(text, "bp").model
    assert isinstance(program, Program)
    return dataflow(program, at, contexts=contexts, domain=domain, limits=limits)
