"""The JSON files of the public PDAAAL tool (DEIS-Tools/PDAAAL): sequential, with costs or without.

    {"pda": {"states": {"p0": {"A": {"to": "p1", "push": "B", "weight": 1}, …}, …}}}
    {"instance": [{"state-names": true, "weight-type": "uint"}, {"states": …}, initial, final]}

States are named, or else listed and numbered from 0. Each state has its rules by the label on top:
one rule or a list of them, with `*` for every label. A rule pops that label, swaps it for another,
or pushes another on top of it. Sets of configurations are automata, in which numbers that are not
states are nodes of their own and an empty label is ε, or texts (`pdaaal_text`). Beside `pda`, a
file may have `initial` and `final`, and `optimise` for an option of the tool's command line.
Everything else is ignored, as the tool ignores it.

Costs of 0 and more become min-path weights. Files with negative costs are read, too; see
`tepui.weighted.negative_costs`. Vectors of weights are refused.

A file is read twice at most. The kernel reads the rules of any file that is correct, quickly
(`pdaaal_rules`), and nearly all files are. Where that fails, the file is read here, rule by rule,
which takes longer, and finds out what is wrong with it. Both ways lead to the same system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tepui.errors import InputError
from tepui.languages.source import Source
from tepui.weighted.configurations import Configurations
from tepui.weighted.domains import Boolean, MinPath
from tepui.weighted.files.documents import Document, Value
from tepui.weighted.files.forms import INFINITE, MOST_COST, BooleanForm, Form, Json, MinPathForm
from tepui.weighted.files.patterns import Alphabet
from tepui.weighted.files.pdaaal_automata import PAutomaton
from tepui.weighted.files.pdaaal_rules import NO_WEIGHTS, QuickPda, UnusualError, scanned
from tepui.weighted.files.pdaaal_text import StackText
from tepui.weighted.files.systems import FileThread, Given, WeightedFile
from tepui.weighted.negative_costs import Integers
from tepui.weighted.system import WeightedRule, WeightedSystem

ANY = "*"


@dataclass(frozen=True)
class IntegersForm(Form[Integers]):
    """A cost, which may be negative, or null for ∞."""

    domain: Integers
    name = "integers"

    def described(self) -> dict[str, Json]:
        return {"name": self.name}

    def read(self, value: Value, rule: int | None = None) -> int | None:
        return None if value.raw is None else value.integer("a cost", -MOST_COST, MOST_COST)

    def write(self, weight: int | None, rule: int | None = None) -> Json:
        return weight

    def answer(self, weight: int | None) -> Json:
        return INFINITE if weight is None else weight

    def lines(self, weight: int | None) -> list[str]:
        return [INFINITE if weight is None else str(weight)]


def is_pdaaal(document: Document) -> bool:
    """Whether a document looks like a file of that tool."""
    keys = document.content if isinstance(document.content, dict) else ()
    return "pda" in keys or "instance" in keys


def read_pdaaal(
    source: Source, start: Given | None = None, target: Given | None = None
) -> WeightedFile | None:
    """The content of a source, if it can be read quickly; a start and a target that are given
    replace its own."""
    found = scanned(source)
    if found is None:
        return None
    document, rules = found
    try:
        return _read(document, start, target, rules.pda)
    except UnusualError:
        return None
    except InputError as error:
        # The document is not the whole source, so errors in it are found again with their places.
        if error.source == source.name:
            return None
        raise


def pdaaal_of(
    document: Document, start: Given | None = None, target: Given | None = None
) -> WeightedFile:
    """The content of a document, read rule by rule."""
    return _read(document, start, target, _Pda.of)


def _read(
    document: Document, start: Given | None, target: Given | None, reader: _Reader
) -> WeightedFile:
    members = document.root.members("a file of PDAAAL")
    asked: Sequence[Value | None]
    if "instance" in members:
        kind, automaton, initial, final = members["instance"].items("an instance", 4)
        asked = [initial, final]
        pda = reader(automaton, *_kind(kind))
    elif "pda" in members:
        pda = reader(members["pda"], "unknown", None)
        asked = [members.get("initial"), members.get("final")]
    else:
        raise document.root.error("expected the key 'pda' or 'instance'")
    sets = [_asked(given or own, pda) for given, own in zip((start, target), asked, strict=True)]
    return _file(document.source.stem, pda, sets, longest=_is_longest(members))


@dataclass(frozen=True)
class _Asked:
    """A set of configurations that has been read, and its position, if it is a text in the file."""

    read: StackText | PAutomaton
    place: Value | None = None

    def configurations(self, states: Collection[str], labels: Collection[str]) -> Configurations:
        try:
            return self.read.configurations(states, labels)
        except InputError as error:
            raise error if self.place is None else self.place.text_error(error) from None


def _asked(given: Given | Value | None, pda: _AnyPda) -> _Asked | None:
    if given is None or (isinstance(given, Value) and given.raw is None):
        return None
    if isinstance(given, Given):
        if given.text.lstrip().startswith("{"):
            root = Document.of_text(given.text, given.source).root
            return _Asked(PAutomaton.of(root, pda.states, pda.named))
        return _Asked(StackText.of(given.text, given.source))
    if isinstance(given.raw, dict):
        return _Asked(PAutomaton.of(given, pda.states, pda.named))
    text = given.text("a set of configurations")
    try:
        return _Asked(StackText.of(text, "<text>"), given)
    except InputError as error:
        raise given.text_error(error) from None


def _file(name: str, pda: _AnyPda, sets: Sequence[_Asked | None], *, longest: bool) -> WeightedFile:
    labels = dict.fromkeys(pda.labels)
    for each in sets:
        labels |= dict.fromkeys(() if each is None else each.read.labels)
    alphabet = Alphabet(name, tuple(pda.states), tuple(labels))
    form = _form(pda)
    rules = pda.written_out(alphabet.symbols)
    if isinstance(form, IntegersForm):
        rules = tuple(rules)  # They are looked at again and again, one by one.
    asked = (None if each is None else each.configurations(pda.states, labels) for each in sets)
    thread = FileThread(name, WeightedSystem(form.domain, rules), alphabet, *asked)
    return WeightedFile(name, form, (thread,), longest=longest)


def _form(pda: _AnyPda) -> Form[Any]:
    if pda.weights in ("unknown", *NO_WEIGHTS):
        return BooleanForm(Boolean())
    if pda.least is not None and pda.least < 0:
        return IntegersForm(Integers())
    return MinPathForm(MinPath())


def _kind(value: Value) -> tuple[str, bool]:
    """The type of weights, and whether states have names."""
    members = value.fields("the kind of an instance", ("state-names", "weight-type"))
    weights = members["weight-type"]
    if isinstance(weights.raw, list):
        raise weights.error("vectors of weights are not read; expected 'uint', 'int' or 'none'")
    kind = weights.text("a weight type")
    if kind not in ("uint", "int", *NO_WEIGHTS):
        raise weights.expected("a weight type, which is 'uint', 'int' or 'none'")
    return kind, members["state-names"].truth("whether states have names")


def _is_longest(members: dict[str, Value]) -> bool:
    value = members.get("optimise")
    return value is not None and value.text("what to optimise").startswith("longest")


@dataclass(frozen=True)
class _PdaRule:
    """A rule as it is in a file; it may stand for many."""

    source: str
    label: str
    target: str
    operation: str
    operand: str
    weight: int | None

    @property
    def labels(self) -> Iterator[str]:
        """The labels that it names."""
        if self.label != ANY:
            yield self.label
        if self.operand and not (self.operand == self.label == ANY):
            yield self.operand

    def written_out(self, labels: Sequence[str]) -> list[WeightedRule[Any]]:
        """The rules that it stands for, given all labels."""
        weight = True if self.weight is None else self.weight
        tops = labels if self.label == ANY else (self.label,)
        return [
            WeightedRule(self.source, top, self.target, self._word(top), weight) for top in tops
        ]

    def _word(self, top: str) -> tuple[str, ...]:
        if self.operation == "pop":
            return ()
        if self.operation == "push":
            return (self.operand, top)
        return (top,) if self.operand == self.label == ANY else (self.operand,)


@dataclass
class _Pda:
    """A pushdown automaton."""

    weights: str
    """The type of its weights; «unknown» until the first rule shows whether it has weights."""
    named: bool
    """Whether its states have names, and not just numbers."""
    states: dict[str, None] = field(default_factory=dict)
    rules: list[_PdaRule] = field(default_factory=list)

    @classmethod
    def of(cls, value: Value, weights: str, named: bool | None) -> _Pda:
        """Read one. `named` says whether states have names; None means that the file shows it."""
        members = value.members("a pushdown automaton")
        if "states" not in members:
            raise value.error("expected the key 'states' in a pushdown automaton")
        states = members["states"]
        if named is None:
            named = isinstance(states.raw, dict)
        blocks = (
            states.members("the states by their names")
            if named
            else {str(number): each for number, each in enumerate(states.items("the states"))}
        )
        pda = cls(weights, named, dict.fromkeys(blocks))
        for state, block in blocks.items():
            for label, rules in block.members("the rules of a state").items():
                if not label:
                    raise rules.key_error("expected a label, found an empty name")
                for rule in rules.items("rules") if isinstance(rules.raw, list) else [rules]:
                    pda._add(state, label, rule)
        return pda

    @property
    def labels(self) -> Iterable[str]:
        return (label for rule in self.rules for label in rule.labels)

    @property
    def least(self) -> int | None:
        return min((rule.weight for rule in self.rules if rule.weight is not None), default=None)

    def written_out(self, labels: Sequence[str]) -> Sequence[WeightedRule[Any]]:
        return tuple(rule for each in self.rules for rule in each.written_out(labels))

    def _add(self, source: str, label: str, value: Value) -> None:
        members = value.fields("a rule", ("to",), (*_OPERATIONS, "weight"))
        given = [key for key in _OPERATIONS if key in members]
        if len(given) != 1:
            raise value.error("expected one of the keys 'pop', 'swap' and 'push' in a rule")
        (operation,) = given
        operand = members[operation].text("a label")
        if (operation == "pop") is not (operand == ""):
            wanted = "nothing, that is, ''," if operation == "pop" else "a label"
            raise members[operation].expected(f"{wanted} after '{operation}'")
        to = members["to"]
        target = to.text("a state") if self.named else str(to.integer("the number of a state", 0))
        self.states[target] = None
        weight = self._weight(value, members.get("weight"))
        self.rules.append(_PdaRule(source, label, target, operation, operand, weight))

    def _weight(self, rule: Value, value: Value | None) -> int | None:
        if self.weights == "unknown":
            self.weights = "none" if value is None else "int"
        if self.weights in NO_WEIGHTS:
            if value is not None:
                raise value.key_error("rules have no weights here, but this one has")
            return None
        if value is None:
            raise rule.error("expected the key 'weight' in a rule: rules have weights here")
        least = 0 if self.weights == "uint" else -MOST_COST
        return value.integer("a weight", least, MOST_COST)


_OPERATIONS = ("pop", "swap", "push")

_AnyPda = _Pda | QuickPda
_Reader = Callable[[Value, str, bool | None], _AnyPda]
