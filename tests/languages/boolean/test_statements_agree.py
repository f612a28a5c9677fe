"""Random programs in braces: the Program does what a naive interpreter of the syntax tree does.

Ends and violations are compared: the values of all variables, and the kinds of what goes wrong.
"""

from __future__ import annotations

import random

import pytest

from support.generators.random_braces import random_braces
from support.oracles.program_interpreter import Interpreter, TooLargeError
from support.oracles.syntax_interpreter import TooLongError, outcomes
from support.sizes import sized
from tepui.deciding import verify
from tepui.languages.boolean import load_program
from tepui.languages.boolean.braces import parse_braces
from tepui.languages.boolean.formatter import format_program
from tepui.languages.source import Source
from tepui.program.program import Assert, Program
from tepui.program.questions import assertions


def ends(program: Program) -> set[tuple[object, ...]]:
    """All ways in which the only thread of a program can end."""
    interpreter = Interpreter(program, most=5000)
    kinds = [
        edge.kind
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge, Assert)
    ]
    found: set[tuple[object, ...]] = set()
    waiting = list(interpreter.initial_states())
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        if state.stacks == ((),):
            found.add(("end", *state.globals))
            continue
        outcome = interpreter.step(state, 0)
        found |= {("violated", kinds[number]) for number in outcome.violated}
        new = outcome.after - seen
        seen |= new
        waiting += new
    return found


@pytest.mark.parametrize("seed", range(4))
def test_programs_end_as_their_statements_say(seed: int) -> None:
    chance = random.Random(seed)
    kinds: set[object] = set()
    compared = 0
    for _ in range(sized(160)):
        text = random_braces(chance)
        source = Source.of_text(text, "random.bp")
        try:
            expected = outcomes(parse_braces(source))
            found = ends(load_program(source))
        except (TooLongError, TooLargeError):
            continue
        assert found == expected, text
        compared += 1
        kinds |= {outcome[1] if outcome[0] == "violated" else "end" for outcome in expected}
    assert compared > 20
    assert kinds >= {"end", "assertion", "bounds", "division"}


def test_the_engines_find_the_same_kinds_of_violations() -> None:
    chance = random.Random(9)
    verdicts = set()
    for _ in range(sized(60)):
        source = Source.of_text(random_braces(chance), "random.bp")
        try:
            expected = outcomes(parse_braces(source))
        except TooLongError:
            continue
        program = load_program(source)
        if not assertions(program):
            assert all(outcome[0] == "end" for outcome in expected)
            continue
        result = verify(program)
        violated = {outcome[1] for outcome in expected if outcome[0] == "violated"}
        assert (result.verdict == "unsafe") == bool(violated), "\n".join(source.lines)
        verdicts.add(result.verdict)
    assert verdicts == {"safe", "unsafe"}


def test_the_formatter_changes_nothing_but_the_layout() -> None:
    chance = random.Random(5)
    for _ in range(sized(120)):
        text = random_braces(chance)
        once = format_program(text, "random.bp")
        assert format_program(once, "random.bp") == once
        assert "".join(once.split()) == "".join(text.split())
