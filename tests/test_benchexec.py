"""The tool-info module, with the BenchExec package that would load it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cli import FIGURE4
from support.places import EXAMPLES

template = pytest.importorskip("benchexec.tools.template")
util = pytest.importorskip("benchexec.util")
model = pytest.importorskip("benchexec.model")

BaseTool2 = template.BaseTool2
BLUETOOTH = str(EXAMPLES / "bluetooth1.bp")


@pytest.fixture(scope="module")
def tool() -> Any:
    class Config:
        container = False

    _, found = model.load_tool_info("tepui.benchexec", Config())
    return found


@pytest.fixture(scope="module")
def executable(tool: Any) -> str:
    found = tool.executable(
        BaseTool2.ToolLocator(tool_directory=str(Path(sys.executable).parents[1]))
    )
    assert isinstance(found, str)
    return found


def task(*files: str, **rest: Any) -> Any:
    return BaseTool2.Task.with_files(files, **rest)


def limits(**given: int) -> Any:
    return BaseTool2.ResourceLimits(**given)


def test_the_tool_is_found_with_its_version_and_files(tool: Any, executable: str) -> None:
    import tepui

    assert tool.name() == "tepui"
    assert tool.version(executable) == tepui.__version__
    names = {Path(file).name for file in tool.program_files(executable)}
    assert {"bin", "lib"} <= names


def test_a_task_becomes_a_command(tool: Any) -> None:
    asked = task("a.pds", "a.init", "a.mch", property_file="p.prp", options={"init": "0|1"})
    assert tool.cmdline("tepui", ["--z", "off"], asked, limits()) == [
        *("tepui", "verify", "a.pds", "--z", "off", "--init", "0|1"),
        *("--property", "p.prp"),
    ]
    asked = task("a.bp", options={"language": "BP", "threads": {"f": 2}})
    assert tool.cmdline("tepui", [], asked, limits(cputime=100, walltime=50, memory=2**30)) == [
        *("tepui", "verify", "a.bp", "--threads", "f=2", "--timeout", "47.5", "--memory", "996147K")
    ]


def test_limits_that_were_given_are_kept(tool: Any) -> None:
    options = ["--timeout", "5", "--memory", "1G"]
    words = tool.cmdline("tepui", options, task("a.bp"), limits(cputime=100, memory=2**30))
    assert words == ["tepui", "verify", "a.bp", *options]


@pytest.mark.parametrize("files", [["a.bp", "b.bp"], ["a.txt", "b.txt"]])
def test_only_one_model_is_verified(tool: Any, files: list[str]) -> None:
    with pytest.raises(template.UnsupportedFeatureException, match="one model"):
        tool.cmdline("tepui", [], task(*files), limits())


def test_threads_have_to_be_counted_by_name(tool: Any) -> None:
    with pytest.raises(template.UnsupportedFeatureException, match="threads"):
        tool.cmdline("tepui", [], task("a.bp", options={"threads": 3}), limits())


RUNS = {
    (FIGURE4,): "true",
    (BLUETOOTH,): "false",
    (BLUETOOTH, "--contexts", "1"): "unknown(bounded)",
    (BLUETOOTH, "--timeout", "0"): "TIMEOUT",
    (BLUETOOTH, "--memory", "1M"): "OUT OF MEMORY",
    (FIGURE4, "--z", "off", "--max-contexts", "2"): "unknown",
    ("nothing.bp",): "ERROR (input)",
}


@pytest.mark.parametrize("args", RUNS, ids=lambda args: " ".join(args)[-30:])
def test_the_result_of_a_real_run_is_recognised(
    tool: Any, executable: str, args: tuple[str, ...]
) -> None:
    command = tool.cmdline(executable, list(args[1:]), task(args[0]), limits())
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    output = BaseTool2.RunOutput((done.stdout + done.stderr).splitlines(keepends=True))
    code = util.ProcessExitCode.create(value=done.returncode)
    run = BaseTool2.Run(command, code, output, None)
    assert tool.determine_result(run) == RUNS[args]
    killed = BaseTool2.Run(command, util.ProcessExitCode.create(signal=9), output, "walltime")
    assert tool.determine_result(killed) == "TIMEOUT"
    crashed = BaseTool2.Run(command, util.ProcessExitCode.create(signal=9), output, None)
    assert tool.determine_result(crashed) == "ERROR"
    if args == (BLUETOOTH,):
        values = [tool.get_value_from_output(output, name) for name in ("state", "context", "x")]
        assert values == ["55", "3", None]


def test_a_task_definition_means_the_same_to_benchexec_and_to_tepui(tmp_path: Path) -> None:
    from tepui.tasks.definition import read_definition

    (tmp_path / "a.bp").write_text("", encoding="utf-8")
    (tmp_path / "t.yml").write_text(
        "format_version: '2.0'\ninput_files: '[a-c].bp'\noptions: {threads: {f: 2}}\n",
        encoding="utf-8",
    )
    theirs = model.load_task_definition_file(str(tmp_path / "t.yml"))
    files = model.handle_files_from_task_definition(theirs["input_files"], str(tmp_path / "t.yml"))
    ours = read_definition(tmp_path / "t.yml")
    assert [str(ours.file)] == files
    assert dict(ours.threads) == theirs["options"]["threads"]
