"""Calls the command line of tepui inside this process, and keeps what it prints."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tepui.cli import main


@dataclass(frozen=True)
class Called:
    """The exit code and what was printed; the code is -1 after an exception."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def call(arguments: Sequence[str]) -> Called:
    """What `tepui ARGUMENTS` does."""
    out, err = io.StringIO(), io.StringIO()
    argv = patch.object(sys, "argv", ["tepui", *arguments])
    with argv, redirect_stdout(out), redirect_stderr(err):
        try:
            code: object = main()  # type: ignore[func-returns-value]
        except SystemExit as end:
            code = end.code
        except Exception:  # whatever it is, it is a finding
            err.write(traceback.format_exc())
            code = -1
    return Called(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def scratch() -> Path:
    """A new folder for files."""
    return Path(tempfile.mkdtemp(prefix="docs_oracle"))


def put(path: Path, text: str | None) -> None:
    """Write the file as it is, or take it away."""
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(text.encode())
