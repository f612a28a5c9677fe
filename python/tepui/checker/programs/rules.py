"""Evidence about programs: checked like any other, on rules that the reference semantics gives.

Evidence about a program speaks of states by numbers, and tables say which states these are. From
the tables and the evidence a plain System is built: for every shared state and top of a stack that
occur together in the evidence, it has exactly the rules that `semantics.meaning` gives. The checker
looks at no other rules (those of a trace apply along it, those of a certificate in its states), so
what it accepts of this System holds of the program. The System lacks the rules of states outside
the tables; so whatever leads to such a state is found missing.

The program and the property are trusted. The options of its meaning need not be, as all of them are
faithful to the program. But they must fit the property: one that names a place inside an atomic
section is meaningful only if the place is a probe, and fused steps must not pass what it names.
Whether a program can be stuck may depend on variables that have no value yet; `open_values` says
how that is seen.
The class of a frame, by which patterns name it, is its point + 1; the empty stack has class 0.
A thread that has nothing to do yet (`layout.idle`) cannot be stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tepui.checker.checker import check, kind_of
from tepui.checker.evidence import Evidence, Pair
from tepui.checker.patience import STEPS_PER_PAIR, Patience
from tepui.checker.programs.names import named_system, system_of
from tepui.checker.programs.open_values import with_cases
from tepui.checker.programs.state_tables import Numbering, ProgramTables, check_pairs, check_tables
from tepui.checker.trace import Trace
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, Rule, System
from tepui.program.layout import Layout, rank
from tepui.program.program import Program
from tepui.program.semantics.edges import Configuration
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import points_inside


def check_program(
    program: Program,
    meaning: Meaning,
    asked: Property,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
    *,
    reference: bool = False,
) -> None:
    """Return if the evidence proves its claim; raise EvidenceError with the first reason if not.

    `go_on` is called now and then, and CheckStopped is raised when it returns false. Certificates
    that list states are checked by the fast checker, or by its `reference` on request.
    """
    _check_options(program, meaning, asked)
    evidence = kind_of(evidence).fixed(evidence)

    def by_reference() -> None:
        system = system_for(program, meaning, tables, evidence, go_on, deadlock=asked.deadlock)
        check(system, asked, evidence, go_on, reference=True)

    if reference or isinstance(evidence, Trace):
        by_reference()
        return
    from tepui.checker.fast import fast_check

    if not fast_check.is_fast(evidence, asked):
        by_reference()
    elif meaning.is_plain and meaning.program == program:
        from tepui.checker.fast.fast_programs import check_program as check_fast

        check_fast(meaning, asked, tables, evidence, go_on, by_reference)
    else:
        listed = fast_check.with_fast_rows(evidence, len(program.thread_types))
        system = system_for(program, meaning, tables, listed, go_on, deadlock=asked.deadlock)
        check(system, asked, listed, go_on)


def system_for(
    program: Program,
    meaning: Meaning,
    tables: ProgramTables,
    evidence: Evidence,
    go_on: Callable[[], bool] = lambda: True,
    *,
    deadlock: bool = False,
) -> System:
    """A System with all rules of the program that matter to the evidence; on request, also with the
    cases in which threads cannot move."""
    if meaning.program != program:
        raise ValueError("this is the meaning of another program")
    check_tables(meaning.layout, tables)
    _check_stacks(meaning.layout, tables, evidence)
    numbering = Numbering(tables)
    templates = meaning.layout.templates
    wanted: list[set[Pair]] = [set() for _ in templates]
    named = named_system(meaning.layout, tables)
    for template, pairs in zip(
        meaning.layout.threads, kind_of(evidence).pairs(evidence, named, go_on), strict=True
    ):
        check_pairs(tables, templates[template][0], pairs)
        wanted[template] |= pairs
    rules = [
        list(_rules(meaning, of, sorted(pairs), numbering, go_on))
        for of, pairs in zip(templates, wanted, strict=True)
    ]
    initial = numbering.shared.number(meaning.initial_shared())
    stacks = [
        numbering.word(thread_type, meaning.initial_stack(thread))
        for thread_type, thread in templates
    ]
    system = system_of(meaning.layout, numbering, initial, stacks, rules)
    return with_cases(system, meaning, numbering, wanted, go_on) if deadlock else system


def _check_stacks(layout: Layout, tables: ProgramTables, evidence: Evidence) -> None:
    """The stacks that a certificate lists consist of frames in the tables. Frames outside them get
    numbers when rules lead to them, and must not be named by chance."""
    if isinstance(evidence, Trace):
        return
    from tepui.checker.fast.kinds import is_listing

    if not is_listing(evidence):
        return
    below = getattr(evidence, "below", ())
    for number, group in enumerate(evidence.groups):
        if not group or not 0 <= group[0] < len(layout.threads):
            continue  # The check will find it.
        kind, _ = layout.templates[layout.threads[group[0]]]
        words = (
            [word for word, _ in evidence.locals[number]] if number < len(evidence.locals) else []
        )
        pairs = below[number] if number < len(below) else ()
        symbols = len(tables.frames[kind])
        if any(symbol >= symbols for word in (*words, *pairs) for symbol in word if symbol):
            raise EvidenceError("the evidence names a state that is not in its tables")


def _rules(
    meaning: Meaning,
    template: tuple[int, int],
    pairs: Sequence[Pair],
    numbering: Numbering,
    go_on: Callable[[], bool],
) -> Iterator[Rule]:
    """The rules of one template for some pairs, which must be in the tables."""
    thread_type, thread = template
    shared, frames = numbering.shared.items, numbering.frames[thread_type].items
    patience = Patience(go_on)
    for source, top in patience.each(pairs):
        patience.spend(STEPS_PER_PAIR)
        if top != EPSILON:
            found = meaning.rules(thread, shared[source], frames[top - 1])
            for target, word in sorted(found, key=_order):
                number = numbering.shared.number(target)
                yield Rule(source, top, number, numbering.word(thread_type, word))


def _order(configuration: Configuration) -> tuple[object, ...]:
    """A key that sorts."""
    shared, word = configuration
    return list(map(rank, shared)), [(f.point, list(map(rank, f.values))) for f in word]


def _check_options(program: Program, meaning: Meaning, asked: Property) -> None:
    """Refuse a property that would say less under these options of the meaning than it does.

    A property about whole stacks is refused too, as tail calls leave no frames on them.
    """
    if asked.reaches:
        raise EvidenceError("whole stacks of a program cannot be asked for")
    tops = {top for pattern in asked.patterns for top in pattern.tops if top is not None}
    named = {top - 1 for top in tops if top != EPSILON}
    unprobed = (named & points_inside(program)) - meaning.probes
    if unprobed:
        raise EvidenceError(
            "the property names a place inside an atomic section, "
            "but the meaning of the program has no probe there"
        )
    if meaning.fused is None:
        return
    if any(pattern.shared is not None for pattern in asked.patterns):
        raise EvidenceError("the property names shared states, but fused steps pass some of them")
    if not named.issubset(meaning.fused.named | meaning.probes | set(_always_seen(program))):
        raise EvidenceError("the property names a place that fused steps may pass")


def _always_seen(program: Program) -> range:
    """The points that are no locations, where no step goes on, and the one where no thread is."""
    return range(program.layout.waiting, program.layout.points + 1)
