"""Records: frozen dataclasses with slots, made in a fifth of the time.

Until Python 3.13, `dataclasses` compiles each method of each class by itself. With a hundred
classes, that is most of the time of a small command. Here only `__init__` is compiled, and only
when the first object of a class is made; all other methods are functions that all records share.
`dataclasses.replace`, `fields` and `asdict` treat a record as a dataclass, and so do type checkers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")

_KEPT = ("__dict__", "__weakref__")
"""Attributes that a class with slots gets anew, or not at all."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T]) -> type[_T]:
    """The class as a frozen dataclass with slots."""
    own = _own_fields(cls)
    inherited: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= getattr(base, "__dataclass_fields__", {})
    fields = inherited | own
    inside = {name: value for name, value in vars(cls).items() if name not in _KEPT}
    for name in own:
        inside.pop(name, None)
    positional = [each.name for each in fields.values() if not each.kw_only]
    inside |= {
        "__slots__": tuple(name for name in own if name not in inherited),
        "__dataclass_fields__": fields,
        "__dataclass_params__": _PARAMS,
        "__match_args__": tuple(positional),
        "__init__": _InitLater(cls, fields),
        "__signature__": _SIGNATURE,
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
        "__getstate__": _state,
        "__setstate__": _set_state,
    }
    inside.setdefault("__repr__", _repr)
    if "__eq__" not in inside:
        compared = [each.name for each in fields.values() if each.compare]
        inside["__eq__"], inside["__hash__"] = _comparison(compared)
    kind: Any = type(cls)
    made: type[_T] = kind(cls.__name__, cls.__bases__, inside)
    made.__qualname__ = cls.__qualname__
    return made


_PARAMS = dataclasses.dataclass(frozen=True)(type("_Empty", (), {"__doc__": ""})).__dict__[
    "__dataclass_params__"
]
"""What `dataclasses` notes about a frozen class."""


def _own_fields(cls: type) -> dict[str, Field[Any]]:
    """The fields that a class declares itself."""
    own: dict[str, Field[Any]] = {}
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if str(annotation).startswith("ClassVar"):
            continue
        default = vars(cls).get(name, MISSING)
        declared: Any = default if isinstance(default, Field) else field(default=default)
        declared.name, declared.type = name, annotation
        declared.kw_only = declared.kw_only is True
        declared._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        own[name] = declared
    return own


class _InitLater:
    """Stands for `__init__`, and makes it when it is first looked up."""

    def __init__(self, cls: type, fields: dict[str, Field[Any]]) -> None:
        self._cls, self._fields = cls, fields

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: Any, owner: type) -> Callable[..., None]:
        made = _init(self._cls, self._fields)
        setattr(self._owner, "__init__", made)  # noqa: B010 - mypy forbids to assign a method
        return made if instance is None else made.__get__(instance)


class _Signature:
    """The signature of a class, as that of its `__init__`, whoever has defined it."""

    def __get__(self, instance: Any, owner: type) -> Any:
        from inspect import signature

        of_init = signature(owner.__init__)  # type: ignore[misc]
        return of_init.replace(parameters=list(of_init.parameters.values())[1:])


_SIGNATURE = _Signature()


def _init(cls: type, fields: dict[str, Field[Any]]) -> Callable[..., None]:
    """`__init__`, the one method that is compiled for each class."""
    names: dict[str, Any] = {"_set": object.__setattr__}
    arguments, body = ["self"], []
    for each in sorted(fields.values(), key=lambda one: bool(one.kw_only)):
        if each.kw_only and "*" not in arguments:
            arguments.append("*")
        default, value = "", each.name
        if each.default is not MISSING:
            default, names[f"_of_{each.name}"] = f"=_of_{each.name}", each.default
        elif each.default_factory is not MISSING:
            made_by = f"_of_{each.name}"
            default, names[made_by] = f"={made_by}", _Made(each.default_factory)
            value = f"{made_by}.by() if {each.name} is {made_by} else {each.name}"
        arguments.append(f"{each.name}{default}")
        body.append(f"    _set(self, {each.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    text = f"def __init__({', '.join(arguments)}):\n" + "\n".join(body or ["    pass"])
    exec(text, names)
    made: Callable[..., None] = names["__init__"]
    made.__annotations__ = {each.name: each.type for each in fields.values()}
    return made


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
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    return equals, lambda self: hash(get(self))


def _repr(self: Any) -> str:
    shown = (
        f"{each.name}={getattr(self, each.name)!r}"
        for each in dataclasses.fields(self)
        if each.repr
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
