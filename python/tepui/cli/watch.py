"""`tepui watch`: which values of some predicates are reachable, and are these all?"""

from __future__ import annotations

from typing import Any, cast

import click

from tepui.cli.arguments import (
    RunFlags,
    SystemFlags,
    json_flag,
    limit_flags,
    load_model,
    run_limits,
    system_flags,
)
from tepui.cli.guard import answered
from tepui.cli.output import echo_json
from tepui.cli.program_options import asked_questions
from tepui.errors import UsageError
from tepui.model import System
from tepui.report.terminal.printing import echo
from tepui.report.terminal.waiting import waiting
from tepui.report.text.paint import joined
from tepui.watching.predicates.predicate_result import PredicateResult
from tepui.watching.predicates.watch_predicates import watch_predicates


@click.command("watch")
@system_flags
@click.option(
    "--predicate",
    "predicates",
    metavar="TEXT",
    multiple=True,
    help="A predicate, such as 's = l', 'count(at critical) >= 2' or 'forall other: mine != "
    "other.mine'. May be given several times.",
)
@click.option(
    "--watched",
    metavar="NAME",
    help="The type of the thread that is watched. By default, the only one that has the local "
    "variables of the predicates.",
)
@click.option(
    "--rounds",
    metavar="R",
    type=click.IntRange(min=1),
    help="Stop before more rounds than this.",
)
@click.option(
    "--most-threads",
    metavar="N",
    type=click.IntRange(min=1),
    help="Where there is any number of threads: go on past plateaus that are not closed, up to N "
    "threads of each such type.",
)
@limit_flags
@json_flag
def command(
    predicates: tuple[str, ...],
    watched: str | None,
    rounds: int | None,
    most_threads: int | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Watch predicates: collect abstract states up to plateaus, and ask whether these are all.

    FILE is a program (.bp), or - for standard input. An abstract state is where one thread is, and
    which predicates hold. A solver decides which statements respect the abstraction, and whether
    the set of abstract states is closed under all of them, for any number of threads if that is
    what the program has.

    Exit code: 0 closed, and nothing bad is reachable, 1 something bad is, 2 wrong input or use,
    3 neither is known, 5 internal error.
    """
    limits = run_limits(cast(RunFlags, {**flags, "max_contexts": None}))
    program = load_model(cast(SystemFlags, flags), "watch")
    if isinstance(program, System):
        raise UsageError(f"{flags['file']} is a pushdown system; watch is for programs (.bp)")
    questions = asked_questions(program, flags)
    with waiting(f"watch {program.name}"):
        seen = watch_predicates(
            program,
            predicates,
            questions,
            watched=watched,
            rounds=rounds,
            most_threads=most_threads,
            limits=limits,
        )
    code = _code(seen)
    answered(code, seen.verdict)
    if as_json:
        echo_json(seen.data())
    else:
        echo(joined(str(seen).split("\n")))
    return code


def _code(seen: PredicateResult) -> int:
    if seen.verdict == "violation":
        return 1
    return 0 if seen.proved else 3
