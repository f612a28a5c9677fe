"""Spacer, the solver for Horn clauses in z3, asked for an invariant.

The clauses are those of the keys that elimination met: it leaves out a key only if no step leads
to it. What elimination knows about a key may be given to Spacer as a premise, as it holds anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import z3

from tepui.horn.clauses import Atom, Clause, Clauses, Key
from tepui.horn.elimination import Elimination
from tepui.horn.linear_terms import Formula, at_most, conjunction
from tepui.horn.valuing import Refused
from tepui.horn.z3_terms import Translation, read_formula

Answer = Literal["proved", "refuted", "unknown"]

DEFAULTS: Mapping[str, bool | int] = {
    "fp.spacer.global": False,
    "fp.spacer.random_seed": 0,
    "fp.xform.inline_eager": False,
    "fp.xform.inline_linear": False,
    "fp.xform.slice": True,
    "fp.spacer.order_children": 0,
    "fp.spacer.ground_pobs": True,
    "fp.spacer.use_bg_invs": False,
}
"""Inlining may give invariants with quantifiers, which no other solver likes."""


class Spacer:
    """Asks Spacer about clauses that elimination has closed."""

    def __init__(self, elimination: Elimination, *, lemmas: bool) -> None:
        self._elimination = elimination
        self._clauses: Clauses = elimination.clauses
        self._lemmas = lemmas
        self._translation = Translation()
        self._predicates: dict[Key, Any] = {}
        self._found: dict[Key, Formula] = {}
        self.reason = ""
        """Why the answer is unknown."""

    def run(self, settings: Mapping[str, bool | int], seconds: float) -> Answer:
        """Ask, with some settings, for at most some time."""
        for name, value in {**DEFAULTS, **settings}.items():
            z3.set_param(name, value)
        solver = z3.SolverFor("HORN")
        solver.set("timeout", max(1, int(seconds * 1000)))
        for clause in self._elimination.all_clauses():
            solver.add(self._formula(clause))
        result = solver.check()
        if result == z3.unsat:
            return "refuted"
        if result != z3.sat:
            self.reason = solver.reason_unknown()
            return "unknown"
        try:
            self._read(solver.model())
        except Refused as reason:
            self.reason = str(reason)
            return "unknown"
        return "proved"

    def formula(self, key: Key) -> Formula:
        """The invariant of a key. What elimination knows is part of it: that says which steps do
        not exist."""
        return conjunction((self._found.get(key, True), self._elimination.formula(key)))

    def _formula(self, clause: Clause) -> Any:
        body = [self._atom(atom) for atom in clause.body]
        facts: list[Formula] = list(clause.conditions)
        for name, (low, high) in clause.ranges.items():
            facts += [] if low is None else [at_most(low, name)]
            facts += [] if high is None else [at_most(name, high)]
        if self._lemmas:
            facts += [self._elimination.formula_of(atom) for atom in clause.body]
        body += [self._translation.formula(each) for each in facts if each is not True]
        head = z3.BoolVal(False) if clause.head is None else self._atom(clause.head)
        formula = z3.Implies(z3.And(body), head)
        free = free_variables(formula)
        return z3.ForAll(free, formula) if free else formula

    def _atom(self, atom: Atom) -> Any:
        names = self._clauses.parameters(atom.key)
        return self._predicate(atom.key)(
            *(self._translation.term(atom.terms.get(name, name)) for name in names)
        )

    def _predicate(self, key: Key) -> Any:
        if key not in self._predicates:
            sorts = [z3.IntSort()] * len(self._clauses.parameters(key))
            name = f"invariant.{len(self._predicates)}"
            self._predicates[key] = z3.Function(name, *sorts, z3.BoolSort())
        return self._predicates[key]

    def _read(self, model: Any) -> None:
        for key, predicate in self._predicates.items():
            names = self._clauses.parameters(key)
            found = model[predicate]
            if found is None:
                continue
            body = found.else_value() if isinstance(found, z3.FuncInterp) else found
            body = z3.substitute_vars(body, *map(z3.Int, names))
            self._found[key] = read_formula(body, {name: name for name in names})


def free_variables(formula: Any) -> list[Any]:
    """The variables of a formula of z3."""
    found: dict[str, Any] = {}
    met: set[int] = set()
    unread = [formula]
    while unread:
        each = unread.pop()
        if each.get_id() not in met:
            met.add(each.get_id())
            if z3.is_const(each) and each.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[str(each)] = each
            unread += each.children()
    return [found[name] for name in sorted(found)]
