"""Any number of threads: can they together cover a bad marking of a net?

`net_loading` loads a net from a file, `coverability` decides it, with evidence that the checker
examines, and `net_invariants` and `control_states` find what makes the search shorter.
`program_coverability` and `system_coverability` decide the nets of a program and of a system, which
`thread_nets` searches with `place_invariants`.
"""

from tepui.counting.coverability import Covered, check_net_evidence, cover
from tepui.counting.net_loading import load_net

__all__ = ["Covered", "check_net_evidence", "cover", "load_net"]
