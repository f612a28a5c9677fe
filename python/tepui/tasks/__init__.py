"""Verification tasks in public formats: a model, a property, and the verdict it should have.

The formats are those of public competitions and benchmark suites: task definitions and property
files as BenchExec reads them, sets of them, and manifests. Nothing here runs a task.
"""

from tepui.tasks.folder import read_tasks
from tepui.tasks.manifest import read_manifest
from tepui.tasks.task import Counts, Expected, Task

__all__ = ["Counts", "Expected", "Task", "read_manifest", "read_tasks"]
