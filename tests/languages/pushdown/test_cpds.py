"""The `.cpds` format: what its texts mean, even with keywords and odd names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tepui.errors import InputError
from tepui.languages import load, loads
from tepui.languages.pushdown.cpds import write_cpds
from tepui.model import EPSILON, Block, Description, NamedRule, System, build

FIGURE_4 = """\
# Figure 4 of CUBA
shared q0 q1 q2 q3            # fixes the order
initial q0

thread P1 {
    stack 1
    q0 | 1 -> q1 | 2          # overwrite
    q3 | 2 -> q0 | 1
}
thread P2 * 3 {
    stack 4 6 6
    q0 | 4 -> q0 | -          # pop
    q2 | 5 -> q3 | 4 6        # push
    q0 | - -> q1 | 4          # on the empty stack
}
bad q0 | 1, 6, *, -
bad * | *, 5 * 2, *
bad deadlock
"""


def start(system: System) -> str:
    return system.state_text(system.initial, system.initial_stacks())


def test_the_example_of_the_paper_is_read() -> None:
    loaded = loads(FIGURE_4, "cpds", name="figure4.cpds")
    system = loaded.system
    assert loaded.warnings == [
        "figure4.cpds: rules wait for the shared state 'q2', but none leads to it",
        "figure4.cpds: thread P2: rules take '5', but nothing ever puts it on top of the stack",
    ]
    assert system.name == "figure4"
    assert system.shared == ("q0", "q1", "q2", "q3")
    assert system.thread_names == ("P1", "P2.1", "P2.2", "P2.3")
    assert system.threads == (0, 1, 1, 1)
    assert [template.name for template in system.templates] == ["P1", "P2"]
    assert start(system) == "q0 | 1, 4 6 6, 4 6 6, 4 6 6"
    assert [rule.kind for rule in system.templates[1].rules] == ["pop", "push", "push"]
    assert system.templates[1].rules[2].top == EPSILON
    six, five = (system.templates[1].symbols.index(name) for name in "65")
    assert [(pattern.shared, pattern.tops) for pattern in system.property.patterns] == [
        (0, (1, six, None, EPSILON)),
        (None, (None, five, five, None)),
    ]
    assert system.property.deadlock


def test_the_example_is_written_as_it_was() -> None:
    text = write_cpds(loads(FIGURE_4, "cpds", name="figure4.cpds").system)
    assert text == (
        "# figure4\nshared q0 q1 q2 q3\ninitial q0\n\n"
        "thread P1 {\n    stack 1\n    q0 | 1 -> q1 | 2\n    q3 | 2 -> q0 | 1\n}\n\n"
        "thread P2 * 3 {\n    stack 4 6 6\n    q0 | 4 -> q0 | -\n"
        "    q2 | 5 -> q3 | 4 6\n    q0 | - -> q1 | 4\n}\n\n"
        "bad q0 | 1, 6, *, -\nbad * | *, 5, 5, *\nbad deadlock\n"
    )


@pytest.mark.parametrize(
    "variant",
    [
        FIGURE_4.replace("\n", "\r\n"),
        FIGURE_4.replace("    ", "\t"),
        FIGURE_4.replace(" | ", "|").replace(" -> ", "->").replace(", ", ","),
        FIGURE_4.replace("\n", "  # more\n\n"),
        FIGURE_4.replace("stack 4 6 6", "stack 4.6 . 6"),
        FIGURE_4.replace("q0 q1 q2 q3", "q0 q1\nshared q2 q3"),
        FIGURE_4.replace("q1", '"q1"').replace("P2", '"P2"').replace("6", '"6"'),
        "\ufeff" + FIGURE_4.rstrip(),
    ],
    ids=["CRLF", "tabs", "tight", "comments", "dots", "two shared lines", "quotes", "BOM"],
)
def test_layout_does_not_matter(variant: str) -> None:
    assert loads(variant, "cpds").system == loads(FIGURE_4, "cpds").system


def test_bad_lines_and_initial_may_come_anywhere() -> None:
    thread = "thread P {\n q | a -> r | a\n stack a\n}\n"
    texts = [f"bad r | a\n{thread}initial q\n", f"initial q\n{thread}bad r | a\n"]
    first, second = (loads(text, "cpds").system for text in texts)
    assert first == second


def test_without_a_shared_line_states_are_numbered_as_met() -> None:
    text = "initial z\nthread P {\n stack a\n b | a -> a | -\n}\n"
    assert loads(text, "cpds").system.shared == ("z", "b", "a")


def test_keywords_are_names_where_nothing_else_fits() -> None:
    text = """\
