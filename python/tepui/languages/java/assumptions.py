"""What a translation assumes besides the program: for the answer, so that nobody is misled.

A limit that a run can reach is no assumption, since then there is no answer. Room for more objects
is mentioned all the same where it was raised: it says how large the translation is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tepui.assumption import Assumption
from tepui.languages.java.constants import MethodRef
from tepui.languages.java.entries import MAIN, dotted, entry_name, shown_types
from tepui.languages.java.entry import ANY_OR_NULL
from tepui.languages.java.hierarchy import JavaMethod
from tepui.program.program import Assert, Procedure, Program
from tepui.records import replace
from tepui.words import counted

if TYPE_CHECKING:
    from tepui.languages.java.java_program import Translation

_SHOWN = 12
"""How many models, or places, are named."""

_CLOCKS = {("java/lang/System", "currentTimeMillis"), ("java/lang/System", "nanoTime")}

_UNSEEN = re.compile(r"entries$|made\.|java[./]lang[./](Thread|Throwable|ThreadLocal)\.")
"""How often monitors are entered, how many objects there are, and fields of models."""

_UNRACED = re.compile(
    r"(monitor|entries|waits for|hash code|array\.length|ended)$|made\.|initialise[sd]\."
    r"|java[./]lang[./]Thread\."
)
"""Variables that make up monitors, and the machine itself: no field and no element of an array."""

_CONSISTENT = Assumption(
    "model",
    "sequential consistency, and races are not asked for: where threads race, Java allows more",
    condition="under sequential consistency",
)
_ANY_SEED = Assumption("model", "random numbers are any numbers, whatever their seed is")
_ANY_TIME = Assumption("model", "clocks show any time, also an earlier one")
_ENOUGH_MEMORY = Assumption("model", "no StackOverflowError, and no OutOfMemoryError")


def described(translation: Translation, program: Program) -> Program:
    """A Program with its name, what it asks, and what it assumes."""
    entry, named = translation.found.entry, translation.options.entry
    title = "" if named is None else entry_name(entry)
    if named is not None and "(" in named:
        title += shown_types(entry)
    return replace(
        program,
        procedures=tuple(_with_asserts(translation, each) for each in program.procedures),
        name=title or dotted(entry.owner.name),
        title=title,
        own_files=_own_files(translation),
        unraced=frozenset(each.name for each in program.globals if _UNRACED.match(each.name)),
        unseen=frozenset(
            {"me", *(each.name for each in program.globals if _UNSEEN.match(each.name))}
        ),
        asks_deadlock=True,
        refuses_races=not translation.options.races,
        assumptions=tuple(_assumptions(translation)),
    )


def _with_asserts(translation: Translation, procedure: Procedure) -> Procedure:
    """A procedure in which the places of its own assertions have the text of their lines."""
    locations, edges = list(procedure.locations), list(procedure.edges)
    for number, edge in enumerate(edges):
        if not isinstance(edge, Assert) or edge.kind != "assertion":
            continue
        place = locations[edge.source]
        line = translation.source_line(place.position).partition("//")[0].strip()
        if line.startswith("assert"):
            locations[edge.source] = replace(place, text=line.removesuffix(";"))
            edges[number] = replace(edge, message="")
    return replace(procedure, locations=tuple(locations), edges=tuple(edges))


def _own_files(translation: Translation) -> tuple[str, ...]:
    """The sources of all classes that do not come from the JDK or from models."""
    owners = {
        method.owner.name: method.owner
        for method in translation.found.reachability.methods.values()
        if method.owner.origin == "program" and method.owner.file is not None
    }
    return tuple(dict.fromkeys(map(translation.source_of, owners.values())))


def _assumptions(translation: Translation) -> Iterator[Assumption]:
    if not translation.options.races:
        yield _CONSISTENT
    yield Assumption("option", _beginning(translation.found.entry))
    if translation.options.jdk_name:
        yield Assumption("model", f"the classes of {translation.options.jdk_name}")
    models = _models(translation)
    if models:
        yield Assumption("model", f"our models of {_some(models, 'class', 'classes')}")
    if not translation.options.spurious_wakeups and _waits(translation):
        yield Assumption("option", "threads that wait wake up for a reason only")
    if any(key[0] == "java/util/Random" for key in translation.names):
        yield _ANY_SEED
    if any(key[:2] in _CLOCKS for key in translation.names):
        yield _ANY_TIME
    yield _ENOUGH_MEMORY
    if translation.bounds.input_bits is not None:
        yield Assumption("bound", f"inputs of {translation.bounds.input_bits} bits")
    room = list(_room(translation))
    if room:
        yield Assumption("bound", f"room for {_some(room, 'site', 'sites')}")


def _beginning(entry: JavaMethod) -> str:
    """The entry, and what it is called with."""
    name = f"it begins with {entry_name(entry)}"
    if (entry.name, entry.descriptor) == MAIN:
        return f"{name}, with no arguments"
    made = "" if entry.is_static else f" of a new {dotted(entry.owner.name).rpartition('.')[2]}"
    if not entry.parameters:
        return name + made
    values = ", ".join(map(_argument, entry.parameters))
    return f"{name}{shown_types(entry)}{made}, with {values}"


def _argument(descriptor: str) -> str:
    """What is known about an argument of some type."""
    if descriptor in _ANY:
        return f"any {_ANY[descriptor]}"
    if descriptor in ANY_OR_NULL:
        return ANY_OR_NULL[descriptor]
    return "an empty array" if descriptor == "[Ljava/lang/String;" else "null"


_ANY = {
    "Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long",
    "F": "float", "D": "double",
}  # fmt: skip


def _models(translation: Translation) -> list[str]:
    """The classes whose methods are replaced by models, and run."""
    owners = {
        method.owner.name
        for method in translation.found.reachability.methods.values()
        if method.owner.origin == "model" and not method.owner.name.startswith("tepui/")
    }
    return sorted({dotted(name).rpartition(".")[2] for name in owners})


def _waits(translation: Translation) -> bool:
    """Whether some code asks if threads wake up for no reason."""
    for method in translation.found.reachability.methods.values():
        if method.owner.origin != "model" or method.code is None:
            continue
        for each in method.code.instructions:
            if isinstance(each.operand, MethodRef) and each.operand.name == "spuriousWakeups":
                return True
    return False


def _room(translation: Translation) -> Iterator[str]:
    """How many objects there may be of each site, and how long arrays may be, where more than at
    first."""
    bounds, sites = translation.bounds, translation.found.reachability.sites
    for key, count in bounds.objects.items():
        if count > 1:
            name = sites[key].type.rstrip(";").rpartition("/")[2]
            yield f"{counted(count, 'object')} {name} of {sites[key].where}"


def _some(names: list[str], noun: str, nouns: str) -> str:
    """How many there are, and the first of them."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    listed = ", ".join(names[:_SHOWN]) + more
    return f"{len(names)} {noun if len(names) == 1 else nouns}: {listed}"
