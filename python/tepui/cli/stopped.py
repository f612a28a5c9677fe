"""What a command prints with `--json` if it is stopped before it has anything else to print.

A limit or a signal may come while a file is read, or options are. Whoever reads standard output
gets one object in any case.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from tepui.cli.guard import has_printed_json
from tepui.limits import Limits, Meter, peak_memory
from tepui.report.terminal.printing import echo
from tepui.result import Stop

if TYPE_CHECKING:
    from tepui.errors import Stopped
    from tepui.kernels.door import Outcome


def stopped(error: Stopped, text: str, limits: Limits) -> int:
    """Say that a command was stopped at a limit of its own; the exit code."""
    echo(text, err=True)
    stop = Stop("limit", str(error))
    if error.limit is not None:
        stop = Stop.at_limit(cast("Outcome", error.limit), limits)
    echo_stop(stop, Meter(limits).seconds())
    return 3


def echo_stop(stop: Stop, seconds: float, verdict: str | None = None) -> None:
    """Print why there is no answer, or only its verdict, if JSON is wanted and none was printed."""
    if "--json" not in sys.argv[1:] or has_printed_json():
        return
    from tepui.cli.output import echo_json

    echo_json(_stop_object(stop, seconds, verdict))


def _stop_object(stop: Stop, seconds: float, verdict: str | None) -> dict[str, Any]:
    command = next((each for each in sys.argv[1:] if not each.startswith("-")), "")
    return {
        "verdict": verdict or ("stopped" if command == "explore" else "unknown"),
        "reason": stop.text,
        "stop": {"kind": stop.kind, "limit": stop.limit},
        "seconds": round(seconds, 6),
        "peak_memory_bytes": peak_memory(),
    }
