"""A result as text: the verdict first, then what it rests on, then the trace.

Results about programs are told by `program_text`, in the words of their source. Where a function
takes a `width`, no line is wider if words allow it, and without one nothing is wrapped; `paint`
gives a piece of text the colour of its role.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tepui.checker import Step, Trace
from tepui.engines.registry import kind_of, usual
from tepui.kernels.lowered import LoweredSystem
from tepui.model import EPSILON, Pattern, Property, Reach, System
from tepui.report.bounds import counted, explored_text, other_text, taken_text, within_text
from tepui.report.text.paint import Paint, Piece, Role, length, plain, wrapped
from tepui.report.traces.scheduled import delayed_before_steps
from tepui.result import Result

_SHOWN_LINES = 200
"""Longer traces are cut in the middle; `--evidence` and `--json` have all of it."""

_FACT = 12
"""The column of what is said about a word such as `proof`."""

_WIDTH_OF_STATES = 70
"""Up to this width of a state, the rules of a trace are printed in one column."""


def summary(result: Result, *, width: int | None = None, paint: Paint = plain) -> str:
    """The whole report on a result, without the table of rounds."""
    if isinstance(result.system, LoweredSystem):
        from tepui.report.text.programs import program_summary

        return program_summary(result, width=width, paint=paint)
    lines = headline_lines(headline(result), result, width, paint)
    if result.asked:
        asked = property_text(result.system, result.asked)
        lines += wrapped([f"  property  bad: {asked}"], width, _FACT)
    lines += fact_lines(common_facts(result), width)
    if result.trace is not None:
        lines += ["", *trace_lines(result.system, result.trace, width=width, paint=paint)]
        bad = violated(result.system, result.asked, result.trace)
        lines += wrapped([(f"     bad  {bad}", "unsafe")], width, 10, paint)
    return "\n".join(lines)


def headline_lines(text: str, result: Result, width: int | None, paint: Paint) -> list[str]:
    """The verdict in its colour, in as many lines as it takes."""
    verdict = text.index("  ") + 2
    return wrapped([(text, role_of(result))], width, verdict, paint)


def fact_lines(facts: Iterable[str], width: int | None) -> list[str]:
    """What there is to say below the verdict."""
    return [line for fact in facts for line in wrapped([f"  {fact}"], width, _FACT)]


def role_of(result: Result) -> Role:
    """The colour of a verdict."""
    if result.verdict in ("safe", "collapsed"):
        return "safe"
    return "unsafe" if result.verdict == "unsafe" else "open"


def headline(result: Result) -> str:
    """The verdict in one sentence."""
    if isinstance(result.system, LoweredSystem):
        from tepui.report.text.programs import program_headline

        return program_headline(result)
    return headline_about(result.system.name, result)


def headline_about(name: str, result: Result) -> str:
    """The verdict on something with this name, in terms of states."""
    match result.verdict:
        case "safe":
            return f"SAFE  {name}: no bad state is reachable, for any number of contexts"
        case "unsafe":
            how = "within" if result.resource == "contexts" else "with"
            return f"UNSAFE  {name}: a bad state is reachable {how} {taken_text(result)}"
        case "bounded":
            return f"BOUNDED  {name}: no violation {within_text(result)}"
        case "collapsed":
            return f"COLLAPSED  {name}: {_exactly(result)}"
        case "unknown":
            return f"UNKNOWN  {name}: {result.reason}"
        case "stopped":
            return f"STOPPED  {name}: {result.reason}"


def violated(system: System, asked: Property, trace: Trace) -> str:
    """Which part of a property the end of a trace is an instance of."""
    shared, stacks = trace.initial_shared, trace.initial_stacks
    if trace.steps:
        shared, stacks = trace.steps[-1].shared, trace.steps[-1].stacks
    seen = (shared, *(stack[0] if stack else EPSILON for stack in stacks))
    for pattern in asked.patterns:
        wanted = zip((pattern.shared, *pattern.tops), seen, strict=True)
        if all(want in (None, have) for want, have in wanted):
            return _pattern_text(system, pattern)
    for reach in asked.reaches:
        in_sets = zip(reach.stacks, stacks, strict=True)
        if reach.shared in (None, shared) and all(
            wanted is None or wanted.accepts(stack) for wanted, stack in in_sets
        ):
            return _reach_text(system, reach)
    return "deadlock: no thread can move"


def property_text(system: System, asked: Property) -> str:
    """The bad states, as a person would write them."""
    parts = [_pattern_text(system, pattern) for pattern in asked.patterns]
    parts += [_reach_text(system, reach) for reach in asked.reaches]
    if asked.deadlock:
        parts.append("deadlock")
    shown = parts[:5] + ([f"and {len(parts) - 5} more"] if len(parts) > 5 else [])
    return "; ".join(shown)


def trace_lines(
    system: System, trace: Trace, *, width: int | None = None, paint: Paint = plain
) -> list[str]:
    """A trace, context by context: who runs, into which state, by which rule, and under
    round-robin scheduling who is delayed before that. The rule is beside the state where there is
    room for it, else below."""
    start = system.state_text(trace.initial_shared, trace.initial_stacks)
    lines = wrapped([f"   start  {start}"], width, 12)
    steps = list(_told_steps(system, trace))
    column = min(_WIDTH_OF_STATES, max((length(step.state) for step in steps), default=0))
    widths = [14 + max(column, length(step.state)) + length(step.rule) for step in steps]
    beside = width is None or max(widths, default=0) <= width
    for number, (name, own) in enumerate(groupby(steps, lambda step: step.thread), start=1):
        lines += wrapped([f"context {number}: thread ", (name, "thread")], width, 2, paint)
        for step in own:
            state = [" " * 10, *step.state]
            if beside:
                gap = " " * (4 + max(0, column - length(step.state)))
                lines += wrapped([*state, gap, *step.rule], None, 0, paint)
            else:
                lines += wrapped(state, width, 12, paint)
                lines += wrapped([" " * 14, *step.rule], width, 17, paint)
    return cut_in_the_middle(lines)


def delayed_text(names: Sequence[str]) -> str:
    """Who is delayed before a step, at the end of its line."""
    return f"    (delayed: {', '.join(names)})" if names else ""


def cut_in_the_middle(lines: list[str]) -> list[str]:
    """The lines, or so many of them as people may want to read."""
    if len(lines) <= _SHOWN_LINES:
        return lines
    half = _SHOWN_LINES // 2
    left_out = len(lines) - 2 * half
    return [*lines[:half], f"          … {left_out} lines left out …", *lines[-half:]]


def common_facts(result: Result) -> Iterator[str]:
    """What there is to say about any result: how it was proved and checked, what it took."""
    if result.proof is not None:
        yield f"proof     {_proof(result)}"
    if result.verdict != "safe" or result.rounds[-1].k:
        yield f"explored  {explored_text(result)}"
    if result.engine != usual("contexts").name:
        yield f"engine    {result.engine}: {kind_of(result.engine).title}"
    if result.others:
        yield f"others    {'; '.join(map(other_text, result.others))}"
    if result.make_evidence is not None:
        what = "certificate"
        if result.verdict == "unsafe":
            what = "no trace" if result.trace is None else "trace"
        if result.checked:
            yield f"evidence  {what}, accepted by the checker"
        else:
            yield f"evidence  {what}, unchecked"
    check = f" and {result.check_seconds:.2f} s for the check" if result.checked else ""
    yield f"took      {result.seconds:.2f} s{check}, {result.peak_memory_bytes / 2**20:,.0f} MiB"
    for note in result.notes:
        yield f"note      {note}"


_PROOFS = {
    "R_k = R_{k+1}": "no context adds a state",
    "T(R_k) = T(Z)": "all that can emerge was reached",
    "R(r, d) = R(r+1, d+n-1)": "every thread has had its turn in every state",
    "T(R(r, d)) = T(Z)": "all that can emerge was reached",
    "T(R(r, d)) is closed under all actions": "no step leads out, whatever a pop may bring up",
}


def _proof(result: Result) -> str:
    explanation = _PROOFS.get(result.proof or "")
    return f"{result.proof}" + (f": {explanation}" if explanation else "")


def _exactly(result: Result) -> str:
    """What is reachable, if that is known."""
    visible = f"exactly {counted(result.visible_states or 0, 'visible state')}"
    verb = "is" if result.visible_states == 1 else "are"
    text = f"{visible} {verb} reachable"
    if result.bound is None:
        return text
    last = result.rounds[-1].delays
    if last is not None and result.tops > 1:
        text += f", {last.top_words:,} with the top {result.tops} symbols of each stack"
    return f"{text}, all {within_text(result)}"


@dataclass(frozen=True, slots=True)
class _ToldStep:
    """A step in words. What it changes has a role: the stack of the thread that moves, and the
    shared state, if that is another one."""

    thread: str
    state: tuple[Piece, ...]
    rule: tuple[Piece, ...]


def _told_steps(system: System, trace: Trace) -> Iterator[_ToldStep]:
    shared = trace.initial_shared
    for step, delayed in zip(trace.steps, delayed_before_steps(system, trace), strict=True):
        names = delayed_text([system.thread_names[each] for each in delayed])
        yield _ToldStep(
            system.thread_names[step.thread],
            tuple(_state_pieces(system, step, is_new=step.shared != shared)),
            ((_rule_text(system, step), "inside"), names),
        )
        shared = step.shared


def _rule_text(system: System, step: Step) -> str:
    rule, template = step.rule, system.template_of(step.thread)
    before = f"{system.shared[rule.source]} | {template.symbols[rule.top]}"
    return f"by {before} -> {system.shared[rule.target]} | {template.word_text(rule.word)}"


def _state_pieces(system: System, step: Step, *, is_new: bool) -> Iterator[Piece]:
    shared = system.shared[step.shared]
    yield (shared, "change") if is_new else shared
    for thread, stack in enumerate(step.stacks):
        yield ", " if thread else " | "
        text = system.template_of(thread).word_text(stack)
        yield (text, "change") if thread == step.thread else text


def _reach_text(system: System, reach: Reach) -> str:
    from tepui.automata.reach import reach_text

    return reach_text(system, reach)


def _pattern_text(system: System, pattern: Pattern) -> str:
    shared = "*" if pattern.shared is None else system.shared[pattern.shared]
    tops = (
        "*" if top is None else system.template_of(thread).symbols[top]
        for thread, top in enumerate(pattern.tops)
    )
    return f"{shared} | {', '.join(tops)}"
