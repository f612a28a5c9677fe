"""The registry of engines: what comes from it, and a toy engine that is one class and one entry."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tepui
from support.cli import call
from support.oracles import systems as oracle
from support.places import EXAMPLES, ROOT
from tepui import Limits, Options
from tepui.assumption import Assumption
from tepui.checker import Trace, TraceStep
from tepui.checker.certificates.states import Certificate
from tepui.engines import registry
from tepui.engines.engine import Engine, Observation, Violation
from tepui.engines.explicit import ExplicitEngine
from tepui.engines.registry import (
    AUTO,
    EngineKind,
    Request,
    engine_kinds,
    engine_names,
    racing,
    registered,
    usual,
)
from tepui.engines.rounds import Proof
from tepui.errors import UsageError
from tepui.kernels.door import KernelLimits, Outcome
from tepui.limits import Meter
from tepui.model import Property, System
from tepui.model.system import VisibleState, Word
from tepui.report.exchange.as_json import result_object
from tepui.z.strength import Strength
from tepui.z.z import Z

WRITTEN = runpy.run_path(str(ROOT / "docs" / "engine_tables.py"))["written"]


class Toy:
    """R_k as sets of tuples, for systems in which these are finite: definitions, written down."""

    proofs = (
        Proof("no new state", "R_k = R_{k+1}", "the sets are equal", "Look at the sets"),
        Proof("all emerged", "T(R_k) = T(Z)", "the sets are equal", "Look at the sets"),
    )
    symmetry = False
    is_complete = False
    bytes = 0

    def __init__(self, asked: Request) -> None:
        self.system = asked.system
        start = oracle.initial_state(self.system)
        self._rounds = [{start}]
        self._runs: dict[oracle.State, list[tuple[int, int, oracle.State]]] = {start: []}
        self.observations: list[Observation] = []
        self._note()

    @property
    def work(self) -> int:
        return len(self._runs)

    @property
    def found(self) -> tuple[int | None, int]:
        return self.observations[-1].states, self.observations[-1].visible

    @property
    def has_collapsed(self) -> bool:
        return len(self._rounds) > 1 and self._rounds[-1] == self._rounds[-2]

    @property
    def at_plateau(self) -> bool:
        return len(self._rounds) > 1 and self.observations[-1].new_visible == 0

    @property
    def last_growth(self) -> int:
        return max(seen.k for seen in self.observations if seen.new_visible or seen.k == 0)

    def closure(self, strengths: object, meter: Meter) -> Z | None:
        return None

    def advance(self, limits: KernelLimits | None = None) -> Outcome:
        reached = set(self._rounds[-1])
        for thread in range(len(self.system.threads)):
            waiting = list(self._rounds[-1])
            for state in waiting:
                for rule, after in oracle.steps_of_thread(self.system, state, thread):
                    number = list(self.system.template_of(thread).rules).index(rule)
                    if after not in self._runs:
                        self._runs[after] = [*self._runs[state], (thread, number, after)]
                    if after not in reached:
                        reached.add(after)
                        waiting.append(after)
        self._rounds.append(reached)
        self._note()
        return "done"

    def first_new_bad(self, bad: Property, limits: KernelLimits | None = None) -> Violation | None:
        for k, states in enumerate(self._rounds):
            for state in states:
                if oracle.first_bad(self.system, bad, [{state}]) is not None:
                    return Violation(k, state, self, k)
        return None

    def trace(
        self, violation: Violation, bad: Property, limits: KernelLimits | None = None
    ) -> Trace:
        steps: list[TraceStep] = []
        contexts, last = 0, None
        for thread, number, (shared, stacks) in self._runs[violation.key]:  # type: ignore[index]
            contexts += thread != last
            last = thread
            rule = self.system.template_of(thread).rules[number]
            steps.append(TraceStep(thread, rule, shared, stacks))
        start = oracle.initial_state(self.system)
        return Trace(*start, tuple(steps), contexts)

    def list_visible(self, k: int) -> list[VisibleState]:
        return sorted(oracle.visible_states(self._rounds[k]))

    def list_states(self, k: int) -> list[tuple[int, tuple[Word, ...]]]:
        return sorted(self._rounds[k])

    def points(self, start: int = 0, tops: list[int] | None = None) -> list[list[int]]:
        return [[] for _ in self.system.templates]

    def certificate(self) -> Certificate:
        threads = range(len(self.system.threads))
        stacks = [sorted({state[1][thread] for state in self._rounds[-1]}) for thread in threads]
        return Certificate(
            kind="states",
            groups=tuple((thread,) for thread in threads),
            locals=tuple(tuple((word, False) for word in words) for words in stacks),
            states=[
                (shared, *(stacks[thread].index(words[thread]) for thread in threads))
                for shared, words in self._rounds[-1]
            ],
        )

    def certificate_size(self) -> tuple[int, int]:
        return len(self._rounds[-1]), 0

    def _note(self) -> None:
        k, states = len(self.observations), self._rounds[-1]
        visible = len(oracle.visible_states(states))
        before = self.observations[-1].visible if k else 0
        self.observations.append(
            Observation(
                k=k,
                states=len(states),
                visible=visible,
                new_visible=visible - before,
                states_up_to_symmetry=len(states),
                visible_up_to_symmetry=visible,
                seconds=0.0,
                engine=self,
                mark=len(states),
            )
        )


TOY = EngineKind(
    "toy",
    "by the book",
    "sets of tuples",
    "a set",
    "showing how an engine is added",
    "a list of states",
    Toy,
    joins_finite="first",
    lists_states=True,
)


@pytest.fixture
def toy() -> Iterator[None]:
    with registered(TOY):
        yield


def blind() -> Options:
    return Options(engine="toy", strengths=())


def system(name: str) -> System:
    loaded = tepui.load(EXAMPLES / name)
    assert isinstance(loaded, System)
    return loaded


@pytest.mark.usefixtures("toy")
def test_a_toy_engine_proves_and_refutes_and_the_checker_agrees() -> None:
    for name in ("deadlock.cpds", "deadlock-repaired.cpds", "dekker.cpds"):
        usual_answer = tepui.verify(system(name), options=Options(strengths=()))
        result = tepui.verify(system(name), options=blind())
        assert (result.engine, result.checked) == ("toy", True)
        assert (result.verdict, result.states) == (usual_answer.verdict, usual_answer.states)
    assert {
        tepui.verify(system(f"deadlock{end}.cpds"), options=blind()).verdict
        for end in ("", "-repaired")
    } == {"safe", "unsafe"}


@pytest.mark.usefixtures("toy")
def test_a_toy_engine_takes_part_in_a_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExplicitEngine, "advance", lambda *_: "paused")
    result = tepui.explore(system("dekker.cpds"), Options(strengths=()))
    assert (result.engine, result.verdict) == ("toy", "collapsed")
    assert "toy" in [kind.name for _, kind in racing(finite=True)]
    assert "toy" not in [kind.name for _, kind in racing(finite=False)]


@pytest.mark.usefixtures("toy")
def test_a_toy_engine_is_on_the_command_line_in_json_and_in_the_report(tmp_path: Path) -> None:
    file = str(EXAMPLES / "deadlock.cpds")
    page = tmp_path / "page.html"
    done = call("verify", file, "--engine", "toy", "--z", "off", "--json", "--report", str(page))
    assert (done.code, done.json["engine"], done.json["checked"]) == (1, "toy", True)
    assert "sets of tuples" in call("verify", file, "--engine", "toy", "--z", "off").out
    assert "engine toy" in page.read_text(encoding="utf-8")
    proof = tmp_path / "proof.json"
    safe = str(EXAMPLES / "deadlock-repaired.cpds")
    call("verify", safe, "--engine", "toy", "--z", "off", "--evidence", str(proof))
    assert call("check", safe, str(proof)).code == 0


def test_without_it_there_is_no_toy() -> None:
    with pytest.raises(UsageError, match="there is no engine 'toy'"):
        Options(engine="toy")
    assert "toy" not in engine_names()


def test_the_docs_and_the_schema_are_those_of_the_registry() -> None:
    for path, text in WRITTEN().items():
        assert path.read_text(encoding="utf-8") == text, f"run docs/engine_tables.py for {path}"


def test_the_names_of_engines_are_in_the_registry_only() -> None:
    names = "|".join(kind.name for kind in engine_kinds())
    named = re.compile(rf"[\"']({names})[\"']")
    # The kind of a certificate, and a class of a page, are called diagram, too, and another plain.
    other = {"checker", "page"}
    for path in sorted((ROOT / "python" / "tepui").rglob("*.py")):
        if path.name == "registry.py" or other & set(path.parts):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            plural = "counted(" in line or re.search(r"\"(delay|diagram)\",? ?\w+\)", line)
            example = line.lstrip().startswith((">>>", "...")) or "class_=" in line
            assert plural or example or not named.search(line), f"{path}:{number}: {line}"


def test_no_engine_is_made_that_does_not_explore(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for kind in engine_kinds():

        def make(asked: Request, kind: EngineKind = kind) -> Engine:
            made.append(kind.name)
            return kind.make(asked)

        monkeypatch.setitem(registry._KINDS, kind.name, replace(kind, make=make))
    for name in (AUTO, "diagram", "delay"):
        tepui.verify(system("deadlock.cpds"), options=Options(engine=name))
    assert made == ["explicit", "diagram", "delay"]


def test_an_answer_says_what_it_rests_on() -> None:
    result = tepui.verify(system("deadlock.cpds"))
    assert result_object(result)["assumptions"] == []
    assumed = replace(result, assumptions=(Assumption("model", "sleep takes any time"),))
    assert result_object(assumed)["assumptions"] == [
        {"kind": "model", "text": "sleep takes any time"}
    ]
    assert "  assumes   sleep takes any time" in str(assumed)


def test_every_race_has_someone_who_begins() -> None:
    for finite in (True, False):
        assert racing(finite=finite)[0][0] == 0
    assert usual("contexts").name in engine_names()
    assert engine_names()[0] == AUTO


def test_the_limit_of_contexts_is_one_for_a_toy_too() -> None:
    with registered(TOY):
        options = Options(engine="toy", strengths=(), limits=Limits(max_contexts=1))
        assert tepui.explore(system("dekker.cpds"), options).verdict == "stopped"
        assert result_object(tepui.explore(system("dekker.cpds"), options))["engine"] == "toy"


def test_strengths_are_asked_beside_a_toy() -> None:
    with registered(TOY):
        options = Options(engine="toy", strengths=(Strength("matched"),))
        assert tepui.verify(system("deadlock-repaired.cpds"), options=options).verdict == "safe"


def test_a_name_belongs_to_one_engine() -> None:
    with (
        pytest.raises(UsageError, match="there is an engine 'diagram' already"),
        registered(replace(TOY, name="diagram")),
    ):
        pass
    assert "diagram" in engine_names()


def test_a_question_about_another_program_is_refused() -> None:
    forking = tepui.load(EXAMPLES / "fork-second-worker.bp")
    other = tepui.load(EXAMPLES / "bluetooth1.bp")
    assert isinstance(forking, tepui.Program)
    assert isinstance(other, tepui.Program)
    questions = tepui.assertions(forking)
    for ask in (tepui.verify, tepui.verify_all):
        with pytest.raises(UsageError, match="a question is not about bluetooth1"):
            ask(other, questions)
