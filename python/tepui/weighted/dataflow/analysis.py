"""The question of `tepui dataflow`, as a function: what holds where a thread is at some place?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from tepui.doors import door
from tepui.errors import Stopped, UsageError
from tepui.limits import Limits, check_count
from tepui.model import System
from tepui.program.passes.frames import added_ends, with_all_frames
from tepui.program.program import Program, refuse_forks, refuse_integers, refuse_limits
from tepui.weighted.dataflow.answers import Dataflow, FewestSteps, PossibleValues
from tepui.weighted.dataflow.query import Query, query_of
from tepui.words import did_you_mean

Domain = Literal["relation", "affine", "shortest"]

CONTEXTS = 2
"""The default number of contexts."""


@door
def dataflow(
    model: System | Program,
    at: str,
    *,
    domain: Domain = "relation",
    called_from: Sequence[str] = (),
    modulus: int | None = None,
    contexts: int = CONTEXTS,
    compare: bool = False,
    limits: Limits | None = None,
) -> Dataflow:
    """What holds when a thread is at a place, after at most `contexts` contexts.

    `at` is a place, as for `tepui.unreachable`, or a stack symbol of a system; `"worker.1:12"` also
    names the thread, if several can be there. `called_from` names the call that led there, then the
    one that led to the caller, and so on. Other threads may be anywhere.

    `relation` gives the possible values of the variables, `shortest` also the fewest steps to them,
    and `affine` the affine relations between them, over the integers or with a `modulus`.

    With `compare`, values are compared with those of all states within the bound, listed one by
    one, if these are not too many; a note says so.

    >>> program = tepui.load("examples/dataflow/figure5.bp")
    >>> print(tepui.dataflow(program, "n", domain="affine"))
    main at n, within 2 contexts:
      x2 = x1 + 1
    """
    if domain not in get_args(Domain):
        hint = did_you_mean(str(domain), get_args(Domain), "there are")
        raise UsageError(f"there is no domain {domain!r}{hint}")
    check_count("contexts", contexts, least=1)
    check_count("modulus", modulus, least=2)
    if modulus is not None and domain != "affine":
        raise UsageError("a modulus is for affine relations; choose the domain affine")
    if isinstance(model, Program):
        refuse_forks(model)
        refuse_limits(model)
        if domain != "affine":
            refuse_integers(model)
    elif domain == "affine":
        raise UsageError(
            f"{model.name} is a pushdown system, which has no variables that affine relations "
            "could be between; choose relation or shortest"
        )
    if compare and domain == "affine":
        raise UsageError("values are compared with states, and affine relations are not")
    model, query = _asked(model, at, called_from)
    if domain == "affine":
        from tepui.weighted.dataflow.affine_relations import affine_relations

        assert isinstance(model, Program)
        return replace(
            affine_relations(model, query, contexts, modulus, limits), points=query.tops[0]
        )
    from tepui.weighted.dataflow.possible_values import fewest_steps, possible_values

    ask = fewest_steps if domain == "shortest" else possible_values
    answer = ask(model, query, contexts, limits)
    if isinstance(model, Program):
        answer = replace(answer, points=query.tops[0])
    if not compare:
        return answer
    return replace(answer, notes=(*answer.notes, _compared(model, query, answer, limits)))


def _asked(
    model: System | Program, at: str, called_from: Sequence[str]
) -> tuple[System | Program, Query]:
    """The query and its model. If callers are named, the model is a program in which every call has
    a frame."""
    if not called_from or isinstance(model, System):
        return model, query_of(model, at, called_from)
    with_frames = with_all_frames(model)
    free = added_ends(model, with_frames)
    return with_frames, query_of(with_frames, at, called_from, free)


def _compared(
    model: System | Program,
    query: Query,
    answer: PossibleValues | FewestSteps,
    limits: Limits | None,
) -> str:
    """The outcome of the comparison with states, as a note."""
    from tepui.weighted.dataflow.state_comparison import compare

    try:
        states = compare(model, query, answer, limits)
    except Stopped as stop:
        return f"the values were not compared with states: {stop}"
    return f"the same values are in the {states:,} states within the bound, listed one by one"
