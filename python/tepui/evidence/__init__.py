"""Evidence for verdicts: traces, certificates, their files, and the checker that believes neither.

Nothing here knows an engine. An answer of tepui is only as good as what `check` accepts.
"""

from tepui.evidence.certificate import Certificate
from tepui.evidence.checker import check
from tepui.evidence.files import read_evidence, write_evidence
from tepui.evidence.trace import Step, Trace

__all__ = ["Certificate", "Step", "Trace", "check", "read_evidence", "write_evidence"]
