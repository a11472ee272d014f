"""Random dissections of a board into rectangles, with exact probabilities.

A dissection is drawn by a walk backwards through the table of the sweep of counting/dissection.py,
which is kept whole here, in Python integers.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hashigo.models.puzzle import Answer
from hashigo.models.reading import require
from hashigo.models.verdict import EngineFault

_WIDEST: Final = 26
_LONGEST: Final = 2000
_TABLE_BYTES: Final = 4e9

# The weight of each front, by stub and lines down.
Front = NDArray[np.object_]

# How a point is reached: (stub, line) that go out -> those that may come in.
_ARRIVALS = {
    (0, 0): ((0, 0),),
    (0, 1): ((0, 1), (1, 1)),
    (1, 0): ((1, 0), (1, 1)),
    (1, 1): ((0, 1), (1, 0), (1, 1)),
}


class Sampler:
    """Random dissections, each with a probability in exact proportion to weight^(its rooms).

    Walks a table of exact integers backwards: for each lattice point and front, the total weight of
    what lies before it. A room is counted where its top left corner lies: at a point with walls
    down and right, or at the frame. Each cell that is such a corner takes the numerator of the
    weight and each other cell the denominator, so that all stays integer.
    """

    def __init__(self, rows: int, cols: int, weight: Fraction | float = 1) -> None:
        """Make the table: n (m - 1) 2^n integers for an m x n board, n the shorter side.

        A float is taken for the decimal number that it prints as.

        Raises:
            PuzzleError: a size or the weight is out of range, or the table too large.
        """
        self.rows, self.cols = rows, cols
        self.weight = _fraction(weight)
        self._long, self._short = max(rows, cols), min(rows, cols)
        self._refuse_large()
        self._corner, self._other = self.weight.as_integer_ratio()
        bits = self._short - 1
        corner, other = self._corner, self._other
        first = [
            corner ** (1 + s.bit_count()) * other ** (bits - s.bit_count())
            for s in range(1 << bits)
        ]
        self._layers: list[list[Front]] = []
        front = np.array(first, object)
        for _ in range(self._long - 1):
            self._layers.append(self._lattice_row(front))
            front = self._layers[-1][-1].sum(axis=0)
        self._last = list(accumulate(front))
        self.total: int = self._last[-1]

    def _refuse_large(self) -> None:
        rows, cols, short = self.rows, self.cols, self._short
        require(
            1 <= short <= _WIDEST and self._long <= _LONGEST,
            f"dissections: a board of {rows} x {cols}; expected sides of 1 to {_LONGEST}, "
            f"the shorter one at most {_WIDEST}",
        )
        size = rows * cols * (1.3 + sum(math.log2(k) for k in self.weight.as_integer_ratio()))
        entries = float(short * (self._long - 1)) * 2.0**short
        require(
            entries * (36 + size / 16) <= _TABLE_BYTES,
            f"dissections: a table for random ones of {rows} x {cols} takes "
            f"{entries * (36 + size / 16) / 1e9:,.1f} GB; at most {_TABLE_BYTES / 1e9:g} GB",
        )

    def _lattice_row(self, front: Front) -> list[Front]:
        """The table from the start of a row of lattice points to its end, by stub and lines."""
        corner, other = self._corner, self._other
        layers = [np.stack((front * other, front * corner))]
        for j in range(self._short - 1):
            before = layers[-1].reshape(2, -1, 2, 1 << j)
            none, down = before[0, :, 0], before[0, :, 1]
            across, both = before[1, :, 0], before[1, :, 1]
            after = np.empty_like(before)
            after[0, :, 0] = none * other
            after[0, :, 1] = (down + both) * other
            after[1, :, 0] = (across + both) * other
            after[1, :, 1] = (down + across + both) * corner
            layers.append(after.reshape(2, -1))
        return layers

    def draw(self, rng: np.random.Generator) -> Answer:
        """A random dissection: 0 or 1 for each inner border, in the order of the grid."""
        size = self.total.bit_length()
        while True:
            rank = int.from_bytes(rng.bytes(-(-size // 8)), "little") & ((1 << size) - 1)
            if rank < self.total:
                return self.unrank(rank)

    def unrank(self, rank: int) -> Answer:
        """The dissection with this rank: one for each of the `total` ranks without a weight.

        With a weight p/q, a dissection of k rooms has p^k q^(cells - k) ranks.
        """
        if not 0 <= rank < self.total:
            raise IndexError(f"rank {rank} of {self.total}")
        lines = bisect_right(self._last, rank)
        rank -= self._last[lines - 1] if lines else 0
        down = [lines]
        across = []
        for layers in reversed(self._layers):
            lines, stubs, rank = self._walk_back(layers, lines, rank)
            down.append(lines)
            across.append(stubs)
        return self._answer(down[::-1], across[::-1])

    def _walk_back(self, layers: list[Front], lines: int, rank: int) -> tuple[int, int, int]:
        """From the lines below a row of points: those above it, its walls across, the new rank."""
        corner, other = self._corner, self._other
        (stub, lines), rank = _choose(layers[-1], [(0, lines), (1, lines)], rank)
        across = stub << self._short - 1
        for j in reversed(range(self._short - 1)):
            down = lines >> j & 1
            rank //= corner if stub and down else other
            rest = lines ^ down << j
            ways = [(s, rest | d << j) for s, d in _ARRIVALS[stub, down]]
            (stub, lines), rank = _choose(layers[j], ways, rank)
            across |= stub << j
        return lines, across, rank // (corner if stub else other)

    def _answer(self, down: Sequence[int], across: Sequence[int]) -> Answer:
        """Bits of lines down by row, and of walls across by row, of the board stood upright."""
        short = self._short
        if self.rows >= self.cols:
            right = [lines >> j & 1 for lines in down for j in range(short - 1)]
            below = [walls >> j & 1 for walls in across for j in range(short)]
        else:
            right = [walls >> j & 1 for j in range(short) for walls in across]
            below = [lines >> j & 1 for j in range(short - 1) for lines in down]
        return (*right, *below)


def _choose(
    layer: Front, ways: Sequence[tuple[int, int]], rank: int
) -> tuple[tuple[int, int], int]:
    """The entry of a layer into whose share the rank falls, and the rank within it."""
    for way in ways:
        share: int = layer[way]
        if rank < share:
            return way, rank
        rank -= share
    raise EngineFault("dissections: a rank beyond all shares")


def _fraction(weight: Fraction | float) -> Fraction:
    try:
        value = Fraction(str(weight))
    except ValueError:
        value = Fraction(0)
    require(value > 0, f"dissections: a weight of {weight} per room; expected a positive number")
    return value
