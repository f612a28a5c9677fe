"""Models with their report inputs, for tests of the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support.places import EXAMPLES
from tepui.deciding import Options, explore, verify, verify_all
from tepui.kernels.lowered_system import LoweredSystem
from tepui.languages import load, loads
from tepui.model import System
from tepui.program.program import Program
from tepui.program.questions import Question
from tepui.report.report_input import ReportInput
from tepui.result import Result
from tepui.subject.story import ProgramStory

HOSTILE = "</script><img src=x onerror=alert(1)>&'\\\"${x}"
"""A name in quotes as a .cpds file may have it."""

HOSTILE_SYSTEM = f"""\
# </code></li></ol><script>alert(2)</script>
initial "{HOSTILE}"
thread "<b onclick='alert(3)'>T</b>" {{
    stack "<i>a</i>"
    "{HOSTILE}" | "<i>a</i>" -> "--><!--" | "]]>" "\\n"
}}
bad "--><!--" | *
"""

HOSTILE_PROGRAM = """\
// </script><script>alert(1)</script> <!-- "quoted" 'single' &amp;
decl x: int 0..3 := 0; // <img src=x onerror="alert(2)">
void main() {
    if (x < 1 & !(x > 1)) { x := 1; } // ]]> -->
    assert(x < 1); // </pre></code></li></ol></section>
}
"""


def long_program(loops: int) -> str:
    """A program with a trace of a good four steps for each time round its loop."""
    return f"""\
decl c: int 0..{loops} := 0, turn := 0;
void work() {{
    decl x;
    while (c < {loops}) {{
        x := turn;
        c := c + 1;
        turn := !x;
    }}
    assert(0);
}}
void other() {{
    wait(c = {loops // 2});
    c := c + 1;
}}
void main() {{
    thread_create(work);
    thread_create(other);
}}
"""


def philosophers(count: int) -> str:
    """A program with a deadlock in which every thread has a step: each philosopher takes the fork
    on one side, and waits for the other."""
    forks = ", ".join(f"fork{number} := 0" for number in range(count))
    procedures = "".join(
        f"""\
void philosopher{number}() {{
    decl hungry := 1, meals: int 0..2 := 0;
    while (hungry) {{
        atomic {{ wait(!fork{number}); fork{number} := 1; }}
        atomic {{ wait(!fork{(number + 1) % count}); fork{(number + 1) % count} := 1; }}
        meals := 1;
        fork{(number + 1) % count} := 0;
        fork{number} := 0;
        hungry := *;
    }}
}}
"""
        for number in range(count)
    )
    created = "".join(f"    thread_create(philosopher{number});\n" for number in range(count))
    return f"decl {forks};\n{procedures}void main() {{\n{created}}}\n"


CALLS = """\
decl g := 0;
int 0..3 f(a: int 0..3) {
    decl b := 1, c: int 0..3 := 2, d: int 0..3[2];
    c := a;
    if (c < 1) { c := f(a + 1); }
    d[1] := c;
    b := 0;
    return d[1];
}
void main() {
    decl r: int 0..3 := 3, u := 1;
    r := f(0);
    assert(r != 1);
}
"""
"""A program with recursion and local variables: some have a first value, some are never read."""


def example(name: str, options: Options | None = None, *, each: bool = False) -> ReportInput:
    """What `tepui report` tells about an example."""
    return about(EXAMPLES / name, options, each=each)


def about(
    file: Path,
    options: Options | None = None,
    *,
    each: bool = False,
    questions: list[Question] | None = None,
) -> ReportInput:
    """Answers and exploration, of a file."""
    model, options = load(file).model, options or Options()
    if each:
        assert isinstance(model, Program)
        results = [answer.result for answer in verify_all(model, questions, options)]
    else:
        results = [verify(model, questions, options)]
    exploration = explore(model, options)
    arguments = ("report", str(file))
    return ReportInput("report", model, file, tuple(results), exploration, None, options, arguments)


def written(folder: Path, name: str, text: str) -> Path:
    """A file with this text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def system_of(text: str) -> System:
    model = loads(text, "cpds").model
    assert isinstance(model, System)
    return model


Seen = tuple[list[str | None], list[list[str]]]
"""The values of all variables, and the stacks of all threads, tops first."""


def seen_after(result: Result) -> dict[int, Seen]:
    """For numbers of steps on the page, the state that the engine's own trace has then.

    A step of a program's system may be several steps on the page, or none; how many, the beginnings
    of the trace say. A frame is its procedure, and the first one its line, too.
    """
    trace = result.trace
    assert trace is not None
    system = trace.subject.system
    states = [(trace.initial_shared, trace.initial_stacks)]
    states += [(step.shared, step.stacks) for step in trace.steps]
    found: dict[int, Seen] = {}
    for number, (shared, stacks) in enumerate(states):
        if not isinstance(system, LoweredSystem):
            names = [
                [system.template_of(thread).symbols[symbol] for symbol in stack]
                for thread, stack in enumerate(stacks)
            ]
            found[number] = [system.shared[shared]], names
            continue
        told = result.subject.story(replace(trace, steps=trace.steps[:number]))
        assert isinstance(told, ProgramStory)
        steps = len(told.steps)
        cells = system.layout.shared_cells[: len(told.start)]
        values = zip(cells, system.shared_values()[shared], strict=False)
        texts = [cell.type.text(v) if isinstance(v, int) else None for cell, v in values]
        found[steps] = texts, [_frames(system, *pair) for pair in enumerate(stacks)]
    return found


def locals_after(result: Result) -> dict[int, list[dict[str, str]]]:
    """For numbers of steps on the page, the local variables on top of each thread's stack, with
    the values that the engine's own trace has then. It has none that no longer matter."""
    trace = result.trace
    assert trace is not None
    system = trace.subject.system
    assert isinstance(system, LoweredSystem)
    found: dict[int, list[dict[str, str]]] = {}
    for number in range(1, len(trace.steps) + 1):
        told = result.subject.story(replace(trace, steps=trace.steps[:number]))
        assert isinstance(told, ProgramStory)
        stacks = trace.steps[number - 1].stacks
        found[len(told.steps)] = [_top_locals(system, *pair) for pair in enumerate(stacks)]
    return found


def _top_locals(system: LoweredSystem, thread: int, stack: tuple[int, ...]) -> dict[str, str]:
    layout = system.layout
    if not stack:
        return {}
    frame = system.frames(system.threads[thread])[stack[0]]
    if frame.point >= layout.waiting:
        return {}
    cells = layout.frame_cells[layout.locations[frame.point][0]]
    values = zip(cells, frame.values, strict=True)
    return {cell.name: cell.type.text(value) for cell, value in values if isinstance(value, int)}


def _frames(system: LoweredSystem, thread: int, stack: tuple[int, ...]) -> list[str]:
    layout, frames = system.layout, system.frames(system.threads[thread])
    found = []
    for depth, symbol in enumerate(stack):
        point = frames[symbol].point
        if point == layout.waiting:
            continue
        index = (
            layout.locations[point][0]
            if point < layout.waiting
            else layout.assertions[point - layout.waiting - 1].procedure
        )
        location = layout.location(point)
        assert location is not None
        name = system.program.procedures[index].name
        found.append(name if depth else f"{name}:{location.position.line}")
    return found
