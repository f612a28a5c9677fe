"""The words of the command line for what `tepui.parameter_names` names: options and commands."""

from __future__ import annotations

import shlex

from tepui.parameter_names import Wording

OPTIONS = Wording(
    {
        "all": "--all",
        "at": "--at",
        "called from": "--called-from",
        "convert": "`tepui convert`",
        "deadlock": "--property deadlock",
        "deadlock of a system": "--property deadlock",
        "dot": "--dot",
        "each question": "--all",
        "engine": "--engine",
        "evidence": "--evidence FILE",
        "explore": "`tepui explore`",
        "init": "--init",
        "language": "--language",
        "max contexts": "--max-contexts",
        "never together": "--never-together",
        "property": "--property",
        "reach": "--reach",
        "slots": "--slots",
        "start": "--from",
        "target": "--target",
        "target of a weight": "--to",
        "threads": "--threads",
        "unreachable": "--unreachable",
        "weigh": "`tepui weigh`",
        "z": "--z",
    },
    lambda name, value: f"{name} {shlex.quote(str(value))}",
)
