"""What can be asked about a program: assertions, labels, mutual exclusion, deadlock, races.

A question becomes a Property of the program's system: patterns over the points of its threads.

The threads of a template are equal, so what one of them can reach, any of them can. Patterns
therefore name only the first thread of a template, or the first two where there are to be two:
however many equal threads there are, the number of patterns does not grow. Threads that know
themselves have a template each.

A program with forks has no system before it has slots, and one with any number of threads or with
integers without bounds none before it is an instance (`Program.is_open`). A question about it has
no patterns, only points; `posed` asks it of the program with slots, where `lack_of_slots` is one
question more, or of the instance.

Races are asked of another program, in which threads announce what they are about to do
(`announced`); `asked_program` is the one to ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal

from tepui.errors import UsageError
from tepui.model import Pattern, Property
from tepui.program.calls import forked_by, procedures_run_by, with_all_called
from tepui.program.expressions import Constant
from tepui.program.layout import Layout, point_class
from tepui.program.places import labels_of, place_name, places
from tepui.program.program import Assert, Derived, Location, Program, ViolationKind
from tepui.program.semantics.sections import points_inside
from tepui.records import field, record, replace

if TYPE_CHECKING:
    from tepui.program.announced import Announced
    from tepui.program.passes.slots import Slotted

Kind = ViolationKind | Literal["unreachable", "never together", "deadlock"]
"""An assertion has its own kind; `limit` asks whether the translation is large enough."""

KIND_WORDS: dict[ViolationKind, str] = {
    "assertion": "violated assertion",
    "exception": "exception",
    "bounds": "index out of bounds",
    "overflow": "overflow",
    "division": "division by zero",
    "limit": "limit of the translation",
    "race": "data race",
}
"""What has happened where an assertion of some kind is violated."""

_Words = tuple[str, str]
"""A question, and that it is violated, in words."""

_SHOWN = 5


@record
class Question:
    """One thing that must not happen, in words, and as bad visible states.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> tepui.unreachable(program, "critical").text
    'critical is unreachable (peterson.bp:27)'
    """

    kind: Kind
    text: str
    bad: Property
    probes: frozenset[int] = field(default_factory=frozenset)
    """The points that it names inside atomic sections, where no thread can rest."""
    point: int | None = None
    """Where in the program, if at one place."""
    vacuous: bool = False
    """Whether it is about something that the program does not have."""
    places: tuple[tuple[int, ...], ...] = ()
    """The points at which one thread must not be; or for each of two threads such points, perhaps
    several times."""
    violation: str = ""
    """The statement that it does happen, in words."""
    about: Announced | None = field(default=None, compare=False, repr=False)
    """The program with announcements that it is asked of, if it is about races."""

    @property
    def is_asserted(self) -> bool:
        """Whether it is about an assertion, which halts the program where it is violated."""
        return self.kind in KIND_WORDS and len(self.places) == 1


def assertions(program: Program) -> list[Question]:
    """A question for each assertion of the program that a thread can run.

    >>> program = tepui.load_program("examples/bluetooth1.bp")
    >>> [question.text for question in tepui.assertions(program)]
    ['assert(!stopped) at bluetooth1.bp:40']
    """
    layout = _checked(program).layout
    run, found = _procedures_run(program), list[tuple[str, Question]]()
    for number, assertion in enumerate(layout.assertions):
        point = layout.violation(number)
        location = layout.location(point)
        assert location is not None
        if assertion.procedure in run and point not in layout.limits:
            words = _asserted(assertion.edge, location)
            places = [] if _holds_always(assertion.edge) else [point]
            question = _question(program, assertion.edge.kind, words, places)
            found.append((location.position.file, replace(question, point=point)))
    if program.own_files:  # What its user has written goes first.
        found.sort(key=lambda pair: pair[0] not in program.own_files)
    return [question for _, question in found]


def violations(program: Program, kind: ViolationKind) -> list[Question]:
    """A question for each place at which the program can be violated in one way; a single one,
    which holds, if there is no such place.

    Whether machine integers overflow is only asked of a program that was loaded for it.

    >>> program = tepui.load_program("examples/counted-ring.bp", overflow=True)
    >>> [question.text for question in tepui.violations(program, "division")]
    ['no division by zero']
    """
    if kind not in tuple(KIND_WORDS):
        raise UsageError(f"kind is no kind of violation; expected one of {', '.join(KIND_WORDS)}")
    found = [question for question in assertions(program) if question.kind == kind]
    if found:
        return found
    what = KIND_WORDS[kind]
    words = f"no {what}", f"there can be {_article(what)} {what}"
    return [replace(_question(program, kind, words, []), vacuous=True)]


def limits(program: Program) -> list[Question]:
    """The question whether the translation runs into one of its limits, if it has any."""
    points = sorted(_checked(program).layout.limits)
    words = "no limit of the translation is reached", "a limit of the translation is reached"
    return [_question(program, "limit", words, points)] if points else []


def asked_of(program: Program, question: Question) -> Question:
    """A question about a program, asked of a larger translation of it (see `Program.larger`)."""
    if not question.places or question.about is program:
        named = {len(pattern.tops) for pattern in question.bad.patterns}
        if named and named != {len(program.thread_types)}:
            raise UsageError(
                f"a larger translation of {program.name} has another number of threads, so it has "
                "no states that patterns could name: ask tepui.unreachable, tepui.never_together "
                "or tepui.assertions"
            )
        return question
    from tepui.program.announced import Announced

    words = question.text, question.violation
    if isinstance(program, Announced):  # It has places of its own.
        same = (each for each in _races(program) if each.text == question.text)
        nothing = replace(_question(program, question.kind, words, [], []), about=program)
        return next(same, nothing)
    asked = _question(program, question.kind, words, *question.places)
    return replace(asked, vacuous=question.vacuous)


def error_labels(program: Program) -> list[Question]:
    """A question for each label that the program itself calls an error.

    If the program has none of its error labels and no assertion, there is a question for each of
    these labels all the same: it holds, as the label does not occur.
    """
    labels = labels_of(_checked(program))
    occurring = [label for label in program.error_labels if label in labels]
    if occurring or assertions(program):
        return [unreachable(program, label) for label in occurring]
    places = (f"{label}, which does not occur," for label in program.error_labels)
    return [
        replace(_question(program, "unreachable", _unreachable(place), []), vacuous=True)
        for place in places
    ]


def own_questions(program: Program) -> list[Question]:
    """What a program asks about itself: its assertions, the labels that it calls errors, and
    perhaps whether there is a deadlock."""
    stuck = [deadlock()] if program.asks_deadlock else []
    return [*assertions(program), *error_labels(program), *stuck]


def unreachable(program: Program, place: str | int) -> Question:
    """No thread may ever be at a place: a label, a line, or a call such as `"f()"`.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> tepui.verify(program, tepui.unreachable(program, "critical")).verdict
    'unsafe'
    """
    place = _place(place)
    points = places(_checked(program), place)
    where = _position_of_label(program.layout, points[0], place) if len(points) == 1 else ""
    return _question(program, "unreachable", _unreachable(place_name(place), where), points)


def never_together(program: Program, left: str | int, right: str | int) -> Question:
    """No two different threads may be at two places at the same time.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> tepui.verify(program, tepui.never_together(program, "critical", "critical")).verdict
    'safe'
    """
    left, right = _place(left), _place(right)
    points = [places(_checked(program), left), places(program, right)]
    words = _never_together(f"{place_name(left)} and {place_name(right)}")
    return _question(program, "never together", words, *points)


def deadlock() -> Question:
    """Some thread can always move, until all are over.

    >>> program = tepui.load_program("examples/peterson.bp")
    >>> tepui.verify(program, tepui.deadlock()).verdict
    'safe'
    """
    bad, violation = Property(deadlock=True), "there is a deadlock"
    return Question("deadlock", "no deadlock", bad, violation=violation)


def races(program: Program) -> list[Question]:
    """A question for each variable for which threads may race. There is always one.

    >>> program = tepui.loads("decl x; void main() { x := 1; }", "bp", threads={"main": 2})
    >>> tepui.verify(program, tepui.races(program)).verdict
    'unsafe'
    """
    # Races are asked for seldom, and importing what they need takes time.
    from tepui.parameter_names import named
    from tepui.program.announced import announced

    if _checked(program).refuses_races:
        from tepui.parameter_names import named  # The checker does without it.

        raise UsageError(
            f"{program.name} was loaded without all that matters for races only: load it with "
            f"{named('races')}"
        )
    return _races(announced(_checked(program)))


def _races(about: Announced) -> list[Question]:
    layout, found = about.layout, []
    for variable, pairs in about.conflicts.items():
        if variable.name in about.source.unraced:
            continue
        text = f"no data race on {variable.name}"
        points = (
            [layout.point(*place) for place in sorted(some)] for pair in pairs for some in pair
        )
        words = text, f"there is a data race on {variable.name}"
        found.append(_question(about, "race", words, *points))
    nothing = _question(about, "race", ("no data race", "there is a data race"), [], [])
    return [replace(question, about=about) for question in found or [nothing]]


def asked_program(program: Program, questions: Iterable[Question]) -> Program:
    """The program of which some questions are asked. All of them are about races, or none."""
    about = [question.about for question in questions]
    first = next((each for each in about if each is not None), None)
    if first is None:
        return program
    if first.source is not program and first.source != program:
        raise UsageError(f"a question is not about {program.name}, but about {first.name}")
    if None in about:
        raise UsageError(
            "races are asked of a program in which threads announce what they do next, so they "
            "cannot be decided as one with other questions: ask them by themselves"
        )
    return first


def posed(program: Derived, question: Question) -> Question:
    """A question about a program without a system, asked of one that a pass has made of it."""
    if question.kind == "deadlock":
        return question
    points = (list(map(program.point, some)) for some in question.places)
    words = question.text, question.violation
    asked = _question(program, question.kind, words, *points)
    return replace(asked, vacuous=question.vacuous, about=question.about)


def lack_of_slots(program: Slotted) -> Question:
    """No thread ever finds all slots taken: then nothing is missing."""
    one = program.slots == 1
    text = f"{program.slots} {'slot is' if one else 'slots are'} enough"
    violation = f"{program.slots} {'slot is' if one else 'slots are'} not enough"
    return _question(program, "assertion", (text, violation), program.lack_points)


def everything(questions: Iterable[Question]) -> Property:
    """All questions as one: what any of them calls bad."""
    asked = list(questions)
    if len(asked) == 1:
        return asked[0].bad
    patterns = dict.fromkeys(pattern for question in asked for pattern in question.bad.patterns)
    return Property(tuple(patterns), any(question.bad.deadlock for question in asked))


def questions_of(program: Program, asked: Property) -> list[Question]:
    """Questions that make up a property, where the original ones are not at hand."""
    if not _has_system(program) and asked.patterns:
        why = "forks threads" if program.forks else "has no fixed number of states"
        raise UsageError(
            f"{program.name} {why}, so it has no states that patterns could name: ask "
            "tepui.unreachable, tepui.never_together or tepui.assertions"
        )
    wanted = set(asked.patterns)
    own = [*own_questions(program), *limits(program)] if _has_system(program) else []
    found = [question for question in own if wanted.issuperset(question.bad.patterns)]
    covered = {pattern for question in found for pattern in question.bad.patterns}
    others: dict[tuple[int, ...], list[Pattern]] = {}
    for pattern in asked.patterns:
        if pattern not in covered:
            tops = tuple(sorted(top for top in pattern.tops if top is not None))
            others.setdefault(tops, []).append(pattern)
    found += [_question_about(program, tops, patterns) for tops, patterns in others.items()]
    return [*found, deadlock()] if asked.deadlock else found


def questions_text(questions: Sequence[Question]) -> str:
    """All questions in one line, the first few of them if there are many."""
    texts = [question.text for question in questions]
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return "; ".join(texts[:_SHOWN] + more)


def violated_question(
    questions: Iterable[Question], shared: int, classes: Sequence[int]
) -> Question | None:
    """The first question that a visible state violates; a deadlock if it matches no pattern."""
    stuck = None
    for question in questions:
        for pattern in question.bad.patterns:
            tops = zip(pattern.tops, classes, strict=True)
            if pattern.shared in (None, shared) and all(top in (None, have) for top, have in tops):
                return question
        if question.bad.deadlock and stuck is None:
            stuck = question
    return stuck


def _has_system(program: Program) -> bool:
    return not program.forks and not program.is_open


def _holds_always(edge: Assert) -> bool:
    return isinstance(edge.condition, Constant) and edge.condition.value != 0


def _asserted(edge: Assert, location: Location) -> _Words:
    """An assertion by its statement; one of another kind by the kind, and what it is about."""
    where = location.position.short
    if edge.kind == "assertion":
        more = f" ({edge.message})" if edge.message else ""
        text = f"{location.text or 'assert'} at {where}{more}"
        return text, f"{text} can be violated"
    name = KIND_WORDS[edge.kind]
    about = edge.message or location.text
    what = f"{name} at {where}{f' ({about})' if about and not about.endswith(name) else ''}"
    return f"no {what}", f"there can be {_article(what)} {what}"


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _unreachable(place: str, where: str = "") -> _Words:
    return f"{place} is unreachable{where}", f"{place} can be reached{where}"


def _never_together(places: str) -> _Words:
    return f"{places} are never reached together", f"{places} can be reached together"


def _question(program: Program, kind: Kind, words: _Words, *points: Sequence[int]) -> Question:
    """The question whether threads can be at some points: one thread, or two different ones, for
    any two following groups of points."""
    text, violation = words
    given = tuple(map(tuple, points))
    where = points[0][0] if len(points) == 1 and len(points[0]) == 1 else None
    if not _has_system(program):
        return Question(kind, text, Property(), point=where, places=given, violation=violation)
    pairs = zip(points[::2], points[1::2], strict=False)
    two = [pattern for left, right in pairs for pattern in _two_of(program, left, right)]
    patterns = _one_of(program, *points) if len(points) == 1 else two
    every = [point for some in points for point in some]
    nothing = _no_threads(program) if every else _nowhere(program)
    bad = Property(tuple(dict.fromkeys(patterns)) or nothing)
    inside = _inside(program, every)
    return Question(kind, text, bad, inside, where, places=given, violation=violation)


def _one_of(program: Program, points: Sequence[int]) -> list[Pattern]:
    return [pattern for point in points for pattern in _one_thread_at(program, point)]


def _two_of(program: Program, left: Sequence[int], right: Sequence[int]) -> list[Pattern]:
    number = program.layout.procedure_number
    return [
        _pattern(program, {first: one, second: other})
        for one, other in product(left, right)
        for first, second in _pairs(program, number(one), number(other))
        if one != other or first < second  # At one place, it does not matter who is the first.
    ]


def _checked(program: Program) -> Program:
    if not isinstance(program, Program):
        raise UsageError("this is a question about a Program: tepui.load(path) reads one (.bp)")
    return program


_MOST_LINES = 10**18


def _place(place: str | int) -> str:
    """A place as text; a line may be given as the number that it is."""
    if isinstance(place, bool) or not isinstance(place, str | int):
        raise UsageError(f"a place is a label or a line, as text; found {place!r}")
    if isinstance(place, int) and abs(place) > _MOST_LINES:
        raise UsageError("a place is a label or a line; no program has that many lines")
    return str(place)


def _inside(program: Program, points: Iterable[int]) -> frozenset[int]:
    """The points among these that may be passed inside atomic sections, where no thread rests."""
    return points_inside(program).intersection(points)


def _position_of_label(layout: Layout, point: int, place: str) -> str:
    """The position of a label, in words; a line needs none."""
    location = layout.location(point)
    assert location is not None
    where = location.position.short
    return "" if place.rpartition(":")[2] == str(location.position.line) else f" ({where})"


def _question_about(program: Program, tops: tuple[int, ...], patterns: list[Pattern]) -> Question:
    """A question in the words of the statements that its patterns name."""
    layout = program.layout
    names = [_statement(layout, top) for top in tops]
    bad = Property(tuple(patterns))
    probes = _inside(program, [top - 1 for top in tops])
    kind: Kind = "unreachable"
    if not names:
        text, violation = "no state is reached", "a state is reached"
    elif len(names) == 1:
        text, violation = _unreachable(names[0])
    else:
        kind = "never together"
        text, violation = _never_together(" and ".join(names))
    return Question(kind, text + _only_some(program, tops, bad), bad, probes, violation=violation)


def _only_some(program: Program, tops: Sequence[int], bad: Property) -> str:
    """What patterns leave out of the question about the places that they name, in words."""
    if any(pattern.shared is not None for pattern in bad.patterns):
        return " in some shared states"
    layout, points = program.layout, [top - 1 for top in tops]
    if not points or any(point >= layout.points for point in points):
        return ""  # All threads are there, or no thread ever is.
    if len(points) > 2 or any(point < 0 or point == layout.waiting for point in points):
        named = {n for each in bad.patterns for n, top in enumerate(each.tops) if top is not None}
        all_named = len(points) == 1 and len(named) == len(program.thread_types)
        return "" if all_named else " for some threads"
    groups = [[point] for point in points]
    every = _one_of(program, points) if len(points) == 1 else _two_of(program, *groups)
    return "" if set(every) <= set(bad.patterns) else " for some threads"


def _statement(layout: Layout, top: int) -> str:
    points = [point for point in range(layout.points) if point_class(point) == top]
    location = layout.location(points[0]) if points else None
    if location is None:
        return "a place that no thread runs" if top else "the end of a thread"
    return f"{location.text or 'the end of a procedure'} at {location.position.short}"


def _threads_that_run(program: Program, procedure: int) -> list[int]:
    """The thread types that may run a procedure."""
    types = range(len(program.threads))
    return [index for index in types if procedure in procedures_run_by(program, index)]


def _procedures_run(program: Program) -> list[int]:
    """The procedures that threads may run, forked ones included."""
    starts = {thread.procedure for thread in program.threads}
    starts |= forked_by(edge for procedure in program.procedures for edge in procedure.edges)
    return with_all_called(program, map(program.numbers.__getitem__, starts))


def _one_thread_at(program: Program, point: int) -> list[Pattern]:
    """For each template that runs the procedure of this point: its first thread is at the point."""
    threads = _first_threads(program, program.layout.procedure_number(point))
    return [_pattern(program, {thread: point}) for thread in threads]


def _pairs(program: Program, left: int, right: int) -> list[tuple[int, int]]:
    """Two different threads that run these procedures, for any two templates that do."""
    templates = program.layout.threads
    found = []
    for one in _first_threads(program, left):
        for other in _first_threads(program, right):
            if one != other:
                found.append((one, other))
            elif templates.count(templates[one]) > 1:
                found.append((one, one + 1))
    return found


def _first_threads(program: Program, procedure: int) -> list[int]:
    """The first thread of each template that may run a procedure."""
    types = _threads_that_run(program, procedure)
    return [thread for thread_type, thread in program.layout.templates if thread_type in types]


def _pattern(program: Program, points: dict[int, int]) -> Pattern:
    """Some threads are at these points, and the others anywhere."""
    tops: list[int | None] = [None] * len(program.thread_types)
    for thread, point in points.items():
        tops[thread] = point_class(point)
    return Pattern(None, tuple(tops))


def _no_threads(program: Program) -> tuple[Pattern, ...]:
    """A pattern that nothing matches, for places where no thread can be, or too few of them: with
    more slots there may be more."""
    return (_pattern(program, {0: program.layout.points}),)


def _nowhere(program: Program) -> tuple[Pattern, ...]:
    """A pattern that nothing matches, for no place at all: every thread would have to be at a place
    that does not exist."""
    points = program.layout.points
    return (_pattern(program, dict.fromkeys(range(len(program.thread_types)), points)),)
