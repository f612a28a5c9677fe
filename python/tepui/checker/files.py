"""Evidence as JSON files, in names, so that a file is meaningful without the numbers of a System.

A file holds `format`, `version`, `kind` (one of `checker.KINDS`), the name of the system, its
threads, the property that the evidence is about, and the evidence. Rules, stacks and the relation
`below` are in names, `-` is the empty stack, and null in a pattern matches anything. A state of a
certificate is the name of the shared state, then for each thread an entry of its group's table
`locals`, counted from 0.
A language of stacks is an automaton: which of its states accept, and for each the symbols that lead
on and where to. In a diagram and in products, tables belong to `templates`, each given by its
threads. In a diagram, `form` says whether its stacks are whole (`states`) or `cut`; `nodes` has a
list for each level, and a node is a label and a child, a label and a child and so on. A state of
products has a label of its template for each thread.

Evidence about a system with any number of threads says with how many its threads are named
(`instance`).

Evidence about a program names its states as `program.state_names` writes them, and patterns name
places of the program. It also holds `meaning`, the options under which its states are what they
are: whether dead values were forgotten, and the probes (`watched` in files). If the program forks
threads, the evidence is about the same program with slots, and the file says with how many
(`slots`), or for how many contexts (`bound`). If only some values of some sorts were looked at,
the file says which (`sorts`). A file about an instance has its numbers (`instance`), and one about
a sample its values (`sample`). If limits of the translation were raised, the file says which, one
time after another (`raised`). The passes that make such programs are not called here: the caller
has to rebuild the program that a file is about.

If a certificate lists many states, they are packed (`packed_rows`), and the version is 2: `shared`
are the names of shared states, by which the first entry of a row is numbered, `count` is how many
rows there are, `bits` how many bits each entry has, and `rows` are all rows, in lines of Base64.

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
from collections.abc import Callable, Iterable
from typing import Any

from tepui.checker.evidence import Evidence
from tepui.checker.json_values import WHOLE, Values, parse
from tepui.checker.programs.names import ProgramNames, class_names, named_system
from tepui.checker.programs.program_check import StateOptions, check_as_written, derivation_of
from tepui.checker.programs.state_tables import ProgramTables
from tepui.checker.reading import Reader, SubjectReader, SystemNames
from tepui.checker.writing import Writer
from tepui.errors import EvidenceError, ModelError
from tepui.model import OpenSystem, Property, System, SystemInstance
from tepui.model.build import MAX_THREADS
from tepui.output_places import final_place, open_place
from tepui.program.layout import Fused
from tepui.program.program import Program
from tepui.program.semantics.meaning import MeaningOptions
from tepui.program.state_names import point_text
from tepui.records import record

AnyPath = str | os.PathLike[str]

Rebuild = Callable[[Program, Values, dict[str, Any]], Program]
"""Turns a program into the one that a file is about, by what the file says about it."""


def write_evidence(
    path: AnyPath,
    system: System,
    property: Property,  # noqa: A002
    evidence: Evidence,
) -> None:
    """Write a file that appears whole or not at all; an OSError is passed on."""
    SystemNames(system)  # Refuses names that could not be read back.
    more = {}
    if isinstance(system, SystemInstance):
        more = {"instance": {"threads": dict(system.counts)}}
    write_whole(path, Writer(system).text(property, evidence, more))


def read_evidence(path: AnyPath, system: System) -> tuple[Property, Evidence]:
    """What the file says about this system: a property, and evidence that is yet to be checked."""
    source = os.fspath(path)
    document = parse(source)
    SubjectReader(source).require(document, "system", system.name)
    if "instance" in document:
        why = f"is about any number of threads, and {system.name} has a fixed number of them"
        Values(source).fail("instance", why)
    return Reader(source, SystemNames(system)).evidence(document)


def read_open_evidence(
    path: AnyPath, system: OpenSystem
) -> tuple[SystemInstance, Property, Evidence]:
    """The same about a system with any number of threads: the instance that the file is about, a
    property, and evidence."""
    source = os.fspath(path)
    document = parse(source)
    SubjectReader(source).require(document, "system", system.name)
    values = Values(source)
    if "instance" not in document:
        values.fail(WHOLE, "is about fixed numbers of threads, because it has no 'instance'")
    said = values.record(document["instance"], "instance", ("threads",))
    counts = values.a(dict, said["threads"], "instance.threads")
    if sorted(counts) != sorted(system.any_number):
        here = ", ".join(system.any_number)
        values.fail(
            "instance.threads",
            f"is about {', '.join(counts) or 'no threads'}, and {system.name} has any number of "
            f"threads {here}",
        )
    for name in counts:
        count = values.a(int, counts[name], f"instance.threads.{name}")
        if not 1 <= count <= MAX_THREADS:
            values.fail(f"instance.threads.{name}", f"is {count}; expected 1 to {MAX_THREADS}")
    try:
        instance = system.instance(counts)
    except ModelError as error:
        values.fail("instance.threads", f"cannot be: {error}")
    found = Reader(source, SystemNames(instance), ("instance",)).evidence(document)
    return instance, *found


def write_program_evidence(
    path: AnyPath,
    program: Program,
    property: Property,  # noqa: A002
    options: MeaningOptions,
    tables: ProgramTables,
    evidence: Evidence,
) -> None:
    """The same for evidence about a program, whose numbers are those of the tables.

    The options are those under which its states are what they are.
    """
    layout = program.layout
    writer = Writer(named_system(layout, tables), list(class_names(layout)))
    meaning: dict[str, Any] = {
        "liveness": options.liveness,
        "watched": [point_text(layout, point) for point in sorted(options.probes)],
    }
    if options.share and layout.copies:
        meaning["same"] = True
    if options.fused is not None:
        joined = sorted(options.fused.joined)
        meaning["fused"] = {
            "named": [point_text(layout, point) for point in sorted(options.fused.named)],
            "joined": [program.procedures[number].name for number in joined],
        }
    said = derivation_of(program).said()
    write_whole(path, writer.text(property, evidence, {"meaning": meaning, **said}))


@record
class ProgramEvidence:
    """What a file says about a program. The tables number the states that it names."""

    program: Program
    """What it is about: a program with slots, if the one that was given forks threads."""
    asked: Property
    options: StateOptions
    tables: ProgramTables
    evidence: Evidence

    def check(self, *, reference: bool = False) -> None:
        """Return if the evidence proves its claim; raise EvidenceError if not."""
        check_as_written(
            self.program,
            self.options,
            self.asked,
            self.tables,
            self.evidence,
            reference=reference,
        )


def read_program_evidence(
    path: AnyPath, program: Program, rebuild: Rebuild | None = None
) -> ProgramEvidence:
    """What the file says about this program.

    `rebuild` is not trusted: what it has made is checked with the evidence.
    """
    source = os.fspath(path)
    document = parse(source)
    SubjectReader(source).require(document, "program", program.name)
    program = _version(program, Values(source), document)
    about = program if rebuild is None else rebuild(program, Values(source), document)
    if about is not program and about.as_written is not program:
        raise EvidenceError("the evidence is about a program that was made of another one")
    said = derivation_of(about).said()
    names = ProgramNames(about)
    reader = Reader(source, names, ("meaning", *said))
    asked, evidence = reader.evidence(document)
    for name, value in said.items():
        if document[name] != value:
            reader.fail(name, "is not what the program was made with")
    options = _options(reader, names, document["meaning"])
    return ProgramEvidence(about, asked, options, names.tables(), evidence)


def _version(program: Program, values: Values, document: dict[str, Any]) -> Program:
    """The translation that a file is about: its limits may have been raised."""
    raised = values.items(document.get("raised", []), "raised")
    for number, names in enumerate(raised):
        where = f"raised[{number}]"
        limits = [values.a(str, name, where) for name in values.items(names, where)]
        larger = program.larger(limits)
        if larger is None:
            values.fail(where, "cannot be: there is no such larger translation")
        program = larger
    return program


def _options(reader: Reader, names: ProgramNames, value: Any) -> StateOptions:
    fields = reader.record(value, "meaning", ("liveness", "watched"), ("same", "fused"))
    return StateOptions(
        reader.a(bool, fields["liveness"], "meaning.liveness"),
        frozenset(reader.word(names.probe, fields["watched"], "meaning.watched")),
        _fused(reader, names, fields["fused"]) if "fused" in fields else None,
        reader.a(bool, fields.get("same", False), "meaning.same"),
    )


def _fused(reader: Reader, names: ProgramNames, value: Any) -> Fused:
    fields = reader.record(value, "meaning.fused", ("named", "joined"))
    return Fused(
        frozenset(reader.word(names.place, fields["named"], "meaning.fused.named")),
        frozenset(reader.word(names.procedure, fields["joined"], "meaning.fused.joined")),
    )


def write_whole(path: AnyPath, pieces: Iterable[str]) -> None:
    """Write a file that appears whole or not at all; an OSError is passed on."""
    final = final_place(path)
    if final.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if final.exists() and not final.is_file():  # A device or a pipe: nothing may take its place.
        with open_place(final) as file:
            file.writelines(pieces)
        return
    partial = final.with_name(f".tepui-{secrets.token_hex(8)}.tmp")
    try:
        with partial.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        partial.replace(final)
    finally:
        partial.unlink(missing_ok=True)
