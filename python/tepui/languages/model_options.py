"""What a user may say about a model besides its file. Languages refuse what they do not have."""

from __future__ import annotations

from collections.abc import Sequence

from tepui.languages.java.java_options import JavaOptions
from tepui.records import record


@record
class ModelOptions:
    """What replaces or completes the content of a file."""

    init: str | None = None
    """The initial state of a system."""
    targets: Sequence[str] | None = None
    """The bad states of a system."""
    overflow: bool = False
    """Whether a program asks if its machine integers overflow."""
    java: JavaOptions = JavaOptions()
    """Where a Java program begins, and where its classes are."""
    entries: tuple[str, ...] = ()
    """For `Language.each`: the methods, or patterns for them, with which programs begin."""
