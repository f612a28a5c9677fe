"""`tepui.watch`: exploration through an abstraction of a user's own.

`sequence` is the exploration (DrUBA, Algorithm 1), and `watch_result` its result. `views` are
states as a user's functions see them, and `abstraction` maps states to what these functions return.
`respect` compares actions with Definition 4, and `violation` finds the evidence for a bad state.
`predicates/` are abstractions made of predicates, for which a solver decides respect and closure.
"""

from tepui.watching.sequence import watch
from tepui.watching.watch_result import WatchResult

__all__ = ["WatchResult", "watch"]
