"""How messages name what a user can choose: in the words of Python, or of the command line.

The library speaks Python. The command line replaces these words with its own while a command runs,
as programs do with a locale. Messages are made when they are needed, so all of them, also those in
results and reports, use the words of the interface that started the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from tepui.records import record


@record
class Wording:
    """Names for what can be chosen, and how a name and a value are written together."""

    names: Mapping[str, str]
    with_value: Callable[[str, object], str]


PYTHON = Wording(
    {
        "all": "tepui.verify_all",
        "at": "at",
        "called from": "called_from",
        "check": "tepui.counting.check_net_evidence",
        "classpath": "classpath",
        "convert": "tepui.written_out",
        "deadlock": "tepui.deadlock()",
        "deadlock of a system": "targets=['deadlock']",
        "dot": "graph_dot(graph)",
        "each question": "check(…, questions=…)",
        "engine": "engine",
        "entry": "entry",
        "evidence": "result.subject.write(…)",
        "explore": "tepui.explore",
        "init": "init",
        "jdk": "jdk",
        "language": "tepui.loads(text, language)",
        "max contexts": "Limits(max_contexts=…)",
        "modulus": "modulus",
        "never together": "tepui.never_together",
        "overflow": "tepui.violations(program, 'overflow')",
        "property": "tepui.Property",
        "races": "load(…, races=True)",
        "reach": "tepui.reach",
        "slots": "Options(slots=…)",
        "splitting": "Options(splitting=…)",
        "spurious wakeups": "spurious_wakeups",
        "start": "load_weighted(…, start=…)",
        "target": "targets",
        "target of a weight": "load_weighted(…, target=…)",
        "threads": "threads",
        "unreachable": "tepui.unreachable",
        "verify": "tepui.counting.cover",
        "weigh": "tepui.weighted.weighing.load_weighted",
        "z": "strength",
    },
    lambda name, value: f"{name}={value!r}",
)

_now = PYTHON


def named(what: str) -> str:
    """What the user calls something that can be chosen."""
    return _now.names[what]


def given(what: str, value: object) -> str:
    """How the user writes that choice with a value."""
    return _now.with_value(_now.names[what], value)


@contextmanager
def speaking(wording: Wording) -> Iterator[None]:
    """Make messages in these words meanwhile."""
    global _now
    before, _now = _now, wording
    try:
        yield
    finally:
        _now = before
