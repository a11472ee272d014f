"""The state of a ladder: one bit mask per variable, of the values that are left.

Bit k stands for the k-th value of the variable's domain. Decision variables come first; a genre may
add helper variables behind them, such as candidate rectangles. A mask of 0 is a contradiction.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hashigo.models.kernel import kernel

# Signed 64-bit, so that no mixture of types ever leaves the integers in a kernel.
Masks = NDArray[np.int64]

# What a visit, a sweep or a climb did to the state.
NOTHING: Final = 0
CHANGED: Final = 1
CONTRADICTION: Final = -1


def full(domains: Sequence[range]) -> Masks:
    """Every value of every domain."""
    return np.array([(1 << len(domain)) - 1 for domain in domains], dtype=np.int64)


def bits(mask: int) -> list[int]:
    """The positions of the bits that are set."""
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


@kernel
def solved(masks: Masks) -> bool:
    """Whether each variable has one value left, where none has lost all."""
    return not (masks & masks - 1).any()


def values(masks: Masks, domains: Sequence[range]) -> list[list[int]]:
    """The values left of each decision variable."""
    return [[d[k] for k in bits(int(m))] for m, d in zip(masks, domains, strict=False)]


def removed(before: Masks, after: Masks, domains: Sequence[range]) -> list[tuple[int, int]]:
    """The (variable, value) pairs of decision variables that are gone."""
    return [
        (i, domain[k])
        for i, domain in enumerate(domains)
        if before[i] != after[i]
        for k in bits(int(before[i] & ~after[i]))
    ]
