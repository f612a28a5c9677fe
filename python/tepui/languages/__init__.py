"""The input languages: text in, a System out; nothing here knows of engines.

One module per format; `load` picks it by the suffix of the file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tepui.languages.cpds import read_cpds, read_cpds_text, write_cpds
from tepui.languages.loaded import Loaded
from tepui.languages.matching import Matching, read_matching, read_matching_text
from tepui.languages.pds import PdsText, read_pds, read_pds_text, write_pds
from tepui.languages.source import file_error, require_file

__all__ = [
    "Loaded",
    "Matching",
    "PdsText",
    "load",
    "read_cpds",
    "read_cpds_text",
    "read_matching",
    "read_matching_text",
    "read_pds",
    "read_pds_text",
    "write_cpds",
    "write_pds",
]

_READERS = {".pds": read_pds, ".cpds": read_cpds}


def load(
    path: str | os.PathLike[str],
    init: str | None = None,
    targets: Sequence[str] | None = None,
) -> Loaded:
    """Read a file by its suffix; `init` and `targets`, where given, replace what it says itself."""
    file = Path(path)
    read = _READERS.get(file.suffix.lower())
    if read is None:
        require_file(file)
        known = " and ".join(_READERS)
        raise file_error(file, f"unknown kind of file; the known suffixes are {known}")
    return read(file, init, targets)
