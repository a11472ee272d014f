"""Grid geometry: cells, inner borders, and the half-step coordinates in which pictures are placed.

Cells are (row, column) from 0. Cell (r, c) has the index r * cols + c. The inner borders stand in
one list, all vertical ones row by row and then all horizontal ones row by row, as puzz.link has it.

A picture uses half steps: cell (r, c) is at (2r + 1, 2c + 1), the border between two cells halfway
between them, lattice points at even pairs, and the clues outside at -1.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

Cell = tuple[int, int]
Sides = tuple[int | None, int | None, int | None, int | None]


class Border(NamedTuple):
    """The border between two neighbouring cells, given by their indices; `a` is left or above."""

    a: int
    b: int


class Grid(NamedTuple):
    """A board of rows x cols cells."""

    rows: int
    cols: int

    def cell(self, index: int) -> Cell:
        """The cell with this index."""
        return divmod(index, self.cols)

    def row(self, r: int) -> range:
        """Cell indices of a row, from the left."""
        return range(r * self.cols, (r + 1) * self.cols)

    def column(self, c: int) -> range:
        """Cell indices of a column, from the top."""
        return range(c, self.rows * self.cols, self.cols)

    def lines(self) -> list[range]:
        """All rows from the top, then all columns from the left."""
        return [self.row(r) for r in range(self.rows)] + [self.column(c) for c in range(self.cols)]

    def line_name(self, line: int) -> str:
        """Name for people of a line of `lines`."""
        return f"row {line + 1}" if line < self.rows else f"column {line - self.rows + 1}"

    def borders(self) -> tuple[Border, ...]:
        """The inner borders in list order."""
        return _borders(self)

    def neighbours(self, index: int) -> Iterator[int]:
        """Indices of the orthogonal neighbours of a cell."""
        r, c = self.cell(index)
        if r > 0:
            yield index - self.cols
        if c > 0:
            yield index - 1
        if c < self.cols - 1:
            yield index + 1
        if r < self.rows - 1:
            yield index + self.cols

    def sides(self, index: int) -> Sides:
        """The borders above, right of, below and left of a cell, by number; None is the frame."""
        return _sides(self)[index]

    def crossings(self) -> tuple[tuple[int, int, int, int], ...]:
        """The borders up, right, down and left of each inner lattice point, by number."""
        return _crossings(self)

    def place(self, index: int) -> tuple[int, int]:
        """Half-step coordinates of a cell."""
        r, c = self.cell(index)
        return 2 * r + 1, 2 * c + 1

    def border_place(self, border: Border) -> tuple[int, int]:
        """Half-step coordinates of a border."""
        (ya, xa), (yb, xb) = self.place(border.a), self.place(border.b)
        return (ya + yb) // 2, (xa + xb) // 2

    def name(self, index: int) -> str:
        """Name of a cell for people: R1C1 is the first."""
        r, c = self.cell(index)
        return f"R{r + 1}C{c + 1}"

    def border_name(self, border: Border) -> str:
        """Name of a border for people: the two cells that it divides."""
        return f"{self.name(border.a)}-{self.name(border.b)}"


@lru_cache(maxsize=64)
def _borders(grid: Grid) -> tuple[Border, ...]:
    rows, cols = grid
    right = [Border(i, i + 1) for i in range(rows * cols) if i % cols < cols - 1]
    down = [Border(i, i + cols) for i in range((rows - 1) * cols)]
    return (*right, *down)


@lru_cache(maxsize=64)
def _crossings(grid: Grid) -> tuple[tuple[int, int, int, int], ...]:
    rows, cols = grid
    first = rows * (cols - 1)
    ups = [
        (r * (cols - 1) + c, first + r * cols + c) for r in range(rows - 1) for c in range(cols - 1)
    ]
    return tuple((up, left + 1, up + cols - 1, left) for up, left in ups)


@lru_cache(maxsize=64)
def _sides(grid: Grid) -> tuple[Sides, ...]:
    rows, cols = grid
    found = []
    for i in range(rows * cols):
        r, c = grid.cell(i)
        right, below = r * (cols - 1) + c, rows * (cols - 1) + i
        found.append(
            (
                below - cols if r > 0 else None,
                right if c < cols - 1 else None,
                below if r < rows - 1 else None,
                right - 1 if c > 0 else None,
            )
        )
    return tuple(found)
