"""Procedures on their way into a Program, before it is known which threads there are.

`build` makes drafts, and a Program from them; the steps between are here. `sections` marks what
lies between the begin and the end of an atomic section, `executions` counts how often threads are
created, `forks` handles threads that are created more than once, and `thread_types` finds the
thread types of all others.
"""
