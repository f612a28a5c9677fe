"""The question of `tepui dataflow`, as a function: what holds where a thread is at some place?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from tepui.errors import UsageError
from tepui.facts.answers import Dataflow
from tepui.facts.query import query_of
from tepui.limits import Limits, check_count
from tepui.model import System
from tepui.program.program import Program, refuse_forks, refuse_integers

Domain = Literal["relation", "affine", "shortest"]

CONTEXTS = 2
"""How many contexts, if nothing else is said."""


def dataflow(
    model: System | Program,
    at: str,
    *,
    domain: Domain = "relation",
    called_from: Sequence[str] = (),
    modulus: int | None = None,
    contexts: int = CONTEXTS,
    limits: Limits | None = None,
) -> Dataflow:
    """What holds when a thread is at a place, after at most so many contexts.

    `at` is a thread and a place, `"worker.1:12"`: a line or a label of a program, a stack symbol of
    a system. `called_from` names the call that led there, then the one that led to the caller, and
    so on. Other threads may be anywhere.

    `relation` gives the possible values of the variables, `shortest` also the fewest steps to them,
    and `affine` the affine relations between them, over the integers or with a `modulus`.
    """
    if domain not in get_args(Domain):
        raise UsageError(f"there is no domain {domain!r}; expected relation, affine or shortest")
    check_count("contexts", contexts, least=1)
    check_count("modulus", modulus, least=2)
    if not isinstance(model, System | Program):
        raise UsageError("dataflow takes a System or a Program: tepui.load(path) reads one")
    if modulus is not None and domain != "affine":
        raise UsageError("a modulus is for affine relations; choose the domain affine")
    if isinstance(model, Program):
        refuse_forks(model)
        if domain != "affine":
            refuse_integers(model)
    elif domain == "affine":
        raise UsageError(
            f"{model.name} is a pushdown system, which has no variables that affine relations "
            "could be between; choose relation or shortest"
        )
    query = query_of(model, at, called_from)
    if domain == "affine":
        from tepui.facts.affine import affine_relations

        assert isinstance(model, Program)
        return affine_relations(model, query, contexts, modulus, limits)
    from tepui.facts.relational import fewest_steps, possible_values

    if domain == "shortest":
        return fewest_steps(model, query, contexts, limits)
    return possible_values(model, query, contexts, limits)
