"""Broken inputs through the command line: one message that points at the place, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import COMMANDS, Completed, call, files, run
from support.samples.broken_inputs import BROKEN_INPUTS, BrokenInput

OPERANDS = {"check": ["evidence.json"], "convert": ["new.cpds"]}


@pytest.mark.parametrize("case", BROKEN_INPUTS, ids=str)
def test_every_command_refuses_a_broken_input_at_the_right_place(
    case: BrokenInput, tmp_path: Path
) -> None:
    _write(case, tmp_path)
    before = files(tmp_path)
    for command in _commands(case):
        args = [command, case.main, *OPERANDS.get(command, []), *case.options]
        _require_refusal(call(*args, cwd=tmp_path), case)
    assert files(tmp_path) == before


@pytest.mark.parametrize("case", BROKEN_INPUTS[::20], ids=str)
def test_the_installed_command_refuses_a_broken_input(case: BrokenInput, tmp_path: Path) -> None:
    _write(case, tmp_path)
    _require_refusal(run("verify", case.main, *case.options, cwd=tmp_path), case)


def test_json_makes_no_difference_to_a_refusal(tmp_path: Path) -> None:
    case = BROKEN_INPUTS[-1]
    _write(case, tmp_path)
    _require_refusal(call("verify", case.main, *case.options, "--json", cwd=tmp_path), case)


def _commands(case: BrokenInput) -> list[str]:
    """The commands that take the options of the case."""
    return [
        command for command in COMMANDS if ("--target" not in case.options or command != "explore")
    ]


def _require_refusal(done: Completed, case: BrokenInput) -> None:
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    message = next(line for line in done.err.splitlines() if line.startswith("error: "))
    assert case.fragment in message
    source = case.main if case.source is None else case.source
    place = f"{source}:{case.line}:{case.column}: " if case.line else f"{source}: "
    assert message.startswith(f"error: {place}" if source else "error: ")


def _write(case: BrokenInput, folder: Path) -> None:
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
