"""Nawabari's rungs: count, vertex, room.

The variables are the borders (bit 0 no wall, bit 1 wall), and behind them one helper variable for
each rectangle that holds one number and seats it right (bit 0 rejected, bit 1 chosen), so that what
probing rejects stays rejected.
"""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from hashigo.ladder.rectangles import (
    draw_box,
    fewest,
    lay_board,
    settle,
    sweep_count,
    sweep_room,
    sweep_vertex,
    visit_count,
    visit_room,
    visit_vertex,
)
from hashigo.ladder.rung import Choice, Correspondence, Ladder, Rung
from hashigo.ladder.state import Masks
from hashigo.models.nawabari import Nawabari
from hashigo.models.puzzle import Answer


class Count(Rung):
    """Walls round a number; places are the numbers, then the board as a whole."""

    name = "count"
    sentence = "a number has as many walls round it as it says, the frame included"

    def __init__(self, ladder: "NawabariLadder") -> None:
        """Over one board."""
        self._ladder = ladder
        self._numbers, self._sides = ladder.board.numbers, ladder.board.sides
        self._rectangles = ladder.board.rectangles

    @property
    def places(self) -> int:
        """The numbers, then the board as a whole."""
        return len(self._numbers) + 1

    def visit(self, masks: Masks, place: int) -> int:
        """One number, or the rectangles, which follow once every border is known."""
        if place == len(self._numbers):
            return settle(masks, self._rectangles)
        return visit_count(masks, self._numbers, self._sides, place)

    def sweep(self, masks: Masks) -> int:
        """To the fixpoint."""
        outcome = sweep_count(masks, self._numbers, self._sides, self._ladder.borders)
        if outcome < 2:
            return outcome
        settled = settle(masks, self._rectangles)
        return settled if settled < 0 else outcome & 1 | settled

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The number, and how many walls it has and can have."""
        if place == len(self._ladder.seats):
            return "every border is known, so each number has the rectangle that is drawn round it"
        sides = self._ladder.puzzle.grid.sides(self._ladder.seats[place])
        number = self._ladder.puzzle.numbers[self._ladder.seats[place]]
        walls = sum(k is None or before[k] == 2 for k in sides)
        can = walls + sum(k is not None and before[k] == 3 for k in sides)
        frame = ", the frame counted" if None in sides else ""
        name = self._ladder.number_name(place)
        if walls == number:
            return f"{name} has its walls{frame}, so its other sides are open"
        if can == number:
            return f"{name} needs every side that can still be a wall{frame}"
        return f"{name} has {walls} walls and can have at most {can}{frame}"


class Vertex(Rung):
    """The eight legal patterns; places are the inner lattice points."""

    name = "vertex"
    sentence = "a wall goes straight on, or ends at a wall that does: 8 of 16 patterns at a point"

    def __init__(self, ladder: "NawabariLadder") -> None:
        """Over one board."""
        self._ladder = ladder
        self._points, self._law = ladder.board.points, ladder.board.law

    @property
    def places(self) -> int:
        """The inner lattice points."""
        return len(self._points)

    def visit(self, masks: Masks, place: int) -> int:
        """One point."""
        return visit_vertex(masks, self._points, self._law, place)

    def sweep(self, masks: Masks) -> int:
        """To the fixpoint."""
        return sweep_vertex(masks, self._points, self._law)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The point, and what was known there."""
        grid = self._ladder.puzzle.grid
        r, c = divmod(place, grid.cols - 1)
        names = ("above", "right", "below", "left")
        here = list(zip(self._points[place], names, strict=True))
        known = [f"a wall {name}" for k, name in here if before[k] == 2]
        known += [f"no wall {name}" for k, name in here if before[k] == 1]
        return (
            f"at the lower right corner of {grid.name(r * grid.cols + c)} ({', '.join(known)}) "
            "a wall must go straight on, or end at one that does"
        )


