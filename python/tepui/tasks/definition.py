"""Task definitions, in the YAML format of BenchExec, versions 0.1 to 2.1.

`input_files` names the model and the files that go with it, `properties` the property files and the
expected verdicts. Among `options`, tepui reads `threads` and `init`, and for Java `entry` and
`classpath`; others may be meant for other tools and are ignored. Names are patterns relative to the
definition.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tepui.errors import UsageError
from tepui.languages.source import Source
from tepui.records import record, replace
from tepui.tasks.task import MODEL_SUFFIXES, Expected, Task, command_for, is_file, is_model
from tepui.tasks.yaml_text import Node, read_yaml

if TYPE_CHECKING:
    from tepui.languages.java.java_options import JavaOptions

VERSIONS = ("0.1", "1.0", "2.0", "2.1")
SUFFIXES = (".yml", ".yaml")


@record
class DefinedProperty:
    """A property of a definition, with the expected verdict."""

    file: Path
    expected: Expected | None
    line: int


@record
class Definition:
    """The content of a task definition."""

    source: Path
    file: Path
    properties: tuple[DefinedProperty, ...] = ()
    threads: tuple[tuple[str, int], ...] = ()
    init: str | None = None
    entries: tuple[str, ...] = ()
    """Where a Java program begins."""
    classpath: tuple[str, ...] = ()

    def completed(self, java: JavaOptions | None) -> JavaOptions | None:
        """What is said about a Java program, completed with what the definition says."""
        if not (self.entries or self.classpath):
            return java
        from tepui.languages.java.java_options import JavaOptions

        java = java or JavaOptions()
        if java.entry is None and len(self.entries) > 1:
            raise UsageError(f"{self.source}: it has several entries, and here one is expected")
        entry = java.entry or next(iter(self.entries), None)
        return replace(java, entry=entry, classpath=(*java.classpath, *self.classpath))

    @property
    def options(self) -> tuple[str, ...]:
        """Its other content, besides the model and its properties, as options of `verify`."""
        counts = [f"{name}={count}" for name, count in self.threads]
        given = [("--threads", count) for count in counts]
        if self.init is not None:
            given.append(("--init", self.init))
        given += [("--entry", entry) for entry in self.entries]
        given += [("--classpath", place) for place in self.classpath]
        return tuple(word for pair in given for word in pair)

    def tasks(self, name: str) -> list[Task]:
        """A task for each property; if there are several, the names of the tasks end with
        theirs."""
        if not self.properties:
            command = command_for(self.file)
            return [Task(name, self.file, None, None, self.options, command, None, self.source, 1)]
        several = len(self.properties) > 1
        return [
            Task(
                f"{name}.{each.file.stem}" if several else name,
                self.file,
                each.file,
                each.expected,
                self.options,
                source=self.source,
                line=each.line,
            )
            for each in self.properties
        ]


_Options = tuple[tuple[tuple[str, int], ...], str | None, tuple[str, ...], tuple[str, ...]]


def is_definition(path: Path) -> bool:
    """Whether the name of a file says that it is a task definition."""
    return path.suffix.lower() in SUFFIXES


def read_definition(path: Path) -> Definition:
    """Read a task definition."""
    document = read_yaml(Source.of_file(path))
    fields = document.fields("a task definition")
    if "format_version" not in fields:
        raise document.error("expected a key format_version, as in format_version: '2.0'")
    version = fields["format_version"].text("a version")
    if version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise fields["format_version"].error(f"unknown version {version}; the known are {known}")
    for key, since in (("options", "2.0"), ("additional_information", "2.1")):
        if key in fields and version < since:
            raise fields[key].error(f"{key} need format_version {since}, and this is {version}")
    if "input_files" not in fields:
        raise document.error("expected a key input_files that names the model")
    file = _model(path, fields["input_files"])
    for name in _given(fields, "required_files"):
        _expand(path, name)
    options = _options(path, fields.get("options"))
    return Definition(path, file, _properties(path, fields.get("properties")), *options)


def looks_like_definition(path: Path) -> bool:
    """Whether a YAML file in a folder looks like a task definition."""
    node = read_yaml(Source.of_file(path))
    if node.node.id != "mapping":
        return False
    keys = {str(key.value) for key, _ in node.node.value}
    return bool(keys & {"input_files", "format_version"})


def expand(pattern: str, folder: Path) -> list[Path]:
    """The files that a pattern stands for, relative to a folder, in order.

    A file with exactly this name goes first: its name may have signs that patterns use.
    """
    if "\0" in pattern:
        return []
    if is_file(folder / pattern) or (folder / pattern).is_dir():
        return [Path(os.path.normpath(folder / pattern))]
    whole = Path(glob.escape(str(folder)), os.path.expandvars(pattern))
    found = sorted(glob.glob(str(whole)))  # noqa: PTH207 - the pattern may be absolute
    return [Path(os.path.normpath(name)) for name in found]


def _model(path: Path, given: Node) -> Path:
    """The model among the input files. Claims about it (.mch) may be there, too; they are not
    used."""
    files = [
        (name, file)
        for name in given.one_or_more("the name of a file, or a list of names")
        for file in _expand(path, name)
    ]
    models = [(name, file) for name, file in files if is_model(file)]
    if not models:
        suffixes = ", ".join(MODEL_SUFFIXES)
        raise given.error(f"expected a model among the input files ({suffixes})")
    if len(models) > 1:
        raise models[1][0].error(
            f"a second model, {models[1][1].name}: tepui verifies one, here {models[0][1].name}"
        )
    model = models[0][1]
    for name, file in files:
        beside = (model, model.with_suffix(".init"), model.with_suffix(".spec"))
        if file not in beside and file.suffix.lower() != ".mch":
            raise name.error(
                f"{file.name} goes with no model: beside {model.name} tepui reads "
                f"{model.stem}.init and {model.stem}.spec"
            )
    return model


def _properties(path: Path, given: Node | None) -> tuple[DefinedProperty, ...]:
    if given is None or given.is_null:
        return ()
    found: list[DefinedProperty] = []
    for item in given.items("a list of properties"):
        fields = item.fields("a property, as in property_file: unreach-call.prp")
        if "property_file" not in fields:
            raise item.error("expected a key property_file")
        name = fields["property_file"]
        files = _expand(path, name)
        if len(files) > 1:
            raise name.error(f"{name.text('a file')} stands for {len(files)} files, expected one")
        if any(files[0] == other.file for other in found):
            raise name.error(f"the property {files[0].name} occurs twice")
        found.append(DefinedProperty(files[0], _expected(fields), item.line))
    return tuple(found)


def _expected(fields: dict[str, Node]) -> Expected | None:
    verdict = fields.get("expected_verdict")
    if "subproperty" in fields:
        fields["subproperty"].text("the name of a property")
    if verdict is None or verdict.is_null:
        return None
    return "safe" if verdict.truth("true or false") else "unsafe"


def _options(path: Path, given: Node | None) -> _Options:
    """The numbers of threads, the initial state, and the entries and the classpath of Java."""
    if given is None or given.is_null:
        return (), None, (), ()
    fields = given.fields("options by their names")
    language = fields.get("language")
    if language is not None and language.text("a language").lower() == "c":
        raise language.error(
            "tepui reads Boolean programs, pushdown systems and Java, not "
            f"{language.text('a language')}"
        )
    counts = fields["threads"].fields("numbers of threads by type") if "threads" in fields else {}
    threads = tuple((name, count.number("a number of threads")) for name, count in counts.items())
    init = fields["init"].text("an initial state") if "init" in fields else None
    entries, places = _given(fields, "entry"), _given(fields, "classpath")
    return (
        threads,
        init,
        tuple(entry.text("the name of a method") for entry in entries),
        tuple(str(file) for name in places for file in _expand(path, name)),
    )


def _given(fields: dict[str, Node], key: str) -> list[Node]:
    node = fields.get(key)
    if node is None or node.is_null:
        return []
    return node.one_or_more("the name of a file, or a list of names")


def _expand(path: Path, name: Node) -> list[Path]:
    """The files that a name in a definition stands for: at least one."""
    pattern = name.text("the name of a file")
    files = expand(pattern, path.parent)
    if not files:
        raise name.error(f"there is no such file: {pattern}")
    return files
