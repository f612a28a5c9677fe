"""Building systems from names: templates, numbers, and what is refused."""

from __future__ import annotations

import pytest

from tepui.errors import ModelError
from tepui.model import EPSILON, Block, Description, NamedPattern, NamedRule, build

STEP = NamedRule("q", "a", "r", ("b", "a"))
POP = NamedRule("r", "b", "q", ())


def test_equal_threads_share_a_template_wherever_they_stand() -> None:
    system = build(
        Description(
            "q",
            [
                Block("A", ("a",), [STEP, POP]),
                Block("B", ("b",), [POP]),
                Block("C", ("a",), [POP, STEP, STEP], count=2),
            ],
        )
    )
    assert system.threads == (0, 1, 0, 0)
    assert system.groups == ((0, 2, 3), (1,))
    assert system.thread_names == ("A", "B", "C.1", "C.2")
    assert [template.name for template in system.templates] == ["A", "B"]


def test_threads_with_other_initial_stacks_are_other_templates() -> None:
    blocks = [Block("A", ("a",), [STEP]), Block("B", ("a", "a"), [STEP])]
    assert build(Description("q", blocks)).threads == (0, 1)


def test_names_that_come_twice_are_told_apart() -> None:
    blocks = [Block(name, ("a",), [STEP]) for name in ("A", "A", "A#2", "A")]
    assert build(Description("q", blocks)).thread_names == ("A", "A#2", "A#2#2", "A#3")


def test_only_what_occurs_is_numbered_and_the_empty_stack_is_0() -> None:
    rules = [STEP, NamedRule("q", None, "q", ("c",))]
    system = build(Description("q", [Block("A", (), rules)], shared=["r"]))
    assert system.shared == ("r", "q")
    assert system.templates[0].symbols == ("-", "a", "b", "c")
    assert system.templates[0].rules[1].top == EPSILON
    assert [rule.kind for rule in system.templates[0].rules] == ["push", "push"]


def test_a_pattern_may_name_what_never_occurs() -> None:
    pattern = NamedPattern("nowhere", ("never",))
    system = build(Description("q", [Block("A", ("a",), [STEP])], [pattern]))
    assert system.property.patterns[0].shared == system.shared.index("nowhere")
    assert "never" in system.templates[0].symbols


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (Description("q", []), "at least one thread"),
        (Description("q", [Block("A", (), [], count=0)]), "must be positive"),
        (Description("q", [Block("A", (), [], count=20_000)]), "at most 10,000 threads"),
        (Description("q", [Block("A", ("-",), [])]), "the empty stack"),
        (
            Description("q", [Block("A", (), [])], [NamedPattern(None, (None, None))]),
            "a pattern names 2 threads, the system has 1",
        ),
    ],
)
def test_a_system_that_cannot_be_is_refused(description: Description, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build(description)
