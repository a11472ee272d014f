"""Random Tilepaint boards: tiles grown from random cells, a coin for each, and the numbers."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hashigo.counting.sample import Dial, DialValue, Drawn, Rng, Sample
from hashigo.models.grid import Grid
from hashigo.models.kernel import kernel
from hashigo.models.puzzle import Answer
from hashigo.models.reading import put
from hashigo.models.tilepaint import Tilepaint

Ints = NDArray[np.int64]

_LARGEST_TILE = 400


@kernel
def grow(tiles: Ints, beside: Ints, order: Ints, sizes: Ints, pool: Ints) -> int:
    """Cut the board into tiles: from each cell that is left, in `order`, a tile of the next size.

    A tile grows by a free neighbour of one of its cells that have any, both drawn evenly, until it
    has its size or no room. `beside` holds four neighbours for each cell, -1 where there is none;
    `pool` two random numbers for each cell. Gives the number of tiles.
    """
    tiles[:] = -1
    members = np.empty(tiles.shape[0], np.int64)
    growing = np.empty(tiles.shape[0], np.int64)
    free = np.empty(4, np.int64)
    tile = taken = 0
    for start in order:
        if tiles[start] >= 0:
            continue
        tiles[start] = tile
        members[0] = start
        count = 1
        while count < sizes[tile]:
            ready = 0
            for k in range(count):
                for side in range(4):
                    cell = beside[members[k], side]
                    if cell >= 0 and tiles[cell] < 0:
                        growing[ready] = members[k]
                        ready += 1
                        break
            if ready == 0:
                break
            chosen = growing[pool[taken] % ready]
            choices = 0
            for side in range(4):
                cell = beside[chosen, side]
                if cell >= 0 and tiles[cell] < 0:
                    free[choices] = cell
                    choices += 1
            cell = free[pool[taken + 1] % choices]
            taken += 2
            tiles[cell] = tile
            members[count] = cell
            count += 1
        tile += 1
    return tile


@lru_cache(maxsize=32)
def _beside(grid: Grid) -> Ints:
    table = np.full((grid.rows * grid.cols, 4), -1, np.int64)
    for i in range(grid.rows * grid.cols):
        for side, j in enumerate(grid.neighbours(i)):
            table[i, side] = j
    return table


class TilepaintSample(Sample):
    """Boards that show a random painting of random tiles: any painting is an answer."""

    LARGEST: ClassVar[int] = 60
    DIALS: ClassVar[Mapping[str, Dial]] = {
        "max_size": Dial(
            5, (1, _LARGEST_TILE), "cells that a tile grows to: from 1 to this, evenly"
        ),
        "shown": Dial(1.0, (0, 1), "share of the numbers, drawn at random, that is shown"),
    }
    COUNTS: ClassVar[Sequence[str]] = ("tiles", "numbers", "painted")
    SILENT: ClassVar[Sequence[str]] = ("flip", "pair")

    def dials_for(self, grade: str | None) -> Mapping[str, DialValue]:
        """On large boards a number is met at once only where tiles are large too."""
        side = max(self.rows, self.cols)
        return {"max_size": side} if grade == "count" and side > 10 else {}

    def draw(self, rng: Rng) -> Drawn:
        """Tiles, a coin for each, and the numbers of that painting."""
        cells = self.rows * self.cols
        labels = np.empty(cells, np.int64)
        most = int(self.dials["max_size"])
        count = grow(
            labels,
            _beside(Grid(self.rows, self.cols)),
            rng.permutation(cells),
            rng.integers(1, most, cells, endpoint=True),
            rng.integers(0, 1 << 62, 2 * cells),
        )
        # Tiles are numbered in reading order; those that are grown side by side stay apart.
        names: dict[int, int] = {}
        tiles = [names.setdefault(label, len(names)) for label in labels.tolist()]
        answer = tuple(rng.integers(0, 2, count).tolist())
        puzzle = Tilepaint.from_answer(self.rows, self.cols, tiles, answer)
        numbers = self.rows + self.cols
        hidden = round((1 - float(self.dials["shown"])) * numbers)
        for k in rng.permutation(numbers)[:hidden].tolist():
            puzzle = self.remove(puzzle, k)
        return Drawn(puzzle, answer)

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """Tiles, numbers shown, painted cells."""
        puzzle: Tilepaint = drawn.puzzle
        return {
            "tiles": puzzle.tile_count,
            "numbers": len(self.removable(puzzle)),
            "painted": sum(drawn.answer[tile] for tile in puzzle.tiles if tile >= 0),
        }

    def silent(self, drawn: Drawn) -> Iterator[tuple[str, Answer]]:
        """A tile in no numbered line flipped; two tiles of equal slices there exchanged."""
        puzzle, answer = drawn
        slices: list[list[tuple[int, int]]] = [[] for _ in answer]
        for k, segment in enumerate(puzzle.segments):
            if segment.clue is not None:
                for tile, weight in puzzle.slices(segment).items():
                    slices[tile].append((k, weight))
        alike: dict[Any, list[int]] = {}
        for tile, vector in enumerate(slices):
            alike.setdefault(tuple(vector), []).append(tile)
            if not vector:
                yield "flip", put(answer, tile, 1 - answer[tile])
        for tiles in alike.values():
            for painted in tiles:
                for blank in tiles:
                    if answer[painted] and not answer[blank]:
                        yield "pair", put(put(answer, painted, 0), blank, 1)

    def removable(self, puzzle: Tilepaint) -> list[Hashable]:
        """The numbers outside: those of the columns, then those of the rows."""
        clues = (*puzzle.col_clues, *puzzle.row_clues)
        return [k for k, clue in enumerate(clues) if clue is not None]

    def remove(self, puzzle: Tilepaint, clue: int) -> Tilepaint:
        """One number less."""
        if clue < self.cols:
            return replace(puzzle, col_clues=put(puzzle.col_clues, clue, None))
        return replace(puzzle, row_clues=put(puzzle.row_clues, clue - self.cols, None))


make = TilepaintSample
