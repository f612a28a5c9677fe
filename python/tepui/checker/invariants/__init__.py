"""Invariants over observed threads: evidence about programs with any number of threads, and with
integers without bounds. What an invariant says is in `invariant`, why the check is enough in
`obligations`."""
