"""Lowering on demand: the kernel's rules are those of the reference semantics, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, NoReturn

import pytest

from support.generators.copying_programs import random_open_program
from support.generators.programs import KNOWING, SMALL, random_program, with_bare_ends
from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from support.sizes import sized
from tepui.deciding import Options, explore, verify, verify_all
from tepui.errors import LimitReached
from tepui.kernels.door import SystemKernel
from tepui.kernels.fusion import joined_procedures, recursive_procedures
from tepui.kernels.lowered_system import LoweredSystem, lower
from tepui.kernels.program_fields import LoweringOptions, fields_of
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.expressions import Choice, Read
from tepui.program.layout import Frame, Fused, Layout, SharedState
from tepui.program.program import Call, Create, Program, Receive, Return, Thread
from tepui.program.questions import deadlock
from tepui.program.semantics.meaning import meaning_of
from tepui.program.semantics.sections import points_inside
from tepui.program.types import BOOLEAN
from tepui.z import Z

STATES = 3_000
"""How large a Z may become in a comparison."""


@pytest.mark.fuzz
@pytest.mark.parametrize("batch", range(5))
def test_the_kernel_has_the_rules_of_the_reference_semantics(fuzz_systems: int, batch: int) -> None:
    for seed in range(batch, fuzz_systems // 4, 5):
        sizes = KNOWING if seed % 3 == 2 else SMALL
        program = with_bare_ends(random_program(Random(seed), sizes))
        for options in _all_options(program):
            _compare(program, options, f"seed {seed}, {options}")


@pytest.mark.fuzz
def test_the_kernel_copies_what_has_no_value_as_the_reference_semantics_does() -> None:
    shared = 0
    for seed in range(sized(32)):
        program = random_open_program(seed)
        for options in _all_options(program):
            _compare(program, options, f"seed {seed}, {options}")
        states = lower(program)
        Z(states).advance({"states": STATES, "bytes": None, "seconds": None, "pause": None})
        shared += any("==" in name for name in states.shared)
    assert shared


@pytest.mark.parametrize(
    "body",
    [
        # The same step with x open and with x known.
        "if (*) { x := 1; } y := x; z := y;",
        # With x open, y apart from it and y the same.
        "if (*) { y := x; } z := x; assume(y = 2);",
        "if (*) { y := x; } if (x = 3) { z := 1; } else { z := y; }",
        "z := x; if (*) { x := z; } y := x; assert(y != 3);",
    ],
)
def test_what_nobody_knows_yet_is_not_taken_for_what_is_known(body: str) -> None:
    """A step that is learned in one shared state is taken in others."""
    declared = "".join(f"decl {name}: int 0..3; " for name in "xyz")
    source = f"{declared} void other() {{ y := 2; x := y; }} void main() {{ {body} }}"
    one = _program(f"{source} void start() {{ skip; }}")
    two = _program(source.replace("main() {", "main() { thread_create(other);"))
    for asked in (one, two):
        for options in _all_options(asked):
            _compare(asked, options, f"{body}, {options}")


def test_what_a_thread_inherits_is_no_result_whatever_its_name() -> None:
    own, x = local("k", procedure="work"), variable("x")
    threads = (
        Thread("main", "main"),
        Thread("result of main", "work", created=True, inherited=(own,)),
    )
    one = program(
        procedure(
            "main", Create(0, 1, (1,), ((Read(x),),)), Call(1, 2, "f"), Receive(2, None, (x,))
        ),
        procedure("f", Return(0, (Choice(BOOLEAN),)), results=(BOOLEAN,)),
        procedure("work", step(0, None, assign(x, Read(own))), variables=(own,)),
        shared=(x,),
        threads=threads,
    )
    for options in _all_options(one):
        _compare(one, options, str(options))


def test_a_program_costs_what_is_reachable() -> None:
    """24 global Booleans and 12 locals, of which few combinations are reachable."""
    result = explore(_many_variables())
    assert result.verdict == "collapsed"
    assert result.states is not None
    assert result.states < 10_000
    system = result.system
    assert isinstance(system, LoweredSystem)
    assert len(system.shared) < 100
    assert system.kernel.bytes < 1 << 20


def test_without_liveness_dead_values_tell_states_apart() -> None:
    program = _program(
        """
        decl x := 0;
        void f() { decl t := 0; t := *; x := t; x := 0; skip; }
        void main() { f(); assert(!x); }
        """
    )
    for asked in (program,):
        plain = verify(asked, options=Options(liveness=False, fusion=False, strengths=()))
        normalised = verify(asked, options=Options(fusion=False, strengths=()))
        assert plain.verdict == normalised.verdict == "safe"
        assert plain.states is not None
        assert normalised.states is not None
        assert plain.states > normalised.states


def test_a_variable_gets_its_value_when_it_is_read() -> None:
    """Thirty variables that start with any value cost nothing until they are looked at."""
    names = ", ".join(f"v{number}" for number in range(30))
    program = _program(f"decl {names}; void main() {{ v0 := *; v1 := !v2; assert(v1 != v2); }}")
    result = verify(program)
    assert result.verdict == "safe"
    assert len(result.system.shared) < 10


def test_a_deadlock_that_depends_on_a_variable_without_a_value_takes_no_context() -> None:
    stuck = _program("decl x; void main() { wait(x); }")
    (answer,) = verify_all(stuck, [deadlock()])
    assert (answer.result.verdict, answer.result.bound) == ("unsafe", 0)
    free = _program("decl x := 1; void main() { wait(x); }")
    (answer,) = verify_all(free, [deadlock()])
    assert answer.result.verdict == "safe"


LOCKED = """
decl atomic, x;
void init() begin x := F; atomic := {}; end
void main() begin atomic := T; x := T; end
void thread1() begin skip; end
"""


@pytest.mark.parametrize(("value", "contexts"), [("T", 1), ("F", 2)])
def test_a_created_thread_that_never_gets_the_lock_is_stuck(value: str, contexts: int) -> None:
    """It has not started, but it exists: only threads that were not created cannot be stuck."""
    (answer,) = verify_all(_program(LOCKED.format(value)), [deadlock()])
    assert (answer.result.verdict, answer.result.bound) == ("unsafe", contexts)


def test_a_thread_that_was_never_created_is_not_stuck() -> None:
    program = _program("void f() { skip; } void main() { if (*) { thread_create(f); } }")
    (answer,) = verify_all(program, [deadlock()])
    assert answer.result.verdict == "safe"


def test_a_field_that_is_missing_or_wrong_is_named() -> None:
    fields = _written_out(fields_of(Layout(_many_variables()), LoweringOptions()))
    with pytest.raises(ValueError, match=r"^`threads` is missing$"):
        SystemKernel.of_program(
            {name: value for name, value in fields.items() if name != "threads"}, [1], ValueError
        )
    with pytest.raises(ValueError, match=r"^`own_cells`: .*int"):
        SystemKernel.of_program(fields | {"own_cells": "many"}, [1], ValueError)
    cell = {"low": 0, "size": 2, "overflow": "round", "initial": None}
    with pytest.raises(ValueError, match=r"^`cells`: `round` is no kind$"):
        SystemKernel.of_program(fields | {"cells": [cell]}, [1], ValueError)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), LimitReached("time"), MemoryError()])
def test_what_ends_a_command_is_no_error_of_a_field(end: BaseException) -> None:
    """Procedures are made while they are read, and a signal may come then."""

    def interrupted(_: int) -> NoReturn:
        raise end

    fields = fields_of(Layout(_many_variables()), LoweringOptions())
    with pytest.raises(type(end)):
        SystemKernel.of_program(fields | {"procedures": map(interrupted, [0])}, [1], ValueError)


def test_fields_with_other_values_never_do_harm() -> None:
    """Whatever the fields are, they are a program or they are refused."""
    fields = _written_out(fields_of(Layout(_many_variables()), LoweringOptions()))
    rng = Random(7)
    refused = 0
    for _ in range(2_000):
        damaged = _damaged(fields, rng)
        try:
            kernel = SystemKernel.of_program(damaged, [1], ValueError)
        except (TypeError, ValueError):
            refused += 1
            continue
        kernel.enabled(0, kernel.initial, kernel.initial_stack(0)[0])
    assert 0 < refused < 2_000


def _written_out(value: Any) -> Any:
    """With lists in place of iterators, which can be read only once."""
    if isinstance(value, dict):
        return {name: _written_out(field) for name, field in value.items()}
    return list(map(_written_out, value)) if isinstance(value, Iterator) else value


def _damaged(value: Any, rng: Random) -> Any:
    """A copy with another value somewhere."""
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return value | {key: _damaged(value[key], rng)}
    if isinstance(value, list | tuple) and value:
        place = rng.randrange(len(value))
        return type(value)((*value[:place], _damaged(value[place], rng), *value[place + 1 :]))
    return rng.choice([-1, 0, 1, 2, 7, 99, 1 << 40, None, True, "end", [], {}])


def _all_options(program: Program) -> list[LoweringOptions]:
    layout = Layout(program)
    probes = {
        point for point in points_inside(program) if not _receives(layout, *layout.locations[point])
    }
    return [
        LoweringOptions(),
        LoweringOptions(liveness=False),
        LoweringOptions(decide_first=True),
        LoweringOptions(probes=frozenset(probes)),
        LoweringOptions(fused=Fused(joined=joined_procedures(program))),
        LoweringOptions(liveness=False, probes=frozenset(probes), fused=_some_fused(program)),
    ]


def _some_fused(program: Program) -> Fused:
    """Every third location is named, and half of the procedures are joined."""
    named = frozenset(range(0, program.layout.waiting, 3))
    loops = recursive_procedures(program)
    joined = [n for n, each in enumerate(program.procedures) if n % 2 and each.name not in loops]
    return Fused(named, frozenset(joined))


def _receives(layout: Layout, procedure: int, location: int) -> bool:
    edges = layout.program.procedures[procedure].leaving[location]
    return any(isinstance(edge, Receive) for edge in edges)


def _compare(program: Program, options: LoweringOptions, place: str) -> None:
    system = lower(program, options)
    meaning = meaning_of(program, options)
    z = Z(system)
    z.advance({"states": STATES, "bytes": None, "seconds": None, "pause": None})
    assert system.shared_values()[system.initial] == meaning.initial_shared(), place
    reached = z.points()
    for number, template in enumerate(system.templates):
        _, thread = system.layout.templates[number]
        frames = system.frames(number)
        stack = tuple(frames[symbol] for symbol in template.stack)
        assert stack == meaning.initial_stack(thread), place
        points = set()
        for source, top in z.thread_visible(number):
            if top == 0:
                continue
            shared, frame = system.shared_values()[source], frames[top]
            assert _rules(system, number, source, top) == meaning.rules(thread, shared, frame), (
                place,
                thread,
                shared,
                frame,
            )
            points |= {frame.point, *meaning.covered(thread, shared, frame)}
        assert points == set(reached[number]), place


def _rules(
    system: LoweredSystem, thread: int, shared: int, top: int
) -> frozenset[tuple[SharedState, tuple[Frame, ...]]]:
    frames = system.frames(thread)
    rules = system.templates[thread].rules
    return frozenset(
        (
            system.shared_values()[rules[number].target],
            tuple(frames[symbol] for symbol in rules[number].word),
        )
        for number in system.kernel.enabled(thread, shared, top)
    )


def _many_variables() -> Program:
    names = [f"g{number}" for number in range(24)]
    locals_ = [f"l{number}" for number in range(12)]
    shift = "".join(f"{to} := {source};\n" for source, to in pairwise(names))
    copy = "".join(f"{local} := {name};\n" for local, name in zip(locals_, names, strict=False))
    return _program(
        f"decl {', '.join(f'{name} := 0' for name in names)};\n"
        f"void run() {{ decl {', '.join(f'{name} := 0' for name in locals_)};\n"
        f"g0 := 1;\n{shift}{copy}assert(l0 && l11); }}\n"
        "void main() { thread_create(run); }"
    )


def _program(text: str) -> Program:
    return load_program(Source.of_text(text, "program.bp"))
