"""The names that a Boolean program declares: global and local variables, members of enumerations,
and procedures.

A local variable hides a global one. Members of enumerations are known everywhere, no matter where
their type is written, so nothing else may have their name. Procedures have a name space of their
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.errors import InputError, alone, together
from tepui.languages.boolean import syntax
from tepui.languages.boolean.hints import procedure_hint, variable_hint
from tepui.languages.boolean.syntax import Declaration, SyntaxTree
from tepui.languages.source import Source
from tepui.program.expressions import Variable
from tepui.program.program import Position
from tepui.program.types import (
    INTEGER,
    THREAD,
    Array,
    Boolean,
    Bounded,
    Enumeration,
    Integer,
    Scalar,
    Type,
)
from tepui.records import field, mutable_record, record
from tepui.words import listed, plural, shown


@record
class Signature:
    """A procedure as its callers see it, with its local variables and its syntax."""

    syntax: syntax.Procedure
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]

    @property
    def name(self) -> str:
        return self.syntax.name

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (*self.parameters, *self.locals)

    @property
    def results(self) -> tuple[Scalar, ...]:
        return self.syntax.results


class FollowUp(InputError):  # noqa: N818 - it is no error of its own
    """An error that follows from another one, and is not shown."""


class Complaints:
    """All errors of a text. As a context, it notes the error that ends it."""

    def __init__(self, errors: Iterable[InputError]) -> None:
        self.errors = list(errors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, InputError) and not isinstance(error, FollowUp):
            self.errors.append(alone(error))
        return isinstance(error, InputError)

    def raise_all(self) -> None:
        """Raise what was noted, if anything was."""
        if self.errors:
            raise together(self.errors)


@mutable_record
class Declarations:
    """Everything that a program declares."""

    source: Source
    complaints: Complaints
    doubtful: set[str]
    """The names about which nobody complains: they may be declared where the text is broken, or
    somebody has complained already."""
    globals: dict[str, Variable] = field(default_factory=dict)
    members: dict[str, Enumeration] = field(default_factory=dict)
    procedures: dict[str, Signature] = field(default_factory=dict)
    warned: dict[str, list[Position]] = field(default_factory=dict)
    """The oddities of the program, each with its places."""
    keywords: frozenset[str] = frozenset()

    def error(self, position: Position, message: str) -> InputError:
        return self.source.error(position.line, position.column, message)

    def unknown(self, name: str, position: Position, message: str) -> InputError:
        """The error about a name that is not known: the first one about this name."""
        error = self.error(position, message)
        if name in self.doubtful:
            return FollowUp(error.source, error.line, error.column, message)
        self.doubtful.add(name)
        return error

    def warn(self, position: Position, message: str) -> None:
        places = self.warned.setdefault(message, [])
        if position not in places:
            places.append(position)

    @property
    def warnings(self) -> list[str]:
        """A sentence for each oddity, with its first place and the number of other places."""
        return [
            f"{places[0]}: {message}{_elsewhere(places[1:])}"
            for message, places in self.warned.items()
        ]

    def procedure(self, name: syntax.Name) -> Signature:
        """The procedure that is called or run."""
        if name.name not in self.procedures:
            hint = procedure_hint(name.name, self.procedures, self.keywords)
            found = f"expected a procedure, found '{shown(name.name)}'{hint}"
            raise self.unknown(name.name, name.position, found)
        return self.procedures[name.name]


def _elsewhere(places: Sequence[Position]) -> str:
    if not places:
        return ""
    lines = listed((str(place.line) for place in places), most=3)
    return f" (also on {plural(len(places), 'line')} {lines})"


@record
class Scope:
    """The names that are known inside a procedure."""

    names: Declarations
    signature: Signature
    locals: dict[str, Variable]

    def variable(self, name: str, position: Position) -> Variable:
        found = self.locals.get(name) or self.names.globals.get(name)
        if found is None:
            message = f"expected a variable, found {self._unknown(name)}"
            raise self.names.unknown(name, position, message)
        return found

    def member(self, name: str) -> Enumeration | None:
        """The enumeration that has this member."""
        return self.names.members.get(name)

    def _unknown(self, name: str) -> str:
        """What a name is if it is not a variable."""
        if name in self.names.procedures:
            return f"the procedure '{shown(name)}'"
        if name in self.names.members:
            return f"'{shown(name)}', a member of {self.names.members[name]}"
        if name.endswith("$") and name[:-1] in {**self.locals, **self.names.globals}:
            return (
                f"'{shown(name)}', the passive threads' copy of '{shown(name[:-1])}'; "
                "tepui does not support passive copies"
            )
        known = [*self.locals, *self.names.globals, *self.names.members]
        hint = variable_hint(name, known, self.names.keywords)
        return f"'{shown(name)}', which is not declared{hint}"


def declare(tree: SyntaxTree) -> Declarations:
    """All the names of a program; each may be declared once in its place."""
    complaints = Complaints(tree.errors)
    names = Declarations(tree.source, complaints, set(tree.doubtful), keywords=tree.keywords)
    for position, type_ in _types(tree):
        with complaints:
            _declare_members(names, position, type_)
    names.globals = _variables(names, tree.globals, None)
    first: dict[str, Position] = {}
    for procedure in tree.procedures:
        with complaints:
            _once(names, first, procedure.position, procedure.name, "procedure")
            names.procedures[procedure.name] = _signature(names, procedure)
    return names


def scope_of(names: Declarations, signature: Signature) -> Scope:
    """The names that are known inside a procedure."""
    return Scope(names, signature, {variable.name: variable for variable in signature.variables})


def _types(tree: SyntaxTree) -> Iterator[tuple[Position, Type]]:
    """All types that are written somewhere."""
    for declaration in tree.globals:
        yield declaration.position, declaration.type
    for procedure in tree.procedures:
        for result in procedure.results:
            yield procedure.position, result
        for declaration in (*procedure.parameters, *procedure.locals):
            yield declaration.position, declaration.type


def _declare_members(names: Declarations, position: Position, type_: Type) -> None:
    scalar = type_.element if isinstance(type_, Array) else type_
    if not isinstance(scalar, Enumeration):
        return
    for member in scalar.members:
        known = names.members.setdefault(member, scalar)
        if known != scalar:
            raise names.error(
                position,
                f"expected new members, but '{shown(member)}' is already a member of {known}",
            )


def _signature(names: Declarations, procedure: syntax.Procedure) -> Signature:
    for parameter in procedure.parameters:
        if isinstance(parameter.type, Array):
            names.complaints.errors.append(
                names.error(
                    parameter.position,
                    f"expected a single value, found the array '{shown(parameter.name)}'; "
                    "arrays cannot be passed",
                )
            )
    declarations = (*procedure.parameters, *procedure.locals)
    variables = tuple(_variables(names, declarations, procedure.name).values())
    count = len(procedure.parameters)
    return Signature(procedure, variables[:count], variables[count:])


def _variables(
    names: Declarations, declarations: tuple[Declaration, ...], procedure: str | None
) -> dict[str, Variable]:
    first: dict[str, Position] = {}
    variables = {}
    for declaration in declarations:
        with names.complaints:
            _once(names, first, declaration.position, declaration.name, "variable")
            variables[declaration.name] = _variable(names, declaration, procedure)
    return variables


def _variable(names: Declarations, declaration: Declaration, procedure: str | None) -> Variable:
    """The variable that is declared. One with a wrong initial value is declared all the same, so
    that nobody complains about its name."""
    if declaration.name in names.members:
        raise names.error(
            declaration.position,
            f"expected a new name, but '{shown(declaration.name)}' is a member of "
            f"{names.members[declaration.name]}",
        )
    if declaration.volatile and procedure is not None:
        raise names.error(
            declaration.position,
            f"expected 'volatile' for global variables only, found it for "
            f"'{shown(declaration.name)}', which no other thread sees",
        )
    initial = None
    with names.complaints:
        initial = _initial(names, declaration)
    return Variable(
        declaration.name,
        declaration.type,
        procedure,
        initial,
        declaration.position,
        declaration.volatile,
    )


def _once(
    names: Declarations, first: dict[str, Position], position: Position, name: str, what: str
) -> None:
    if name in first:
        raise names.error(
            position,
            f"expected a new name, but line {first[name].line} already declares "
            f"the {what} '{shown(name)}'",
        )
    first[name] = position


def _initial(names: Declarations, declaration: Declaration) -> int | None:
    """The value that a variable starts with; None for any."""
    node = declaration.initial
    if node is not None and declaration.type == THREAD:
        raise names.error(
            node.position,
            f"expected no initial value, because '{shown(declaration.name)}' names a thread, "
            "and at first none",
        )
    if node is None or isinstance(node, syntax.Star):
        return None
    scalar = declaration.type.element if isinstance(declaration.type, Array) else declaration.type
    value = _constant(names, node, scalar)
    if value is None or not (scalar == INTEGER or scalar.low <= value < scalar.low + scalar.size):
        raise names.error(
            node.position, f"expected {_values(scalar)} as initial value, found {_shown(node)}"
        )
    return value


def _constant(names: Declarations, node: syntax.Expression, scalar: Scalar) -> int | None:
    """The number of a constant, if it can be a value of this type."""
    match node:
        case syntax.Number():
            return node.value
        case syntax.Truth() if isinstance(scalar, Boolean):
            return int(node.value)
        case syntax.Name() if names.members.get(node.name) == scalar:
            return names.members[node.name].members.index(node.name)
    return None


def _values(scalar: Scalar) -> str:
    match scalar:
        case Boolean():
            return "0, 1, true, false or *"
        case Bounded():
            return f"a number from {scalar.low} to {scalar.high} or *"
        case Integer():
            return "a number or *"
    return f"a member of {scalar} or *"


def _shown(node: syntax.Expression) -> str:
    match node:
        case syntax.Number():
            return str(node.value)
        case syntax.Truth():
            return str(node.value).lower()
        case syntax.Name():
            return f"'{shown(node.name)}'"
    return "an expression"
