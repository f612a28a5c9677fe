"""`tepui.watch`: exploration through an abstraction of a user's own.

`sequence` is the exploration (DrUBA, Algorithm 1), and `watch_result` what it has seen. `views` are
states as functions of a user see them, and `abstraction` is what these functions make of states.
`respect` compares actions with Definition 4, and `violation` finds the evidence for a bad state.
"""

from tepui.watching.sequence import watch
from tepui.watching.watch_result import WatchResult

__all__ = ["WatchResult", "watch"]
