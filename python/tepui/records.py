"""Records: frozen dataclasses with slots, made in a tenth of the time.

Until Python 3.13, `dataclasses` compiles each method of each class by itself, and it imports
`inspect`. With a hundred classes, that is most of the time of a small command. Here only `__init__`
is compiled, and only when the first object of a class is made; all other methods are functions that
all records share. The functions of `dataclasses` treat a record as a dataclass, and so do type
checkers; `dataclasses` itself is imported when the first of them asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

_T = TypeVar("_T")

_KEPT = ("__dict__", "__weakref__")
"""Attributes that a new class gets anew, or not at all."""

_NOTHING: Any = object()
"""The default of a field that has none."""


class _Field:
    """A field of a record."""

    __slots__ = ("compare", "default", "default_factory", "kw_only", "name", "repr", "type")

    name: str
    type: Any

    def __init__(
        self,
        *,
        default: Any = _NOTHING,
        default_factory: Any = _NOTHING,
        repr: bool = True,  # noqa: A002 - `dataclasses` calls it so
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.repr, self.compare, self.kw_only = repr, compare, kw_only


if TYPE_CHECKING:
    # Type checkers know what these two say.
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    field = _Field

    def replace(one, **changes):
        """The same object with some fields changed."""
        fields = vars(type(one)).get("__record_fields__")
        if fields is None:
            from dataclasses import replace as of_dataclass

            return of_dataclass(one, **changes)
        for name in fields:
            if name not in changes:
                changes[name] = getattr(one, name)
        return type(one)(**changes)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """The class as a frozen dataclass with slots, and with a `__dict__` if it has cached
    properties."""
    frozen = {
        "__dataclass_params__": _Params(True),
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
    }
    return _made(cls, frozen, hashable=True)


@dataclass_transform(field_specifiers=(field,))
def mutable_record(cls: type[_T]) -> type[_T]:
    """The class as a dataclass with slots whose fields may change."""
    return _made(cls, {"__dataclass_params__": _Params(False)}, hashable=False)


def _made(cls: type[_T], methods: dict[str, Any], hashable: bool) -> type[_T]:
    """The class anew, with the methods of a dataclass."""
    own = {each.name: each for each in _own_fields(cls)}
    inherited: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get("__record_fields__", {})
    fields = inherited | own
    inside = {
        name: value for name, value in vars(cls).items() if name not in _KEPT and name not in own
    }
    if not any(isinstance(value, cached_property) for value in inside.values()):
        inside["__slots__"] = tuple(name for name in own if name not in inherited)
    inside |= methods
    inside |= {
        "__qualname__": cls.__qualname__,
        "__record_fields__": fields,
        "__dataclass_fields__": _FIELDS,
        "__match_args__": tuple(each.name for each in fields.values() if not each.kw_only),
        "__init__": _InitLater(),
        "__signature__": _SIGNATURE,
        "__getstate__": _state,
        "__setstate__": _set_state,
    }
    inside.setdefault("__repr__", _repr)
    if "__eq__" not in inside:
        compared = [each.name for each in fields.values() if each.compare]
        inside["__eq__"], by_fields = _comparison(compared)
        inside["__hash__"] = by_fields if hashable else None
    kind: Any = type(cls)
    made: type[_T] = kind(cls.__name__, cls.__bases__, inside)
    return made


def _own_fields(cls: type) -> Iterator[_Field]:
    """The fields that a class declares itself."""
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if not str(annotation).startswith("ClassVar"):
            default = vars(cls).get(name, _NOTHING)
            assert type(default).__module__ != "dataclasses", "a record has fields of its own"
            declared = default if isinstance(default, _Field) else _Field(default=default)
            declared.name, declared.type = name, annotation
            yield declared


class _Fields:
    """The fields of a record, as `dataclasses` writes them."""

    def __get__(self, instance: Any, owner: Any) -> dict[str, Any]:
        import dataclasses

        found = {}
        for name, each in owner.__record_fields__.items():
            given = {"default": each.default, "default_factory": each.default_factory}
            made: Any = dataclasses.field(
                **{kind: value for kind, value in given.items() if value is not _NOTHING},
                repr=each.repr,
                compare=each.compare,
                kw_only=each.kw_only,
            )
            made.name, made.type = name, each.type
            made._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            found[name] = made
        owner.__dataclass_fields__ = found
        return found


_FIELDS = _Fields()


class _Params:
    """What `dataclasses` notes about a class."""

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen


class _InitLater:
    """Stands for `__init__`, and makes it when it is first looked up."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: Any, owner: type) -> Callable[..., None]:
        self._owner.__init__ = made = _init(self._owner)
        return made if instance is None else made.__get__(instance)


