"""Signals at any moment, once or many times: always an orderly end."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.cli import HANGS, HARD
from support.places import EXAMPLES
from support.sizes import sized

psutil = pytest.importorskip("psutil")

LAUNCH = """
import tepui.cli
main = tepui.cli.main
def ready(**options):
    print("ready", flush=True)
    main(**options)
tepui.cli.main = ready
tepui.cli.command_line()
"""
"""Until our code is reached, signals are Python's own business."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

STORMS = 16
ORDERLY = {0, 1, 3, 4}


@pytest.mark.fuzz
def test_a_storm_of_signals_ends_in_order(tmp_path: Path) -> None:
    (tmp_path / "hard.bp").write_text(HARD)
    (tmp_path / "deep.bp").write_text(
        "decl n: int32 := 0; void f() { if (n < 1000000) { n := n + 1; f(); } }\n"
        "void main() { atomic { f(); } assert(n < 0); }\n"
    )
    commands = [
        ["verify", str(EXAMPLES / "bluetooth3.bp")],
        ["verify", str(EXAMPLES / "two-wheels.cpds"), "--json"],
        ["explore", "hard.bp"],
        ["explore", "hard.bp", "--engine", "delay", "--json"],
        ["verify", "deep.bp"],
        ["report", str(EXAMPLES / "bluetooth1.bp"), "-o", "report.html"],
        ["dataflow", str(EXAMPLES / "dataflow" / "figure4.bp"), "--at", "foo:n8"],
    ]
    ended = 0
    for seed in range(sized(STORMS)):
        rng = random.Random(seed)
        command = rng.choice(commands)
        code, out, err = _stormed(command, rng, tmp_path)
        said = f"seed {seed}, {command}: {code}\n{out}\n{err}"
        assert code in ORDERLY, said
        assert "Traceback" not in err, said
        assert "Exception ignored" not in err, said
        ended += code == 3
    assert ended


def _stormed(command: list[str], rng: random.Random, folder: Path) -> tuple[int, str, str]:
    """Send one to thirty signals, beginning when a command has worked for some time."""
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        used = psutil.Process(process.pid).cpu_times
        begun = used().user
        patience = rng.choice([0, 0.05, 0.2, 0.5, 1.0])
        while process.poll() is None and used().user - begun < patience:
            time.sleep(0.002)
        for _ in range(rng.randint(1, 30)):
            if process.poll() is None:
                process.send_signal(rng.choice(SIGNALS))
                time.sleep(rng.choice([0, 0.001, 0.02]))
        out, err = process.communicate(timeout=HANGS)
        return process.returncode, out, err
