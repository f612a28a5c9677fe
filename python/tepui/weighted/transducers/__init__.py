"""Weighted transducers (WPDS, sections 3, 5 and 6): everything a system does, as one machine.

`transducer` makes one from a pushdown system, `composition` puts several one after another, and
`one_tape` does so with the contexts of threads, as the paper does. `tepui.weighted.contexts` has
another way to the same weights, which goes further; the two are compared. `reachability` is the
unweighted case, and `engine_comparison` compares it with the engines.
"""
