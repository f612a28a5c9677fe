"""What is said about a deadlock of a pushdown system, by hand and against brute force."""

from __future__ import annotations

from random import Random

from support.generators.systems import random_system
from support.sizes import sized
from tepui.api import loads
from tepui.deciding import Options, verify
from tepui.limits import Limits
from tepui.model import EPSILON, Property, System
from tepui.result import Result
from tepui.subject.deadlock.explanation import Deadlock
from tepui.subject.story import SystemStory

STUCK = """\
shared idle busy done
initial idle

thread worker {
    stack a b
    idle | a -> busy | -
    done | b -> done | -
    idle | b -> idle | -
}

thread silent {
    stack d
}

thread over {
    stack -
}

bad deadlock
"""

HELPED = """\
shared a b
initial a

thread waits {
    stack x
    b | x -> b | -
}

thread helps {
    stack y z
    b | y -> a | -
    a | z -> b | -
}

bad deadlock
"""


def deadlock_of(result: Result) -> Deadlock:
    assert result.deadlock is not None
    return result.deadlock


def test_a_thread_needs_the_shared_states_of_its_rules() -> None:
    told = deadlock_of(verify(loads(STUCK, "cpds")))
    worker, silent, over = told.threads
    assert (over.name, over.state, over.needs) == ("over", "over", ())
    (need,) = silent.needs
    assert (need.kind, need.text, need.hopeless) == ("way on", "a rule on d: there is none", True)
    (need,) = worker.needs
    assert (need.text, need.hopeless) == ("shared state idle or done", True)
    assert [(seen.name, seen.value) for seen in need.values] == [("shared state", "busy")]
    (written,) = need.written
    assert (written.thread, written.context, written.step) == ("worker", 1, 1)
    assert written.place.statement == "idle | a -> busy | -"
    assert told.cycle == ()


def test_a_chance_is_a_rule_that_leads_to_a_wanted_state() -> None:
    """A rule from a wanted state to itself leads nowhere new, so `waits` does not help."""
    told = deadlock_of(verify(loads(HELPED, "cpds")))
    waits, helps = told.threads
    assert [(each.thread, each.place.statement) for each in waits.needs[0].chances] == [
        ("helps", "a | z -> b | -")
    ]
    assert waits.waits_for == ("helps",)
    assert (helps.needs[0].text, helps.needs[0].hopeless) == ("shared state b", True)
    assert helps.needs[0].written == ()
    assert told.cycle == ()


def test_a_symbol_below_counts_only_if_something_can_be_popped() -> None:
    text = HELPED.replace("b | y -> a | -", "b | y -> a | y")
    waits, _ = deadlock_of(verify(loads(text, "cpds"))).threads
    assert (waits.needs[0].chances, waits.needs[0].hopeless) == ((), True)


def test_what_is_said_about_random_systems_is_what_their_rules_say() -> None:
    seen: set[str] = set()
    options = Options(limits=Limits(max_contexts=8, timeout=60))
    for seed in range(sized(600)):
        system = random_system(Random(seed))
        result = verify(system, Property(deadlock=True), options)
        if result.deadlock is not None:
            seen |= _compare(system, result, seed)
    assert seen == {"stuck", "over", "chance", "hopeless", "written"}


def _compare(system: System, result: Result, seed: int) -> set[str]:
    told, seen = deadlock_of(result), set()
    assert result.trace is not None
    story = result.trace.story
    assert isinstance(story, SystemStory)
    shared, stacks = result.trace.end
    assert tuple(thread.name for thread in told.threads) == system.thread_names, seed
    for number, thread in enumerate(told.threads):
        template, stack = system.template_of(number), stacks[number]
        top = stack[0] if stack else EPSILON
        wanted = {rule.source for rule in template.rules if rule.top == top}
        assert shared not in wanted, seed
        assert thread.state == ("stuck" if stack or wanted else "over"), seed
        seen.add(str(thread.state))
        for need in thread.needs:
            if need.kind == "way on":
                assert wanted == set(), seed
                continue
            names = [system.shared[state] for state in sorted(wanted)]
            assert need.text.startswith(f"shared state {' or '.join(names[:4])}"), seed
            able = {
                system.thread_names[other]
                for other in range(len(stacks))
                if other != number and _enters(system, other, stacks[other], wanted)
            }
            assert {chance.thread for chance in need.chances} >= able, seed
            assert need.hopeless == (not need.chances), seed
            seen |= {"chance"} if need.chances else {"hopeless"}
            for written in need.written:
                step = story.steps[written.step - 1]
                assert (step.thread, step.after.shared) == (written.thread, story.end.shared), seed
                assert step.before != step.after.shared, seed
                later = story.steps[written.step :]
                assert all(each.before == each.after.shared for each in later), seed
                seen.add("written")
    return seen


def _enters(system: System, thread: int, stack: tuple[int, ...], wanted: set[int]) -> bool:
    """Whether a thread that runs alone can enter one of some shared states by a rule, if the shared
    state can change in between as it likes. Stacks that grow high are not followed for ever."""
    rules = system.template_of(thread).rules
    waiting, seen = [stack], {stack}
    while waiting and len(seen) < 300:
        here = waiting.pop(0)
        for rule in rules:
            if rule.top == (here[0] if here else EPSILON):
                if rule.source not in wanted and rule.target in wanted:
                    return True
                after = rule.word + here[1:]
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False