class _Signature:
    """The signature of a class, as that of its `__init__`, whoever has defined it."""

    def __get__(self, instance: Any, owner: type) -> Any:
        from inspect import signature

        of_init = signature(owner.__init__)  # type: ignore[misc]
        return of_init.replace(parameters=list(of_init.parameters.values())[1:])


_SIGNATURE = _Signature()


def _init(cls: Any) -> Callable[..., None]:
    """`__init__`, the one method that is compiled for each class."""
    fields: dict[str, _Field] = cls.__record_fields__
    names: dict[str, Any] = {}
    arguments, body = ["self"], []
    for each in sorted(fields.values(), key=lambda one: one.kw_only):
        if each.kw_only and "*" not in arguments:
            arguments.append("*")
        default, value = "", each.name
        if each.default is not _NOTHING:
            default, names[f"_of_{each.name}"] = f"=_of_{each.name}", each.default
        elif each.default_factory is not _NOTHING:
            made_by = f"_of_{each.name}"
            default, names[made_by] = f"={made_by}", _Made(each.default_factory)
            value = f"{made_by}.by() if {each.name} is {made_by} else {each.name}"
        arguments.append(f"{each.name}{default}")
        # The way of a slot is the fastest one around `__setattr__`.
        names[f"_set_{each.name}"] = _setter(cls, each.name)
        body.append(f"    _set_{each.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    text = f"def __init__({', '.join(arguments)}):\n" + "\n".join(body or ["    pass"])
    exec(text, names)
    made: Callable[..., None] = names["__init__"]
    made.__annotations__ = {each.name: each.type for each in fields.values()}
    return made


def _setter(cls: type, name: str) -> Callable[[Any, Any], None]:
    """Sets a field of a new record."""
    if hasattr(cls, name):
        setter: Callable[[Any, Any], None] = getattr(cls, name).__set__
        return setter
    return lambda one, value: object.__setattr__(one, name, value)


class _Made:
    """The default of a field that is made anew each time, as signatures show it."""

    def __init__(self, by: Callable[[], Any]) -> None:
        self.by = by

    def __repr__(self) -> str:
        return f"{getattr(self.by, '__name__', '…')}()"


def _comparison(
    compared: list[str],
) -> tuple[Callable[[Any, object], Any], Callable[[Any], int]]:
    """`__eq__` and `__hash__` of a class, by these fields."""
    if not compared:
        get: Callable[[Any], Any] = lambda _: ()  # noqa: E731
    elif len(compared) == 1:
        only = compared[0]
        get = lambda one: (getattr(one, only),)  # noqa: E731
    else:
        get = attrgetter(*compared)

    def equals(self: Any, other: object) -> Any:
        if self is other:
            return True
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    return equals, lambda self: hash(get(self))


def _repr(self: Any) -> str:
    shown = (
        f"{each.name}={getattr(self, each.name)!r}"
        for each in self.__record_fields__.values()
        if each.repr
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self.__record_fields__]


def _set_state(self: Any, state: list[object]) -> None:
    for name, value in zip(self.__record_fields__, state, strict=True):
        object.__setattr__(self, name, value)
