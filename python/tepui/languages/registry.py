"""The table of input languages: which suffixes stand for which language, and what reads it.

A new language is a reader and an entry in `LANGUAGES`. A reader is imported when it is needed.
Most languages are texts. One whose files are not, or that has folders, opens them itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tepui.errors import InputError, UsageError
from tepui.languages.loaded_model import Loaded, LoadedNet
from tepui.languages.source import (
    FileName,
    Source,
    file_error,
    is_folder,
    require_file,
    suffix_of,
)
from tepui.parameter_names import named
from tepui.records import record
from tepui.words import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from tepui.languages.java.java_options import JavaOptions
    from tepui.languages.java.loading import Entry


@record
class ModelOptions:
    """What a user may say about a model. Languages refuse what is not for them."""

    init: str | None = None
    """The initial state of a system."""
    targets: Sequence[str] | None = None
    """The bad states of a system."""
    overflow: bool = False
    """Whether a program asks if its machine integers overflow."""
    java: JavaOptions | None = None
    """Where a Java program begins, and where its classes are, if anything is said about that."""
    entries: tuple[str, ...] = ()
    """For `Language.each`: the methods, or patterns for them, with which programs begin."""


def unknown_kind(file: FileName) -> InputError:
    """The error for an existing file with an unknown suffix."""
    require_file(file)
    kinds = [f"{' and '.join(each.suffixes)} ({each.name})" for each in reversed(LANGUAGES)]
    if suffix_of(file) == ".json":
        hint = f"; {named('weigh')} reads weighted systems in JSON"
    else:
        suffixes = [suffix for each in LANGUAGES for suffix in each.suffixes]
        hint = did_you_mean(suffix_of(file), suffixes)
    return file_error(
        file,
        f"unknown kind of file; the known suffixes are {', '.join(kinds)} and .yml (task "
        "definition); for a file with another suffix, say what it holds with "
        f"{named('language')}{hint}",
    )


def language_of(path: FileName) -> Language | None:
    """The language that the suffix of a file stands for, or the one that has folders."""
    if is_folder(path):
        return next(each for each in LANGUAGES if each.has_folders)
    return _with_suffix(suffix_of(path))


def language_named(name: str) -> Language:
    """The language with this name, the suffix of a text without its dot."""
    suffix = f".{name.lower().removeprefix('.')}"
    language = next((each for each in LANGUAGES if suffix in each.texts), None)
    if language is None:
        known = [suffix[1:] for each in LANGUAGES for suffix in each.texts]
        hint = did_you_mean(name, known)
        raise UsageError(f"unknown language {name!r}, expected one of {', '.join(known)}{hint}")
    return language


def _with_suffix(suffix: str) -> Language | None:
    return next((each for each in LANGUAGES if suffix in each.suffixes), None)


@record
class Language:
    """An input language: its name, the suffixes of its files, and the function that reads them."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, ModelOptions], Loaded]
    """Takes the text, and what is said about the model besides."""
    beside: tuple[str, ...] = ()
    """The suffixes of files that are read together with such a file."""
    read_net: Callable[[Source, str | None, Sequence[str] | None], LoadedNet] | None = None
    """What reads a net: such a language has no other models, and `read` refuses."""
    format: Callable[[Source], str] | None = None
    """The function that writes a text in its canonical form, if there is one."""
    open: Callable[[FileName, ModelOptions], Loaded] | None = None
    """What reads a file that is not always a text, or a folder."""
    each: Callable[[FileName | Source, ModelOptions], Iterator[Entry]] | None = None
    """What lists several entries of a program, and can read a model for each."""
    has_folders: bool = False
    no_texts: tuple[str, ...] = ()
    """The suffixes of files that are no texts."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The suffixes of texts: without dots, these are the names of languages."""
        return tuple(suffix for suffix in self.suffixes if suffix not in self.no_texts)

    def load(self, model: FileName | Source, options: ModelOptions) -> Loaded:
        """The model in a file, or in a text."""
        name = model.name if isinstance(model, Source) else os.fspath(model)
        self._refuse(name, options)
        if isinstance(model, Source):
            return self.read(model, options)
        if self.open is not None:
            return self.open(model, options)
        return self.read(Source.of_file(model), options)

    def load_each(self, model: FileName | Source, options: ModelOptions) -> Iterator[Entry]:
        """The entries that the options name, of a language that has entries."""
        assert self.each is not None
        return self.each(model, options)

    def _refuse(self, name: str, options: ModelOptions) -> None:
        """Refuse options that are for other languages."""
        java = options.java
        if self.each is None and (options.entries or java is not None):
            chosen: list[tuple[object, str]] = [(options.entries, "entry")]
            if java is not None:
                chosen = [
                    (java.entry, "entry"),
                    (java.classpath, "classpath"),
                    (java.jdk, "jdk"),
                    (java.spurious_wakeups, "spurious wakeups"),
                ]
            given = [what for value, what in chosen if value not in (None, (), False)]
            if given:  # Races are asked of programs of any language.
                raise UsageError(
                    f"{named(given[0])} is for Java programs, and {name} is a {self.name}"
                )


