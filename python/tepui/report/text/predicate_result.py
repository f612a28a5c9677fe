"""What `tepui.watch_predicates` has found, as text."""

from __future__ import annotations

from collections.abc import Iterator

from tepui.report.text.paint import joined
from tepui.watching.predicates.predicate_result import (
    AbstractStateRow,
    PredicateResult,
    StatementAnswer,
)
from tepui.words import counted

_VALUES = {True: "yes", False: "no", None: "-"}


def predicates_text(seen: PredicateResult) -> str:
    """The whole report."""
    lines = [_headline(seen), *(f"  {line}" for line in _facts(seen))]
    lines += ["", *_observations(seen), "", *_abstract_states(seen)]
    if seen.statements:
        lines += ["", *_statements(seen)]
    if seen.run:
        lines += ["", "run", *(f"  {line}" for line in seen.run)]
    return joined(lines)


def _headline(seen: PredicateResult) -> str:
    count = counted(len(seen.abstract_states), "abstract state")
    match seen.verdict:
        case "violation":
            return f"VIOLATION  {seen.program}: {seen.violated}"
        case "closed":
            return f"CLOSED  {seen.program}: {count}, and no others are reachable"
        case "plateau":
            return f"PLATEAU, {_closed_word(seen)}  {seen.program}: {count} were found"
        case "stopped":
            return f"STOPPED  {seen.program}: {count} so far; {seen.reason}"


def _closed_word(seen: PredicateResult) -> str:
    return {"no": "not closed", "unknown": "closure unknown", "yes": "closed"}[seen.closed]


def _facts(seen: PredicateResult) -> Iterator[str]:
    threads = ", ".join(
        f"any number of {name}" if count is None else f"{count} {name}"
        for name, count in seen.threads.items()
    )
    yield f"threads   {threads}; one {seen.watched} is watched"
    if seen.verdict == "closed":
        yield "closed    decided by the solver for steps of the watched thread and of all others"
        for each in seen.questions:
            yield f"question  {each.text}: {_PROVED[each.proved]}"
    if seen.start_outside is not None:
        yield f"leaves    at the start: {_row_text(seen, seen.start_outside)}"
    for statement in seen.statements:
        if statement.closed == "no":
            yield f"leaves    {_words(statement)}"
            assert statement.before is not None
            assert statement.after is not None
            yield f"          from {_row_text(seen, statement.before)}"
            yield f"          to {_row_text(seen, statement.after)}"
    for note in seen.notes:
        yield f"note      {note}"
    yield f"took      {seen.seconds:.2f} s, {seen.peak_memory_bytes / 2**20:,.0f} MiB"


_PROVED = {
    "yes": "proved",
    "no": "not proved, some abstract states allow it",
    "unknown": "not proved, the solver does not know",
}


def _words(statement: StatementAnswer) -> str:
    by = "the watched thread" if statement.by == "watched" else f"another {statement.thread}"
    return f"{statement.text or 'a step'} at {statement.place}, by {by}"


def _row_text(seen: PredicateResult, row: AbstractStateRow) -> str:
    values = [
        text if value else f"not {text}" if text.isidentifier() else f"not ({text})"
        for text, value in zip(seen.predicates, row.values, strict=True)
        if value is not None
    ]
    return f"{row.place}: {', '.join(values)}" if values else row.place


def _observations(seen: PredicateResult) -> Iterator[str]:
    yield "threads  rounds  delays      states  abstract states   new"
    for each in seen.observations:
        yield (
            f"{sum(each.threads.values()):>7}  {each.rounds:>6}  {each.delays:>6}  "
            f"{each.states:>10,}  {each.abstract_states:>15}  {each.new:>4}"
            f"{'  and nothing else is reachable' if each.collapsed else ''}"
        )


def _abstract_states(seen: PredicateResult) -> Iterator[str]:
    """A table: a line for each abstract state, a column for each predicate."""
    for number, text in enumerate(seen.predicates, start=1):
        yield f"p{number}  {text}"
    yield ""
    width = max([len("place"), *(len(each.place) for each in seen.abstract_states)])
    heads = "".join(f"  {f'p{number}':>4}" for number in range(1, len(seen.predicates) + 1))
    yield f"{'place':<{width}}{heads}"
    for row in seen.abstract_states:
        values = "".join(f"  {_VALUES[value]:>4}" for value in row.values)
        yield f"{row.place:<{width}}{values}"


def _statements(seen: PredicateResult) -> Iterator[str]:
    """A table: what the solver says about each statement."""
    yield "statement by            respects  closed under it             at"
    for each in seen.statements:
        by = "watched" if each.by == "watched" else f"other {each.thread}"
        by_all = each.closed == "yes" and each.before is not None
        closed = "yes, as all threads see it" if by_all else each.closed
        yield f"{by:<22}  {each.respects:>8}  {closed:<26}  {each.place}  {each.text}".rstrip()
