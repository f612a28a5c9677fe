"""The input of a report, or of another file about a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from tepui.records import field, record
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
    """The options of a run, as a report shows them."""

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
    def fusion(self) -> bool: ...
    @property
    def check(self) -> bool: ...


Command = Literal["verify", "explore", "dataflow", "report"]


@record
class ReportInput:
    """The answers of a command, with what they are about.

    `results` has one result, one for each question that is answered by itself, or none.
    `exploration` is everything that can be reached, if it was computed beside the answers.
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
    """The files as they were when the model was read; None if they were not kept."""

    @property
    def title(self) -> str:
        """The name of the model in a headline."""
        return title_of(self.model)
