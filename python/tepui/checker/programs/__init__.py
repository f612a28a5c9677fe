"""Evidence about programs, on rules of the reference semantics, for the program as written.

`program_check` is the way in. `state_tables` are the states that numbers in evidence stand for, and
`rules` a System with the rules that matter. Between the program that was explored and the program
as written may be slots for forked threads: `slot_evidence`, with `slot_shape`, `slot_meaning` and
`replay`.
"""
