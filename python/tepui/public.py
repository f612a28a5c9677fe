"""The public names of tepui, each from the module that defines it.

This is the only list of them. Type checkers read it, and `tepui` looks up here where a name is at
home when it is first used.
"""

from tepui.api import check as check
from tepui.api import load as load
from tepui.api import load_program as load_program
from tepui.api import load_system as load_system
from tepui.api import loads as loads
from tepui.api import written_out as written_out
from tepui.automata.reach_property import reach as reach
from tepui.checker import Trace as Trace
from tepui.checker.certificates.diagram import DiagramCertificate as DiagramCertificate
from tepui.checker.certificates.products import SymbolicCertificate as SymbolicCertificate
from tepui.checker.certificates.states import Certificate as Certificate
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
from tepui.program.questions import races as races
from tepui.program.questions import unreachable as unreachable
from tepui.program.questions import violations as violations
from tepui.report.page import write_report as write_report
from tepui.report.pictures.plot import plot as plot
from tepui.report.pictures.program_graphs import call_graph as call_graph
from tepui.report.pictures.program_graphs import control_flow as control_flow
from tepui.result import Answer as Answer
from tepui.result import Answers as Answers
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
