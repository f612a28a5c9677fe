"""`tepui suite --cluster`: real workers of Dask run the tasks, and some are lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.cli import HANGS, TEPUI, Completed, call, run
from support.samples.suites import COUNTS, ENDLESS, EXPLORED, FOREVER, SAFE, UNSAFE, write_suite
from tepui.errors import UsageError
from tepui.suite import cluster
from tepui.suite.cluster import pack, run_on_cluster, run_parcel
from tepui.suite.processes import Job
from tepui.suite.selection import Settings, select

pytest.importorskip("distributed")

pytestmark = pytest.mark.xdist_group("cluster")
"""One scheduler for all of them."""

SCHEDULER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp",
                      dashboard_address=None, silence_logs="CRITICAL") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler with two workers, in a process of their own and in another folder."""
    with _scheduler(tmp_path_factory.mktemp("scheduler")) as found:
        yield found


@contextmanager
def _scheduler(folder: Path) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def test_workers_run_the_tasks_and_lost_files_are_no_trouble(address: str, tmp_path: Path) -> None:
    folder = write_suite(
        tmp_path / "m",
        {
            "a": (SAFE, "safe"),
            "b": (UNSAFE, "unsafe"),
            "c": (EXPLORED, COUNTS),
            "broken": ("initial\n", "safe"),
        },
    )
    done = _run_on(address, tmp_path, "--json")
    assert (done.code, done.err) == (3, "")
    found = {each["task"]: each for each in json.loads(done.out)["outcomes"]}
    assert {task: each["judgement"] for task, each in found.items()} == {
        "m/a": "correct",
        "m/b": "correct",
        "m/c": "correct",
        "m/broken": "failed",
    }
    assert f"{folder / 'broken.cpds'}:1:8: expected" in found["m/broken"]["detail"]
    here = call("suite", "m", "--json", cwd=tmp_path)
    assert here.json["outcomes"] == json.loads(done.out)["outcomes"]


def test_tasks_on_a_cluster_end_when_the_suite_is_stopped(address: str, tmp_path: Path) -> None:
    endless = f"endless-{os.getpid()}"
    write_suite(tmp_path / "m", {"a": (UNSAFE, "unsafe"), endless: (ENDLESS, "safe")})
    with subprocess.Popen(
        [TEPUI, "suite", "m", "--cluster", address, *FOREVER],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert "m/a" in process.stdout.readline()
        _wait_for(endless, running=True)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 3
    assert out.startswith("1 task: 1 correct\n")
    assert err.startswith("stopped after 1 of 2 tasks; what has ended is kept")
    assert len(err.splitlines()) == 1
    _wait_for(endless, running=False)


def test_one_is_told_which_tasks_begin_on_a_cluster(address: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    jobs = [
        Job(name, (), (tmp_path / "file",), program=("-c", "raise SystemExit(2)")) for name in "ab"
    ]
    begun: list[str] = []
    ended = [
        job.name for job, _ in run_on_cluster(address, 1, jobs, lambda job: begun.append(job.name))
    ]
    assert sorted(begun) == sorted(ended) == ["a", "b"]


def test_a_scheduler_that_is_lost_is_a_sentence(tmp_path: Path) -> None:
    """The parent of the task below is the worker, which here is the scheduler as well."""
    (tmp_path / "file").touch()
    killer = Job("killer", (), (tmp_path / "file",), program=("-c", KILL_THE_PARENT))
    with (
        _scheduler(tmp_path) as found,
        pytest.raises(UsageError, match="dropped the tasks or is gone; what has ended is kept"),
    ):
        list(run_on_cluster(found, 1, [killer], lambda job: None))


KILL_THE_PARENT = "import os; os.kill(os.getppid(), 9)"


def test_a_local_cluster_survives_a_task_that_takes_its_workers_along(tmp_path: Path) -> None:
    """The others wait at the same worker, and are not to blame."""
    program = f"""
from pathlib import Path
from tepui.suite import cluster
from tepui.suite.processes import Job
if __name__ == "__main__":
    here = (Path(__file__),)
    cluster._LOCAL_LOSSES = 0
    killer = Job("killer", (), here, program=("-c", {KILL_THE_PARENT!r}))
    quick = Job("quick", (), here, program=("-c", "raise SystemExit(2)"))
    jobs = [killer, quick, quick]
    for job, ran in cluster.run_on_cluster("local", 1, jobs, lambda job: None):
        print(job.name, ran.answer, ran.detail)
"""
    (tmp_path / "p.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "p.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert sorted(done.stdout.splitlines()) == [
        "killer crashed every worker that tried it was lost",
        "quick error ",
        "quick error ",
    ]
    assert done.returncode == 0


def test_a_task_travels_with_all_its_files(tmp_path: Path) -> None:
    models = write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    (models / "p.prp").write_text("CHECK( init(main()), LTL(G ! deadlock) )\n")
    (one,) = select([models])
    job = one.job(Settings(timeout="9", seconds=9.0))
    job = Job(job.name, job.arguments, (*job.files, models / "p.prp"), 9.0)
    parcel = pack("session", job)
    assert [name for name, _ in parcel.contents] == ["a.cpds", "p.prp"]
    for file in models.iterdir():
        file.unlink()
    ran = run_parcel(parcel)
    assert ran is not None
    assert ran.answer == "safe"


def test_a_worker_with_another_tepui_is_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    monkeypatch.setattr(cluster, "__version__", "0.0.0")
    done = call("suite", "m", "--cluster", address, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert re.match(
        r"error: the worker tcp://\S+ has tepui \S+, and the suite is run by 0", done.err
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tcp://127.0.0.1:1", "there is no scheduler of Dask"),
        ("nonsense://x", "expected local, or an"),
    ],
)
def test_a_cluster_that_is_not_there_is_a_sentence(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    done = call("suite", "m", "--cluster", given, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: --cluster {given}: {said}")
    assert len(done.err.splitlines()) == 1


def test_without_dask_a_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(tmp_path / "m", {"a": (SAFE, "safe")})
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("suite", "m", "--cluster", "local", cwd=tmp_path)
    assert done.code == 2
    assert "pip install 'tepui[cluster]'" in done.err


def test_nothing_of_dask_is_loaded_by_a_suite_here() -> None:
    program = "import sys, tepui.cli.suite; print({'dask', 'distributed'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def _run_on(address: str, folder: Path, *more: str) -> Completed:
    return run("suite", "m", "--cluster", address, *more, cwd=folder)


def _wait_for(task: str, *, running: bool) -> None:
    """Wait until a task is running on a worker, or is not any more."""
    end = time.monotonic() + HANGS
    while _runs(task) != running:
        assert time.monotonic() < end
        time.sleep(0.01)


def _runs(task: str) -> bool:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(b"tepui-task-" in word and task.encode() in word for word in words):
                return True
    return False
