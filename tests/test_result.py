"""Models and results can be pickled and copied, without the kernels behind them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tepui
from support.places import EXAMPLES
from tepui.errors import EvidenceRejected, TepuiError
from tepui.report.exchange.as_json import result_object
from tepui.report.exchange.json_text import json_pieces
from tepui.result import Reached, Result

MODELS = ("figure4.cpds", "bluetooth-buggy.cpds", "bluetooth1.bp", "peterson.bp", "work-queue.bp")
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}

every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@cache
def verified(name: str, engine: str = "auto") -> Result:
    return tepui.verify(tepui.load(EXAMPLES / name), options=tepui.Options(engine=engine))


@every_way
@pytest.mark.parametrize("name", MODELS)
def test_models_are_equal_afterwards(name: str, way: Callable[[Any], Any]) -> None:
    model = tepui.load(EXAMPLES / name)
    assert way(model) == model


@every_way
@pytest.mark.parametrize("name", MODELS)
def test_a_result_says_the_same_afterwards(
    name: str, way: Callable[[Any], Any], tmp_path: Path
) -> None:
    result = verified(name)
    again = way(result)
    assert str(again) == str(result)
    assert _json(again) == _json(result)
    assert again.evidence == result.evidence
    assert (again.trace, again.coverage) == (result.trace, result.coverage)
    again.subject.write(tmp_path / "e.json", again.asked, again.evidence)
    assert tepui.check(again.subject.model, tmp_path / "e.json").text
    assert tepui.write_report(tmp_path / "r.html", again).stat().st_size > 1000


@pytest.mark.parametrize("engine", ["explicit", "diagram", "symbolic", "delay", "plain"])
@pytest.mark.parametrize("name", ["figure4.cpds", "bluetooth1.bp"])
def test_what_was_explored_can_be_listed_afterwards(name: str, engine: str) -> None:
    result = tepui.explore(tepui.load(EXAMPLES / name), tepui.Options(engine=engine))
    again = WAYS["pickle"](WAYS["pickle"](result))
    assert again.list_visible() == result.list_visible()
    texts = [list(map(one.system.visible_text, one.list_visible())) for one in (again, result)]
    assert texts[0] == texts[1]
    assert again.coverage == result.coverage


def test_the_system_in_a_result_can_be_explored_afterwards() -> None:
    again = WAYS["pickle"](verified("bluetooth1.bp"))
    assert tepui.explore(again.system).verdict == "collapsed"


@every_way
def test_traces_under_delays_keep_their_schedule(way: Callable[[Any], Any]) -> None:
    trace = verified("bluetooth1.bp", "delay").trace
    assert trace is not None
    assert trace.schedule is not None
    assert way(trace) == trace
    assert str(way(trace)) == str(trace)


@every_way
def test_several_answers(way: Callable[[Any], Any]) -> None:
    program = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    answers = tepui.verify_all(program, [*tepui.assertions(program), tepui.deadlock()])
    assert str(way(answers)) == str(answers)


@every_way
@pytest.mark.parametrize("name", ["figure4.cpds", "bluetooth1.bp"])
def test_what_was_watched(name: str, way: Callable[[Any], Any]) -> None:
    seen = tepui.watch(tepui.load(EXAMPLES / name), str, lambda state: len(str(state)) > 40)
    again = way(seen)
    assert str(again) == str(seen)
    assert (again.abstract_states, again.trace) == (seen.abstract_states, seen.trace)


@every_way
@pytest.mark.parametrize("domain", ["relation", "shortest", "affine"])
def test_facts_about_values(domain: Any, way: Callable[[Any], Any]) -> None:
    found = tepui.dataflow(tepui.load(EXAMPLES / "bluetooth1.bp"), "add:40", domain=domain)
    assert way(found) == found


def test_a_list_that_is_too_long_is_so_afterwards() -> None:
    def too_many() -> list[Any]:
        raise tepui.UsageError("there are too many visible states")

    result = replace(verified("figure4.cpds"), reached=Reached(too_many))
    again = WAYS["pickle"](result)
    with pytest.raises(tepui.UsageError, match="too many visible states"):
        again.list_visible()


def test_errors_go_from_one_process_to_another() -> None:
    errors: list[TepuiError] = [EvidenceRejected("no", verified("figure4.cpds"))]
    with pytest.raises(tepui.InputError) as raised:
        tepui.loads("initial q\nthread", "cpds")
    errors.append(raised.value)
    for error in errors:
        again = WAYS["pickle"](error)
        assert (type(again), str(again)) == (type(error), str(error))


def _json(result: Result) -> str:
    return "".join(json_pieces(result_object(result)))
