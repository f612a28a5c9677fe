"""Small weighted systems in JSON, for tests that read them."""

from __future__ import annotations

import json
from typing import Any

from tepui.weighted.files.documents import Document
from tepui.weighted.files.systems import WeightedFile, weighted_of

FINE: dict[str, Any] = {
    "format": "tepui-weighted-system",
    "version": 1,
    "domain": "min-path",
    "rules": [
        {"from": ["p", "a"], "to": ["q", "b", "c"], "weight": 3},
        {"from": ["q", "b"], "to": ["q"], "weight": 0},
    ],
    "start": "<p, a>",
    "target": "<q, c>",
}


def read(content: Any) -> WeightedFile:
    text = content if isinstance(content, str) else json.dumps(content)
    return weighted_of(Document.of_text(text, "f.json"))


THREADS: dict[str, Any] = {
    "format": "tepui-weighted-system",
    "version": 1,
    "domain": "min-path",
    "threads": [
        {"name": "one", "rules": [{"from": ["p", "a"], "to": ["q"], "weight": 1}]},
        {"name": "two", "rules": [{"from": ["q", "b"], "to": ["r", "b"], "weight": 2}]},
    ],
    "contexts": 2,
}
