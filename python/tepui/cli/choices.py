"""Options and their choices, with a hint where one of them is misspelt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from tepui.words import did_you_mean, printable, shown


class Choice(click.Choice[str]):
    """One of some words."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if value not in self.choices:
            hint = did_you_mean(value, self.choices)
            self.fail(f"'{shown(value)}' is not one of {', '.join(self.choices)}{hint}", param, ctx)
        return super().convert(value, param, ctx)


def wrong_use(error: click.ClickException) -> click.UsageError:
    """An error of click whose message can be printed, whatever was typed."""
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(error)
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return click.UsageError(printable(error.format_message()), ctx)


def _unknown_option(error: click.NoSuchOption) -> click.UsageError:
    """The same error in our words, with a hint chosen from the options of all commands."""
    name, ctx = error.option_name, error.ctx
    others = _commands_with(name, ctx)
    hint = f"; {shown(name)} is an option of {others}" if others else ""
    likeness = 0.8 if others else 0.6
    hint += did_you_mean(name, _options(ctx.command, ctx) if ctx else [], likeness=likeness)
    return click.UsageError(f"there is no option '{shown(name)}'{hint}", ctx)


def _commands_with(option: str, ctx: click.Context | None) -> str:
    """The other commands that have an option, in words."""
    above = ctx.parent if ctx else None
    if ctx is None or above is None or not isinstance(above.command, click.Group):
        return ""
    group = above.command
    commands = [(name, group.get_command(above, name)) for name in group.list_commands(above)]
    names = [name for name, each in commands if each and option in _options(each, ctx)]
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _options(command: click.Command, ctx: click.Context) -> Iterable[str]:
    parameters = command.get_params(ctx)
    return [name for each in parameters for name in each.opts if name.startswith("-")]
