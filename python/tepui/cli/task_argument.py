"""A task definition in place of a model: its content becomes options.

Options on the command line replace what the definition says, and `--property NAME.prp` chooses
among its properties.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tepui.cli.output_files import exists
from tepui.errors import UsageError

if TYPE_CHECKING:
    from tepui.tasks.definition import Definition

_ASKING = ("target", "property_name", "unreachable", "never_together", "reach")


def reading_tasks(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command that takes a model take a task definition, too."""

    @functools.wraps(command)
    def reading(*, file: Path, **flags: Any) -> Any:
        if file.suffix.lower() not in (".yml", ".yaml"):
            return command(file=file, **flags)
        from tepui.tasks.definition import read_definition

        _refuse_to_overwrite(file, flags)
        _keep_limits(flags)  # They hold while the definition is read, too.
        return command(**_as_flags(read_definition(file), flags))

    return reading


def _refuse_to_overwrite(file: Path, flags: Mapping[str, Any]) -> None:
    """Refuse to overwrite the definition. Commands protect only the model that they read."""
    for value in flags.values():
        if isinstance(value, Path) and exists(value) and exists(file) and value.samefile(file):
            raise UsageError(f"{value}: this is the task definition, a file that is read")


def _keep_limits(flags: Mapping[str, Any]) -> None:
    from tepui.cli.arguments import RunFlags, run_limits

    if "timeout" in flags:
        run_limits(cast(RunFlags, {"max_contexts": None, **flags}))


def _as_flags(definition: Definition, flags: dict[str, Any]) -> dict[str, Any]:
    """The options, completed with what a definition says."""
    said = {**flags, "file": definition.file}
    given = {text.partition("=")[0] for text in flags["threads"]}
    counts = (f"{name}={count}" for name, count in definition.threads if name not in given)
    said["threads"] = (*flags["threads"], *counts)
    said["init"] = definition.init if flags["init"] is None else flags["init"]
    if "entry" in flags:
        said["entry"] = flags["entry"] or definition.entries
        said["classpath"] = (*flags["classpath"], *definition.classpath)
    if "property_name" in flags:
        said["property_name"] = _properties(definition, flags)
    return said


def _properties(definition: Definition, flags: dict[str, Any]) -> tuple[str, ...]:
    """The properties that `--property` names, or those of the definition if the options ask
    nothing."""
    if any(flags.get(name) for name in _ASKING):
        return tuple(_chosen(definition, name) for name in flags["property_name"])
    return tuple(str(each.file) for each in definition.properties)


def _chosen(definition: Definition, name: str) -> str:
    """A property by the name of its file, with or without its folder."""
    if not name.lower().endswith(".prp"):
        return name
    files = [each.file for each in definition.properties]
    for file in files:
        if Path(name) in (file, Path(file.name)):
            return str(file)
    if Path(name).parent == Path() and not exists(Path(name)):
        raise UsageError(f"--property {name}: {definition.source} {_has(files)}")
    return name


def _has(files: Sequence[Path]) -> str:
    return f"has {', '.join(file.name for file in files)}" if files else "names no properties"
