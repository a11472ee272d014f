"""Kropki's rungs: dot, single, line. Bit v - 1 of a cell's mask stands for the digit v.

A board goes to the kernels as a tuple of arrays. Tables give, for a label and a set of digits, the
digits that may stand beside some digit of the set; they are split in two to stay small.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.ladder.rung import Choice, Correspondence, Ladder, Rung
from hashigo.ladder.state import Masks, bits
from hashigo.models.grid import Border, Grid
from hashigo.models.kernel import kernel
from hashigo.models.kropki import Convention, Kropki, Label

_LOW = 9  # digits in the low table, at least
_LARGEST_LINE = 20  # digits that `line` has memory for: 8 bytes for each set of them

_SLOTS = 16  # contents of a line that the memo keeps

_CODES = {Label.NONE: 0, Label.WHITE: 1, Label.BLACK: 2, Label.UNKNOWN: 3}
_WORDS = {
    Label.NONE: "no dot (neither consecutive nor double)",
    Label.WHITE: "white dot (consecutive)",
    Label.BLACK: "black dot (one double the other)",
    Label.UNKNOWN: "unknown edge",
}


class Board(NamedTuple):
    """What the kernels read. Lines are rows, then columns, padded to the longest."""

    cells: NDArray[np.int64]  # line, position -> cell
    lengths: NDArray[np.int64]  # line -> cells
    lines: NDArray[np.int64]  # cell -> its row, its column
    edges: NDArray[np.int64]  # border -> its two cells
    labels: NDArray[np.int64]  # border -> label code
    along: NDArray[np.int64]  # line, position -> label code to the next cell
    low: NDArray[np.int64]  # label code, digits up to `split` -> partners
    high: NDArray[np.int64]  # label code, digits above -> partners
    digits: int
    split: int


@kernel
def visit_cell(masks: Masks, board: Board, cell: int) -> int:
    """A placed digit leaves the other cells of its row and column."""
    digit = masks[cell]
    if digit & (digit - 1):
        return 0
    outcome = 0
    for k in range(2):
        line = board.lines[cell, k]
        for position in range(board.lengths[line]):
            other = board.cells[line, position]
            if other != cell and masks[other] & digit:
                masks[other] &= ~digit
                if masks[other] == 0:
                    return -1
                outcome = 1
    return outcome


@kernel
def partners(board: Board, label: int, some: int) -> int:
    """Digits that may stand beside some digit of a set."""
    low = some & ((1 << board.split) - 1)
    return int(board.low[label, low] | board.high[label, some >> board.split])


@kernel
def visit_edge(masks: Masks, board: Board, edge: int) -> int:
    """Arc consistency: a digit needs a partner across the edge."""
    a, b = board.edges[edge, 0], board.edges[edge, 1]
    label = board.labels[edge]
    left = masks[a] & partners(board, label, masks[b])
    right = masks[b] & partners(board, label, left)
    if left == 0 or right == 0:
        masks[a], masks[b] = left, right
        return -1
    if left == masks[a] and right == masks[b]:
        return 0
    masks[a], masks[b] = left, right
    return 1


@kernel
def sweep_dot(masks: Masks, board: Board) -> int:
    """Cells and edges, again and again, to the fixpoint."""
    outcome = 0
    changed = True
    while changed:
        changed = False
        for cell in range(board.lines.shape[0]):
            result = visit_cell(masks, board, cell)
            if result < 0:
                return -1
            changed |= result > 0
        for edge in range(board.edges.shape[0]):
            result = visit_edge(masks, board, edge)
            if result < 0:
                return -1
            changed |= result > 0
        if changed:
            outcome = 1
    return outcome


@kernel
def visit_single(masks: Masks, board: Board, line: int) -> int:
    """In a full-length line, a digit with one place left goes there; one with none has failed."""
    length = board.lengths[line]
    if length < board.digits:
        return 0
    once = twice = 0
    for position in range(length):
        mask = masks[board.cells[line, position]]
        twice |= once & mask
        once |= mask
    if once != (1 << board.digits) - 1:
        return -1
    once &= ~twice
    outcome = 0
    for position in range(length):
        cell = board.cells[line, position]
        hidden = masks[cell] & once
        if hidden & (hidden - 1):
            return -1
        if hidden and hidden != masks[cell]:
            masks[cell] = hidden
            outcome = 1
    return outcome


@kernel
def sweep_single(masks: Masks, board: Board) -> int:
    """Every line once."""
    outcome = 0
    for line in range(board.lengths.shape[0]):
        result = visit_single(masks, board, line)
        if result < 0:
            return -1
        outcome |= result
    return outcome


@kernel
def visit_line(
    masks: Masks, board: Board, table: NDArray[np.int32], sets: NDArray[np.int32], line: int
) -> int:
    """Keep exactly the digits of a line that extend to a full line, by forward and backward DP.

    `table[s]` holds, for a set s of used digits, the possible last ones: forward those that can be
    reached, then backward those that also reach the end. A set's size is its position, so that one
    table serves all positions. `sets` lists the sets met, position by position. Both are work space
    of 2^digits entries; `table` is zero before and after.
    """
    length = board.lengths[line]
    starts = np.empty(length + 1, np.int64)
    kept = np.zeros(length, np.int64)
    met = 0
    starts[0] = 0
    choices = masks[board.cells[line, 0]]
    while choices:
        digit = choices & -choices
        choices ^= digit
        table[digit] = digit
        sets[met] = digit
        met += 1
    for position in range(1, length):
        starts[position] = met
        label = board.along[line, position - 1]
        open_digits = masks[board.cells[line, position]]
        for k in range(starts[position - 1], starts[position]):
            used = int(sets[k])
            choices = partners(board, label, int(table[used])) & open_digits & ~used
            while choices:
                digit = choices & -choices
                choices ^= digit
                if table[used | digit] == 0:
                    sets[met] = used | digit
                    met += 1
                table[used | digit] |= digit
    starts[length] = met
    for k in range(starts[length - 1], met):
        kept[length - 1] |= table[sets[k]]
    for position in range(length - 2, -1, -1):
        label = board.along[line, position]
        open_digits = masks[board.cells[line, position + 1]]
        for k in range(starts[position], starts[position + 1]):
            used = int(sets[k])
            choices = open_digits & ~used
            reaching = 0
            while choices:
                digit = choices & -choices
                choices ^= digit
                reaching |= int(table[used | digit]) & digit
            table[used] &= partners(board, label, reaching)
            kept[position] |= table[used]
    for k in range(met):
        table[sets[k]] = 0
    outcome = 0
    for position in range(length):
        cell = board.cells[line, position]
        left = masks[cell] & kept[position]
        if left != masks[cell]:
            masks[cell] = left
            outcome = 1
        if left == 0:
            return -1
    return outcome


@kernel
def slot(masks: Masks, board: Board, line: int) -> int:
    """Where the memo keeps this content of a line."""
    mixed = 0
    for position in range(board.lengths[line]):
        mixed = mixed * 31 + masks[board.cells[line, position]]
    return int((mixed ^ (mixed >> 9)) & (_SLOTS - 1))


@kernel
def sweep_line(
    masks: Masks,
    board: Board,
    table: NDArray[np.int32],
    sets: NDArray[np.int32],
    memo: NDArray[np.int64],
) -> int:
    """Lines, the narrowest first, until one changes; not those that the memo knows to be exact.

    Lower rungs come cheaper, and leave the wide lines narrower.
    The memo (line, slot, position) holds contents that a visit left, so that branches and probes,
    which come back to the same contents again and again, need not visit them.
    """
    count = board.lengths.shape[0]
    width = np.zeros(count, np.int64)
    for line in range(count):
        known = slot(masks, board, line)
        fresh = False
        for position in range(board.lengths[line]):
            mask = masks[board.cells[line, position]]
            fresh |= memo[line, known, position] != mask
            while mask:
                mask &= mask - 1
                width[line] += 1
        if not fresh:
            width[line] = 0
    while True:
        line = -1
        for other in range(count):
            if width[other] and (line < 0 or width[other] < width[line]):
                line = other
        if line < 0:
            return 0
        width[line] = 0
        result = visit_line(masks, board, table, sets, line)
        if result < 0:
            return -1
        known = slot(masks, board, line)
        for position in range(board.lengths[line]):
            memo[line, known, position] = masks[board.cells[line, position]]
        if result > 0:
            return 1


class Dot(Rung):
    """Placed digits and arc consistency on every edge; places are the cells, then the edges."""

    name = "dot"
    sentence = "a placed digit leaves its row and column; a digit needs a partner across each edge"

    def __init__(self, puzzle: Kropki, board: Board) -> None:
        """Over one board."""
        self._puzzle, self._board = puzzle, board
        self._cells = puzzle.rows * puzzle.cols

    @property
    def places(self) -> int:
        """The cells, then the edges."""
        return self._cells + len(self._puzzle.labels)

    def visit(self, masks: Masks, place: int) -> int:
        """One cell or edge."""
        if place < self._cells:
            return visit_cell(masks, self._board, place)
        return visit_edge(masks, self._board, place - self._cells)

    def sweep(self, masks: Masks) -> int:
        """To the fixpoint."""
        return sweep_dot(masks, self._board)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The placed digit, or the edge and what stood on its two sides."""
        grid = self._puzzle.grid
        if place < self._cells:
            r, c = grid.cell(place)
            digit = int(before[place]).bit_length()
            return (
                f"{grid.name(place)} is {digit}, so {digit} is taken in row {r + 1} "
                f"and column {c + 1}"
            )
        edge = place - self._cells
        border = grid.borders()[edge]
        everything = (1 << self._puzzle.digits) - 1
        known = [
            f"{grid.name(i)} is {digits_in_words(int(before[i]))}"
            for i in border
            if before[i] != everything
        ]
        beside = f": {' and '.join(known)}" if known else ""
        return f"{_WORDS[self._puzzle.labels[edge]]} between {grid.name(border.a)} and {grid.name(border.b)}{beside}"


