"""How BenchExec runs tepui: a tool-info module, named in a benchmark as `tool="tepui.benchexec"`.

It needs BenchExec 3.3 or newer, unlike tepui itself. From a task definition it passes on the model,
the property file, and the options `threads` and `init`. Limits are passed on as well, a little
smaller, so that tepui ends by itself and says what it has found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from benchexec import result  # type: ignore[import-untyped]
from benchexec.tools.template import (  # type: ignore[import-untyped]
    BaseTool2,
    UnsupportedFeatureException,
)

from tepui.tasks.task import MODEL_SUFFIXES

_SHARE = 0.95
"""How much of a limit tepui uses before it ends by itself."""


class Tool(BaseTool2):  # type: ignore[misc]
    """Tool info for tepui, a verifier for concurrent recursive programs."""

    REQUIRED_PATHS = ("bin", "lib", "pyvenv.cfg")
    """The virtual environment in which tepui is installed."""

    def name(self) -> str:
        return "tepui"

    def executable(self, tool_locator: BaseTool2.ToolLocator) -> str:
        return str(tool_locator.find_executable("tepui", subdir="bin"))

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="tepui "))

    def program_files(self, executable: str) -> list[str]:
        return list(
            self._program_files_from_executable(executable, self.REQUIRED_PATHS, parent_dir=True)
        )

    def cmdline(
        self,
        executable: str,
        options: Sequence[str],
        task: BaseTool2.Task,
        rlimits: BaseTool2.ResourceLimits,
    ) -> list[str]:
        words = [executable, "verify", _model(task), *options, *_task_options(task)]
        if task.property_file:
            words += ["--property", task.property_file]
        seconds = [limit for limit in (rlimits.cputime, rlimits.walltime) if limit]
        if seconds and "--timeout" not in options:
            words += ["--timeout", f"{min(seconds) * _SHARE:g}"]
        if rlimits.memory and "--memory" not in options:
            words += ["--memory", f"{int(rlimits.memory * _SHARE) // 1024}K"]
        return words

    def determine_result(self, run: BaseTool2.Run) -> str:
        if run.was_timeout:
            return str(result.RESULT_TIMEOUT)
        if run.exit_code.value == 3:
            return _why_unknown(run.output)
        return str(_RESULTS.get(run.exit_code.value, result.RESULT_ERROR))

    def get_value_from_output(self, output: BaseTool2.RunOutput, identifier: str) -> str | None:
        """A number that tepui prints, by the word after it: `states`, `visible`, `contexts`."""
        number = re.compile(rf"([\d,]+|∞) {re.escape(identifier)}s?\b")
        for line in output:
            found = number.search(line)
            if found is not None:
                return found[1].replace(",", "")
        return None


def _model(task: BaseTool2.Task) -> str:
    """The model among the input files; the others are found beside it."""
    files = [str(file) for file in task.input_files]
    suffixes = {PurePath(file).suffix.lower() for file in files}
    own = [one for one in MODEL_SUFFIXES if one != ".spec" or ".pds" not in suffixes]
    models = [file for file in files if PurePath(file).suffix.lower() in own]
    if len(files) == 1:
        return files[0]
    if len(models) != 1:
        raise UnsupportedFeatureException(
            f"tepui verifies one model ({', '.join(MODEL_SUFFIXES)}) at a time, not {len(models)}"
        )
    return models[0]


def _task_options(task: BaseTool2.Task) -> list[str]:
    """What the task definition says besides its files."""
    words: list[str] = []
    options: Any = task.options
    if not isinstance(options, Mapping):
        return words
    threads = options.get("threads") or {}
    if not isinstance(threads, Mapping):
        raise UnsupportedFeatureException("threads: expected numbers of threads by type")
    for name, count in threads.items():
        words += ["--threads", f"{name}={count}"]
    if options.get("init") is not None:
        words += ["--init", str(options["init"])]
    return words


def _why_unknown(output: BaseTool2.RunOutput) -> str:
    """Distinguishes the limits that tepui has kept by itself from other reasons for «unknown»."""
    if output.any_line_contains("time limit"):
        return str(result.RESULT_TIMEOUT)
    if output.any_line_contains("memory limit"):
        return "OUT OF MEMORY"
    return str(result.RESULT_UNKNOWN)


_RESULTS = {
    0: result.RESULT_TRUE_PROP,
    1: result.RESULT_FALSE_PROP,
    2: "ERROR (input)",
    4: f"{result.RESULT_UNKNOWN}(bounded)",
}
"""By exit code."""
