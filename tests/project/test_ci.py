"""`.ci/run`: which folder of public benchmarks the tests use."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.places import ROOT


@pytest.mark.parametrize("given", [None, "", "elsewhere"])
@pytest.mark.parametrize("beside", [False, True])
def test_benchmarks_beside_the_repository_are_used_unless_others_are_named(
    tmp_path: Path, given: str | None, beside: bool
) -> None:
    shared = tmp_path / "shared" / "benchmarks"
    if beside:
        shared.mkdir(parents=True)
    expected = given if given is not None else str(shared) if beside else None
    assert _benchmarks(tmp_path, given) == expected


def _benchmarks(folder: Path, given: str | None) -> str | None:
    """What `make test` would see, in a repository in this folder."""
    repository = folder / "repository"
    (repository / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", repository / ".ci" / "run")
    make = folder / "bin" / "make"
    make.parent.mkdir()
    make.write_text('#!/bin/sh\necho "$1 in $PWD: ${TEPUI_BENCHMARKS-nothing}"\n')
    make.chmod(0o755)
    environment = {**os.environ, "PATH": f"{make.parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("TEPUI_BENCHMARKS", None)
    if given is not None:
        environment["TEPUI_BENCHMARKS"] = given
    done = subprocess.run(
        [repository / ".ci" / "run"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    said = done.stdout.removeprefix(f"test in {repository}: ").rstrip("\n")
    return None if said == "nothing" else said
