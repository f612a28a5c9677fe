"""Finds invariants of programs with any number of threads, or with integers without bounds."""
