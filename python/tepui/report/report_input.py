"""What a run has to tell: all that a report, or another file about it, is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from tepui.records import record
from tepui.subject.subject import title_of

if TYPE_CHECKING:
    from tepui.limits import Limits
    from tepui.model import System
    from tepui.program.program import Program
    from tepui.report.exchange.input_files import InputFile
    from tepui.result import Result
    from tepui.weighted.dataflow.answers import Dataflow

Inputs: TypeAlias = "tuple[InputFile, ...] | None"


class Chosen(Protocol):
    """What a report says about the options of a run."""

    @property
    def limits(self) -> Limits: ...
    @property
    def engine(self) -> str: ...
    @property
    def jobs(self) -> int: ...
    @property
    def contexts(self) -> int | None: ...
    @property
    def rounds(self) -> int | None: ...
    @property
    def delays(self) -> int | None: ...
    @property
    def symmetry(self) -> bool: ...
    @property
    def strengths(self) -> Sequence[object]: ...
    @property
    def tops(self) -> int: ...
    @property
    def liveness(self) -> bool: ...
    @property
    def check(self) -> bool: ...


Command = Literal["verify", "explore", "dataflow", "report"]


@record
class ReportInput:
    """The answers of a command, with what they are about.

    `results` has one result, one for each question that is answered by itself, or none.
    `exploration` is what can be reached at all, where that was computed beside the answers.
    """

    command: Command
    model: System | Program
    file: Path | None = None
    results: tuple[Result, ...] = ()
    exploration: Result | None = None
    facts: Dataflow | None = None
    options: Chosen | None = None
    arguments: tuple[str, ...] = field(default=())
    """The command line as it was typed, without the name of the program."""
    inputs: Inputs = None
    """The files as they were when the model was read; None if nobody has kept them."""

    @property
    def title(self) -> str:
        """What the model is called in a headline."""
        return title_of(self.model)
