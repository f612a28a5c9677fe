"""Z of some threads among any number of others: what is accepted, and everything that is not."""

from __future__ import annotations

from random import Random

import pytest

import tepui
from support.sizes import sized
from tepui.checker.evidence import Bad
from tepui.checker.programs.modular_z import ModularState, ModularZ, View
from tepui.deciding.modular_prover import ModularProver
from tepui.deciding.provers import GaveUp, Proved
from tepui.errors import EvidenceError
from tepui.limits import Limits, Meter
from tepui.program.layout import Frame
from tepui.program.program import Program
from tepui.program.questions import assertions
from tepui.records import replace
from tepui.z.modular_search import BadState, ModularSearch

LOCK = """\
decl lock := 0;
decl busy := 0;
void worker() {
    while (1) {
        atomic { wait(!lock); lock := 1; }
        assert(!busy);
        busy := 1;
        busy := 0;
        lock := 0;
    }
}
void main() { thread_create(worker, *); }
"""

RECURSION = """\
decl lock := 0;
decl inside := 0;
void work(deep: bool) {
    if (*) { work(1); }
    assert(inside);
    if (deep) { skip; }
}
void worker() {
    while (1) {
        atomic { wait(!lock); lock := 1; }
        inside := 1;
        work(0);
        inside := 0;
        lock := 0;
    }
}
void main() { thread_create(worker, *); }
"""

ROLES = """\
decl turn := 0;
decl done := 0;
void left() { while (1) { wait(!turn); assert(!turn); turn := 1; } }
void right() { while (1) { wait(turn); assert(turn); turn := 0; } }
void main() { thread_create(left); thread_create(right); }
"""

SAFE = {"lock": LOCK, "recursion": RECURSION, "roles": ROLES}

UNSAFE = {
    "lock": LOCK.replace("atomic { wait(!lock); lock := 1; }", "wait(!lock); lock := 1;"),
    "recursion": RECURSION.replace("inside := 1;", "inside := *;"),
    "roles": ROLES.replace("thread_create(left);", "thread_create(left, *);"),
}


def asked(text: str) -> tuple[Program, list[Bad]]:
    program = tepui.loads(text, "bp")
    points = [question.point for question in assertions(program)]
    kinds = range(len(program.threads))
    return program, [((kind, point),) for point in points if point is not None for kind in kinds]


def proved(text: str) -> tuple[Program, list[Bad], ModularZ]:
    program, bad = asked(text)
    outcome = ModularProver(program, bad).advance(Meter(Limits()))
    assert isinstance(outcome, Proved)
    assert isinstance(outcome.evidence, ModularZ)
    return program, bad, outcome.evidence


@pytest.fixture(scope="module", params=sorted(SAFE))
def proof(request: pytest.FixtureRequest) -> tuple[str, Program, list[Bad], ModularZ]:
    return (request.param, *proved(SAFE[request.param]))


def is_accepted(program: Program, bad: list[Bad], evidence: ModularZ) -> bool:
    try:
        evidence.check_program(program, bad, lambda: True)
    except EvidenceError:
        return False
    return True


def test_what_was_found_is_accepted(proof: tuple[str, Program, list[Bad], ModularZ]) -> None:
    _, program, bad, evidence = proof
    evidence.check_program(program, bad, lambda: True)


def test_no_state_can_be_left_out(proof: tuple[str, Program, list[Bad], ModularZ]) -> None:
    _, program, bad, evidence = proof
    for state in evidence.states:
        fewer = tuple(each for each in evidence.states if each != state)
        assert not is_accepted(program, bad, replace(evidence, states=fewer)), state


def test_nothing_can_be_left_out_below(proof: tuple[str, Program, list[Bad], ModularZ]) -> None:
    _, program, bad, evidence = proof
    for kind, pairs in enumerate(evidence.below):
        for pair in pairs:
            below = list(evidence.below)
            below[kind] = tuple(each for each in pairs if each != pair)
            assert not is_accepted(program, bad, replace(evidence, below=tuple(below))), pair


def test_it_proves_nothing_about_an_unsafe_program(
    proof: tuple[str, Program, list[Bad], ModularZ],
) -> None:
    name, _, bad, evidence = proof
    program, _ = asked(UNSAFE[name])
    assert tepui.verify(program).verdict == "unsafe"
    assert not is_accepted(program, bad, evidence)


