"""What an answer assumes besides the program as it is written."""

from __future__ import annotations

from typing import Literal

from tepui.records import record


@record
class Assumption:
    """An assumption of an answer: a bound, a model of something, an option."""

    kind: Literal["bound", "model", "option"]
    text: str
    condition: str = ""
    """What the sentence that something is safe says about it, such as \"under …\"."""
