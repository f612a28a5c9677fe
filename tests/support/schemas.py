"""The schemas in the docs, by their names: `schema("result")` is docs/result.schema.json."""

from __future__ import annotations

import json
from typing import Any

from support.places import DOCS


def schema(name: str) -> Any:
    return json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
