"""The commands that check the evidence of a report again, with the options as they were typed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tepui.report.markup import Html, element, joined
from tepui.report.report_input import ReportInput


def check_commands_html(data: ReportInput) -> Html | None:
    """The commands that write the evidence to a file and check it; None if there is no evidence."""
    if data.file is None or not any(result.grounds is not None for result in data.results):
        return None
    several = ["--all"] if len(data.results) > 1 else []
    model, typed = _typed(data)
    run = [word for option in typed if _name(option) not in _OF_OUTPUT for word in option]
    asked = [word for option in typed if _name(option) in _OF_QUESTIONS for word in option]
    names = ["evidence.json"]
    if several:
        names = [
            f"evidence-{number}.json"
            for number, result in enumerate(data.results, start=1)
            if result.grounds is not None
        ]
    commands = [["verify", model, *run, *several, "--evidence", "evidence.json"]]
    commands += [["check", model, *asked, *several, name] for name in names[:_SHOWN]]
    lines = [shlex.join(("tepui", *command)) for command in commands]
    text = "The first command writes the evidence to a file, the others check it."
    return joined(
        element("p", text), element("pre", element("code", "\n".join(lines)), tabindex="0")
    )


def values_of(option: str) -> int:
    """How many values an option takes."""
    if not option.startswith("--"):
        return int(option.endswith("o"))
    if "=" in option or option in _WITHOUT_VALUE:
        return 0
    return 2 if option == "--never-together" else 1


_SHOWN = 3
"""The largest number of evidence files that get a command."""

_OF_QUESTIONS = frozenset(
    {
        "--language",
        "--entry",
        "--classpath",
        "--jdk",
        "--spurious-wakeups",
        "--init",
        "--threads",
        "--target",
        "--property",
        "--unreachable",
        "--never-together",
        "--reach",
    }
)
"""Options about the model and the questions."""

_OF_OUTPUT = frozenset(
    {
        "--all",
        "--traces",
        "--stacks",
        "--no-check",
        "--no-color",
        "--proof",
        "--json",
        "--markers",
        "--markers-to",
        "--quiet",
        "--open",
        "--output",
        "--report",
        "--sarif",
        "--witness",
        "--evidence",
    }
)
"""Options about output."""

_WITH_VALUE = {"--evidence", "--markers-to", "--output", "--report", "--sarif", "--witness"}

_WITHOUT_VALUE = _OF_OUTPUT - _WITH_VALUE | {
    "--no-liveness",
    "--all-values",
    "--no-fusion",
    "--spurious-wakeups",
}


def _typed(data: ReportInput) -> tuple[str, list[list[str]]]:
    """The file on the command line, which may be a task definition, and the options with their
    values, as they were typed."""
    words, file = list(data.arguments), str(data.file)
    if data.command not in words:
        return file, []
    rest, options = words[words.index(data.command) + 1 :], []
    while rest:
        word = rest.pop(0)
        if word == "-" or not word.startswith("-"):
            file = word
            continue
        count = values_of(word)
        options.append([word, *rest[:count]])
        del rest[:count]
    return file, options


def _name(option: Sequence[str]) -> str:
    """The name of an option. All short ones are about output."""
    name = option[0].partition("=")[0]
    return name if name.startswith("--") else "--output"
