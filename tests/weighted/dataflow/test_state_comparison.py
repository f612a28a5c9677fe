"""`dataflow --compare`: values of an answer against states that are listed one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tepui
from support.cli import call
from support.places import EXAMPLES
from tepui.errors import Disagreement, UsageError
from tepui.weighted.dataflow.answers import PossibleValues
from tepui.weighted.dataflow.query import query_of
from tepui.weighted.dataflow.state_comparison import compare

FIGURE4 = str(EXAMPLES / "dataflow" / "figure4.bp")


def test_values_are_those_of_the_states_within_the_bound() -> None:
    done = call("dataflow", FIGURE4, "--at", "foo:n6", "--contexts", "3", "--compare")
    assert done.code == 0
    assert done.out.endswith("in the 281 states within the bound, listed one by one\n")


@pytest.mark.parametrize("domain", ["relation", "shortest"])
@pytest.mark.parametrize(
    ("name", "at", "called_from"),
    [
        ("dataflow/figure4.bp", "foo:n8", ["n3"]),
        ("figure4.cpds", "P1:2", []),
        ("job-queue.cpds", "worker:-", []),
        ("ticket-lock.bp", "customer:29", []),
        ("bluetooth1.bp", "add:inc:22", []),
        ("qr-figure2.bp", "thread0:L7", []),
    ],
)
def test_weights_and_states_agree_on_examples(
    name: str, at: str, called_from: list[str], domain: str
) -> None:
    model = tepui.load(EXAMPLES / name)
    answer = tepui.dataflow(
        model,
        at,
        domain=domain,  # type: ignore[arg-type]
        called_from=called_from,
        contexts=3,
        compare=True,
    )
    assert "the same values" in answer.notes[-1]


def test_infinitely_many_states_are_not_compared() -> None:
    done = call("dataflow", str(EXAMPLES / "figure2.cpds"), "--at", "foo:3", "--compare")
    assert done.code == 0
    assert "not compared with states: there are more than 300,000" in done.out


def test_affine_relations_are_not_compared() -> None:
    model = tepui.load(EXAMPLES / "dataflow" / "figure5.bp")
    with pytest.raises(UsageError, match="affine relations are not"):
        tepui.dataflow(model, "n", domain="affine", compare=True)


def test_a_value_too_many_is_a_bug() -> None:
    model = tepui.load(FIGURE4)
    answer = tepui.dataflow(model, "foo:n6", contexts=2)
    assert isinstance(answer, PossibleValues)
    fewer = replace(answer, valuations=answer.valuations[1:])
    with pytest.raises(Disagreement, match="3 valuations by weights, and 4 in the states"):
        compare(model, query_of(model, "foo:n6"), fewer)