shared shared initial thread stack bad deadlock
initial initial
thread thread {
    stack stack bad
    stack | stack -> thread | thread bad
    thread | thread -> bad | deadlock
    bad | bad -> shared | -
    shared | - -> deadlock | stack
}
bad deadlock | deadlock
bad bad | bad
"""
    system = loads(text, "cpds").system
    assert len(system.templates[0].rules) == 4
    assert start(system) == "initial | stack bad"
    assert len(system.property.patterns) == 2
    assert not system.property.deadlock


def test_a_dash_belongs_to_a_name_except_in_an_arrow() -> None:
    text = "initial q-0\nthread P-1 {\n stack a-\n q-0|a-->q-0|a--b -c\n}\n"
    with pytest.raises(InputError, match="after the right-hand side, found '-'"):
        loads(text, "cpds")
    system = loads(text.replace(" -c", ""), "cpds").system
    assert system.shared == ("q-0",)
    assert system.templates[0].symbols == ("-", "a-", "a--b")


def test_quoted_names_may_hold_anything() -> None:
    text = 'initial "*"\nthread "a # \\"b\\\\" {\n stack "\\n" "\\t|" "" é\n}\nbad "*" | ""\n'
    with pytest.raises(InputError, match="found 'é'"):
        loads(text, "cpds")
    system = loads(text.replace(" é", ""), "cpds").system
    assert system.shared == ("*",)
    assert system.thread_names == ('a # "b\\',)
    assert system.templates[0].symbols == ("-", "\n", "\t|", "")
    assert system.property.patterns[0].shared == 0


def test_a_target_that_can_never_match_gives_a_warning() -> None:
    text = "initial q\nthread P {\n stack a\n}\nbad q | b\nbad r | a\nbad q | a\n"
    assert loads(text, "cpds", name="a.cpds").warnings == [
        "a.cpds:5: this target can never match: thread P never uses the symbol b",
        "a.cpds:6: this target can never match: the shared state r does not occur",
    ]


def test_options_replace_what_the_file_says() -> None:
    system = loads(
        FIGURE_4, "cpds", init="q2|-,5.6,4 * 2", targets=["q1|2,* * 3", "*|-,-,-,-"]
    ).system
    assert start(system) == "q2 | -, 5 6, 4, 4"
    assert system.thread_names == ("P1", "P2.1", "P2.2", "P2.3")
    assert system.threads == (0, 1, 2, 2)
    assert [pattern.tops[1] for pattern in system.property.patterns] == [None, EPSILON]
    assert not system.property.deadlock


def test_equal_stacks_from_an_option_keep_a_block_together() -> None:
    system = loads(FIGURE_4, "cpds", init="q2|1,5 * 3").system
    assert [template.name for template in system.templates] == ["P1", "P2"]
    assert len(system.property.patterns) == 2


def test_equal_threads_that_are_not_adjacent_are_written_apart() -> None:
    rule = [NamedRule("q", "a", "q", ())]
    blocks = [Block("A", ("a",), rule), Block("B", ("b",), []), Block("C", ("a",), rule, 2)]
    system = build(Description("q", blocks))
    text = write_cpds(system)
    assert [line for line in text.splitlines() if "thread" in line] == [
        "thread A {",
        "thread B {",
        "thread C * 2 {",
    ]
    assert loads(text, "cpds", name="system").system == system


def test_numbered_threads_are_written_apart_where_their_base_name_is_taken() -> None:
    blocks = [Block("P", ("b",), []), Block("P", ("a",), [], 2)]
    system = build(Description("q", blocks))
    again = loads(write_cpds(system), "cpds").system
    assert again.thread_names == system.thread_names == ("P", "P.1", "P.2")


def test_equal_threads_with_numbered_names_of_their_own_are_written_apart() -> None:
    system = build(Description("q", [Block("P.1", ("a",), []), Block("P.2", ("a",), [])]))
    assert system.templates[0].name == "P.1"
    assert loads(write_cpds(system), "cpds", name="system").system == system


def test_a_quoted_name_does_not_hide_a_comment() -> None:
    text = 'initial q\nthread P {\n stack a c "c#"\n q | a -> q | a\n q | a -> q | c#\n}\n'
    template = loads(text, "cpds").system.templates[0]
    assert template.word_text(template.rules[1].word) == "c"


def test_ten_thousand_threads_are_allowed() -> None:
    text = "initial q\nthread P * 10000 {\n stack a\n}\nbad q | a, * * 9999\n"
    system = loads(text, "cpds").system
    assert len(system.threads) == 10_000
    assert write_cpds(system).endswith("bad q | a, * * 9999\n")


def test_load_reads_cpds_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "figure4.cpds"
    path.write_text(FIGURE_4)
    assert load(str(path)).system == loads(FIGURE_4, "cpds", name="figure4.cpds").system


def test_a_misspelt_name_gives_a_warning() -> None:
    text = """
    initial idle
    thread A {
        stack strat
        idle | start -> takn | hold
        taken | hold -> idle | start
    }
    """
    assert loads(text, "cpds", name="typo.cpds").warnings == [
        "typo.cpds: rules wait for the shared state 'taken', but none leads to it; some lead to "
        "'takn', which none waits for",
        "typo.cpds: thread A: no rule takes 'strat', the top of the initial stack; "
        "did you mean 'start'?",
    ]
    right = text.replace("strat", "start").replace("takn", "taken")
    assert loads(right, "cpds").warnings == []


@pytest.mark.parametrize("line", ["bad zz | a", "bad q | a, a", "bad"])
def test_a_wrong_bad_line_is_refused_whatever_is_asked(line: str) -> None:
    text = f"shared q\ninitial q\nthread P {{\nstack a\n}}\n{line}\n"
    with pytest.raises(InputError):
        loads(text, "cpds", targets=["q|-"])
