"""The command line: one file per command. This file has the entry point and the exit codes.

Exit codes: 0 proved (explore: collapsed, check: accepted), 1 violated (check: rejected), 2 the
input or the command is wrong, 3 unknown or stopped, 4 no violation within the bound that was asked
for, 5 an internal error, 141 the reader of standard output went away.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

CLOSED_PIPE = 128 + 13
"""As shells report a command that SIGPIPE ended. It says nothing about the answer."""


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(_run())


def _run() -> int:
    """Run the command, and end without a stack trace whatever happens."""
    try:
        code = _command()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        _complain("interrupted")
        return 3
    except BrokenPipeError:
        _close_stdout()
        return CLOSED_PIPE
    except OSError as error:
        _complain(f"error: the output cannot be written: {error.strerror}")
        _close_stdout()
        return 2
    except SystemExit:
        raise
    except MemoryError:
        _complain("error: stopped, because there is no memory left")
        return 3
    except BaseException as error:  # A panic of a kernel is no Exception.
        return _report_bug(error)


def _command() -> int:
    if sys.argv[1:] == ["--version"]:  # First, because it must not wait for anything.
        from tepui import __version__

        print(f"tepui {__version__}")
        return 0
    from tepui.cli.option_names import OPTIONS
    from tepui.parameter_names import speaking

    with speaking(OPTIONS):
        return _app()


def _app() -> int:
    from click.exceptions import Abort, ClickException, Exit, NoSuchOption

    from tepui.cli.app import app
    from tepui.errors import EvidenceRejected, TepuiError

    try:
        return int(app(standalone_mode=False) or 0)
    except Exit as leaving:
        return leaving.exit_code
    except SystemExit:  # When a pipe is closed, click exits with 1, which here means «violated».
        _close_stdout()
        return CLOSED_PIPE
    except NoSuchOption as error:
        from tepui.cli.choices import unknown_option

        unknown_option(error).show()
        return 2
    except ClickException as error:
        error.show()
        return 2
    except EvidenceRejected as error:
        from tepui.cli.rejection import report_rejected

        return report_rejected(error)
    except TepuiError as error:
        _complain(f"error: {error}")
        return 2
    except Abort:
        raise KeyboardInterrupt from None


def _report_bug(error: BaseException) -> int:
    if os.environ.get("TEPUI_DEBUG"):
        raise error
    _complain(
        f"internal error: {type(error).__name__}: {error}\n"
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