class Room(Rung):
    """Candidate rectangles; places are the numbers, then the cells."""

    name = "room"
    sentence = "drop rectangles that walls rule out; keep what all that are left of a number share"

    def __init__(self, ladder: "NawabariLadder") -> None:
        """Over one board."""
        self._ladder = ladder
        self._numbers = len(ladder.seats)
        self._rectangles = ladder.board.rectangles

    @property
    def places(self) -> int:
        """The numbers, then the cells."""
        return self._numbers + self._rectangles.cells

    def visit(self, masks: Masks, place: int) -> int:
        """One number, or one cell."""
        return visit_room(masks, self._rectangles, place)

    def sweep(self, masks: Masks) -> int:
        """To the fixpoint."""
        return sweep_room(masks, self._rectangles)

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The number and what its rectangles share, or the cell and who reaches it."""
        if place < self._numbers:
            return self._number_reason(before, after, place)
        cell = self._ladder.puzzle.grid.name(place - self._numbers)
        gone = np.flatnonzero((before & ~after)[self._rectangles.borders :])
        if not gone.size:
            return f"no rectangle that is left has {cell}"
        k = self._ladder.owner(int(gone[0]))
        return (
            f"only {self._ladder.number_name(k)} reaches {cell}; "
            f"{self._number_reason(before, after, k)}"
        )

    def _number_reason(self, before: Masks, after: Masks, k: int) -> str:
        name = self._ladder.number_name(k)
        borders, first = self._rectangles.borders, self._rectangles.first
        rectangles = after[borders + first[k] : borders + first[k + 1]]
        if not rectangles.all():
            return f"the rectangle chosen for {name} clashes with what is known"
        left = np.flatnonzero(rectangles & 2)
        if not left.size:
            return f"no rectangle is left for {name}"
        if left.size == 1:
            return f"one rectangle is left for {name}: {self._ladder.box_name(first[k] + left[0])}"
        sides = self._ladder.board.sides[k].tolist()
        shared = np.flatnonzero(before[:borders] != after[:borders]).tolist()
        # What lies beside the number comes first.
        shared.sort(key=lambda b: (sides.index(b) if b in sides else 4, b))
        if not shared:
            return f"known walls leave {left.size} rectangles for {name}"
        *facts, last = [self._ladder.border_fact(k, b, bool(after[b] == 2)) for b in shared[:3]]
        said = f"{', '.join(facts)} and {last}" if facts else last
        more = f" (and {len(shared) - 3} more)" if len(shared) > 3 else ""
        return f"every rectangle left for {name} has {said}{more}"


class NawabariLadder(Ladder):
    """The ladder of one board."""

    correspondences: ClassVar[Sequence[Correspondence]] = (
        # Once every border is known, `count` also looks for the rectangles that are drawn.
        Correspondence("vertex", without=("owned", "seat", "blank"), until_settled=True),
        Correspondence("room", strong=True, helpers="rectangles"),
        Correspondence("room", strong=True, probing=True, helpers="rectangles"),
    )

    def __init__(self, puzzle: Nawabari) -> None:
        """Lay the board out for the kernels.

        Raises:
            OutOfReach: the rectangles that its numbers leave would be too many.
        """
        self.puzzle: Nawabari = puzzle
        self.seats = [i for i, n in enumerate(puzzle.numbers) if n is not None]
        values = [puzzle.numbers[i] for i in self.seats]
        self.board = lay_board(
            puzzle.grid, self.seats, [n if isinstance(n, int) else -1 for n in values]
        )
        self._first: list[int] = self.board.rectangles.first.tolist()
        self.borders = self.board.rectangles.borders
        self.rungs: Sequence[Rung] = [Count(self), Vertex(self), Room(self)]

    def start(self) -> Masks:
        """Every border and every rectangle open."""
        return np.full(self.borders + len(self.board.boxes), 3, np.int64)

    def helper_keys(self) -> Sequence[Hashable]:
        """The rectangles, each with the cell of its number."""
        boxes = self.board.boxes.tolist()
        return [("box", self.seats[self.owner(j)], tuple(box)) for j, box in enumerate(boxes)]

    def assume(self, masks: Masks, choice: Choice) -> Masks:
        """A chosen rectangle rejects the others of its number, and draws its borders."""
        assumed = super().assume(masks, choice)
        j = choice[0] - self.borders
        if j < 0 or choice[1] == 0:
            return assumed
        draw_box(assumed, self.board.rectangles, j, self.owner(j))
        return assumed

    def probes(self, masks: Masks) -> list[Choice]:
        """Each rectangle that is open, as chosen."""
        return [(int(i), 1) for i in np.flatnonzero(masks == 3) if i >= self.borders]

    def branch(self, masks: Masks) -> list[Choice]:
        """The rectangles of the number with the fewest."""
        return [(self.borders + int(j), 1) for j in fewest(masks, self.board.rectangles)]

    def answer(self, masks: Masks) -> Answer:
        """The borders, where all are known."""
        return tuple((masks[: self.borders] >> 1).tolist())

    def settled(self, answer: Answer) -> Masks:
        """The borders, and the rectangles that they draw."""
        masks = self.start()
        masks[: self.borders] = np.array(answer, np.int64) + 1
        settle(masks, self.board.rectangles)
        return masks

    def assumption(self, choice: Choice) -> str:
        """A rectangle, or a border."""
        i, bit = choice
        if i < self.borders:
            return f"{'a' if bit else 'no'} wall at {self.puzzle.variable_name(i)}"
        j = i - self.borders
        verb = "is" if bit else "is not"
        return f"the room of {self.number_name(self.owner(j))} {verb} {self.box_name(j)}"

    def conclusion(self, before: Masks, after: Masks) -> str:
        """Borders, then what became of rectangles."""
        parts = [super().conclusion(before, after)]
        first = self.borders
        changed = np.flatnonzero(before[first:] != after[first:])
        chosen = [int(j) for j in changed if after[first + j] == 2]
        parts += [self.assumption((first + j, 1)) for j in chosen]
        owners = {self.owner(j) for j in chosen}
        lost = [int(j) for j in changed if after[first + j] == 1]
        lost = [j for j in lost if self.owner(j) not in owners]
        if 0 < len(lost) <= 2:
            parts += [self.assumption((first + j, 0)) for j in lost]
        elif lost:
            names = ", ".join(dict.fromkeys(self.number_name(self.owner(j)) for j in lost))
            parts.append(f"{len(lost)} rectangles are ruled out for {names}")
        return ", ".join(part for part in parts if part)

    def owner(self, j: int) -> int:
        """The number of a rectangle."""
        return bisect_right(self._first, j) - 1

    def number_name(self, k: int) -> str:
        """Name for people of a number."""
        i = self.seats[k]
        return f"the {self.puzzle.numbers[i]} at {self.puzzle.grid.name(i)}"

    def box_name(self, j: int) -> str:
        """Name for people of a rectangle."""
        top, left, bottom, right = self.board.boxes[j]
        corners = (top * self.puzzle.cols + left, bottom * self.puzzle.cols + right)
        return " to ".join(dict.fromkeys(self.puzzle.grid.name(int(i)) for i in corners))

    def border_fact(self, k: int, border: int, wall: bool) -> str:
        """A border in words, as seen from a number if it is one of its sides."""
        what = "a wall" if wall else "no wall"
        sides = self.board.sides[k].tolist()
        if border in sides:
            where = ("above it", "to its right", "below it", "to its left")
            return f"{what} {where[sides.index(border)]}"
        return f"{what} at {self.puzzle.variable_name(border)}"


make = NawabariLadder
