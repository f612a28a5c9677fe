"""`python -m tepui.cli.task_process ARGUMENTS` is `tepui ARGUMENTS` as a task of a suite.

It ends when the suite ends, for whatever reason. The process that starts it holds the other end of
its standard input, and when that is closed its answer is not needed any more. If the machine runs
out of memory, it offers itself to the system to be killed before other processes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from pathlib import Path


def main() -> None:
    """Run the command, and end if the process that started it does."""
    with contextlib.suppress(OSError):  # Not all systems have this.
        Path("/proc/self/oom_score_adj").write_text("1000")
    threading.Thread(target=_end_with_the_suite, daemon=True).start()
    from tepui.cli import main

    main()


def _end_with_the_suite() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
