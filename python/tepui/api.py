"""What a Python program calls, where that differs from what the command line calls."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

from tepui import languages
from tepui.model import System
from tepui.program.program import Program


def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
) -> System | Program:
    """Read a file: a System from .pds and .cpds, a Program from .bp and .nbp.

    What is odd about it but not wrong becomes a warning.
    """
    loaded = languages.load(path, init, targets)
    for warning in loaded.warnings:
        warnings.warn(warning, stacklevel=2)
    return loaded.model
