"""Evidence for verdicts: traces, certificates, their files, and the checker that believes neither.

Everything that is trusted is here, besides the model and the meaning of programs, and nothing else
is. Nothing here knows an engine or calls a pass. An answer of tepui is only as good as what `check`
accepts.
"""

from tepui.checker.checker import check
from tepui.checker.evidence import AnyCertificate, Evidence
from tepui.checker.trace import Schedule, Trace
from tepui.checker.trace_steps import TraceStep

__all__ = [
    "AnyCertificate",
    "Evidence",
    "Schedule",
    "Trace",
    "TraceStep",
    "check",
]
