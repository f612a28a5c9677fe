"""`tepui dataflow`: what holds at a place under a context bound, by weights (WPDS).

`analysis.dataflow` is the way in. `query` finds out what is meant. `possible_values` computes
values and distances, `affine_relations` equations (from `affine_rules` and `affine_forms`), and
`answers` are what comes out. `state_comparison` compares values with states that an engine lists.
"""
