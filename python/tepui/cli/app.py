"""The commands, put together. A command's module is loaded when the command is used."""

from __future__ import annotations

from importlib import import_module

import click

from tepui import __version__

_COMMANDS = {
    "verify": "Decide whether a bad state is reachable, for any number of contexts.",
    "explore": "Compute the reachable visible states, and where they collapse.",
    "check": "Let the independent checker examine a trace or a certificate.",
    "convert": "Write a system in another format.",
    "inspect": "Show what a file holds.",
    "format": "Write programs in their canonical form.",
    "automaton": "Draw the stacks that a thread reaches, as an automaton.",
    "dataflow": "Find the values, relations or distances that hold at a place of a program.",
    "weigh": "Weigh all runs between two sets of configurations.",
}


class _Commands(click.Group):
    """Loads `tepui.cli.<name>` for the command `<name>`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"tepui.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            known = ", ".join(_COMMANDS)
            ctx.fail(f"there is no command '{args[0]}'; the commands are {known}")
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
