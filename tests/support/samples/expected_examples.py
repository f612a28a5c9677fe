"""What is expected of a file in examples/, and how its first comment says so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from support.places import EXAMPLES

BY_Z = "Z (matched) has no bad state"
BY_STATES = "R_k = R_{k+1}"


@dataclass(frozen=True)
class Expected:
    """What `verify` and `explore` say about one file."""

    suffix: ClassVar[str]
    comment: ClassVar[str]
    """What a comment starts with."""

    name: str
    verdict: str
    proof: str | None
    """How `verify` proves it; None if it is unsafe."""
    contexts: int | None
    """How many contexts the violation takes; None if it is safe."""
    collapse: int | None
    """The bound that `explore` finds; None if it finds the visible states without one."""
    visible: int

    @property
    def path(self) -> Path:
        return EXAMPLES / f"{self.name}{self.suffix}"

    @property
    def answer(self) -> tuple[str, str | None, int | None]:
        """Verdict, proof and bound; a proof by Z alone has no bound."""
        bound = self.collapse if self.proof == BY_STATES else self.contexts
        return self.verdict, self.proof, bound

    @property
    def sentence(self) -> str:
        """What the comment in the file has to say."""
        answer = self.verdict
        if self.proof is not None:
            answer += f" by {self.proof.removesuffix(' has no bad state')}"
        if self.contexts is not None:
            answer += f" after {self.contexts} context{'s' * (self.contexts != 1)}"
        where = "at a bound not known" if self.collapse is None else f"at {self.collapse}"
        rest = f"collapse {where}, {self.visible} visible states"
        return f"{self.comment} Expected: {answer}, {rest}"
