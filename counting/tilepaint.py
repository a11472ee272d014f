"""Tilepaint counted: by brute force over tile paintings, straight from the rules."""

from collections.abc import Iterator

from hashigo.models.puzzle import Answer
from hashigo.models.tilepaint import Tilepaint
from hashigo.models.verdict import Budget


def lay(puzzle: Tilepaint, budget: Budget) -> Iterator[Answer]:
    """Yield every answer; a node is a tile painted or left.

    Tiles are decided in order, and a number is looked at once the last tile that it sees is.

    Raises:
        OutOfBudget: a limit was met.
    """
    tiles = puzzle.tiles
    last = max(tiles) + 1
    due: list[list[tuple[int, list[int]]]] = [[] for _ in range(last)]
    for number, cells in _tallies(puzzle):
        due[max(tiles[i] for i in cells)].append((number, cells))

    laid: list[int] = []
    colour = 0
    while True:
        if colour == 0 and len(laid) == last:
            yield tuple(laid)
            colour = 2
        if colour == 2:
            if not laid:
                return
            colour = laid.pop() + 1
            continue
        budget.spend()
        laid.append(colour)
        wrong = any(
            sum(laid[tiles[i]] for i in cells) != number for number, cells in due[len(laid) - 1]
        )
        colour = 2 if wrong else 0


def _tallies(puzzle: Tilepaint) -> Iterator[tuple[int, list[int]]]:
    """Each number with the cells that it sees: every cell looks back to the number before it."""
    seen: dict[tuple[str, int, int], list[int]] = {}
    numbers: dict[tuple[str, int, int], int | None] = {}
    for i in range(puzzle.rows * puzzle.cols):
        if puzzle.inner[i] is not None:
            continue
        r, c = divmod(i, puzzle.cols)
        left = c - 1
        while left >= 0 and puzzle.inner[r * puzzle.cols + left] is None:
            left -= 1
        up = r - 1
        while up >= 0 and puzzle.inner[up * puzzle.cols + c] is None:
            up -= 1
        beside = puzzle.inner[r * puzzle.cols + left] if left >= 0 else None
        above = puzzle.inner[up * puzzle.cols + c] if up >= 0 else None
        numbers["right", r, left] = beside.right if beside else puzzle.row_clues[r]
        numbers["down", up, c] = above.down if above else puzzle.col_clues[c]
        seen.setdefault(("right", r, left), []).append(i)
        seen.setdefault(("down", up, c), []).append(i)
    for place, cells in seen.items():
        if (number := numbers[place]) is not None:
            yield number, cells
