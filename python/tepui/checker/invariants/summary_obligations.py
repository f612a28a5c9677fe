"""Checks summaries (see `summaries` for what they say).

The check is a number of obligations, each of which says that something cannot be, and the solver
must agree (`unsat`). What is not defined is false. F(T, p) is the formula of type T and point p.

1. *Initial.* The formula of the point where threads of a type begin holds with the initial values,
   which are also those with which the activation began.
2. *Steps of the thread.* If F(T, p) holds, and the thread takes a path from p that ends in the same
   activation, at q, then F(T, q) holds with the new values, and the same beginning.
3. *Calls.* If F(T, p) holds, and a path from p ends at the entry e of a procedure that it calls,
   then F(T, e) holds with the new values, and the activation begins with just these.
4. *Returns.* Let F(T, p) hold in one shared state, and let a path from p end with a call, whose
   caller is to go on at b. Let F(T, x) hold in another shared state, for an activation of the
   procedure that was called which began with the shared state and the arguments at the end of that
   path. If a path from x with the caller's frame below, as the call has left it, comes back to the
   caller's frame and ends there, at q, then F(T, q) holds with the new values, and with the
   beginning of the caller's activation.
5. *Steps of others.* Let e and t be different threads, of types that have as many. If F holds for
   the place of t, and e takes a path as in 2, 3 or 4, or one that ends its last activation, then F
   holds for t with the new shared state.
6. *Nothing bad* holds where a formula does.

**Why that is enough.** Consider a reachable state, and a thread t of type T with the frames
f_1 … f_n, f_n on top at the point p. The claim, by induction over a run, is that there are shared
states s_1 … s_n and arguments a_1 … a_n so that

- F(T, p) holds for the shared state now, the locals of f_n, s_n and a_n;
- for i < n, the activation of f_i has made its call by a path from a point at which F(T, ·) held
  for some shared state, some locals, s_i and a_i; at the end of that path the shared state was
  s_(i+1), the arguments were a_(i+1), and the locals of f_i were those that it has now.

In the beginning that is 1. If t moves, 2 and 3 keep the claim at once. If its frame f_n returns,
the premises of 4 are the two parts of the claim for f_n and f_(n-1); f_(n-1) is on top then, and
what is claimed of the frames below stays. A return ends there, as between it and the receipt of
results nobody else can move, and a path that goes on from the receipt to another call or return is
refused. If another thread moves, nothing of t changes but the shared state, so 5 keeps the claim:
the path that the other takes starts where its formula holds, by the claim for that thread, and in
a return by that for its two upper frames. Frames below the top cannot move, and are not looked at:
what is bad is about the frame on top. A thread that ends needs no formula.

One thread is looked at, and another one that moves, so it does not matter how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tepui.checker.evidence import Bad
from tepui.checker.invariants.formulas import read_formula
from tepui.checker.invariants.obligations import Place, check_bad
from tepui.checker.invariants.solver import Solver
from tepui.checker.invariants.summaries import Summaries
from tepui.checker.invariants.terms import Term, Terms
from tepui.checker.invariants.thread_paths import Path, Paths
from tepui.checker.invariants.values import Range, Refused, range_of
from tepui.checker.patience import Patience
from tepui.errors import CheckStopped, EvidenceError
from tepui.program.program import Program
from tepui.program.types import Scalar

Texts = Mapping[str, str]
"""Texts for the variables of a formula, by their names."""


def check_summaries(
    program: Program, claimed: Summaries, bad: Sequence[Bad], go_on: Callable[[], bool]
) -> None:
    """Return if the summaries prove that nothing bad is reachable; an EvidenceError if not."""
    with Solver(go_on) as solver:
        check_summaries_with(solver, program, claimed, bad, Patience(go_on))


def check_summaries_with(
    solver: Solver, program: Program, claimed: Summaries, bad: Sequence[Bad], patience: Patience
) -> None:
    """The same with a solver that knows no names."""
    check_bad(program, bad)
    check = _Check(SummaryShape(program, claimed, patience), solver, patience)
    check.initial()
    check.nothing_bad(bad)
    check.own_steps()
    check.steps_of_others()


class SummaryShape:
    """Summaries that have the right form; an EvidenceError says what is wrong."""

    def __init__(self, program: Program, claimed: Summaries, patience: Patience) -> None:
        self.program, self.terms = program, Terms()
        self.paths = Paths(program, (), self.terms, patience, recursive=True)
        self.shared = {name: range_of(scalar) for name, scalar in self.paths.shared.items()}
        self.formulas: dict[Place, Term] = {}
        for one in claimed.definitions:
            patience.spend(1 + len(one.formula))
            place = one.thread, one.point
            if not (
                0 <= one.thread < len(program.threads) and 0 <= one.point <= program.layout.waiting
            ):
                raise EvidenceError("a summary is about a place that the program does not have")
            if place in self.formulas:
                raise EvidenceError("two summaries are about the same place")
            waits = one.point == program.layout.waiting
            if program.threads[one.thread].created if waits else self.paths.rests((one.point,)):
                known = self.variables(one.point)
                self.formulas[place] = read_formula(self.terms, one.formula, known)

    def variables(self, point: int) -> dict[str, Range]:
        """The variables of the formula of a point."""
        found: dict[str, Range] = {**self.shared, "self": (1, None)}
        if point == self.program.layout.waiting:
            return found
        found |= {f"first.{name}": values for name, values in self.shared.items()}
        found |= {f"first.l.{name}": range_of(kind) for name, kind in self.given(point).items()}
        return found | {f"l.{name}": range_of(kind) for name, kind in self.locals(point).items()}

    def locals(self, point: int) -> dict[str, Scalar]:
        """The local variables of a frame, `NAME.I`, with their types."""
        return {name.removeprefix("0."): kind for name, kind in self.paths.locals((point,)).items()}

    def given(self, point: int) -> dict[str, Scalar]:
        """Its parameters, `NAME.0`, with their types."""
        procedure = self.program.layout.procedure(point)
        assert procedure is not None
        return {
            f"{each.name}.0": each.scalar for each in procedure.variables[: procedure.parameters]
        }

    def returning(self, call: Path, thread: int) -> Iterator[tuple[int, Path]]:
        """The paths that come back to the caller's frame behind a call, each with where it begins
        in the procedure that was called."""
        entry, back = call.after
        number = self.program.layout.locations[entry][0]
        for kind, point in self.formulas:
            if kind != thread or point == self.program.layout.waiting:
                continue
            if self.program.layout.locations[point][0] == number:
                for path in self.paths.of(thread, (point, back)):
                    if _comes_back(path, back):
                        yield point, path


def _comes_back(path: Path, back: int) -> bool:
    """Whether a path from the frame above a caller ends in that of the caller; a caller that takes
    results goes through the place where it does."""
    received = back in path.places[1:]
    if path.violated is not None:
        return received
    if len(path.after) == 1:
        return True
    if received or not path.after:
        raise Refused("a call or the end of a procedure in the step in which results are received")
    return False


class _Step(NamedTuple):
    """A step of a thread: when it happens, and what it makes of the shared state."""

    thread: int
    touched: frozenset[str]
    """The shared variables that it may change."""
    asked: Callable[[_Question, str], Texts]
    """Adds its conditions to a question, for the thread with a role; the new shared state."""


class _Question:
    """What is asked once: assertions, in which each role has variables of its own. The shared state
    now belongs to no role."""

    def __init__(self, shape: SummaryShape, symbols: _Symbols) -> None:
        self._shape, self._symbols = shape, symbols
        self._used: dict[str, Range] = {}
        self._selves: dict[str, None] = {}
        self._assertions: list[str] = []
        self.shared: Texts = {
            name: self.symbol(name, values) for name, values in shape.shared.items()
        }

    def text(self) -> list[str]:
        facts = []
        for symbol, (low, high) in self._used.items():
            facts += [] if low is None else [f"(>= {symbol} {_number(low)})"]
            facts += [] if high is None else [f"(<= {symbol} {_number(high)})"]
        if len(self._selves) > 1:
            facts.append(f"(distinct {' '.join(self._selves)})")
        return [*self._assertions, *facts]

    def add(self, assertion: str) -> None:
        self._assertions.append(assertion)

    def symbol(self, name: str, values: Range) -> str:
        symbol = self._symbols.constant(name)
        self._used[symbol] = values
        return symbol

    def named(self, name: str, text: str) -> str:
        """A constant that has the value of a text, if that is not short already."""
        if " " not in text:
            return text
        symbol = self.symbol(name, (None, None))
        self.add(f"(= {symbol} {text})")
        return symbol

    def own(self, role: str) -> str:
        """The identity of the thread with a role."""
        symbol = self.symbol(f"{role}:self", (1, None))
        self._selves[symbol] = None
        return symbol

    def frame(self, role: str, point: int, own: str, shared: Texts | None = None) -> dict[str, str]:
        """Variables for the formula of a point: those of the role, and a shared state."""
        names = self._shape.variables(point)
        found = {
            name: self.symbol(f"{role}:{name}", values)
            for name, values in names.items()
            if name not in self._shape.shared and name != "self"
        }
        return {**found, **(self.shared if shared is None else shared), "self": own}

    def holds(self, place: Place, texts: Texts) -> None:
        self.add(self.formula(place, texts))

    def formula(self, place: Place, texts: Texts) -> str:
        if place not in self._shape.formulas:
            return "false"
        name, variables = self._symbols.function(place)
        arguments = " ".join(texts[each] for each in variables)
        return f"({name} {arguments})" if arguments else name

    def taken(self, role: str, path: Path, before: Texts) -> Callable[[str], str]:
        """Add that a path exists, from values of its variables; what its variables are then."""
        fresh = {name: self.symbol(f"{role}:{name}", values) for name, values in path.fresh}

        def naming(name: str) -> str:
            return fresh[name] if name in fresh else before[name]

        terms = self._shape.terms
        self.add(terms.text(path.condition, naming))
        made: dict[str, str] = {}

        def after(name: str) -> str:
            if name not in path.changed:
                return before[name]
            if name not in made:
                text = terms.text(path.changed[name], naming)
                made[name] = self.named(f"{role}>{name}", text)
            return made[name]

        return after


class _Symbols:
    """What the solver knows by name: the constants and the formulas that occurred so far."""

    def __init__(self, shape: SummaryShape, solver: Solver) -> None:
        self._shape, self._solver = shape, solver
        self._constants: dict[str, str] = {}
        self._functions: dict[Place, tuple[str, list[str]]] = {}

    def constant(self, name: str) -> str:
        if name not in self._constants:
            self._constants[name] = symbol = f"v{len(self._constants)}"
            self._solver.always(f"(declare-const {symbol} Int)")
        return self._constants[name]

    def function(self, place: Place) -> tuple[str, list[str]]:
        """The name of a formula, and its variables."""
        if place not in self._functions:
            terms, root = self._shape.terms, self._shape.formulas[place]
            name = f"f{len(self._functions)}"
            variables = terms.variables([root])
            parameters = {each: f"p{number}" for number, each in enumerate(variables)}
            declared = " ".join(f"({symbol} Int)" for symbol in parameters.values())
            body = terms.text(root, parameters.__getitem__)
            self._solver.always(f"(define-fun {name} ({declared}) Bool {body})")
            self._functions[place] = name, variables
        return self._functions[place]


class _Check:
    """Asks for one obligation after another."""

    def __init__(self, shape: SummaryShape, solver: Solver, patience: Patience) -> None:
        self._shape, self._solver, self._patience = shape, solver, patience
        self._paths, self._program = shape.paths, shape.program
        self._symbols = _Symbols(shape, solver)
        self._returns: dict[int, list[tuple[Place, Path, int, Path]]] = {}

    def initial(self) -> None:
        """Obligation 1."""
        for thread in range(len(self._program.threads)):
            question, stack = self._question(), self._paths.start(thread)
            values = {**self._paths.initial_shared()}
            texts = question.frame("t", stack[0], question.own("t"))
            for name, value in self._paths.initial_locals(stack).items():
                values[f"l.{name.removeprefix('0.')}"] = value
            for name, value in values.items():
                if value is not None:
                    question.add(f"(= {texts[name]} {_number(value)})")
            if stack[0] != self._program.layout.waiting:
                texts = self._begun(texts, stack[0])
            question.add(f"(not {question.formula((thread, stack[0]), texts)})")
            self._refute(question, f"threads {self._name(thread)} begin where it does not hold")

    def own_steps(self) -> None:
        """Obligations 2 to 4."""
        for (thread, point), path in self._all_paths():
            if path.violated is None and path.after:
                question = self._question()
                before, after = self._moved(question, "t", (thread, point), path)
                texts = self._after(before, after, path, thread)
                self._keeps(question, (thread, path.after[0]), texts)
        for thread in range(len(self._program.threads)):
            for place, call, point, path in self._all_returns(thread):
                if path.violated is None:
                    question = self._question()
                    before, after = self._returned(question, "t", place, call, point, path)
                    texts = {**before, **self._shared_after(after)}
                    texts |= self._locals_after(after, path.after[0], "@.0.")
                    self._keeps(question, (thread, path.after[0]), texts)

    def steps_of_others(self) -> None:
        """Obligation 5."""
        steps = list(self._steps())
        for thread, point in self._shape.formulas:
            _, variables = self._symbols.function((thread, point))
            for step in steps:
                if step.touched.isdisjoint(variables) or not self._are_two(thread, step.thread):
                    continue
                question = self._question()
                texts = question.frame("t", point, question.own("t"))
                question.holds((thread, point), texts)
                shared = step.asked(question, "e")
                self._keeps(question, (thread, point), {**texts, **shared})

    def nothing_bad(self, bad: Sequence[Bad]) -> None:
        """Obligation 6."""
        first_violation = self._program.layout.violation(0)
        for each in bad:
            if each[0][1] >= first_violation:
                ((thread, point),) = each
                self._no_violation(thread, point - first_violation)
                continue
            if len(each) == 2 and not self._are_two(each[0][0], each[1][0]):
                continue
            question = self._question()
            for role, (thread, point) in zip("te", each, strict=False):
                texts = question.frame(role, point, question.own(role))
                question.holds((thread, point), texts)
            self._refute(question, "a bad state is in it")

    def _no_violation(self, thread: int, assertion: int) -> None:
        for place, path in self._all_paths():
            if place[0] == thread and path.violated == assertion:
                question = self._question()
                self._moved(question, "t", place, path)
                self._refute(question, "an assertion may be violated")
        for place, call, point, path in self._all_returns(thread):
            if path.violated == assertion:
                question = self._question()
                self._returned(question, "t", place, call, point, path)
                self._refute(question, "an assertion may be violated")

    def _steps(self) -> Iterator[_Step]:
        """All steps that may change the shared state."""
        for place, path in self._all_paths():
            touched = _touched(path)
            if path.violated is None and touched:
                yield _Step(place[0], touched, self._single(place, path))
        for thread in range(len(self._program.threads)):
            for place, call, point, path in self._all_returns(thread):
                touched = _touched(path)
                if path.violated is None and touched:
                    yield _Step(thread, touched, self._pair(place, call, point, path))

    def _single(self, place: Place, path: Path) -> Callable[[_Question, str], Texts]:
        def asked(question: _Question, role: str) -> Texts:
            _, after = self._moved(question, role, place, path)
            return self._shared_after(after)

        return asked

    def _pair(
        self, place: Place, call: Path, point: int, path: Path
    ) -> Callable[[_Question, str], Texts]:
        def asked(question: _Question, role: str) -> Texts:
            _, after = self._returned(question, role, place, call, point, path)
            return self._shared_after(after)

        return asked

    def _all_paths(self) -> Iterator[tuple[Place, Path]]:
        """The paths from every place, with one frame."""
        for thread, point in self._shape.formulas:
            for path in self._paths.of(thread, (point,)):
                self._patience.spend(100)
                yield (thread, point), path

    def _all_returns(self, thread: int) -> list[tuple[Place, Path, int, Path]]:
        """All ways back from a call: the place from which it was made, the path with the call,
        where the path back begins, and that path."""
        if thread not in self._returns:
            self._returns[thread] = [
                (place, call, point, path)
                for place, call in self._all_paths()
                if place[0] == thread and call.violated is None and len(call.after) == 2
                for point, path in self._shape.returning(call, thread)
            ]
        return self._returns[thread]

    def _moved(
        self, question: _Question, role: str, place: Place, path: Path
    ) -> tuple[dict[str, str], Callable[[str], str]]:
        """Add that a thread takes a path from a place; the variables of the place, and what those
        of the path are after it."""
        texts = question.frame(role, place[1], question.own(role))
        question.holds(place, texts)
        return texts, question.taken(role, path, _path_names(texts))

    def _returned(
        self, question: _Question, role: str, place: Place, call: Path, point: int, path: Path
    ) -> tuple[dict[str, str], Callable[[str], str]]:
        """Add that a thread comes back from a call; the variables of the caller's frame, and what
        those of the path are after it."""
        own, shape = question.own(role), self._shape
        caller = f"{role} calls"
        then = {
            name: question.symbol(f"{caller}:{name}", values)
            for name, values in shape.shared.items()
        }
        texts = question.frame(caller, place[1], own, then)
        question.holds(place, texts)
        called = question.taken(caller, call, _path_names(texts))
        inside = question.frame(role, point, own)
        begun = {f"first.{name}": called(name) for name in shape.shared}
        begun |= {f"first.l.{name}": called(f"@.1.{name}") for name in shape.given(point)}
        question.holds((place[0], point), {**inside, **begun})
        before = {**question.shared, "@.self": own}
        before |= {f"@.1.{name}": inside[f"l.{name}"] for name in shape.locals(point)}
        before |= {f"@.0.{name}": called(f"@.0.{name}") for name in shape.locals(call.after[1])}
        return texts, question.taken(f"{role} returns", path, before)

    def _after(
        self, before: dict[str, str], after: Callable[[str], str], path: Path, thread: int
    ) -> dict[str, str]:
        """The variables after a path with one frame: of the same activation, or of the next."""
        texts = {**before, **self._shared_after(after)}
        depth = f"@.{len(path.after) - 1}."
        texts |= self._locals_after(after, path.after[0], depth)
        waited = path.before == (self._program.layout.waiting,)
        return self._begun(texts, path.after[0]) if len(path.after) > 1 or waited else texts

    def _begun(self, texts: dict[str, str], point: int) -> dict[str, str]:
        """The variables of an activation that begins now."""
        first = {f"first.{name}": texts[name] for name in self._shape.shared}
        given = {f"first.l.{name}": texts[f"l.{name}"] for name in self._shape.given(point)}
        return {**texts, **first, **given}

    def _shared_after(self, after: Callable[[str], str]) -> dict[str, str]:
        return {name: after(name) for name in self._shape.shared}

    def _locals_after(self, after: Callable[[str], str], point: int, depth: str) -> dict[str, str]:
        return {f"l.{name}": after(f"{depth}{name}") for name in self._shape.locals(point)}

    def _are_two(self, one: int, other: int) -> bool:
        """Whether there may be two different threads of these types."""
        return one != other or self._program.threads[one].count != 1

    def _keeps(self, question: _Question, place: Place, texts: Texts) -> None:
        question.add(f"(not {question.formula(place, texts)})")
        text = "waiting for its creation"
        location = self._program.layout.location(place[1])
        if location is not None:
            text = f"at {location.text or 'a place without a statement'}"
            text += f" ({location.position.short})"
        self._refute(
            question, f"a step leads out of it where a thread {self._name(place[0])} is {text}"
        )

    def _question(self) -> _Question:
        return _Question(self._shape, self._symbols)

    def _name(self, thread: int) -> str:
        return self._program.threads[thread].name

    def _refute(self, question: _Question, problem: str) -> None:
        """Return if the solver finds that something cannot be."""
        self._patience.ask()
        answer = self._solver.answer(question.text())
        if answer == "sat":
            raise EvidenceError(f"the summaries prove nothing: {problem}")
        if answer != "unsat":
            if self._solver.trouble:
                raise CheckStopped(self._solver.trouble)
            raise CheckStopped(f"the solver does not know whether {problem}")


def _touched(path: Path) -> frozenset[str]:
    return frozenset(name for name in path.changed if not name.startswith("@."))


def _path_names(texts: Texts) -> dict[str, str]:
    """The variables of a formula by the names that they have on a path from its place."""
    found = {}
    for name, text in texts.items():
        if name == "self":
            found["@.self"] = text
        elif name.startswith("l."):
            found[f"@.0.{name.removeprefix('l.')}"] = text
        else:
            found[name] = text
    return found


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
