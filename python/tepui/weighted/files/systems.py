"""Weighted pushdown systems as JSON files, read and written (docs/weighted.md).

A file holds one system, or several threads that share states, over one domain. It may also name the
two sets of configurations between which the weight is asked for. Files are untrusted: every mistake
in one is an InputError that points at the place. The files of the public PDAAAL tool are read by
`tepui.weighted.files.pdaaal`, automata are read and written by `tepui.weighted.files.automata`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tepui.errors import InputError, ModelError
from tepui.weighted.configurations import Configurations, Inner
from tepui.weighted.domains import Merging
from tepui.weighted.files.automata import read_configurations, write_configurations
from tepui.weighted.files.documents import Document, Value, json_text
from tepui.weighted.files.domains import form_of, read_form
from tepui.weighted.files.forms import Form, Json
from tepui.weighted.files.patterns import Alphabet, product_of
from tepui.weighted.system import WeightedRule, WeightedSystem
from tepui.words import shown

FORMAT = "tepui-weighted-system"
VERSION = 1
MOST_CONTEXTS = 1_000_000


@dataclass(frozen=True)
class FileThread:
    """The rules of one thread, with its start and target."""

    name: str
    system: WeightedSystem[Any]
    alphabet: Alphabet
    start: Configurations | None = None
    target: Configurations | None = None


@dataclass(frozen=True)
class WeightedFile:
    """The content of a file."""

    name: str
    form: Form[Any]
    threads: tuple[FileThread, ...]
    """Just one if the system is sequential."""
    contexts: int | None = None
    """The largest number of contexts; None if the system is sequential, or if the file leaves it
    open."""
    longest: bool = False
    """Whether the most expensive runs are asked for, which no bounded semiring can compute."""

    @property
    def is_concurrent(self) -> bool:
        return len(self.threads) > 1

    @classmethod
    def of(
        cls,
        system: WeightedSystem[Any],
        start: Configurations | None = None,
        target: Configurations | None = None,
        name: str = "system",
    ) -> WeightedFile:
        """A file about one system that comes from Python."""
        sets = [each for each in (start, target) if each is not None]
        steps = sorted((step for each in sets for step in each.transitions), key=str)
        nodes = [source for source, _, _ in steps]
        nodes += sorted((node for each in sets for node in each.accepting), key=str)
        states = [*system.states, *(node for node in nodes if not isinstance(node, Inner))]
        symbols = [*system.symbols, *(each for _, each, _ in steps if each is not None)]
        alphabet = Alphabet(
            name,
            _in_file(dict.fromkeys(states), "state"),
            _in_file(dict.fromkeys(symbols), "symbol"),
        )
        thread = FileThread(name, system, alphabet, start, target)
        return cls(name, form_of(system.domain), (thread,))


@dataclass(frozen=True)
class Given:
    """A set of configurations from outside the file: its text, and where the text comes from."""

    text: str
    source: str


def read_weighted(path: str | Path) -> WeightedFile:
    """The file at this path, in our form."""
    return weighted_of(Document.of_file(Path(path)))


def weighted_of(document: Document) -> WeightedFile:
    """The content of a document in our form."""
    root = document.root
    root.require_format("a weighted pushdown system", FORMAT, VERSION)
    if isinstance(root.raw, dict) and "threads" in root.raw:
        return _concurrent(root)
    members = root.fields("a weighted pushdown system", (*_HEAD, "rules"), (*_ASKED, "symbols"))
    name = _title(members)
    form = read_form(members["domain"])
    listed = _Listed.of(members, members)
    rules = _rules(members["rules"], form, listed, 0)
    alphabet = listed.alphabet(name, rules, rules)
    thread = FileThread(
        name,
        WeightedSystem(form.domain, tuple(rules)),
        alphabet,
        *(_configurations(members.get(key), alphabet) for key in ("start", "target")),
    )
    return WeightedFile(name, form, (thread,))


def written(file: WeightedFile) -> str:
    """The text of a file, in our form; reading it gives the same back."""
    form_of(file.form.domain)  # Refuses the costs of PDAAAL that may be negative.
    head: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "name": file.name,
        "domain": file.form.described(),
        "states": _in_file(file.threads[0].alphabet.states, "state"),
    }
    if file.contexts is not None:
        head["contexts"] = file.contexts
    lines = [f"  {json.dumps(key)}: {json_text(value)}," for key, value in head.items()]
    if not file.is_concurrent and file.contexts is None:
        return "\n".join(["{", *lines, *_thread_lines(file, file.threads[0], 0, "  "), "}", ""])
    first = 0
    blocks = []
    for thread in file.threads:
        name = f'      "name": {json_text(thread.name)},'
        body = _thread_lines(file, thread, first, "      ")
        blocks.append("\n".join(["    {", name, *body, "    }"]))
        first += len(thread.system.rules)
    return "\n".join(["{", *lines, '  "threads": [', ",\n".join(blocks), "  ]", "}", ""])


_HEAD = ("format", "version", "domain")
_ASKED = ("name", "states", "start", "target")


def _title(members: dict[str, Value]) -> str:
    """The name of the system that a file gives, or else the name of the file."""
    if "name" in members:
        return members["name"].text("a name")
    return members["format"].document.source.stem


def _concurrent(root: Value) -> WeightedFile:
    members = root.fields("a concurrent system", (*_HEAD, "threads"), (*_ASKED, "contexts"))
    name = _title(members)
    form = read_form(members["domain"])
    blocks = [
        block.fields("a thread", ("name", "rules"), ("symbols", "start", "target"))
        for block in members["threads"].items("the threads")
    ]
    if not blocks:
        raise members["threads"].error("expected at least one thread")
    names = [_thread_name(block, blocks[:number]) for number, block in enumerate(blocks)]
    listed = [_Listed.of(members, block) for block in blocks]
    rules: list[list[WeightedRule[Any]]] = []
    for block, known in zip(blocks, listed, strict=True):
        rules.append(_rules(block["rules"], form, known, sum(map(len, rules))))
    everywhere = [rule for own in rules for rule in own]
    alphabets = [
        known.alphabet(name, everywhere, own)
        for known, name, own in zip(listed, names, rules, strict=True)
    ]
    starts, targets = (_product(key, members, blocks, alphabets) for key in ("start", "target"))
    threads = tuple(
        FileThread(alphabet.thread, WeightedSystem(form.domain, tuple(own)), alphabet, *asked)
        for alphabet, own, *asked in zip(alphabets, rules, starts, targets, strict=True)
    )
    contexts = members.get("contexts")
    bound = None if contexts is None else contexts.integer("a number of contexts", 0, MOST_CONTEXTS)
    return WeightedFile(name, form, threads, bound)


def _thread_name(block: dict[str, Value], before: Sequence[dict[str, Value]]) -> str:
    name = block["name"].text("the name of a thread")
    if any(each["name"].raw == name for each in before):
        raise block["name"].error(f"there are two threads called '{shown(name)}'")
    return name


def _product(
    key: str,
    members: dict[str, Value],
    blocks: Sequence[dict[str, Value]],
    alphabets: Sequence[Alphabet],
) -> Sequence[Configurations | None]:
    """The start or the target of each thread: one pattern for all of them, or one set for each."""
    whole = members.get(key)
    if whole is None:
        return [
            _configurations(block.get(key), alphabet)
            for block, alphabet in zip(blocks, alphabets, strict=True)
        ]
    for block in blocks:
        if key in block:
            raise block[key].key_error(f"the {key} is there for all threads already")
    text = whole.text(f"the {key} of all threads")
    try:
        return product_of(text, alphabets)
    except InputError as error:
        raise whole.text_error(error) from None


def _configurations(value: Value | None, alphabet: Alphabet) -> Configurations | None:
    return None if value is None else read_configurations(value, alphabet)


@dataclass(frozen=True)
class _Listed:
    """The states and symbols that a file lists; None where it leaves that to the rules."""

    states: dict[str, None] | None
    symbols: dict[str, None] | None

    @classmethod
    def of(cls, file: dict[str, Value], thread: dict[str, Value]) -> _Listed:
        return cls(
            _names(file["states"], "state") if "states" in file else None,
            _names(thread["symbols"], "stack symbol") if "symbols" in thread else None,
        )

    def state(self, value: Value) -> str:
        return self._known(value, "state", self.states)

    def symbol(self, value: Value) -> str:
        return self._known(value, "stack symbol", self.symbols)

    def alphabet(
        self, thread: str, everywhere: Iterable[WeightedRule[Any]], own: Iterable[WeightedRule[Any]]
    ) -> Alphabet:
        """The names of a thread with these rules; the states are those of all threads."""
        states = dict.fromkeys(s for rule in everywhere for s in (rule.state, rule.target))
        symbols = dict.fromkeys(s for rule in own for s in (rule.symbol, *rule.word))
        names = (
            tuple(map(str, listed)) for listed in (self.states or states, self.symbols or symbols)
        )
        return Alphabet(thread, *names)

    def _known(self, value: Value, what: str, known: dict[str, None] | None) -> str:
        name = _name(value, what)
        if known is not None and name not in known:
            raise value.expected(f"a {what} that the file lists")
        return name


def _rules(value: Value, form: Form[Any], listed: _Listed, first: int) -> list[WeightedRule[Any]]:
    """The rules of a list; numbers run on from thread to thread of a file."""
    items = value.items("the rules")
    return [_rule(item, form, listed, number) for number, item in enumerate(items, first)]


def _rule(value: Value, form: Form[Any], listed: _Listed, number: int) -> WeightedRule[Any]:
    members = value.fields("a rule", ("from", "to"), ("weight", "merges"))
    state, symbol = members["from"].items("a state and a symbol, a list", 2)
    target = members["to"].items("a state and symbols")
    if not target:
        raise members["to"].error("expected a state, found nothing")
    weight = members.get("weight")
    return WeightedRule(
        listed.state(state),
        listed.symbol(symbol),
        listed.state(target[0]),
        tuple(map(listed.symbol, target[1:])),
        form.unspoken(number) if weight is None else form.read(weight, number),
        "merges" in members and _merges(members["merges"], form, len(target) - 1),
    )


def _merges(value: Value, form: Form[Any], pushed: int) -> bool:
    merges = value.truth("whether the rule merges")
    if merges and pushed != 2:
        raise value.error(
            f"expected two symbols on the right of a rule that merges, found {pushed}"
        )
    if merges and not isinstance(form.domain, Merging):
        raise value.error(f"the weights of the domain {form.name} cannot be merged")
    return merges


def _name(value: Value, what: str) -> str:
    if value.raw == "":
        raise value.error(f"expected a {what}, found an empty name")
    return value.text(f"a {what}")


def _names(value: Value, what: str) -> dict[str, None]:
    names: dict[str, None] = {}
    for item in value.items(f"a list of {what}s"):
        name = _name(item, what)
        if name in names:
            raise item.error(f"the {what} '{shown(name)}' is listed twice")
        names[name] = None
    return names


def _thread_lines(file: WeightedFile, thread: FileThread, first: int, margin: str) -> list[str]:
    """The members of a thread, a rule on each line."""
    asked = [
        f"{margin}{json.dumps(key)}: {json_text(write_configurations(configurations))},"
        for key, configurations in (("start", thread.start), ("target", thread.target))
        if configurations is not None
    ]
    rules = [
        f"{margin}  {json_text(_rule_in_file(file.form, rule, number))}"
        for number, rule in enumerate(thread.system.rules, first)
    ]
    symbols = _in_file(thread.alphabet.symbols, "stack symbol")
    return [
        f'{margin}"symbols": {json_text(symbols)},',
        *asked,
        f'{margin}"rules": [',
        *([",\n".join(rules)] if rules else []),
        f"{margin}]",
    ]


def _rule_in_file(form: Form[Any], rule: WeightedRule[Any], number: int) -> dict[str, Json]:
    return {
        "from": _in_file([rule.state, rule.symbol], "name"),
        "to": _in_file([rule.target, *rule.word], "name"),
        "weight": form.write(rule.weight, number),
        **({"merges": True} if rule.merges else {}),
    }


def _in_file(names: Iterable[Any], what: str) -> list[str]:
    """The same names; an error if a file cannot hold them."""
    listed = list(names)
    for name in listed:
        if not isinstance(name, str) or not name:
            raise ModelError(f"in a file every {what} is a string, and {name!r} is none")
    return listed
