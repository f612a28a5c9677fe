"""The words of the command line for what `tepui.parameter_names` names: options and commands."""

from __future__ import annotations

import shlex

from tepui.parameter_names import Wording


def _option(name: str, value: object) -> str:
    """An option with its value; for several values by name, it is given several times."""
    if isinstance(value, dict):
        return " ".join(_option(name, f"{key}={each}") for key, each in value.items())
    return f"{name} {shlex.quote(str(value))}"


OPTIONS = Wording(
    {
        "all": "--all",
        "at": "--at",
        "called from": "--called-from",
        "check": "`tepui check`",
        "classpath": "--classpath",
        "convert": "`tepui convert`",
        "deadlock": "--property deadlock",
        "deadlock of a system": "--property deadlock",
        "dot": "--dot",
        "each question": "--all",
        "engine": "--engine",
        "entry": "--entry",
        "evidence": "--evidence FILE",
        "explore": "`tepui explore`",
        "init": "--init",
        "jdk": "--jdk",
        "language": "--language",
        "max contexts": "--max-contexts",
        "modulus": "--modulus",
        "never together": "--never-together",
        "overflow": "--property overflow",
        "property": "--property",
        "races": "--property race",
        "reach": "--reach",
        "slots": "--slots",
        "splitting": "--splitting",
        "spurious wakeups": "--spurious-wakeups",
        "start": "--from",
        "target": "--target",
        "target of a weight": "--to",
        "threads": "--threads",
        "unreachable": "--unreachable",
        "verify": "`tepui verify`",
        "weigh": "`tepui weigh`",
        "z": "--z",
    },
    _option,
)
