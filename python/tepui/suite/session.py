"""A session of a suite: run what is not done yet, and keep each outcome as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import Protocol

from tepui.records import record
from tepui.suite.outcome import Outcome, Ran
from tepui.suite.processes import Job
from tepui.suite.selection import Selected, Settings
from tepui.suite.store import Store, StoredRun

Runner = Callable[[Sequence[Job], Callable[[Job], None]], Generator[tuple[Job, Ran], None, None]]
"""Runs jobs, reports when one begins, and yields each when it ends."""


class Listener(Protocol):
    """Receives what happens in a session."""

    def begins(self, job: Job) -> None:
        """A task starts. Called from any thread."""

    def ended(self, outcome: Outcome) -> None:
        """A task has ended, and its outcome is kept."""


@record
class Plan:
    """The tasks that a session has to run, and those that were done before."""

    todo: tuple[tuple[Selected, str], ...]
    """Tasks, each with the hash of its inputs."""
    done: tuple[Outcome, ...]


def plan(
    selected: Iterable[Selected], store: Store, run: StoredRun, *, retry: bool = False
) -> Plan:
    """Find the tasks that have to be run: those without an outcome, or with one for other inputs.

    With `retry`, those without a verdict are run as well. An outcome that is kept gets the present
    expectation of its task.
    """
    kept = store.outcomes(run)
    todo, done = [], []
    for one in selected:
        inputs, known = one.inputs(), kept.get(one.name)
        if known is None or known.inputs != inputs or (retry and not known.decided):
            todo.append((one, inputs))
            continue
        now = one.outcome(inputs, known.ran)
        if now != known:
            store.keep(run, now)
        done.append(now)
    return Plan(tuple(todo), tuple(done))


def work(
    planned: Plan,
    settings: Settings,
    store: Store,
    run: StoredRun,
    runner: Runner,
    listener: Listener,
) -> None:
    """Run the planned tasks, keep each outcome, and report it."""
    by_name = {one.name: (one, inputs) for one, inputs in planned.todo}
    jobs = [one.job(settings) for one, _ in planned.todo]
    with closing(runner(jobs, listener.begins)) as ending:
        for job, ran in ending:
            one, inputs = by_name[job.name]
            outcome = one.outcome(inputs, ran)
            store.keep(run, outcome)
            listener.ended(outcome)
