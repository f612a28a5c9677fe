"""`tepui dataflow`: what holds at a place under a context bound, by weights (WPDS).

`analysis.dataflow` is the entry point. `query` finds out what is meant. `possible_values` computes
values and distances, `affine_relations` computes equations (from `affine_rules` and
`affine_forms`), and `answers` has the results. `state_comparison` compares values with states that
an engine lists.
"""
