"""The figures of CUBA as programs: their control flow is the one that the paper gives."""

from __future__ import annotations

from support.boolean_flows import edges, load
from support.samples.figure_programs import FIGURE_2, FIGURE_6, FIGURE_7
from tepui.program.program import Thread


def test_figure_2_has_the_actions_of_the_paper() -> None:
    program = load(FIGURE_2)
    assert edges(program, "foo") == [
        "0 skip -> 1",
        "0 skip -> 2",
        "1 call foo() -> 2",
        "2 [x] skip -> 2",
        "2 [!x] skip -> 3",
        "3 x := 1 -> out",
    ]
    assert edges(program, "bar") == [
        "0 skip -> 1",
        "0 skip -> 2",
        "1 call bar() -> 2",
        "2 [!x] skip -> 2",
        "2 [!!x] skip -> 3",
        "3 x := 0 -> 4",
        "4~ assert (x = 0) -> out",
    ]


def test_figure_2_has_the_stack_symbols_of_the_paper() -> None:
    resting = [
        [location.labels for location in procedure.locations if not location.atomic]
        for procedure in load(FIGURE_2).procedures
    ]
    assert resting == [[("2",), ("3",), ("4",), ("5",)], [("6",), ("7",), ("8",), ("9",)]]


def test_the_threads_of_figure_2_run_at_once_and_main_is_left_out() -> None:
    program = load(FIGURE_2)
    assert program.threads == (Thread("foo", "foo"), Thread("bar", "bar"))
    assert [procedure.name for procedure in program.procedures] == ["foo", "bar"]


def test_figure_6_has_one_step_for_each_number() -> None:
    program = load(FIGURE_6)
    assert edges(program, "foo") == [
        "0 [(s = q0)] skip -> 1",
        "1~ s := q1 -> 2",
        "2 [(s = q3)] skip -> 3",
        "3~ skip -> 4",
        "3~ skip -> 6",
        "4~ s := q0 -> 5",
        "5~ skip -> 0",
        "6~ s := q2 -> 7",
        "7~ skip -> 2",
    ]
    assert edges(program, "bar1") == [
        "0 [(((s = q0) or (s = q1)) or (s = q2))] skip -> 1",
        "1~ [(s = q0)] skip -> 2",
        "1~ [!(s = q0)] skip -> 3",
        "2~ return",
        "3~ [(s = q1)] skip -> 4",
        "3~ [!(s = q1)] skip -> 5",
        "4~ s := q2 -> 6",
        "5~ skip -> 11",
        "6 [(s = q2)] skip -> 7",
        "7~ s := q3 -> 8",
        "8~ call bar1() -> 9",
        "9 [(s = q0)] skip -> 10",
        "10~ return",
        "11 [(s = q2)] skip -> 12",
        "12~ s := q4 -> 13",
        "13~ call bar2() -> 14",
        "14 [(s = q1)] skip -> 15",
        "15~ return",
    ]
    assert edges(program, "bar2") == [
        "0 [(s = q4)] skip -> 1",
        "1~ s := q1 -> 2",
        "2~ return",
    ]


def test_figure_7_has_one_step_for_each_number_and_rests_after_calls() -> None:
    program = load(FIGURE_7)
    assert edges(program, "foo") == [
        "0 l1 := 0 -> 1",
        "1~ l2 := !s -> 2",
        "2 call bar(l2) -> 3",
        "3 l2 := !l1 -> 4",
        "4~ s := 0 -> 5",
        "5 [(s != l2)] skip -> 6",
        "5 [!(s != l2)] skip -> 7",
        "6~ call foo() -> 7",
        "7 return",
    ]
    assert edges(program, "bar") == ["0 s := l -> out"]
    assert program.threads == (Thread("foo", "foo", 2),)
