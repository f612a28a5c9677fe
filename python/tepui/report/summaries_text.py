"""Summaries as people read them: what holds where a thread is, about the frame on top of its stack.

    worker at change:21     owner = self and depth >= 1

`self` is the identity of the thread. `old(x)` is what x was when this activation of the procedure
began: a shared variable, or an argument.
"""

from __future__ import annotations

from tepui.checker.invariants.summaries import Summaries
from tepui.checker.invariants.summary_obligations import SummaryShape
from tepui.checker.patience import Patience
from tepui.program.program import Program
from tepui.program.state_names import point_text
from tepui.records import replace
from tepui.report.invariant_text import MOST_PLACES, Clause, InvariantText, elements
from tepui.report.readable_formulas import Named, TooLong, lines, readable, simplified

_OLD = "first."


def summaries_text(program: Program, summaries: Summaries) -> InvariantText:
    """Summaries that the checker has accepted, in words."""
    shape = SummaryShape(program, summaries, Patience(lambda: True))
    groups: dict[tuple[str, ...], list[str]] = {}
    left_out = 0
    for number, ((thread, point), term) in enumerate(sorted(shape.formulas.items())):
        symbols = _names(shape, point)
        variables = {named.name: named for named in symbols.values()}
        try:
            formula = simplified(readable(shape.terms, term, symbols), variables)
        except TooLong:
            left_out += 1
            continue
        if formula.is_false:
            continue
        if number >= MOST_PLACES:
            left_out += 1
            continue
        place = f"{program.threads[thread].name} at {point_text(program.layout, point)}"
        groups.setdefault(tuple(lines(formula, variables)), []).append(place)
    names = ", ".join(thread.name for thread in program.threads)
    clauses = tuple(Clause(tuple(places), text) for text, places in groups.items())
    about = f"holds for any thread {names}; old(x) is what x was when the procedure was called"
    return InvariantText(about, (), clauses, left_out)


def _names(shape: SummaryShape, point: int) -> dict[str, Named]:
    """The variables of the formula of a point, with the names in which they are shown."""
    program, found = shape.program, dict[str, Named]()
    for variable in program.globals:
        found |= dict(elements("g.", variable.name, variable.type, variable.name))
    for number, thread in enumerate(program.threads):
        if thread.created:
            found[f"created.{number}"] = Named(f"created({thread.name})", (0, 1))
        for variable in thread.inherited:
            name = f"inherited({thread.name}).{variable.name}"
            found |= dict(elements(f"inherited.{number}.", variable.name, variable.type, name))
    procedure = program.layout.procedure(point)
    own = dict[str, Named]()
    for variable in () if procedure is None else procedure.variables:
        own |= dict(elements("l.", variable.name, variable.type, variable.name))
    every = {**found, **own}
    old = {_OLD + key: replace(each, name=f"old({each.name})") for key, each in every.items()}
    return {**every, **old, "self": Named("self", (1, None))}
