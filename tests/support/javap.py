"""What `javap -v -p` says about class files, as data to compare with.

It prints the constants by themselves, and instructions with numbers of constants. Here the numbers
are looked up among the constants as they were printed, so nothing depends on how our reader does
it. A constant is a tuple that begins with its tag; texts are as javap escapes them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Shown = tuple[Any, ...]


@dataclass
class ShownMember:
    """A field, a method, or a component of a record."""

    name: str
    descriptor: str = ""
    flags: int = 0
    constant: str | None = None
    stack: tuple[int, int] | None = None
    instructions: list[Shown] = field(default_factory=list)
    """Places, names and operands, as they are printed; constants are looked up."""
    handlers: list[tuple[int, int, int, str | None]] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)
    variables: list[tuple[int, int, str, str, int]] = field(default_factory=list)


@dataclass
class ShownClass:
    """A class as javap describes it."""

    file: str
    numbers: dict[str, int] = field(default_factory=dict)
    """Versions, flags, and the numbers of the class, its superclass, its interfaces."""
    constants: dict[int, tuple[str, str]] = field(default_factory=dict)
    members: list[ShownMember] = field(default_factory=list)
    components: list[ShownMember] = field(default_factory=list)
    is_record: bool = False
    source_file: str | None = None
    nest_host: str | None = None
    inner_classes: list[Shown] = field(default_factory=list)
    bootstrap_methods: list[tuple[Shown, list[Shown]]] = field(default_factory=list)

    def constant(self, number: int) -> Shown:
        """A constant with all that it refers to."""
        tag, text = self.constants[number]
        if tag in ("Utf8", "Integer", "Float", "Long", "Double"):
            return tag, text.removesuffix("l") if tag == "Long" else text
        parts = [part.strip() for part in text.split("//")[0].strip().replace(":", ".").split(".")]
        found: list[Any] = [tag]
        for part in parts:
            if not part.startswith("#"):
                found.append(int(part))
            elif tag in ("InvokeDynamic", "Dynamic") and len(found) == 1:
                found.append(int(part[1:]))
            else:
                found.append(self.constant(int(part[1:])))
        return tuple(found)


def javap(paths: Sequence[Path], program: str | Path = "javap") -> list[ShownClass]:
    """What javap says about these files."""
    command = [program, "-J-Dfile.encoding=UTF-8", "-J-Dstdout.encoding=UTF-8", "-v", "-p", *paths]
    done = subprocess.run(command, capture_output=True)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-500:] + done.stderr.decode("utf-8", "replace")
    parts = re.split(r"^Classfile ", text, flags=re.M)[1:]
    assert len(parts) == len(paths)
    return [_class(part.split("\n")) for part in parts]


def _class(lines: list[str]) -> ShownClass:
    shown = ShownClass(lines[0])
    start = lines.index("Constant pool:")
    end = lines.index("{", start)
    close = lines.index("}", end)
    for line in lines[:start]:
        _header(line, shown)
    for line in lines[start + 1 : end]:
        match = re.match(r" *#(\d+) = (\w+) {0,15}(.*)", line)
        if match:
            shown.constants[int(match[1])] = match[2], match[3]
    for header, inside in _blocks(lines[end + 1 : close]):
        shown.members.append(_member(header, inside, shown))
    _attributes(lines[close + 1 :], shown)
    return shown


def _header(line: str, shown: ShownClass) -> None:
    match = re.match(r"  (\w+)(?: version)?: \(?#?(\w+)", line)
    if match and match[1] != "Last":
        shown.numbers[match[1]] = int(match[2], 0)
        found = re.match(r"  interfaces: (\d+), fields: (\d+), methods: (\d+)", line)
        if found:
            names = ("interfaces", "fields", "methods")
            shown.numbers |= dict(zip(names, map(int, found.groups()), strict=True))


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The headers of members, each with the lines that belong to it."""
    header = ""
    inside: list[str] = []
    for line in lines:
        if re.match(r"  \S", line):
            if header:
                yield header, inside
            header, inside = line, []
        else:
            inside.append(line)
    if header:
        yield header, inside


