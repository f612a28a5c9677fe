"""Affine relations between the variables of a program (WPDS, sections 4.2.1 and 4.4, appendix B).

Only assignments (see `affine_rules`) that matter for what is shown are counted: those to global
variables, to the local variables of the procedure in question, and to whatever these are computed
from. Every relation that is found holds in every run within the bound. For a program whose
assignments are affine and whose conditions are choices, no other relation holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from tepui.errors import UsageError
from tepui.limits import Limits
from tepui.parameter_names import given
from tepui.program.expressions import TRUE, Choice, Constant, Variable
from tepui.program.program import Assert, Program, Step, refuse_forks
from tepui.program.types import Array, Bounded
from tepui.program.validate import validate
from tepui.weighted.configurations import Configurations
from tepui.weighted.contexts import Threads, context_bounded
from tepui.weighted.dataflow.affine_forms import Form, Key, may_block
from tepui.weighted.dataflow.affine_rules import (
    At,
    Local,
    Move,
    Moves,
    State,
    Symbol,
    Unknown,
    created_sets,
    takes_part,
)
from tepui.weighted.dataflow.answers import AffineRelation, AffineRelations
from tepui.weighted.dataflow.query import Query
from tepui.weighted.domains import Affine
from tepui.weighted.domains.linear import Basis, Vector, canonical
from tepui.weighted.system import WeightedRule, WeightedSystem

MOST_VARIABLES = 40
"""With more, matrices of order n + 1 and spaces of up to (n + 1)² of them are out of reach."""

CONDITIONS = "conditions are not interpreted: what is printed holds, but more may"


def affine_relations(
    program: Program,
    query: Query,
    contexts: int,
    modulus: int | None = None,
    limits: Limits | None = None,
) -> AffineRelations:
    """The relations that hold where a query asks."""
    refuse_forks(program)
    validate(program)
    analysis = _Analysis(program, query, contexts, modulus)
    return analysis.answer(limits)


@dataclass
class _Analysis:
    program: Program
    query: Query
    contexts: int
    modulus: int | None

    def __post_init__(self) -> None:
        threads = range(len(self.program.thread_types))
        self.alone = len(threads) == 1
        self.shown = self._shown()
        self.merging = self._may_merge()
        self.threads = [self._thread(thread, merging=self.merging) for thread in threads]
        self.moves = [list(thread.all()) for thread in self.threads]
        self.keys = self._numbered(self._that_matter())
        self.domain = Affine(
            len(self.keys),
            self.modulus,
            sum(isinstance(key, Local) for key in self.keys) if self.merging else 0,
        )

    def answer(self, limits: Limits | None) -> AffineRelations:
        weight = context_bounded(
            Threads(
                tuple(map(self._system, self.moves)),
                frozenset(state for state in self._states() if state.may_switch),
            ),
            [self._start(thread) for thread in self.threads],
            [self._target(number) for number in range(len(self.threads))],
            self.contexts,
            limits,
        )
        return AffineRelations(
            self.query.text,
            self.contexts,
            weight != self.domain.zero,
            tuple(self._notes()),
            tuple(self.shown.values()),
            self.modulus,
            tuple(self._relations(weight)),
        )

    def _may_merge(self) -> bool:
        """Whether calls can merge, and whether that makes a difference. They can if no thread is
        interrupted and resumed within a call. It makes a difference only for recursion, which needs
        more than one copy."""
        if self.contexts > 2 and not self.alone:
            return False
        return any(
            Unknown.LOST in move.assigned.values()
            for thread in range(len(self.program.thread_types))
            for move in self._thread(thread, merging=False).all()
        )

    def _thread(self, thread: int, *, merging: bool) -> Moves:
        return Moves(self.program, thread, self.modulus, self.shown, merging=merging)

    def _shown(self) -> dict[Key, str]:
        """The variables that the answer is about, with their names."""
        shown: dict[Key, str] = {v: v.name for v in self.program.globals if takes_part(v)}
        layout = self.program.layout
        taken = {variable.name for variable in self.program.globals}
        number, _ = layout.locations[min(self.query.tops[0])]
        procedure = self.program.procedures[number]
        for variable in procedure.variables:
            if takes_part(variable) and "." not in variable.name:
                hides = variable.name in taken
                name = f"{procedure.name}.{variable.name}" if hides else variable.name
                shown[Local(self.query.thread, variable)] = name
        return shown

    def _that_matter(self) -> list[Key]:
        """The variables that are shown, and all that flow into them."""
        sources: dict[Key, set[Key]] = {}
        for moves in self.moves:
            for move in moves:
                for key, form in move.assigned.items():
                    if isinstance(form, Form):
                        sources.setdefault(key, set()).update(form.coefficients)
        found = dict.fromkeys(self.shown)
        waiting = list(found)
        while waiting:
            for key in sorted(sources.get(waiting.pop(), ()), key=repr):
                if key not in found:
                    found[key] = None
                    waiting.append(key)
        return list(found)

    def _numbered(self, keys: Iterable[Key]) -> dict[Key, int]:
        """The numbers of the variables; local ones come last, as merging requires."""
        ordered = sorted(keys, key=lambda key: isinstance(key, Local))
        if len(ordered) > MOST_VARIABLES:
            raise UsageError(
                f"{self.program.name}: {len(ordered)} variables matter here, and affine relations "
                f"between more than {MOST_VARIABLES} are too costly to find"
            )
        return {key: number for number, key in enumerate(ordered, 1)}

    def _system(self, moves: list[Move]) -> WeightedSystem[Basis]:
        """The moves of a thread with their weights; equal rules become one, with the combined
        weight."""
        weights: dict[tuple[State, Symbol, State, tuple[Symbol, ...], bool], Basis] = {}
        for move in moves:
            rule = move.state, move.symbol, move.target, move.word, move.merges
            weight = self._weight(move)
            old = weights.get(rule)
            weights[rule] = weight if old is None else self.domain.combine(old, weight)
        return WeightedSystem.of(
            self.domain,
            (
                WeightedRule(state, symbol, target, word, weight, merges)
                for (state, symbol, target, word, merges), weight in weights.items()
            ),
        )

    def _weight(self, move: Move) -> Basis:
        assigned = {
            self.keys[key]: self._vector(form) if isinstance(form, Form) else None
            for key, form in move.assigned.items()
            if key in self.keys
        }
        return self.domain.statement(assigned)

    def _vector(self, form: Form) -> list[int]:
        vector = [0] * (len(self.keys) + 1)
        vector[0] = form.constant
        for key, factor in form.coefficients.items():
            vector[self.keys[key]] = factor
        return vector

    def _start(self, thread: Moves) -> Configurations:
        return Configurations.of((self._first_state(), (thread.start(),)))

    def _first_state(self) -> State:
        return State(False, False, created_sets(self.program)[0])

    def _target(self, number: int) -> Configurations:
        """All stacks that a thread may have whenever it is observed."""
        seen = [state for state in self._states() if state.is_seen]
        symbols = dict.fromkeys(
            symbol for move in self.moves[number] for symbol in (move.symbol, *move.word)
        )
        symbols[self.threads[number].start()] = None
        tops: list[list[Symbol]] = []
        if number == self.query.thread:
            tops = [[At(point) for point in sorted(points)] for points in self.query.tops]
        return Configurations.topped(seen, tops, symbols)

    def _states(self) -> list[State]:
        found = {self._first_state(): None}
        for moves in self.moves:
            for move in moves:
                found |= {move.state: None, move.target: None}
        return list(found)

    def _relations(self, weight: Basis) -> Iterable[AffineRelation]:
        if weight == self.domain.zero:
            return
        others: dict[int, None] = {n: None for k, n in self.keys.items() if k not in self.shown}
        shown = self.domain.extend(weight, self.domain.statement(others))
        names = {number: self.shown[key] for key, number in self.keys.items() if key in self.shown}
        for relation in _readable(self.domain, self.domain.holding(shown, self._initial())):
            yield AffineRelation(
                {names[n]: factor for n, factor in enumerate(relation) if n and factor},
                relation[0],
                self.modulus,
            )

    def _initial(self) -> list[int | None]:
        """The initial values of the variables; 0 for those that are assigned before they are
        read."""
        values: list[int | None] = [0] * len(self.keys)
        for key, number in self.keys.items():
            if isinstance(key, Variable):
                values[number - 1] = key.initial
        for thread in self.threads:
            for key, form in thread.initial().items():
                if key in self.keys:
                    values[self.keys[key] - 1] = form.constant if isinstance(form, Form) else None
        return values

    def _notes(self) -> Iterable[str]:
        """What the answer does not take into account."""
        if self._has_conditions():
            yield CONDITIONS
        if self.program.lock is not None:
            yield f"that {self.program.lock.name} locks out other threads is not interpreted"
        lost: dict[tuple[str, str], None] = {}
        for moves in self.moves:
            for move in moves:
                location = None if move.point is None else self.program.layout.location(move.point)
                if location is not None:
                    place = f"{location.position.short} {location.text}".strip()
                    lost |= {(why, place): None for why in self._reasons(move)}
        for why, place in lost:
            yield f"{why}, so what is assigned is taken as unknown: {place}"
        if any(self._loses(move, Unknown.LOST) for moves in self.moves for move in moves):
            yield (
                "local variables of recursive procedures are taken as unknown after a call that "
                "may lead back to them"
            )

    def _reasons(self, move: Move) -> Iterable[str]:
        """Why variables get unknown values that they do not get on purpose."""
        for key, form in move.assigned.items():
            if key in self.keys and form == Unknown.NOT_AFFINE:
                yield "not affine"
            elif key in self.keys and form == Unknown.OUTSIDE:
                yield _outside(key)

    def _loses(self, move: Move, why: Unknown) -> bool:
        return any(form == why and key in self.keys for key, form in move.assigned.items())

    def _has_conditions(self) -> bool:
        """Whether a step of a thread depends on a condition, or may block because a value is
        outside a range or an index outside an array."""
        variables = [
            *self.program.globals,
            *(v for p in self.program.procedures for v in p.variables),
        ]
        if any(isinstance(v.type, Array) or may_block(v.scalar) for v in variables):
            return True
        return any(
            not isinstance(edge.guard, Constant | Choice)
            or (isinstance(edge, Step) and edge.constraint != TRUE)
            or (isinstance(edge, Assert) and edge.condition != TRUE)
            for procedure in self.program.procedures
            for edge in procedure.edges
        )


def _readable(domain: Affine, relations: Basis) -> Iterable[Vector]:
    """Equivalent relations that are easier to read. Modulo a number, a canonical basis may have
    relations that follow from others, and may not show that a variable is determined by others."""
    modulus = domain.modulus
    if modulus is None:
        return relations
    kept = list(relations)
    for relation in reversed(relations):
        others = [each for each in kept if each is not relation]
        if canonical(domain.scalars, others) == relations:
            kept = others
    return [_scaled(relation, modulus) for relation in kept]


def _scaled(relation: Vector, modulus: int) -> Vector:
    """An equivalent multiple in which some variable has the factor 1, if there is one."""
    if any(factor in (1, modulus - 1) for factor in relation[1:]):
        return relation
    unit = next((factor for factor in relation[1:] if gcd(factor, modulus) == 1), 1)
    return tuple(entry * pow(unit, -1, modulus) % modulus for entry in relation)


def _outside(key: Key) -> str:
    """Why nothing is known about a variable whose value may have left its range."""
    variable = key.variable if isinstance(key, Local) else key
    if not isinstance(variable, Variable):
        return "a value may be outside its range"
    scalar = variable.scalar
    declared = f"{variable.name}: {scalar}"
    if not isinstance(scalar, Bounded) or scalar.overflow != "wrap":
        return f"{declared} may reach its bound"
    helps = f" ({given('modulus', scalar.size)} helps)" if scalar.size > 1 else ""
    return f"{declared} may wrap around{helps}"
