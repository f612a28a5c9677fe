"""Misuse of the library is an error of the library, whatever a public function is given."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tepui
from support.places import EXAMPLES
from tepui import public
from tepui.model import Pattern, Property, Reach, StackSet

SYSTEM = tepui.load_system(EXAMPLES / "figure4.cpds")
PROGRAM = tepui.load_program(EXAMPLES / "bluetooth1.bp")
LIMITS = tepui.Limits(timeout=5, max_contexts=3)
OPTIONS = tepui.Options(limits=LIMITS)
RESULT = tepui.verify(PROGRAM)

JAVA: dict[str, Any] = {
    "entry": None,
    "classpath": (),
    "jdk": None,
    "spurious_wakeups": False,
    "races": False,
}

RIGHT: dict[str, dict[str, Any]] = {
    "assertions": {"program": PROGRAM},
    "call_graph": {"program": PROGRAM},
    "check": {"model": SYSTEM, "path": "no.json", "questions": None, "reference": False},
    "control_flow": {"program": PROGRAM, "procedure": None},
    "dataflow": {
        "model": PROGRAM,
        "at": "add:40",
        "domain": "relation",
        "called_from": (),
        "modulus": None,
        "contexts": 1,
        "compare": False,
        "limits": LIMITS,
    },
    "deadlock": {},
    "explore": {"system": SYSTEM, "options": OPTIONS},
    "load": {
        "path": EXAMPLES / "bluetooth1.bp",
        "init": None,
        "targets": None,
        "threads": None,
        "overflow": False,
        **JAVA,
    },
    "load_program": {
        "path": EXAMPLES / "bluetooth1.bp",
        "threads": None,
        "overflow": False,
        **JAVA,
    },
    "load_system": {"path": EXAMPLES / "figure4.cpds", "init": None, "targets": None},
    "loads": {
        "text": "initial q",
        "language": "cpds",
        "init": None,
        "targets": None,
        "threads": None,
        "name": "x",
        "overflow": False,
        **JAVA,
    },
    "never_together": {"program": PROGRAM, "left": 40, "right": 40},
    "observe": {"system": SYSTEM, "engine": "explicit", "symmetry": True, "tops": 1},
    "plot": {"observed": RESULT},
    "races": {"program": PROGRAM},
    "reach": {"system": SYSTEM, "source": "x"},
    "unreachable": {"program": PROGRAM, "place": 40},
    "verify": {"system": SYSTEM, "property": None, "options": OPTIONS},
    "verify_all": {"program": PROGRAM, "questions": None, "options": OPTIONS},
    "violations": {"program": PROGRAM, "kind": "division"},
    "watch": {
        "system": PROGRAM,
        "abstraction": callable,
        "bad": None,
        "of": "states",
        "engine": "delay",
        "until": "plateau",
        "decide_first": False,
        "rounds": 2,
        "limits": tepui.Limits(),
    },
    "watch_predicates": {
        "program": PROGRAM,
        "predicates": ["stopped"],
        "questions": None,
        "watched": "add",
        "rounds": 2,
        "most_threads": 2,
        "limits": LIMITS,
    },
    "write_report": {"path": "no/such/folder.html", "answers": RESULT, "file": None},
    "written_out": {"program": PROGRAM, "questions": None},
}
"""For each public function, arguments that it takes."""

WRONG: list[Any] = [
    *(None, True, 0, -1, 10**30, 10**5000, 2.5, math.nan, math.inf, -math.inf),
    *("", "nonsense", "\0", "\ud800", b"bytes", Path("/nothing/there"), Path()),
    *([], [None], [1], ["x"], (1, 2), {}, {"x": 1}, {1: 2}, {"add": None}, {"add": 10**30}, set()),
    *(object(), int, len, iter([1]), Exception("x")),
    *(SYSTEM, PROGRAM, OPTIONS, LIMITS, RESULT, tepui.deadlock(), [tepui.deadlock()], Property()),
]

ARGUMENTS = [(name, argument) for name, right in RIGHT.items() for argument in right]


def test_every_public_function_is_tried() -> None:
    functions = {name for name in vars(public) if inspect.isfunction(getattr(tepui, name, None))}
    assert functions == RIGHT.keys()
    for name, right in RIGHT.items():
        parameters = inspect.signature(getattr(tepui, name)).parameters
        assert [each for each in parameters if each != "texts"] == list(right)


@pytest.fixture(autouse=True, scope="module")
def _elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A wrong path may still be one that can be written."""
    with contextlib.chdir(tmp_path_factory.mktemp("elsewhere")):
        yield


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_a_wrong_argument_is_an_error_of_the_library(name: str, argument: str) -> None:
    for wrong in WRONG:
        _try(name, {**RIGHT[name], argument: wrong})


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_several_wrong_arguments_are_an_error_of_the_library(data: st.DataObject) -> None:
    # Without any limit, what is watched may grow for ever.
    name = data.draw(st.sampled_from(sorted(RIGHT.keys() - {"watch"})))
    wrong = {key: data.draw(st.sampled_from([value, *WRONG])) for key, value in RIGHT[name].items()}
    _try(name, wrong)


