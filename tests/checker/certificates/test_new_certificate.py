"""A kind of certificate that tepui does not have, added from outside: one class is all it takes.

It lists visible states, for threads that never have more than one symbol on their stacks: there,
the visible state is the whole state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

import tepui
from support.cli import call
from support.places import EXAMPLES
from tepui.checker import check
from tepui.checker.bad_states import BadStates
from tepui.checker.certificates.states import Certificate
from tepui.checker.evidence import KINDS, AnyCertificate, Pair, register
from tepui.checker.reading import Reader
from tepui.checker.writing import Writer
from tepui.engines.explicit import ExplicitEngine
from tepui.errors import EvidenceError, EvidenceRejected
from tepui.model import EPSILON, Property, System
from tepui.model.system import VisibleState, Word

PROGRAM = """
decl turn := 0;
decl inside: int 0..1 := 0;
void left() { while (1) { wait(!turn); inside := 0; assert(inside = 0); turn := 1; } }
void right() { while (1) { wait(turn); inside := 1; assert(inside = 1); turn := 0; } }
void main() { thread_create(left); thread_create(right); }
"""


@dataclass(frozen=True, slots=True)
class VisibleStates(AnyCertificate):
    """A set of visible states: it has the initial one, no bad one, and is closed under all rules.

    Neither the initial stacks nor the right sides of rules have more than one symbol. So by
    induction over the steps of a run no stack ever has more than one, each visible state stands for
    one state, and all that are reachable are in the set.
    """

    kinds: ClassVar = ("visible",)
    fields: ClassVar = ("visible",)

    states: tuple[VisibleState, ...]

    @property
    def size(self) -> int:
        return len(self.states)

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        words = [*system.initial_stacks(), *(rule.word for _, rule in system.rules())]
        if asked.reaches or any(len(word) > 1 for word in words):
            raise EvidenceError("this is not only about visible states")
        listed = set(self.states)
        if (system.initial, *map(_top, system.initial_stacks())) not in listed:
            raise EvidenceError("the initial state is not visible")
        bad = BadStates(system, asked, [(thread,) for thread in range(len(system.threads))])
        for state in listed:
            if state in bad:
                raise EvidenceError("a visible state is bad")
            if any(after not in listed for after in _successors(system, state)):
                raise EvidenceError("a step leads out of the visible states")

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        threads = range(len(system.threads))
        return [{(state[0], state[1 + thread]) for state in self.states} for thread in threads]

    def fixed(self) -> Self:
        return replace(self, states=tuple(self.states))

    def body(self, writer: Writer) -> dict[str, Any]:
        return {"visible": (json.dumps(_written(writer, state)) for state in self.states)}

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        rows = reader.items(fields["visible"], "visible")
        return cls(tuple(_read(reader, row) for row in rows))


def _successors(system: System, state: VisibleState) -> Iterator[VisibleState]:
    for thread, top in enumerate(state[1:], start=1):
        for rule in system.template_of(thread - 1).rules:
            if (rule.source, rule.top) == (state[0], top):
                yield (rule.target, *state[1:thread], _top(rule.word), *state[thread + 1 :])


def _top(word: Word) -> int:
    return word[0] if word else EPSILON


def _written(writer: Writer, state: VisibleState) -> dict[str, Any]:
    tops = [writer.word(thread, [top][: top > 0]) for thread, top in enumerate(state[1:])]
    return {"shared": writer.shared(state[0]), "stacks": tops}


def _read(reader: Reader, row: Any) -> VisibleState:
    fields = reader.record(row, "visible[…]", ("shared", "stacks"))
    shared = reader.shared(fields["shared"], "visible[…]")
    return shared, *map(_top, reader.stacks(fields["stacks"], "visible[…]"))


@pytest.fixture
def trusted() -> Iterator[None]:
    register(VisibleStates)
    yield
    del KINDS["visible"]


@pytest.fixture(params=["system", "program"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "system":
        return EXAMPLES / "peterson.cpds"
    path = tmp_path / "turns.bp"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def give(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[list[VisibleState]], object]) -> None:
    """Let the engine give certificates of the new kind, which are spoilt a little."""

    def certificate(engine: ExplicitEngine) -> VisibleStates:
        states = engine.list_visible(engine.last.k)
        spoil(states)
        return VisibleStates(tuple(states))

    monkeypatch.setattr(ExplicitEngine, "certificate", certificate)


OPTIONS = ("--engine", "explicit", "--z", "off", "--symmetry", "off")


@pytest.mark.usefixtures("trusted")
def test_a_new_kind_is_checked_written_and_read_back(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, lambda states: states.sort())
    file = tmp_path / "e.json"
    done = call("verify", str(model), *OPTIONS, "--evidence", str(file), "--quiet")
    assert (done.code, "accepted by the checker" in done.out) == (0, True)
    document = json.loads(file.read_text(encoding="utf-8"))
    assert (document["kind"], len(document["visible"]) > 2) == ("visible", True)
    assert call("check", str(model), str(file)).code == 0
    document["visible"].pop()
    file.write_text(json.dumps(document), encoding="utf-8")
    done = call("check", str(model), str(file))
    assert (done.code, "a step leads out of the visible states" in done.out) == (1, True)
    document["visible"][0]["shared"] = "nowhere"
    file.write_text(json.dumps(document), encoding="utf-8")
    done = call("check", str(model), str(file))
    assert (done.code, "visible[…]" in done.err) == (2, True)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("lacking", [0, -1])
def test_a_forged_certificate_of_a_new_kind_is_rejected(
    model: Path, lacking: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, lambda states: states.pop(lacking))
    options = tepui.Options(engine="explicit", strengths=(), symmetry=False)
    with pytest.raises(EvidenceRejected, match="visible"):
        tepui.verify(tepui.load(model), options=options)


@pytest.mark.usefixtures("trusted")
def test_a_new_kind_sees_what_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, lambda states: states.sort())
    file, model = tmp_path / "e.json", str(EXAMPLES / "peterson.cpds")
    call("verify", model, *OPTIONS, "--evidence", str(file), "--quiet")
    document = json.loads(file.read_text(encoding="utf-8"))
    bad = {"shared": None, "tops": ["critical", None]}
    document["property"] = {"patterns": [bad], "deadlock": False}
    file.write_text(json.dumps(document), encoding="utf-8")
    done = call("check", model, str(file), "--target", "*|critical,*")
    assert (done.code, "a visible state is bad" in done.out) == (1, True)


def test_a_kind_that_nobody_has_registered_is_not_believed(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, lambda states: states.sort())
    options = tepui.Options(engine="explicit", strengths=(), symmetry=False)
    with pytest.raises(EvidenceRejected, match="there is no kind of evidence 'VisibleStates'"):
        tepui.verify(tepui.load(model), options=options)


def test_a_kind_cannot_take_the_place_of_another() -> None:
    class Gullible(Certificate):
        def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
            """Believe everything."""

    with pytest.raises(ValueError, match="there is a kind of evidence 'states' already"):
        register(Gullible)
    system = tepui.load(EXAMPLES / "peterson.cpds")
    assert isinstance(system, System)
    with pytest.raises(EvidenceError, match="not a partition of the threads"):
        check(system, Property(deadlock=True), Gullible("states", (), (), ()))
