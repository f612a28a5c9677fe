"""Programs with any number of threads, or integers without bounds, with invariants made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import tepui
from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Counter, Definition, Invariant, Stack
from tepui.checker.invariants.terms import Terms
from tepui.checker.invariants.thread_paths import Paths
from tepui.program.places import places
from tepui.program.program import Program

FormulaOf = Callable[[tuple[Stack, ...]], Sequence[str] | None]


@dataclass(frozen=True)
class Proof:
    """A program, an invariant of it, and what it excludes."""

    name: str
    program: Program
    invariant: Invariant
    bad: tuple[Bad, ...]


def loaded(text: str, name: str) -> Program:
    program = tepui.loads(text, "bp", name=name)
    assert isinstance(program, Program)
    return program


def at(program: Program, label: str) -> int:
    (point,) = places(program, label)
    return point


def with_formulas(
    program: Program,
    observed: tuple[int, ...],
    formula_of: FormulaOf,
    passed: tuple[int, ...] = (),
    counters: tuple[Counter, ...] = (),
) -> Invariant:
    """The invariant with a conjunction for each vector for which there is one."""
    stacks = Paths(program, passed, Terms()).stacks
    chosen = [stacks[kind] for kind, count in enumerate(observed) for _ in range(count)]
    definitions = []
    for vector in product(*chosen):
        parts = formula_of(vector)
        if parts is not None:
            definitions.append(Definition(vector, f"(and true {' '.join(parts)})"))
    return Invariant(observed, passed, counters, tuple(definitions))


def violated(program: Program, thread: int, number: int = 0) -> Bad:
    return ((thread, program.layout.violation(number)),)


def spin_lock() -> Proof:
    """Two observed threads, finite data."""
    program = loaded(
        """
        decl lock := 0;
        void worker() {
            while (1) {
                atomic { wait(!lock); lock := 1; }
                critical: skip;
                leaving: lock := 0;
            }
        }
        void main() { thread_create(worker, *); }
        """,
        "spin-lock",
    )
    inside = {at(program, "critical"), at(program, "leaving")}

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str] | None:
        held = sum(stack[0] in inside for stack in vector)
        return None if held > 1 else ["(= |g.lock.0| 1)"] * held

    critical = at(program, "critical")
    bad: Bad = ((0, critical), (0, critical))
    return Proof("spin lock", program, with_formulas(program, (2,), formula_of), (bad,))


def ticket_lock() -> Proof:
    """Two observed threads, integers without bounds, a call with a result."""
    program = loaded(
        """
        decl next: int := 0;
        decl called: int := 0;
        int draw() {
            decl mine: int;
            atomic { mine := next; next := next + 1; }
            drawn: return mine;
        }
        void customer() {
            decl mine: int := 0;
            while (1) {
                mine := draw();
                turn: wait(called = mine);
                critical: assert(called = mine);
                leaving: called := called + 1;
            }
        }
        void main() { thread_create(customer, *); }
        """,
        "ticket-lock",
    )
    drawn, turn = at(program, "drawn"), at(program, "turn")
    inside = {at(program, "critical"), at(program, "leaving")}

    def ticket(place: int, stack: Stack) -> str | None:
        if stack[0] == drawn:
            return f"|t{place}.1.mine.0|"
        return f"|t{place}.0.mine.0|" if stack[0] in {turn, *inside} else None

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str] | None:
        if all(stack[0] in inside for stack in vector):
            return None
        tickets = [ticket(place, stack) for place, stack in enumerate(vector)]
        found = ["(<= |g.called.0| |g.next.0|)"]
        for mine, stack in zip(tickets, vector, strict=True):
            if mine is not None:
                found += [f"(<= |g.called.0| {mine})", f"(< {mine} |g.next.0|)"]
            if stack[0] in inside:
                found.append(f"(= |g.called.0| {mine})")
        if all(tickets):
            found.append(f"(distinct {' '.join(map(str, tickets))})")
        return found

    critical = at(program, "critical")
    bad = (violated(program, 0), ((0, critical), (0, critical)))
    return Proof("ticket lock", program, with_formulas(program, (2,), formula_of), bad)


def readers_writers() -> Proof:
    """A writer is observed, readers are counted."""
    program = loaded(
        """
        decl readers: int := 0;
        decl writing := 0;
        void reader() {
            while (1) {
                atomic { wait(!writing); readers := readers + 1; }
                reading: skip;
                read: readers := readers - 1;
            }
        }
        void writer() {
            while (1) {
                atomic { wait(!writing & readers = 0); writing := 1; }
                exclusive: assert(readers = 0);
                written: writing := 0;
            }
        }
        void main() { thread_create(reader, *); thread_create(writer, *); }
        """,
        "readers-writers",
    )
    reading, read = at(program, "reading"), at(program, "read")
    inside = {at(program, "exclusive"), at(program, "written")}
    counters = Counter(0, (reading,)), Counter(0, (read,))

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str] | None:
        held = [stack[0] in inside for stack in vector]
        if all(held):
            return None
        found = [
            "(= |g.readers.0| (+ |c.0| |c.1|))",
            "(=> (= |g.writing.0| 1) (= |g.readers.0| 0))",
        ]
        return [*found, "(= |g.writing.0| 1)"] if any(held) else found

    bad: tuple[Bad, ...] = (
        violated(program, 1),
        ((0, reading), (1, at(program, "exclusive"))),
        ((1, at(program, "exclusive")), (1, at(program, "written"))),
    )
    invariant = with_formulas(program, (0, 2), formula_of, (), counters)
    return Proof("readers-writers", program, invariant, bad)


def counted() -> Proof:
    """Nothing is observed, and everything is counted, with values of a local variable."""
    program = loaded(
        """
        decl ones: int := 0;
        void worker() {
            decl mine := 0;
            begin: mine := *;
            ready: ones := mine ? ones + 1 : ones;
            counted: assert(ones > 0 | !mine);
            if (mine) { down: ones := ones - 1; }
        }
        void main() { thread_create(worker, *); }
        """,
        "counted",
    )
    counters = (
        Counter(0, (at(program, "counted"),), (("0.mine.0", 1),)),
        Counter(0, (at(program, "down"),), (("0.mine.0", 1),)),
        Counter(0, (at(program, "down"),), (("0.mine.0", 0),)),
        *(
            Counter(0, stack, (("0.mine.0", 1),))
            for stack in Paths(program, (), Terms()).stacks[0]
            if stack and program.layout.location(stack[0]).text.startswith("if")  # type: ignore[union-attr]
        ),
    )
    sums = "(= |g.ones.0| (+ |c.0| |c.1| |c.3|))"
    invariant = with_formulas(program, (0,), lambda _: [sums, "(= |c.2| 0)"], (), counters)
    return Proof("counted", program, invariant, (violated(program, 0),))


def created() -> Proof:
    """Threads that are created later, and inherit a value; the creator is observed."""
    program = loaded(
        """
        decl limit: int := 0;
        void worker(n: int 0..3) {
            work: assert(limit = 5 & n = 2);
            done: skip;
        }
        void main() {
            limit := 5;
            thread_create(worker(2), *);
            after: limit := limit;
        }
        """,
        "created",
    )
    begins = at(program, "main()")
    before = {(begins,), (begins + 1,)}

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str] | None:
        creator, worker = vector
        is_new = worker == (program.layout.waiting,)
        if creator in before and not is_new:
            return None
        open_ = "(=> (= |created.1| 1) (and (= |g.limit.0| 5) (= |inherited.1.n.0| 2)))"
        found = [open_]
        if creator in before:
            found.append("(= |created.1| 0)")
        if creator != (begins,):
            found.append("(= |g.limit.0| 5)")
        if not is_new:
            found.append("(= |created.1| 1)")
        if len(worker) == 1 and not is_new:
            found.append("(= |t1.0.n.0| 2)")
        return found

    invariant = with_formulas(program, (1, 1), formula_of)
    return Proof("created", program, invariant, (violated(program, 1),))


def arrays() -> Proof:
    """An array of integers, and an index that wraps around."""
    program = loaded(
        """
        decl a: int[3] := 0;
        decl turn: int 0..2 := 0;
        void worker() {
            decl i: int 0..2;
            while (1) {
                i := turn;
                add: a[i] := a[i] + i;
                look: assert(a[i] >= 0 & a[0] = 0);
                turn := turn + 1;
            }
        }
        void main() { thread_create(worker, *); }
        """,
        "arrays",
    )
    parts = ["(= |g.a.0| 0)", "(>= |g.a.1| 0)", "(>= |g.a.2| 0)"]
    invariant = with_formulas(program, (0,), lambda _: parts)
    return Proof("arrays", program, invariant, (violated(program, 0),))


def passing() -> Proof:
    """Local steps are passed; two types, of one of which there are two threads."""
    program = loaded(
        """
        decl flag: int := 0;
        void worker() {
            decl x: int 0..7 := 0;
            begin: x := flag > 0 ? 3 : 1;
            one: x := x + 1;
            two: if (x > 2) { three: x := 5; } else { four: x := 4; }
            look: assert(x > 3);
            last: flag := flag + x;
        }
        void main() { thread_create(worker, *); }
        """,
        "passing",
    )
    passed = tuple(sorted(at(program, name) for name in ("one", "two", "three", "four")))

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str]:
        (stack,) = vector
        known = ["(>= |g.flag.0| 0)"]
        return [*known, "(> |t0.0.x.0| 3)"] if stack == (at(program, "look"),) else known

    invariant = with_formulas(program, (1,), formula_of, passed)
    return Proof("passing", program, invariant, (violated(program, 0),))


def identities() -> Proof:
    """A lock that knows who holds it; one of the two observed threads is of another type."""
    from tepui.program.expressions import NOBODY, Binary, Read, Self, Variable
    from tepui.program.program import (
        Assert,
        Assignment,
        Location,
        Position,
        Procedure,
        Step,
        Thread,
    )
    from tepui.program.types import THREAD

    owner = Variable("owner", THREAD, None, 0)
    free, own = Binary("=", Read(owner), NOBODY), Binary("=", Read(owner), Self())
    places_ = tuple(
        Location(Position("owner", line, 1), text, (label,))
        for line, (text, label) in enumerate(
            [("take", "take"), ("assert own", "critical"), ("release", "leaving")], start=1
        )
    )
    procedure = Procedure(
        "worker",
        places_,
        (
            Step(0, 1, free, (Assignment(owner, Self()),)),
            Assert(1, 2, own),
            Step(2, 0, own, (Assignment(owner, NOBODY),)),
        ),
    )
    threads = Thread("some", "worker", None), Thread("two", "worker", 2)
    program = Program((procedure,), threads, (owner,), name="owner")

    def formula_of(vector: tuple[Stack, ...]) -> Sequence[str] | None:
        if sum(stack[0] in (1, 2) for stack in vector) > 1:
            return None
        return [
            f"(= |g.owner.0| |t{place}.self|)"
            for place, stack in enumerate(vector)
            if stack[0] in (1, 2)
        ]

    bad: tuple[Bad, ...] = (
        violated(program, 0),
        violated(program, 1),
        ((0, 1), (1, 1)),
        ((1, 1), (1, 2)),
    )
    return Proof("identities", program, with_formulas(program, (1, 2), formula_of), bad)


def all_proofs() -> list[Proof]:
    return [
        spin_lock(),
        ticket_lock(),
        readers_writers(),
        counted(),
        created(),
        arrays(),
        passing(),
        identities(),
    ]
