"""The `.mch` format: claimed pairs by thread, in the numbers of the system."""

from __future__ import annotations

from tepui.languages import read_cpds_text, read_matching_text, read_pds_text
from tepui.model import System

SYSTEM = read_pds_text("1\nPDA 1 3\n0 1 -> 0 2 3\nPDA 1 3\n0 1 -> 0 2 3\n", init="0|1,1").system


def by_name(system: System, pairs: frozenset[tuple[int, int]], thread: int) -> set[str]:
    symbols = system.template_of(thread).symbols
    return {f"{symbols[returning]} {symbols[emerging]}" for returning, emerging in pairs}


def test_pairs_belong_to_threads_even_if_these_are_equal() -> None:
    matching = read_matching_text("# Ω\nPDA\n2 3\n02 1\r\nPDA # none\n", SYSTEM)
    assert by_name(SYSTEM, matching.pairs[0], 0) == {"2 3", "2 1"}
    assert matching.pairs[1] == frozenset()
    assert matching.warnings == []


def test_pairs_with_unknown_symbols_are_ignored_with_a_warning() -> None:
    matching = read_matching_text("PDA\nPDA\n2 9\n8 9\n8 8\n1 3", SYSTEM, source="a.mch")
    assert by_name(SYSTEM, matching.pairs[1], 1) == {"1 3"}
    assert matching.warnings == [
        "a.mch:3: thread T2 has no symbol 9; pair ignored",
        "a.mch:4: thread T2 has no symbol 8 and 9; pair ignored",
        "a.mch:5: thread T2 has no symbol 8; pair ignored",
    ]


def test_a_dash_in_quotes_is_no_symbol() -> None:
    matching = read_matching_text('PDA\n1 "-"\nPDA\n', SYSTEM)
    assert matching.pairs == (frozenset(), frozenset())
    assert len(matching.warnings) == 1


def test_names_of_cpds_files_can_be_matched() -> None:
    system = read_cpds_text('initial q\nthread P {\n stack a "b c" PDA\n}\n').system
    matching = read_matching_text('PDA\na "b c"\n"PDA" a\n', system)
    assert by_name(system, matching.pairs[0], 0) == {"a b c", "PDA a"}
