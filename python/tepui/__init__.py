"""tepui verifies concurrent recursive programs for any number of context switches.

>>> import tepui
>>> system = tepui.load("examples/figure4.cpds")
>>> tepui.verify(system).verdict
'safe'
>>> tepui.explore(system).bound
5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tepui.api import check as check
    from tepui.api import load as load
    from tepui.api import written_out as written_out
    from tepui.automata.reach import reach as reach
    from tepui.checker import Certificate as Certificate
    from tepui.checker import DiagramCertificate as DiagramCertificate
    from tepui.checker import SymbolicCertificate as SymbolicCertificate
    from tepui.checker import Trace as Trace
    from tepui.deciding import Options as Options
    from tepui.deciding import explore as explore
    from tepui.deciding import verify as verify
    from tepui.deciding import verify_all as verify_all
    from tepui.engines.engine import Observation as Observation
    from tepui.engines.observe import observe as observe
    from tepui.errors import EvidenceError as EvidenceError
    from tepui.errors import EvidenceRejected as EvidenceRejected
    from tepui.errors import InputError as InputError
    from tepui.errors import TepuiError as TepuiError
    from tepui.errors import UsageError as UsageError
    from tepui.limits import Limits as Limits
    from tepui.model import Pattern as Pattern
    from tepui.model import Property as Property
    from tepui.model import Reach as Reach
    from tepui.model import StackSet as StackSet
    from tepui.model import System as System
    from tepui.program.program import Program as Program
    from tepui.program.questions import Question as Question
    from tepui.program.questions import assertions as assertions
    from tepui.program.questions import deadlock as deadlock
    from tepui.program.questions import never_together as never_together
    from tepui.program.questions import unreachable as unreachable
    from tepui.report.page import write_report as write_report
    from tepui.report.pictures.plot import plot as plot
    from tepui.report.pictures.program_graphs import call_graph as call_graph
    from tepui.report.pictures.program_graphs import control_flow as control_flow
    from tepui.result import Answer as Answer
    from tepui.result import Result as Result
    from tepui.subject.coverage import Coverage as Coverage
    from tepui.subject.story import ProgramStory as ProgramStory
    from tepui.subject.story import RuleStep as RuleStep
    from tepui.subject.story import StatementStep as StatementStep
    from tepui.subject.story import SystemStory as SystemStory
    from tepui.watching import WatchResult as WatchResult
    from tepui.watching import watch as watch
    from tepui.weighted.dataflow.analysis import dataflow as dataflow
    from tepui.weighted.dataflow.answers import Dataflow as Dataflow

__version__ = "0.1.0"

_HOMES = {
    "check": "tepui.api",
    "load": "tepui.api",
    "written_out": "tepui.api",
    "reach": "tepui.automata.reach",
    "EvidenceError": "tepui.errors",
    "EvidenceRejected": "tepui.errors",
    "InputError": "tepui.errors",
    "TepuiError": "tepui.errors",
    "UsageError": "tepui.errors",
    "Certificate": "tepui.checker",
    "DiagramCertificate": "tepui.checker",
    "SymbolicCertificate": "tepui.checker",
    "Trace": "tepui.checker",
    "Dataflow": "tepui.weighted.dataflow.answers",
    "dataflow": "tepui.weighted.dataflow.analysis",
    "Limits": "tepui.limits",
    "Pattern": "tepui.model",
    "Property": "tepui.model",
    "Reach": "tepui.model",
    "StackSet": "tepui.model",
    "System": "tepui.model",
    "Program": "tepui.program.program",
    "Question": "tepui.program.questions",
    "assertions": "tepui.program.questions",
    "deadlock": "tepui.program.questions",
    "never_together": "tepui.program.questions",
    "unreachable": "tepui.program.questions",
    "write_report": "tepui.report.page",
    "plot": "tepui.report.pictures.plot",
    "call_graph": "tepui.report.pictures.program_graphs",
    "control_flow": "tepui.report.pictures.program_graphs",
    "Answer": "tepui.result",
    "Result": "tepui.result",
    "Coverage": "tepui.subject.coverage",
    "ProgramStory": "tepui.subject.story",
    "RuleStep": "tepui.subject.story",
    "StatementStep": "tepui.subject.story",
    "SystemStory": "tepui.subject.story",
    "Observation": "tepui.engines.engine",
    "Options": "tepui.deciding",
    "explore": "tepui.deciding",
    "observe": "tepui.engines.observe",
    "verify": "tepui.deciding",
    "verify_all": "tepui.deciding",
    "WatchResult": "tepui.watching",
    "watch": "tepui.watching",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Fetch a public name from its module when it is first used: `--version` needs none."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tepui' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
