"""DrUBA's own way (sections 5 and 6.2): an abstraction made of predicates that a user gives.

`predicate_text` reads predicates, and `predicate_terms` says what they mean in a state, as terms.
`concrete_steps` are the steps of threads on integers as they are, compiled from the paths of the
checker's symbolic semantics; `round_robin` explores R(r, d) with them, and `predicate_sequence`
raises rounds, delays and the number of threads up to plateaus. `pictured_states` describes states
with any number of threads by a few of them, for a solver; `respect_queries` and `closure_queries`
ask it which actions respect the abstraction (Definition 4), and whether a set of abstract states is
closed (Definition 6). `watch_predicates` puts it together, and `predicate_result` is the answer.
"""
