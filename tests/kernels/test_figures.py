"""CUBA's figures as programs: lowering gives the systems that the paper prints."""

from __future__ import annotations

from support.samples.figure_programs import FIGURE_2, FIGURE_6
from tepui.deciding import Options, explore, verify, verify_all
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.kernels.program_fields import LoweringOptions
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.limits import Limits
from tepui.program.layout import Frame, Layout, Value, known
from tepui.program.program import Program
from tepui.program.questions import unreachable
from tepui.z import Strength, Z
from tepui.z.call_return import (
    omega,
    post_calls,
    reachable_frames,
    returning_locations,
    valuations,
)

FIGURE_7 = """
decl s := 0;
void foo() {
    decl l1, l2;
2:  l1 := 0; l2 := !s;
3:  bar(l2);
4:  l2 := !l1; s := 0;
5:  if (s != l2) foo();
6:  return;
}
void bar(value) {
7:  s := value;
}
void main() { thread_create(foo); }
"""

Rules = set[tuple[int | None, str, int | None, str]]


def test_the_cpds_of_figure_2_comes_out() -> None:
    foo, bar = _rules(_program(FIGURE_2))
    both = (0, 1)
    assert foo == {
        *((x, "2", x, "3") for x in both),
        *((x, "2", x, "4") for x in both),
        *((x, "3", x, "2 4") for x in both),
        (1, "4", 1, "4"),
        (0, "4", 0, "5"),
        *((x, "5", 1, "") for x in both),
    }
    assert bar == {
        *((x, "6", x, "7") for x in both),
        *((x, "6", x, "8") for x in both),
        *((x, "7", x, "6 8") for x in both),
        (0, "8", 0, "8"),
        (1, "8", 1, "9"),
        *((x, "9", 0, "") for x in both),
    }


def test_the_cpds_of_figure_6_comes_out() -> None:
    foo, bar = _rules(_program(FIGURE_6))
    assert foo == {(0, "1", 1, "2"), (3, "2", 0, "1"), (3, "2", 2, "2")}
    assert bar == {
        (0, "3", 0, ""),
        (1, "3", 2, "4"),
        (2, "3", 2, "6"),
        (2, "4", 3, "3 5"),
        (0, "5", 0, ""),
        (2, "6", 4, "8 7"),
        (1, "7", 1, ""),
        (4, "8", 1, ""),
    }


def test_omega_of_figure_6_is_that_of_example_20() -> None:
    program = _program(FIGURE_6)
    layout = Layout(program)
    pairs = {(_label(layout, left), _label(layout, right)) for left, right in omega(program, 1)}
    assert pairs == {("3", "5"), ("5", "5"), ("7", "5"), ("8", "7")}
    assert omega(program, 0) == frozenset()


def test_figure_6_converges_with_omega_and_not_with_strength_1_alone() -> None:
    program = _program(FIGURE_6)
    for kind in ("omega", "omega-l", "omega-ll"):
        strength = Strength(kind)
        result = explore(program, Options(strengths=(strength,)))
        assert (result.verdict, str(result.proof), result.bound) == (
            "collapsed",
            "T(R_k) = T(Z)",
            4,
        )
    cut = Options(strengths=(Strength("cut"),), limits=Limits(max_contexts=30))
    assert explore(program, cut).verdict == "stopped"


def test_the_unreachable_generator_of_figure_6_is_in_the_z_of_strength_1_only() -> None:
    program = _program(FIGURE_6)
    generator = (0, "1", "7")
    assert generator in _visible(program, Strength("cut"))
    assert generator not in _visible(program, Strength("omega"))


def test_r_l_of_figure_7_is_that_of_example_21() -> None:
    program = _program(FIGURE_7)
    assert _after_call(program, "4") == {(0, 0), (0, 1)}


def test_live_variables_leave_the_one_valuation_of_example_23() -> None:
    program = _program(FIGURE_7)
    assert _after_call(program, "4", live=True) == {(0, 0)}


def test_with_live_variables_only_figure_7_has_one_frame_after_the_call_of_bar() -> None:
    """Ω_LL of a run: the dead variable has no value, so there is one frame; Ω_L has two."""
    program = _program(FIGURE_7)
    point = _point(program, "4")
    for liveness, values in ((True, {(0, None)}), (False, {(0, 0), (0, 1)})):
        options = LoweringOptions(liveness=liveness, decide_first=True)
        frames = reachable_frames(program, 0, options)
        seen = {frame.values for frame in frames if frame.point == point}
        assert seen == values


