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
"""Runs jobs, says which one begins, and gives each as it ends."""


class Listener(Protocol):
    """Who is told what happens."""

    def begins(self, job: Job) -> None:
        """A task starts. Called from any thread."""

    def ended(self, outcome: Outcome) -> None:
        """A task has ended, and its outcome is kept."""


@record
class Plan:
    """What a session has to do, and what was done before."""

    todo: tuple[tuple[Selected, str], ...]
    """Tasks, each with the hash of its inputs."""
    done: tuple[Outcome, ...]


def plan(
    selected: Iterable[Selected], store: Store, run: StoredRun, *, retry: bool = False
) -> Plan:
    """Which tasks have to be run: those without an outcome, or with one for other inputs.

    To retry is to run those without a verdict as well. An outcome that is kept gets the expectation
    that its task has now.
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
    """Run what is to be done, keep each outcome, and tell of it."""
    by_name = {one.name: (one, inputs) for one, inputs in planned.todo}
    jobs = [one.job(settings) for one, _ in planned.todo]
    with closing(runner(jobs, listener.begins)) as ending:
        for job, ran in ending:
            one, inputs = by_name[job.name]
            outcome = one.outcome(inputs, ran)
            store.keep(run, outcome)
            listener.ended(outcome)
