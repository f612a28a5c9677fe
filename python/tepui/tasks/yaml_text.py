"""YAML with places: the parts of a document as nodes that know their line and column.

Only what task definitions need is read: mappings with texts as keys, lists, and scalars. A key that
occurs twice is an error here, where YAML libraries silently take the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tepui.errors import InputError
from tepui.languages.source import Source
from tepui.records import record

_MOST_CHARACTERS = 1_000_000


@record
class Node:
    """A part of a YAML document."""

    source: Source
    node: Any

    @property
    def line(self) -> int:
        return int(self.node.start_mark.line) + 1

    def error(self, message: str) -> InputError:
        """An error that points at this part."""
        line = min(self.line, len(self.source.lines))
        return self.source.error(line, self.node.start_mark.column + 1, message)

    def fields(self, what: str) -> dict[str, Node]:
        """The values of a mapping by their keys."""
        if self.node.id != "mapping":
            raise self.error(f"expected {what}, found {self.kind}")
        found: dict[str, Node] = {}
        for key, value in self.node.value:
            name = Node(self.source, key).text("a key")
            if name in found:
                raise Node(self.source, key).error(f"the key {name!r} occurs twice")
            found[name] = Node(self.source, value)
        return found

    def items(self, what: str) -> Iterator[Node]:
        """The parts of a list."""
        if self.node.id != "sequence":
            raise self.error(f"expected {what}, found {self.kind}")
        return (Node(self.source, item) for item in self.node.value)

    def one_or_more(self, what: str) -> list[Node]:
        """The parts of a list, or a text that stands for a list of one."""
        return list(self.items(what)) if self.node.id == "sequence" else [self]

    def text(self, what: str) -> str:
        """A scalar as it is written."""
        if self.node.id != "scalar" or self.is_null:
            raise self.error(f"expected {what}, found {self.kind}")
        return str(self.node.value)

    def truth(self, what: str) -> bool:
        """A Boolean value."""
        if self._type != "bool":
            raise self.error(f"expected {what}, found {self.kind}")
        return str(self.node.value).lower() in ("true", "yes", "on")

    def number(self, what: str) -> int:
        """A number without sign, in decimal."""
        text = str(self.node.value)
        if self._type != "int" or not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise self.error(f"expected {what}, found {self.kind}")
        return int(text)

    @property
    def is_null(self) -> bool:
        return self._type == "null"

    @property
    def kind(self) -> str:
        """What this is, in words."""
        if self.node.id != "scalar":
            return {"mapping": "a mapping", "sequence": "a list"}[self.node.id]
        return "nothing" if self.is_null else repr(str(self.node.value))

    @property
    def _type(self) -> str:
        return str(self.node.tag).rpartition(":")[2] if self.node.id == "scalar" else ""


def read_yaml(source: Source) -> Node:
    """The one document of a text."""
    import yaml

    if sum(map(len, source.lines)) > _MOST_CHARACTERS:
        raise InputError(source.name, 0, 0, "the file is too large for a task definition")
    try:
        node = yaml.compose("\n".join(source.lines), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as trouble:
        mark = trouble.problem_mark or trouble.context_mark
        message = f"this is not YAML: {trouble.problem or trouble.context}"
        if mark is None:
            raise InputError(source.name, 0, 0, message) from None
        line = min(mark.line + 1, len(source.lines))
        raise source.error(line, mark.column + 1, message) from None
    except yaml.YAMLError as trouble:
        reason = str(trouble).partition("\n")[0]
        raise InputError(source.name, 0, 0, f"this is not YAML: {reason}") from None
    except RecursionError:
        raise InputError(source.name, 0, 0, "this YAML is nested too deeply") from None
    if node is None:
        raise InputError(source.name, 0, 0, "the file is empty, expected a task definition")
    return Node(source, node)
