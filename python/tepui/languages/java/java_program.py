"""From the methods of a Java program to a Program, with its limits.

    entry ──reachability──▶ methods, sites ──sites, heap──▶ numbers, variables
                                │                                  │
                                └──method, initialisation──▶ procedures ──▶ Program

All that bounds something is a limit of the Program: the number of objects of each site, the length
of each array, how deep monitors are entered. A larger translation has more room where a limit was
reached, and is otherwise the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property

from tepui.languages.java.assumptions import described
from tepui.languages.java.catching import CallSite, Catching
from tepui.languages.java.constants import FieldRef, InvokeDynamic, MethodRef
from tepui.languages.java.descriptors import (
    method_descriptor,
    short_parameters,
    short_type,
    slots_of,
)
from tepui.languages.java.entry import ENTRY, MAIN_THREAD, entry_class, with_initialisers
from tepui.languages.java.facts import Facts, LocalKey, facts_of
from tepui.languages.java.flows import Place
from tepui.languages.java.heap import Bounds, Heap
from tepui.languages.java.hierarchy import (
    CLASS,
    STRING,
    THREAD,
    Hierarchy,
    JavaClass,
    JavaField,
    JavaMethod,
    MethodKey,
)
from tepui.languages.java.initialisation import (
    CLINIT,
    Initialisation,
    initialising_procedure,
    triggered_by,
)
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.intrinsics import IMPLICIT, redirected
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.method import MethodTranslator
from tepui.languages.java.once_only import Executions
from tepui.languages.java.raising import Raising
from tepui.languages.java.reduction import reduced
from tepui.languages.java.settled_fields import SettledFields
from tepui.languages.java.sites import (
    Numbers,
    Ranges,
    Site,
    SiteKey,
    array_name,
    is_among,
    merged,
    single_site,
)
from tepui.languages.java.slicing import (
    with_variable,
    without_idle_variables,
    without_uncalled,
)
from tepui.languages.java.source_lines import SourceLines
from tepui.languages.java.type_analysis import (
    Reachability,
    VirtualCall,
    direct_target,
)
from tepui.program.expressions import FALSE, Constant, Expression, Variable
from tepui.program.passes.receipts import with_harmless_receipts
from tepui.program.passes.unused_results import without_lost_results
from tepui.program.program import Position, Procedure, Program, Thread
from tepui.program.types import BOOLEAN
from tepui.program.validate import validate
from tepui.records import replace

MOST_OBJECTS, MOST_LENGTH, MOST_ENTRIES = 128, 1024, 255
"""No translation has more objects of a site, longer arrays, or deeper monitors."""

_FIRST_LENGTH = 4

_SAMPLED_BITS = (2, 4, 8)
"""How wide inputs are where all of their values are too many."""

_NOWHERE: MethodKey = ("", "", "")

_RESTORING = {("tepui/Monitors", "waitFor"), (THREAD, "join")}
"""The models that give up a monitor and take it back before they return."""

_OPAQUE: SiteKey = ((STRING, "", "opaque"), -3)
"""The string of which nothing is known."""

_UNTOLD: SiteKey = ((STRING, "", "untold"), -3)
"""A string of which nothing is known, or null."""


class Found:
    """What does not depend on bounds: everything that is reachable."""

    def __init__(self, hierarchy: Hierarchy, entry: JavaMethod) -> None:
        self.hierarchy, self.entry = hierarchy, entry
        self.reachability = Reachability(hierarchy)
        self.entry_class = entry_class(entry)
        hierarchy.add(self.entry_class)
        with_initialisers(self.entry_class, ())
        self._collect()
        self.initialisation = Initialisation(self.reachability, entry)
        self.start = with_initialisers(self.entry_class, self.initialisation.early)
        self.reachability.methods[self.start.key] = self.start
        self.catching = Catching(self.reachability.methods, self._calls())
        self.names = self._names()
        self._settle_sites()
        self.settled = SettledFields(hierarchy, self.reachability.methods)
        self.settled_statics = self._settled_statics()
        self.facts = Facts()

    def makes_boxes(self, owner: str) -> bool:
        """Whether anything but arguments is made by the method `valueOf` of a class."""
        return any(
            call.callee[:2] == (owner, "valueOf") and call.caller[:2] != (owner, "argument")
            for call in self._calls()
        )

    def _settled_statics(self) -> set[tuple[str, str]]:
        """Static fields that only the beginning writes, and that nothing reads before it ends."""
        beginning, waiting = {self.start.key}, [self.start.key]
        callees: dict[MethodKey, set[MethodKey]] = {}
        for call in self._calls():
            callees.setdefault(call.caller, set()).add(call.callee)
        while waiting:
            new = callees.get(waiting.pop(), set()) - beginning
            beginning |= new
            waiting += new
        written, spoiled = set[tuple[str, str]](), set[tuple[str, str]]()
        for key, method in self.reachability.methods.items():
            for each in method.code.instructions if method.code else ():
                if not isinstance(each.operand, FieldRef):
                    continue
                field = self.hierarchy.field(each.operand)
                if field is None or not field.is_static:
                    continue
                early = field.owner in self.initialisation.early and key in beginning
                if each.name == "putstatic" and early and key == (field.owner, *CLINIT):
                    if method.code and not any(i.targets for i in method.code.instructions):
                        written.add(field.key)
                elif each.name == "putstatic" or key in beginning:
                    spoiled.add(field.key)
        return written - spoiled

    def _settle_sites(self) -> None:
        """Find out which sites make one object at most."""
        run = (ENTRY, "run", f"(L{THREAD};)V")
        executions = Executions(
            self.reachability.methods, self._calls(), [(ENTRY, "main", "()V")], [run]
        )
        for key, site in self.reachability.sites.items():
            method, pc = key
            if method == MAIN_THREAD:
                self.reachability.sites[key] = replace(site, single=True, label="main")
            elif method in self.reachability.methods and pc >= 0 and not site.single:
                once = executions.is_once(method, pc)
                self.reachability.sites[key] = replace(site, once=once)

    def _collect(self) -> None:
        reach = self.reachability
        for name in IMPLICIT:
            reach.add_site(single_site((_NOWHERE, -2), name))
        reach.add_method(self.entry_class.methods["main", "()V"])
        reach.add_method(self.entry_class.methods["run", f"(L{THREAD};)V"])
        reach.initialise(self.entry.owner.name)
        reach.run()
        for text in sorted(reach.strings):
            reach.sites[(STRING, text, ""), -3] = single_site((STRING, -3), STRING, text)
        reach.sites[_OPAQUE] = Site(_OPAQUE, STRING, single=True, label="a string")
        if reach.has_untold_strings:
            reach.sites[_UNTOLD] = Site(_UNTOLD, STRING, single=True, label="a string or null")
        reach.instantiate(STRING)
        for name in sorted({*reach.class_objects, *reach.instantiated, STRING, CLASS}):
            short = array_name(name) if name.startswith("[") else name.rsplit("/", 1)[-1]
            reach.sites[(CLASS, name, ""), -4] = Site(
                ((CLASS, name, ""), -4), CLASS, single=True, label=f"{short}.class"
            )
        reach.instantiate(CLASS)
        reach.run()
        classes = [name for name in reach.instantiated if name[:2] in ("[L", "[[")]
        for (method, pc), where in reach.making_arrays.items():
            for number, name in enumerate(sorted(classes)):
                key = method, -1000 * (pc + 1) - number
                reach.add_site(Site(key, name, where=where))

    def _calls(self) -> Iterator[CallSite]:
        """All calls, with those of initialisers."""
        late = self.initialisation.late
        for key, method in self.reachability.methods.items():
            code = method.code
            for instruction in code.instructions if code else ():
                for name in triggered_by(self.hierarchy, method, instruction):
                    for each in self.initialisation.needed(name):
                        yield CallSite(key, instruction.pc, (each, "<class>", "()V"))
                if instruction.name.startswith("invoke"):
                    operand = instruction.operand
                    if isinstance(operand, MethodRef):
                        for target in self._targets(method, instruction):
                            yield CallSite(key, instruction.pc, target)
                    else:
                        for target in self._texts(instruction):
                            yield CallSite(key, instruction.pc, target)
        for name in late:
            yield CallSite((name, "<class>", "()V"), 0, (name, *CLINIT))
            for above in self.initialisation.before(name):
                yield CallSite((name, "<class>", "()V"), 0, (above, "<class>", "()V"))

    def _targets(self, method: JavaMethod, instruction: Instruction) -> Iterator[MethodKey]:
        operand = instruction.operand
        assert isinstance(operand, MethodRef)
        yield from redirected(operand.owner, operand.name, operand.descriptor)
        target = direct_target(self.hierarchy, method, instruction)
        if target is not None:
            yield target.key
            return
        virtual = VirtualCall(operand.owner, operand.name, operand.descriptor)
        for each in self.reachability.targets(virtual).values():
            if each is not None:
                yield each.key

    def _texts(self, instruction: Instruction) -> Iterator[MethodKey]:
        assert isinstance(instruction.operand, InvokeDynamic)
        for type_ in method_descriptor(instruction.operand.descriptor).parameters:
            if type_.startswith("L"):
                virtual = VirtualCall(type_[1:-1], "toString", f"()L{STRING};")
                for each in self.reachability.targets(virtual).values():
                    if each is not None:
                        yield each.key

    def _names(self) -> dict[MethodKey, str]:
        """A name for each method that is translated; descriptors only where they are needed."""
        by_name: dict[str, list[MethodKey]] = {}
        for key in self.reachability.methods:
            by_name.setdefault(_method_name(key), []).append(key)
        names = {}
        for name, keys in by_name.items():
            for key in keys:
                names[key] = name if len(keys) == 1 else f"{name}{short_parameters(key[2])}"
        taken: dict[str, int] = {}
        for key, name in names.items():
            taken[name] = taken.get(name, 0) + 1
            if taken[name] > 1:
                names[key] = f"{name}'{taken[name]}"
        return names


class Translation:
    """A translation with some bounds."""

    def __init__(
        self, found: Found, bounds: Bounds, options: JavaOptions, sources: SourceLines
    ) -> None:
        self.facts = found.facts
        self.is_learning = not found.facts.locals
        self._locals: dict[Variable, LocalKey] = {}
        self._types: dict[Place, str] = {}
        """The classes of what some variables and results may be."""
        self.found, self.bounds, self.options, self._sources = found, bounds, options, sources
        self.hierarchy, self.reachability = found.hierarchy, found.reachability
        self.initialisation, self.names = found.initialisation, found.names
        sites = found.reachability.sites
        self.numbers = Numbers(found.hierarchy, sites.values(), bounds.objects)
        self.heap = Heap(self.numbers, sites, bounds)
        self.array_sites = [site for site in sites.values() if site.type.startswith("[")]
        self._lock: Variable | None = None

    def learn(self) -> Facts:
        """What the whole program says about its references."""
        program = self._whole()
        names = {name: key for key, name in self.names.items()}
        types = {
            place: self.numbers.ranges(name)
            for place, name in self._types.items()
            if (known := self.hierarchy.find(name)) and not known.is_interface
        }
        facts = facts_of(program, self.numbers, self._locals, names, self._is_settled, types)
        receivers = {
            (key, 0): sites - {None}
            for (key, index), sites in facts.locals.items()
            if index == 0 and not self.reachability.methods[key].is_static
        }
        return replace(facts, locals={**facts.locals, **receivers})

    def _is_settled(self, name: str) -> bool:
        """Whether nobody sees the first value of a field."""
        owner, _, field = name.rpartition(".")
        key = owner.replace(".", "/"), field
        return key in self.found.settled.always or key in self.found.settled_statics

    def _is_steady(self, variable: Variable) -> bool:
        """Whether a variable does not change once several threads know it, or counts objects,
        whose order nobody can see."""
        if variable.name in ("array.length", "hash code") or variable.name.startswith("made."):
            return True
        owner, _, field = variable.name.rpartition(".")
        key = owner.replace(".", "/"), field
        return key in self.found.settled.fields or key in self.found.settled_statics

    def program(self) -> Program:
        """The Program, which knows how to make a larger one."""
        made = without_lost_results(self._whole())
        if not self.options.races:
            restoring = {self.names[key] for key in self.names if key[:2] in _RESTORING}
            made = reduced(without_idle_variables(made), self._is_steady, restoring)
        validate(made)
        return described(self, with_harmless_receipts(made))

    def _whole(self) -> Program:
        procedures = [self._method(method) for method in self.reachability.methods.values()]
        procedures += [self._initialiser(name) for name in self.initialisation.late]
        by_name = {each.name: each for each in procedures}
        made = Program(
            tuple(procedures),
            self._threads(by_name),
            self.heap.variables,
            self._lock,
            self.found.entry.owner.name.replace("/", "."),
            raised=Raising(self.raised),
            samples=tuple(map(_sample, _SAMPLED_BITS)),
        )
        return without_uncalled(made)

    def raised(self, limits: frozenset[str]) -> Program | None:
        """A larger translation, where some limits were reached."""
        objects, lengths = dict(self.bounds.objects), dict(self.bounds.lengths)
        entries = self.bounds.entries
        for key, site in self.reachability.sites.items():
            if self.too_many(site) in limits and not site.single:
                objects[key] = min(2 * objects[key], MOST_OBJECTS)
            if key in lengths and self.too_long(site) in limits:
                lengths[key] = min(4 * lengths[key], MOST_LENGTH)
        if self.too_deep() in limits:
            entries = min(4 * entries, MOST_ENTRIES)
        bits = next((bits for bits in _SAMPLED_BITS if _sample(bits) in limits), None)
        larger = Bounds(objects, lengths, entries, bits or self.bounds.input_bits)
        if larger == self.bounds:
            return None
        return Translation(self.found, larger, self.options, self._sources).program()

    def _method(self, method: JavaMethod) -> Procedure:
        assert method.code is not None
        translator = MethodTranslator(self, method, method.code)
        made = translator.procedure()
        for (index, kind), variable in translator.locals.items():
            if kind == "A":
                self._locals[variable] = method.key, index
        self._note_types(method, made)
        if method.key == (ENTRY, "main", "()V"):
            me = made.variables[0]
            started = replace(me, initial=self.main_number)
            made = with_variable(made, me, started)
        return made

    def _note_types(self, method: JavaMethod, made: Procedure) -> None:
        """The types of parameters and results, which the JVM makes sure of for classes."""
        types = ([] if method.is_static else [f"L{method.owner.name};"]) + list(method.parameters)
        code, index = method.code, 0
        kept = (
            {each.operand for each in code.instructions if each.operation == "astore"}
            if code
            else {}
        )
        parameters = iter(made.variables[1:])
        for descriptor in types:
            variable = next(parameters)
            if descriptor.startswith("L") and index not in kept:
                self._types[variable] = descriptor[1:-1]
            index += slots_of(descriptor)
        if method.result.startswith("L"):
            self._types[made.name, 0] = method.result[1:-1]

    def _initialiser(self, name: str) -> Procedure:
        found = self.hierarchy.find(name)
        assert found is not None
        line = 0
        method = found.methods.get(CLINIT)
        if method is not None and method.code is not None:
            line = method.code.line_at(0) or 0
        return initialising_procedure(self, name, Position(self.source_of(found), line, 1))

    def _threads(self, procedures: dict[str, Procedure]) -> tuple[Thread, ...]:
        main = Thread("main", self.names[ENTRY, "main", "()V"])
        key = (ENTRY, "run", f"(L{THREAD};)V")
        run = procedures[self.names[key]]
        inherited = run.variables[: run.parameters]
        others = [
            Thread(self.numbers.label(number), run.name, 1, True, None, inherited)
            for number in self.thread_types
        ]
        return (main, *others)

    @cached_property
    def thread_types(self) -> dict[int, int]:
        """For each object that is a thread, its number among the threads of the program."""
        low, high = self.numbers.span(THREAD)
        numbers = [number for number in range(low, high + 1) if number != self.main_number]
        return {number: index for index, number in enumerate(numbers, start=1)}

    @cached_property
    def main_number(self) -> int:
        """The object of the main thread."""
        for key, (low, _) in self.numbers.of_site.items():
            if key[0] == MAIN_THREAD:
                return low
        raise AssertionError("the model of Thread does not make the main thread")

    # What methods ask about exceptions.

    def is_caught(self, method: JavaMethod) -> bool:
        return method.key in self.found.catching.caught

    def throws(self, method: JavaMethod) -> bool:
        return method.key in self.found.catching.throwing

    def exception(self, name: str) -> int:
        """The object that the machine throws of a class."""
        return self.numbers.of_site[(name, "", ""), -2][0]

    @cached_property
    def has_own_texts(self) -> bool:
        """Whether some object has a `toString` of the program."""
        found = (
            self.hierarchy.selected(name, "toString", f"()L{STRING};")
            for name in self.reachability.instantiated
        )
        return any(method is not None and method.owner.origin == "program" for method in found)

    @property
    def has_daemons(self) -> bool:
        """Whether the program can end while some threads still wait."""
        return (THREAD, "setDaemon", "(Z)V") in self.names

    # What they ask about sites and objects.

    def is_of_type(self, key: SiteKey, name: str) -> bool:
        return self.hierarchy.is_subtype(self.reachability.sites[key].type, name)

    def site(self, method: JavaMethod, pc: int) -> Site:
        return self.reachability.sites[method.key, pc]

    @cached_property
    def shared_numbers(self) -> Ranges:
        """The numbers that stand for several objects."""
        plain = self.reachability.is_plain_throwable
        sites = [
            key
            for key, site in self.reachability.sites.items()
            if site.single and (plain(site.type) or key in (_OPAQUE, _UNTOLD))
        ]
        return merged(self.numbers.of_site[key][0] for key in sites)

    def sites_like(self, method: JavaMethod, pc: int) -> list[Site]:
        """The sites of a place that makes arrays of several classes."""
        sites = self.reachability.sites
        found = (sites.get((method.key, -1000 * (pc + 1) - n)) for n in range(len(sites)))
        return [site for site in found if site is not None]

    def room(self, site: Site) -> int:
        return 1 if site.single else self.bounds.objects[site.key]

    def too_many(self, site: Site) -> str:
        count = self.bounds.objects.get(site.key, 1)
        name = short_type(site.type)
        objects = "object" if count == 1 else "objects"
        return f"more than {count} {objects} {name} of {site.where}"

    def too_long(self, site: Site) -> str:
        longest = site.length if site.length is not None else self.bounds.lengths[site.key]
        return f"more than {longest} elements in an array {short_type(site.type)} of {site.where}"

    def too_deep(self) -> str:
        return f"a monitor is entered more than {self.bounds.entries} times by one thread"

    def classes_of(self, of: Expression) -> Iterator[tuple[str, Expression]]:
        """The classes that an object may have, each with its condition."""
        for name in self.reachability.instantiated:
            numbers = [
                n for n in range(1, self.numbers.count + 1) if self.numbers.type_of(n) == name
            ]
            if numbers:
                guard = is_among(of, ((numbers[0], numbers[-1]),))
                if guard != FALSE:
                    yield name, guard

    def string(self, text: str) -> Constant:
        return self.numbers.reference(self.numbers.of_site[(STRING, text, ""), -3][0])

    def opaque_string(self) -> Constant:
        return self.numbers.reference(self.numbers.of_site[_OPAQUE][0])

    @cached_property
    def untold_string(self) -> Constant | None:
        """The number of what is a string or null, if there is such a thing."""
        span = self.numbers.of_site.get(_UNTOLD)
        return None if span is None else self.numbers.reference(span[0])

    @cached_property
    def computed_strings(self) -> Ranges:
        """The numbers of the strings whose text is not known."""
        return merged(
            self.numbers.of_site[key][0]
            for key in (_OPAQUE, _UNTOLD)
            if key in self.numbers.of_site
        )

    def string_numbers(self) -> Iterator[tuple[str, int]]:
        for text in sorted(self.reachability.strings):
            yield text, self.string(text).value

    def text_of(self, expression: Expression) -> str | None:
        """The text of a string, if it is known."""
        if isinstance(expression, Constant):
            for text, number in self.string_numbers():
                if number == expression.value:
                    return text
        return None

    def class_object(self, name: str) -> Constant:
        return self.numbers.reference(self.numbers.of_site[(CLASS, name, ""), -4][0])

    # What they ask about classes, fields and sources.

    def initialisers(self, name: str, method: JavaMethod) -> list[str]:
        """The classes that are to be initialised where a method triggers that of a class."""
        started = method.is_static or method.name == "<init>"
        # This thread has triggered that of its own class before, or another one has done it.
        return [
            each
            for each in self.initialisation.needed(name)
            if not (started and each == method.owner.name)
        ]

    def initialiser_throws(self, name: str) -> bool:
        return (name, "<class>", "()V") in self.found.catching.throwing

    def is_initialised(self, name: str) -> bool:
        """Whether what initialises a class, if anything does, is part of the program."""
        found = self.hierarchy.find(name)
        return found is None or CLINIT not in found.methods or name in self.reachability.initialised

    def is_written(self, field: JavaField) -> bool:
        return field.key in self.reachability.written

    @cache  # noqa: B019 - a translation is made once and then forgotten
    def keeps_receiver(self, method: JavaMethod) -> bool:
        """Whether nothing else is ever stored where `this` is."""
        code = method.code
        assert code is not None
        return not any(
            each.operation == "astore" and each.operand == 0 for each in code.instructions
        )

    def source_of(self, owner: JavaClass) -> str:
        return self._sources.file_of(owner)

    def source_line(self, position: Position) -> str:
        return self._sources.line(position)

    def lock(self) -> Variable:
        """The variable that is true once nothing happens any more."""
        self._lock = self.heap.plain("ended", BOOLEAN)
        return self._lock


def translated(
    hierarchy: Hierarchy, entry: JavaMethod, options: JavaOptions, sources: SourceLines
) -> Program:
    """The Program of what an entry does."""
    found = Found(hierarchy, entry)
    sites = found.reachability.sites
    objects = dict.fromkeys(sites, 1)
    lengths = {
        key: _FIRST_LENGTH
        for key, site in sites.items()
        if site.type.startswith("[") and site.length is None
    }
    bounds = Bounds(objects, lengths)
    found.facts = Translation(found, bounds, options, sources).learn()
    return Translation(found, bounds, options, sources).program()


def _sample(bits: int) -> str:
    return f"only inputs of {bits} bits were tried"


def _method_name(key: MethodKey) -> str:
    owner = key[0].rsplit("/", 1)[-1].replace("$", ".")
    return f"{owner}.{key[1]}"
