"""Identities of threads: what they are, how they are written, and how programs use them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tepui
from support.samples.handmade_programs import assign, local, procedure, program, step, variable
from support.samples.knowing_programs import (
    OWNER,
    certain_lock,
    owner_lock,
    owns,
    plain_lock,
    remembering_lock,
    stolen_lock,
)
from tepui.program.expressions import NOBODY, Binary, Constant, Read, ReadElement, Self
from tepui.program.identities import families, only_joined
from tepui.program.printer import program_text
from tepui.program.program import (
    Assert,
    Call,
    Create,
    Element,
    Program,
    Receive,
    Return,
    Thread,
    thread_names,
)
from tepui.program.semantics.meaning import Meaning
from tepui.program.state_names import parse_shared, shared_text
from tepui.program.types import THREAD, Array
from tepui.program.validate import validate

NAMES = variable("names", Array(THREAD, 2), None)


def test_a_thread_that_knows_itself_has_a_template_of_its_own() -> None:
    two = owner_lock(2)
    main = Thread("main", "main")
    mixed = replace(
        two, procedures=(*two.procedures, procedure("main")), threads=(main, *two.threads)
    )
    assert mixed.layout.templates == ((0, 0), (1, 1), (1, 2))
    assert mixed.layout.threads == (0, 1, 2)
    assert plain_lock(3).layout.templates == ((0, 0),)
    assert plain_lock(3).layout.threads == (0, 0, 0)


def test_self_is_the_thread_that_runs() -> None:
    meaning = Meaning(owner_lock(3))
    (frame,) = meaning.initial_stack(0)
    ready = replace(frame, point=1)
    for thread in range(3):
        ((after, _),) = meaning.rules(thread, meaning.initial_shared(), ready)
        assert after[0] == thread + 1
        assert shared_text(meaning.layout, after) == f"owner=worker.{thread + 1}"


def test_states_name_threads_by_their_names_and_nobody_by_zero() -> None:
    lock = owner_lock(2)
    odd = replace(
        lock, threads=(Thread("0", "worker"), Thread("-", "worker"), Thread("a b", "worker"))
    )
    for layout in (lock.layout, odd.layout):
        texts = [
            shared_text(layout, (value, 0))
            for value in range(1 + len(thread_names(layout.program)))
        ]
        assert texts[0] == "owner=0"
        assert len(set(texts)) == len(texts)
        assert [parse_shared(layout, text)[0] for text in texts] == list(range(len(texts)))
    with pytest.raises(ValueError, match=r"owner cannot be 'worker\.3'"):
        parse_shared(lock.layout, "owner=worker.3")


def test_a_program_is_printed_with_self_and_nobody() -> None:
    text = program_text(owner_lock(2))
    assert "[owner = nobody] owner := self" in text
    assert "assert owner = self" in text


def test_identities_are_kept_in_arrays_parameters_results_and_what_is_inherited() -> None:
    mine = local("mine", THREAD, None, "worker")
    other = local("other", THREAD, None, "same")
    second = Constant(1)
    worker = procedure(
        "worker",
        Call(0, 1, "same", (Self(),)),
        Receive(1, 2, (OWNER,)),
        step(2, 3, replace(assign(OWNER, Self()), target=Element(NAMES, second))),
        Assert(3, 4, owns(ReadElement(NAMES, second))),
        Assert(4, None, Binary("=", ReadElement(NAMES, second), Self())),
        variables=(mine,),
    )
    same = procedure(
        "same",
        Return(0, (ReadElement(NAMES, Constant(0)),), guard=owns(Self())),
        Return(0, (Self(),), guard=Binary("!=", Read(other), NOBODY)),
        variables=(other,),
        parameters=1,
        results=(THREAD,),
    )
    main = procedure("main", Create(0, None, (1,), ((Self(),),)))
    threads = (
        Thread("main", "main"),
        Thread("worker", "worker", created=True, inherited=(mine,)),
    )
    one = program(main, worker, same, shared=(OWNER, NAMES), threads=threads)
    validate(one)
    assert tepui.verify(one).verdict == "safe"
    assert not only_joined(one)


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (owner_lock(3), {0}),
        (owner_lock(1), set()),
        (stolen_lock(2), {0}),
        (plain_lock(3), set()),
        (certain_lock(3), set()),
        (remembering_lock(3), set()),
    ],
)
def test_families_are_threads_whose_identities_are_only_compared(
    one: Program, found: set[int]
) -> None:
    assert families(one) == found