def _member(header: str, lines: list[str], shown: ShownClass) -> ShownMember:
    text = header.strip().rstrip(";")
    before = text.partition("(")[0].split()
    member = ShownMember("<clinit>" if text == "static {}" else before[-1])
    own = shown.constant(shown.numbers["this_class"])[1][1].replace("/", ".")
    modifiers = {"public", "protected", "private"}
    words = [word for word in before[:-1] if word not in modifiers and not word.startswith("<")]
    if "(" in text and member.name == own and not words:
        member.name = "<init>"
    section = ""
    cases: list[tuple[str, int]] | None = None
    for line in lines:
        heading = re.match(
            r" {4,6}([A-Z][\w ]*):(?: length = .*| number_of_entries.*| #.*)?$", line
        )
        if heading and cases is None:
            section = heading[1]
        elif section == "" or re.match(r"    \S", line):
            _property(line, member)
        elif section == "Code":
            cases = _code(line, member, cases, shown)
        else:
            _table(section, line, member)
    return member


def _property(line: str, member: ShownMember) -> None:
    key, _, value = line.strip().partition(": ")
    if key == "descriptor":
        member.descriptor = value
    elif key == "flags":
        member.flags = int(value[1:7], 16)
    elif key == "ConstantValue":
        member.constant = value


def _code(
    line: str, member: ShownMember, cases: list[tuple[str, int]] | None, shown: ShownClass
) -> list[tuple[str, int]] | None:
    """A line of code; the cases of a switch are collected until it ends."""
    match = re.match(r" *stack=(\d+), locals=(\d+), args_size=", line)
    if match:
        member.stack = int(match[1]), int(match[2])
        return None
    if cases is not None:
        if line.strip() == "}":
            return None
        value, _, target = line.strip().partition(": ")
        cases.append((value, int(target)))
        return cases
    match = re.match(r" *(\d+): (\w+) *(.*?) *(?://.*)?$", line)
    if not match:
        assert not line.strip(), line
        return None
    operand: Any = match[3]
    if operand.startswith("{"):
        operand = cases = []
    elif operand.startswith("#"):
        number, *others = operand.replace(" ", "").split(",")
        operand = (shown.constant(int(number[1:])), *map(int, others))
    member.instructions.append((int(match[1]), match[2], operand))
    return cases


def _table(section: str, line: str, member: ShownMember) -> None:
    words = line.split()
    if section == "Exception table" and words[:1] != ["from"] and words:
        start, end, handler = map(int, words[:3])
        member.handlers.append((start, end, handler, words[4] if words[3] == "Class" else None))
    elif section == "LineNumberTable" and words[:1] == ["line"]:
        member.lines.append((int(words[2]), int(words[1][:-1])))
    elif section == "LocalVariableTable" and words and words[0] != "Start":
        start, length, slot = map(int, words[:3])
        member.variables.append((start, start + length, words[3], words[4], slot))


def _attributes(lines: list[str], shown: ShownClass) -> None:
    section = ""
    inside: list[str] = []
    for line in lines:
        if line.startswith("SourceFile: "):
            shown.source_file = line.partition(": ")[2].strip('"')
        elif line.startswith("NestHost: class "):
            shown.nest_host = line.split()[-1]
        if line[:1].strip():
            section = line.partition(":")[0]
            shown.is_record |= section == "Record"
        elif section == "InnerClasses":
            _inner_class(line, shown)
        elif section == "BootstrapMethods":
            _bootstrap_method(line, shown)
        elif section == "Record":
            inside.append(line)
    for header, own in _blocks(inside):
        shown.components.append(_member(header, own[:1], shown))


def _inner_class(line: str, shown: ShownClass) -> None:
    match = re.match(r"  (?:[a-z ]* )?(?:#(\d+) ?= ?)?#(\d+)(?: of #(\d+))?;", line)
    if match:
        name, itself, outer = (
            shown.constant(int(each)) if each else None for each in match.groups()
        )
        assert itself
        shown.inner_classes.append(
            (itself[1][1], outer[1][1] if outer else None, name[1] if name else None)
        )


def _bootstrap_method(line: str, shown: ShownClass) -> None:
    match = re.match(r"  \d+: #(\d+) ", line)
    if match:
        shown.bootstrap_methods.append((shown.constant(int(match[1])), []))
    match = re.match(r"      #(\d+)( |$)", line)
    if match:
        shown.bootstrap_methods[-1][1].append(shown.constant(int(match[1])))
