"""The examples of docs/formats.md are read, and mean what the text around them says."""

from __future__ import annotations

from support.places import DOCS
from tepui.deciding import verify
from tepui.languages import loads
from tepui.model import OpenSystem

FORMATS = DOCS / "formats.md"


def example(after: str) -> str:
    """The first indented block after a line that starts so."""
    lines = iter(FORMATS.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(after))
    block: list[str] = []
    for line in lines:
        if line.startswith("    ") or (block and not line):
            block.append(line[4:])
        elif block:
            break
    return "\n".join(block)


def test_the_pds_example_with_its_siblings_is_read_without_warnings() -> None:
    loaded = loads(
        example("This is the system of Figure 4"),
        "pds",
        init=example("It starts in"),
        targets=[example("The shared state must never")],
    )
    assert loaded.warnings == []
    assert [len(template.rules) for template in loaded.system.templates] == [2, 3]


def test_the_cpds_example_is_read_without_warnings() -> None:
    formats = FORMATS.read_text(encoding="utf-8")
    text = formats[formats.index("    # Figure 4 of CUBA") : formats.index("### Any number of")]
    loaded = loads(text, "cpds")
    assert loaded.warnings == []
    assert len(loaded.system.threads) == 4
    assert len(loaded.system.property.patterns) == 2


def test_the_example_with_any_number_of_threads_is_read_without_warnings() -> None:
    formats = FORMATS.read_text(encoding="utf-8")
    start = formats.index("    # Any number of users take turns")
    text = formats[start : formats.index("A line `bad` has an entry")]
    loaded = loads(text, "cpds")
    assert loaded.warnings == []
    assert isinstance(loaded.model, OpenSystem)
    assert [pattern.tops for pattern in loaded.model.patterns] == [
        ((None,), ("inside", "inside")),
        (("-",), ()),
    ]
    assert verify(loaded.model).verdict == "safe"
    named = loads(text, "cpds", targets=["* | *, inside of user * 2"]).model
    assert isinstance(named, OpenSystem)
    assert named.patterns == loaded.model.patterns[:1]
