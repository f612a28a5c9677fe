"""Markers as lines of JSON, for editors that show them while a run goes on.

Each line is an object with an `event`: one `start`, then the markers as they become known, and one
`end`, whatever happened. docs/markers.schema.json describes them.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from tepui.markers import Mark, lines_of

if TYPE_CHECKING:
    from tepui.markers import Marker
    from tepui.program.program import Program
    from tepui.result import Result

VERSION = 1


class MarkerLines:
    """The lines of one run."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines = lines_of(program)
        self._counts: Counter[Mark] = Counter()

    def start(self, command: Literal["verify", "explore"]) -> str:
        """What is about to be run, and which lines have statements."""
        files: dict[str, list[int]] = {}
        for file, line in self._lines:
            files.setdefault(file, []).append(line)
        return _text(
            event="start",
            format="tepui-markers",
            version=VERSION,
            command=command,
            program=self._program.name,
            files=[{"file": file, "lines": lines} for file, lines in files.items()],
        )

    def marker(self, marker: Marker) -> str:
        """A line has got a mark."""
        self._counts[marker.mark] += 1
        place = {"event": marker.mark, "file": marker.file, "line": marker.line}
        if marker.mark != "reached":
            return _text(**place)
        return _text(**place, engine=marker.engine, round=marker.round, contexts=marker.contexts)

    def end(self, result: Result | None) -> str:
        """The run is over; without a result, it has failed."""
        stop = None if result is None else result.stop
        return _text(
            event="end",
            verdict=None if result is None else result.verdict,
            stop=None if stop is None else stop.kind,
            lines=len(self._lines),
            reached=self._counts["reached"],
            violated=self._counts["violated"],
            unreached=self._counts["unreached"],
        )


def _text(**found: Any) -> str:
    """An object in one line, in ASCII: names of files may have bytes that are no text."""
    return json.dumps(found)