def _read_pds(source: Source, options: ModelOptions) -> Loaded:
    from tepui.languages.pushdown.pds import read_pds

    return read_pds(source, options.init, options.targets)


def _read_cpds(source: Source, options: ModelOptions) -> Loaded:
    from tepui.languages.pushdown.cpds import read_cpds

    return read_cpds(source, options.init, options.targets)


def _read_program(source: Source, options: ModelOptions) -> Loaded:
    """Read a Boolean program, in either syntax. The program itself says where it starts."""
    from tepui.languages.boolean import load_program

    _refuse_states(source.name, options)
    program = load_program(source, options.overflow)
    return Loaded(program, list(program.warnings))


def _refuse_states(name: str, options: ModelOptions) -> None:
    """Refuse, for a program, what is said about states of systems."""
    if options.init is not None:
        raise UsageError(
            f"{name}: {named('init')} is for pushdown systems; a program starts with its "
            "main procedure, and its variables with the values that their declarations say"
        )
    if options.targets:
        raise UsageError(
            f"{name}: {named('target')} is for pushdown systems; places of a program that "
            f"must not be reached are named with {named('unreachable')} or "
            f"{named('never together')}"
        )


def _read_java(source: Source, options: ModelOptions) -> Loaded:
    """Compile the text of a Java source."""
    from tepui.languages.java.loading import load_java

    _refuse_for_java(source.name, options)
    return Loaded(load_java(source.name, _said(options), source))


def _open_java(file: FileName, options: ModelOptions) -> Loaded:
    from tepui.languages.java.loading import load_java

    _refuse_for_java(os.fspath(file), options)
    return Loaded(load_java(os.fspath(file), _said(options)))


def _each_java(model: FileName | Source, options: ModelOptions) -> Iterator[Entry]:
    from tepui.languages.java.loading import load_each

    text = model if isinstance(model, Source) else None
    name = model.name if isinstance(model, Source) else os.fspath(model)
    _refuse_for_java(name, options)
    yield from load_each(name, _said(options), options.entries, text)


def _said(options: ModelOptions) -> JavaOptions:
    """What is said about a Java program."""
    from tepui.languages.java.java_options import JavaOptions

    return options.java or JavaOptions()


def _refuse_for_java(name: str, options: ModelOptions) -> None:
    _refuse_states(name, options)
    if options.overflow:
        raise UsageError(
            f"{name}: {named('overflow')} is for programs whose integers have bounds; those of "
            "Java wrap around, and that is no error"
        )


def _read_tts(source: Source, init: str | None, targets: Sequence[str] | None) -> LoadedNet:
    from tepui.languages.counting.tts import read_tts

    return read_tts(source, init, targets)


def _read_spec(source: Source, init: str | None, targets: Sequence[str] | None) -> LoadedNet:
    from tepui.languages.counting.spec import read_spec

    return read_spec(source, init, targets)


def _refuse_net(source: Source, options: ModelOptions) -> Loaded:
    raise UsageError(
        f"{source.name}: this is a net, for any number of threads, and only "
        f"{named('verify')} and {named('check')} know what to do with it"
    )


def _format_program(source: Source) -> str:
    from tepui.languages.boolean import formatted

    return formatted(source)


LANGUAGES = (
    Language("pushdown system of the CUBA tool", (".pds",), _read_pds, beside=(".init", ".spec")),
    Language("concurrent pushdown system", (".cpds",), _read_cpds),
    Language("net of the mist tool", (".spec",), _refuse_net, read_net=_read_spec),
    Language(
        "thread transition system", (".tts",), _refuse_net, (".tts.prop",), read_net=_read_tts
    ),
    Language(
        "Java program",
        (".java", ".class", ".jar"),
        _read_java,
        open=_open_java,
        each=_each_java,
        has_folders=True,
        no_texts=(".class", ".jar"),
    ),
    Language("Boolean program", (".bp", ".nbp"), _read_program, format=_format_program),
)
"""All input languages. Whatever depends on the suffix of a file is found here."""

_WRITTEN_BY_PEOPLE = {".prp"}.union(*(each.suffixes + each.beside for each in LANGUAGES))


def refuse_model(path: Path, what: str, option: str = "") -> None:
    """Refuse to write over a file that someone wrote: one whose name says that it is a model."""
    if path.exists() and path.resolve().suffix.lower() in _WRITTEN_BY_PEOPLE:
        raise UsageError(
            f"{option}{path}: there is such a file, and its name says that it is a model; "
            f"give {what} another name"
        )