def _try(name: str, arguments: dict[str, Any]) -> None:
    try:
        found = getattr(tepui, name)(**arguments)
        if isinstance(found, Iterator):
            list(islice(found, 2))
    except tepui.TepuiError as error:
        str(error)
    except OSError:
        if name != "write_report":
            raise


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
@pytest.mark.parametrize("kind", [tepui.Options, tepui.Limits])
def test_options_and_limits_are_checked_when_they_are_made(kind: Any, wrong: Any) -> None:
    for field in inspect.signature(kind).parameters:
        usual = {"limits": LIMITS} if kind is tepui.Options else {}
        try:
            made = kind(**{**usual, field: wrong})
        except tepui.UsageError:
            continue
        if field != "progress":  # What that does is its own affair.
            tepui.explore(SYSTEM, made if kind is tepui.Options else tepui.Options(limits=made))


@pytest.mark.parametrize("texts", [[1], [None], ["q3 | 2, 4 6", b"x"]])
def test_each_of_several_texts_is_checked(texts: list[Any]) -> None:
    with pytest.raises(tepui.UsageError, match="reach takes a text as texts, not"):
        tepui.reach(SYSTEM, *texts)


def test_what_can_be_read_only_once_is_read_once() -> None:
    asked = iter(tepui.assertions(PROGRAM))
    assert tepui.verify(PROGRAM, asked).verdict == "unsafe"
    targets: Any = iter(["q1|2,4"])
    assert tepui.load_system(EXAMPLES / "figure4.cpds", targets=targets).property.patterns


def test_a_wrong_argument_is_named() -> None:
    with pytest.raises(
        tepui.UsageError,
        match=r"^verify takes tepui\.Options\(…\) as options, not 'fast'; limits are",
    ):
        tepui.verify(SYSTEM, options="fast")  # type: ignore[arg-type]
    with pytest.raises(tepui.UsageError, match=r"as targets, not 'q1'$"):
        tepui.load_system(EXAMPLES / "figure4.cpds", targets="q1")


BIG = 10**30


@pytest.mark.parametrize(
    "asked",
    [
        Property(patterns=(Pattern(BIG, (None, None)),)),
        Property(patterns=(Pattern(-1, (None, None)),)),
        Property(patterns=(Pattern("x", (None, None)),)),  # type: ignore[arg-type]
        Property(patterns=(Pattern(0, (None,)),)),
        Property(patterns=(Pattern(0, (None, 99)),)),
        Property(patterns=(5,)),  # type: ignore[arg-type]
        Property(patterns=5),  # type: ignore[arg-type]
        Property(deadlock="x"),  # type: ignore[arg-type]
        Property(reaches=(Reach(BIG, (None, None)),)),
        Property(reaches=(Reach(0, (3, None)),)),  # type: ignore[arg-type]
        Property(reaches=(Reach(0, (StackSet((True,), (((99, 0),),)), None)),)),
    ],
)
def test_a_property_of_another_system_is_refused(asked: Property) -> None:
    with pytest.raises(tepui.TepuiError, match="names states that figure4 does not have"):
        tepui.verify(SYSTEM, asked)


@pytest.mark.parametrize("seconds", [math.nan, -1, -math.inf, 10**400, True, "1"])
def test_what_is_no_number_of_seconds_is_no_time_limit(seconds: Any) -> None:
    with pytest.raises(tepui.UsageError, match="timeout is no number of seconds"):
        tepui.Limits(timeout=seconds)


@pytest.mark.parametrize("seconds", [math.inf, 1e300, 1e9, 1000])
def test_a_time_limit_may_be_as_long_as_you_like(seconds: float) -> None:
    options = tepui.Options(limits=tepui.Limits(timeout=seconds))
    for model in (SYSTEM, PROGRAM):
        assert tepui.verify(model, options=options).verdict in ("safe", "unsafe")


@pytest.mark.parametrize("seconds", [0, -0.0, 5e-324])
def test_no_time_at_all_is_a_limit(seconds: float) -> None:
    options = tepui.Options(limits=tepui.Limits(timeout=seconds))
    assert tepui.verify(SYSTEM, options=options).verdict == "unknown"
