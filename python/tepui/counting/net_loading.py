"""Nets from files, for Python programs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tepui.doors import door
from tepui.errors import UsageError
from tepui.languages.registry import language_of
from tepui.languages.source import Source
from tepui.words import printable

if TYPE_CHECKING:
    from tepui.model.net import Net


@door
def load_net(path: str | os.PathLike[str], targets: Sequence[str] | None = None) -> Net:
    """Read a net from a file: .tts, with the bad states beside it or in `targets`, or .spec.

    >>> from tepui.counting import cover, load_net
    >>> cover(load_net("examples/nets/lock.tts")).verdict
    'safe'
    >>> cover(load_net("examples/nets/lock.tts", targets=["1|1"])).verdict
    'unsafe'
    """
    language = language_of(path)
    if language is None or language.read_net is None:
        raise UsageError(f"{printable(os.fspath(path))} is no net; expected a file .tts or .spec")
    loaded = language.read_net(Source.of_old_file(path), None, targets)
    for warning in loaded.warnings:
        warnings.warn(printable(warning), stacklevel=3)
    return loaded.net