def test_tail_recursion_is_decided_at_once() -> None:
    """Corollary 26: nothing is left to do after the call, so no frame is left on the stack."""
    program = _program(
        """
        decl x := 0;
        void again() { x := !x; if (*) { again(); } }
        void main() { thread_create(again, 2); }
        """
    )
    question = unreachable(program, "3")
    (answer,) = verify_all(program, [question])
    result = answer.result
    assert (result.verdict, result.bound) == ("unsafe", 0)
    explored = explore(program)
    assert (explored.verdict, explored.bound) == ("collapsed", 2)
    assert explored.z is not None
    assert explored.z.exact
    for kind in ("omega", "omega-l", "omega-ll"):
        strength = Strength(kind)
        assert Z(lower(program), strength).completed().is_exact


def test_one_call_of_f_and_then_a_loop_is_no_functional_case_as_the_paper_prints_it() -> None:
    """The empty stack counts: f was called, so its return leaves the caller, and never nothing."""
    program = _program(
        """
        decl x := 0;
        void f() { x := 1; }
        void run() { f(); loop: goto loop; }
        void main() { thread_create(run); }
        """
    )
    for kind in ("omega", "omega-l", "omega-ll"):
        z = Z(lower(program), Strength(kind)).completed()
        assert z.is_exact
        assert all(visible[1] for visible in z.list_visible())


def test_a_use_that_goes_with_the_shared_variables_may_have_decided_a_value() -> None:
    """The write to shared memory gives `index` its value, and R_L knows nothing of the write."""
    program = _program(
        """
        decl a: bool[2] := 0;
        void f() { skip; }
        void run() { decl index: int 0..1; a[index] := 1; f(); assert(index <= 1); }
        void main() { thread_create(run); }
        """
    )
    for kind in ("omega-l", "omega-ll"):
        strength = Strength(kind)
        result = verify(program, options=Options(strengths=(strength,)))
        assert (result.verdict, result.checked) == ("safe", True)


def test_a_location_returns_if_its_step_may() -> None:
    program = _program(FIGURE_6)
    bar1 = program.by_name["bar1"]
    labels = {bar1.locations[number].labels[0] for number in returning_locations(bar1)}
    assert labels == {"3", "5", "7"}
    assert len(post_calls(program, 1)) == 2


def _program(text: str) -> Program:
    return load_program(Source.of_text(text, "figure.bp"))


def _rules(program: Program) -> list[Rules]:
    """For each thread type, the rules between all states that Z has, by labels."""
    system = lower(program)
    Z(system).completed()
    found: list[Rules] = []
    for template in range(len(system.templates)):
        rules: Rules = set()
        for shared in range(len(system.shared)):
            for symbol in range(1, len(system.frames(template))):
                for number in system.kernel.enabled(template, shared, symbol):
                    rule = system.templates[template].rules[number]
                    word = " ".join(_name(system, template, symbol) for symbol in rule.word)
                    top = _name(system, template, symbol)
                    rules.add(
                        (_global(system, rule.source), top, _global(system, rule.target), word)
                    )
        found.append(rules)
    return found


def _global(system: LoweredSystem, shared: int) -> int | None:
    return known(system.shared_values()[shared][0])


def _name(system: LoweredSystem, template: int, symbol: int) -> str:
    return _label(system.layout, system.frames(template)[symbol].point)


def _label(layout: Layout, point: int) -> str:
    location = layout.location(point)
    assert location is not None
    return location.labels[0]


def _visible(program: Program, strength: Strength) -> set[tuple[int | str | None, ...]]:
    system = lower(program, LoweringOptions(liveness=False))
    z = Z(system, strength).completed()
    return {
        (
            _global(system, shared),
            *(_name(system, thread, top) if top else "" for thread, top in enumerate(tops)),
        )
        for shared, *tops in z.list_visible()
    }


def _after_call(program: Program, label: str, *, live: bool = False) -> set[tuple[Value, ...]]:
    frames: set[Frame] = valuations(program, 0, live=live)[_point(program, label)]
    return {frame.values for frame in frames}


def _point(program: Program, label: str) -> int:
    layout = Layout(program)
    return next(
        point
        for point in range(layout.waiting)
        if label in layout.location(point).labels  # type: ignore[union-attr]
    )
