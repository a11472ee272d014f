"""Dissections read plainly: counts by lists and by NumPy integers, and two enumerations."""

from collections.abc import Iterator
from itertools import product
from operator import add, mul

import numpy as np

from hashigo.models.grid import Border, Grid
from hashigo.models.puzzle import Answer


def by_lists(rows: int, cols: int) -> int:
    """The vertex transfer on lists of Python integers, from both ends to the middle."""
    long, short = max(rows, cols), min(rows, cols)
    half = [1] * 2 ** (short - 1)
    for _ in range((long - 1) // 2):
        half = _row_of_lists(half, short)
    other = half if long % 2 else _row_of_lists(half, short)
    return sum(map(mul, half, other))


def _row_of_lists(front: list[int], short: int) -> list[int]:
    free, stub = front, front
    for j in range(short - 1):
        reach = 1 << j
        new_free: list[int] = []
        new_stub: list[int] = []
        for start in range(0, len(free), 2 * reach):
            middle, end = start + reach, start + 2 * reach
            across, both = stub[start:middle], stub[middle:end]
            down = list(map(add, free[middle:end], both))
            new_free += free[start:middle]
            new_free += down
            new_stub += map(add, across, both)
            new_stub += map(add, down, across)
        free, stub = new_free, new_stub
    return list(map(add, free, stub))


def by_objects(rows: int, cols: int) -> int:
    """The same on NumPy arrays of Python integers."""
    long, short = max(rows, cols), min(rows, cols)
    front = np.full(2 ** (short - 1), 1, object)

    def sweep() -> None:
        stub = front.copy()
        for j in range(short - 1):
            a, b = (array.reshape(-1, 2, 1 << j) for array in (front, stub))
            a[:, 1] += b[:, 1]
            b[:, 0], b[:, 1] = b[:, 0] + b[:, 1], a[:, 1] + b[:, 0]
        front[:] += stub

    for _ in range((long - 1) // 2):
        sweep()
    other = front.copy()
    if long % 2 == 0:
        sweep()
    return int((front * other).sum())


def rooms(rows: int, cols: int, answer: Answer) -> list[set[int]]:
    """The rooms: cells connected across open borders, by flood fill."""
    grid = Grid(rows, cols)
    walls = dict(zip(grid.borders(), answer, strict=True))
    left = set(range(rows * cols))
    found = []
    while left:
        room = set()
        pending = [min(left)]
        while pending:
            i = pending.pop()
            if i in room:
                continue
            room.add(i)
            pending += [j for j in grid.neighbours(i) if not walls[Border(min(i, j), max(i, j))]]
        left -= room
        found.append(room)
    return found


def is_dissection(rows: int, cols: int, answer: Answer) -> bool:
    """Whether every room is a rectangle and every wall has another room on its other side."""
    found = rooms(rows, cols, answer)
    where = {i: k for k, room in enumerate(found) for i in room}
    for room in found:
        ys, xs = {i // cols for i in room}, {i % cols for i in room}
        if room != {y * cols + x for y in ys for x in xs}:
            return False
        if max(ys) - min(ys) >= len(ys) or max(xs) - min(xs) >= len(xs):
            return False
    borders = Grid(rows, cols).borders()
    return all(where[a] != where[b] for wall, (a, b) in zip(answer, borders, strict=True) if wall)


def by_patterns(rows: int, cols: int) -> Iterator[Answer]:
    """Every pattern of walls that is a dissection."""
    for answer in product((0, 1), repeat=len(Grid(rows, cols).borders())):
        if is_dissection(rows, cols, answer):
            yield answer


def by_laying(rows: int, cols: int) -> Iterator[Answer]:
    """Rectangles laid at the first free cell, until the board is full."""
    borders = Grid(rows, cols).borders()

    def lay(owner: list[int], number: int) -> Iterator[Answer]:
        if 0 not in owner:
            yield tuple(int(owner[a] != owner[b]) for a, b in borders)
            return
        top, left = divmod(owner.index(0), cols)
        for bottom, right in product(range(top, rows), range(left, cols)):
            cells = [y * cols + x for y in range(top, bottom + 1) for x in range(left, right + 1)]
            if not any(owner[i] for i in cells):
                laid = owner[:]
                for i in cells:
                    laid[i] = number
                yield from lay(laid, number + 1)

    return lay([0] * (rows * cols), 1)