def test_what_is_bad_must_not_be_listed(proof: tuple[str, Program, list[Bad], ModularZ]) -> None:
    _, program, _, evidence = proof
    frame = evidence.frames[0][0]
    assert not is_accepted(program, [((0, frame.point),)], evidence)


@pytest.mark.fuzz
def test_whatever_is_damaged_is_rejected_or_still_a_proof(
    proof: tuple[str, Program, list[Bad], ModularZ],
) -> None:
    """A changed certificate that is accepted for the program is rejected for an unsafe one."""
    name, program, bad, evidence = proof
    other, _ = asked(UNSAFE[name])
    rejected = 0
    for seed in range(sized(800)):
        damaged = damage(evidence, Random(seed))
        assert not is_accepted(other, bad, damaged), seed
        rejected += not is_accepted(program, bad, damaged)
    assert rejected > 0


def damage(evidence: ModularZ, rng: Random) -> ModularZ:
    """The certificate with something changed somewhere."""
    match rng.randrange(6):
        case 0:
            return replace(evidence, observed=rng.randrange(-1, 5))
        case 1:
            shared = list(evidence.shared)
            state = list(rng.choice(shared))
            state[rng.randrange(len(state))] = rng.choice((None, 0, 1, 2, -1))
            shared[rng.randrange(len(shared))] = tuple(state)
            return replace(evidence, shared=tuple(shared))
        case 2:
            frames = [list(some) for some in evidence.frames]
            some = rng.choice([each for each in frames if each])
            some[rng.randrange(len(some))] = Frame(rng.randrange(-1, 20), rng.choice(some).values)
            return replace(evidence, frames=tuple(map(tuple, frames)))
        case 3:
            states = list(evidence.states)
            at = rng.randrange(len(states))
            views = [
                View(view.type, max(-1, view.top + rng.choice((-1, 0, 1))), rng.random() < 0.5)
                for view in states[at].views
            ]
            states[at] = ModularState(states[at].shared + rng.choice((-1, 0, 1)), tuple(views))
            return replace(evidence, states=tuple(states))
        case 4:
            below = [tuple(pair for pair in some if rng.random() < 0.8) for some in evidence.below]
            return replace(evidence, below=tuple(below))
        case _:
            kept = tuple(state for state in evidence.states if rng.random() < 0.95)
            return replace(evidence, states=kept)


def test_one_observed_thread_may_be_too_few() -> None:
    program, bad = asked(LOCK)
    with pytest.raises(BadState):
        ModularSearch(program, bad, 1).run(lambda: True)
    assert ModularSearch(program, bad, 2).run(lambda: True) is not None


def test_no_more_threads_are_observed_than_there_are() -> None:
    program, bad = asked(ROLES)
    found = ModularSearch(program, bad, 3).run(lambda: True)
    assert found is not None
    assert found.observed == 2
    assert not is_accepted(program, bad, replace(found, observed=3))


def test_threads_that_know_themselves_are_refused() -> None:
    text = "decl owner: thread; void f() { owner := thread_self(); assert(owner = thread_self()); }"
    program, bad = asked(f"{text} void main() {{ thread_create(f, *); }}")
    outcome = ModularProver(program, bad).advance(Meter(Limits()))
    assert isinstance(outcome, GaveUp)
    assert "know themselves" in outcome.reason


def test_two_threads_are_asked_for_only_if_two_are_observed() -> None:
    program, _, evidence = proved(LOCK)
    place = (0, evidence.frames[0][0].point)
    single = ModularSearch(program, [], 1).run(lambda: True)
    assert single is not None
    assert not is_accepted(program, [(place, place)], single)


def test_it_goes_through_a_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    from support.cli import call

    folder = tmp_path_factory.mktemp("modular")
    recursion, other = folder / "recursion.bp", folder / "other.bp"
    recursion.write_text(RECURSION, encoding="utf-8")
    other.write_text(UNSAFE["recursion"], encoding="utf-8")
    file = folder / "evidence.json"
    assert call("verify", str(recursion), "--evidence", str(file)).code == 0
    assert '"kind": "modular"' in file.read_text(encoding="utf-8")
    checked = call("check", str(recursion), str(file))
    assert (checked.code, "and of threads worker" in checked.out) == (0, True)
    text = file.read_text(encoding="utf-8").replace('"system": "recursion"', '"system": "other"')
    file.write_text(text, encoding="utf-8")
    assert call("check", str(other), str(file)).code == 1
