"""A suite for people: a line for each task, and what it all comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tepui.suite.outcome import JUDGEMENTS, VERDICTS, Answer, Outcome, Tally

_MOST_WRONG = 50
_MOST_CHARACTERS = 200


def outcome_line(outcome: Outcome) -> str:
    """One line: the judgement, the answer, time, memory, and which task it is."""
    judgement, ran = outcome.judgement, outcome.ran
    said = judgement.upper() if outcome.wrong else judgement
    memory = "-" if ran.memory is None else f"{ran.memory / 2**20:,.0f}"
    line = f"{said:<14}  {ran.answer:<13}  {ran.seconds:>8.2f} s  {memory:>6} MiB  {outcome.task}"
    return line + _remark(outcome)


def tally_text(tally: Tally) -> str:
    """How many tasks there are, and how many of each judgement, the good ones first."""
    parts = [
        f"{tally.judgements[name]} {name.upper() if name.startswith('wrong') else name}"
        for name in reversed(JUDGEMENTS)
        if name in tally.judgements
    ]
    tasks = "1 task" if tally.tasks == 1 else f"{tally.tasks} tasks"
    return f"{tasks}: {', '.join(parts)}" if parts else tasks


def summary_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """What it all comes to; everything that is wrong is named."""
    tally = Tally.of(outcomes)
    lines = [tally_text(tally)]
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong[:_MOST_WRONG]:
        lines.append(
            f"  WRONG     {outcome.task}: {outcome.found}, but {outcome.expectation} was expected"
        )
    if len(wrong) > _MOST_WRONG:
        lines.append(f"  WRONG     and {len(wrong) - _MOST_WRONG} more")
    verdicts = _listed(tally.answers, lambda answer: answer in VERDICTS)
    no_verdicts = _listed(tally.answers, lambda answer: answer not in VERDICTS)
    lines += [f"  verdicts  {verdicts}"] if verdicts else []
    lines += [f"  open      {no_verdicts}"] if no_verdicts else []
    unchecked = sum(outcome.ran.checked is False for outcome in outcomes)
    lines += [f"  unchecked {unchecked} of the verdicts"] if unchecked else []
    return lines


def exit_code(outcomes: Iterable[Outcome], *, stopped: bool) -> int:
    """0 if every task has a verdict and none is wrong, 1 if one is wrong, else 3."""
    tally = Tally.of(outcomes)
    if tally.wrong:
        return 1
    return 3 if stopped or tally.open else 0


def _remark(outcome: Outcome) -> str:
    if outcome.wrong:
        return f": {outcome.found}, but {outcome.expectation} was expected"
    if outcome.judgement == "failed":
        lines = outcome.ran.detail.splitlines() or ["no reason was given"]
        said = next((line for line in lines if line.lower().startswith("error: ")), lines[0])
        return f": {said[:_MOST_CHARACTERS]}"
    return ""


def _listed(answers: Mapping[Answer, int], wanted: Callable[[Answer], bool]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(answers.items()) if wanted(name))
