"""Concurrent pushdown systems as text: `.pds` of the public CUBA tool, and our own `.cpds`.

`state_texts` reads the states in both, and `suspicions` finds rules that can never be taken.
"""
