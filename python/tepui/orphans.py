"""Child processes that end when the one that has started them does, even if that was killed.

Most of them read requests, and end when there are no more. But a solver that hangs reads nothing.
"""

from __future__ import annotations

import os
import threading
import time

SECONDS = 1.0
"""How often a child looks whether its parent is still there."""


def end_with_parent() -> None:
    """From now on, end this process soon after its parent has ended."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS)
    os._exit(1)
