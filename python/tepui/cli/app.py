"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from tepui import __version__
from tepui.cli import check, convert, explore, inspect, verify

app = typer.Typer(
    name="tepui",
    help="Verify concurrent recursive programs for any number of context switches.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("verify")(verify.command)
app.command("explore")(explore.command)
app.command("check")(check.command)
app.command("convert")(convert.command)
app.command("inspect")(inspect.command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tepui {__version__}")
        raise typer.Exit


@app.callback()
def _tepui(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Verify concurrent recursive programs for any number of context switches."""
