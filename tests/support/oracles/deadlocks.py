"""What brute force says about the explanation of a deadlock: every statement in it that is wrong.

The state in which a trace ends becomes a state of the naive interpreter, in which every variable
has a value. There, no thread may move, every condition that is called false must be false, and all
places at which a thread is stuck must be named. To find out what is ahead of a thread, it runs on
alone, with global variables that have any value before each of its steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product

from support.oracles.program_interpreter import (
    OWN,
    Activation,
    Interpreter,
    State,
    Store,
    TooLargeError,
    evaluate,
)
from tepui.kernels.lowered_system import lowered
from tepui.program.expressions import (
    Binary,
    Choice,
    Expression,
    Unary,
    Variable,
    inside,
    reads,
)
from tepui.program.layout import Frame, SameAs, Value, known
from tepui.program.printer import expression_text
from tepui.program.program import Edge, Procedure, Program, Receive, Thread, variable_of
from tepui.program.types import Scalar
from tepui.program.walk import expressions_of, targets_of
from tepui.records import replace
from tepui.result import NamedTrace, Result
from tepui.subject.deadlock.explanation import Deadlock, EndedThread, Need
from tepui.subject.story import ProgramStory, StatementStep

Place = tuple[int, int]
"""A procedure and a location in it."""


def wrong_statements(program: Program, result: Result, most: int = 3000) -> list[str]:
    """Everything in the explanation of a deadlock that brute force contradicts."""
    assert result.trace is not None
    assert result.deadlock is not None
    return list(_Judge(program, result.trace, result.deadlock, most).wrong())


class _Judge:
    def __init__(self, program: Program, trace: NamedTrace, told: Deadlock, most: int) -> None:
        self.program, self.trace, self.told, self.most = program, trace, told, most
        self.interpreter = Interpreter(program, 20, most)
        self.layout = program.layout
        self.state = self._last_state()
        self.has_no_choice = not any(map(_chooses, program.procedures))
        """Otherwise, some dead ends inside a section are there because of what was chosen."""

    def wrong(self) -> Iterator[str]:
        story = self.trace.story
        assert isinstance(story, ProgramStory)
        names = [thread.name for thread in self.told.threads]
        if names != [rest.thread for rest in story.resting] or len(set(names)) < len(names):
            yield f"the threads are not those of the story: {names}"
        for number, thread in enumerate(self.told.threads):
            if self.interpreter.step(self.state, number).moves:
                yield f"{thread.name} can move"
            stack, expected = self.state.stacks[number], "stuck"
            if stack == ():
                expected = "over"
            elif stack is None and self.state.created[self.interpreter.owners[number]] is None:
                expected = "not created"
            if thread.state != expected:
                yield f"{thread.name} is {thread.state}, not {expected}"
            if expected == "stuck" and stack:
                yield from self._wrong_of_thread(number, thread)
        yield from self._wrong_cycle()

    def _wrong_of_thread(self, number: int, thread: EndedThread) -> Iterator[str]:
        if not thread.needs:
            yield f"{thread.name} needs nothing"
        locked = not self.interpreter._may_run(self.state, number)
        if locked != any(need.kind == "lock" for need in thread.needs):
            yield f"{thread.name}: the scheduler {'lets' if locked else 'does not let'} it wait"
        waits = self.state.results is not None and not self._receives(number)
        if not locked and waits != any(need.kind == "receipt" for need in thread.needs):
            yield f"{thread.name}: it waits for no receipt, or does not say so"
        if locked or waits:
            yield from (each for need in thread.needs for each in self._wrong_writers(need))
            return
        closed = list(self._closed(number))
        false = {(text, place) for _, text, place, _, _ in closed}
        for need in thread.needs:
            if need.kind != "condition":
                continue
            matching = [
                each
                for each in closed
                if need.text in _texts(each[3]) and self._is_at(need, each[2])
            ]
            if not matching:
                yield f"{thread.name}: {need.text} is not false there: {sorted(false)}"
                continue
            yield from self._wrong_values(thread, need, [store for *_, store in matching])
            yield from self._wrong_hopes(number, thread, need, matching[0][3], matching)
        told = {need.text for need in thread.needs if need.kind == "condition"}
        start = (self.state.stacks[number] or ())[-1][:2]
        for is_dead_end, text, place, parts, _ in closed:
            is_told = not told.isdisjoint(_texts(parts)) or not thread.complete
            if is_dead_end and not is_told and (self.has_no_choice or place == start):
                yield f"{thread.name}: {text} at {place} is not mentioned"
        for need in thread.needs:
            yield from self._wrong_writers(need)

    def _receives(self, number: int) -> bool:
        """Whether a thread is where it takes the results of a call."""
        top = (self.state.stacks[number] or ())[-1]
        edges = self.program.procedures[top.procedure].leaving[top.location]
        return any(isinstance(edge, Receive) for edge in edges)

    def _is_at(self, need: Need, place: Place) -> bool:
        procedure = self.program.procedures[place[0]]
        position = procedure.locations[procedure.statements[place[1]]].position
        return need.place.position in (position, None)

    def _wrong_values(self, thread: EndedThread, need: Need, stores: list[Store]) -> Iterator[str]:
        """Values must be those of one of the states in which the condition was found false."""
        seen = {each.name.rpartition(".")[2]: each.value for each in need.values}
        possible = []
        for store in stores:
            values = {}
            for variable, elements in store.items():
                for index, value in enumerate(elements):
                    is_array = variable.type != variable.scalar
                    name = f"{variable.name}[{index}]" if is_array else variable.name
                    values[name] = value if variable == OWN else self._text(variable, value)
            possible.append(values)
        if not any(
            all(value is None or values.get(name) == value for name, value in seen.items())
            for values in possible
        ):
            yield f"{thread.name}: {need.text}: {seen} is not {possible}"

    def _text(self, variable: Variable, value: int) -> str:
        return str(self.layout.held(variable.scalar).text(value))

    def _wrong_writers(self, need: Need) -> Iterator[str]:
        """The step must be one of this thread, at a place that assigns the variable; and nothing
        after it may change the variable, or be at a place that can only assign it."""
        story = self.trace.story
        assert isinstance(story, ProgramStory)
        contexts = [number for number, each in enumerate(story.contexts, 1) for _ in each.steps]
        told = {written.variable: written for written in need.written}
        for name in {seen.name for seen in need.values} & {each.name for each in story.start}:
            last = 0
            for number, step in enumerate(story.steps, 1):
                for change in step.changes:
                    if change.name == name and change.before is not None and change.after:
                        last = number
            if last and name not in told:
                yield f"nobody has written {name}, but step {last} did"
            if name in told and told[name].step < last:
                yield f"{name} was written after step {told[name].step}: in step {last}"
        for written in need.written:
            step = story.steps[written.step - 1]
            if (step.thread, contexts[written.step - 1]) != (written.thread, written.context):
                yield f"step {written.step} is not that of {written.thread}"
            if not any(self._assigns(edge, written.variable) for edge in self._edges_of(step)):
                yield f"step {written.step} does not assign {written.variable}"
            for later in story.steps[written.step :]:
                edges = self._edges_of(later)
                if edges and all(self._surely_assigns(edge, written.variable) for edge in edges):
                    yield f"{written.variable} is assigned after step {written.step}"

    def _edges_of(self, step: StatementStep) -> list[Edge]:
        """The edges of the statement of a step."""
        procedure = self.program.by_name[step.procedure]
        return [
            edge
            for edge in procedure.edges
            if procedure.locations[procedure.statements[edge.source]].position == step.position
            and (step.action == "result" or procedure.locations[edge.source].text == step.statement)
        ]

    def _assigns(self, edge: Edge, name: str) -> bool:
        return name.partition("[")[0] in {
            variable_of(target).name
            for target in targets_of(edge)
            if variable_of(target).procedure is None
        }

    def _surely_assigns(self, edge: Edge, name: str) -> bool:
        return "[" not in name and self._assigns(edge, name)

    def _wrong_hopes(
        self,
        number: int,
        thread: EndedThread,
        need: Need,
        parts: list[Expression],
        matching: list[tuple[bool, str, Place, list[Expression], Store]],
    ) -> Iterator[str]:
        """If it is certain that nobody could help, then no other thread can when it runs on."""
        if not need.hopeless:
            return
        start = (self.state.stacks[number] or ())[-1]
        if matching[0][2] != start[:2]:
            return  # Inside a section, other conditions may have to hold first.
        store = matching[0][-1]
        for part in parts:
            variables = {read.variable for read in reads(part) if read.variable.procedure is None}
            helped = False
            for other in range(len(self.told.threads)):
                if other != number and self.told.threads[other].state == "stuck":
                    for variable, values in self._ahead(other):
                        if variable in variables:
                            after = {**store, variable: values}
                            helped |= any(evaluate(part, after))
            if not helped:
                return
        yield f"{thread.name}: somebody could make {need.text} true"

    def _ahead(self, thread: int) -> Iterator[tuple[Variable, tuple[int, ...]]]:
        """What a thread may assign to global variables if it runs on alone, and these have any
        value before each step."""
        free = Interpreter(replace(self.program, lock=None), 12, self.most)
        anything = list(islice(product(*map(self._all_values, self.program.globals)), 100))
        seen, waiting = {self.state}, [self.state]
        while waiting and len(seen) < self.most // 4:
            found = waiting.pop()
            for state in (found._replace(globals=values) for values in anything):
                if not state.stacks[thread]:
                    after = list(free.step(state._replace(holder=None), thread).after)
                else:
                    after = [each for each in free._moves(state, thread) if isinstance(each, State)]
                for each in after:
                    pairs = zip(self.program.globals, state.globals, each.globals, strict=True)
                    for variable, old, new in pairs:
                        if old != new:
                            yield variable, new
                    each = each._replace(globals=self.state.globals)
                    if each not in seen and len(each.stacks[thread] or ()) < 8:
                        seen.add(each)
                        waiting.append(each)

    def _all_values(self, variable: Variable) -> Iterator[tuple[int, ...]]:
        kind = self.layout.held(variable.scalar)
        return product(range(kind.low, kind.low + kind.size), repeat=variable.length)

    def _wrong_cycle(self) -> Iterator[str]:
        waits = {thread.name: thread.waits_for for thread in self.told.threads}
        cycle = self.told.cycle
        for name, after in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            if after not in waits[name]:
                yield f"{name} does not wait for {after}"
        for thread in self.told.threads:
            able = {chance.thread for need in thread.needs for chance in need.chances}
            if not set(thread.waits_for) <= able:
                yield f"{thread.name} waits for somebody who cannot help"
            stuck = {each.name for each in self.told.stuck}
            if not able <= stuck:
                yield f"{thread.name} waits for a thread that is not stuck: {able - stuck}"

    def _closed(self, thread: int) -> Iterator[tuple[bool, str, Place, list[Expression], Store]]:
        """The edges that are closed where a thread is stuck, also inside an atomic section: whether
        the place is a dead end, the text, the place, the false parts and the values there."""
        root = len(self.state.stacks[thread] or ())
        seen, waiting = {self.state}, [self.state]
        while waiting:
            state = waiting.pop()
            stack = state.stacks[thread] or ()
            top = stack[-1]
            procedure = self.program.procedures[top.procedure]
            store: Store = dict(zip(self.program.globals, state.globals, strict=True))
            store |= zip(procedure.variables, top.values, strict=True)
            store[OWN] = (1 + thread,)
            after = list(self.interpreter._moves(state, thread))
            for edge in procedure.leaving[top.location]:
                applies = isinstance(edge, Receive) == (state.results is not None)
                if applies and not any(evaluate(edge.guard, store)):
                    parts = [
                        part for part in conjuncts(edge.guard) if not any(evaluate(part, store))
                    ] or [edge.guard]
                    text = _joined(parts)
                    yield not after, text, (top.procedure, top.location), parts, store
            for each in after:
                assert isinstance(each, State), "a thread that is stuck violates nothing"
                inside = self.interpreter._is_inside(each, thread, root)
                assert inside, "a thread that is stuck comes to no end"
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
            if len(seen) > self.most:
                raise TooLargeError

    def _last_state(self) -> State:
        """The end of the trace, where variables without a value have those of the explanation."""
        system = lowered(self.trace.subject.of_traces.system)
        shared, stacks = self.trace.end
        values = system.shared_values()[shared]
        told = dict(text.rsplit("=", 1) for text in self.told.values)
        names = [thread.name for thread in self.told.threads]
        cells = self.layout.shared_cells
        numbers = _concrete(
            values,
            [(cell.type, told.get(cell.name)) for cell in cells],
        )
        hidden = self.layout.hidden
        found: list[tuple[Activation, ...] | None] = []
        for number, stack in enumerate(stacks):
            frames = system.frames(system.threads[number])
            whole = [frames[symbol] for symbol in reversed(stack)]
            if whole and whole[0].point >= self.layout.waiting:
                found.append(None)
            else:
                found.append(
                    tuple(self._activation(frame, f"{names[number]} ", told) for frame in whole)
                )
        full = "full" in hidden and numbers[hidden["full"]] == 1
        holder = numbers[hidden["holder"]] if "holder" in hidden else 0
        return State(
            self._grouped(self.program.globals, numbers),
            tuple(found),
            tuple(self._created(thread, numbers) for thread in self.program.threads),
            self._results(tuple(found), numbers) if full else None,
            holder - 1 if holder else None,
        )

    def _results(
        self, stacks: tuple[tuple[Activation, ...] | None, ...], numbers: list[int]
    ) -> tuple[int, ...]:
        """What was returned: as much as the thread that has returned will receive."""
        tops = [stack[-1] for stack in stacks if stack]
        receipt = next(
            edge
            for top in tops
            for edge in self.program.procedures[top.procedure].leaving[top.location]
            if isinstance(edge, Receive)
        )
        return tuple(numbers[place] for place in self.layout.results[: len(receipt.targets)])

    def _created(self, thread: Thread, numbers: list[int]) -> tuple[int, ...] | None:
        if not thread.created or numbers[self.layout.created(thread)] == 0:
            return None
        return tuple(numbers[self.layout.inherited(thread, each)] for each in thread.inherited)

    def _activation(self, frame: Frame, name: str, told: dict[str, str]) -> Activation:
        index, location = self.layout.locations[frame.point]
        cells = self.layout.frame_cells[index]
        wanted = [(cell.type, told.get(f"{name}{cell.name}")) for cell in cells]
        values = _concrete(frame.values, wanted)
        variables = self.program.procedures[index].variables
        return Activation(index, location, self._grouped(variables, values))

    def _grouped(
        self, variables: tuple[Variable, ...], numbers: list[int]
    ) -> tuple[tuple[int, ...], ...]:
        groups, first = [], 0
        for variable in variables:
            groups.append(tuple(numbers[first : first + variable.length]))
            first += variable.length
        return tuple(groups)


def _chooses(procedure: Procedure) -> bool:
    expressions = (each for edge in procedure.edges for each in expressions_of(edge))
    choices = (isinstance(part, Choice) for each in expressions for part in inside(each))
    return any(choices) or any(variable.initial is None for variable in procedure.variables)


def conjuncts(condition: Expression) -> list[Expression]:
    """The parts of which a condition is a conjunction, also by De Morgan's law."""
    if isinstance(condition, Binary) and condition.operator == "and":
        return conjuncts(condition.left) + conjuncts(condition.right)
    if isinstance(condition, Unary) and condition.operator == "not":
        inner = condition.operand
        if isinstance(inner, Binary) and inner.operator == "or":
            return conjuncts(Unary("not", inner.left)) + conjuncts(Unary("not", inner.right))
        if isinstance(inner, Unary) and inner.operator == "not":
            return conjuncts(inner.operand)
    return [condition]


def _texts(parts: list[Expression]) -> set[str]:
    """How false parts may be written: of these, those that read a variable without a value may be
    left out, as they could be true."""
    sizes = range(1, len(parts) + 1)
    return {_joined(list(some)) for size in sizes for some in combinations(parts, size)}


def _joined(parts: list[Expression]) -> str:
    if len(parts) == 1:
        return expression_text(parts[0])
    return " && ".join(map(_in_conjunction, parts))


def _in_conjunction(part: Expression) -> str:
    text = expression_text(part)
    is_loose = isinstance(part, Binary) and part.operator in ("or", "implies", "xor")
    return f"({text})" if is_loose else text


def _concrete(values: tuple[Value, ...], wanted: list[tuple[Scalar, str | None]]) -> list[int]:
    """Values for all cells: what the explanation says, what another cell has, or any."""
    numbers: list[int] = []
    for value, (kind, text) in zip(values, wanted, strict=True):
        number = known(value)
        if number is None and text is not None:
            all_values = range(kind.low, kind.low + kind.size)
            number = next(each for each in all_values if kind.text(each) == text)
        elif isinstance(value, SameAs):
            number = numbers[value.cell]
        numbers.append(kind.low if number is None else number)
    return numbers
