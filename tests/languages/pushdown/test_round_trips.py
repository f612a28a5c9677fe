"""What is written reads back: exactly in `.cpds`, up to names and numbers in `.pds`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tepui.languages import load, loads
from tepui.languages.pushdown.cpds import write_cpds
from tepui.languages.pushdown.pds import write_pds
from tepui.model import Block, Description, NamedPattern, NamedRule, System, build

ODD_NAMES = st.text(max_size=4) | st.sampled_from(
    ["a", "stack", "bad", "*", "->", "a->b", "a-", "1.2", '"', "\\", "#", "\r\n", "}", "00", "é"]
)
NUMBERS = st.integers(0, 30).map(str)


@st.composite
def systems(draw: st.DrawFn, names: st.SearchStrategy[str] = ODD_NAMES) -> System:
    """Any system that `build` can make, with names of the given kind."""
    symbols = st.sampled_from(
        draw(st.lists(names.filter(lambda name: name != "-"), min_size=1, max_size=4))
    )
    shared_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    shared = st.sampled_from(shared_names)
    words = st.lists(symbols, max_size=3).map(tuple)
    rules = st.lists(st.builds(NamedRule, shared, st.none() | symbols, shared, words), max_size=5)
    some_rules = draw(st.lists(rules, min_size=1, max_size=2))
    thread_names = draw(st.lists(ODD_NAMES, min_size=1, max_size=4, unique=True))
    blocks = [
        Block(name, draw(words), draw(st.sampled_from(some_rules)), draw(st.integers(1, 3)))
        for name in thread_names
    ]
    threads = sum(block.count for block in blocks)
    tops = st.lists(st.none() | st.just("-") | symbols, min_size=threads, max_size=threads)
    patterns = st.builds(NamedPattern, st.none() | shared, tops.map(tuple))
    return build(
        Description(
            initial=draw(shared),
            blocks=blocks,
            patterns=draw(st.lists(patterns, max_size=3)),
            deadlock=draw(st.booleans()),
            shared=draw(st.just([]) | st.permutations(shared_names)),
        )
    )


@given(systems())
def test_cpds_gives_back_the_same_system(system: System) -> None:
    again = loads(write_cpds(system), "cpds", name="system").system
    if has_plain_thread_names(system):
        assert again == system
    else:
        assert nameless(again) == nameless(system)


@given(systems(NUMBERS))
def test_pds_gives_back_the_same_system_if_its_names_are_numbers(system: System) -> None:
    canonical = through_pds(system)
    assert by_name(canonical) == by_name(system)
    assert through_pds(canonical) == canonical


@given(systems())
def test_pds_gives_back_the_same_system_up_to_names(system: System) -> None:
    again = through_pds(system)
    assert len(again.threads) == len(system.threads)
    assert by_name(again) == by_name(renamed_for_pds(system))


@given(systems())
def test_writing_twice_gives_the_same_text(system: System) -> None:
    text = write_cpds(system)
    assert write_cpds(loads(text, "cpds", name=system.name).system) == text


def public_inputs() -> list[Path]:
    folder = os.environ.get("TEPUI_BENCHMARKS")
    return sorted(Path(folder).rglob("*.pds")) if folder else []


@pytest.mark.skipif(not public_inputs(), reason="TEPUI_BENCHMARKS is not set")
def test_all_public_inputs_read_and_survive_both_formats() -> None:
    for path in public_inputs():
        init = None if path.with_suffix(".init").exists() else some_state(path)
        system = load(path, init).system
        middle = loads(write_cpds(system), "cpds", name=system.name).system
        assert middle == system, path
        assert through_pds(middle) == system, path


def some_state(path: Path) -> str:
    """An initial state for a file that has none: all stacks empty."""
    threads = path.read_text().count("\nPDA")
    return f"0|- * {threads}"


def through_pds(system: System) -> System:
    written = write_pds(system)
    targets = written.spec.splitlines() or None
    return loads(written.pds, "pds", name=system.name, init=written.init, targets=targets).system


def has_plain_thread_names(system: System) -> bool:
    """Whether the names of threads and templates are those that blocks give."""
    blocks = {name.rpartition(".")[0] for name in system.thread_names}
    plain = all("." not in name and "#" not in name for name in blocks)
    return plain and len(set(system.thread_names)) == len(system.thread_names)


def nameless(system: System) -> System:
    """The system without the names of threads and templates."""
    templates = tuple(replace(template, name="") for template in system.templates)
    return replace(system, templates=templates, thread_names=())


def renamed_for_pds(system: System) -> System:
    """The system with the numbers that the `.pds` writer gives to names that are not numbers."""
    return replace(
        system,
        shared=numbered(system.shared, 0),
        templates=tuple(
            replace(template, symbols=("-", *numbered(template.symbols[1:], 1)))
            for template in system.templates
        ),
    )


def numbered(names: Sequence[str], start: int) -> tuple[str, ...]:
    if all(name.isdecimal() and name.isascii() and str(int(name)) == name for name in names):
        return tuple(names)
    return tuple(str(number) for number in range(start, start + len(names)))


def by_name(system: System) -> object:
    """All that matters about a system, without its numbers and the names of its threads."""

    def shared(state: int | None) -> str:
        return "*" if state is None else system.shared[state]

    threads = [
        (
            template.word_text(template.stack),
            {
                (
                    shared(rule.source),
                    template.symbols[rule.top],
                    shared(rule.target),
                    template.word_text(rule.word),
                )
                for rule in template.rules
            },
        )
        for template in map(system.template_of, range(len(system.threads)))
    ]
    patterns = {
        (
            shared(pattern.shared),
            tuple(
                "*" if top is None else system.template_of(thread).symbols[top]
                for thread, top in enumerate(pattern.tops)
            ),
        )
        for pattern in system.property.patterns
    }
    return shared(system.initial), threads, patterns, system.property.deadlock
