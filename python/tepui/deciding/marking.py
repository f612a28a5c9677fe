"""Which lines are reached, violated or unreached, told while a run goes on (jMoped, section 4).

After each round, an engine is asked for the points that its new visible states show, those included
that are passed inside of steps (see `subject.coverage`). So every visible state is looked at once,
and only at threads from which a step may come to a line that has no mark (`points_ahead`): none
when all lines are marked, or when nobody asks for markers.

All engines explore states of the program as written: with some slots, some threads, some integers,
or in a translation with limits, they see fewer of its runs, and no others. So a line that any of
them reaches is reached. It is the other way round with lines that are unreached: that is said at
the end, and only if the coverage of a result says that it is certain.

A round has the lines of what is passed in steps that begin in it, and such a step may take one more
context.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tepui.deciding.points_ahead import PointsAhead
from tepui.errors import AT_LIMIT
from tepui.kernels.fusion import fused_points
from tepui.markers import Line, Mark, Marker, is_statement, lines_of
from tepui.program.semantics.sections import points_inside
from tepui.subject.story import StatementStep

if TYPE_CHECKING:
    from tepui.deciding.entrants import Entrant
    from tepui.deciding.options import Options
    from tepui.kernels.lowered_system import LoweredSystem
    from tepui.program.program import Position, Program
    from tepui.result import Result
    from tepui.subject.coverage import Coverage

Tell = Callable[[Marker], None]


def marked(
    run: Callable[[Options], list[Result]], program: Program, options: Options, tell: Tell
) -> list[Result]:
    """The results of a run that tells which lines it marks."""
    once = Once(tell, program)
    results = run(replace(options, markers=once))
    try:
        once.finish(results)
    except (KeyboardInterrupt, *AT_LIMIT):
        pass  # There is an answer, which does not depend on what was left to say.
    return results


class Once:
    """Tells each marker once, whichever attempt it comes from."""

    def __init__(self, tell: Tell, program: Program) -> None:
        self._tell = tell
        self._statements = _Statements(program)
        self._told: set[tuple[Mark, Line]] = set()
        self._lock = threading.Lock()

    def __call__(self, marker: Marker) -> None:
        line = marker.file, marker.line
        with self._lock:
            if line in self._statements.lines and (marker.mark, line) not in self._told:
                self._tell(marker)
                self._told.add((marker.mark, line))

    def finish(self, results: Sequence[Result]) -> None:
        """Tell all that is certain in the end."""
        covered = list(_coverages(results))
        self._tell_all("reached", map(_line, _reached(covered)))
        passed = (line for result in results for line in self._statements.passed(result))
        self._tell_all("reached", passed)
        self._tell_all("violated", (line for result in results for line in _violated(result)))
        self._tell_all("unreached", _unreached(covered))

    def _tell_all(self, mark: Mark, lines: Iterable[Line]) -> None:
        for line in self._statements.sorted(lines):
            self(Marker(mark, *line))


class LinesReached:
    """The lines that the engines of a race reach, round by round."""

    def __init__(self, system: LoweredSystem, tell: Tell) -> None:
        program, layout = system.program, system.layout
        self._tell = tell
        self._statements = _Statements(program)
        self._left: dict[int, Line] = {
            layout.point(index, number): _line(location.position)
            for index, procedure in enumerate(program.procedures)
            for number, location in enumerate(procedure.locations)
            if is_statement(location, program)
        }
        """The line of each point that has no mark yet."""
        fused, by_holder = fused_points(program, system.options.fused)
        self._passed = points_inside(program) | fused | by_holder
        self._ahead = PointsAhead(layout, self._passed)
        self._tops = self._ahead.before(self._left)
        """Where threads rest before steps that may come to these points."""
        self._is_final = not layout.unknown_beyond
        """Whether a violation is one of the program as written, and no lack of room."""
        self._lock = threading.Lock()

    def after_round(self, entrant: Entrant, *, unfinished: bool = False) -> None:
        """Tell the lines that are new in the last round of an engine, or in one that is cut off."""
        with self._lock:
            if not self._left:
                return
            last = entrant.engine.observations[-1]
            k = last.k + unfinished
            points = frozenset[int]().union(*entrant.engine.points(entrant.shown, self._tops))
            entrant.shown = last.visible_up_to_symmetry or 0
            found = self._new_lines(points)
            counts = entrant.kind.counts == "contexts"
            for line in self._statements.sorted(found):
                contexts = k + found[line] if counts else None
                self._tell(Marker("reached", *line, entrant.kind.name, k, contexts))
            if found:
                self._left = {point: at for point, at in self._left.items() if at not in found}
                self._tops = self._ahead.before(self._left)

    def after_answer(self, result: Result, entrants: Iterable[Entrant]) -> None:
        """Tell what engines have seen in rounds that they did not finish, and a violation with
        the lines of its trace."""
        for entrant in entrants:
            self.after_round(entrant, unfinished=True)
        if self._is_final:
            for line in self._statements.sorted(self._statements.passed(result)):
                self._tell(Marker("reached", *line))
            for line in _violated(result):
                self._tell(Marker("violated", *line))

    def _new_lines(self, points: Iterable[int]) -> dict[Line, int]:
        """The lines of some points, and whether a thread may only pass them: then it may take this
        many contexts more."""
        found: dict[Line, int] = {}
        for point in points:
            line = self._left.get(point)
            if line is not None:
                found[line] = min(found.get(line, 1), int(point in self._passed))
        return found


class _Statements:
    """Where a program has statements."""

    def __init__(self, program: Program) -> None:
        self.lines = {line: number for number, line in enumerate(lines_of(program))}
        """The lines that have some, in the order of the source."""
        self._positions = frozenset(
            location.position
            for procedure in program.procedures
            for location in procedure.locations
            if is_statement(location, program)
        )

    def sorted(self, lines: Iterable[Line]) -> list[Line]:
        """Some lines in the order of the source."""
        return sorted({line for line in lines if line in self.lines}, key=self.lines.__getitem__)

    def passed(self, result: Result) -> Iterator[Line]:
        """The lines of the statements in a trace. Ends of procedures are steps in it, too."""
        if (trace := result.trace) is not None:
            steps = (step for step in trace.story.steps if isinstance(step, StatementStep))
            positions = (step.position for step in steps)
            yield from (_line(position) for position in positions if position in self._positions)


def _coverages(results: Sequence[Result]) -> Iterator[Coverage]:
    """What is known for certain about all lines; several questions may share one exploration. What
    others have reached was said before."""
    seen = set()
    for result in results:
        points, certainty = result.reached.points, result.reached.certainty
        if certainty == "reached" and _is_whole(result.subject.program):
            points, certainty = result.reached.at_most, "unreached"
        key = id(getattr(points, "__self__", points)), certainty
        if certainty != "reached" and points is not None and key not in seen:
            seen.add(key)
            covered = result.subject.coverage(points(), certainty)
            yield from () if covered is None else (covered,)


def _is_whole(program: Program | None) -> bool:
    """Whether all runs of the program as written are runs of this one: there are no fewer slots,
    threads or integers, and no limits."""
    if program is None or program.layout.unknown_beyond:
        return False
    return program.made_by in (None, "sorts")


def _reached(covered: Iterable[Coverage]) -> Iterator[Position]:
    """Where there are statements that are certainly reached."""
    for one in covered:
        if one.certain == "all":
            yield from (each.position for each in one.statements if each.reached_by)


def _unreached(covered: Iterable[Coverage]) -> Iterator[Line]:
    """The lines of which no statement is ever reached."""
    for one in covered:
        yield from {_line(each.position) for each in one.statements} - {
            _line(each.position) for each in one.statements if each.reached_by
        }


def _violated(result: Result) -> Iterator[Line]:
    """The line of a violated assertion."""
    if (violated := result.violated) is not None and violated.position is not None:
        yield _line(violated.position)


def _line(position: Position) -> Line:
    return position.file, position.line
