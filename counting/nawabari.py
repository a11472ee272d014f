"""Nawabari counted: an exact sweep, and two brute forces.

The brute forces know no candidates, no lattice points and no owners.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from hashigo.counting import census as dissected
from hashigo.counting.rooms import ANYTHING, NOTHING, Rules, sweep, sweep_areas
from hashigo.models.nawabari import UNKNOWN, Nawabari, Number
from hashigo.models.puzzle import Answer
from hashigo.models.verdict import Budget

# The boards of the census are those of this genre.
census = dissected.census

# The sweep


@dataclass(frozen=True)
class Variant:
    """How the rules are read; by default as they are. For experiments with misreadings."""

    frame: bool = True  # the frame of the board is a wall
    area: bool = False  # a number is the area of its room
    several: bool = False  # a room may have several numbers
    empty: bool = False  # a room may have none


RULES = Variant()


def count(puzzle: Nawabari, budget: Budget, variant: Variant = RULES) -> int:
    """The exact number of answers; a node is a state of the sweep's front (see rooms.py).

    Raises:
        OutOfBudget: a limit was met, or the board is too large for the states.
    """
    codes = {None: NOTHING, UNKNOWN: ANYTHING}
    numbers = [n if isinstance(n, int) else codes[n] for n in puzzle.numbers]
    rules = Rules(int(variant.frame), int(variant.several), int(variant.empty))
    count_with = sweep_areas if variant.area else sweep
    return count_with(puzzle.rows, puzzle.cols, numbers, rules, budget)


# Rectangles


def lay(puzzle: Nawabari, budget: Budget) -> Iterator[Answer]:
    """Yield every answer: rectangles are laid, each with its corner at the first free cell.

    A node is a rectangle tried.

    Raises:
        OutOfBudget: a limit was met.
    """
    rows, cols = puzzle.rows, puzzle.cols
    board = [[0] * cols for _ in range(rows)]  # which rectangle lies on each cell, from 1
    laid: list[tuple[int, int, int, int]] = []  # top, left, height, width

    def paint(top: int, left: int, height: int, width: int, colour: int) -> None:
        for r in range(top, top + height):
            board[r][left : left + width] = [colour] * width

    def corner() -> tuple[int, int] | None:
        for r, row in enumerate(board):
            if 0 in row:
                return r, row.index(0)
        return None

    top, left = 0, 0
    height, width = 1, 0
    while True:
        # The next size in order: wider, then taller; the last of them gives way to the one before.
        width += 1
        if left + width > cols or board[top][left + width - 1]:
            height, width = height + 1, 1
        if top + height > rows:
            if not laid:
                return
            top, left, height, width = laid.pop()
            paint(top, left, height, width, 0)
            continue
        budget.spend()
        if not _seated(puzzle, top, left, height, width):
            continue
        laid.append((top, left, height, width))
        paint(top, left, height, width, len(laid))
        free = corner()
        if free is None:
            yield _walls_of(board)
            top, left, height, width = laid.pop()
            paint(top, left, height, width, 0)
        else:
            (top, left), height, width = free, 1, 0


def _seated(puzzle: Nawabari, top: int, left: int, height: int, width: int) -> bool:
    """Whether this rectangle holds one number, which counts its walls."""
    held = [
        (number, r, c)
        for r in range(top, top + height)
        for c in range(left, left + width)
        if (number := puzzle.numbers[r * puzzle.cols + c]) is not None
    ]
    if len(held) != 1:
        return False
    number, r, c = held[0]
    walls = [r == top, r == top + height - 1, c == left, c == left + width - 1]
    return number in (UNKNOWN, sum(walls))


def _walls_of(board: list[list[int]]) -> Answer:
    right = [int(a != b) for row in board for a, b in pairwise(row)]
    down = [int(a != b) for row, below in pairwise(board) for a, b in zip(row, below, strict=True)]
    return (*right, *down)


# Borders


def lay_borders(puzzle: Nawabari, budget: Budget) -> Iterator[Answer]:
    """Yield every answer: borders are chosen one by one, and the board is judged at the end.

    A node is a board judged: there are 2 to the number of borders.

    Raises:
        OutOfBudget: a limit was met.
    """
    borders = [tuple(border) for border in puzzle.grid.borders()]
    for walls in product((0, 1), repeat=len(borders)):
        budget.spend()
        drawn = dict(zip(borders, walls, strict=True))
        if _is_answer(puzzle, drawn):
            yield walls


def _is_answer(puzzle: Nawabari, drawn: dict[tuple[int, ...], int]) -> bool:
    room = list(range(puzzle.rows * puzzle.cols))
    changed = True
    while changed:
        changed = False
        for (a, b), wall in drawn.items():
            if not wall and room[a] != room[b]:
                room[a] = room[b] = min(room[a], room[b])
                changed = True
    # A wall with one room on both sides divides nothing.
    if any(wall and room[a] == room[b] for (a, b), wall in drawn.items()):
        return False
    members: dict[int, list[int]] = {}
    for i, name in enumerate(room):
        members.setdefault(name, []).append(i)
    return all(_is_room(puzzle, cells, drawn) for cells in members.values())


def _is_room(puzzle: Nawabari, cells: list[int], drawn: dict[tuple[int, ...], int]) -> bool:
    rows = {i // puzzle.cols for i in cells}
    cols = {i % puzzle.cols for i in cells}
    spanned = [r * puzzle.cols + c for r in range(min(rows), max(rows) + 1)
               for c in range(min(cols), max(cols) + 1)]  # fmt: skip
    held = [(i, number) for i in cells if (number := puzzle.numbers[i]) is not None]
    return sorted(cells) == spanned and len(held) == 1 and _counts(puzzle, *held[0], drawn)


def _counts(puzzle: Nawabari, i: int, number: Number, drawn: dict[tuple[int, ...], int]) -> bool:
    inner = [wall for border, wall in drawn.items() if i in border]
    frame = 4 - len(inner)
    return number in (UNKNOWN, frame + sum(inner))
