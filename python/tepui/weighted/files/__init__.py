"""Weighted pushdown systems, sets of configurations and automata as files.

`systems` and `automata` read and write our own JSON form, `domains` and `forms` that of weights;
`pdaaal` reads the files of the public tool of that name. `documents` knows where in a file a value
stands.
"""
