"""The `.pds` format: what its texts mean, and what is only odd about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tepui.errors import UsageError
from tepui.languages import load, loads
from tepui.languages.pushdown.pds import write_pds
from tepui.model import EPSILON, Block, Description, NamedPattern, NamedRule, System, build

FIGURE_4 = """\
# Figure 4 of CUBA
4
PDA 1 2
0 1 -> 1 2
3 2 -> 0 1
PDA 4 6
0 4 -> 0 -
1 4 -> 2 5
2 5 -> 3 4 6
"""


def rules_of(system: System, thread: int) -> list[str]:
    template = system.template_of(thread)
    return [
        f"{system.shared[rule.source]}|{template.symbols[rule.top]}"
        f" -> {system.shared[rule.target]}|{template.word_text(rule.word)}"
        for rule in template.rules
    ]


def test_the_example_of_the_paper_is_read_rule_by_rule() -> None:
    loaded = loads(FIGURE_4, "pds", name="dir/figure4.pds", init="0|1,4")
    system = loaded.system
    assert loaded.warnings == []
    assert system.name == "figure4"
    assert system.shared == ("0", "1", "2", "3")
    assert system.thread_names == ("T1", "T2")
    assert rules_of(system, 0) == ["0|1 -> 1|2", "3|2 -> 0|1"]
    assert rules_of(system, 1) == ["0|4 -> 0|-", "1|4 -> 2|5", "2|5 -> 3|4 6"]
    assert system.state_text(system.initial, system.initial_stacks()) == "0 | 1, 4"
    assert not system.property


@pytest.mark.parametrize(
    "variant",
    [
        FIGURE_4.replace("\n", "\r\n"),
        FIGURE_4.replace("\n", "\r"),
        FIGURE_4.replace(" ", " \t "),
        FIGURE_4.replace("\n", "# comment -> 7 x\n"),
        FIGURE_4.replace("\n", "\n\n  \n"),
        FIGURE_4.replace("1 4 -> 2 5", "01 0004 -> 002 05"),
        FIGURE_4.replace(" -> ", "->"),
        "\ufeff" + FIGURE_4.rstrip(),
    ],
    ids=["CRLF", "CR", "tabs", "comments", "blank lines", "leading zeros", "tight", "BOM"],
)
def test_layout_does_not_matter(variant: str) -> None:
    assert loads(variant, "pds", init="0|1,4").system == loads(FIGURE_4, "pds", init="0|1,4").system


def test_rules_on_the_empty_stack_have_epsilon_as_top() -> None:
    system = loads("2\nPDA 0 1\n0 - -> 1 -\n1 - -> 0 1\n", "pds", init="0|-").system
    assert [(rule.top, len(rule.word)) for rule in system.templates[0].rules] == [
        (EPSILON, 0),
        (EPSILON, 1),
    ]


def test_a_right_hand_side_may_have_any_number_of_symbols() -> None:
    system = loads("1\nPDA 0 9\n0 1 -> 0 2 3 4 5\n", "pds", init="0|1").system
    assert rules_of(system, 0) == ["0|1 -> 0|2 3 4 5"]


def test_a_thread_without_rules_is_a_thread() -> None:
    system = loads("1\nPDA 0 1\nPDA 0 1\n0 1 -> 0 -\n", "pds", init="0|1,1").system
    assert [len(rules_of(system, thread)) for thread in (0, 1)] == [0, 1]


def test_equal_threads_share_a_template_and_keep_their_names() -> None:
    block = "PDA 0 1\n0 1 -> 0 -\n"
    system = loads(f"1\n{block}PDA 5 5\n{block}", "pds", init="0|1,5,1").system
    assert system.threads == (0, 1, 0)
    assert system.thread_names == ("T1", "T2", "T3")


def test_shared_states_are_numbered_in_the_order_of_their_numbers() -> None:
    system = loads("20\nPDA 0 1\n12 1 -> 3 1\n", "pds", init="7|1", targets=["9|*"]).system
    assert system.shared == ("3", "7", "9", "12")


def test_only_states_that_occur_count_so_a_huge_declaration_is_cheap() -> None:
    system = loads("999999999999999999\nPDA 0 999999999999999999\n", "pds", init="5|1").system
    assert system.shared == ("5",)


def test_symbols_outside_the_range_give_one_warning_for_each_thread() -> None:
    text = "1\nPDA 1 2\n0 1 -> 0 2\n0 9 -> 0 9\n0 9 -> 0 8\nPDA 1 2\n0 3 -> 0 4 5 6 7 8 9\n"
    loaded = loads(text, "pds", name="a.pds", init="0|1,1")
    assert loaded.warnings == [
        "a.pds:4: thread T1 declares the symbols 1 to 2 but also uses 9, 8",
        "a.pds:7: thread T2 declares the symbols 1 to 2 but also uses 3, 4, 5, 6, 7, …",
    ]


def test_stacks_of_several_symbols_are_dotted_or_blank_separated_top_first() -> None:
    text = "1\nPDA 1 9\n0 1 -> 0 2\nPDA 1 9\nPDA 1 9\n0 2 -> 0 1\n"
    for init in ("0|1.2,9,-", " 0 | 1 . 2 , 9 , - ", "0|1 2,9,- # start"):
        system = loads(text, "pds", init=init).system
        assert system.state_text(system.initial, system.initial_stacks()) == "0 | 1 2, 9, -"


def test_an_entry_may_be_repeated() -> None:
    text = "1\nPDA 1 9\nPDA 1 9\nPDA 1 9\n"
    system = loads(text, "pds", init="0|1.2 * 2,3", targets=["0|* * 2,3", "*|1 * 3"]).system
    assert system.state_text(system.initial, system.initial_stacks()) == "0 | 1 2, 1 2, 3"
    assert [pattern.tops[0] is None for pattern in system.property.patterns] == [True, False]


def test_an_initial_symbol_without_rules_is_fine_inside_the_range_only() -> None:
    text = "1\nPDA 1 5\n0 1 -> 0 7\n"
    inside, used, outside = (loads(text, "pds", init=f"0|{top}").warnings for top in (3, 7, 6))
    assert len(inside) == len(used) == 1
    assert outside[1:] == [
        "init: thread T1 starts with the symbol 6, which is not among its symbols 1 to 5"
    ]


def test_targets_have_wildcards_the_empty_stack_and_deadlock() -> None:
    targets = ["3|2,-", "*|*,05", "deadlock"]
    system = loads(FIGURE_4, "pds", init="0|1,4", targets=targets).system
    first, second = system.property.patterns
    assert first.shared == 3
    assert first.tops == (system.templates[0].symbols.index("2"), EPSILON)
    assert second.shared is None
    assert second.tops == (None, system.templates[1].symbols.index("5"))
    assert system.property.deadlock


def test_a_target_that_can_never_match_gives_a_warning() -> None:
    loaded = loads(
        "9\nPDA 1 4\n0 1 -> 0 2\n", "pds", init="0|3", targets=["0|4", "0|3", "8|*", "0|-"]
    )
    assert loaded.warnings == [
        "targets:1: this target can never match: thread T1 never uses the symbol 4",
        "targets:1: this target can never match: the shared state 8 does not occur",
    ]
    assert len(loaded.system.property.patterns) == 4


def test_siblings_give_the_initial_state_and_the_targets(tmp_path: Path) -> None:
    path = tmp_path / "a.PDS"
    path.write_text(FIGURE_4)
    (tmp_path / "a.init").write_text("# start\n\n0|1,4\n")
    (tmp_path / "a.spec").write_text("# bad\n0|1,6\n\n3|*,* # any\ndeadlock\n")
    system = load(path).system
    assert system.state_text(system.initial, system.initial_stacks()) == "0 | 1, 4"
    assert len(system.property.patterns) == 2
    assert system.property.deadlock


def test_options_come_before_siblings(tmp_path: Path) -> None:
    path = tmp_path / "a.pds"
    path.write_text(FIGURE_4)
    (tmp_path / "a.init").write_text("0|1,4\n")
    (tmp_path / "a.spec").write_text("0|1,6\n3|*,*\n")
    system = load(path, init="2|-,5.4", targets=["1|*,-"]).system
    assert system.state_text(system.initial, system.initial_stacks()) == "2 | -, 5 4"
    assert [pattern.tops for pattern in system.property.patterns] == [(None, EPSILON)]


def test_an_empty_spec_asks_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.pds"
    path.write_text(FIGURE_4)
    (tmp_path / "a.spec").write_text("")
    assert not load(path, init="0|1,4").system.property


def test_without_an_initial_state_nothing_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.pds"
    path.write_text(FIGURE_4)
    with pytest.raises(UsageError, match="give one with init, such as init="):
        load(path)
    with pytest.raises(UsageError, match="give one with init, such as init="):
        loads(FIGURE_4, "pds")


def test_numbers_are_written_as_they_are() -> None:
    system = loads(FIGURE_4, "pds", init="3|2.1,-", targets=["*|*,6", "deadlock"]).system
    written = write_pds(system)
    assert [line for line in written.pds.splitlines() if line and "#" not in line] == (
        FIGURE_4.splitlines()[1:]
    )
    assert written.init == "3|2.1,-\n"
    assert written.spec == "*|*,6\ndeadlock\n"


def test_other_names_are_numbered_and_explained() -> None:
    rules = [NamedRule("go", "a", "stop", ("7", "a"))]
    patterns = [NamedPattern("stop", ("7", "1"))]
    blocks = [Block("P", ("a",), rules), Block("two words", ("1",), [])]
    written = write_pds(build(Description("go", blocks, patterns, name="odd\nname")))
    assert written.pds == (
        '# "odd\\nname"\n# shared state 0 is go\n# shared state 1 is stop\n2\n'
        "\n# thread P\n# symbol 1 is a\n# symbol 2 is 7\nPDA 1 2\n0 1 -> 1 2 1\n"
        '\n# thread "two words"\nPDA 1 1\n'
    )
    assert (written.init, written.spec) == ("0|1,1\n", "1|2,1\n")


def test_shared_states_that_are_too_large_to_declare_are_numbered() -> None:
    for name, initial in (("9" * 17, "9" * 17), ("9" * 18, "0")):
        written = write_pds(build(Description(name, [Block("P", (), [])])))
        assert written.init == f"{initial}|-\n"
        assert len(loads(written.pds, "pds", init=written.init).system.shared) == 1
