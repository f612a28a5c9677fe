"""Watching: exploration through an abstraction of a user's own, who sees when it comes to rest.

`run` is the run (DrUBA, Algorithm 1), and `seen` what it has seen. `views` are states as functions
of a user see them, `abstraction` is what these functions make of states. `respect` compares actions
with Definition 4, and `violation` finds the evidence for a bad state.
"""

from tepui.watching.findings import Seen
from tepui.watching.sequence import watch

__all__ = ["Seen", "watch"]
