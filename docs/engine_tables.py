"""Writes what the docs say about engines from the registry: `python docs/engine_tables.py`.

That is the table in engines.md, and the names in the schema of results.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tepui.engines.registry import AUTO, BITS, PROVERS, EngineKind, engine_kinds

DOCS = Path(__file__).parent

_COUNTS = {"contexts": "contexts", "delays": "rounds and delays", "steps": "steps"}


def table() -> str:
    """The rows of the table in engines.md."""
    rows = [*map(_row, engine_kinds()), _joined(BITS, *_BITS), _joined(AUTO, *_AUTO)]
    return "\n".join(rows)


_BITS = (
    "contexts",
    "sets of bits, for programs",
    "inputs of 8, 16 or 32 bits",
    "a binary decision diagram",
)

_AUTO = "whatever turns out to be best", "as above", "everything: it is the default", "as above"


def _row(kind: EngineKind) -> str:
    return _joined(kind.name, _COUNTS[kind.counts], kind.sets, kind.best_for, kind.evidence)


def _joined(name: str, *cells: str) -> str:
    return f"| {' | '.join((f'`{name}`', *cells))} |"


def enumerations() -> dict[str, list[str]]:
    """The definitions in the schema, with the names that they allow."""
    kinds = engine_kinds()
    return {
        "engine": [*(kind.name for kind in kinds), *PROVERS],
        "contextEngine": [*(kind.name for kind in kinds if kind.counts == "contexts"), *PROVERS],
        "stepEngine": [kind.name for kind in kinds if kind.counts == "steps"],
        "delayEngine": [kind.name for kind in kinds if kind.counts == "delays"],
    }


def written() -> dict[Path, str]:
    """The files, as they should be."""
    page, schema = DOCS / "engines.md", DOCS / "result.schema.json"
    text = re.sub(
        r"(?<=\|---\|---\|---\|---\|---\|\n).*?(?=\n\n)",
        lambda _: table(),
        page.read_text(encoding="utf-8"),
        count=1,
        flags=re.DOTALL,
    )
    described = schema.read_text(encoding="utf-8")
    for name, names in enumerations().items():
        before, after = f'"{name}": {{ "enum": ', " }"
        listed = re.compile(re.escape(before) + r"\[[^]]*\]" + after)
        described = listed.sub(f"{before}{json.dumps(names)}{after}", described)
    return {page: text, schema: described}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
