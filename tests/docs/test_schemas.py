"""The schemas in the docs: they are schemas, they are closed, and `dataflow` keeps to its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.cli import call
from support.places import EXAMPLES

DOCS = EXAMPLES.parent / "docs"
SCHEMAS = sorted(DOCS.glob("*.schema.json"))
FIGURE4 = str(EXAMPLES / "dataflow" / "figure4.bp")
BUFFER = str(EXAMPLES / "dataflow" / "ring-buffer.bp")

DATAFLOW = {
    "relation": [FIGURE4, "--at", "foo:n8"],
    "relation, called": [FIGURE4, "--threads", "foo=1", "--at", "foo:n8", "--called-from", "n3"],
    "relation of a system": [str(EXAMPLES / "figure4.cpds"), "--at", "P1:2"],
    "shortest": [FIGURE4, "--at", "foo:n8", "--domain", "shortest"],
    "affine": [BUFFER, "--at", "consumer:C", "--domain", "affine"],
    "affine, modulo": [BUFFER, "--at", "consumer:C", "--domain", "affine", "--modulus", "8"],
}


def schema(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_schema_is_one_of_the_current_draft(path: Path) -> None:
    assert schema(path)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema(path))


@pytest.mark.parametrize("name", ["dataflow", "witness"])
def test_every_object_is_closed_and_every_definition_described(name: str) -> None:
    found = schema(DOCS / f"{name}.schema.json")
    objects = [part for part in _parts(found) if part.get("type") == "object"]
    assert all("additionalProperties" in part for part in objects)
    assert all("description" in part for part in found["$defs"].values())


@pytest.mark.parametrize("name", DATAFLOW)
def test_the_answers_of_dataflow_fit_their_schema(name: str) -> None:
    done = call("dataflow", *DATAFLOW[name], "--json")
    validator = Draft202012Validator(schema(DOCS / "dataflow.schema.json"))
    assert list(validator.iter_errors(done.json)) == []
    for member in done.json:
        less = {key: value for key, value in done.json.items() if key != member}
        assert not validator.is_valid(less), member
    assert not validator.is_valid(done.json | {"more": 1})


def _parts(node: Any) -> list[Any]:
    if isinstance(node, list):
        return [part for each in node for part in _parts(each)]
    if not isinstance(node, dict):
        return []
    return [node, *(part for each in node.values() for part in _parts(each))]
