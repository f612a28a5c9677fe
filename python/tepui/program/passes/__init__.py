"""Passes from Program to Program. None is trusted: the checker looks at what they made."""
