"""States of a program and the steps of its threads, as the section «Steps» describes them.

A state is (globals, threads, violated, owner).
A thread is (kind, start, stack, result). Before its first step, `start` is (procedure, node,
values): the arguments, or all local variables if it begins at a node. The stack has its top at the
end. `result` is (urgent, values) after a return, until the caller has assigned them.
A frame is (procedure, node, locals, node of the call that made it).
`violated` is 0, or says at which node what is violated (see `violation`). A thread that is over
is gone, but where threads are compared it stays as OVER.
`owner` is the place of the thread that has made the scheduler lock true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from support.docs_oracle.graph import Graph
from support.docs_oracle.meaning import BAD, UNFIT, Address, Env, Values
from support.docs_oracle.nodes import END, Code, Node
from support.docs_oracle.plan import Plan, any_values
from support.docs_oracle.tree import Refused

Frame = tuple[int, int, Values, int]
Stack = tuple[Frame, ...]
Start = tuple[int, int, Values]
Result = tuple[bool, Values]
Thread = tuple[int, Start | None, Stack, Result | None]
State = tuple[Values, tuple[Thread, ...], int, int]
Change = tuple[Values, Stack, Result | None, tuple[Thread, ...], int]
"""What one node makes of a thread: globals, stack, result, new threads, what it violates."""

Arrival = tuple[State, bool]
"""A state after a step, and whether the thread that made it is still there, at the same place."""

NEVER, ANYTHING = -2, -3
"""In place of the node of a start: it cannot start; its arguments have any values."""
DONE = -1
"""A variable that names an ended thread. 0 is nobody, n + 1 the thread at the place n."""
NO_OWNER, GONE = -1, -2
KINDS = ("assertion", "bounds", "division")
"""What can be violated."""
OVER: Thread = (-1, None, (), None)
ENDS_GROUP = frozenset(["call", "return", "receive", "store", "end_thread", "empty"])


class Limit(Exception):  # noqa: N818
    """Stacks, threads or a single step have become too big."""


class Machine:
    """Computes steps. `finished` says whether callers with nothing left to do stay on the stack."""

    def __init__(
        self, graph: Graph, plan: Plan, max_depth: int, max_threads: int, finished: bool = False
    ) -> None:
        self.graph = graph
        self.plan = plan
        self.nodes = graph.nodes
        self.codes = graph.codes
        self.max_depth = max_depth
        self.max_threads = max_threads
        self.finished = finished
        self.lock = -1
        if graph.program.getafix and "atomic" in graph.shared.places:
            self.lock = graph.shared.places["atomic"][0]
        self.any_inside = any(node.inside for node in self.nodes)
        self.shared_threads = [
            place for place, v in enumerate(graph.shared.slots) if v.type.kind == "thread"
        ]
        self.own_threads = [code.thread_slots() for code in self.codes]
        self.names_threads = bool(self.shared_threads) or any(self.own_threads)
        self.compares = any(code.scope.identities for code in self.codes)
        if self.compares and any(kind.forked for kind in plan.kinds):
            raise Refused("threads are compared in a program that forks some")
        self.actions: dict[str, Callable[[State, int, Node], Iterable[Change]]] = {
            "skip": self.skip,
            "assign": self.assign,
            "assert": self.check,
            "assume": self.assume,
            "if": self.decide,
            "goto": self.goto,
            "switch": self.switch,
            "call": self.call,
            "return": self.give,
            "receive": self.receive,
            "store": self.store,
            "empty": self.skip,
            "end_thread": self.end_thread,
            "atomic": self.skip,
            "close": self.skip,
            "create": self.create,
            "create_at": self.create_at,
            "fork": self.fork,
            "join": self.join,
            "start_all": self.start_all,
        }

    # The start

    def initial(self) -> Iterator[State]:
        """Every state in which the program can start."""
        choices = [list(self.first_threads(place)) for place in range(len(self.plan.first))]
        for shared in self.graph.starts:
            owner = GONE if self.lock >= 0 and shared[self.lock] else NO_OWNER
            for threads in product(*choices):
                yield shared, threads, 0, owner

    def first_threads(self, place: int) -> Iterator[Thread]:
        """The ways in which a thread of the start can be there."""
        first = self.plan.first[place]
        code = self.codes[self.plan.kinds[first.kind].code]
        if first.arguments is None:
            for own in product(any_values(code.procedure.parameters), code.starts):
                yield first.kind, None, ((code.number, code.entry, own[0] + own[1], END),), None
            return
        for arguments in first.arguments:
            yield first.kind, (code.number, END, arguments), (), None
        if not first.arguments:  # they cannot be passed
            yield first.kind, (code.number, NEVER, ()), (), None

    # A whole step

    def steps(self, state: State, place: int) -> tuple[list[Arrival], set[int]]:
        """What one step of a thread leads to, and the nodes that are reached inside of it."""
        if not self.may_move(state, place):
            return [], set()
        _, start, stack, _ = state[1][place]
        if state[1][place] == OVER:
            return [], set()
        if start is not None:
            return [(after, True) for after in self.begin(state, place, start)], set()
        if not stack:
            return [(self.without(state, place), False)], set()
        return self.section(state, place)

    def may_move(self, state: State, place: int) -> bool:
        """Whether the others allow a thread to move."""
        shared, threads, violated, owner = state
        if violated or (self.lock >= 0 and shared[self.lock] and owner != place):
            return False
        return not any(
            thread[3] is not None and thread[3][0]
            for other, thread in enumerate(threads)
            if other != place
        )

    def begin(self, state: State, place: int, start: Start) -> Iterator[State]:
        """The first step of a created or forked thread."""
        shared, threads, violated, owner = state
        number, goal, given = start
        code = self.codes[number]
        choices: Iterable[Values]
        if goal == NEVER:
            return
        if goal >= 0:
            choices = [given]
        else:
            arguments = any_values(code.procedure.parameters) if goal == ANYTHING else [given]
            choices = [first + more for first in arguments for more in code.starts]
            goal = code.entry
        for own in choices:
            thread: Thread = (threads[place][0], None, ((number, goal, own, END),), None)
            yield shared, (*threads[:place], thread, *threads[place + 1 :]), violated, owner

    def section(self, state: State, place: int) -> tuple[list[Arrival], set[int]]:
        """Go on from node to node until the thread rests; a path that never rests is none."""
        forked = self.plan.kinds[state[1][place][0]].forked
        results: dict[Arrival, None] = {}
        complete: list[State] = []
        before: dict[State, list[State]] = {state: []}
        todo = [state]
        while todo:
            now = todo.pop()
            for change in self.changes(now, place):
                after = self.changed(now, place, change)
                if not self.goes_on(now[1][place][2], change):
                    results[after, bool(change[1]) or forked] = None
                    complete.append(now)
                    continue
                if after not in before:
                    if len(before) > 20_000:
                        raise Limit
                    before[after] = []
                    todo.append(after)
                before[after].append(now)
        if len(before) == 1:
            return list(results), set()
        return list(results), passed(state, place, complete, before)

    def changes(self, state: State, place: int) -> Iterable[Change]:
        """What the node at the top can do."""
        node = self.nodes[state[1][place][2][-1][1]]
        enforce = self.codes[node.code].enforce
        if enforce is not None and node.kind != "receive" and 1 not in enforce(env(state, place)):
            return ()
        return self.actions[node.kind](state, place, node)

    def goes_on(self, stack: Stack, change: Change) -> bool:
        """Whether the step goes on after this change."""
        after = change[1]
        if change[4] or not after:
            return False
        if self.any_inside and any(self.nodes[f[1]].inside for f in after if f[1] != END):
            return True
        node = self.nodes[stack[-1][1]]
        if not node.group or node.kind in ENDS_GROUP or len(stack) != len(after):
            return False
        following = self.nodes[after[-1][1]]
        return following.group == node.group and not following.stop

    def changed(self, state: State, place: int, change: Change) -> State:
        """The state after a change."""
        before, threads, _, owner = state
        shared, stack, result, new, violated = change
        kind = threads[place][0]
        if len(threads) + len(new) > self.max_threads and new:
            raise Limit
        if self.lock >= 0:
            if not shared[self.lock]:
                owner = NO_OWNER
            elif not before[self.lock]:
                owner = place
        thread: Thread = (kind, None, stack, result)
        threads = (*threads[:place], thread, *threads[place + 1 :], *new)
        after: State = (shared, threads, violated, owner)
        if stack or self.plan.kinds[kind].forked:
            return after
        return self.without(after, place)

    def without(self, state: State, place: int) -> State:
        """A thread is gone for good: those who name it know that it has ended."""
        shared, threads, violated, owner = state
        if self.compares:
            return shared, (*threads[:place], OVER, *threads[place + 1 :]), violated, owner
        if owner == place:
            owner = GONE
        elif owner > place:
            owner -= 1
        threads = (*threads[:place], *threads[place + 1 :])
        if self.names_threads:
            shared = renamed(shared, self.shared_threads, place)
            threads = tuple(self.renamed_thread(thread, place) for thread in threads)
        return shared, threads, violated, owner

    def renamed_thread(self, thread: Thread, place: int) -> Thread:
        """Other numbers for threads, after the one at a place is gone."""
        kind, start, stack, result = thread
        if start is not None:
            given = renamed(start[2], self.own_threads[start[0]], place)
            start = (start[0], start[1], given)
        stack = tuple(
            (code, node, renamed(own, self.own_threads[code], place), site)
            for code, node, own, site in stack
        )
        return kind, start, stack, result

    # Nodes

    def move(
        self,
        state: State,
        place: int,
        goal: int,
        new: tuple[Thread, ...] = (),
        values: tuple[Values, Values] | None = None,
    ) -> Iterator[Change]:
        """Go to a node, with other globals and locals if these are given."""
        stack = state[1][place][2]
        code, _, own, site = stack[-1]
        shared, own = values if values is not None else (state[0], own)
        if goal != END:
            yield shared, (*stack[:-1], (code, goal, own, site)), None, new, 0
            return
        for rest, result in self.leave(stack[:-1], self.codes[code], None):
            yield shared, rest, result, new, 0

    def leave(
        self, stack: Stack, code: Code, values: Values | None
    ) -> Iterator[tuple[Stack, Result | None]]:
        """Come back to the caller, and leave it too if it has nothing left to do.

        `values` is None if the procedure just ends.
        """
        if not stack:
            yield (), None
        elif code.results:
            assert values is not None
            yield stack, (True, values)
        elif stack[-1][1] != END:
            yield stack, None
        else:
            yield from self.leave(stack[:-1], self.codes[stack[-1][0]], None)

    def skip(self, state: State, place: int, node: Node) -> Iterator[Change]:
        return self.move(state, place, node.next)

    def goto(self, state: State, place: int, node: Node) -> Iterator[Change]:
        for goal in node.goals:
            yield from self.move(state, place, goal)

    def decide(self, state: State, place: int, node: Node) -> Iterator[Change]:
        assert node.condition is not None
        for value in node.condition(env(state, place)):
            if value in BAD:
                yield violation(state, place, node, value)
            else:
                yield from self.move(state, place, node.goals[0 if value else 1])

    def switch(self, state: State, place: int, node: Node) -> Iterator[Change]:
        assert node.condition is not None
        for value in node.condition(env(state, place)):
            if value in BAD:
                yield violation(state, place, node, value)
            else:
                yield from self.move(state, place, node.cases.get(value, node.goals[0]))

    def assume(self, state: State, place: int, node: Node) -> Iterator[Change]:
        assert node.condition is not None
        for value in node.condition(env(state, place)):
            if value in BAD:
                yield violation(state, place, node, value)
            elif value:
                yield from self.move(state, place, node.next)

    def check(self, state: State, place: int, node: Node) -> Iterator[Change]:
        assert node.condition is not None
        for value in node.condition(env(state, place)):
            if value == 1:
                yield from self.move(state, place, node.next)
            else:
                yield violation(state, place, node, value)

    def assign(self, state: State, place: int, node: Node) -> Iterator[Change]:
        now = env(state, place)
        choices = [
            [(address, value) for address in target.addresses(now) for value in values(now)]
            for target, values in zip(node.targets, node.values, strict=True)
            if target is not None
        ]
        return self.assigned(state, place, node, choices)

    def assigned(
        self, state: State, place: int, node: Node, choices: list[list[tuple[Address, int]]]
    ) -> Iterator[Change]:
        """Assign one of the choices for each variable, and go on."""
        now = env(state, place)
        enforce = self.codes[node.code].enforce
        for chosen in product(*choices):
            found = [part for (_, slot), value in chosen for part in (slot, value)]
            bad = [part for part in found if part in BAD]
            if bad:
                yield violation(state, place, node, bad[0])
                continue
            if UNFIT in found:
                continue
            shared, own = list(now[0]), list(now[1])
            for (space, slot), value in chosen:
                (own if space else shared)[slot] = value
            after = (tuple(shared), tuple(own))
            if node.condition is not None and 1 not in node.condition((*now[:2], *after, now[4])):
                continue
            if enforce is not None and 1 not in enforce((*after, *after, now[4])):
                continue
            yield from self.move(state, place, node.next, values=after)

    def call(self, state: State, place: int, node: Node) -> Iterator[Change]:
        now = env(state, place)
        stack = state[1][place][2]
        code, _, own, site = stack[-1]
        below: Stack = (*stack[:-1], (code, node.next, own, site))
        if node.next == END and not self.finished and not self.codes[code].results:
            below = stack[:-1]
        callee = self.codes[node.callee]
        given, bad = evaluated(now, node)
        yield from (violation(state, place, node, value) for value in bad)
        for arguments in given:
            if len(below) >= self.max_depth:
                raise Limit
            for more in callee.starts:
                frame = (callee.number, callee.entry, arguments + more, node.number)
                yield state[0], (*below, frame), None, (), 0

    def give(self, state: State, place: int, node: Node) -> Iterator[Change]:
        """return"""
        now = env(state, place)
        stack = state[1][place][2]
        last = self.codes[node.code].last
        if not self.codes[node.code].results and last != END:
            yield from self.move(state, place, last)
            return
        given, bad = evaluated(now, node)
        yield from (violation(state, place, node, value) for value in bad)
        for values in given:
            for rest, result in self.leave(stack[:-1], self.codes[node.code], values):
                yield state[0], rest, result, (), 0

    def receive(self, state: State, place: int, node: Node) -> Iterator[Change]:
        """Take the result of a call; it always can be taken."""
        if not node.twice:
            yield from self.store(state, place, node)
            return
        stack, result = state[1][place][2:]
        assert result is not None
        code, _, own, site = stack[-1]
        yield state[0], (*stack[:-1], (code, node.next, own, site)), (False, result[1]), (), 0

    def store(self, state: State, place: int, node: Node) -> Iterator[Change]:
        """Assign the result of a call."""
        now = env(state, place)
        result = state[1][place][3]
        assert result is not None
        choices: list[list[tuple[Address, int]]] = []
        for target, value in zip(node.targets, result[1], strict=True):
            if target is not None:
                fit = target.type.fit(value)
                places = target.addresses(now)
                choices.append([(address, UNFIT if fit is None else fit) for address in places])
        return self.assigned(state, place, node, choices)

    def end_thread(self, state: State, place: int, node: Node) -> Iterator[Change]:
        yield state[0], (), None, (), 0

    def start_all(self, state: State, place: int, node: Node) -> Iterator[Change]:
        """The end of Getafix's init."""
        new: list[Thread] = [
            (kind, (self.plan.kinds[kind].code, ANYTHING, ()), (), None)
            for kind in self.plan.kinds[0].then
        ]
        return self.move(state, place, END, tuple(new))

    def create(self, state: State, place: int, node: Node) -> Iterator[Change]:
        now = env(state, place)
        kind = self.plan.made[node.number]
        given, bad = evaluated(now, node)
        yield from (violation(state, place, node, value) for value in bad)
        if not given:
            return
        for chosen in product(given, repeat=node.count):
            new: list[Thread] = [
                (kind, (node.callee, END, arguments), (), None) for arguments in chosen
            ]
            yield from self.move(state, place, node.next, tuple(new))

    def create_at(self, state: State, place: int, node: Node) -> Iterator[Change]:
        own = state[1][place][2][-1][2]
        start = (node.callee, node.goals[0], own)
        new: list[Thread] = [(self.plan.made[node.number], start, (), None)] * node.count
        return self.move(state, place, node.next, tuple(new))

    def fork(self, state: State, place: int, node: Node) -> Iterator[Change]:
        now = env(state, place)
        kind = self.plan.made[node.number]
        shared, own = list(now[0]), list(now[1])
        for target in node.targets:
            if target is not None:
                space, slot = target.addresses(now)[0]
                (own if space else shared)[slot] = len(state[1]) + 1
        after = (tuple(shared), tuple(own))
        given, bad = evaluated(now, node)
        yield from (violation(state, place, node, value) for value in bad)
        for arguments in given:
            thread: Thread = (kind, (node.callee, END, arguments), (), None)
            yield from self.move(state, place, node.next, (thread,), after)

    def join(self, state: State, place: int, node: Node) -> Iterator[Change]:
        if node.values[0](env(state, place)) == (DONE,):
            yield from self.move(state, place, node.next)


