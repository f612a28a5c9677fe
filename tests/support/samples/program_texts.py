"""Small programs as texts, and short ways to run them, for tests of what people get to see."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.deciding import Options, verify
from tepui.languages import loads
from tepui.program.program import Program
from tepui.program.questions import Question, unreachable
from tepui.result import Result
from tepui.subject.story import ProgramStory, StatementStep

RECURSION = """\
decl x := 0;
void f() { if (*) { f(); x := 0; } assert(!x); }
void main() { thread_create(f); }
"""

RACE = """\
decl x := 0;
decl free := 1;

void enter() {
    atomic { wait(free); taken: free := 0; }
}

bool next(now) {
    return !now;
}

void work() {
    decl mine;
    enter();
    mine := next(x);
    x := mine;
    free := 1;
    if (0) { never: skip; }
    assert(x);
}

void main() {
    thread_create(work, 2);
}
"""
"""The assertion fails with two contexts: both threads flip x before the first one looks."""

QUESTIONS = """\
decl x := 0;

void one() {
A:  x := 1;
    assert(x);
    assert(!x);
}

void two() {
B:  assume(x);
    assert(x);
C:  skip;
}

void main() {
    thread_create(one);
    thread_create(two);
}
"""
"""Three assertions, of which the second is violated with one context."""

CREATING = """\
void child(given) {
    decl mine;
    mine := given;
L:  assert(!mine);
}

void main() {
    decl chosen;
    chosen := *;
    thread_create(child(chosen));
}
"""

SAFE = """\
decl x := 0;
void main() {
    assert(!x);
A:  x := 1;
B:  x := 0;
    if (x) { dead: skip; }
}
"""

STUCK = """\
decl left := 0, right := 0;
void first() {
    atomic { wait(!left); left := 1; }
    atomic { wait(!right); right := 1; }
}
void second() {
    atomic { wait(!right); right := 1; }
    atomic { wait(!left); left := 1; }
}
void main() {
    thread_create(first);
    thread_create(second);
}
"""


def program_of(text: str, name: str = "test.bp") -> Program:
    model = loads(text, "bp", name=name).model
    assert isinstance(model, Program)
    return model


def verified(
    program: Program, questions: Sequence[Question] | None = None, options: Options | None = None
) -> Result:
    """All questions together."""
    return verify(program, questions, options)


def told(result: Result) -> ProgramStory:
    """The trace of a result in the words of the program."""
    assert result.trace is not None
    story = result.trace.story
    assert isinstance(story, ProgramStory)
    return story


def way_to(text: str, place: str) -> list[StatementStep]:
    """The statements by which a place of a program is reached."""
    program = program_of(text)
    return list(told(verified(program, [unreachable(program, place)])).steps)


def calls(step: StatementStep) -> tuple[str, ...]:
    """The calls that a statement is in, as they are printed."""
    return tuple(map(str, step.stack))


def changes(step: StatementStep) -> dict[str, tuple[str | None, str | None]]:
    return {change.name: (change.before, change.after) for change in step.changes}
