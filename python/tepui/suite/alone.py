"""`python -m tepui.suite.alone ARGUMENTS` is `tepui ARGUMENTS` as a task of a suite.

It ends when the suite does, however that ends: whoever starts it holds the other end of its
standard input, and when that is closed nobody waits for its answer any more.
"""

from __future__ import annotations

import os
import signal
import threading


def main() -> None:
    """Run the command, and watch the one who started it."""
    threading.Thread(target=_end_with_the_suite, daemon=True).start()
    from tepui.cli import main

    main()


def _end_with_the_suite() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