def env(state: State, place: int) -> Env:
    """The globals and the locals of a thread; for «after the step» the same."""
    own = state[1][place][2][-1][2]
    return state[0], own, state[0], own, (place + 1,)


def evaluated(now: Env, node: Node) -> tuple[list[Values], set[int]]:
    """The values of a node that can be stored, and what evaluating them violates."""
    given, bad = [], set()
    for values in product(*[value(now) for value in node.values]):
        wrong = [value for value in values if value in BAD]
        if wrong:
            bad.add(wrong[0])
        elif UNFIT not in values:
            given.append(values)
    return given, bad


def violation(state: State, place: int, node: Node, value: int) -> Change:
    """A node violates something: a value says what, and an assertion has none."""
    kind = 1 + BAD.index(value) if value in BAD else 0
    return state[0], state[1][place][2], None, (), 1 + len(KINDS) * node.number + kind


def violated_at(state: State) -> tuple[int, str]:
    """The node at which something is violated in a state, and what."""
    number, kind = divmod(state[2] - 1, len(KINDS))
    return number, KINDS[kind]


def renamed(values: Values, slots: list[int], place: int) -> Values:
    """Other numbers for threads, in the slots that name some."""
    if not slots:
        return values
    found = list(values)
    for slot in slots:
        if slot < len(found):
            if found[slot] == place + 1:
                found[slot] = DONE
            elif found[slot] > place + 1:
                found[slot] -= 1
    return tuple(found)


def passed(
    state: State, place: int, complete: list[State], before: dict[State, list[State]]
) -> set[int]:
    """The nodes on paths that come to rest, without the one at which the step begins."""
    good = set(complete)
    todo = list(good)
    while todo:
        for earlier in before[todo.pop()]:
            if earlier not in good:
                good.add(earlier)
                todo.append(earlier)
    good.discard(state)
    return {inner[1][place][2][-1][1] for inner in good}
