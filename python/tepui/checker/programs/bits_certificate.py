"""A set of states as one decision diagram over the bits of all variables: a certificate for data
that are too large to be listed.

A *small step* is that of one edge, from a state in which all variables have values (`small_steps`).
In a *small-step state* each thread has a shape (`state_bits.Shape`), which says where its frames
are and which one, if any, began an atomic section; and each scalar of the shared state, and of the
frames, has a value. The certificate lists shapes of each thread, says which bit each level of its
diagram has, and claims that the diagram holds for every small-step state that can be reached.
The bits are those of the values, and of the number of each thread's shape. All other bits, such as
those of frames that a stack does not have, mean nothing and are called *garbage*: a state is in the
set if the diagram holds for its bits with *some* garbage. So is the result of a call, while there
is none (`full` is not 1), and one that the last procedure to return does not have.

**Small steps are enough.** A step of the program, as the reference semantics has it, is a sequence
of small steps of one thread: it takes one edge after another until it comes to rest. In between,
`outer` is not -1, and no other thread has small steps. The reference decides the value of a
variable that may have any when it is first read, and that of a `Choice` when it is stored or read;
what can be reached is the same if each is decided at once, as small steps do. A tail call leaves no
frame here, inside sections, too, where the reference keeps it: that frame would do nothing but
return. So every state of the program, and every place that a thread passes inside a section, is
that of a small-step state that can be reached; only the bare ends of procedures are left out, and
if one is asked for that a thread could pass inside a section, the evidence is refused. The other
direction is not needed: paths that block inside a section, or never leave it, make the claim
stronger.

**Why the checks are enough.** By induction over a run of small steps: each of its states is in the
set.

- In the beginning, all values are those that variables start with. The diagram must hold for them
  and the first shape of each thread, with any garbage.
- A thread t moves from a state in the set, so the diagram holds for its bits and some garbage.
  Then t has a listed shape s with a frame, no other thread is inside a section, and the program has
  not halted. For each edge, the condition of the small step and the bits after it are worked out as
  functions of the bits before, and of fresh bits for what can be chosen. Where the diagram, what
  was just said and the condition hold, the diagram must hold for the bits after the step: those
  that changed, and all others, garbage included, as they were. Bits that were written, but are
  garbage after the step, may be anything: some garbage is enough. So the state after the step is in
  the set. If it has a shape that is not listed, there must be no such step.
- A diagram that does not hold wherever t has one listed shape and u another one contains no state
  with these shapes. What is bad is excluded so, for all pairs of different threads, inside sections
  and after violations, too.

**Fixed bits.** Bits of values may have no level, and be *fixed* instead: then they are the same in
all states of the set in which they mean something. That is part of what is shown by induction. In
the beginning, what means something has that value. A step reads bits of the shared state and of the
frame on top, which mean something, so it may take the fixed value for them; if it writes another
one to a fixed bit that means something afterwards, it leads out of the set. A bit that begins to
mean something is written then: a frame is opened with all its values, and a result is returned.

Whether the diagram holds for bits that are no state (numbers of shapes that are not listed, values
outside of their types) does not matter: more is demanded then, and not less. A bit that has no
level is one about which the diagram says nothing.

**Deadlocks.** A step of the program exists where a thread, from a state in which all rest, comes to
rest again by small steps; so where it is able to is worked out backwards from where it rests. A
state with variables that have no value yet is a deadlock if no thread can move in one of its cases:
where some of these have certain values, whatever the others are. In each small-step state of such a
case no thread is able to move, and it is in the set. So if the set has no such state in which some
thread has begun and not ended, there is no deadlock.

**Limits** are violations like others: whatever is asked, no limit of the translation may be reached
either. So nothing is left to be asked separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tepui.checker.bits_of_programs.diagrams import FALSE, TRUE, Diagrams
from tepui.checker.bits_of_programs.numbers import Numbers, constant, shortened
from tepui.checker.bits_of_programs.small_steps import SmallStep, SmallSteps
from tepui.checker.bits_of_programs.state_bits import Bit, Shape, States
from tepui.checker.evidence import Bad, ClosedCertificate, register
from tepui.checker.patience import Patience
from tepui.errors import EvidenceError, ModelError
from tepui.program.program import Derived, Program, thread_names
from tepui.program.semantics.sections import points_inside
from tepui.program.state_names import point_text
from tepui.program.validate import validate
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer

_MOST_TOGETHER = 2
"""A question names two threads at most."""

_NUMBERS_OF_BIT = {"shared": 2, "frame": 5, "shape": 2}
"""The kinds of bits, and how many numbers follow."""

Node = tuple[int, int, int]
"""A level, and two numbers: of the node where its bit is 0, and where it is 1. 0 is false and 1 is
true, and the nodes of a certificate are numbered from 2 on."""


@register
@record
class BitsCertificate(ClosedCertificate):
    """A decision diagram that holds for all small-step states that can be reached."""

    kinds: ClassVar = ("bits",)
    fields: ClassVar = ("shapes", "levels", "fixed", "root", "nodes")

    shapes: tuple[tuple[Shape, ...], ...]
    """For each thread, its shapes, by their numbers."""
    levels: tuple[Bit, ...]
    """Which bit each level has, from the top on."""
    nodes: tuple[Node, ...]
    """The nodes, children before their parents."""
    root: int
    fixed_bits: tuple[tuple[Bit, int], ...] = ()
    """Bits without a level, and what they are wherever they mean something."""

    @property
    def size(self) -> int:
        return len(self.nodes)

    def check_program(
        self,
        program: Program,
        bad: Sequence[Bad],
        go_on: Callable[[], bool],
        *,
        deadlock: bool = False,
    ) -> None:
        if isinstance(program, Derived) or program.is_open or program.forks:
            raise EvidenceError(
                "this evidence is about no program that forks, that has any number of threads or "
                "that has integers without bounds"
            )
        if program.lock is not None:
            raise EvidenceError("this evidence is about no program with a scheduler lock")
        try:
            validate(program)
            check = _Check(self, program, Patience(go_on))
            check.run(bad)
            if deadlock:
                check.exclude_deadlock()
        except ModelError as error:
            raise EvidenceError(f"this evidence is about no such program: {error}") from error

    def fixed(self) -> Self:
        return type(self)(
            tuple(tuple(Shape(outer, tuple(points)) for outer, points in s) for s in self.shapes),
            tuple((*bit,) for bit in self.levels),
            tuple((level, low, high) for level, low, high in self.nodes),
            self.root,
            tuple(((*bit,), value) for bit, value in self.fixed_bits),
        )

    def body(self, writer: Writer) -> dict[str, Any]:
        return {
            "shapes": [[[outer, *points] for outer, points in some] for some in self.shapes],
            "levels": (writer.line(list(bit)) for bit in self.levels),
            "fixed": (writer.line([*bit, value]) for bit, value in self.fixed_bits),
            "root": self.root,
            "nodes": (writer.line(list(node)) for node in self.nodes),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        shapes = []
        for thread, some in enumerate(reader.items(fields["shapes"], "shapes")):
            where = f"shapes[{thread}]"
            listed = [reader.integers(shape, where) for shape in reader.items(some, where)]
            if not all(listed):
                reader.fail(where, "has a shape without numbers")
            shapes.append(tuple(Shape(numbers[0], numbers[1:]) for numbers in listed))
        levels = [*_bits(reader, fields["levels"], "levels")]
        fixed = []
        for number, (*bit, value) in enumerate(_bits(reader, fields["fixed"], "fixed")):
            if value not in (0, 1):
                reader.fail(f"fixed[{number}]", "has no bit")
            fixed.append(((*bit,), int(value)))
        nodes = []
        for number, node in enumerate(reader.items(fields["nodes"], "nodes")):
            where = f"nodes[{number}]"
            level, low, high = reader.integers(reader.items(node, where, 3), where)
            nodes.append((level, low, high))
        root = reader.a(int, fields["root"], "root")
        return cls(tuple(shapes), tuple(levels), tuple(nodes), root, tuple(fixed))


def _bits(reader: Reader, value: object, where: str) -> Iterator[Bit]:
    """What each line of a list names: a kind, and numbers."""
    for number, line in enumerate(reader.items(value, where)):
        at = f"{where}[{number}]"
        first, *rest = reader.items(line, at) or [None]
        yield reader.a(str, first, at), *reader.integers(rest, at)


class _Check:
    def __init__(self, claimed: BitsCertificate, program: Program, patience: Patience) -> None:
        self._claimed = claimed
        self._program = program
        self._layout = program.layout
        self._patience = patience
        self._threads = range(len(program.thread_types))
        self._check_shapes()
        self._check_levels()
        self._diagrams = Diagrams(patience)
        fixed = dict(claimed.fixed_bits)
        self._states = States(self._diagrams, self._layout, claimed.levels, fixed)
        self._steps = SmallSteps(self._states)
        self._numbers = [
            {shape: number for number, shape in enumerate(some)} for some in claimed.shapes
        ]
        """For each thread, the numbers of its shapes."""
        self._set = self._diagram()

    def run(self, bad: Sequence[Bad]) -> None:
        self._check_initial()
        for thread in self._threads:
            with self._diagrams.passing():
                self._check_steps(thread)
        limits = [((kind, point),) for kind in self._kinds() for point in self._layout.limits]
        for some in (*bad, *sorted(limits)):
            self._check_excluded(some)

    def _check_shapes(self) -> None:
        shapes, points = self._claimed.shapes, range(self._layout.points)
        if len(shapes) != len(self._threads):
            raise EvidenceError("the evidence has shapes of other threads than the program")
        for some in shapes:
            if len(set(some)) < len(some):
                raise EvidenceError("a shape is listed twice")
            for shape in some:
                if not -1 <= shape.outer < len(shape.points):
                    raise EvidenceError("a shape has a section that none of its frames began")
                if not all(point in points for point in shape.points):
                    raise EvidenceError("a shape has a point that the program does not have")

    def _check_levels(self) -> None:
        fixed = [bit for bit, _ in self._claimed.fixed_bits]
        bits = [*self._claimed.levels, *fixed]
        if len(set(bits)) < len(bits):
            raise EvidenceError("two levels have the same bit, or one that is fixed")
        for kind, *numbers in bits:
            if _NUMBERS_OF_BIT.get(str(kind)) != len(numbers):
                raise EvidenceError("a level has no bit")
        if any(kind == "shape" for kind, *_ in fixed):
            raise EvidenceError("a bit of a shape is fixed")
        if any(value not in (0, 1) for _, value in self._claimed.fixed_bits):
            raise EvidenceError("a bit is fixed to what no bit is")

    def _diagram(self) -> int:
        """The diagram of the certificate, in nodes of the check."""
        claimed, found = self._claimed, [FALSE, TRUE]
        levels = [self._states.level(bit) for bit in claimed.levels]
        for level, low, high in self._patience.each(claimed.nodes):
            if not (0 <= level < len(levels) and 0 <= low < len(found) and 0 <= high < len(found)):
                raise EvidenceError("a node names something that does not come before it")
            if (
                min(self._diagrams.level[found[low]], self._diagrams.level[found[high]])
                <= (levels[level])
            ):
                raise EvidenceError("a node is not above its children")
            found.append(self._diagrams.node(levels[level], found[low], found[high]))
        if not 0 <= claimed.root < len(found):
            raise EvidenceError("the root is no node")
        return found[claimed.root]

    def _check_initial(self) -> None:
        with self._diagrams.passing():
            first = self._states.initial()
            for thread in self._threads:
                number = self._numbers[thread].get(self._states.first_shape(thread))
                if number is None:
                    raise EvidenceError("the first shape of a thread is not listed")
                first = self._diagrams.both(first, self._has_shape(thread, [number]))
            first_set = self._diagrams.both(self._set, self._states.fixed_at_first())
            if not self._diagrams.implies(first, first_set):
                raise EvidenceError("the set lacks an initial state")

    def _check_steps(self, thread: int) -> None:
        """What a thread does leads to no state outside of the set."""
        diagrams, shapes = self._diagrams, self._claimed.shapes[thread]
        free = diagrams.negation(self._states.flag("halted"))
        for other in self._threads:
            if other != thread:
                free = diagrams.both(free, self._rests(other))
        parts = [self._where_shape(thread, number) for number in range(len(shapes))]
        for shape, part in zip(shapes, parts, strict=True):
            with diagrams.passing():
                here = diagrams.both(part, free)
                if here == FALSE:
                    continue
                for step in self._steps.of(thread, shape, here):
                    self._check_step(thread, shape, step, parts)

    def _check_step(self, thread: int, shape: Shape, step: SmallStep, parts: Sequence[int]) -> None:
        if step.condition == FALSE:
            return
        number = self._numbers[thread].get(step.target)
        if number is None:
            raise EvidenceError(f"{self._step_text(thread, shape)} leads to a shape not listed")
        after = self._diagrams.with_any(parts[number], step.forgotten)
        after = self._diagrams.substituted(after, step.changes)
        for code, fixed in step.fixed:
            is_so = code if fixed else self._diagrams.negation(code)
            after = self._diagrams.both(after, is_so)
        if not self._diagrams.implies(step.condition, after):
            raise EvidenceError(f"{self._step_text(thread, shape)} leads out of the set")

    def exclude_deadlock(self) -> None:
        """In no state of the set, in which all threads rest, is nobody able to move, while some
        thread has begun and not ended."""
        diagrams = self._diagrams
        with diagrams.passing():
            stuck = diagrams.both(self._set, diagrams.negation(self._states.flag("halted")))
            busy = FALSE
            for thread in self._threads:
                stuck = diagrams.both(stuck, self._rests(thread))
                busy = diagrams.either(busy, self._is_busy(thread))
            stuck = diagrams.both(stuck, busy)
            for thread in self._threads:
                stuck = diagrams.both(stuck, diagrams.negation(self._able(thread, stuck)))
            if stuck != FALSE:
                raise EvidenceError("the set has a deadlock")

    def _is_busy(self, thread: int) -> int:
        """Where a thread has a frame, and was created if it must be."""
        waiting = self._layout.waiting
        shapes = self._claimed.shapes[thread]
        begun = [n for n, shape in enumerate(shapes) if shape.points[-1:] not in ((), (waiting,))]
        busy = self._has_shape(thread, begun)
        kind = self._states.type(thread)
        if kind.created:
            waits = [n for n, shape in enumerate(shapes) if shape.points[-1:] == (waiting,)]
            (created,) = self._states.code(self._states.shared(self._layout.created(kind)))
            created = self._diagrams.both(self._has_shape(thread, waits), created)
            busy = self._diagrams.either(busy, created)
        return busy

    def _able(self, thread: int, states: int) -> int:
        """Those of some states, in which all threads rest, from which a thread comes to rest again.

        Inside a section, that is found backwards: from a shape, by a small step that comes to rest,
        or to where that was found before. Bits that mean nothing after the step may be any of those
        with which that was found: nothing depends on them.
        """
        diagrams, shapes = self._diagrams, self._claimed.shapes[thread]
        inside = {number: FALSE for number, shape in enumerate(shapes) if shape.outer >= 0}
        others = TRUE
        for other in self._threads:
            if other != thread:
                others = diagrams.both(others, self._rests(other))
        steps: dict[int, list[SmallStep]] = {}
        able, has_grown = FALSE, True
        while has_grown:
            has_grown = False
            for number in inside:
                if number not in steps:
                    here = diagrams.both(self._where_shape(thread, number), others)
                    steps[number] = [*self._steps.of(thread, shapes[number], here)]
                more = self._before(thread, steps[number], inside)
                has_grown |= more != inside[number]
                inside[number] = more
        for number, shape in enumerate(shapes):
            if shape.outer < 0:
                cube = self._has_shape(thread, [number])
                here = diagrams.both(states, cube)
                if here != FALSE:
                    found = self._before(thread, self._steps.of(thread, shape, here), inside)
                    able = diagrams.either(able, diagrams.both(cube, found))
        return able

    def _before(self, thread: int, steps: Iterable[SmallStep], inside: Mapping[int, int]) -> int:
        """Where one of some steps comes to rest, or to a shape in which that was found."""
        diagrams, found = self._diagrams, FALSE
        for step in steps:
            able = step.condition
            if step.target.outer >= 0 and able != FALSE:
                number = self._numbers[thread].get(step.target)
                after = FALSE if number is None else inside[number]
                after = diagrams.with_any(after, step.forgotten)
                able = diagrams.both(able, diagrams.substituted(after, step.changes))
            found = diagrams.either(found, able)
        return self._states.without_fresh(found)

    def _rests(self, thread: int) -> int:
        """Where a thread rests."""
        shapes = self._claimed.shapes[thread]
        return self._has_shape(thread, [n for n, shape in enumerate(shapes) if shape.outer < 0])

    def _check_excluded(self, some: Bad) -> None:
        """No different threads of these types are at these points, in any state of the set."""
        if not 1 <= len(some) <= _MOST_TOGETHER:
            raise EvidenceError("this evidence is about places of one thread, or of two")
        inside = points_inside(self._program)
        if any(self._layout.is_bare_end(point) and point in inside for _, point in some):
            raise EvidenceError("this evidence does not say who passes the bare end of a procedure")
        candidates = [
            [thread for thread in self._threads if self._program.thread_types[thread] == kind]
            for kind, _ in some
        ]
        for threads in product(*candidates):
            if len(set(threads)) < len(threads):
                continue
            with self._diagrams.passing():
                there = self._set
                for thread, (_, point) in zip(threads, some, strict=True):
                    listed = self._claimed.shapes[thread]
                    at = [n for n, shape in enumerate(listed) if shape.points[-1:] == (point,)]
                    there = self._diagrams.both(there, self._has_shape(thread, at))
                if there != FALSE:
                    raise EvidenceError("the set has a bad state")

    def _kinds(self) -> range:
        return range(len(self._program.threads))

    def _shape_bits(self, thread: int) -> list[Bit]:
        bits = (len(self._claimed.shapes[thread]) - 1).bit_length()
        return [("shape", thread, bit) for bit in range(bits)]

    def _has_shape(self, thread: int, listed: Iterable[int]) -> int:
        """Where a thread has one of some shapes."""
        numbers = Numbers(self._diagrams)
        number = shortened((*self._states.code(self._shape_bits(thread)), FALSE))
        found = FALSE
        for each in listed:
            found = self._diagrams.either(found, numbers.is_equal(number, constant(each)))
        return found

    def _where_shape(self, thread: int, number: int) -> int:
        """Where the diagram holds if a thread has a shape."""
        bits = self._shape_bits(thread)
        places = {self._states.level(bit): number >> place & 1 for place, bit in enumerate(bits)}
        return self._diagrams.substituted(self._set, places)

    def _step_text(self, thread: int, shape: Shape) -> str:
        name = thread_names(self._program)[thread]
        return f"a step of {name} from {point_text(self._layout, shape.points[-1])}"
