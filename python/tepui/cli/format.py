"""`tepui format`: programs in their canonical form."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

import click

from tepui.cli.model_file import STDIN, ModelPath, bytes_of, source_of
from tepui.errors import UsageError
from tepui.languages import language_named, language_of
from tepui.languages.source import file_error
from tepui.report.terminal.printing import echo, echo_file


@click.command("format")
@click.argument("files", metavar="FILE...", type=ModelPath(), nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change.")
@click.option("--write", "-w", is_flag=True, help="Rewrite the files that would change.")
def command(files: tuple[Path, ...], check: bool, write: bool) -> int:
    """Print programs in their canonical form, or rewrite them.

    FILE is a program (.bp) in braces, or - for standard input. Comments are kept, and so is the
    meaning.

    Exit code: 0 printed, rewritten or nothing to change, 1 --check found a file that would change,
    2 wrong input or use.
    """
    if check and write:
        raise UsageError("--check and --write exclude each other: --check writes nothing")
    if write and any(file is STDIN for file in files):
        raise UsageError("--write rewrites files, and standard input is none: leave --write out")
    # All of them, before anything is written.
    formatted = {file: _formatted(file) for file in files}
    if not (check or write):
        for text in formatted.values():
            echo_file(text)
        return 0
    changing = [file for file, text in formatted.items() if bytes_of(file) != text.encode()]
    for file in changing:
        if write:
            _rewrite(file, formatted[file])
        echo(f"{'rewrote' if write else 'would change'} {file}")
    return 1 if check and changing else 0


def _formatted(file: Path) -> str:
    """The canonical text of a file."""
    source = source_of(file)
    language = language_named("bp") if file is STDIN else language_of(file)
    if language is None or language.format is None:
        raise file_error(file, "expected a program, in a file with the suffix .bp")
    return language.format(source)


def _rewrite(file: Path, text: str) -> None:
    """Replace the text of a file, completely or not at all."""
    final = file.resolve()
    partial = final.with_name(f".tepui-{secrets.token_hex(8)}.tmp")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        shutil.copymode(final, partial)
        partial.replace(final)
    except OSError as error:
        raise UsageError(f"{file}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
