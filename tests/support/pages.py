"""A page of the docs, typed and run from its first line to its last.

In the order of the page, in a folder that has nothing but the examples:

- indented lines `$ command` are typed, and print the lines below (see `transcripts`);
- indented lines `tepui …    # remark` are typed, and end as the remark says, if it says so;
- `diff` blocks change files, strictly: every line must be where the diff says;
- blocks below a comment `<!-- NAME -->` are files of this name;
- `python` blocks run, in one interpreter, and print the `text` block below them;
- `json` and `yaml` blocks are read;
- `bp` and `cpds` blocks are read as well, or, below `<!-- from FILE -->`, are a part of that file.

A block below `<!-- fragment -->` is only a part of something, and is left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from support.cli import Completed, call
from support.places import ROOT
from support.transcripts import as_shown, remarks, shell_commands
from tepui import languages

ENDS = {"safe": 0, "unsafe": 1, "unknown": 3, "stopped": 3, "no violation": 4}
"""What a remark may begin with, and the exit code of the command."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command, with what the page shows of its output."""

    command: str
    shown: list[str]


@dataclass(frozen=True, slots=True)
class Remarked:
    """A command, with what the page says about it."""

    command: str
    remark: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block between fences: its language, the comment above it, and the output below it."""

    language: str
    text: str
    comment: str = ""
    output: str | None = None


def actions(page: str) -> Iterator[Typed | Remarked | Block]:
    """What a page tells the reader to type, to save and to run, in its order."""
    fenced = (
        r"^(?:<!-- (?P<comment>.*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```\n"
        r"(?:\n*```text\n(?P<output>.*?)^```\n)?"
    )
    start = 0
    for match in re.finditer(fenced, page, re.DOTALL | re.MULTILINE):
        yield from _commands(page[start : match.start()])
        start = match.end()
        yield Block(match["language"], match["text"], match["comment"] or "", match["output"])
    yield from _commands(page[start:])


def _commands(text: str) -> Iterator[Typed | Remarked]:
    yield from (Typed(*each) for each in shell_commands(text))
    yield from (Remarked(*each) for each in remarks(text))


@dataclass(slots=True)
class Walk:
    """A page as it is typed, in a folder."""

    folder: Path
    done: list[tuple[Typed, Completed]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Where the page and the program disagree."""
    names: dict[str, object] = field(default_factory=dict)

    def through(self, page: str) -> Walk:
        """Do all that the page tells."""
        (self.folder / "examples").symlink_to(ROOT / "examples")
        for action in actions(page):
            self.take(action)
        return self

    def take(self, action: Typed | Remarked | Block) -> None:
        if isinstance(action, Block):
            self._use(action)
        elif isinstance(action, Remarked):
            self._expect(action)
        else:
            done = type_in(self.folder, action.command)
            self.done.append((action, done))
            self._compare(action.command, *as_shown(done.out + done.err, action.shown))

    def _expect(self, action: Remarked) -> None:
        done = type_in(self.folder, f"tepui {action.command}")
        told = re.match(rf"exit code (\d)|{'|'.join(ENDS)}", action.remark)
        code = 0 if told is None else int(told[1]) if told[1] else ENDS[told[0]]
        self._compare(action.command, done.code, code)
        bounds = re.findall(r"(?:with|within) \d+ \w+", action.remark)
        if told is not None and not told[1]:
            self._compare(action.command, [each for each in bounds if each not in done.out], [])

    def _use(self, block: Block) -> None:
        if block.comment == "fragment":
            return
        if block.language == "diff":
            patch(self.folder, block.text)
        elif block.language == "python":
            self._run(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.comment.startswith("from "):
            whole = (self.folder / block.comment.removeprefix("from ")).read_text(encoding="utf-8")
            self._compare(block.comment, block.text in whole, True)
        elif re.fullmatch(r"[\w./-]+\.\w+", block.comment):
            (self.folder / block.comment).write_text(block.text, encoding="utf-8")
        if block.language in ("bp", "cpds") and not block.comment.startswith("from "):
            path = self.folder / f"block.{block.language}"
            path.write_text(block.text, encoding="utf-8")
            self._compare(block.text, languages.load(path).warnings, [])

    def _run(self, block: Block) -> None:
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(io.StringIO()) as out,
            warnings.catch_warnings(),
        ):
            exec(compile(block.text, "page", "exec"), self.names)
        if block.output is not None:
            printed, shown = as_shown(out.getvalue(), block.output.splitlines())
            self._compare(block.text, printed, shown)

    def _compare(self, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            self.wrong.append(f"{what}\n  gives {found}\n  but the page says {wanted}")


def type_in(folder: Path, command: str) -> Completed:
    """Run what a reader types: tepui in this process, anything else in a shell."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    if command.startswith("tepui ") and not {"|", ">", "&&", "||", ";"} & set(words):
        return call(*shlex.split(command)[1:], cwd=folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Completed(done.returncode, done.stdout, done.stderr)


def patch(folder: Path, diff: str) -> None:
    """Apply a unified diff to one file, strictly: every line must be where the diff says."""
    name = re.match(r"--- (\S+)\n\+\+\+ \1\n", diff)
    assert name is not None, diff
    path = folder / name[1]
    lines, changed, at = path.read_text(encoding="utf-8").splitlines(), list[str](), 0
    for hunk in re.finditer(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n((?:[-+ ].*\n)*)", diff):
        first, old, new_first, new = (int(hunk[number]) for number in range(1, 5))
        body = hunk[5].splitlines()
        before = [line[1:] for line in body if line[0] != "+"]
        after = [line[1:] for line in body if line[0] != "-"]
        changed += lines[at : first - 1]
        assert (len(before), len(after), len(changed) + 1) == (old, new, new_first), hunk[0]
        assert lines[first - 1 : first - 1 + old] == before, hunk[0]
        changed += after
        at = first - 1 + old
    path.write_text("\n".join([*changed, *lines[at:], ""]), encoding="utf-8")
