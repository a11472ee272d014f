"""Tilepaint's rungs: count, edge, fit, one law in three strengths. Their places are the segments.

Bit 0 of a tile's mask stands for unpainted, bit 1 for painted. What a segment *owes* is its number
less the slices that are painted; a slice is the cells that a tile has in the segment. Each rung
contains the one before it: what `count` concludes from a state, `edge` does, and so `fit`.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.ladder.rung import Choice, Correspondence, Ladder, Rung, open_variables
from hashigo.ladder.state import Masks
from hashigo.models.kernel import kernel
from hashigo.models.tilepaint import Segment, Tilepaint

_OPEN = 3
_PAINTED = 2


class Board(NamedTuple):
    """What the kernels read: the segments with a number, padded to the most tiles."""

    tiles: NDArray[np.int64]  # segment, position -> tile
    sizes: NDArray[np.int64]  # segment, position -> cells of the tile's slice
    lengths: NDArray[np.int64]  # segment -> tiles
    clues: NDArray[np.int64]  # segment -> number


@kernel
def balance(masks: Masks, board: Board, segment: int) -> tuple[int, int]:
    """What a segment owes, and what its open slices come to."""
    owed = board.clues[segment]
    loose = 0
    for k in range(board.lengths[segment]):
        mask = masks[board.tiles[segment, k]]
        if mask == 3:
            loose += board.sizes[segment, k]
        elif mask == 2:
            owed -= board.sizes[segment, k]
    return owed, loose


@kernel
def visit_count(masks: Masks, board: Board, segment: int) -> int:
    """Nothing owed: the rest stays unpainted; all owed: the rest is painted."""
    owed, loose = balance(masks, board, segment)
    if owed < 0 or owed > loose:
        return -1
    if loose == 0 or (owed > 0 and owed < loose):
        return 0
    for k in range(board.lengths[segment]):
        tile = board.tiles[segment, k]
        if masks[tile] == 3:
            masks[tile] = 1 if owed == 0 else 2
    return 1


@kernel
def visit_edge(masks: Masks, board: Board, segment: int) -> int:
    """A slice larger than the debt stays unpainted; one that the debt cannot do without is painted.

    All slices are held to the state as it was before the visit.
    """
    owed, loose = balance(masks, board, segment)
    if owed < 0 or owed > loose:
        return -1
    outcome = 0
    for k in range(board.lengths[segment]):
        tile = board.tiles[segment, k]
        if masks[tile] == 3:
            size = board.sizes[segment, k]
            too_large = size > owed
            needed = loose - size < owed
            if too_large and needed:
                masks[tile] = 0
                return -1
            if too_large or needed:
                masks[tile] = 1 if too_large else 2
                outcome = 1
    return outcome


@kernel
def visit_fit(masks: Masks, board: Board, segment: int) -> int:
    """Keep exactly the colours with which the open slices can make the debt.

    Sets of sums are bit sets: forward what the slices up to a position can make, backward from
    which sums the slices after it can reach the debt. No sum exceeds 60, so that they fit 64 bits.
    """
    owed, loose = balance(masks, board, segment)
    if owed < 0 or owed > loose:
        return -1
    length = board.lengths[segment]
    sums = np.empty(length + 1, np.int64)
    sums[0] = 1
    for k in range(length):
        sums[k + 1] = sums[k]
        if masks[board.tiles[segment, k]] == 3:
            sums[k + 1] |= sums[k] << board.sizes[segment, k]
    goals = 1 << owed
    if sums[length] & goals == 0:
        return -1
    outcome = 0
    for k in range(length - 1, -1, -1):
        tile = board.tiles[segment, k]
        if masks[tile] == 3:
            size = board.sizes[segment, k]
            left = 1 if sums[k] & goals else 0
            if sums[k] & (goals >> size):
                left |= 2
            goals |= goals >> size
            if left != 3:
                masks[tile] = left
                outcome = 1
    return outcome


@kernel
def sweep_count(masks: Masks, board: Board) -> int:
    """Every segment, again and again, to the fixpoint."""
    outcome = 0
    changed = True
    while changed:
        changed = False
        for segment in range(board.lengths.shape[0]):
            result = visit_count(masks, board, segment)
            if result < 0:
                return -1
            changed |= result > 0
        if changed:
            outcome = 1
    return outcome


@kernel
def sweep_edge(masks: Masks, board: Board) -> int:
    """Every segment once."""
    outcome = 0
    for segment in range(board.lengths.shape[0]):
        result = visit_edge(masks, board, segment)
        if result < 0:
            return -1
        outcome |= result
    return outcome


@kernel
def sweep_fit(masks: Masks, board: Board) -> int:
    """Every segment once."""
    outcome = 0
    for segment in range(board.lengths.shape[0]):
        result = visit_fit(masks, board, segment)
        if result < 0:
            return -1
        outcome |= result
    return outcome


class _OverSegments(Rung):
    """A rung whose places are the segments with a number."""

    def __init__(self, puzzle: Tilepaint, segments: Sequence[Segment], board: Board) -> None:
        """Over one board."""
        self._puzzle, self._segments, self._board = puzzle, segments, board

    @property
    def places(self) -> int:
        """The segments with a number."""
        return len(self._board.lengths)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """What the segment owes, and why its open tiles then have their colours."""
        segment = self._segments[place]
        name = self._puzzle.segment_name(segment)
        owed, loose = balance(before, self._board, place)
        if owed < 0:
            assert segment.clue is not None
            return f"{name} needs {segment.clue} and has {segment.clue - owed} painted already"
        slices = self._puzzle.slices(segment).items()
        sizes = {tile: size for tile, size in slices if before[tile] == _OPEN}
        weights = f"its open tiles weigh {', '.join(map(str, sizes.values()))}"
        if not sizes:
            return f"{name} owes {owed} and has no open tile"
        if owed == 0:
            return f"{name} has all it needs: its open tiles stay unpainted"
        if owed > loose:
            return f"{name} owes {owed} and {weights}: too little"
        if owed == loose:
            return f"{name} owes {owed} and {weights}: all are painted"
        painted = [t for t in sizes if after[t] == _PAINTED]
        white = [t for t in sizes if after[t] not in (_OPEN, _PAINTED)]
        if (not painted and not white) or any(after[t] == 0 for t in sizes):
            return f"{name} owes {owed} and {weights}: no choice of them makes {owed}"
        return f"{name} owes {owed} and {weights}: {self._because(owed, sizes, painted, white)}"

    def _because(
        self, owed: int, sizes: dict[int, int], painted: list[int], white: list[int]
    ) -> str:
        """Why these tiles are painted, and those not, where the debt leaves a choice."""
        return ""

    def _names(self, tiles: Sequence[int]) -> str:
        """Tiles in words."""
        names = [self._puzzle.variable_name(tile) for tile in tiles]
        return " and ".join(names)


class Count(_OverSegments):
    """A number that is met, or that takes all that is open."""

    name = "count"
    sentence = "a number that is met leaves the rest unpainted; one that takes all, paints all"

    def visit(self, masks: Masks, place: int) -> int:
        """One segment."""
        return visit_count(masks, self._board, place)

    def sweep(self, masks: Masks) -> int:
        """To the fixpoint."""
        return sweep_count(masks, self._board)


class Edge(_OverSegments):
    """Bounds for each slice alone."""

    name = "edge"
    sentence = "a slice larger than the debt stays unpainted; one it cannot do without is painted"

    def visit(self, masks: Masks, place: int) -> int:
        """One segment."""
        return visit_edge(masks, self._board, place)

    def sweep(self, masks: Masks) -> int:
        """Every segment once."""
        return sweep_edge(masks, self._board)

    def _because(
        self, owed: int, sizes: dict[int, int], painted: list[int], white: list[int]
    ) -> str:
        parts = []
        if white:
            parts.append(f"too much with {self._names(white)}")
        if painted:
            parts.append(f"too little without {self._names(painted)}")
        return ", ".join(parts)


class Fit(_OverSegments):
    """Exactly the subset sums."""

    name = "fit"
    sentence = "a colour stays only if some choice of the open slices then makes the debt"

    def visit(self, masks: Masks, place: int) -> int:
        """One segment."""
        return visit_fit(masks, self._board, place)

    def sweep(self, masks: Masks) -> int:
        """Every segment once."""
        return sweep_fit(masks, self._board)

    def _because(
        self, owed: int, sizes: dict[int, int], painted: list[int], white: list[int]
    ) -> str:
        parts = []
        if white:
            parts.append(f"no choice that makes {owed} has {self._names(white)}")
        if painted:
            parts.append(f"every choice that makes {owed} has {self._names(painted)}")
        return ", ".join(parts)


class TilepaintLadder(Ladder):
    """The ladder of one board."""

    correspondences: ClassVar[Sequence[Correspondence]] = (
        Correspondence("fit"),
        Correspondence("fit", probing=True),
    )
    side: ClassVar[int] = 10

    def __init__(self, puzzle: Tilepaint) -> None:
        """Lay the board out for the kernels."""
        self.puzzle: Tilepaint = puzzle
        segments = [segment for segment in puzzle.segments if segment.clue is not None]
        board = _board(puzzle, segments)
        self._seen = np.zeros(puzzle.tile_count, dtype=np.int64)
        np.add.at(self._seen, board.tiles, board.sizes)
        self.rungs: Sequence[Rung] = [rung(puzzle, segments, board) for rung in (Count, Edge, Fit)]

    def branch(self, masks: Masks) -> list[Choice]:
        """The open tile of which the numbers see the most cells: there a mistake shows soonest."""
        tile = max(open_variables(masks), key=lambda i: (int(self._seen[i]), -i))
        return [(tile, 0), (tile, 1)]

    def assumption(self, choice: Choice) -> str:
        """A tile, painted or not."""
        painted = "painted" if choice[1] else "unpainted"
        return f"{self.puzzle.variable_name(choice[0])} is {painted}"


make = TilepaintLadder


def _board(puzzle: Tilepaint, segments: Sequence[Segment]) -> Board:
    slices = [puzzle.slices(segment) for segment in segments]
    lengths = [len(found) for found in slices]
    shape = len(segments), max(lengths, default=0)
    padding = [[0] * (shape[1] - length) for length in lengths]
    tiles = [[*found, *rest] for found, rest in zip(slices, padding, strict=True)]
    sizes = [[*found.values(), *rest] for found, rest in zip(slices, padding, strict=True)]
    return Board(
        np.array(tiles, dtype=np.int64).reshape(shape),
        np.array(sizes, dtype=np.int64).reshape(shape),
        np.array(lengths, dtype=np.int64),
        np.array([segment.clue for segment in segments], dtype=np.int64),
    )
