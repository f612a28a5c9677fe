"""The command line: one file per command. This file has the entry point and the exit codes.

Exit codes: 0 proved (explore: collapsed, check: accepted), 1 violated (check: rejected), 2 the
input or the command is wrong, 3 unknown or stopped, 4 no violation within the bound that was asked
for, 5 an internal error, 141 the reader of standard output went away.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tepui.result import Stop

CLOSED_PIPE = 128 + 13
"""As shells report a command that SIGPIPE ended. It says nothing about the answer."""


def command_line() -> None:
    """Run the command of this process."""
    interrupted: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        if not interrupted:  # Once is enough.
            interrupted.append(number)
            raise KeyboardInterrupt

    # What is read has millions of parts and no cycles: to look for some would take long, at once.
    gc.set_threshold(100_000, 20, 100)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        if signal.getsignal(number) != signal.SIG_IGN:  # As `nohup` and shells want it.
            signal.signal(number, interrupt)
    try:
        main(for_good=True)
    except KeyboardInterrupt:  # Before there was a guard.
        _complain("interrupted")
        sys.exit(_run(_interrupted))
    finally:
        for number in signals:  # Python itself would let a signal kill it that comes late.
            signal.signal(number, signal.SIG_IGN)


def main(*, for_good: bool = False) -> None:
    """Run the command that the arguments name, and leave with its exit code, perhaps `for_good`:
    then signals do nothing once it is over."""
    began = time.perf_counter()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # The version must not wait for anything.
    is_short = sys.argv[1:] == ["--version"]
    sys.exit(_run(_version) if is_short else _guarded(began, for_good))


def _version() -> int:
    from tepui import __version__

    print(f"tepui {__version__}")
    return 0


def _guarded(began: float, for_good: bool) -> int:
    """Run the command under a guard."""
    from tepui.cli.guard import guarded

    with guarded(began, for_good=for_good) as guard:
        try:
            return _run(_command)
        except (KeyboardInterrupt, MemoryError, TimeoutError) as error:
            guard.let_end()
            stop = guard.stop(error)
            _complain(guard.last_words(stop))
            code = guard.code
            if code is None:
                code = _run(lambda: _without_answer(stop, began))
            else:
                _run(lambda: _without_answer(stop, began, guard.verdict))
            if guard.has_much_memory():
                _leave(code)
            return code


def _interrupted() -> int:
    from tepui.limits import Limits
    from tepui.result import Stop

    return _without_answer(Stop.at_limit("interrupted", Limits()), time.perf_counter())


def _without_answer(stop: Stop, began: float, verdict: str | None = None) -> int:
    """Say why there is none, or no more of it than the verdict, if JSON is wanted."""
    from tepui.cli.stopped import echo_stop

    echo_stop(stop, time.perf_counter() - began, verdict)
    return 3


def _leave(code: int) -> NoReturn:
    """End at once. To give back much memory bit by bit would take long."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _run(command: Callable[[], int]) -> int:
    """Run the command, and end without a stack trace whatever happens."""
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except (KeyboardInterrupt, MemoryError):
        raise
    except BrokenPipeError:
        _close_stdout()
        return CLOSED_PIPE
    except OSError as error:
        if isinstance(error, TimeoutError) and error.errno is None:
            raise  # It comes from a kernel, whose time is up.
        _complain(f"error: the output cannot be written: {error.strerror}")
        _close_stdout()
        return 2
    except SystemExit:
        raise
    except BaseException as error:  # A panic of a kernel is no Exception.
        if _comes_from_interruption(error):
            raise KeyboardInterrupt from None
        return _report_bug(error)


def _comes_from_interruption(error: BaseException | None) -> bool:
    """Python makes a RuntimeError of what is raised while a class is made."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _command() -> int:
    from tepui.cli.option_names import OPTIONS
    from tepui.parameter_names import speaking

    with speaking(OPTIONS):
        return _app()


def _app() -> int:
    from click.exceptions import ClickException, Exit

    from tepui.cli.app import app
    from tepui.errors import EvidenceRejected, TepuiError

    try:
        # Not by `app()`, which has words and exit codes of its own for what ends a command.
        with app.make_context("tepui", sys.argv[1:]) as context:
            return int(app.invoke(context) or 0)
    except Exit as leaving:
        return leaving.exit_code
    except ClickException as error:
        from tepui.cli.choices import wrong_use

        wrong_use(error).show()
        return 2
    except EvidenceRejected as error:
        from tepui.cli.rejection import report_rejected

        return report_rejected(error)
    except TepuiError as error:
        _complain(f"error: {error}")
        return 2


def _report_bug(error: BaseException) -> int:
    if os.environ.get("TEPUI_DEBUG"):
        raise error
    from tepui.words import printable

    _complain(
        f"internal error: {type(error).__name__}: {printable(str(error))}\n"
        "This is a bug in tepui; please report it with the input that caused it. "
        "TEPUI_DEBUG=1 shows where it happened."
    )
    return 5


def _complain(text: str) -> None:
    """Print a message on standard error, or nowhere if that is closed."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr)


def _close_stdout() -> None:
    """Nobody reads our output any more; keep Python from complaining about that at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
