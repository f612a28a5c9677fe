"""Programs: the layer between input languages and systems.

`program`, `types` and `expressions` are the contract for front ends. `build` has the builders for
them, and `drafts/` the steps between. `semantics/` says what a program means, and is trusted.
`passes/` turn Programs into Programs, and are not trusted.
"""
