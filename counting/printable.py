"""Kernels of the census: lay rectangles from the top left, and ask what their prints allow.

A rectangle is a top left cell and a shape; shape (h - 1) * cols + w - 1 is h rows high and w
columns wide. Sets of cells, of inner borders and of shapes are bit masks. A print is a list of
cells with the number that stands in each: how many of its four sides are walls of its rectangle.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.models.grid import Grid
from hashigo.models.kernel import kernel

Ints = NDArray[np.int64]

_NODES = 1 << 26  # of one search for the answers of one print

# What kernels return instead of a figure.
CAPPED = -1  # a search met its limit of nodes, or of answers
MISSED = -2  # a search did not find the dissection that was printed: a defect
STOPPED = -3  # somebody asked for an end

# What a block's tally counts. The first two are over all dissections that were laid, the others
# over all images of those that stand for their orbit.
LAID, LAID_LEGAL, DISSECTIONS, LEGAL, UNPRINTABLE, TALLY = range(6)

_TRIES = 64  # placements tried in random order before all are tried in turn


def _bit_places() -> Ints:
    places = np.zeros(64, dtype=np.int64)
    for i in range(63):
        places[((_DE_BRUIJN << i) >> 58) & 63] = i
    return places


_DE_BRUIJN = 0x03F79D71B4CB0A89  # every six bits in a row are different
_PLACES = _bit_places()


class Tables(NamedTuple):
    """What the kernels know of a board without numbers: a first cell t, a shape s, a cell q."""

    cells: Ints  # t, s -> cells
    walls: Ints  # t, s -> inner borders around them
    areas: Ints  # s -> cells
    seats: Ints  # t, s, rank -> q, those first that few other rectangles explain as well
    numbers: Ints  # t, s, q -> number that q prints
    laid: Ints  # t -> shapes that the frame leaves
    holds: Ints  # t, q -> shapes that hold q
    explains: Ints  # number, t, q -> shapes that hold q so that it prints the number
    narrow: Ints  # width -> shapes of at most that width
    after: Ints  # t -> cells after the row of t, and the bit after the last cell
    images: Ints  # symmetry, byte, its value -> image of these borders
    size: int  # cells of the board
    nodes: int  # limit of one search for the answers of one print


class Stack(NamedTuple):
    """Rectangles on the board, the first one at depth 0, and what is left to try at each depth."""

    covered: Ints  # cells covered by those before
    walls: Ints  # borders of those before
    tops: Ints
    shapes: Ints  # the one that lies there
    rest: Ints  # shapes not tried yet


class Print(NamedTuple):
    """Cells and their numbers, one per room."""

    cells: Ints
    numbers: Ints
    ranks: Ints  # of each cell among the seats of its room


class Work(NamedTuple):
    """Memory of one sweep."""

    dissection: Stack
    answer: Stack
    print: Print
    fits: Ints  # t -> shapes with one number, which is right; -1 when not known yet
    stop: Ints  # one entry, not 0 from the moment that the sweep is to end


@kernel
def place(bit: int) -> int:
    """Index of the only bit that is set."""
    return int(_PLACES[((bit * _DE_BRUIJN) >> 58) & 63])


@kernel
def width(tables: Tables, covered: int, top: int) -> int:
    """Free cells from `top` to the next covered one or the end of its row."""
    rest = (covered | tables.after[top]) >> top
    return place(rest & -rest)


@kernel
def one_number(tables: Tables, numbers: Print, count: int, top: int) -> int:
    """Shapes at `top` that hold one number, and the right one."""
    once = twice = right = 0
    for i in range(count):
        q = numbers.cells[i]
        held = tables.holds[top, q]
        twice |= once & held
        once |= held
        right |= tables.explains[numbers.numbers[i], top, q]
    return right & ~twice


@kernel
def count_answers(tables: Tables, work: Work, count: int, limit: int) -> int:
    """Number of answers of the print, up to a limit: an exact cover of the cells, in row order.

    Where the limit is met, the last answer is left on the stack.
    """
    stack, fits = work.answer, work.fits
    for t in range(tables.size):
        fits[t] = -1
    full = (1 << tables.size) - 1
    found = nodes = depth = 0
    stack.covered[0] = stack.tops[0] = 0
    stack.rest[0] = one_number(tables, work.print, count, 0)
    while depth >= 0:
        rest = stack.rest[depth]
        if rest == 0:
            depth -= 1
            continue
        nodes += 1
        if nodes > tables.nodes:
            return CAPPED
        bit = rest & -rest
        stack.rest[depth] = rest ^ bit
        shape = place(bit)
        stack.shapes[depth] = shape
        covered = stack.covered[depth] | tables.cells[stack.tops[depth], shape]
        if covered == full:
            found += 1
            if found == limit:
                return found
            continue
        top = place(~covered & (covered + 1))
        if fits[top] < 0:
            fits[top] = one_number(tables, work.print, count, top)
        depth += 1
        stack.covered[depth] = covered
        stack.tops[depth] = top
        stack.rest[depth] = fits[top] & tables.narrow[width(tables, covered, top)]
    return found


@kernel
def orbit(tables: Tables, walls: int) -> int:
    """Number of images of a dissection, or 0 where one of them comes before it."""
    fixed = 0
    symmetries = tables.images.shape[0]
    for g in range(symmetries):
        image = 0
        for b in range(tables.images.shape[1]):
            image |= tables.images[g, b, (walls >> (8 * b)) & 255]
        if image < walls:
            return 0
        if image == walls:
            fixed += 1
    return int(symmetries // fixed)


@kernel
def sit(tables: Tables, work: Work, room: int, rank: int) -> None:
    """Put the number of a room on its seat of this rank."""
    top, shape = work.dissection.tops[room], work.dissection.shapes[room]
    q = tables.seats[top, shape, rank]
    work.print.ranks[room] = rank
    work.print.cells[room] = q
    work.print.numbers[room] = tables.numbers[top, shape, q]


@kernel
def sit_first(tables: Tables, work: Work, rooms: int) -> None:
    """Put every number on the best seat of its room."""
    for room in range(rooms):
        sit(tables, work, room, 0)


@kernel
def sit_next(tables: Tables, work: Work, rooms: int) -> bool:
    """Go on to the next placement; False, and the first one again, after the last."""
    for room in range(rooms):
        rank = work.print.ranks[room] + 1
        if rank < tables.areas[work.dissection.shapes[room]]:
            sit(tables, work, room, rank)
            return True
        sit(tables, work, room, 0)
    return False


@kernel
def sit_anyhow(tables: Tables, work: Work, rooms: int, seed: int) -> int:
    """Put every number on a random seat; gives the next seed (a linear congruence)."""
    for room in range(rooms):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        area = tables.areas[work.dissection.shapes[room]]
        sit(tables, work, room, ((seed >> 8) * area) >> 23)
    return seed


@kernel
def printable(tables: Tables, work: Work, rooms: int) -> int:
    """1 if some placement of the numbers has one answer, 0 if none has; CAPPED, MISSED.

    Only the order in which placements are tried is a guess; 0 comes after all have been refuted.
    """
    sit_first(tables, work, rooms)
    placements = 1
    for room in range(rooms):
        placements *= tables.areas[work.dissection.shapes[room]]
    seed = work.dissection.walls[rooms] & 0x7FFFFFFF
    for _ in range(min(_TRIES, placements)):
        found = count_answers(tables, work, rooms, 2)
        if found != 2:
            return found if found else MISSED
        seed = sit_anyhow(tables, work, rooms, seed)
    sit_first(tables, work, rooms)
    while True:
        found = count_answers(tables, work, rooms, 2)
        if found != 2:
            return found if found else MISSED
        if not sit_next(tables, work, rooms):
            return 0


@kernel
def tell(tables: Tables, work: Work, rooms: int, weight: int, answers: Ints) -> int:
    """Count all placements by their number of answers, `weight` times; else as `printable`."""
    outcome = 0
    sit_first(tables, work, rooms)
    while True:
        found = count_answers(tables, work, rooms, answers.size)
        if found in (CAPPED, answers.size):
            return CAPPED
        if found == 0:
            return MISSED
        answers[found] += weight
        if found == 1:
            outcome = 1
        if not sit_next(tables, work, rooms):
            return outcome


@kernel
def visit(tables: Tables, work: Work, rooms: int, full: bool, tally: Ints, answers: Ints) -> int:
    """Count one dissection for its orbit; 0 if it is unprintable and stands for one."""
    legal = 1
    for room in range(rooms):
        legal *= tables.areas[work.dissection.shapes[room]]
    tally[LAID] += 1
    tally[LAID_LEGAL] += legal
    weight = orbit(tables, work.dissection.walls[rooms])
    if weight == 0:
        return 1
    tally[DISSECTIONS] += weight
    tally[LEGAL] += weight * legal
    outcome = tell(tables, work, rooms, weight, answers) if full else printable(tables, work, rooms)
    if outcome == 0:
        tally[UNPRINTABLE] += weight
    return outcome


@kernel
def sweep(
    tables: Tables,
    work: Work,
    beginning: Ints,
    full: bool,
    tally: Ints,
    answers: Ints,
    unprintable: Ints,
) -> int:
    """Visit every dissection whose first shapes are these.

    Gives the number of unprintable ones that stand for their orbit, and writes the borders of as
    many as there is room for. CAPPED, MISSED: the borders of the dissection where it happened come
    first in the list. STOPPED: what was counted is of no use.
    """
    stack = work.dissection
    everything = (1 << tables.size) - 1
    found = depth = 0
    stack.covered[0] = stack.walls[0] = stack.tops[0] = 0
    stack.rest[0] = tables.laid[0]
    for i in range(beginning.size):
        stack.rest[i] = 1 << beginning[i]
    while depth >= 0:
        rest = stack.rest[depth]
        if rest == 0:
            depth -= 1
            continue
        bit = rest & -rest
        stack.rest[depth] = rest ^ bit
        top, shape = stack.tops[depth], place(bit)
        stack.shapes[depth] = shape
        covered = stack.covered[depth] | tables.cells[top, shape]
        stack.walls[depth + 1] = stack.walls[depth] | tables.walls[top, shape]
        if covered != everything:
            depth += 1
            top = place(~covered & (covered + 1))
            stack.covered[depth] = covered
            stack.tops[depth] = top
            if depth >= beginning.size:
                stack.rest[depth] = tables.laid[top] & tables.narrow[width(tables, covered, top)]
            continue
        if work.stop[0] != 0:
            return STOPPED
        outcome = visit(tables, work, depth + 1, full, tally, answers)
        if outcome < 0:
            unprintable[0] = stack.walls[depth + 1]
            return outcome
        if outcome == 0:
            if found < unprintable.size:
                unprintable[found] = stack.walls[depth + 1]
            found += 1
    return found


def workspace(tables: Tables, stop: Ints | None = None) -> Work:
    """Memory for one sweep at a time; sweeps may share the entry that stops them."""
    room = tables.size + 1

    def stack() -> Stack:
        return Stack(*(np.zeros(room, dtype=np.int64) for _ in Stack._fields))

    numbers = Print(*(np.zeros(room, dtype=np.int64) for _ in Print._fields))
    fits = np.zeros(room, dtype=np.int64)
    return Work(
        stack(), stack(), numbers, fits, np.zeros(1, dtype=np.int64) if stop is None else stop
    )


def symmetries(grid: Grid) -> list[tuple[int, ...]]:
    """Where each symmetry of the board sends the cells: 8 on a square, 4, or 2 on a line."""
    cells = np.arange(grid.rows * grid.cols).reshape(grid)
    turned = [cells, cells[:, ::-1], cells[::-1], cells[::-1, ::-1]]
    if grid.rows == grid.cols:
        turned += [image.T for image in turned]
    return list(dict.fromkeys(tuple(image.ravel().tolist()) for image in turned))


def tables(grid: Grid, symmetric: bool = True) -> Tables:
    """The tables of a board; without symmetry, every dissection stands for itself alone."""
    size = grid.rows * grid.cols
    numbers = _numbers(grid)
    held = numbers >= 0
    bits = 1 << np.arange(size)
    explains = np.stack([(numbers == n).transpose(0, 2, 1) @ bits for n in range(5)])
    # A seat is the better, the fewer rectangles explain its number.
    chances = np.array([[(numbers[:, :, q] == n).sum() for q in range(size)] for n in range(5)])
    order = np.where(held, chances[numbers, np.arange(size)], size**2)
    ends = (np.arange(size) // grid.cols + 1) * grid.cols
    widths = np.arange(size) % grid.cols + 1
    return Tables(
        cells=held @ bits,
        walls=_walls(grid, held),
        areas=widths * (np.arange(size) // grid.cols + 1),
        seats=np.argsort(order, axis=2, kind="stable"),
        numbers=numbers,
        laid=held.any(axis=2) @ bits,
        holds=held.transpose(0, 2, 1) @ bits,
        explains=explains,
        narrow=np.array([(widths <= w) @ bits for w in range(grid.cols + 1)]),
        after=(1 << size + 1) - (1 << ends),
        images=_images(grid, symmetries(grid)[: None if symmetric else 1]),
        size=size,
        nodes=_NODES,
    )


def _numbers(grid: Grid) -> Ints:
    """What a cell prints in the rectangle with a first cell and a shape; -1 outside of it."""
    rows, cols = grid
    size = rows * cols
    numbers = np.full((size, size, size), -1, dtype=np.int64)
    for t in range(size):
        top, left = grid.cell(t)
        for bottom in range(top, rows):
            for right in range(left, cols):
                shape = (bottom - top) * cols + right - left
                for r in range(top, bottom + 1):
                    for c in range(left, right + 1):
                        sides = (r == top) + (r == bottom) + (c == left) + (c == right)
                        numbers[t, shape, r * cols + c] = sides
    return numbers


def _walls(grid: Grid, held: NDArray[np.bool_]) -> Ints:
    """The borders between a cell that is held and one that is not."""
    walls = np.zeros(held.shape[:2], dtype=np.int64)
    for i, (a, b) in enumerate(grid.borders()):
        walls |= (held[:, :, a] != held[:, :, b]).astype(np.int64) << i
    return walls


def _images(grid: Grid, turns: Sequence[Sequence[int]]) -> Ints:
    """For each turn of the cells, byte and value: the image of the borders in that byte."""
    borders = grid.borders()
    index = {frozenset(border): i for i, border in enumerate(borders)}
    images = np.zeros((len(turns), len(borders) // 8 + 1, 256), dtype=np.int64)
    for g, turn in enumerate(turns):
        for i, (a, b) in enumerate(borders):
            byte, bit = divmod(i, 8)
            image = 1 << index[frozenset((turn[a], turn[b]))]
            images[g, byte, (np.arange(256) >> bit) & 1 == 1] |= image
    return images
