"""The reference semantics of programs, in plain Python. It is trusted: the checker asks it."""
