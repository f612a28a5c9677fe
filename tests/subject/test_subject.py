"""The subject of a run: one object that names states, describes traces and lists coverage."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from unittest.mock import Mock

import pytest

import tepui
from support.places import EXAMPLES
from support.samples.program_texts import way_to
from tepui.program import passes as of_programs
from tepui.program.passes.instances import Instance
from tepui.program.program import Derived
from tepui.program.semantics.meaning import meaning_of
from tepui.report.exchange.as_json import result_object
from tepui.report.exchange.input_files import input_files
from tepui.report.exchange.witness_violation import segments
from tepui.report.page import report_page
from tepui.report.report_input import ReportInput
from tepui.result import Result
from tepui.subject import about, derivations, program_story
from tepui.subject.story import ProgramStory, SystemStory


def result_of(name: str, options: tepui.Options | None = None) -> Result:
    return tepui.verify(tepui.load(EXAMPLES / name), options=options)


def story_of_program(name: str) -> ProgramStory:
    trace = result_of(name).trace
    assert trace is not None
    assert isinstance(trace.story, ProgramStory)
    return trace.story


def system_story(result: Result) -> SystemStory:
    assert result.trace is not None
    assert isinstance(result.trace.story, SystemStory)
    return result.trace.story


def test_a_trace_is_told_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    meaning = Mock(side_effect=meaning_of)
    story = Mock(side_effect=program_story.program_story)
    monkeypatch.setattr("tepui.subject.program_subject.meaning_of", meaning)
    monkeypatch.setattr("tepui.subject.program_story.program_story", story)
    result = result_of("bluetooth1.bp")
    assert result.trace is result.trace
    assert str(result)
    assert result_object(result)["trace"] is not None
    assert report_page(ReportInput("verify", result.subject.model, results=(result,)))
    assert result._repr_html_()
    assert story.call_count == 1
    # One divides fused steps, the other describes single ones.
    fused = [call.args[1].fused is not None for call in meaning.call_args_list]
    assert sorted(fused) == [False, True]


def test_the_steps_of_a_program_know_their_context_and_their_thread() -> None:
    story = story_of_program("bluetooth1.bp")
    assert [context.thread for context in story.contexts] == ["add", "stop", "add"]
    for number, context in enumerate(story.contexts, start=1):
        assert {(step.thread, step.context) for step in context.steps} == {(context.thread, number)}
    assert story.steps == tuple(step for context in story.contexts for step in context.steps)
    assert [str(call) for call in story.steps[1].stack] == ["inc:22", "add:38"]


def test_the_values_of_a_program_are_those_that_its_steps_change() -> None:
    story = story_of_program("bluetooth1.bp")
    states = list(story.valuations())
    assert len(states) == len(story.steps) + 1
    assert states[0] == {change.name: change.after for change in story.start}
    for before, step, after in zip(states, story.steps, states[1:], strict=False):
        changed = {name for name in before if before[name] != after[name]}
        assert changed == {change.name for change in step.changes} & set(before)
        assert all(before[one.name] == one.before for one in step.changes if one.name in before)
    assert states[-1]["stopped"] == "1"


def test_the_labels_of_a_statement_are_told() -> None:
    steps = way_to("decl x; void main() { L: x := 1; M: skip; }", "M")
    assert [(step.statement, step.labels) for step in steps] == [("x := 1", ("L",))]


def test_a_story_says_where_a_thread_ends_and_what_that_violates() -> None:
    program = tepui.load(EXAMPLES / "peterson.bp")
    assert isinstance(program, tepui.Program)
    result = tepui.verify(program, tepui.unreachable(program, "critical"))
    assert result.trace is not None
    assert isinstance(result.trace.story, ProgramStory)
    (rest, *_) = [rest for rest in result.trace.story.resting if rest.at is not None]
    assert rest.position is not None
    assert rest.at is not None
    assert rest.at.line == rest.position.line
    assert result.violated is not None
    assert result.violated.position is not None


def test_a_system_is_told_in_the_names_of_its_states() -> None:
    for name in ("bluetooth-buggy.cpds", "deadlock.cpds"):
        result = result_of(name)
        story, trace = system_story(result), result.trace
        assert trace is not None
        texts = [str(step.after) for step in story.steps]
        assert texts == [result.system.state_text(one.shared, one.stacks) for one in trace.steps]
        assert str(story.end) == result.system.state_text(*trace.end)
        assert [step.number for step in story.steps] == [one.thread for one in trace.steps]
        before = [story.start.shared, *(step.after.shared for step in story.steps)]
        assert [step.before for step in story.steps] == before[:-1]
        for step, one in zip(story.steps, trace.steps, strict=True):
            assert step.rule.kind == one.rule.kind
            assert step.stack == step.after.stacks[one.thread]
            assert (step.rule.source, step.rule.target) == (step.before, step.after.shared)


def test_who_is_delayed_is_told() -> None:
    story = system_story(result_of("bluetooth-buggy.cpds", tepui.Options(engine="delay")))
    assert story.schedule is not None
    assert sum(len(step.delayed) for step in story.steps) == story.schedule.delays


def test_a_program_with_slots_is_told_as_it_was_written() -> None:
    result = result_of("fork-second-worker.bp")
    assert result.subject.program is not result.subject.model
    assert result.subject.model == tepui.load(EXAMPLES / "fork-second-worker.bp")
    assert result.subject.title == "fork-second-worker.bp"
    assert result.subject.slots is not None


def test_the_threads_of_a_program_come_before_those_that_it_forks() -> None:
    file = EXAMPLES / "fork-second-worker.bp"
    program = tepui.load(file, threads={"main": 2})
    result = tepui.verify(program)
    assert result.trace is not None
    story = result.trace.story
    assert isinstance(story, ProgramStory)
    assert [(thread.name, thread.starts_later) for thread in story.threads] == [
        *(("main.1", False), ("main.2", False)),
        *(("worker#1", True), ("worker#2", True)),
    ]
    files = input_files(ReportInput("verify", program, file, (result,)))
    numbers = {one["segment"][0]["waypoint"]["thread_id"] for one in segments(result, files)}
    assert numbers == {0, 2, 3}


def test_every_pass_that_makes_programs_says_how_they_are_described() -> None:
    for each in pkgutil.iter_modules(of_programs.__path__, f"{of_programs.__name__}."):
        import_module(each.name)
    made = [made for made in Derived.__subclasses__() if made.__module__.startswith("tepui.")]
    passes = {each.made_by for each in made}
    assert passes == {"slots", "sorts", "instance", "samples", "forked types"}
    assert Instance.made_by in passes
    assert passes <= set(derivations._DESCRIPTIONS)


def test_a_system_has_neither_a_program_nor_coverage() -> None:
    result = result_of("deadlock.cpds")
    assert result.subject.program is None
    assert result.subject.model is result.system
    assert result.coverage is None
    assert result.violated is not None
    assert result.violated.kind == "deadlock"


def test_a_system_that_is_that_of_a_program_is_about_the_program() -> None:
    result = result_of("bluetooth1.bp")
    assert about(result.system).program is result.subject.program
    assert result.subject.questions_of(result.asked) == list(result.questions)
