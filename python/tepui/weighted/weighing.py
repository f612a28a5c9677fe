"""Questions to files: the weight of all runs between two sets of configurations, and a run.

A file is in our form, or in that of the public PDAAAL tool; its content shows which. For costs, and
for reachability alone, a run is found as well: a cheapest or a shortest one. What no bounded
idempotent semiring can answer (WPDS, Definition 4) is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tepui.errors import UsageError
from tepui.languages.source import Source
from tepui.limits import Limits
from tepui.parameter_names import named
from tepui.weighted.configurations import Configurations, WeightedAutomaton
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.domains import Boolean, MinPath
from tepui.weighted.files.automata import read_configurations
from tepui.weighted.files.documents import Document
from tepui.weighted.files.patterns import configurations_of, product_of
from tepui.weighted.files.pdaaal import is_pdaaal, pdaaal_of, read_pdaaal
from tepui.weighted.files.systems import FileThread, Given, WeightedFile, weighted_of
from tepui.weighted.native_domains import check_weights
from tepui.weighted.negative_costs import MOST_RULES, Integers, cheapest_run
from tepui.weighted.paths import Run, cost_and_run, meet_over_all_paths
from tepui.weighted.saturation import post_star, pre_star
from tepui.weighted.system import WeightedSystem


@dataclass(frozen=True)
class Weighing:
    """An answer."""

    weight: Any
    is_zero: bool
    """Whether there is no run at all."""
    run: Run | None = None
    """A cheapest or shortest run, where one can be shown."""


def load_weighted(
    file: str | Path | Source, start: Sequence[Given] = (), target: Sequence[Given] = ()
) -> WeightedFile:
    """A file in either form; a start and a target that are given replace those of the file."""
    source = file if isinstance(file, Source) else Source.of_file(Path(file))
    if len(start) <= 1 and len(target) <= 1:
        quickly = read_pdaaal(source, _one(start), _one(target))
        if quickly is not None:
            return quickly
    document = Document.of_source(source)
    if is_pdaaal(document):
        return pdaaal_of(document, *(_one(given) for given in (start, target)))
    weighted = weighted_of(document)
    threads = weighted.threads
    if start:
        sets = _sets(start, threads)
        threads = tuple(replace(t, start=each) for t, each in zip(threads, sets, strict=True))
    if target:
        sets = _sets(target, threads)
        threads = tuple(replace(t, target=each) for t, each in zip(threads, sets, strict=True))
    return replace(weighted, threads=threads)


def weigh(
    file: WeightedFile, contexts: int | None = None, limits: Limits | None = None
) -> Weighing:
    """The weight of all runs from the start to the target of a file."""
    start = [_asked(thread, "start") for thread in file.threads]
    target = [_asked(thread, "target") for thread in file.threads]
    bound = file.contexts if contexts is None else contexts
    if bound == 0 or (bound is not None and file.is_concurrent):
        _require_bounded(file)
        threads = Threads(tuple(thread.system for thread in file.threads))
        weight = context_bounded(threads, start, target, bound, limits)
        return Weighing(weight, weight == file.form.domain.zero)
    if file.is_concurrent:
        raise UsageError("there are several threads: say how many contexts they may have")
    return _sequential(file, start[0], target[0], limits)


def saturated(
    file: WeightedFile, *, backwards: bool, limits: Limits | None = None
) -> WeightedAutomaton[Any]:
    """post* of the start of a file, or pre* of its target."""
    if file.is_concurrent:
        raise UsageError("there are several threads, and only one by itself can be saturated")
    _require_bounded(file)
    (thread,) = file.threads
    if backwards:
        return pre_star(thread.system, _asked(thread, "target"), limits)
    return post_star(thread.system, _asked(thread, "start"), limits)


def _sequential(
    file: WeightedFile, start: Configurations, target: Configurations, limits: Limits | None
) -> Weighing:
    system = file.threads[0].system
    run = None
    if file.longest:
        if meet_over_all_paths(_with_costs(system, 0), start, target, limits) is not None:
            _require_bounded(file, "the target is reachable, but ")
        return Weighing(system.domain.zero, True)
    if isinstance(system.domain, Integers):
        found = cheapest_run(system, start, target, limits)
        if found is None:
            return Weighing(None, True)
        run = None if found.rules is None else Run(found.start, found.rules)
        return Weighing(found.cost, False, run)
    if type(system.domain) in (MinPath, Boolean):
        with suppress(OverflowError):
            return _with_run(system, start, target, limits)
    weight = meet_over_all_paths(system, start, target, limits)
    return Weighing(weight, weight == system.domain.zero)


def _with_run(
    system: WeightedSystem[Any],
    start: Configurations,
    target: Configurations,
    limits: Limits | None,
) -> Weighing:
    """A cheapest run and its cost; without costs, a shortest run. A run that is too long to be
    listed is left out. An OverflowError if the cost is too large."""
    if isinstance(system.domain, MinPath):
        cost, run = cost_and_run(system, start, target, limits, most=MOST_RULES)
        return Weighing(cost, cost is None, run)
    check_weights(system.domain, system.packed)
    cost, run = cost_and_run(_with_costs(system, 1), start, target, limits, most=MOST_RULES)
    return Weighing(cost is not None, cost is None, run)


def _with_costs(system: WeightedSystem[Any], cost: int) -> WeightedSystem[int | None]:
    """The same rules, all at the same cost; those that cannot be taken are left in, at ∞."""
    zero = system.domain.zero
    costs = [None if weight == zero else cost for weight in system.packed.weights]
    return WeightedSystem(MinPath(), system.packed.with_weights(costs))


def _require_bounded(file: WeightedFile, known: str = "") -> None:
    """Refuse questions that need more than a bounded idempotent semiring."""
    if file.longest:
        raise UsageError(
            f"{known}longest runs are asked for, and there may be longer and longer ones: maximum "
            "and sum are no bounded idempotent semiring, so there is no weight to compute"
        )
    if isinstance(file.form.domain, Integers):
        raise UsageError(
            "some rules cost less than 0, and then cheaper and cheaper runs are possible: minimum "
            "and sum of such costs are no bounded idempotent semiring; only the cheapest run from "
            "a start to a target is looked for"
        )


def _asked(thread: FileThread, which: str) -> Configurations:
    configurations: Configurations | None = getattr(thread, which)
    if configurations is None:
        option = named({"start": "start", "target": "target of a weight"}[which])
        raise UsageError(f"the file has no {which} for {thread.name}: give one with {option}")
    return configurations


def _one(given: Sequence[Given]) -> Given | None:
    if len(given) > 1:
        raise UsageError("a file of PDAAAL takes one set; several parts of it are joined by '|'")
    return given[0] if given else None


def _sets(given: Sequence[Given], threads: Sequence[FileThread]) -> Sequence[Configurations]:
    """The sets that were given, one for each thread."""
    if len(threads) == 1:
        (thread,) = threads
        found = [_set(each, thread) for each in given]
        whole = found[0]
        for each in found[1:]:
            whole = whole.union(each)
        return [whole]
    if len(given) > 1:
        raise UsageError("where there are several threads, one pattern speaks of all of them")
    alphabets = [thread.alphabet for thread in threads]
    return product_of(given[0].text, alphabets, given[0].source)


def _set(given: Given, thread: FileThread) -> Configurations:
    if given.text.lstrip()[:1] in ("{", "["):
        root = Document.of_text(given.text, given.source).root
        return read_configurations(root, thread.alphabet)
    return configurations_of(given.text, thread.alphabet, given.source)
