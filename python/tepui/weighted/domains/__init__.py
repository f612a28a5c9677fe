"""Weight domains for weighted pushdown systems (WPDS, sections 4 and 6, appendix B).

>>> from tepui.weighted import Affine
>>> domain = Affine(variables=2)
>>> increment = domain.statement({1: (1, 1, 0)})
>>> copy = domain.statement({2: (1, 1, 0)})
>>> domain.holding(domain.extend(domain.combine(domain.one, increment), copy))
((1, 1, -1),)

That is, after `x1 := x1 + 1`, or not, and `x2 := x1 + 1`, the relation 1 + x1 - x2 = 0 holds. This
package has the weights, their laws and their tensor products; the code that uses them is one level
up.
"""

from tepui.weighted.domains.affine import Affine
from tepui.weighted.domains.boolean import Boolean
from tepui.weighted.domains.laws import (
    BrokenLaw,
    check_descent,
    check_laws,
    check_merge,
    check_tensor,
    check_transpose,
    check_transposed_tensor,
)
from tepui.weighted.domains.matrices import Matrices
from tepui.weighted.domains.min_path import MinPath, Path, ShortestPath
from tepui.weighted.domains.pairs import Pairs, TwoWay
from tepui.weighted.domains.relations import Relations
from tepui.weighted.domains.semiring import (
    Merging,
    Semiring,
    Tensorable,
    Tensors,
    Transposable,
    combine_all,
    extend_all,
    is_below,
)
from tepui.weighted.domains.sets import Sets, Transformer
from tepui.weighted.domains.tensor import CommutativeTensors, PureTensors
from tepui.weighted.domains.weighted_relations import WeightedRelations

__all__ = [
    "Affine",
    "Boolean",
    "BrokenLaw",
    "CommutativeTensors",
    "Matrices",
    "Merging",
    "MinPath",
    "Pairs",
    "Path",
    "PureTensors",
    "Relations",
    "Semiring",
    "Sets",
    "ShortestPath",
    "Tensorable",
    "Tensors",
    "Transformer",
    "Transposable",
    "TwoWay",
    "WeightedRelations",
    "check_descent",
    "check_laws",
    "check_merge",
    "check_tensor",
    "check_transpose",
    "check_transposed_tensor",
    "combine_all",
    "extend_all",
    "is_below",
]