class Single(Rung):
    """A digit with one place left in a full-length line."""

    name = "single"
    sentence = "a digit with one place left in a row or column goes there"

    def __init__(self, puzzle: Kropki, board: Board) -> None:
        """Over one board."""
        self._puzzle, self._board = puzzle, board

    @property
    def places(self) -> int:
        """The lines."""
        return len(self._board.lengths)

    def visit(self, masks: Masks, place: int) -> int:
        """One line."""
        return visit_single(masks, self._board, place)

    def sweep(self, masks: Masks) -> int:
        """Every line once."""
        return sweep_single(masks, self._board)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The digits placed, or those that have no place."""
        grid, line = self._puzzle.grid, self._puzzle.grid.lines()[place]
        placed = [i for i in line if before[i] != after[i]]
        name = grid.line_name(place)
        if placed:
            spots = " and ".join(
                f"{int(after[i]).bit_length()} only at {grid.name(i)}" for i in placed
            )
            return f"{name} can have {spots}"
        somewhere = int(np.bitwise_or.reduce(before[list(line)]))
        lost = ((1 << self._puzzle.digits) - 1) & ~somewhere
        if lost:
            return f"{name} has no place left for {digits_in_words(lost)}"
        return f"{name} has one cell that alone can take two digits"


class Line(Rung):
    """Exactly the digits that extend to a full line."""

    name = "line"
    sentence = "a digit stays only if the whole row or column can be filled with it"

    def __init__(self, puzzle: Kropki, board: Board) -> None:
        """Over one board; takes 8 bytes for each set of digits."""
        self._puzzle, self._board = puzzle, board
        self._table = np.zeros(1 << puzzle.digits, np.int32)
        self._sets = np.empty(1 << puzzle.digits, np.int32)
        lines, longest = board.cells.shape
        self._memo = np.zeros((lines, _SLOTS, longest), np.int64)

    @property
    def places(self) -> int:
        """The lines."""
        return len(self._board.lengths)

    def visit(self, masks: Masks, place: int) -> int:
        """One line."""
        return visit_line(masks, self._board, self._table, self._sets, place)

    def sweep(self, masks: Masks) -> int:
        """Every line, until one changes."""
        return sweep_line(masks, self._board, self._table, self._sets, self._memo)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The line, and what no filling of it has."""
        grid = self._puzzle.grid
        name = grid.line_name(place)
        if not after[list(grid.lines()[place])].all():
            return f"{name} cannot be filled at all"
        lost = " or ".join(
            f"{digits_in_words(int(before[i] & ~after[i]))} at {grid.name(i)}"
            for i in grid.lines()[place]
            if before[i] != after[i]
        )
        return f"no way to fill {name} has {lost}"


