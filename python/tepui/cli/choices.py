"""Options and their choices, with a hint where one of them is misspelt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from tepui.words import did_you_mean, shown


class Choice(click.Choice[str]):
    """One of some words."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if value not in self.choices:
            hint = did_you_mean(value, self.choices)
            self.fail(f"'{shown(value)}' is not one of {', '.join(self.choices)}{hint}", param, ctx)
        return super().convert(value, param, ctx)


def unknown_option(error: click.NoSuchOption) -> click.UsageError:
    """The same error in our words, with a hint chosen from all options of the command."""
    hint = did_you_mean(error.option_name, _options(error.ctx))
    return click.UsageError(f"there is no option '{shown(error.option_name)}'{hint}", error.ctx)


def _options(ctx: click.Context | None) -> Iterable[str]:
    if ctx is None:
        return []
    parameters = ctx.command.get_params(ctx)
    return [name for each in parameters for name in each.opts if name.startswith("-")]
