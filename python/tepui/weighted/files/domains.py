"""Domains as JSON: a name, or an object with the name and the parameters.

Sizes are bounded, because a file must not be able to ask for a weight that fills the memory. The
form of a domain says how its weights are written (`forms`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, cast

from tepui.errors import ModelError
from tepui.weighted.domains import (
    Affine,
    Boolean,
    Matrices,
    MinPath,
    Pairs,
    Relations,
    Semiring,
    Sets,
    ShortestPath,
    WeightedRelations,
)
from tepui.weighted.files.documents import Value, found
from tepui.weighted.files.forms import (
    AffineForm,
    BooleanForm,
    Form,
    MatricesForm,
    MinPathForm,
    PairsForm,
    RelationsForm,
    SetsForm,
    ShortestPathForm,
    WeightedRelationsForm,
)
from tepui.words import did_you_mean

MOST_STATES = 4096
MOST_FACTS = 100_000
MOST_VARIABLES = 100
MOST_ORDER = 256
MOST_NESTED = 8


def read_form(value: Value, depth: int = 0) -> Form[Any]:
    """The form of a domain: its name, or an object with its name and its parameters."""
    if depth == MOST_NESTED:
        raise value.error(f"domains are nested at most {MOST_NESTED} deep")
    if isinstance(value.raw, str):
        name, members = value, {}
    else:
        members = value.members("a domain")
        if "name" not in members:
            raise value.error("expected the key 'name' in a domain")
        name = members["name"]
    reader = _READERS.get(name.text("the name of a domain"))
    if reader is None:
        known = f"the name of a domain ({', '.join(_READERS)})"
        hint = did_you_mean(name.raw, _READERS)
        raise name.error(f"expected {known}, found {found(name.raw)}{hint}")
    try:
        return reader(value, members, depth)
    except ModelError as error:
        raise value.error(str(error)) from None


def form_of(domain: Semiring[Any]) -> Form[Any]:
    """The form of a domain that comes from Python."""
    maker = _MAKERS.get(type(domain))
    if maker is None:
        raise ModelError(f"{type(domain).__name__} is no domain that files can name")
    return maker(domain)


Members = dict[str, Value]
_Reader = Callable[[Value, Members, int], Form[Any]]


def _plain(form: Callable[[], Form[Any]]) -> _Reader:
    """Reads a domain that has no parameters."""

    def read(value: Value, members: Members, depth: int) -> Form[Any]:
        if members:
            value.fields("this domain", ("name",))
        return form()

    return read


def _read_relations(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "states"), ("local_states",))
    return RelationsForm(Relations(*_sizes(members)))


def _read_weighted_relations(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "states", "weights"), ("local_states",))
    states, local = _sizes(members)
    weights = read_form(members["weights"], depth + 1)
    return WeightedRelationsForm(WeightedRelations(states, weights.domain, local), weights)


def _read_sets(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "facts"), ("meet",))
    meet = members["meet"].text("the meet") if "meet" in members else "union"
    if meet not in ("union", "intersection"):
        raise members["meet"].expected("the meet, which is 'union' or 'intersection'")
    count, names = _named(members["facts"], "the facts", MOST_FACTS)
    return SetsForm(Sets(count, cast(Literal["union", "intersection"], meet)), names)


def _read_affine(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "variables"), ("modulus", "local_variables"))
    count, names = _named(members["variables"], "the variables", MOST_VARIABLES)
    modulus = members["modulus"].integer("a modulus", 2) if "modulus" in members else None
    local = members.get("local_variables")
    locals_ = 0 if local is None else local.integer("how many variables are local", 0, count)
    return AffineForm(Affine(count, modulus, locals_), names or _numbered(count))


def _read_pairs(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "first", "second"))
    first, second = (read_form(members[key], depth + 1) for key in ("first", "second"))
    return PairsForm(Pairs(first.domain, second.domain), first, second)


def _read_matrices(value: Value, members: Members, depth: int) -> Form[Any]:
    value.fields("this domain", ("name", "order", "entries"))
    entries = read_form(members["entries"], depth + 1)
    order = members["order"].integer("the order of the matrices", 1, MOST_ORDER)
    if order * _order(entries.domain) > MOST_ORDER:
        raise members["order"].error(
            f"matrices of matrices have at most {MOST_ORDER} rows in all, all orders multiplied"
        )
    return MatricesForm(Matrices(order, entries.domain), entries)


_READERS: dict[str, _Reader] = {
    "boolean": _plain(lambda: BooleanForm(Boolean())),
    "min-path": _plain(lambda: MinPathForm(MinPath())),
    "shortest-path": _plain(lambda: ShortestPathForm(ShortestPath())),
    "relations": _read_relations,
    "weighted-relations": _read_weighted_relations,
    "sets": _read_sets,
    "affine": _read_affine,
    "pairs": _read_pairs,
    "matrices": _read_matrices,
}

_MAKERS: dict[type, Callable[[Any], Form[Any]]] = {
    Boolean: BooleanForm,
    MinPath: MinPathForm,
    ShortestPath: ShortestPathForm,
    Relations: RelationsForm,
    WeightedRelations: lambda domain: WeightedRelationsForm(domain, form_of(domain.weights)),
    Sets: SetsForm,
    Affine: lambda domain: AffineForm(domain, _numbered(domain.variables)),
    Pairs: lambda domain: PairsForm(domain, form_of(domain.first), form_of(domain.second)),
    Matrices: lambda domain: MatricesForm(domain, form_of(domain.entries)),
}


def _sizes(members: Members) -> tuple[int, int]:
    states = members["states"].integer("the number of states", 1, MOST_STATES)
    local = members.get("local_states")
    return states, 1 if local is None else local.integer("the local states", 1, states)


def _named(value: Value, what: str, most: int) -> tuple[int, tuple[str, ...] | None]:
    """The number of items, and their names, if they have some."""
    if not isinstance(value.raw, list):
        return value.integer(f"{what}, by their names, or how many there are", 0, most), None
    names = tuple(each.text("a name") for each in value.items(what))
    if len(set(names)) < len(names):
        raise value.error(f"{what} must have different names")
    if len(names) > most:
        raise value.error(f"there are {len(names):,} of {what}, and at most {most:,} are possible")
    return len(names), names


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"x{number}" for number in range(1, count + 1))


def _order(domain: object) -> int:
    """The product of the orders of matrices, of the matrices in them, and so on."""
    return domain.order * _order(domain.entries) if isinstance(domain, Matrices) else 1