def digits_in_words(mask: int) -> str:
    """The digits of a mask, in words."""
    digits = [str(k + 1) for k in bits(mask)]
    return " or ".join((", ".join(digits[:-1]), digits[-1])) if len(digits) > 1 else "".join(digits)


class KropkiLadder(Ladder):
    """The ladder of one board."""

    correspondences: ClassVar[Sequence[Correspondence]] = (
        Correspondence("dot", without=("somewhere",)),
        Correspondence("dot", without=("somewhere",), probing=True),
        Correspondence("single"),
        Correspondence("single", probing=True),
        Correspondence("line", strong=True),
        Correspondence("line", strong=True, probing=True),
    )

    def __init__(self, puzzle: Kropki) -> None:
        """Lay the board out for the kernels."""
        self.puzzle: Kropki = puzzle
        board = _board(puzzle)
        rungs: list[Rung] = [Dot(puzzle, board), Single(puzzle, board)]
        if puzzle.digits <= _LARGEST_LINE:
            rungs.append(Line(puzzle, board))
        else:
            note = f"no rung 'line': its tables fit {_LARGEST_LINE} digits, not {puzzle.digits}"
            self.notes = [note]
        self.rungs: Sequence[Rung] = rungs

    def start(self) -> Masks:
        """Every digit, but where one is given."""
        puzzle = self.puzzle
        masks = np.full(len(puzzle.givens), (1 << puzzle.digits) - 1, dtype=np.int64)
        for i, given in enumerate(puzzle.givens):
            if given is not None:
                masks[i] = 1 << given - 1
        return masks

    def assumption(self, choice: Choice) -> str:
        """The digit of a cell."""
        return f"{self.puzzle.grid.name(choice[0])} is {choice[1] + 1}"


