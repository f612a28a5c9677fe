"""A suite, or a comparison of two runs, as lines for people: each task, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tepui.report.text.paint import Paint, Piece, Role, joined, plain, wrapped
from tepui.suite.compare import KINDS, WORSE, Comparison, Kind, Pair
from tepui.suite.outcome import JUDGEMENTS, VERDICTS, WRONG, Answer, Judgement, Outcome, Tally
from tepui.words import plural

_MOST_WRONG = 50
_MOST_CHANGES = 20
_MOST_CHARACTERS = 200
_ROLES: dict[Judgement, Role] = {
    **dict.fromkeys(WRONG, "unsafe"),
    "failed": "open",
    "undecided": "open",
    "correct": "safe",
}


def outcome_line(outcome: Outcome, paint: Paint = plain) -> str:
    """One line: the judgement, the answer, time, memory, and which task it is."""
    ran, judgement = outcome.ran, outcome.judgement
    said = f"{judgement_text(judgement):<14}"
    head: Piece = (said, _ROLES[judgement]) if judgement in _ROLES else said
    memory = "-" if ran.memory is None else f"{ran.memory / 2**20:,.0f}"
    line = f"  {ran.answer:<13}  {ran.seconds:>8.2f} s  {memory:>6} MiB  {outcome.task}"
    return joined(wrapped([head, line + _remark(outcome)], None, 0, paint))


def judgement_text(judgement: Judgement) -> str:
    """A judgement, highlighted if it says that an answer is wrong."""
    return judgement.upper() if judgement in WRONG else judgement


def kind_text(kind: Kind) -> str:
    """A kind of change, highlighted if it is for the worse."""
    return kind.upper() if kind in WORSE else kind


def tally_text(tally: Tally) -> str:
    """How many tasks there are, and how many of each judgement, the good ones first."""
    parts = [
        f"{tally.judgements[name]} {judgement_text(name)}"
        for name in reversed(JUDGEMENTS)
        if name in tally.judgements
    ]
    tasks = _tasks(tally.tasks)
    return f"{tasks}: {', '.join(parts)}" if parts else tasks


def summary_lines(outcomes: Sequence[Outcome], paint: Paint = plain) -> list[str]:
    """The summary; everything that is wrong is named."""
    tally = Tally.of(outcomes)
    lines = [tally_text(tally)]
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    named = [f"{outcome.task}{_remark(outcome)}" for outcome in wrong[:_MOST_WRONG]]
    more = [f"and {len(wrong) - _MOST_WRONG} more"] if len(wrong) > _MOST_WRONG else []
    for each in (*named, *more):
        lines += wrapped([(f"  WRONG     {each}", "unsafe")], None, 0, paint)
    verdicts = _listed(tally.answers, lambda answer: answer in VERDICTS)
    no_verdicts = _listed(tally.answers, lambda answer: answer not in VERDICTS)
    lines += [f"  verdicts  {verdicts}"] if verdicts else []
    lines += [f"  open      {no_verdicts}"] if no_verdicts else []
    unchecked = sum(outcome.ran.checked is False for outcome in outcomes)
    lines += [f"  unchecked {unchecked} of the verdicts"] if unchecked else []
    return lines


def comparison_lines(comparison: Comparison) -> list[str]:
    """The comparison for people: the number of each kind, then all tasks except unchanged ones."""
    counts = [(kind, len(comparison.of(kind))) for kind in KINDS]
    parts = ", ".join(f"{count} {kind}" for kind, count in counts if count)
    lines = [
        f"{comparison.old} -> {comparison.new}: {_tasks(len(comparison.pairs))}, {parts or 'none'}"
    ]
    for kind in KINDS[:-1]:
        word = kind_text(kind)
        pairs = comparison.of(kind)
        shown = pairs if kind in WORSE else pairs[:_MOST_CHANGES]
        lines += [f"  {word:<14}{pair.task}: {_change(pair)}" for pair in shown]
        if len(shown) < len(pairs):
            lines.append(f"  {word:<14}and {len(pairs) - len(shown)} more; --json lists all")
    return lines


def exit_code(outcomes: Iterable[Outcome], *, stopped: bool) -> int:
    """0 if every task has a verdict and none is wrong, 1 if one is wrong, else 3."""
    tally = Tally.of(outcomes)
    if tally.wrong:
        return 1
    return 3 if stopped or tally.open else 0


def _tasks(count: int) -> str:
    return f"{count} {plural(count, 'task')}"


def _remark(outcome: Outcome) -> str:
    if outcome.wrong:
        return f": {outcome.objection}"
    if outcome.judgement == "failed":
        lines = outcome.ran.detail.splitlines() or ["no reason was given"]
        said = next((line for line in lines if line.lower().startswith("error: ")), lines[0])
        cut = f"{said[: _MOST_CHARACTERS - 1]}…" if len(said) > _MOST_CHARACTERS else said
        return f": {cut}"
    return ": unchecked" if outcome.ran.checked is False else ""


def _listed(answers: Mapping[Answer, int], wanted: Callable[[Answer], bool]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(answers.items()) if wanted(name))


def _change(pair: Pair) -> str:
    old, new = pair.old, pair.new
    if old is None or new is None:
        return _told(old or new)
    ratio = pair.ratio
    if ratio is None:
        return f"{_told(old)} -> {_told(new)}"
    return f"{new.found}, {old.ran.seconds:.2f} s -> {new.ran.seconds:.2f} s ({ratio:.2f} times)"


def _told(outcome: Outcome | None) -> str:
    if outcome is None:
        return "-"
    wrong = f" ({outcome.judgement.upper()})" if outcome.wrong else ""
    return f"{outcome.found}{wrong}, {outcome.ran.seconds:.2f} s"
