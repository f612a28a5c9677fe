"""The commands, put together. A command's module is loaded when the command is used.

What all of them have in common is added here: the option --no-color, which may stand before or
after the name of the command. The context of click keeps it, and `report.terminal` asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from tepui import __version__
from tepui.words import did_you_mean, shown

_COMMANDS = {
    "verify": "Decide whether a bad state is reachable, for any number of contexts.",
    "explore": "Compute the reachable visible states, and where they collapse.",
    "check": "Check a trace or a certificate with the independent checker.",
    "convert": "Write a system in another format.",
    "inspect": "Show what a file holds.",
    "format": "Write programs in their canonical form.",
    "automaton": "Draw the stacks that a thread reaches, as an automaton.",
    "dataflow": "Find the values, relations or distances that hold at a place of a program.",
    "watch": "Watch predicates of a program: plateaus, respect and closure.",
    "weigh": "Weigh all runs between two sets of configurations.",
    "report": "Write a report to look at in a browser.",
    "suite": "Run many tasks, keep their outcomes, and compare runs.",
}


def _without_colours(ctx: click.Context, _: click.Parameter, given: Any) -> None:
    if given:
        ctx.color = False


_no_color = click.Option(
    ["--no-color"],
    is_flag=True,
    expose_value=False,
    callback=_without_colours,
    help="Print without colours, as with NO_COLOR=1.",
)


class _Commands(click.Group):
    """Loads `tepui.cli.<name>` for the command `<name>`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"tepui.cli.{cmd_name}").command
        if _no_color not in command.params:
            command.params.append(_no_color)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            known = f"the commands are {', '.join(_COMMANDS)}"
            hint = did_you_mean(args[0], _COMMANDS) or f"; {known}"
            ctx.fail(f"there is no command '{shown(args[0])}'{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Commands,
    name="tepui",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="tepui %(version)s")
def app() -> None:
    """Verify concurrent recursive programs for any number of context switches."""


app.params.append(_no_color)
