"""Passes from Program to Program. None is trusted: the checker looks at what they made."""

MOST_SLOTS = 100
"""More slots for forked threads are refused: the expressions that choose one grow with them."""
