"""Why no thread can move at the end of a trace.

`explanation` is the data: for each thread where it is, what it needs there and does not have,
and who could give it. `program_deadlock` makes it for a program: `stuck_state` is the state that is
explained, `blocked` finds the conditions that are false, `followed` who wrote a variable last, and
`ahead` which statements a thread may still come to. `system_deadlock` makes it for a pushdown
system, and `wait_cycle` finds threads that wait for each other.
"""
