"""Random Nawabari boards: a dissection with about as many rooms as wished, then the seats.

Dissections come from the exact sampler, tilted by a weight for each room. Where each room's number
stands is all that is left to choose: seats are drawn, and then moved, one at a time, until no other
answer that was seen is printed by them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.counting.random_dissection import Sampler
from hashigo.counting.sample import Change, Dial, Drawn, Rng, Sample
from hashigo.models import walls
from hashigo.models.grid import Grid
from hashigo.models.nawabari import Nawabari
from hashigo.models.puzzle import Answer
from hashigo.models.reading import put

Ints = NDArray[np.int64]

_MOVES = 300  # of seats, until a set of rivals is held to be too many
_STRAY = 0.15  # share of moves that are not the best one
_RESEATS = 100  # placements of all numbers that are tried on a board


class _Layout(NamedTuple):
    """A dissection by cells: the room of each, and the walls round it."""

    rooms: Ints
    walls: Ints


def rooms_wished(rows: int, cols: int) -> float:
    """Rooms of a board by its size: linear in its cells and its half perimeter.

    Runs through the means of published boards: 6.64 on 6x6, 10.9 on 8x8.
    """
    return 0.1297 * rows * cols + 0.1642 * (rows + cols)


def mean_rooms(rows: int, cols: int, weight: float) -> float:
    """The mean number of rooms of dissections that weigh `weight` to the power of their rooms.

    By the sweep of the sampler in floating point: how the logarithm of the sum over all
    dissections grows with that of the weight.
    """
    step = 1e-4
    up, down = (_log_sum(rows, cols, weight * np.exp(k * step)) for k in (1, -1))
    return float((up - down) / (2 * step))


def _log_sum(rows: int, cols: int, weight: float) -> float:
    bits = min(rows, cols) - 1
    front = np.array([weight ** (1 + s.bit_count()) for s in range(1 << bits)])
    log = 0.0
    for _ in range(max(rows, cols) - 1):
        layer = np.stack((front, front * weight))
        for j in range(bits):
            before = layer.reshape(2, -1, 2, 1 << j)
            down, across, both = before[0, :, 1], before[1, :, 0], before[1, :, 1]
            after = np.empty_like(before)
            after[0, :, 0] = before[0, :, 0]
            after[0, :, 1] = down + both
            after[1, :, 0] = across + both
            after[1, :, 1] = (down + across + both) * weight
            layer = after.reshape(2, -1)
        front = layer.sum(axis=0)
        log += float(np.log(front.sum()))
        front /= front.sum()
    return log


@lru_cache(maxsize=8)
def tilted(rows: int, cols: int, rooms: float) -> Sampler:
    """A sampler whose mean number of rooms is this, as near as three digits of its weight allow."""
    low, high = 1e-3, 1e3
    while high / low > 1.0005:
        middle = (low * high) ** 0.5
        if mean_rooms(rows, cols, middle) < rooms:
            low = middle
        else:
            high = middle
    return Sampler(rows, cols, float(f"{low:.3g}"))


class NawabariSample(Sample):
    """Boards that print a random dissection."""

    LARGEST: ClassVar[int] = 16
    DIALS: ClassVar[Mapping[str, Dial]] = {
        "cells_per_room": Dial(0.0, (0, 100), "mean cells of a room, about; 0: by the board's size")
    }
    COUNTS: ClassVar[Sequence[str]] = (
        "rooms",
        *(f"number_{k}" for k in range(5)),
        *(f"points_{kind}" for kind in ("none", "straight", "tee", "cross")),
    )
    SILENT: ClassVar[Sequence[str]] = ("domino-pair",)
    CHANGES: ClassVar[Mapping[str, Sequence[str]]] = {
        "move": ("same_number", "strip_end", "strip_middle", "corner", "side", "inside"),
        "erase": (),
        "reseat": (),
    }

    def __init__(self, name: str, rows: int, cols: int, dials: Mapping[str, Any]) -> None:
        """Set the dials."""
        super().__init__(name, rows, cols, dials)
        self._grid = Grid(rows, cols)
        self._layouts: dict[Answer, _Layout] = {}

    def draw(self, rng: Rng) -> Drawn:
        """A dissection, and in each room a number at a random cell."""
        share = float(self.dials["cells_per_room"])
        cells = self.rows * self.cols
        wished = cells / share if share else rooms_wished(self.rows, self.cols)
        answer = tilted(self.rows, self.cols, min(max(wished, 1.02), 0.98 * cells)).draw(rng)
        self._layouts = {}
        seats = [int(rng.choice(cells)) for cells in self._cells(answer)]
        return Drawn(Nawabari.from_answer(self.rows, self.cols, answer, seats), answer)

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """Rooms, numbers by value, inner lattice points by the walls that meet there."""
        puzzle, answer = drawn
        counts = dict.fromkeys(self.COUNTS, 0)
        counts["rooms"] = len(self._cells(answer))
        for number in puzzle.numbers:
            if isinstance(number, int):
                counts[f"number_{number}"] += 1
        kinds = {0: "none", 2: "straight", 3: "tee", 4: "cross"}
        for point in self._grid.crossings():
            counts[f"points_{kinds[sum(answer[k] for k in point)]}"] += 1
        return counts

    def silent(self, drawn: Drawn) -> Iterator[tuple[str, Answer]]:
        """Two dominoes that fill a square, their numbers at opposite corners, cut the other way."""
        puzzle, answer = drawn
        held = [number is not None for number in puzzle.numbers]
        for p, (up, across, down, back) in enumerate(self._grid.crossings()):
            r, c = divmod(p, self.cols - 1)
            i = r * self.cols + c
            corners = (i, i + 1, i + self.cols, i + self.cols + 1)
            lines = sorted((answer[up] + answer[down], answer[across] + answer[back]))
            round_about = sum(self._layout(answer).walls[list(corners)])
            if lines != [0, 2] or round_about != 12:
                continue
            if [held[k] for k in corners] in (
                [True, False, False, True],
                [False, True, True, False],
            ):
                other = answer
                for k in (up, across, down, back):
                    other = put(other, k, 1 - answer[k])
                yield "domino-pair", other

    def ways(self, drawn: Drawn, kind: str) -> int:
        """Cells that some number can move to; numbers; ways to seat all of them."""
        sizes = [len(cells) for cells in self._cells(drawn.answer)]
        return {"move": sum(sizes) - len(sizes), "erase": len(sizes), "reseat": prod(sizes)}[kind]

    def changes(self, drawn: Drawn, kind: str, rng: Rng) -> Iterator[Change]:
        """One number at another cell of its room; one erased; all at random cells of their rooms.

        A number that is moved says what is true where it comes to. Moves are told apart by whether
        that is what it said before, and by where in the room it comes to stand.
        """
        puzzle, answer = drawn
        rooms = self._cells(answer)
        if kind == "reseat":
            for _ in range(_RESEATS):
                seats = [int(rng.choice(cells)) for cells in rooms]
                yield Change(Nawabari.from_answer(self.rows, self.cols, answer, seats))
            return
        for cells in rooms:
            seat = next(i for i in cells if puzzle.numbers[i] is not None)
            without = put(puzzle.numbers, seat, None)
            if kind == "erase":
                yield Change(replace(puzzle, numbers=without))
                continue
            for cell in cells:
                if cell != seat:
                    number, place = self._seat(answer, cell)
                    same = ("same_number",) if number == puzzle.numbers[seat] else ()
                    moved = replace(puzzle, numbers=put(without, cell, number))
                    yield Change(moved, (*same, place))

    def _seat(self, answer: Answer, cell: int) -> tuple[int, str]:
        """The walls round a cell, and its place in a room of more than one cell."""
        up, right, down, left = (k is None or answer[k] == 1 for k in self._grid.sides(cell))
        number = up + right + down + left
        if number == 2:
            return number, "strip_middle" if up == down else "corner"
        return number, {3: "strip_end", 1: "side", 0: "inside"}[number]

    def rule_out(self, drawn: Drawn, rivals: Sequence[Answer], rng: Rng) -> Nawabari | None:
        """Seats moved one at a time until they print none of the rivals."""
        puzzle, answer = drawn
        own = self._layout(answer)
        others = [self._layout(rival) for rival in rivals]
        differ = np.array([other.walls != own.walls for other in others])
        rooms = np.array([other.rooms for other in others])
        choices = self._cells(answer)
        seats = np.array([next(i for i in c if puzzle.numbers[i] is not None) for c in choices])
        for _ in range(_MOVES):
            alive = np.flatnonzero(_printed(seats, differ, rooms))
            if not alive.size:
                return Nawabari.from_answer(self.rows, self.cols, answer, seats.tolist())
            target = int(rng.choice(alive))
            moves = []
            for k, cells in enumerate(choices):
                for cell in cells:
                    moved = seats.copy()
                    moved[k] = cell
                    if not _printed(moved, differ[[target]], rooms[[target]])[0]:
                        moves.append(moved)
            if not moves:
                return None
            order = rng.permutation(len(moves))
            if rng.random() > _STRAY:
                scores = [int(_printed(moves[k], differ, rooms).sum()) for k in order]
                order = order[[int(np.argmin(scores))]]
            seats = moves[int(order[0])]
        return None

    def _cells(self, answer: Answer) -> list[list[int]]:
        rooms = self._layout(answer).rooms
        return [np.flatnonzero(rooms == k).tolist() for k in range(int(rooms.max()) + 1)]

    def _layout(self, answer: Answer) -> _Layout:
        if answer not in self._layouts:
            grid = self._grid
            cells = range(self.rows * self.cols)
            round_about = [sum(1 if k is None else answer[k] for k in grid.sides(i)) for i in cells]
            rooms = np.array(walls.rooms(grid, answer), np.int64)
            self._layouts[answer] = _Layout(rooms, np.array(round_about, np.int64))
        return self._layouts[answer]


make = NawabariSample


def _printed(seats: Ints, differ: NDArray[np.bool_], rooms: Ints) -> NDArray[np.bool_]:
    """Which dissections have these numbers too: the same walls round each, each in its own room."""
    held = np.sort(rooms[:, seats], axis=1)
    apart = (held[:, 1:] != held[:, :-1]).all(axis=1)
    printed: NDArray[np.bool_] = ~differ[:, seats].any(axis=1) & apart
    return printed
