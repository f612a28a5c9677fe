"""tepui verifies concurrent recursive programs for any number of context switches.

>>> import tepui
>>> system = tepui.load("examples/figure4.cpds")
>>> tepui.verify(system).verdict
'safe'
>>> tepui.explore(system).bound
5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tepui.public import *  # noqa: F403 - it has nothing but public names
else:

    def __getattr__(name):
        """Import the public names when one of them is first used: the command line needs none."""
        if name == "__all__":
            return __dir__()
        import tepui.public as public

        if name.startswith("_") or name not in vars(public):
            from tepui.words import did_you_mean

            hint = "" if name.startswith("_") else did_you_mean(name, __dir__())
            raise AttributeError(f"module 'tepui' has no attribute {name!r}{hint}")
        return getattr(public, name)


def __dir__() -> list[str]:
    import tepui.public as public

    return ["__version__", *(name for name in vars(public) if not name.startswith("_"))]
