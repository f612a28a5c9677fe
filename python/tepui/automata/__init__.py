"""Regular sets of configurations of one thread, as P-automata (CUBA, sections 2.2.1 and 6).

>>> import tepui
>>> from tepui.automata import Automaton
>>> system = tepui.load("examples/figure3.cpds")
>>> reached = Automaton.of_pattern(system, "P", "<q0, 0>").post_star()
>>> "<q2, 2 0 0>" in reached, reached.is_finite
(True, False)
>>> print(reached.run_to("<q1, 1 0>"))
q0 | 0
q1 | 1 0

They are for systems whose rules are all known. A program must first be written out as such a
system.
"""

from tepui.automata.automaton import Automaton, Configuration, Run

__all__ = ["Automaton", "Configuration", "Run"]
