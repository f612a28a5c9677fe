"""Before an answer is given, the independent checker examines its evidence.

Where a limit leaves no room for that, the answer says that it is unchecked. If the checker rejects
the evidence, there is no answer.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tepui.deciding.race import first_answer
from tepui.errors import CheckStopped, EvidenceError, EvidenceRejected, UsageError
from tepui.limits import Meter, current_memory, peak_memory, reached_limit
from tepui.progress import Progress
from tepui.result import Stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tepui.deciding.algorithm3 import Shared
    from tepui.deciding.options import Options
    from tepui.engines.rounds import Round
    from tepui.model import Property
    from tepui.program.questions import Question
    from tepui.result import Result


def answered(
    shared: Shared,
    asked: Property,
    questions: Sequence[Question] = (),
) -> Result:
    """The answer to one question about a system, checked; without a question, all that is
    reachable."""
    result = first_answer(shared, asked, questions)
    return checked(result, shared.meter, shared.options) if asked else result


def checked(result: Result, meter: Meter, options: Options) -> Result:
    """Let the independent checker examine an answer that has evidence."""
    if not options.check:
        return result
    grounds = result.grounds
    if grounds is None:
        _check_derivation(result)
        return result
    if meter.stopped is not None:
        return _unchecked(result, Stop.at_limit(meter.stopped, meter.limits).text)
    needed = grounds.size * _bytes_per_state(len(result.system.threads)) + grounds.bytes_of_stacks
    if result.verdict == "safe" and needed > meter.bytes_left():
        return _unchecked(result, "the memory limit leaves no room to check the evidence")
    if options.progress is not None:
        options.progress(_progress(result.rounds[-1], meter))
    started = time.perf_counter()
    try:
        if grounds.evidence is None:
            return result
        result.subject.check(result.asked, grounds.evidence, meter.may_go_on)
        took = time.perf_counter() - started
        remarks = tuple(
            note for note in result.remarks if note.kind != "check"
        )  # Of an earlier try.
        result = replace(result, checked=True, remarks=remarks).with_statistics(check_seconds=took)
    except EvidenceError as error:
        raise EvidenceRejected(str(error), result) from error
    except UsageError as error:  # A solver that the check needs is not installed.
        result = _unchecked(result, str(error))
    except CheckStopped as stopped:
        is_full = not meter.is_out_of_time() and meter.bytes_left() == 0
        result = _unchecked(result, "the memory is used up" if is_full else str(stopped))
    except (KeyboardInterrupt, MemoryError) as error:
        meter.stopped = reached_limit(error)
        if meter.stopped == "interrupted":
            result = _unchecked(replace(result, interrupted=True), "the check was interrupted")
        else:
            result = _unchecked(result, Stop.at_limit(meter.stopped, meter.limits).text)
    return result.with_statistics(peak_memory_bytes=peak_memory())


def _progress(last: Round, meter: Meter) -> Progress:
    return Progress(
        last.k,
        last.states,
        last.visible,
        new_visible=0,
        seconds=meter.seconds(),
        memory=current_memory(),
        round_complete=False,
        activity="checking the evidence",
    )


def _unchecked(result: Result, why: str) -> Result:
    return result.with_note("check", f"unchecked: {why}")


def _bytes_per_state(threads: int) -> int:
    """A rough guess at the memory that the checker needs for each state of a certificate: packed
    twice, with a place in a table, and with steps that it shares with some others."""
    return 120 + 8 * threads


def _check_derivation(result: Result) -> None:
    """For an answer without evidence, check at least that the passes made the right program."""
    try:
        result.subject.check_derivation()
    except EvidenceError as error:
        raise EvidenceRejected(str(error), result) from error
