"""Names for the messages of the checker.

Evidence may hold numbers that name nothing, and a message about it must not fail over them:
such a number is shown as it is, after a `#`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tepui.model.system import Rule, System, Template, Word

if TYPE_CHECKING:
    from tepui.model.property import Pattern

_Local = tuple[Word, bool]
"""What is kept of a stack, and whether something lies below it."""


def local_text(symbols: Sequence[str], local: _Local) -> str:
    """A stack from the top down: `-` if it is empty, `a b …` if it is cut."""
    word, more = local
    text = " ".join(_name(symbols, symbol) for symbol in word) or "-"
    return f"{text} …" if more else text


def rule_text(system: System, template: Template, rule: Rule) -> str:
    """A rule as the papers write it."""
    source = f"⟨{_name(system.shared, rule.source)}|{_name(template.symbols, rule.top)}⟩"
    word = local_text(template.symbols, (rule.word, False))
    return f"{source} → ⟨{_name(system.shared, rule.target)}|{word}⟩"


def state_text(system: System, shared: int, stacks: Iterable[_Local]) -> str:
    """A global state in quotation marks. Its stacks may be cut, and there may be too many of
    them."""
    alphabets = dict(enumerate(system.templates[template].symbols for template in system.threads))
    words = (local_text(alphabets.get(thread, ()), stack) for thread, stack in enumerate(stacks))
    return f"«{_name(system.shared, shared)} | {', '.join(words)}»"


def pattern_text(system: System, pattern: Pattern) -> str:
    """A pattern, in quotation marks; `*` is anything."""
    shared = "*" if pattern.shared is None else _name(system.shared, pattern.shared)
    tops = (
        "*" if top is None else _class_name(system.template_of(thread), top)
        for thread, top in enumerate(pattern.tops)
    )
    return f"«{shared} | {', '.join(tops)}»"


def _class_name(template: Template, number: int) -> str:
    """The name of a symbol of a class, or the number of a class that has no name here."""
    return _name(template.symbols if template.classes is None else (), number)


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if 0 <= number < len(names) else f"#{number}"
