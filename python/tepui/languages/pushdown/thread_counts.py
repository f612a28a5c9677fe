"""An open system with the numbers of threads that a user chooses."""

from __future__ import annotations

from collections.abc import Mapping

from tepui.errors import ModelError, UsageError
from tepui.languages.loaded_model import Loaded
from tepui.model import OpenSystem
from tepui.parameter_names import named
from tepui.words import counted, did_you_mean


def with_threads(system: OpenSystem, counts: Mapping[str, int | None]) -> Loaded:
    """The system with these numbers of threads of the blocks that are named; None is any."""
    known = system.any_number
    for name, count in counts.items():
        said = f"{named('threads')} {name}={'*' if count is None else count}"
        if name not in known:
            if any(block.name == name for block in system.blocks):
                raise UsageError(
                    f"{said}: the file says how many threads {name} there are; any number is "
                    f"possible of {', '.join(known)}"
                )
            hint = did_you_mean(name, known, "any number is possible of")
            raise UsageError(f"{said}: {system.name} has no threads {name}{hint}")
        if count is not None and count < 1:
            raise UsageError(f"{said}: expected at least 1 thread")
    try:
        found = system.with_counts(counts)
    except ModelError as error:
        raise UsageError(f"{named('threads')}: {error}") from error
    # With fewer threads than are named, nothing is bad: that is an answer, too.
    lost = len(system.patterns) - len(found.patterns)
    warnings = []
    if lost:
        need = "needs" if lost == 1 else "need"
        warnings.append(
            f"{system.name}: {counted(lost, 'target')} {need} more threads than there are now, so "
            "nothing matches"
        )
        if not found.is_asked:
            found = found.asking_in_vain()
    return Loaded(found.closed(), warnings)
