"""Evidence as JSON files, in names, so that a file is meaningful without the numbers of a System.

A file holds `format`, `version`, `kind` (`trace`, `states` or `cut`), the name of the system, its
threads, the property that the evidence is about, and the evidence. Rules, stacks and the relation
`below` are in names, `-` is the empty stack, and null in a pattern matches anything. A state of a
certificate is the name of the shared state, then for each thread an entry of its group's table
`locals`, counted from 0.

Files are untrusted. Whatever is wrong with one is an InputError; an EvidenceError says that names
of the system are ambiguous. Reading checks types and names. Whether the evidence holds is for
`checker.check`, and whether the file's property is the one that matters is for the caller.
Evidence that the checker rejects can be written too: a number that names nothing is written as it
is, and does not read back.
"""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from tepui.evidence.certificate import Certificate
from tepui.evidence.reading import Numbers, Reader, parse
from tepui.evidence.trace import Trace
from tepui.evidence.writing import Writer
from tepui.model import Property, System

AnyPath = str | os.PathLike[str]


def write_evidence(
    path: AnyPath,
    system: System,
    property: Property,  # noqa: A002
    evidence: Trace | Certificate,
) -> None:
    """Write a file that appears whole or not at all; an OSError is passed on."""
    Numbers(system)  # Refuses names that could not be read back.
    final = Path(path).resolve()
    if final.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if final.exists() and not final.is_file():  # A device or a pipe: nothing may take its place.
        with final.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(Writer(system).text(property, evidence))
        return
    partial = final.with_name(f".tepui-{secrets.token_hex(8)}.tmp")
    try:
        with partial.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(Writer(system).text(property, evidence))
        partial.replace(final)
    finally:
        partial.unlink(missing_ok=True)


def read_evidence(path: AnyPath, system: System) -> tuple[Property, Trace | Certificate]:
    """What the file says about this system: a property, and evidence that is yet to be checked."""
    source = os.fspath(path)
    return Reader(source, system).evidence(parse(source))
