"""Diagrams over the bits of all variables: what is accepted, and everything that is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

import tepui
from support.generators.programs import KNOWING, SMALL, Sizes, any_program, with_bare_ends
from support.oracles.program_interpreter import TooLargeError
from support.oracles.small_steps import (
    SmallStepStates,
    points_of,
    resting,
    resting_by_meaning,
)
from support.samples.bits import certificate_of, contains, words
from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from support.sizes import sized
from tepui.checker.bits_of_programs.state_bits import Bit, Shape
from tepui.checker.evidence import Bad
from tepui.checker.programs.bits_certificate import BitsCertificate
from tepui.errors import CheckStopped, EvidenceError
from tepui.program.expressions import ANY, Binary, Choice, Constant, Read, Unary, Variable
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Element,
    Program,
    Receive,
    Return,
    Thread,
)
from tepui.program.types import Array, Bounded, machine


def is_accepted(about: Program, evidence: BitsCertificate, bad: Sequence[Bad] = ()) -> bool:
    try:
        evidence.check_program(about, bad, lambda: True)
    except EvidenceError:
        return False
    return True


def rejects(about: Program, evidence: BitsCertificate, message: str, *bad: Bad) -> None:
    with pytest.raises(EvidenceError, match=message):
        evidence.check_program(about, bad, lambda: True)


CALLING = Sizes(threads=2, count=1, globals=2, locations=4)


def cases(number: int, most: int) -> Iterator[tuple[int, Random, Program, SmallStepStates]]:
    """Random programs, and all states that their small steps reach. A third has calls. Two are made
    by hand."""
    for seed in range(number):
        rng = Random(seed)
        sizes = (CALLING, KNOWING, SMALL)[seed % 3]
        about = any_program(rng, sizes)
        while sizes is CALLING and not has_calls(about):
            about = any_program(rng, sizes)
        if sizes is CALLING:
            about = with_bare_ends(without_labels(about))
        if about.lock is None:
            try:
                yield seed, rng, about, SmallStepStates(about, most)
            except TooLargeError:
                continue
    for section in (False, True):
        about = calling(section=section)
        yield -1, Random(section), about, SmallStepStates(about)


def calling(*, section: bool) -> Program:
    """Results, a tail call, and an assertion, all in calls, which are perhaps inside a section."""
    digit = Bounded(0, 2)
    number, flag = variable("number", digit), variable("flag", initial=None)
    given, got = local("given", digit, None, "leaf"), local("got", digit, None, "calls")
    less = Binary("or", Binary("<", Read(given), Constant(2)), Read(flag))
    return with_bare_ends(
        program(
            procedure("main", Call(0, 1, "first"), step(1, 2), atomic=(1,) if section else ()),
            procedure("first", step(0, 1, assign(flag, ANY)), Call(1, 2, "calls"), Return(2)),
            procedure(
                "calls",
                Call(0, 1, "leaf", (Read(number),)),
                Receive(1, 2, (got,)),
                step(2, 3, assign(number, Read(got))),
                step(3, 0),
                Return(3),
                variables=(got,),
            ),
            procedure(
                "leaf",
                Assert(0, 1, less),
                Return(1, (Binary("+", Read(given), Constant(1)),)),
                variables=(given,),
                parameters=1,
                results=(digit,),
            ),
            procedure("other", step(0, 0, assign(flag, 0), guard=Read(flag))),
            shared=(number, flag),
            threads=(Thread("main", "main"), Thread("other", "other")),
        )
    )


def has_calls(about: Program) -> bool:
    return any(isinstance(edge, Call) for code in about.procedures for edge in code.edges)


def without_labels(about: Program) -> Program:
    procedures = (
        replace(code, locations=tuple(replace(each, labels=()) for each in code.locations))
        for code in about.procedures
    )
    return replace(about, procedures=tuple(procedures))


# Against an explorer of small steps


@pytest.mark.fuzz
def test_small_steps_rest_where_the_steps_of_the_reference_do() -> None:
    compared = 0
    for seed, _, about, states in cases(sized(400), 300):
        try:
            assert resting(states) == resting_by_meaning(about), seed
        except TooLargeError:
            continue
        compared += 1
    assert compared > 30


def test_the_programs_have_all_that_small_steps_tell_apart() -> None:
    met: Counter[str] = Counter()
    for _, _, about, states in cases(sized(500), 300):
        layout = about.layout
        places = [place for state in states.reached for place in state.threads]
        violated = layout.violation(0)
        met["results"] += any(states.flag(state, "full") for state in states.reached)
        met["inside"] += any(place.outer >= 0 for place in places)
        met["in a call"] += any(-1 < place.outer < len(place.frames) - 1 for place in places)
        met["deep"] += any(len(place.frames) > 2 for place in places)
        tops = [place.frames[-1].point for place in places if place.frames]
        met["violated"] += any(top >= violated for top in tops)
        lower = [place.frames[-1].point for place in places if len(place.frames) > 1]
        met["violated in a call"] += any(top >= violated for top in lower)
        met["tail call"] += any(
            isinstance(edge, Call) and layout.is_tail_call(number, edge)
            for number, code in enumerate(about.procedures)
            for edge in code.edges
        )
        met["created"] += any(each.created for each in about.threads)
        met["array"] += any(each.length > 1 for each in about.globals)
        met["threads"] += len(about.thread_types) > 1
    assert min(met.values()) > 0, met
    assert sum(met.values()) > 150, met


@pytest.mark.fuzz
def test_all_states_are_accepted_in_any_order_of_the_bits() -> None:
    accepted = 0
    for _, rng, about, states in cases(sized(500), 300):
        for order, results in ((None, True), (rng, False)):
            evidence = certificate_of(states, states.reached, order, results=results)
            evidence.check_program(about, (), lambda: True)
            accepted += 1
    assert accepted > 80


@pytest.mark.fuzz
def test_no_state_that_is_reached_may_be_left_out() -> None:
    left_out = 0
    for seed, rng, about, states in cases(sized(300), 100):
        for state in rng.sample(sorted(states.reached, key=repr), min(len(states.reached), 6)):
            evidence = certificate_of(states, states.reached - {state}, rng)
            assert not is_accepted(about, evidence), (seed, state)
            left_out += 1
    assert left_out > 100


@pytest.mark.fuzz
def test_what_is_not_reached_is_proved_and_nothing_else() -> None:
    """Of one thread, and of two; inside of sections and after violations, too."""
    answers: Counter[bool] = Counter()
    for seed, rng, about, states in cases(sized(300), 100):
        evidence = certificate_of(states, states.reached)
        types = about.thread_types
        reached = {(types[thread], point) for thread, point in points_of(states)}
        together = pairs_of(about, states)
        places = [
            (kind, point)
            for kind in range(len(about.threads))
            for point in range(about.layout.points)
            if not about.layout.is_bare_end(point)
        ]
        for one, other in zip(rng.choices(places, k=5), rng.choices(places, k=5), strict=True):
            assert is_accepted(about, evidence, [(one,)]) == (one not in reached), (seed, one)
            found = is_accepted(about, evidence, [(one, other)])
            assert found == ((one, other) not in together), (seed, one, other)
            answers[one in reached] += 1
            answers[(one, other) in together] += 1
    assert min(answers[True], answers[False]) > 50


def pairs_of(about: Program, states: SmallStepStates) -> set[tuple[tuple[int, int], ...]]:
    """The types and points of two different threads in some state."""
    found = set[tuple[tuple[int, int], ...]]()
    for state in states.reached:
        tops = [
            (about.thread_types[thread], place.frames[-1].point)
            for thread, place in enumerate(state.threads)
            if place.frames
        ]
        numbers = range(len(tops))
        found |= {(tops[i], tops[j]) for i in numbers for j in numbers if i != j}
    return found


@pytest.mark.fuzz
def test_what_is_damaged_and_accepted_has_all_states_nevertheless() -> None:
    outcomes: Counter[bool] = Counter()
    for seed, rng, about, states in cases(sized(300), 100):
        evidence = certificate_of(states, states.reached, rng)
        for _ in range(6):
            damaged = damage(evidence, about, rng)
            accepted = is_accepted(about, damaged)
            if accepted:
                for state in states.reached:
                    assert contains(damaged, about.layout, state), seed
            outcomes[accepted] += 1
    assert outcomes[True] > 20
    assert outcomes[False] > 100


def damage(evidence: BitsCertificate, about: Program, rng: Random) -> BitsCertificate:
    """The certificate with something changed somewhere."""
    match rng.randrange(7):
        case 0:
            return replace(evidence, root=rng.randrange(-1, len(evidence.nodes) + 3))
        case 1 | 2 if evidence.nodes:
            nodes = list(evidence.nodes)
            place = rng.randrange(len(nodes))
            node = list(nodes[place])
            node[rng.randrange(3)] += rng.choice((-2, -1, 1, 2))
            nodes[place] = (node[0], node[1], node[2])
            return replace(evidence, nodes=tuple(nodes))
        case 3 if len(evidence.levels) > 1:
            levels = list(evidence.levels)
            one, other = rng.sample(range(len(levels)), 2)
            levels[one], levels[other] = levels[other], levels[one]
            return replace(evidence, levels=tuple(levels))
        case 4 if evidence.levels:
            levels = list(evidence.levels)
            place = rng.randrange(len(levels))
            levels[place] = (*levels[place][:-1], rng.randrange(-1, 4))
            return replace(evidence, levels=tuple(levels))
        case 5:
            shapes = [list(some) for some in evidence.shapes]
            some = rng.choice(shapes)
            place = rng.randrange(len(some))
            outer, points = some[place]
            changed = [rng.randrange(about.layout.points), *points][rng.randrange(2) :]
            some[place] = Shape(outer + rng.choice((-1, 0, 0, 1)), tuple(changed))
            return replace(evidence, shapes=tuple(map(tuple, shapes)))
        case _:
            shapes = [list(some) for some in evidence.shapes]
            rng.shuffle(rng.choice(shapes))
            return replace(evidence, shapes=tuple(map(tuple, shapes)))


# Large data


@pytest.mark.parametrize("number", [0, 35])
def test_words_of_32_bits_are_no_trouble(number: int) -> None:
    about, evidence = words(number)
    violated = about.layout.violation(0)
    evidence.check_program(about, [((0, violated),)], lambda: True)
    assert len(evidence.levels) >= 32 * (number + 3)
    lacks = replace(evidence, nodes=(*evidence.nodes[:5], (0, 0, 0), *evidence.nodes[6:]))
    assert not is_accepted(about, lacks)


def test_few_values_of_a_large_type_stay_few() -> None:
    """Squares and remainders of a number of 64 bits that nobody knows have very many nodes."""
    large = machine(64, signed=True)
    x, y = variable("x", large), variable("y", large)
    square = Binary("*", Read(x), Read(x))
    rest = Binary("%", Binary("/", Read(x), Constant(7)), Constant(10))
    about = program(
        procedure(
            "main",
            step(0, 1, assign(y, square), guard=Binary("<", Read(x), Constant(5))),
            step(1, 0, assign(x, Binary("+", Read(x), Constant(1))), assign(y, rest)),
            step(0, None, assign(y, rest)),
        ),
        shared=(x, y),
    )
    questions = 0

    def go_on() -> bool:
        nonlocal questions
        questions += 1
        return questions < 100

    certified(about).check_program(about, (), go_on)


# What it is not about


def certified(about: Program) -> BitsCertificate:
    states = SmallStepStates(about)
    return certificate_of(states, states.reached)


BIT = variable("bit")

TOGGLE = program(
    procedure("main", step(0, 1, assign(BIT, 1)), step(1, 0, assign(BIT, 0))), shared=(BIT,)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decl g; void f() { skip; } void main() { thread_create(f, *); }", "any number"),
        ("decl g: int := 0; void main() { g := g + 1; }", "without bounds"),
    ],
)
def test_open_programs_are_refused(text: str, message: str) -> None:
    about = tepui.loads(text, "bp")
    assert about.is_open
    rejects(about, certified(TOGGLE), message)


def test_a_scheduler_lock_is_refused() -> None:
    about = replace(TOGGLE, lock=BIT)
    rejects(about, certified(TOGGLE), "lock")


def test_a_program_that_breaks_its_contract_is_refused() -> None:
    about = program(*TOGGLE.procedures, shared=())
    rejects(about, certified(TOGGLE), "bit is not declared")


def test_more_than_two_threads_are_not_asked_for() -> None:
    rejects(TOGGLE, certified(TOGGLE), "of two", ((0, 0), (0, 0), (0, 0)))
    rejects(TOGGLE, certified(TOGGLE), "of two", ())


def test_a_limit_may_not_be_reached_whatever_is_asked() -> None:
    edges = Assert(0, 1, Unary("not", Read(BIT)), kind="limit"), step(1, 0, assign(BIT, 1))
    about = program(procedure("main", *edges), shared=(BIT,))
    rejects(about, certified(about), "bad state")
    never = program(procedure("main", edges[0], step(1, 0, assign(BIT, 0))), shared=(BIT,))
    certified(never).check_program(never, (), lambda: True)


def test_the_bare_end_of_a_procedure_is_not_asked_for_where_it_is_passed_inside() -> None:
    """There, the frame that would pass it is left out."""
    calls = procedure("calls", Call(0, 1, "leaf"), Return(1))
    leaf = procedure("leaf", step(0, None, assign(BIT, 1)))
    section = procedure("main", Call(0, 1, "calls"), step(1, 2), Return(2), atomic=(1,))
    about = with_bare_ends(program(section, calls, leaf, shared=(BIT,)))
    point = about.layout.point(1, 1)
    assert about.layout.is_bare_end(point)
    evidence = certified(about)
    evidence.check_program(about, (), lambda: True)
    assert not any(point in shape.points for some in evidence.shapes for shape in some)
    rejects(about, evidence, "bare end", ((0, point),))


def test_a_call_that_recurses_without_end_leads_to_a_shape_that_is_not_listed() -> None:
    about = program(procedure("main", Call(0, 1, "main"), step(1, 0)), shared=())
    shapes = tuple(Shape(-1, (*(1,) * depth, 0)) for depth in range(4))
    bits: tuple[Bit, ...] = ("shape", 0, 0), ("shape", 0, 1)
    rejects(about, BitsCertificate((shapes,), bits, (), 1), "from main:0 leads to a shape not")


def test_a_bit_without_a_level_may_be_anything() -> None:
    """Then more states are in the set: here those with any value of the variable."""
    evidence = certified(TOGGLE)
    (shape,) = (place for place, bit in enumerate(evidence.levels) if bit[0] == "shape")
    fewer = BitsCertificate(evidence.shapes, (evidence.levels[shape],), (), 1)
    fewer.check_program(TOGGLE, (), lambda: True)
    both = Assert(0, 1, Unary("not", Read(BIT)))
    asserts = program(procedure("main", both, step(1, 0, assign(BIT, 0))), shared=(BIT,))
    violated = asserts.layout.violation(0)
    certified(asserts).check_program(asserts, [((0, violated),)], lambda: True)
    rejects(asserts, fewer, "shape not listed", ((0, violated),))


def test_each_choice_is_one_of_its_own() -> None:
    """Choices that go to the same place, or to one array, do not depend on each other."""
    one, two = Choice(Bounded(0, 1)), Binary("*", Choice(Bounded(0, 1)), Constant(2))
    number = variable("number", Bounded(0, 3))
    pair = Variable("pair", Array(Bounded(0, 1), 2), None, 0)
    first, second = (Element(pair, Constant(place)) for place in (0, 1))
    summed = step(0, 1, assign(number, Binary("+", one, two)))
    both = step(0, 1, Assignment(first, one), Assignment(second, one))
    for edge, shared in ((summed, number), (both, pair)):
        about = program(procedure("main", edge), shared=(shared,))
        states = SmallStepStates(about)
        assert len(states.reached) == 5
        certificate_of(states, states.reached).check_program(about, (), lambda: True)
        for state in states.reached:
            assert not is_accepted(about, certificate_of(states, states.reached - {state}))


def forms(evidence: BitsCertificate) -> Iterator[tuple[str, BitsCertificate]]:
    """What is no diagram, and why."""
    (some,) = evidence.shapes
    shape = some[0]
    yield "other threads", replace(evidence, shapes=())
    yield "other threads", replace(evidence, shapes=(some, some))
    yield "twice", replace(evidence, shapes=((*some, shape),))
    for outer in (-2, 1, 2):
        yield "none of its frames", replace(evidence, shapes=((*some, Shape(outer, (0,))),))
    yield "none of its frames", replace(evidence, shapes=((*some, Shape(0, ())),))
    for point in (-1, 3, 1000):
        yield "a point", replace(evidence, shapes=((*some, Shape(-1, (point,))),))
    yield "first shape", replace(evidence, shapes=(some[1:],))
    yield "same bit", replace(evidence, levels=(*evidence.levels, evidence.levels[0]))
    for bit in (("shared", 0), ("frame", 0, 0), ("nothing", 0, 0), ("shape", 0, 0, 0)):
        yield "no bit", replace(evidence, levels=(*evidence.levels, bit))
    for node in ((-1, 0, 1), (9, 0, 1), (0, -1, 1), (0, 0, 99), (0, 2, 99)):
        yield "does not come before", replace(evidence, nodes=(*evidence.nodes, node))
    last = len(evidence.nodes) + 1
    yield "not above", replace(evidence, nodes=(*evidence.nodes, (evidence.nodes[-1][0], 0, last)))
    yield "the root", replace(evidence, root=last + 1)
    yield "the root", replace(evidence, root=-1)
    yield "initial state", replace(evidence, root=0)


def test_every_fault_in_the_form_is_found() -> None:
    evidence = certified(TOGGLE)
    for message, damaged in forms(evidence):
        rejects(TOGGLE, damaged, message)
    for place in range(len(evidence.levels)):
        negative = list(evidence.levels)
        negative[place] = (*negative[place][:-1], -1)
        assert not is_accepted(TOGGLE, replace(evidence, levels=tuple(negative)))


def test_whoever_asks_can_stop_the_check() -> None:
    about, evidence = words(3)
    questions = 0

    def go_on() -> bool:
        nonlocal questions
        questions += 1
        return questions < 4

    with pytest.raises(CheckStopped):
        evidence.check_program(about, (), go_on)
    assert questions == 4
