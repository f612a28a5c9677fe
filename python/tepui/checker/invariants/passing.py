"""Points at which a thread does not stop: why that is sound, and where it may be done.

An invariant may name points that threads *pass*: what a thread does there becomes part of the path
that has led there. That is sound where it is harmless, which is seen from the text alone:

- every edge there is a step, a call or a return that reads and writes local variables only;
- some edge can always be taken: one guard is true, or two are a condition and its negation; no
  expression may block, no assignment may, and there is no constraint;
- no edge leads into an atomic section, or to a receipt that is not as harmless;
- no cycle consists of passed points only;
- no thread begins there, and nothing bad is defined by it.

**Proof.** Call a state *settled* if no thread is at a passed point. Claim: for every reachable
state there is a reachable state of the program with paths (with the same threads) that differs from
it only in threads at passed points: each of them has gone on to where it rests next, the others and
the shared state are the same. By induction over a run. No thread begins at a passed point. Consider
a step of a thread t, and a corresponding settled state before it. If t was not at a passed point,
its control stack and its locals are the same in both, and so is the shared state; the step is the
first part of a path, which is continued, if it ends at a passed point, by steps that are always
possible, see nothing but the locals of t, and come to an end, as there are no cycles. If t was at a
passed point, then in the settled state it has already gone on. Which way it went is for us to
choose, as the settled state is built for a given run: it is the way that t takes later in the run,
and any way if t takes no further step. The step changes nothing shared, so the settled state stays
as it is. Steps inside atomic sections stop nowhere, so a point that occurs in one is passed anyway.

A violation, and a thread at a point that a question names, are at no passed point, so they are in
the settled state as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tepui.errors import EvidenceError
from tepui.program.expressions import (
    TRUE,
    Choice,
    Conditional,
    Constant,
    Expression,
    Read,
    Self,
    Unary,
    Variable,
    inside,
    may_block,
    reads,
)
from tepui.program.program import Call, Edge, Procedure, Program, Receive, Return, Step, scalar_of
from tepui.program.types import INTEGER, THREAD, Bounded, Scalar
from tepui.program.walk import expressions_of

_TRUTHS = frozenset({"not", "and", "or", "implies", "xor", "=", "!=", "<", "<=", ">", ">="})
"""The operators whose results are 0 or 1."""


def check_passed(program: Program, passed: Sequence[int], named: Collection[int]) -> None:
    """Return if these points may be passed; an EvidenceError says which one may not, and why.

    `named` are the points by which bad states are defined.
    """
    layout = program.layout
    for point in passed:
        if not 0 <= point < layout.waiting:
            raise EvidenceError(f"the passed point {point} is no location of the program")
        problem = _named_problem(program, point, named) or _problem(program, point)
        if problem is not None:
            procedure = layout.procedure(point)
            assert procedure is not None
            location = layout.location(point)
            where = procedure.name if location is None else f"{procedure.name}, {location.position}"
            raise EvidenceError(f"a point of {where} cannot be passed: {problem}")
    _check_no_cycle(program, frozenset(passed))


def _named_problem(program: Program, point: int, named: Collection[int]) -> str | None:
    if point in named:
        return "it is asked about"
    for thread in program.threads:
        procedure = program.procedure_of(thread)
        start = procedure.entry if thread.start is None else thread.start
        if point == program.layout.point(program.numbers[procedure.name], start):
            return f"threads {thread.name} begin there"
    return None


def _problem(program: Program, point: int) -> str | None:
    """Why what a thread does at a point is not harmless."""
    number, at = program.layout.locations[point]
    procedure = program.procedures[number]
    if procedure.locations[at].atomic:
        return "it is inside an atomic section"
    edges = procedure.leaving[at]
    if not _is_total([edge.guard for edge in edges]):
        return "one sees no edge that can always be taken"
    for edge in edges:
        problem = _edge_problem(program, procedure, edge)
        if problem is not None:
            return problem
    return None


def _is_total(guards: Sequence[Expression]) -> bool:
    """Whether one of some guards that do not block is always true."""
    if TRUE in guards:
        return True
    return any(
        Unary("not", guard) in guards
        and not any(isinstance(part, Choice) for part in inside(guard))
        for guard in guards
    )


def _edge_problem(program: Program, procedure: Procedure, edge: Edge) -> str | None:
    """Why an edge does not do something harmless in every case in which its guard is true."""
    if not isinstance(edge, Step | Call | Return):
        return f"it has an edge of the kind {type(edge).__name__}"
    for expression in expressions_of(edge):
        if may_block(expression):
            return "an expression may block"
        if any(read.variable.procedure is None for read in reads(expression)):
            return "it reads a global variable"
    match edge:
        case Step():
            return _step_problem(procedure, edge)
        case Call():
            callee = program.by_name[edge.procedure]
            if procedure.locations[edge.target].atomic:
                return "it leads into an atomic section"
            types = [parameter.scalar for parameter in callee.variables]
            if not all(map(_always_fits, edge.arguments, types)):
                return "an argument may not fit its type"
        case Return():
            if not all(map(_always_fits, edge.values, procedure.results)):
                return "a result may not fit its type"
            if procedure.results and not all(
                _is_harmless_receipt(program, caller, receipt, procedure.results)
                for caller, receipt in _receipts(program, procedure)
            ):
                return "its results are received in another way than in local variables"
    return None


def _step_problem(procedure: Procedure, edge: Step) -> str | None:
    if edge.constraint != TRUE:
        return "a step has a constraint"
    for assignment in edge.assignments:
        target = assignment.target
        if not isinstance(target, Variable) or target.procedure is None:
            return "it assigns something else than a local variable"
        if not _always_fits(assignment.value, scalar_of(target)):
            return "an assigned value may not fit its type"
    if edge.target is not None and procedure.locations[edge.target].atomic:
        return "it leads into an atomic section"
    return None


def _always_fits(value: Expression, scalar: Scalar) -> bool:
    """Whether a variable of a type can be given every value of an expression."""
    if _is_open(scalar):
        return True
    low, high = scalar.low, scalar.low + scalar.size - 1
    match value:
        case Constant():
            return low <= value.value <= high
        case Choice():
            return _is_within(value.type, low, high)
        case Read():
            return _is_within(value.variable.scalar, low, high)
        case Conditional():
            return _always_fits(value.then, scalar) and _always_fits(value.otherwise, scalar)
        case Self():
            return False
    operator = getattr(value, "operator", None)
    return operator in _TRUTHS and low <= 0 and high >= 1


def _is_open(scalar: Scalar) -> bool:
    """Whether a type takes every value."""
    if scalar in (INTEGER, THREAD):
        return True
    return isinstance(scalar, Bounded) and scalar.overflow != "block"


def _is_within(scalar: Scalar, low: int, high: int) -> bool:
    """Whether all values of a type are in a range."""
    if scalar in (INTEGER, THREAD):
        return False
    return low <= scalar.low and scalar.low + scalar.size - 1 <= high


def _receipts(program: Program, callee: Procedure) -> Iterator[tuple[Procedure, Sequence[Edge]]]:
    """For each call outside atomic sections: the caller, and what receives the results."""
    for caller, edge in _calls(program, callee):
        if not caller.locations[edge.target].atomic:
            yield caller, caller.leaving[edge.target]


def _is_harmless_receipt(
    program: Program, caller: Procedure, edges: Sequence[Edge], results: Sequence[Scalar]
) -> bool:
    if not any(edge.guard == TRUE for edge in edges):
        return False
    for edge in edges:
        if not isinstance(edge, Receive) or edge.guard != TRUE:
            return False
        if edge.target is not None and caller.locations[edge.target].atomic:
            return False
        for target, result in zip(edge.targets, results, strict=True):
            if target is None:
                continue
            if not isinstance(target, Variable) or target.procedure is None:
                return False
            if not _always_fits(Choice(result), target.scalar):
                return False
    return True


def _calls(program: Program, callee: Procedure) -> Iterator[tuple[Procedure, Call]]:
    for caller in program.procedures:
        for edge in caller.edges:
            if isinstance(edge, Call) and edge.procedure == callee.name:
                yield caller, edge


def _check_no_cycle(program: Program, passed: frozenset[int]) -> None:
    """Refuse passed points from which a thread could go on for ever."""
    followers = {point: _followers(program, point) & passed for point in passed}
    while followers:
        last = [point for point, after in followers.items() if not after & followers.keys()]
        if not last:
            raise EvidenceError("some passed points form a cycle")
        for point in last:
            del followers[point]


def _followers(program: Program, point: int) -> frozenset[int]:
    """The points to which edges lead, receipts included."""
    layout = program.layout
    number, at = layout.locations[point]
    procedure = program.procedures[number]
    found: set[int] = set()
    for edge in procedure.leaving[at]:
        if isinstance(edge, Call):
            callee = program.numbers[edge.procedure]
            found.add(layout.point(callee, program.procedures[callee].entry))
        elif isinstance(edge, Step) and edge.target is not None:
            found.add(layout.point(number, edge.target))
        else:
            found |= _behind_calls(program, procedure)
    return frozenset(found)


def _behind_calls(program: Program, callee: Procedure) -> set[int]:
    """Where callers of a procedure go on, behind the receipt of its results."""
    layout, found, work = program.layout, set[int](), [callee]
    looked_at = {callee.name}
    while work:
        for caller, call in _calls(program, work.pop()):
            number = program.numbers[caller.name]
            found.add(layout.point(number, call.target))
            for edge in caller.leaving[call.target]:
                if not isinstance(edge, Receive):
                    continue
                if edge.target is not None:
                    found.add(layout.point(number, edge.target))
                elif caller.name not in looked_at:
                    looked_at.add(caller.name)
                    work.append(caller)
    return found
