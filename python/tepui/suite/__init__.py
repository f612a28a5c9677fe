"""Suites: many tasks, each in a process of its own, with their outcomes kept in a file.

`outcome` says how a task ended and judges it. `processes` runs tasks here and `cluster` on other
machines. `store` keeps the outcomes, and `compare`, `table`, `junit` and `text` show them.
"""
