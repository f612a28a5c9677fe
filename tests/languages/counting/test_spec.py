"""Nets of mist: what they mean, what is not monotone, and errors."""

from __future__ import annotations

import pytest

from tepui.cli.option_names import OPTIONS
from tepui.errors import InputError, UsageError
from tepui.languages.counting.spec import read_spec
from tepui.languages.source import Source
from tepui.model.net import Net, Row
from tepui.parameter_names import speaking

TEXT = """\
# a lock
vars
    free out in
rules
    free >= 1, out >= 1 ->
        free' = free - 1,
        out' = out - 1,
        in' = in + 1;
    in >= 1 -> free' = free + 1, out' = out + in + 0, in' = 0;
init
    free = 1, out >= 2, in in [0, 3]
target
    in >= 2
    in >= 1, free >= 1
invariants
    free = 1, in = 1
"""


def _net(text: str) -> Net:
    return read_spec(Source.of_text(text, "lock.spec")).net


def test_every_section_is_read() -> None:
    net = _net(TEXT)
    assert (net.name, net.places) == ("lock", ("free", "out", "in"))
    assert net.initial == ((1, 1), (2, None), (0, 3))
    assert net.targets == (((2, 2),), ((0, 1), (2, 1)))
    assert net.hints == ((1, 0, 1),)
    enter, leave = net.transitions
    assert enter.guard == ((0, 1), (1, 1))
    assert enter.rows == (Row(0, (0,), -1), Row(1, (1,), -1), Row(2, (2,), 1))
    assert leave.rows == (Row(0, (0,), 1), Row(1, (1, 2), 0), Row(2, (), 0))
    assert (leave.text, leave.line) == (
        "in >= 1 -> free' = free + 1, out' = out + in + 0, in' = 0",
        9,
    )


def test_a_comma_in_the_target_means_and() -> None:
    assert _net(TEXT.replace("in >= 2\n", "in >= 2,\n")).targets == (((0, 1), (2, 2)),)


def test_a_section_for_invariants_is_not_needed() -> None:
    assert _net(TEXT[: TEXT.index("invariants")]).hints == ()


def test_a_variable_without_an_initial_count_is_warned_about() -> None:
    loaded = read_spec(Source.of_text(TEXT.replace(", in in [0, 3]", ""), "lock.spec"))
    assert loaded.warnings == [
        "lock.spec: init does not say how many in there are: any number is read"
    ]
    assert loaded.net.initial[2] == (0, None)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("vars", "var", 2, 1, "expected the section vars"),
        ("free out in\n", "\n", 4, 1, "expected a variable"),
        ("free out in\n", "free out in out\n", 3, 17, "there is a variable out already"),
        ("free out in\n", "free 7 in\n", 3, 10, "expected a variable, or the section rules"),
        ("free >= 1, out", "fre >= 1, out", 5, 5, "did you mean 'free'"),
        ("free >= 1, out", "free = 1, out", 5, 10, "a condition with = is not monotone"),
        ("free >= 1, out", "free <= 1, out", 5, 10, "a condition with <= is not monotone"),
        ("free >= 1, out", "free -> 1, out", 5, 10, "expected >="),
        ("free >= 1, out", "free >= x, out", 5, 13, "expected a number"),
        ("free >= 1, out", "free >= 9999999, out", 5, 13, "expected a number up to 1,000,000"),
        ("out >= 1 ->", "out >= 1 >", 5, 25, "expected ->"),
        ("free' = free - 1,", "free = free - 1,", 6, 14, "expected '"),
        ("free' = free - 1,", "free' = 1 - free,", 6, 21, "minus free is not monotone"),
        ("free' = free - 1,", "free' = free + free,", 6, 24, "free is added twice"),
        ("in' = in + 1;", "free' = free;", 8, 9, "free has a new count already"),
        ("in' = in + 1;", "in' = in + 1", 9, 5, "expected ;"),
        (", in' = 0;", ";", 9, 5, "and it keeps its count: tokens are not copied"),
        (", in' = 0;", ", in' = in;", 9, 5, "is added to out, too: tokens are not copied"),
        ("in in [0, 3]", "in in [3, 0]", 11, 35, "expected a number that is not less than 3"),
        ("in in [0, 3]", "in <= 3", 11, 28, "expected =, >= or in"),
        ("in in [0, 3]", "out = 3", 11, 25, "out has an initial count already"),
        ("out >= 2, in in", "out >= 2 in in", 11, 24, "expected a comma, or the section target"),
        ("free = 1, in = 1\n", "free = 1, in\n", 16, 17, "expected ="),
    ],
)
def test_a_typo_has_a_line_and_a_column(
    old: str, new: str, line: int, column: int, message: str
) -> None:
    assert old in TEXT
    with pytest.raises(InputError) as caught:
        _net(TEXT.replace(old, new, 1))
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("option", ["init", "target"])
def test_options_do_not_change_what_a_file_says(option: str) -> None:
    init, targets = ("free = 1", None) if option == "init" else (None, ["in >= 1"])
    with speaking(OPTIONS), pytest.raises(UsageError, match=f"--{option} is not for nets"):
        read_spec(Source.of_text(TEXT, "lock.spec"), init, targets)
