"""Rectangles with one number each, and the borders round them: kernels.

Masks are those of the borders (bit 0 no wall, bit 1 wall), and behind them one for each rectangle
that holds one number and seats it right (bit 0 rejected, bit 1 chosen). Rectangles stand in the
order of their numbers, then by top, bottom, left, right. Sets of borders and of cells are words of
63 bits. Kernels give -1 for a contradiction, 1 for a change, 0 for neither.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.ladder.state import Masks
from hashigo.models.grid import Grid
from hashigo.models.kernel import kernel
from hashigo.models.verdict import OutOfReach

_MOST_WORDS = 1 << 24  # for all rectangles of a board

Ints = NDArray[np.int64]


class Rectangles(NamedTuple):
    """What the kernels read of them."""

    first: Ints  # number -> its first rectangle; one entry more for the end
    opened: Ints  # rectangle -> words of the borders inside it
    walled: Ints  # rectangle -> words of the inner borders round it
    covered: Ints  # rectangle -> words of its cells
    borders: int
    cells: int


class Board(NamedTuple):
    """A board laid out for the kernels."""

    numbers: Ints  # number -> its value, -1 for an unknown one
    sides: Ints  # number -> the borders above, right, below, left of it, -1 for the frame
    points: Ints  # lattice point -> its borders up, right, down, left
    law: Ints  # masks of the four borders of a point -> masks that the law leaves, 0 for none
    boxes: Ints  # rectangle -> top, left, bottom, right
    rectangles: Rectangles


@kernel
def read_borders(masks: Masks, rectangles: Rectangles, known: Ints) -> None:
    """The borders known to be open, known[0], and to be walls, known[1], as words."""
    known[:] = 0
    for k in range(rectangles.borders):
        if masks[k] != 3:
            known[masks[k] >> 1, k // 63] |= 1 << k % 63


@kernel
def fits(rectangles: Rectangles, known: Ints, j: int) -> bool:
    """Whether a rectangle agrees with the known borders."""
    for w in range(known.shape[1]):
        if rectangles.opened[j, w] & known[1, w] or rectangles.walled[j, w] & known[0, w]:
            return False
    return True


@kernel
def visit_count(masks: Masks, numbers: Ints, sides: Ints, k: int) -> int:
    """The walls round a number, the frame included, are as many as it says."""
    number = numbers[k]
    if number < 0:
        return 0
    walls = unknown = 0
    for side in range(4):
        border = sides[k, side]
        walls += int(border < 0 or masks[border] == 2)
        unknown += int(border >= 0 and masks[border] == 3)
    if walls > number or walls + unknown < number:
        return -1
    if unknown == 0 or (walls < number < walls + unknown):
        return 0
    kept = 1 if walls == number else 2
    for side in range(4):
        border = sides[k, side]
        if border >= 0 and masks[border] == 3:
            masks[border] = kept
    return 1


@kernel
def settle(masks: Masks, rectangles: Rectangles) -> int:
    """Once every border is known, each number has the rectangle that is drawn."""
    for border in range(rectangles.borders):
        if masks[border] == 3:
            return 0
    known = np.empty((2, rectangles.opened.shape[1]), np.int64)
    read_borders(masks, rectangles, known)
    outcome = 0
    for k in range(rectangles.first.size - 1):
        drawn = 0
        for j in range(rectangles.first[k], rectangles.first[k + 1]):
            mask = masks[rectangles.borders + j]
            kept = mask & 2 if fits(rectangles, known, j) else mask & 1
            drawn += int(kept == 2)
            if kept != mask:
                masks[rectangles.borders + j] = kept
                outcome = 1
            if kept == 0:
                return -1
        if drawn == 0:
            return -1
    return outcome


@kernel
def sweep_count(masks: Masks, numbers: Ints, sides: Ints, borders: int) -> int:
    """Every number, again and again, to the fixpoint; 2 is added when every border is known."""
    outcome = 0
    changed = True
    while changed:
        changed = False
        for k in range(numbers.size):
            result = visit_count(masks, numbers, sides, k)
            if result < 0:
                return -1
            changed |= result > 0
        outcome |= int(changed)
    for border in range(borders):
        if masks[border] == 3:
            return outcome
    return outcome | 2


@kernel
def visit_vertex(masks: Masks, points: Ints, law: Ints, p: int) -> int:
    """At a lattice point, what the eight legal patterns leave."""
    index = 0
    for k in range(4):
        index |= masks[points[p, k]] << 2 * k
    kept = law[index]
    if kept == index:
        return 0
    if kept == 0:
        return -1
    for k in range(4):
        masks[points[p, k]] = kept >> 2 * k & 3
    return 1


@kernel
def sweep_vertex(masks: Masks, points: Ints, law: Ints) -> int:
    """Every point, again and again, to the fixpoint."""
    outcome = 0
    changed = True
    while changed:
        changed = False
        for p in range(points.shape[0]):
            result = visit_vertex(masks, points, law, p)
            if result < 0:
                return -1
            changed |= result > 0
        outcome |= int(changed)
    return outcome


@kernel
def visit_number(masks: Masks, rectangles: Rectangles, known: Ints, k: int) -> int:
    """Sift the rectangles of a number, and write back the borders on which all left agree."""
    outcome = 0
    left, last, chosen = 0, -1, -1
    for j in range(rectangles.first[k], rectangles.first[k + 1]):
        mask = masks[rectangles.borders + j]
        if mask & 2 == 0:
            continue
        if not fits(rectangles, known, j):
            masks[rectangles.borders + j] = mask & 1
            if mask == 2:
                return -1
            outcome = 1
            continue
        left += 1
        last = j
        if mask == 2:
            chosen = j
    if left == 0:
        return -1
    if left == 1 and chosen < 0:
        masks[rectangles.borders + last] = 2
        chosen = last
        outcome = 1
    for w in range(known.shape[1]):
        opened = walled = np.int64(-1)
        if chosen >= 0:
            opened, walled = rectangles.opened[chosen, w], rectangles.walled[chosen, w]
        else:
            for j in range(rectangles.first[k], rectangles.first[k + 1]):
                if masks[rectangles.borders + j] & 2:
                    opened &= rectangles.opened[j, w]
                    walled &= rectangles.walled[j, w]
        opened &= ~known[0, w]
        walled &= ~known[1, w]
        if opened | walled == 0:
            continue
        known[0, w] |= opened
        known[1, w] |= walled
        outcome = 1
        for bit in range(63):
            if opened >> bit & 1:
                masks[63 * w + bit] = 1
            elif walled >> bit & 1:
                masks[63 * w + bit] = 2
    return outcome


@kernel
def keep_covering(masks: Masks, rectangles: Rectangles, k: int, needed: Ints) -> int:
    """Reject the rectangles of a number that lack a needed cell."""
    outcome = 0
    for j in range(rectangles.first[k], rectangles.first[k + 1]):
        mask = masks[rectangles.borders + j]
        lacks = False
        for w in range(needed.size):
            lacks |= needed[w] & ~rectangles.covered[j, w] != 0
        if mask & 2 and lacks:
            masks[rectangles.borders + j] = mask & 1
            if mask == 2:
                return -1
            outcome = 1
    return outcome


@kernel
def visit_room(masks: Masks, rectangles: Rectangles, place: int) -> int:
    """One number, or, behind the numbers, one cell: it goes to the number that alone reaches it."""
    known = np.empty((2, rectangles.opened.shape[1]), np.int64)
    read_borders(masks, rectangles, known)
    count = rectangles.first.size - 1
    if place < count:
        return visit_number(masks, rectangles, known, place)
    cell = place - count
    w, bit = cell // 63, cell % 63
    owner = -1
    for k in range(count):
        reaches = False
        for j in range(rectangles.first[k], rectangles.first[k + 1]):
            reaches |= (
                masks[rectangles.borders + j] & 2 != 0 and rectangles.covered[j, w] >> bit & 1 != 0
            )
        if reaches:
            if owner >= 0:
                return 0
            owner = k
    if owner < 0:
        return -1
    needed = np.zeros(rectangles.covered.shape[1], np.int64)
    needed[w] = 1 << bit
    outcome = keep_covering(masks, rectangles, owner, needed)
    if outcome > 0 and visit_number(masks, rectangles, known, owner) < 0:
        return -1
    return outcome


@kernel
def sweep_cells(masks: Masks, rectangles: Rectangles) -> int:
    """All cells at once."""
    count, words = rectangles.first.size - 1, rectangles.covered.shape[1]
    reach = np.zeros((count, words), np.int64)
    once, twice = np.zeros(words, np.int64), np.zeros(words, np.int64)
    for k in range(count):
        for j in range(rectangles.first[k], rectangles.first[k + 1]):
            if masks[rectangles.borders + j] & 2:
                for w in range(words):
                    reach[k, w] |= rectangles.covered[j, w]
        for w in range(words):
            twice[w] |= once[w] & reach[k, w]
            once[w] |= reach[k, w]
    for cell in range(rectangles.cells):
        if once[cell // 63] >> cell % 63 & 1 == 0:
            return -1
    outcome = 0
    for k in range(count):
        needed = reach[k] & ~twice
        result = keep_covering(masks, rectangles, k, needed)
        if result < 0:
            return -1
        outcome |= result
    return outcome


@kernel
def sweep_room(masks: Masks, rectangles: Rectangles) -> int:
    """Numbers and cells, again and again, to the fixpoint."""
    known = np.empty((2, rectangles.opened.shape[1]), np.int64)
    read_borders(masks, rectangles, known)
    outcome = 0
    changed = True
    while changed:
        changed = False
        for k in range(rectangles.first.size - 1):
            result = visit_number(masks, rectangles, known, k)
            if result < 0:
                return -1
            changed |= result > 0
        result = sweep_cells(masks, rectangles)
        if result < 0:
            return -1
        changed |= result > 0
        outcome |= int(changed)
    return outcome


@kernel
def fewest(masks: Masks, rectangles: Rectangles) -> Ints:
    """The rectangles that fit, of the number with the fewest of them.

    A number whose rectangle is chosen counts only while a border of it is still open. None at all
    if a number has none that fits, or if every number is done.
    """
    known = np.empty((2, rectangles.opened.shape[1]), np.int64)
    read_borders(masks, rectangles, known)
    best = np.empty(0, np.int64)
    for k in range(rectangles.first.size - 1):
        start, end = rectangles.first[k], rectangles.first[k + 1]
        found = np.empty(end - start, np.int64)
        count = 0
        done = False
        for j in range(start, end):
            mask = masks[rectangles.borders + j]
            if mask & 2 and fits(rectangles, known, j):
                found[count] = j
                count += 1
                if mask == 2:
                    done = True
                    for w in range(known.shape[1]):
                        done &= rectangles.opened[j, w] & ~known[0, w] == 0
                        done &= rectangles.walled[j, w] & ~known[1, w] == 0
        if count == 0:
            return np.empty(0, np.int64)
        if not done and (best.size == 0 or count < best.size):
            best = found[:count]
    return best


@kernel
def list_rectangles(
    grid: tuple[int, int], seats: Ints, numbers: Ints, held: Ints, first: Ints, boxes: Ints
) -> int:
    """Fill `first`, and `boxes` with top, left, bottom, right as far as it has room; count all.

    `held` counts the numbers above and left of each lattice point.
    """
    rows, cols = grid
    met = 0
    for k in range(seats.size):
        first[k] = met
        r, c = seats[k] // cols, seats[k] % cols
        for top in range(r + 1):
            for bottom in range(r, rows):
                low, high = c, c
                if held_in(held, top, c, bottom, c) > 1:
                    break
                while low > 0 and held_in(held, top, low - 1, bottom, low - 1) == 0:
                    low -= 1
                while high < cols - 1 and held_in(held, top, high + 1, bottom, high + 1) == 0:
                    high += 1
                for left in range(low, c + 1):
                    for right in range(c, high + 1):
                        walls = int(top == r) + int(left == c) + int(bottom == r) + int(right == c)
                        if numbers[k] >= 0 and numbers[k] != walls:
                            continue
                        if met < boxes.shape[0]:
                            boxes[met, 0], boxes[met, 1] = top, left
                            boxes[met, 2], boxes[met, 3] = bottom, right
                        met += 1
    first[seats.size] = met
    return met


@kernel
def held_in(held: Ints, top: int, left: int, bottom: int, right: int) -> int:
    """How many numbers a rectangle holds."""
    above = held[top, right + 1] - held[top, left]
    return int(held[bottom + 1, right + 1] - held[bottom + 1, left] - above)


@kernel
def lay_out(
    grid: tuple[int, int], seats: Ints, numbers: Ints, most: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The rectangles, as `boxes` and the arrays of Rectangles.

    The others are empty where they would take more words than `most`.
    """
    rows, cols = grid
    borders = 2 * rows * cols - rows - cols
    held = np.zeros((rows + 1, cols + 1), np.int64)
    for k in range(seats.size):
        held[seats[k] // cols + 1, seats[k] % cols + 1] = 1
    for r in range(1, rows + 1):
        for c in range(1, cols + 1):
            held[r, c] += held[r - 1, c] + held[r, c - 1] - held[r - 1, c - 1]
    first = np.empty(seats.size + 1, np.int64)
    boxes = np.empty((0, 4), np.int64)
    total = list_rectangles(grid, seats, numbers, held, first, boxes)
    words, cell_words = borders // 63 + 1, rows * cols // 63 + 1
    if total * (2 * words + cell_words) > most:
        total = 0
    boxes = np.empty((total, 4), np.int64)
    list_rectangles(grid, seats, numbers, held, first, boxes)
    opened = np.zeros((total, words), np.int64)
    walled = np.zeros((total, words), np.int64)
    covered = np.zeros((total, cell_words), np.int64)
    for j in range(total):
        top, left, bottom, right = boxes[j, 0], boxes[j, 1], boxes[j, 2], boxes[j, 3]
        for r in range(top, bottom + 1):
            for c in range(left, right + 1):
                cell = r * cols + c
                covered[j, cell // 63] |= 1 << cell % 63
            for c in range(max(left - 1, 0), min(right, cols - 2) + 1):
                border = r * (cols - 1) + c
                part = opened if left <= c < right else walled
                part[j, border // 63] |= 1 << border % 63
        for r in range(max(top - 1, 0), min(bottom, rows - 2) + 1):
            part = opened if top <= r < bottom else walled
            for c in range(left, right + 1):
                border = rows * (cols - 1) + r * cols + c
                part[j, border // 63] |= 1 << border % 63
    return first, boxes, opened, walled, covered


@kernel
def draw_box(masks: Masks, rectangles: Rectangles, j: int, k: int) -> None:
    """Choose rectangle j of number k; borders that say otherwise are left to the rungs."""
    for other in range(rectangles.first[k], rectangles.first[k + 1]):
        if other != j and masks[rectangles.borders + other] == 3:
            masks[rectangles.borders + other] = 1
    for border in range(rectangles.borders):
        w, bit = border // 63, border % 63
        if masks[border] == 3 and rectangles.opened[j, w] >> bit & 1:
            masks[border] = 1
        elif masks[border] == 3 and rectangles.walled[j, w] >> bit & 1:
            masks[border] = 2


def lay_board(grid: Grid, seats: Sequence[int], values: Sequence[int]) -> Board:
    """The board with these numbers at these cells, in order; -1 for an unknown one.

    Raises:
        OutOfReach: the rectangles would be too many.
    """
    rows, cols = grid
    cells = np.array(seats, np.int64)
    numbers = np.array(values, np.int64)
    first, boxes, opened, walled, covered = lay_out((rows, cols), cells, numbers, _MOST_WORDS)
    if len(boxes) < first[-1]:
        raise OutOfReach(f"ladder: no memory for the {first[-1]:,} rectangles that numbers leave")
    sides, points = _shape(grid)
    borders = 2 * rows * cols - rows - cols
    rectangles = Rectangles(first, opened, walled, covered, borders, rows * cols)
    return Board(numbers, sides[cells], points, _law(), boxes, rectangles)


@lru_cache(maxsize=32)
def _shape(grid: Grid) -> tuple[Ints, Ints]:
    """The borders of each cell and of each lattice point, as in Board."""
    sides = [[-1 if k is None else k for k in grid.sides(i)] for i in range(grid.rows * grid.cols)]
    points = np.array(grid.crossings(), dtype=np.int64).reshape(-1, 4)
    return np.array(sides, dtype=np.int64), points


@lru_cache(maxsize=1)
def _law() -> Ints:
    """For the masks of four borders in turn, two bits each, the masks that legal patterns leave."""
    law = np.zeros(256, np.int64)
    legal = [w for w in product((0, 1), repeat=4) if sum(w) != 1 and w not in _CORNERS]
    for masks in product(range(1, 4), repeat=4):
        kept = [0] * 4
        for way in legal:
            if all(mask >> wall & 1 for mask, wall in zip(masks, way, strict=True)):
                kept = [k | 1 << wall for k, wall in zip(kept, way, strict=True)]
        index = sum(mask << 2 * k for k, mask in enumerate(masks))
        law[index] = sum(mask << 2 * k for k, mask in enumerate(kept))
    return law


_CORNERS = ((1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1))
