"""tepui verifies concurrent recursive programs for any number of context switches.

Read a model, from a file or a text. It is a `System` (.cpds, .pds) or a `Program` (.bp).

>>> import tepui
>>> system = tepui.load("examples/figure4.cpds")
>>> program = tepui.loads("decl x := 0; void main() { x := 1; here: assert(x); }", "bp")

Decide what it asks, and look at the answer.

>>> result = tepui.verify(system)
>>> result.verdict, str(result.proof)
('safe', 'Z (matched) has no bad state')
>>> print(tepui.verify(program).trace)
None

Compute all that is reachable.

>>> tepui.explore(system).bound
5

Ask questions of your own: about programs `assertions`, `unreachable`, `never_together`, `races` and
`deadlock`, about systems `reach`.

>>> tepui.verify_all(program, [tepui.unreachable(program, "here"), tepui.deadlock()])
UNSAFE   here is unreachable (<text>:1): violated with 1 context
SAFE     no deadlock: Z (matched) has no bad state

Choose how to run, and when to stop.

>>> options = tepui.Options(engine="explicit", limits=tepui.Limits(timeout=60))
>>> tepui.verify(system, options=options).verdict
'safe'

Write a report, or draw a picture; in a notebook, results show themselves.

>>> report = tepui.write_report("report.html", result)
>>> tepui.plot(tepui.explore(system)).save("sequence.svg")

Look closer: `observe` gives one round after another, `watch` looks at a run through an abstraction,
`dataflow` says what holds at a place, `check` examines a file of evidence. `tepui.automata` and
`tepui.weighted` have more.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tepui.public import *  # noqa: F403 - it has nothing but public names
else:

    def __getattr__(name):
        """Import a public name when it is first used: a small run needs few of their modules."""
        if name == "__all__":
            return __dir__()
        home = _homes().get(name)
        if home is None:
            from tepui.words import did_you_mean

            hint = "" if name.startswith("_") else did_you_mean(name, __dir__())
            raise AttributeError(f"module 'tepui' has no attribute {name!r}{hint}")
        from importlib import import_module

        globals()[name] = found = getattr(import_module(home), name)
        return found


def __dir__() -> list[str]:
    return ["__version__", *_homes()]


@cache
def _homes() -> dict[str, str]:
    """The module of each public name, read from the list of them, which is not executed."""
    public = __file__.removesuffix("__init__.py") + "public.py"
    with open(public, encoding="utf-8") as lines:  # noqa: PTH123 - importing pathlib takes long
        words = [line.split() for line in lines if line.startswith("from tepui")]
    return {name: home for _, home, _, name, *_ in words}
