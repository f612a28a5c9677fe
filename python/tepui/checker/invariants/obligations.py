"""Checks invariants over observed threads (see `invariant` for what they say).

The check is a number of obligations, each of which says that something cannot be, and the solver
must agree (`unsat`). What is not defined is false. Formula(V) is that of a vector V.

1. *Initial.* The initial values imply the formula of the vector of initial control stacks.
2. *Steps of observed threads.* If Formula(V) holds, and the thread at a position takes a path, then
   the formula of the vector after it holds, with the new values.
3. *Steps of other threads.* Let e be a thread of type T that is not observed. If Formula(V) holds,
   and the formula of each vector in which e stands at a position of T instead of the thread there,
   and e takes a path, then Formula(V) holds with the new values. Where no thread of T is observed,
   e has any control stack in which its procedures can rest, and any local values.
4. *Nothing bad* holds where a formula does (`_Bad`).

**Why that is enough.** Consider the program with paths, which is enough for passed points
(`passing`), with n_T ≥ k_T threads of each type. By induction over a run: in every state, for each
choice of different threads for the positions, the formula holds. Initially that is 1, as threads of
a type begin alike. Let a thread t take a path. A choice that has t at a position falls under 2. Let
a choice have t at no position. Then t is a further thread of its type T, so n_T > k_T; and for each
position of T, the choice with t there instead consists of different threads, so its formula holds
before the path. So 3 applies. A path that violates an assertion that is not asked about halts the
program: no thread is at a point then where it was not before, but the one at the violation.

What may be assumed always, and is so in every obligation: variables have values of their types;
different threads have different identities, which are at least 1; a counter is at least the number
of observed threads that it counts, t included. Counters are no variables of the program. They are
defined by its states, so that they change as the control stack and the locals of t do, and by
nothing else. Initially, those of initial control stacks count at most all threads of their type,
and exactly all if they ask for no values; all others are 0.

**Fewer threads.** A type with any number of threads may have fewer than k_T. A run of such a
program is a run of one with more threads, of which the others stay where they begin: they need not
move, and nobody can tell that they are there. Identities may be others then, but they are only
compared with one another (constants but nobody are refused), so a run with other ones is the same.
So what is bad is reachable with n_T ≥ k_T threads, too. Types with a fixed number have n_T ≥ k_T.

**What is bad.** Let a thread of a type T with k_T ≥ 1 be at a bad point, or violate an asserted
condition. Put it at the first position of T, and others anywhere: Formula(V) holds, and the path
before the violation can be taken. So it is enough to look at the first position. For two threads
of one type, these are the first two; it does not matter which is which, as both orders are choices.
If T is not observed, then each control stack with that point on top has a counter, which is then
at least 1, or 2 if both threads have the same one; or a violating path can be taken by a thread
that is not observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from tepui.checker.evidence import Bad
from tepui.checker.invariants.invariant import Invariant, Stack
from tepui.checker.invariants.passing import check_passed
from tepui.checker.invariants.shape import Shape, Vector
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.solver_questions import OTHER, Mover, Question, Symbols
from tepui.checker.patience import Patience
from tepui.errors import CheckStopped, EvidenceError
from tepui.program.program import Program, Receive
from tepui.program.semantics.sections import points_inside

Place = tuple[int, int]
"""A thread type and a point."""


def check_invariant(
    program: Program, invariant: Invariant, bad: Sequence[Bad], go_on: Callable[[], bool]
) -> None:
    """Return if the invariant proves that nothing bad is reachable; an EvidenceError if not."""
    with Solver(go_on) as solver:
        check_with(solver, program, invariant, bad, Patience(go_on))


def check_with(
    solver: Solver, program: Program, invariant: Invariant, bad: Sequence[Bad], patience: Patience
) -> None:
    """The same with a solver that knows no names."""
    check_bad(program, bad)
    check_passed(program, invariant.passed, {point for each in bad for _, point in each})
    check = _Check(Shape(program, invariant, patience), solver, patience)
    check.initial()
    check.nothing_bad(bad)
    check.steps()


class _Check:
    """Asks for one obligation after another."""

    def __init__(self, shape: Shape, solver: Solver, patience: Patience) -> None:
        self._shape, self._solver, self._patience = shape, solver, patience
        self._paths = shape.paths
        self._symbols = Symbols(shape, solver)
        self._words = _Words(shape)

    def initial(self) -> None:
        """Obligation 1."""
        shape, paths = self._shape, self._paths
        vector = tuple(paths.start(thread) for thread in shape.positions)
        question = self._question(vector)
        values = paths.initial_shared()
        for place, stack in enumerate(vector):
            own = paths.initial_locals(stack)
            values |= {f"t{place}.{name}": value for name, value in own.items()}
        for name, value in values.items():
            if value is not None:
                question.add(f"(= {question.symbol(name)} {_number(value)})")
        for number, counter in enumerate(shape.counters):
            symbol = question.symbol(f"c.{number}")
            count = shape.program.threads[counter.thread].count
            if counter.stack != paths.start(counter.thread):
                question.add(f"(= {symbol} 0)")
            elif count is not None:
                question.add(f"({'<=' if counter.where else '='} {symbol} {count})")
        question.add(f"(not {question.formula(vector)})")
        self._refute(question, lambda: "an initial state is not in the invariant")

    def steps(self) -> None:
        """Obligations 2 and 3."""
        for vector in self._shape.formulas:
            for place, (thread, stack) in enumerate(
                zip(self._shape.positions, vector, strict=True)
            ):
                for path in self._paths.of(thread, stack):
                    if path.violated is None:
                        after = (*vector[:place], path.after, *vector[place + 1 :])
                        self._step(vector, Mover(f"t{place}", thread, path), after)
            for mover in self._others(vector):
                if mover.path.violated is None:
                    self._step(vector, mover, vector)

    def nothing_bad(self, bad: Sequence[Bad]) -> None:
        """Obligation 4."""
        first_violation = self._shape.program.layout.violation(0)
        for each in bad:
            if each[0][1] >= first_violation:
                ((thread, point),) = each
                self._no_violation(thread, point - first_violation)
            elif len(each) == 1:
                self._nobody_at(*each[0])
            else:
                self._never_together(*each)

    def _others(self, vector: Vector) -> Iterator[Mover]:
        """The threads that are not observed, with each of their paths."""
        for thread in range(len(self._shape.observed)):
            if self._shape.has_others(thread):
                places = self._shape.places(thread)
                for stack in self._paths.stacks[thread]:
                    if self._may_be_instead(vector, places, stack):
                        for path in self._paths.of(thread, stack):
                            yield Mover(OTHER, thread, path)

    def _may_be_instead(self, vector: Vector, places: Sequence[int], stack: Stack) -> bool:
        """Whether a thread with a control stack may stand at each of some positions."""
        return all(
            (*vector[:place], stack, *vector[place + 1 :]) in self._shape.formulas
            for place in places
        )

    def _step(self, vector: Vector, mover: Mover, after: Vector) -> None:
        self._patience.spend(100)
        question = self._before(vector, mover)
        if vector == after and not self._is_touched(question, vector):
            return
        question.add(question.condition())
        question.add(f"(not {question.formula(after, question.after)})")
        self._refute(question, partial(self._words.step, vector, mover))

    def _is_touched(self, question: Question, vector: Vector) -> bool:
        """Whether the path changes a variable of the formula of a vector."""
        _, variables = self._symbols.function(vector)
        return any(map(question.is_moved, variables))

    def _before(self, vector: Vector, mover: Mover) -> Question:
        """What holds before a path."""
        question = self._question(vector, mover)
        question.add(question.formula(vector))
        if mover.role == OTHER:
            for place in self._shape.places(mover.thread):
                question.add(question.instead(vector, place, mover.path.before))
        return question

    def _no_violation(self, thread: int, assertion: int) -> None:
        for vector in self._shape.formulas:
            for mover in self._violating(vector, thread):
                if mover.path.violated == assertion:
                    question = self._before(vector, mover)
                    question.add(question.condition())
                    self._refute(question, partial(self._words.violation, vector, mover))

    def _violating(self, vector: Vector, thread: int) -> Iterator[Mover]:
        """The threads of a type that have to be looked at for violations."""
        if self._shape.observed[thread]:
            place = self._shape.places(thread)[0]
            for path in self._paths.of(thread, vector[place]):
                yield Mover(f"t{place}", thread, path)
        else:
            yield from (each for each in self._others(vector) if each.thread == thread)

    def _nobody_at(self, thread: int, point: int) -> None:
        places = self._shape.places(thread)
        for vector in self._shape.formulas:
            if not places:
                for stack in self._with_top(thread, point):
                    self._exclude(vector, {self._counter(thread, stack): 1})
            elif _top(vector[places[0]]) == point:
                self._exclude(vector, {})

    def _never_together(self, one: Place, other: Place) -> None:
        """Two different threads are never at two points."""
        if one[0] == other[0] and self._shape.program.threads[one[0]].count == 1:
            return
        seats = self._seats(one, other)
        for vector in self._shape.formulas:
            seated, counted = [], []
            for seat, (thread, point) in zip(seats, (one, other), strict=True):
                if seat is None:
                    counted.append([(thread, stack) for stack in self._with_top(thread, point)])
                elif _top(vector[seat]) == point:
                    seated.append((thread, vector[seat]))
                else:
                    counted.append([])  # No thread there, so there is nothing to exclude.
            for chosen in product(*counted):
                needed: dict[int, int] = {}
                for each in chosen:
                    number = self._counter(*each)
                    needed[number] = chosen.count(each) + seated.count(each)
                self._exclude(vector, needed)

    def _seats(self, one: Place, other: Place) -> tuple[int | None, int | None]:
        """The positions at which two different threads can be put; those that are left without one
        are counted."""
        places, others = (self._shape.places(thread) for thread, _ in (one, other))
        if one[0] != other[0]:
            return places[0] if places else None, others[0] if others else None
        if len(places) >= 2:
            return places[0], places[1]
        if not places:
            return None, None
        return (places[0], None) if self._has_counters(*other) else (None, places[0])

    def _exclude(self, vector: Vector, needed: Mapping[int, int]) -> None:
        """The formula excludes that counters are as large as this."""
        question = self._question(vector)
        question.add(question.formula(vector))
        for number, count in needed.items():
            question.add(f"(>= {question.symbol(f'c.{number}')} {count})")
        self._refute(question, partial(self._words.bad, vector))

    def _with_top(self, thread: int, point: int) -> list[Stack]:
        return [stack for stack in self._paths.stacks[thread] if _top(stack) == point]

    def _has_counters(self, thread: int, point: int) -> bool:
        return all(self._counters(thread, stack) for stack in self._with_top(thread, point))

    def _counters(self, thread: int, stack: Stack) -> list[int]:
        """The counters of all threads with a control stack."""
        return [
            number
            for number, counter in enumerate(self._shape.counters)
            if (counter.thread, counter.stack, counter.where) == (thread, stack, ())
        ]

    def _counter(self, thread: int, stack: Stack) -> int:
        found = self._counters(thread, stack)
        if not found:
            raise EvidenceError(
                f"no counter says how many threads {self._words.thread(thread)} are "
                f"{self._words.stack(stack)}"
            )
        return found[0]

    def _question(self, vector: Vector, mover: Mover | None = None) -> Question:
        return Question(self._shape, self._symbols, vector, mover)

    def _refute(self, question: Question, problem: Callable[[], str]) -> None:
        """Return if the solver finds that something cannot be."""
        self._patience.ask()
        answer = self._solver.answer(question.text())
        if answer == "sat":
            raise EvidenceError(f"the invariant proves nothing: {problem()}")
        if answer != "unsat":
            if self._solver.trouble:
                raise CheckStopped(self._solver.trouble)
            raise CheckStopped(f"the solver does not know whether {problem()}")


class _Words:
    """Obligations that fail, in the words of the source."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._layout = shape.program.layout

    def step(self, vector: Vector, mover: Mover) -> str:
        role = "another" if mover.role == OTHER else "the observed"
        return (
            f"a step of {role} thread {self.thread(mover.thread)} that is "
            f"{self.stack(mover.path.before)} leads out of it{self._where(vector)}"
        )

    def violation(self, vector: Vector, mover: Mover) -> str:
        assert mover.path.violated is not None
        location = self._layout.location(self._layout.violation(mover.path.violated))
        assert location is not None
        return (
            f"a thread {self.thread(mover.thread)} that is {self.stack(mover.path.before)} may "
            f"violate {location.text or 'an assertion'} at {location.position.short}"
            f"{self._where(vector)}"
        )

    def bad(self, vector: Vector) -> str:
        return f"a bad state is in it{self._where(vector)}"

    def thread(self, thread: int) -> str:
        return self._shape.program.threads[thread].name

    def stack(self, stack: Stack) -> str:
        """Where a thread is."""
        if not stack:
            return "over"
        location = self._layout.location(stack[0])
        if location is None:
            return "waiting for its creation"
        return f"at {location.text or 'a place without a statement'} ({location.position.short})"

    def _where(self, vector: Vector) -> str:
        if not vector:
            return ""
        places = (
            f"{self.thread(thread)} is {self.stack(stack)}"
            for thread, stack in zip(self._shape.positions, vector, strict=True)
        )
        return f", where {' and '.join(places)}"


def check_bad(program: Program, bad: Sequence[Bad]) -> None:
    """Refuse what is no question about resting threads or about assertions."""
    layout = program.layout
    inside = points_inside(program)
    for each in bad:
        if len(each) not in (1, 2):
            raise EvidenceError("something bad is defined by neither one thread nor two")
        for thread, point in each:
            if not (0 <= thread < len(program.threads) and 0 <= point < layout.points):
                raise EvidenceError("something bad is defined by what the program does not have")
            if point > layout.waiting and len(each) > 1:
                raise EvidenceError("a violation is bad by itself, and not together with a place")
            if point in inside:
                raise EvidenceError("a bad place is inside an atomic section")
            if point < layout.waiting and _receives(program, point):
                raise EvidenceError("a bad place is where results are received")


def _receives(program: Program, point: int) -> bool:
    number, at = program.layout.locations[point]
    return any(isinstance(edge, Receive) for edge in program.procedures[number].leaving[at])


def _top(stack: Stack) -> int | None:
    return stack[0] if stack else None


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
