"""Dataflow facts about programs and systems under a context bound (WPDS): `tepui dataflow`.

`ask.dataflow` is the way in. `query` finds out what is meant, `relational` computes values and
distances, `affine` relations (from `moves` and `forms`), and `answers` are what comes out.
"""
