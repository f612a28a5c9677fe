"""A front end in some seventy lines, by the builder alone, beside the same programs in braces."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tepui
from tepui.errors import ModelError
from tepui.languages import loads
from tepui.program.build import Place, ProcedureBuilder, ProgramBuilder
from tepui.program.expressions import FALSE, TRUE, Expression, Read, Unary, Variable
from tepui.program.printer import program_text
from tepui.program.program import NOWHERE, Assert, Assignment, Position, Program, Return, Step
from tepui.program.types import BOOLEAN

Line = tuple[int, list[str]]
Statement = tuple[int, list[str], list["Statement"]]
"""The number of its line, its words, and what is inside."""


def read_toy(text: str) -> Program:
    """`shared` variables, false at first, then procedures and functions, then what is `run`."""
    lines = [(n, line.split()) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    _, (_, *shared) = lines.pop(0)
    variables = {name: Variable(name, initial=0) for name in shared}
    program = ProgramBuilder("toy", variables.values())
    while lines:
        number, (word, name, *rest) = lines.pop(0)
        if word == "run":
            program.run(name, count=int(rest[0]))
            continue
        parameters = {each: Variable(each, procedure=name) for each in rest}
        results = [BOOLEAN] if word == "function" else []
        graph = ProcedureBuilder(name, parameters.values(), (), results, Position("toy", number, 1))
        _Body(graph, {**variables, **parameters}).block(_statements(lines), graph.end)
        program.add(graph.draft())
    return program.finish()


def _statements(lines: list[Line]) -> list[Statement]:
    """The statements up to `end`."""
    found = []
    while (line := lines.pop(0))[1] != ["end"]:
        found.append((*line, _statements(lines) if line[1][0] in ("repeat", "atomic") else []))
    return found


class _Body:
    def __init__(self, graph: ProcedureBuilder, variables: dict[str, Variable]) -> None:
        self.graph = graph
        self.variables = variables

    def block(self, statements: list[Statement], after: Place) -> Place:
        places = [*(self.graph.place() for _ in statements), after]
        for statement, here, following in zip(statements, places, places[1:], strict=False):
            number, words, inside = statement
            self.graph.rest(Position("toy", number, 1), " ".join(words), at=here)
            self.statement(words, inside, here, following)
        return places[0]

    def statement(
        self, words: list[str], inside: list[Statement], here: Place, following: Place
    ) -> None:
        graph = self.graph
        match words:
            case ["repeat"]:
                graph.branch(here, TRUE, self.block(inside, here), following)
            case ["atomic"]:
                with graph.atomic():
                    graph.add(Step(here, self.block(inside, following)))
            case ["wait", *condition]:
                graph.add(Step(here, following, self.value(condition)))
            case ["check", *condition]:
                graph.add(Assert(here, following, self.value(condition)))
            case ["give", *value]:
                graph.add(Return(here, (self.value(value),)))
            case [target, "=", "call", procedure, *arguments]:
                values = tuple(self.value([argument]) for argument in arguments)
                graph.call(here, following, procedure, values, (self.variables[target],))
            case [target, "=", *value]:
                assignment = Assignment(self.variables[target], self.value(value))
                graph.add(Step(here, following, assignments=(assignment,)))

    def value(self, words: list[str]) -> Expression:
        match words:
            case ["not", *operand]:
                return Unary("not", self.value(operand))
            case ["true" | "false"]:
                return TRUE if words == ["true"] else FALSE
        return Read(self.variables[words[0]])


TOY = """
shared taken inside

function opposite x
    give not x
end

procedure worker
    repeat
        atomic
            wait not taken
            taken = call opposite taken
        end
        check not inside
        inside = true
        inside = false
        taken = false
    end
end

run worker 2
"""

BRACES = """
decl taken := 0, inside := 0;

bool opposite(x) { return !x; }

void worker() {
    while (1) {
        atomic {
            assume(!taken);
            taken := opposite(taken);
        }
        assert(!inside);
        inside := true;
        inside := false;
        taken := false;
    }
}

void main() { thread_create(worker); thread_create(worker); }
"""


@pytest.mark.parametrize(("atomic", "verdict"), [(True, "safe"), (False, "unsafe")])
def test_a_toy_program_is_verified_like_the_same_one_in_braces(atomic: bool, verdict: str) -> None:
    toy, braces = TOY, BRACES
    if not atomic:
        toy = toy.replace("atomic\n", "\n").replace("taken\n        end", "taken\n")
        braces = braces.replace("atomic {", "").replace("(taken);\n        }", "(taken);\n")
    programs = read_toy(toy), loads(braces, "bp", name="toy.bp").model
    for program in programs:
        assert isinstance(program, Program)
        assert tepui.verify(program).verdict == verdict
        assert _bare(program) == _bare(programs[0])


def test_places_of_a_toy_program_are_those_of_its_text() -> None:
    text = program_text(read_toy(TOY))
    assert "line 12 «taken = call opposite taken»" in text
    assert "atomic line 11 «wait not taken»" in text


def test_what_a_front_end_gets_wrong_is_said() -> None:
    with pytest.raises(ModelError, match="there is no procedure worker to run"):
        read_toy("shared x\nrun worker 1")
    with pytest.raises(ModelError, match="has results, but the call does not lead"):
        _program_of_calls(results=())
    with pytest.raises(ModelError, match="receives 2 results, give has 1"):
        _program_of_calls(results=(None, None))
    graph = ProcedureBuilder("lost")
    graph.add(Step(graph.rest(), graph.place()))
    with pytest.raises(ModelError, match="lost: an edge leads to a place at which control never"):
        graph.draft()
    graph = ProcedureBuilder("jumping")
    graph.add(Step(graph.rest(), graph.label("L")))
    with pytest.raises(ModelError, match="jumping: 0 places have the label L, expected one"):
        graph.draft()
    with pytest.raises(ModelError, match="jumping: control already rests at a place"):
        graph.rest(at=graph.end)


def _program_of_calls(results: tuple[None, ...]) -> Program:
    program = ProgramBuilder("calls")
    giving = ProcedureBuilder("give", results=[BOOLEAN])
    giving.add(Return(giving.rest(), (TRUE,)))
    calling = ProcedureBuilder("main")
    calling.call(calling.rest(), calling.end, "give", results=results)
    program.add(giving.draft())
    program.add(calling.draft())
    program.run("main")
    return program.finish()


def _bare(program: Program) -> Program:
    """A program without its text."""
    procedures = tuple(
        replace(
            procedure,
            position=NOWHERE,
            locations=tuple(
                replace(location, position=NOWHERE, text="") for location in procedure.locations
            ),
        )
        for procedure in program.procedures
    )
    return replace(program, procedures=procedures)
