"""The Boolean domain: whether there is a path at all (WPDS, section 4).

With it a weighted pushdown system is a pushdown system. Its height is 1.
"""

from __future__ import annotations

from tepui.weighted.domains.tensor import CommutativeTensors


class Boolean:
    """False and true, with `or` and `and`."""

    zero = False
    one = True

    def combine(self, a: bool, b: bool) -> bool:
        return a or b

    def extend(self, a: bool, b: bool) -> bool:
        return a and b

    def transpose(self, weight: bool) -> bool:
        return weight

    def tensors(self, order: int) -> CommutativeTensors[bool]:
        return CommutativeTensors(self)
