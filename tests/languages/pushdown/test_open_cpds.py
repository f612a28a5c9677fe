"""`.cpds` files with any number of threads of some blocks, and instances of what they say."""

from __future__ import annotations

from typing import Any

import pytest

from tepui.errors import InputError, ModelError, UsageError
from tepui.languages import loads
from tepui.languages.pushdown.thread_counts import with_threads
from tepui.model import OpenSystem, Pattern, System
from tepui.model.open_system import OpenPattern

HEAD = """\
shared free taken
initial free
thread user * any {
    stack out
    free | out -> taken | in low
    taken | in -> free | -
}
"""

BOSS = """\
thread boss * 2 {
    stack idle
    free | idle -> free | idle
}
"""

GUEST = """\
thread guest * * {
    stack -
    free | - -> free | here
}
"""


def read(text: str, **options: Any) -> OpenSystem:
    model = loads(text, "cpds", **options).model
    assert isinstance(model, OpenSystem)
    return model


def tops(text: str) -> tuple[tuple[str | None, ...], ...]:
    """The tops of the only target."""
    (pattern,) = read(text).patterns
    return pattern.tops


def test_any_number_is_written_as_a_word_or_as_a_star() -> None:
    model = read(HEAD + GUEST + BOSS)
    assert [(block.name, block.count) for block in model.blocks] == [
        ("user", None),
        ("guest", None),
        ("boss", 2),
    ]
    assert model.any_number == ("user", "guest")
    assert model.blocks[0].stack == ("out",)
    assert len(model.blocks[0].rules) == 2
    assert (model.shared, model.initial) == (("free", "taken"), "free")
    words = "2 shared states, threads user × any number, guest × any number, boss × 2"
    assert str(model).endswith(words)
    assert not model.is_asked


def test_entries_stand_where_the_only_block_with_any_number_does() -> None:
    assert tops(HEAD + BOSS + "bad * | in, out, idle, -") == (("in", "out"), ("idle", "-"))
    first = "initial free\n" + BOSS + "thread f * any {\nstack a\n}\n"
    assert tops(first + "bad * | idle, *") == (("idle", None), ())
    assert tops(first + "bad * | idle, *, a") == (("idle", None), ("a",))
    assert tops(HEAD + "bad taken | in * 3, *") == (("in", "in", "in", None),)


def test_entries_may_name_their_threads() -> None:
    every = HEAD + BOSS + GUEST
    line = "bad taken | idle, here of guest, in of user * 2, *, * of guest"
    assert tops(every + line) == (("in", "in"), ("idle", None), ("here", None))
    assert tops(every + "bad * | idle, idle") == ((), ("idle", "idle"), ())
    assert tops(HEAD + BOSS + "bad * | in of user, idle, idle") == (("in",), ("idle", "idle"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bad * | idle", r"an entry for each of the other threads \(boss × 2\), found 1"),
        ("bad * | idle, idle, in", "the name of its thread, as in 'in of user', since"),
        ("bad * | idle, idle, *", r"as in '\* of user'"),
        ("bad * | idle, in of user", "an entry for each of the other threads"),
        ("bad * | idle, idle, in of boss", "a thread of which there is any number, found 'boss'"),
        ("bad * | idle, idle, in of usr", "did you mean 'user'"),
        ("bad * | idle, idle, in of", "the name of a thread of which there is any number"),
        ("bad * | idle, idle in", "expected ',', 'of' or the end of the line, found 'in'"),
        ("bad * | idle, idle, in of user * 0", "a number of threads"),
        ("bad gone | idle, idle", "declared shared states"),
        ("bad deadlok", "did you mean 'deadlock'"),
    ],
)
def test_what_is_wrong_with_a_target_is_said(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(HEAD + BOSS + GUEST + line)


def test_a_count_is_any_or_a_number() -> None:
    with pytest.raises(InputError, match="expected 'any', or a number of threads"):
        read("initial q\nthread f * many {\nstack a\n}\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bad * | out, on", "thread user never uses the symbol on; did you mean 'in' or 'out'"),
        ("bad * | out, out", ""),
        ("bad * | -, *", ""),
    ],
)
def test_a_target_that_never_matches_gives_a_warning(line: str, words: str) -> None:
    found = [text for text in loads(HEAD + line, "cpds").warnings if "target" in text]
    assert len(found) == (1 if words else 0)
    assert not words or "never uses the symbol on" in found[0]


def test_further_symbols_are_known() -> None:
    text = HEAD.replace("stack out", "stack out\n    symbols on") + "bad * | on"
    assert [each for each in loads(text, "cpds").warnings if "target" in each] == []


def test_targets_from_outside_replace_those_of_the_file() -> None:
    model = read(HEAD + "bad * | in, in", targets=["taken | low", "deadlock"])
    assert model.patterns == (OpenPattern("taken", (("low",),)),)
    assert model.deadlock
    with pytest.raises(UsageError, match="names the stack of each thread"):
        read(HEAD, init="free | out")


def test_an_instance_is_the_system_with_some_threads() -> None:
    model = read(HEAD + BOSS + "bad * | in, in, idle, *\nbad free | low, *, *")
    three = model.instance({"user": 3})
    text = HEAD.replace("any", "3") + BOSS + "bad * | in, in, *, idle, *\nbad free | low, * * 4"
    same = loads(text, "cpds").system
    assert (three.shared, three.templates, three.threads, three.thread_names, three.property) == (
        same.shared,
        same.templates,
        same.threads,
        same.thread_names,
        same.property,
    )
    assert three.stands_for_all
    assert model.needed == {"user": 2}


def test_an_instance_with_few_threads_has_no_pattern_that_names_more() -> None:
    model = read(HEAD + "bad * | in, in\nbad free | low")
    one = model.instance({"user": 1})
    assert one.property.patterns == (Pattern(0, (3,)),)
    assert not one.stands_for_all
    assert one.thread_names == ("user",)


def test_a_number_of_threads_can_be_chosen() -> None:
    model = read(HEAD + GUEST + "bad * | in of user, in of user")
    both = with_threads(model, {"user": 2, "guest": 1})
    assert isinstance(both.model, System)
    assert both.model.thread_names == ("user.1", "user.2", "guest")
    assert len(both.model.property.patterns) == 1
    assert both.warnings == []
    some = with_threads(model, {"guest": 4, "user": None})
    assert isinstance(some.model, OpenSystem)
    assert some.model.any_number == ("user",)
    few = with_threads(model, {"user": 1, "guest": 1})
    assert isinstance(few.model, System)
    assert few.model.visible_text((few.model.property.patterns[0].shared or 0, 0, 0)) == (
        "more threads | -, -"
    )
    assert "1 target needs more threads than there are now" in few.warnings[0]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"usr": 1}, "has no threads usr; did you mean 'user'"),
        ({"boss": 1}, "the file says how many threads boss there are"),
        ({"user": 0}, "expected at least 1 thread"),
        ({"user": 10_000}, "at most 10,000 threads"),
    ],
)
def test_a_number_that_cannot_be_chosen_says_why(counts: dict[str, int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        with_threads(read(HEAD + BOSS), counts)


def test_too_many_threads_are_refused() -> None:
    with pytest.raises(ModelError, match="at most 10,000 threads"):
        read(HEAD).instance({"user": 10_001})
