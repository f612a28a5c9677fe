"""How to check a report again: the commands, with what was typed of model, questions and run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from tepui.report.page.markup import Html, element, joined
from tepui.report.told import Told


def again_html(told: Told) -> Html | None:
    """The commands with which the evidence is written down and checked again."""
    if told.file is None or not any(result.make_evidence for result in told.results):
        return None
    several = ["--all"] if len(told.results) > 1 else []
    typed = _typed(told)
    model = [str(told.file)]
    run, asked = _without(typed, _OF_OUTPUT), _only(typed, _OF_QUESTIONS)
    names = ["evidence.json"]
    if several:
        names = [
            f"evidence-{number}.json"
            for number, result in enumerate(told.results, start=1)
            if result.make_evidence
        ]
    commands = [["verify", *model, *run, *several, "--evidence", "evidence.json"]]
    commands += [["check", *model, *asked, *several, name] for name in names[:_SHOWN]]
    lines = [shlex.join(("tepui", *command)) for command in commands]
    text = "The first command writes the evidence down, the next lets the checker examine it."
    return joined(
        element("p", text), element("pre", element("code", "\n".join(lines)), tabindex="0")
    )


_SHOWN = 3
"""How many files with evidence are named."""

_OF_QUESTIONS = {
    "--init": 1,
    "--threads": 1,
    "--target": 1,
    "--property": 1,
    "--unreachable": 1,
    "--never-together": 2,
    "--reach": 1,
}
"""Options that say what is asked about which model, with the number of their values."""

_OF_OUTPUT = {
    "--all": 0,
    "--traces": 0,
    "--stacks": 0,
    "--no-check": 0,
    "--json": 0,
    "--quiet": 0,
    "-q": 0,
    "--open": 0,
    "--output": 1,
    "-o": 1,
    "--report": 1,
    "--sarif": 1,
    "--witness": 1,
    "--evidence": 1,
}
"""Options that say what to do with answers, with the number of their values."""


def _typed(told: Told) -> list[list[str]]:
    """The options of the command as they were typed, each with its values. What is neither an
    option of these lists nor its value stands by itself; the model is left out."""
    words = list(told.arguments)
    if told.command not in words:
        return []
    rest = words[words.index(told.command) + 1 :]
    found = []
    while rest:
        word = rest.pop(0)
        count = (_OF_QUESTIONS | _OF_OUTPUT).get(word, 0)
        found.append([word, *rest[:count]])
        del rest[:count]
    model = [str(told.file)]
    return [option for option in found if option != model]


def _without(options: list[list[str]], names: Mapping[str, int]) -> list[str]:
    return [word for one in options if one[0].partition("=")[0] not in names for word in one]


def _only(options: list[list[str]], names: Mapping[str, int]) -> list[str]:
    return [word for one in options if one[0].partition("=")[0] in names for word in one]
