"""Passes from Program to Program.

`receipts`, `unused_results` and `counts` are a part of the translation: what they make counts as
the program as it was written. What any other pass makes is `Derived`, and the checker does not
trust it.
"""

MOST_SLOTS = 100
"""More slots for forked threads are refused: the expressions that choose one grow with them."""
