"""A trace of a program with libraries has the statements of its user."""

from __future__ import annotations

from pathlib import Path

import tepui
from tepui.records import replace
from tepui.subject.own_story import own_story
from tepui.subject.story import ProgramStory

TEXT = """\
decl x: int 0..3 := 0;
decl hidden: int 0..3 := 0;

void inner() {
    hidden := hidden + 1;
    x := x + 1;
    x := x + 1;
}

void main() {
    skip;
    inner();
    assert(x = 1);
}
"""

PROGRAM = tepui.loads(TEXT, "bp", name="main.bp")


def moved(file: str, procedure: str) -> tepui.Program:
    """The program, with a procedure in another file, and with a user who has written the rest."""
    procedures = tuple(
        replace(
            each,
            position=replace(each.position, file=file),
            locations=tuple(
                replace(place, position=replace(place.position, file=file))
                for place in each.locations
            ),
        )
        if each.name == procedure
        else each
        for each in PROGRAM.procedures
    )
    return replace(
        PROGRAM, procedures=procedures, own_files=("main.bp",), unseen=frozenset({"hidden"})
    )


def told(program: tepui.Program) -> ProgramStory:
    trace = tepui.verify(program).trace
    assert trace is not None
    assert isinstance(trace.story, ProgramStory)
    return trace.story


def test_without_own_files_every_step_is_told() -> None:
    story = told(PROGRAM)
    lines = [step.position.line for step in story.steps]
    assert {5, 6, 7} <= set(lines)
    assert {change.name for change in story.start} == {"x", "hidden"}


def test_what_a_library_changes_belongs_to_the_statement_that_called_it() -> None:
    story = told(moved("library.bp", "inner"))
    found = [
        (step.position.line, [f"{one.name}={one.after}" for one in step.changes])
        for step in story.steps
    ]
    assert found == [(11, []), (12, ["x=2"]), (13, [])]
    assert [change.name for change in story.start] == ["x"]


def test_the_values_after_all_steps_are_the_same() -> None:
    *_, last = told(moved("library.bp", "inner")).valuations()
    *_, every = told(PROGRAM).valuations()
    assert last == {"x": every["x"]}


def test_a_program_that_is_all_library_keeps_its_changes_out() -> None:
    story = own_story(told(PROGRAM), replace(PROGRAM, own_files=(str(Path("none.bp")),)))
    assert story.steps == ()
