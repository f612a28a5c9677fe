"""Automata as JSON: regular sets of configurations, and automata with weights.

States of the pushdown system are strings, inner nodes are integers, and null is ε. A set of
configurations is a pattern, a list of patterns, or an automaton without weights, in which no
transition leads to a state (WPDS, Definition 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tepui.errors import InputError, ModelError
from tepui.weighted.configurations import Configurations, Inner, Node, Transition, WeightedAutomaton
from tepui.weighted.files.documents import Document, Value, json_text
from tepui.weighted.files.domains import read_form
from tepui.weighted.files.forms import Form, Json
from tepui.weighted.files.patterns import Alphabet, configurations_of, joined
from tepui.words import did_you_mean

FORMAT = "tepui-weighted-automaton"
VERSION = 1


def read_configurations(value: Value, alphabet: Alphabet) -> Configurations:
    """A set of configurations over known names."""
    if isinstance(value.raw, dict):
        return _automaton(value, alphabet)
    if isinstance(value.raw, str):
        return _pattern(value, alphabet)
    if not isinstance(value.raw, list):
        raise value.expected("a pattern such as '<p, a b*>', a list of patterns, or an automaton")
    items = value.items("patterns")
    return joined([_pattern(item, alphabet, number) for number, item in enumerate(items)])


def write_configurations(configurations: Configurations) -> Json:
    """The JSON value from which `read_configurations` reads the same set."""
    transitions = configurations.transitions
    number = _numbering(transitions, configurations.accepting)
    return {
        "transitions": sorted(
            ([number(s), symbol, number(t)] for s, symbol, t in transitions), key=_order
        ),
        "accepting": sorted(map(number, configurations.accepting), key=_order),
    }


def automaton_of(document: Document) -> tuple[Form[Any], WeightedAutomaton[Any]]:
    """The automaton that a document holds."""
    keys = ("format", "version", "domain", "direction", "transitions", "accepting")
    document.root.require_format("an automaton", FORMAT, VERSION)
    members = document.root.fields("an automaton", keys)
    form = read_form(members["domain"])
    direction = members["direction"].raw
    if direction not in ("forward", "backward"):
        raise members["direction"].expected("'forward' or 'backward'")
    transitions: dict[Transition, Any] = {}
    for item in members["transitions"].items("the transitions"):
        source, symbol, target, weight = item.items("a transition with a weight", 4)
        transition = (_node(source), _symbol(symbol), _node(target))
        if transition in transitions:
            raise item.error("this transition is there already")
        transitions[transition] = form.read(weight)
    accepting = frozenset(map(_node, members["accepting"].items("the accepting nodes")))
    return form, WeightedAutomaton(form.domain, transitions, accepting, direction)


def automaton_in_file(form: Form[Any], automaton: WeightedAutomaton[Any]) -> dict[str, Json]:
    """The JSON value from which `automaton_of` reads the same automaton, up to the numbers of inner
    nodes."""
    number = _numbering(automaton.transitions, automaton.accepting)
    return {
        "format": FORMAT,
        "version": VERSION,
        "domain": form.described(),
        "direction": automaton.direction,
        "transitions": sorted(
            (
                [number(s), symbol, number(t), form.write(weight)]
                for (s, symbol, t), weight in automaton.transitions.items()
            ),
            key=lambda each: _order(each[:3]),
        ),
        "accepting": sorted(map(number, automaton.accepting), key=_order),
    }


def written_automaton(form: Form[Any], automaton: WeightedAutomaton[Any]) -> str:
    """The text of a file, a transition on each line."""
    members = automaton_in_file(form, automaton)
    rows = [f"    {json_text(each)}" for each in members["transitions"]]
    members["transitions"] = None
    lines = [
        f"  {json_text(key)}: "
        + ("[\n" + ",\n".join(rows) + "\n  ]" if value is None else json_text(value))
        for key, value in members.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _pattern(value: Value, alphabet: Alphabet, number: int = 0) -> Configurations:
    text = value.text("a pattern such as '<p, a b*>'")
    try:
        return configurations_of(text, alphabet, number=number)
    except InputError as error:
        raise value.text_error(error) from None


def _automaton(value: Value, alphabet: Alphabet) -> Configurations:
    members = value.fields("an automaton", ("transitions", "accepting"))
    states, symbols = set(alphabet.states), set(alphabet.symbols)

    def node(value: Value) -> Node:
        found = _node(value)
        if not isinstance(found, Inner) and found not in states:
            hint = did_you_mean(str(found), alphabet.states, "the states are")
            raise value.error(f"there is no state '{found}'{hint}")
        return found

    transitions: set[Transition] = set()
    for item in members["transitions"].items("the transitions"):
        source, symbol, target = item.items("a transition", 3)
        if isinstance(target.raw, str):
            raise target.expected("an inner node, which is an integer: none leads to a state")
        if symbol.raw is not None and _symbol(symbol) not in symbols:
            hint = did_you_mean(str(symbol.raw), alphabet.symbols, "the symbols are")
            raise symbol.error(f"there is no stack symbol '{symbol.raw}'{hint}")
        transitions.add((node(source), _symbol(symbol), node(target)))
    accepting = map(node, members["accepting"].items("the accepting nodes"))
    return Configurations(frozenset(transitions), frozenset(accepting))


def _node(value: Value) -> Node:
    if type(value.raw) is int:
        return Inner(value.raw)
    if not isinstance(value.raw, str):
        raise value.expected("a node, which is a state or an integer")
    return value.raw


def _symbol(value: Value) -> str | None:
    return None if value.raw is None else value.text("a stack symbol or null")


def _numbering(
    transitions: Iterable[Transition] | Mapping[Transition, Any], accepting: Iterable[Node]
) -> Callable[[Node], Json]:
    """Numbers for inner nodes: their own, or else numbers in an order that is the same in every
    run."""
    nodes = {node for source, _, target in transitions for node in (source, target)} | {*accepting}
    inner = {node for node in nodes if isinstance(node, Inner)}
    for state in nodes - inner:
        if not isinstance(state, str) or not state:
            raise ModelError(f"in a file every state is a string, and {state!r} is none")
    numbers: dict[Node, Any] = {node: node.name for node in inner}
    if not all(type(name) is int for name in numbers.values()):
        ordered = sorted(inner, key=lambda node: repr(node.name))
        numbers = {node: number for number, node in enumerate(ordered)}
    return lambda node: numbers.get(node, node)


def _order(value: Json) -> Any:
    """A key that sorts integers, strings, null and lists of them."""
    if isinstance(value, list):
        return [_order(each) for each in value]
    return (1, 0, value) if isinstance(value, str) else (0, -1 if value is None else value, "")