make = KropkiLadder


def _board(puzzle: Kropki) -> Board:
    shape = _shape(puzzle.grid)
    codes = np.array([_CODES[label] for label in puzzle.labels] + [3], dtype=np.int64)
    split = max(_LOW, puzzle.digits // 2)
    low, high = _partner_tables(puzzle.digits, split, puzzle.convention)
    return Board(
        shape.cells,
        shape.lengths,
        shape.lines,
        shape.edges,
        codes[:-1],
        codes[shape.border_along],
        low,
        high,
        puzzle.digits,
        split,
    )


class _Shape(NamedTuple):
    cells: NDArray[np.int64]
    lengths: NDArray[np.int64]
    lines: NDArray[np.int64]
    edges: NDArray[np.int64]
    border_along: NDArray[np.int64]  # line, position -> border to the next cell, or past the last


@lru_cache(maxsize=32)
def _shape(grid: Grid) -> _Shape:
    lines = grid.lines()
    borders = grid.borders()
    number = {border: k for k, border in enumerate(borders)}
    longest = max(grid)
    cells = np.full((len(lines), longest), -1, dtype=np.int64)
    along = np.full((len(lines), longest), len(borders), dtype=np.int64)
    for k, line in enumerate(lines):
        cells[k, : len(line)] = list(line)
        for position, pair in enumerate(pairwise(line)):
            along[k, position] = number[Border(*pair)]
    return _Shape(
        cells,
        np.array([len(line) for line in lines], dtype=np.int64),
        np.array([(r, grid.rows + c) for r in range(grid.rows) for c in range(grid.cols)]),
        np.array(borders, dtype=np.int64).reshape(-1, 2),
        along,
    )


@lru_cache(maxsize=32)
def _partner_tables(
    digits: int, split: int, convention: Convention
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each label and set of digits, low and high, the union of their partners."""
    everything = (1 << digits) - 1
    single = np.zeros((4, max(digits, split)), dtype=np.int64)
    for k in range(digits):
        digit = k + 1
        consecutive = (1 << k + 1 | (1 << k >> 1)) & everything
        double = 1 << 2 * digit - 1 & everything
        half = 1 << digit // 2 - 1 if digit % 2 == 0 else 0
        white = consecutive
        if convention == "black" and digit <= 2:
            white &= ~0b11
        others = everything & ~(1 << k)
        single[:, k] = others & ~(consecutive | double | half), white, double | half, others
    low = np.zeros((4, 1 << split), dtype=np.int64)
    high = np.zeros((4, 1 << max(0, digits - split)), dtype=np.int64)
    for table, first in ((low, 0), (high, split)):
        for k in range(table.shape[1].bit_length() - 1):
            table[:, 1 << k : 2 << k] = table[:, : 1 << k] | single[:, first + k, None]
    return low, high
