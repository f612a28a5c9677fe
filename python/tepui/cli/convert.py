"""`tepui convert`: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from tepui.cli.arguments import SystemFlags, load_model, system_flags
from tepui.cli.output_files import exists
from tepui.cli.program_options import asked_questions
from tepui.errors import UsageError
from tepui.languages.pushdown.cpds import write_cpds
from tepui.languages.pushdown.pds import write_pds
from tepui.model import System
from tepui.output_places import write_text
from tepui.program.program import Program
from tepui.report.terminal.printing import echo


@click.command("convert")
@system_flags
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(output: Path, force: bool, **flags: Any) -> int:
    """Write a system in another format, with its initial state and its bad states.

    OUTPUT ends in .cpds or .pds; beside a .pds file, .init and .spec files are written. A program
    (.bp) is written out as the system that it stands for: every rule that its threads may use.

    Exit code: 0 written, 2 wrong input or use.
    """
    if output.suffix.lower() not in (".pds", ".cpds"):
        raise UsageError(f"{output}: expected a file name that ends in .pds or .cpds")
    texts = _texts(output, _system(flags))
    existing = [str(path) for path in texts if exists(path)]
    if existing and not force:
        raise UsageError(f"already there: {', '.join(existing)}; --force replaces what is there")
    for path, text in texts.items():
        _write(path, text)
        echo(f"wrote {path}")
    return 0


def _system(flags: dict[str, Any]) -> System:
    """The system to write."""
    model = load_model(cast(SystemFlags, flags), "convert")
    if not isinstance(model, Program):
        return model
    from tepui.api import written_out

    return written_out(model, asked_questions(model, flags))


def _texts(output: Path, system: System) -> dict[Path, str]:
    """The text of each file to write."""
    if output.suffix.lower() == ".cpds":
        return {output: write_cpds(system)}
    text = write_pds(system)
    files = {output: text.pds, output.with_suffix(".init"): text.init}
    spec = output.with_suffix(".spec")
    if text.spec or exists(spec):  # A file that is left from before would be taken for ours.
        files[spec] = text.spec
    return files


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
