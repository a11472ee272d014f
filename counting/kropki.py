"""Kropki counted by brute force: digits laid row by row, each held to the rules as it is laid."""

from collections.abc import Iterator

from hashigo.models.grid import Border
from hashigo.models.kropki import Kropki, Label
from hashigo.models.puzzle import Answer
from hashigo.models.verdict import Budget


def lay(puzzle: Kropki, budget: Budget) -> Iterator[Answer]:
    """Yield every answer; a node is a digit laid.

    Raises:
        OutOfBudget: a limit was met.
    """
    cols = puzzle.cols
    dots = dict(zip(puzzle.grid.borders(), puzzle.labels, strict=True))
    laid: list[int] = []

    def fits(digit: int) -> bool:
        i = len(laid)
        row_start = i - i % cols
        if puzzle.givens[i] not in (None, digit):
            return False
        if digit in laid[row_start:] or digit in laid[i % cols :: cols]:
            return False
        beside = [i - 1] if i > row_start else []
        above = [i - cols] if i >= cols else []
        return all(
            _dot_is_right(dots[Border(j, i)], laid[j], digit, puzzle.convention == "either")
            for j in (*beside, *above)
        )

    digit = 1
    while True:
        if digit > puzzle.digits:
            if not laid:
                return
            digit = laid.pop() + 1
        elif not fits(digit):
            digit += 1
        else:
            budget.spend()
            laid.append(digit)
            digit = 1
            if len(laid) == puzzle.rows * cols:
                yield tuple(laid)
                digit = laid.pop() + 1


def _dot_is_right(dot: Label, a: int, b: int, either: bool) -> bool:
    small, large = min(a, b), max(a, b)
    if dot == Label.UNKNOWN:
        return True
    if (small, large) == (1, 2):
        return dot == Label.BLACK or (either and dot == Label.WHITE)
    if large == small + 1:
        return dot == Label.WHITE
    if large == small + small:
        return dot == Label.BLACK
    return dot == Label.NONE
