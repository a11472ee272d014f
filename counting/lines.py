"""What single lines of a board exclude, where digits differ in a line and neighbours are related.

The digit d, from 0, has the bit d in a set of digits.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.models.kernel import kernel

Sets = NDArray[np.int64]


class Lines(NamedTuple):
    """A board for the kernels; lines are rows, then columns, padded to the longest."""

    cells: Sets  # line, position -> cell
    lengths: Sets
    labels: Sets  # line, position -> which table holds to the next cell
    tables: Sets  # table, digit from 0 -> the digits that may stand beside it
    sizes: Sets  # set of digits -> how many; empty where there are too many sets
    lasts: Sets  # work space: set of digits -> which of them may have come last
    cols: int


@kernel
def close(sets: Sets, waiting: NDArray[np.bool_], board: Lines) -> int:
    """Visit waiting lines until none is; gives the sets looked at, or -1 if a cell has nothing."""
    rows = board.lengths.shape[0] - board.cols
    looked_at = 0
    while waiting.any():
        for line in range(waiting.shape[0]):
            if not waiting[line]:
                continue
            waiting[line] = False
            exact = board.lasts.shape[0] > 0
            kept = fill_line(sets, board, line) if exact else thin_out(sets, board, line)
            looked_at += kept[-1]
            for position in range(board.lengths[line]):
                cell = board.cells[line, position]
                if kept[position] == 0:
                    return -1
                if kept[position] != sets[cell]:
                    sets[cell] = kept[position]
                    waiting[cell // board.cols] = True
                    waiting[rows + cell % board.cols] = True
            if exact:
                waiting[line] = False
    return looked_at


@kernel
def fill_line(sets: Sets, board: Lines, line: int) -> Sets:
    """What the fillings of a line have in each of its cells, and the work done.

    Goes through the sets of digits upwards, from the beginning of the line on, and downwards from
    its end. As many digits as a set has are placed: each set has its own position.
    """
    length, digits = board.lengths[line], board.tables.shape[1]
    lasts, sizes = board.lasts, board.sizes
    kept = np.zeros(length + 1, np.int64)
    lasts[:] = 0
    for d in range(digits):
        lasts[1 << d] = sets[board.cells[line, 0]] & 1 << d
    kept[length] = lasts.shape[0] // 16
    for used in range(1, lasts.shape[0]):
        position = sizes[used]
        if lasts[used] == 0 or position >= length:
            continue
        kept[length] += 1
        choices = beside(lasts[used], board, board.labels[line, position - 1])
        choices &= sets[board.cells[line, position]] & ~used
        for d in range(digits):
            lasts[used | 1 << d] |= choices & 1 << d
    for used in range(lasts.shape[0] - 1, 0, -1):
        position = sizes[used]
        if lasts[used] == 0:
            continue
        if position < length:
            choices = sets[board.cells[line, position]] & ~used
            ending = 0
            for d in range(digits):
                if choices >> d & 1:
                    ending |= lasts[used | 1 << d] & 1 << d
            lasts[used] &= beside(ending, board, board.labels[line, position - 1])
        kept[position - 1] |= lasts[used]
    return kept


@kernel
def beside(some: int, board: Lines, label: int) -> int:
    """The digits that may stand beside some digit of a set."""
    together = 0
    for d in range(board.tables.shape[1]):
        if some >> d & 1:
            together |= board.tables[label, d]
    return together


@kernel
def thin_out(sets: Sets, board: Lines, line: int) -> Sets:
    """What placed digits and single labels leave of a line: less exact, for very many digits."""
    length = board.lengths[line]
    kept = np.zeros(length + 1, np.int64)
    for position in range(length):
        kept[position] = sets[board.cells[line, position]]
    for position in range(length):
        placed = sets[board.cells[line, position]]
        if placed & (placed - 1) == 0:
            for other in range(length):
                if other != position:
                    kept[other] &= ~placed
    for position in range(length - 1):
        label = board.labels[line, position]
        kept[position + 1] &= beside(kept[position], board, label)
        kept[position] &= beside(kept[position + 1], board, label)
    kept[length] = length
    return kept
