"""Tasks on many machines, with Dask. Workers do what this machine would do, in the same way.

The files of a task are sent along with it, since a worker may not share our disk. A task whose
worker is lost is tried again by Dask's scheduler, and given up when that has happened too often.
Tasks that waited at the same worker are then given up as well, so each is tried once more alone.
A worker ends a task that the scheduler has dropped, as it does when the suite is gone.
Dask is an extra (`tepui[cluster]`); nothing of it is loaded unless it is asked for.
"""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tepui import __version__
from tepui.errors import UsageError
from tepui.records import record
from tepui.suite.outcome import Ran
from tepui.suite.processes import Job, run_job

CONNECT_SECONDS = 30
"""How long to wait for the scheduler, and for a first worker."""

_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")

_LOCAL_LOSSES = 2
"""The number of our own workers that a task may lose before it is blamed."""

_LOST = Ran("crashed", 0.0, detail="every worker that tried it was lost")

_DROPPED = UsageError(
    "the scheduler has dropped the tasks or is gone; what has ended is kept, and the same command "
    "continues"
)


@record
class Parcel:
    """A task with its files, on the way to a worker."""

    topic: str
    """The topic under which its start is reported."""
    job: Job
    root: str
    """The folder of the files on this machine."""
    contents: tuple[tuple[str, bytes], ...]
    """Each file by its path below that folder."""
    version: str


def run_on_cluster(
    address: str, workers: int, jobs: Sequence[Job], begin: Callable[[Job], None]
) -> Generator[tuple[Job, Ran], None, None]:
    """Run tasks on the workers of a scheduler, or of one that is started here for `local`."""
    distributed = _distributed()
    topic = f"tepui-{uuid.uuid4().hex}"
    by_name = {job.name: job for job in jobs}
    with _client(distributed, address, workers) as client:
        client.subscribe_topic(topic, lambda event: begin(by_name[event[1]]))
        suspects = []
        for job, ran in _results(distributed, client, topic, jobs):
            if ran is None:
                suspects.append(job)
            else:
                yield job, ran
        for suspect in suspects:
            for job, ran in _results(distributed, client, topic, [suspect]):
                yield job, ran or _LOST


def run_at_worker(parcel: Parcel) -> Ran | None:
    """Run a task on a worker, unless or until it is not wanted any more."""
    import distributed

    worker = distributed.get_worker()
    key = worker.get_current_task()
    if parcel.version != __version__:
        raise UsageError(
            f"the worker {worker.address} has tepui {__version__}, and the suite is run by "
            f"{parcel.version}"
        )
    worker.log_event(parcel.topic, parcel.job.name)

    def dropped() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return run_parcel(parcel, dropped)


def run_parcel(parcel: Parcel, stopped: Callable[[], bool] = lambda: False) -> Ran | None:
    """Unpack a task, and run it."""
    with tempfile.TemporaryDirectory(prefix="tepui-task-") as folder:
        places = {}
        for relative, content in parcel.contents:
            place = Path(folder) / relative
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            places[str(Path(parcel.root) / relative)] = str(place)
        arguments = tuple(places.get(text, text) for text in parcel.job.arguments)
        job = replace(parcel.job, arguments=arguments, files=())
        ran = run_job(job, stopped)
        return ran and replace(ran, detail=ran.detail.replace(folder, parcel.root))


def pack(topic: str, job: Job) -> Parcel:
    """A task with the contents of its files."""
    root = os.path.commonpath([file.parent for file in job.files])
    contents = tuple((os.path.relpath(file, root), file.read_bytes()) for file in job.files)
    return Parcel(topic, job, root, contents, __version__)


def _results(
    distributed: Any, client: Any, topic: str, jobs: Sequence[Job]
) -> Iterator[tuple[Job, Ran | None]]:
    """Submit a few more tasks than there are workers, and another one for each that has ended.

    None stands for a task that has lost its workers, or that waited with such a task.
    """
    waiting = iter(jobs)
    names: dict[str, Job] = {}
    ended = distributed.as_completed(loop=client.loop)

    def submit() -> tuple[Job, Ran] | None:
        """The next task: submitted, or over at once because it cannot be read."""
        job = next(waiting, None)
        if job is None:
            return None
        try:
            parcel = pack(topic, job)
        except OSError as error:
            return job, Ran("error", 0.0, detail=f"{error.filename}: {error.strerror}")
        future = client.submit(run_at_worker, parcel, pure=False)
        names[future.key] = job
        ended.add(future)
        return None

    left = len(jobs)
    while left:
        while len(names) < min(left, 2 * _places(client) + 2):
            over = submit()
            if over is not None:
                left -= 1
                yield over
        if not names:
            continue
        future = next(ended)
        job = names.pop(future.key)
        ran = _ran(distributed, future)
        left -= 1
        yield job, ran


def _places(client: Any) -> int:
    """How many tasks can run at the same time."""
    try:
        return sum(client.nthreads().values())
    except OSError:
        raise _DROPPED from None


def _ran(distributed: Any, future: Any) -> Ran | None:
    try:
        ran: Ran | None = future.result()
    except distributed.KilledWorker:
        return None
    except UsageError:
        raise
    except distributed.CancelledError:
        raise _DROPPED from None
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"a worker could not run a task, is tepui there? {reason}") from error
    if ran is None:
        raise _DROPPED
    return ran


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise UsageError(
            "--cluster needs Dask, which is not installed: pip install 'tepui[cluster]'"
        ) from None
    return distributed


@contextmanager
def _client(distributed: Any, address: str, workers: int) -> Iterator[Any]:
    """A connection to a scheduler that has a worker."""
    scheme, found, _ = address.partition("://")
    if found and scheme not in _SCHEMES:
        raise UsageError(
            f"--cluster {address}: expected local, or an address such as tcp://host:8786"
        )
    # Dask's log is silenced: our own messages say what matters.
    for logger in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        target: Any = address
        if address == "local":
            target = stack.enter_context(_local_cluster(distributed, workers))
        try:
            client = stack.enter_context(
                distributed.Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
            )
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                f"--cluster {address}: there is no scheduler of Dask with a worker: {error}"
            ) from None
        yield client


@contextmanager
def _local_cluster(distributed: Any, workers: int) -> Iterator[Any]:
    """Workers on this machine. Ctrl-C is meant for this process, which ends them."""
    import dask

    losses = {"distributed.scheduler.allowed-failures": _LOCAL_LOSSES}
    main = threading.current_thread() is threading.main_thread()
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    with dask.config.set(losses):
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs="CRITICAL",
            )
        finally:
            if main:
                signal.signal(signal.SIGINT, usual)
        with cluster:
            yield cluster
