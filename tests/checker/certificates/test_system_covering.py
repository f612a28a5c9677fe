"""Certificates about any number of threads of a system: the net, and what is rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tepui
from support.places import EXAMPLES
from tepui.checker import check
from tepui.checker.certificates.states import Certificate
from tepui.checker.certificates.system_covering import SystemCovering
from tepui.checker.evidence_proof import OtherPropertyError, proof_about_open_system
from tepui.checker.files import write_evidence
from tepui.checker.net_search import NoNet
from tepui.checker.system_net import SystemNet, system_net
from tepui.counting.system_coverability import cover_system
from tepui.errors import EvidenceError, InputError
from tepui.limits import Limits, Meter
from tepui.model import OpenSystem, Pattern, Property, SystemInstance
from tepui.records import replace

LOCK = EXAMPLES / "any-number" / "recursive-lock.cpds"

TURNSTILE = """\
initial q0
thread f * any {
    stack a
    q0 | a -> q1 | b
    q1 | a -> q0 | c
    q1 | c -> q1 | d
}
bad * | b, d
"""
"""A thread moves to b, another one to c. Then a third is needed, for the state q1."""


def read(text: str, *targets: str) -> OpenSystem:
    model = tepui.loads(text, "cpds", targets=targets or None, name="recursive-lock.cpds")
    assert isinstance(model, OpenSystem)
    return model


def instance(text: str) -> SystemInstance:
    model = read(text)
    return model.instance(model.needed)


def lock(count: int = 2) -> SystemInstance:
    return read(LOCK.read_text()).instance({"owner": count})


def net_of(system: SystemInstance, height: int) -> SystemNet:
    return system_net(system, system.property, height)


def proof_of(system: SystemInstance, height: int = 1) -> SystemCovering:
    found = cover_system(system, height, Meter(Limits()))
    assert found.evidence is not None
    return found.evidence


def test_a_net_with_enough_symbols_is_exact() -> None:
    text = "initial q\nthread f * any {\nstack a b c\nq | a -> q | -\n}\nbad * | c"
    system = instance(text)
    whole, cut = net_of(system, 3), net_of(system, 2)
    assert whole.net.places == ("q", "f: a b c", "f: b c")
    assert whole.is_exact
    assert cut.net.places == ("q", "f: a b …", "f: b …")
    assert not cut.is_exact


def test_below_what_is_seen_any_symbol_may_come_that_was_put_there() -> None:
    text = "initial q\nthread f * any {\nstack a b\nq | a -> q | a c\nq | a -> q | -\n}\nbad * | c"
    net = net_of(instance(text), 1)
    assert set(net.net.places[1:]) == {"f: a …", "f: b", "f: b …", "f: c", "f: c …"}


def test_threads_of_the_same_kind_are_counted_together() -> None:
    text = (
        "initial q\nthread f * any {\nstack a\nq | a -> q | b\n}\n"
        "thread g * 2 {\nstack a\nq | a -> q | b\n}\nbad q | b, *, *"
    )
    net = net_of(instance(text), 1)
    assert net.net.places == ("q", "f: a", "f: b")
    assert net.net.initial == ((1, 1), (2, None), (0, 0))
    assert net.net.targets == (((0, 1), (2, 1)),)
    assert net.invariants == ()


def test_a_number_of_threads_never_grows() -> None:
    text = (
        "initial q\nthread f * any {\nstack a\n}\n"
        "thread g * 2 {\nstack c\nq | c -> q | d\n}\nbad q | a, d, d"
    )
    system = instance(text)
    (invariant,) = net_of(system, 1).invariants
    assert invariant.bound == 2
    never = text.replace("a, d, d", "b, d, d").replace("stack a", "stack a\nsymbols b")
    assert proof_of(instance(never)).minimal == ()


@pytest.mark.parametrize("asked", [Property(deadlock=True), tepui.reach(lock(), "free | *, *")])
def test_only_tops_of_stacks_can_be_asked_for(asked: Property) -> None:
    with pytest.raises(NoNet, match="only tops of stacks can be asked for"):
        system_net(lock(), asked, 1)
    with pytest.raises(EvidenceError, match="only tops of stacks can be asked for"):
        check(lock(), asked, proof_of(lock()))


def test_a_proof_is_accepted_for_every_height() -> None:
    for height in (1, 2, 3):
        check(lock(), lock().property, proof_of(lock(), height))


def test_a_changed_system_has_another_proof() -> None:
    found = proof_of(lock())
    text = LOCK.read_text().replace("free  | outside -> taken", "free  | outside -> free ")
    assert text != LOCK.read_text()
    changed = instance(text)
    with pytest.raises(EvidenceError):
        check(changed, changed.property, found)


def test_forged_certificates_are_rejected() -> None:
    system = instance(TURNSTILE)
    for height in (1, 2):
        found = cover_system(system, height, Meter(Limits()))
        assert found.evidence is None
        assert found.threads is not None
    for forged in (
        SystemCovering((), ()),
        SystemCovering(("f: a",), (((0, 2),),)),
        SystemCovering(("f: b", "f: d"), (((0, 1), (1, 1)),)),
        SystemCovering(("q0", "q1", "f: d"), (), ((((2, 1),), 0),)),
    ):
        with pytest.raises(EvidenceError):
            check(system, system.property, forged)
    with pytest.raises(EvidenceError, match="at least one symbol"):
        check(lock(), lock().property, replace(proof_of(lock()), height=0))


def test_an_instance_must_have_all_threads_that_are_named() -> None:
    with pytest.raises(EvidenceError, match="fewer threads than what is bad names"):
        check(lock(1), lock(1).property, proof_of(lock()))
    other = replace(lock(), threads=(0,), thread_names=("owner",))
    with pytest.raises(EvidenceError, match="not the system that it is said to be"):
        check(other, Property((Pattern(0, (1,)),)), proof_of(lock()))
    closed = tepui.loads(LOCK.read_text(), "cpds", threads={"owner": 2})
    with pytest.raises(EvidenceError, match="about any number of threads"):
        check(closed, closed.property, proof_of(lock()))


def test_a_file_proves_what_the_model_asks(tmp_path: Path) -> None:
    model, path = read(LOCK.read_text()), tmp_path / "e.json"
    write_evidence(path, lock(), lock().property, proof_of(lock()))
    assert proof_about_open_system(model, path).verdict == "safe"
    less = read(LOCK.read_text(), "free | held")
    with pytest.raises(OtherPropertyError):
        proof_about_open_system(less, path)
    written = json.loads(path.read_text())
    assert written["instance"] == {"threads": {"owner": 2}}
    assert (written["kind"], written["height"]) == ("stacks", 1)


@pytest.mark.parametrize(
    ("threads", "words"),
    [
        ({}, "is about no threads"),
        ({"owner": 2, "other": 1}, "is about owner, other"),
        ({"owner": 0}, "is 0; expected 1 to 10000"),
        ({"owner": True}, "an integer"),
        ({"owner": 3}, "threads: are not those"),
    ],
)
def test_a_file_about_other_threads_is_refused(
    threads: dict[str, int], words: str, tmp_path: Path
) -> None:
    model, path = read(LOCK.read_text()), tmp_path / "e.json"
    write_evidence(path, lock(), lock().property, proof_of(lock()))
    written = json.loads(path.read_text())
    path.write_text(json.dumps({**written, "instance": {"threads": threads}}))
    with pytest.raises(InputError, match=words):
        proof_about_open_system(model, path)
    del written["instance"]
    path.write_text(json.dumps(written))
    with pytest.raises(InputError, match="it has no 'instance'"):
        proof_about_open_system(model, path)


def test_with_fewer_threads_a_file_cannot_leave_out_what_is_bad(tmp_path: Path) -> None:
    """The instance with one thread has no pattern about two; the file may not choose another."""
    model, path = read(TURNSTILE), tmp_path / "e.json"
    one = model.instance({"f": 1})
    never = Property((Pattern(0, (2,)),))
    forged = SystemCovering(("q0", "f: b"), (((0, 1), (1, 1)),))
    write_evidence(path, one, never, forged)
    with pytest.raises(OtherPropertyError):
        proof_about_open_system(model, path)
    silent = model.asking_nothing()
    with pytest.raises(EvidenceError, match=r"is not in the set|is not closed"):
        proof_about_open_system(silent, path)


def test_a_certificate_about_some_threads_proves_nothing_about_others(tmp_path: Path) -> None:
    system, path = lock(), tmp_path / "e.json"
    fixed = tepui.loads(LOCK.read_text(), "cpds", threads={"owner": 2})
    found = tepui.verify(fixed).evidence
    assert isinstance(found, Certificate)
    write_evidence(path, system, system.property, found)
    with pytest.raises(EvidenceError, match="need not hold for others"):
        proof_about_open_system(read(LOCK.read_text()), path)
