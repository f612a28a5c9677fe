"""The actions of statements: assignments, arguments, results, and what `enforce` adds to all of
them."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.expressions import Values, chooses, kind_of_type, kind_text
from tepui.languages.boolean.hints import THREAD_VARIABLE
from tepui.languages.boolean.scope import Scope, Signature
from tepui.program.expressions import TRUE, Choice, Expression, Variable, after_step, conjunction
from tepui.program.program import Assignment, Edge, Element, Position, Step, Target, scalar_of
from tepui.program.types import THREAD, Scalar
from tepui.records import replace
from tepui.words import plural, shown


class Actions:
    """Translates the parts of statements inside one procedure."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.values = Values(scope)

    def assigned(
        self, statement: syntax.Assign | syntax.Dead
    ) -> tuple[tuple[Assignment, ...], Expression]:
        """The assignments of a step, and its constraint."""
        if isinstance(statement, syntax.Dead):
            dead = [self._chosen(name) for name in statement.variables]
            return tuple(Assignment(target, Choice(scalar_of(target))) for target in dead), TRUE
        self._require(statement.position, statement.targets, statement.values, "value")
        targets = [self._target(target) for target in statement.targets]
        if statement.compound and isinstance(targets[0], Element) and chooses(targets[0].index):
            raise self._error(
                statement.position,
                "expected an index without '*', because it is evaluated twice here",
            )
        assignments = tuple(
            Assignment(target, self.values.value(value, scalar_of(target)))
            for target, value in zip(targets, statement.values, strict=True)
        )
        self._warn_of_repetition(statement.position, targets)
        if statement.constraint is None:
            return assignments, TRUE
        return assignments, self.values.constraint(statement.constraint)

    def arguments(
        self, callee: Signature, statement: syntax.Call | syntax.ThreadCreate | syntax.Async
    ) -> tuple[Expression, ...]:
        """The arguments of a call."""
        place, purpose = statement.procedure.position, f" for '{shown(callee.name)}'"
        self._require(place, callee.parameters, statement.arguments, "argument", purpose)
        return tuple(
            self.values.value(argument, parameter.scalar)
            for argument, parameter in zip(statement.arguments, callee.parameters, strict=True)
        )

    def result_targets(
        self, callee: Signature, statement: syntax.Call
    ) -> tuple[Target | None, ...]:
        """The targets of the results of a call; None for results that are ignored."""
        if not statement.targets:
            return (None,) * len(callee.results)
        if not callee.results:
            raise self._error(
                statement.procedure.position,
                f"expected a procedure with results, found '{shown(callee.name)}', "
                "which returns nothing",
            )
        purpose = f" for what '{shown(callee.name)}' returns"
        place = statement.position
        self._require(place, callee.results, statement.targets, "variable", purpose)
        return tuple(map(self._result_target, statement.targets, callee.results))

    def identity(self, statement: syntax.Async) -> Variable | None:
        """The variable that names a new thread, if there is one."""
        if not statement.targets:
            return None
        purpose = " that names a thread"
        self._require(statement.position, (None,), statement.targets, "variable", purpose)
        target = self._result_target(statement.targets[0], THREAD)
        assert target is None or isinstance(target, Variable)
        return target

    def returned(self, statement: syntax.Return) -> tuple[Expression, ...]:
        """The values of a return statement."""
        results = self._scope.signature.results
        purpose = f" to return from '{shown(self._scope.signature.name)}'"
        self._require(statement.position, results, statement.values, "value", purpose)
        return tuple(map(self.values.value, statement.values, results))

    def _target(self, node: syntax.Target) -> Target:
        if isinstance(node, syntax.Ignored):
            raise self._error(
                node.position, "expected a variable, found '_', which only ignores a call's result"
            )
        return self.values.target(node)

    def _result_target(self, node: syntax.Target, result: Scalar) -> Target | None:
        if isinstance(node, syntax.Ignored):
            return None
        target = self.values.target(node)
        if kind_of_type(scalar_of(target)) != kind_of_type(result):
            raise self._error(node.position, _wrong_target(node, target, result))
        return target

    def _chosen(self, node: syntax.Name) -> Target:
        """A variable that may get any value."""
        target = self.values.target(node)
        if scalar_of(target) == THREAD:
            raise self._error(
                node.position,
                f"expected variables that can have any value, found '{shown(node.name)}', "
                "which is a thread",
            )
        return target

    def _require(
        self,
        position: Position,
        expected: Sequence[object],
        found: Sequence[object],
        what: str,
        purpose: str = "",
    ) -> None:
        """There must be as many as expected."""
        count = len(expected)
        if count != len(found):
            wanted = f"{count or 'no'} {plural(count, what)}{purpose}"
            raise self._error(position, f"expected {wanted}, found {len(found) or 'none'}")

    def _warn_of_repetition(self, position: Position, targets: Sequence[Target]) -> None:
        for index, target in enumerate(targets):
            if isinstance(target, Variable) and target in targets[:index]:
                self._scope.names.warn(
                    position, f"'{shown(target.name)}' is assigned twice; the last value counts"
                )

    def _error(self, position: Position, message: str) -> InputError:
        return self._scope.names.error(position, message)


def enforced(edges: Sequence[Edge], conditions: Sequence[Expression]) -> list[Edge]:
    """The edges of a procedure whose body begins with `enforce`: the conditions hold before every
    edge, and after every step."""
    changed = list(edges)
    for condition in conditions:
        after = after_step(condition)
        for index, edge in enumerate(changed):
            edge = replace(edge, guard=conjunction(edge.guard, condition))
            if isinstance(edge, Step):
                edge = replace(edge, constraint=conjunction(edge.constraint, after))
            changed[index] = edge
    return changed


def _wrong_target(node: syntax.Name | syntax.Index, target: Target, wanted: Scalar) -> str:
    kind = kind_text(kind_of_type(wanted))
    return (
        f"expected {THREAD_VARIABLE if wanted == THREAD else f'a variable for {kind}'}, "
        f"found '{shown(node.name)}', which is {kind_text(kind_of_type(scalar_of(target)))}"
    )
