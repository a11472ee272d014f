"""The census: every dissection of a board into rectangles, and what its prints allow.

A dissection is printed by writing, in one cell of each room, how many of the cell's four sides are
walls, the frame included. A print is answered by the dissections with one number in each room and
every number right. A dissection is unprintable if each of its prints has another answer too.

Dissections that rotation and reflection make of one another are visited once and weighed by their
number. The work is cut into blocks by the first rooms; what a block gives depends on nothing else,
so blocks can be done in any order, by any number of threads, and kept in a file.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hashigo.counting import printable as kernels
from hashigo.counting.journal import Journal
from hashigo.models.grid import Cell, Grid
from hashigo.models.reading import require
from hashigo.models.verdict import EngineFault, OutOfBudget

Walls = tuple[int, ...]  # one per inner border, in list order: 1 for a wall
Printed = tuple[int | None, ...]  # one per cell, row by row: its number, or None for a blank
Confirm = Callable[[int, int, Printed], Collection[Walls]]
Progress = Callable[[str, int, int], None]

_MOST_BORDERS = 60  # a set of borders, or of cells and one more, is a mask of 63 bits
_FIRST_CELLS = 8  # that the first rooms cover at least, which the dissections of a block share
_ANSWERS = 4096  # a print may have fewer


@dataclass(frozen=True)
class Census:
    """What was counted on a board.

    `legal` are pairs of a dissection and a placement of its numbers. `by_answers` tells, for each
    number of answers, how many distinct prints have so many; it is None unless asked for.
    """

    rows: int
    cols: int
    dissections: int
    legal: int
    by_answers: dict[int, int] | None
    unprintable: tuple[Walls, ...]

    @property
    def printed(self) -> int | None:
        """Number of distinct prints."""
        return None if self.by_answers is None else sum(self.by_answers.values())

    @property
    def unique(self) -> int | None:
        """Number of prints with one answer."""
        return None if self.by_answers is None else self.by_answers.get(1, 0)


@dataclass(frozen=True)
class Traits:
    """What some dissections have in common."""

    rooms: dict[int, int]  # number of rooms -> dissections
    strips_only: int  # dissections whose rooms are all one cell wide or high
    domino_pair: int  # dissections with two dominoes that fill a 2x2


class Block(NamedTuple):
    """What one block gives."""

    tally: list[int]
    answers: dict[int, int]  # answers of a print -> dissections and placements that print such
    unprintable: list[int]  # borders of one dissection of each orbit, as masks


def census(
    rows: int,
    cols: int,
    *,
    full: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    resume: Path | None = None,
    confirm: Confirm | None = None,
    symmetric: bool = True,
) -> Census:
    """Take the census of a board.

    Args:
        rows: rows of the board.
        cols: columns of the board.
        full: find the number of answers of every print, not only one print with one answer for
            each dissection.
        jobs: number of threads; the figures do not depend on it.
        progress: told the stage, how many of its steps are done, and of how many.
        resume: a file that keeps finished blocks; those that it has already are not done again.
        confirm: another engine, which gives the answers of a print, all of them or two. Each print
            of an unprintable dissection must be refuted by an answer of its.
        symmetric: visit one dissection of each orbit, not all.

    Raises:
        PuzzleError: the board is too large, or the file is not of this census.
        OutOfBudget: a search met its limit; what was finished is in the file.
        EngineFault: the figures contradict each other, or the other engine.
    """
    require(
        1 <= rows <= _MOST_BORDERS
        and 1 <= cols <= _MOST_BORDERS
        and len(Grid(rows, cols).borders()) <= _MOST_BORDERS,
        f"census: a board of {rows} x {cols}; "
        f"expected at least one cell, and at most {_MOST_BORDERS} inner borders",
    )
    require(jobs >= 1, f"census: {jobs} jobs; expected at least 1")
    tell = progress or (lambda stage, done, steps: None)
    grid = Grid(rows, cols)
    total = _total(_blocks(grid, full, symmetric, jobs, resume, tell))
    _check(total, full)
    if confirm is not None:
        for done, mask in enumerate(total.unprintable):
            tell("confirm", done, len(total.unprintable))
            _confirm(grid, _from_mask(grid, mask), confirm)
        tell("confirm", len(total.unprintable), len(total.unprintable))
    return Census(
        rows,
        cols,
        dissections=total.tally[kernels.DISSECTIONS],
        legal=total.tally[kernels.LEGAL],
        by_answers={n: k // n for n, k in total.answers.items()} if full else None,
        unprintable=_unprintable(grid, total, symmetric),
    )


# Blocks


def _blocks(
    grid: Grid, full: bool, symmetric: bool, jobs: int, resume: Path | None, tell: Progress
) -> Iterable[Block]:
    """Every block, read from the file or done now."""
    tables = kernels.tables(grid, symmetric)
    beginnings = list(_beginnings(tables))
    header = {
        "census": [grid.rows, grid.cols],
        "full": full,
        "symmetric": symmetric,
        "blocks": len(beginnings),
    }
    with Journal(resume, header) if resume else nullcontext() as journal:
        done = _finished(journal, len(beginnings)) if journal else {}
        tell("dissections", len(done), len(beginnings))
        # Threads suffice: the kernels give up the interpreter's lock.
        stop = np.ones(1, dtype=np.int64)
        with suppress(CancelledError):
            # Compiled here, where Ctrl-C is heard.
            _block(tables, beginnings[0], full, stop)
        stop[0] = 0
        with ThreadPoolExecutor(jobs) as pool:
            waiting = {
                pool.submit(_block, tables, beginning, full, stop): k
                for k, beginning in enumerate(beginnings)
                if k not in done
            }
            try:
                for future in as_completed(waiting):
                    k = waiting[future]
                    done[k] = future.result()
                    if journal:
                        journal.add(_entry(k, done[k]))
                    tell("dissections", len(done), len(beginnings))
            finally:
                stop[0] = 1
                pool.shutdown(cancel_futures=True)
    return done.values()


def _beginnings(
    tables: kernels.Tables, shapes: Sequence[int] = (), covered: int = 0
) -> Iterator[Sequence[int]]:
    """The first shapes of all dissections, just enough of them to cover some cells."""
    if covered.bit_count() >= _FIRST_CELLS or covered == (1 << tables.size) - 1:
        yield shapes
        return
    top = (~covered & (covered + 1)).bit_length() - 1
    fitting = tables.laid[top] & tables.narrow[kernels.width(tables, covered, top)]
    for shape in range(tables.size):
        if fitting >> shape & 1:
            cells = int(tables.cells[top, shape])
            yield from _beginnings(tables, (*shapes, shape), covered | cells)


def _block(
    tables: kernels.Tables, beginning: Sequence[int], full: bool, stop: kernels.Ints
) -> Block:
    """Visit the dissections that begin so, unless somebody stops it: then nobody waits for it."""
    work = kernels.workspace(tables, stop)
    room = 64
    while True:
        tally = np.zeros(kernels.TALLY, dtype=np.int64)
        answers = np.zeros(_ANSWERS, dtype=np.int64)
        unprintable = np.zeros(room, dtype=np.int64)
        first = np.array(beginning, dtype=np.int64)
        found = kernels.sweep(tables, work, first, full, tally, answers, unprintable)
        if found == kernels.STOPPED:
            raise CancelledError
        if found < 0:
            where = f"at the dissection with borders {unprintable[0]:b}, the last one first"
            if found == kernels.MISSED:
                raise EngineFault(f"census: not an answer of its own print, {where}")
            raise OutOfBudget(f"limit of {tables.nodes:,} nodes or {_ANSWERS:,} answers, {where}")
        if found <= room:
            counts = {int(n): int(answers[n]) for n in np.flatnonzero(answers)}
            return Block(tally.tolist(), counts, unprintable[:found].tolist())
        room = found


def _entry(k: int, block: Block) -> Any:
    return [k, block.tally, list(block.answers.items()), block.unprintable]


def _finished(journal: Journal, blocks: int) -> dict[int, Block]:
    """The blocks in a file, by their places."""
    done: dict[int, Block] = {}
    for line, entry in journal.entries:
        try:
            k, tally, answers, unprintable = entry
            block = Block(list(tally), dict(answers), list(unprintable))
            numbers = [k, *tally, *block.answers, *block.answers.values(), *unprintable]
            whole = all(type(n) is int and n >= 0 for n in numbers) and len(tally) == kernels.TALLY
        except (TypeError, ValueError):
            whole = False
        if not whole or k >= blocks or done.get(k, block) != block:
            raise journal.fault(line)
        done[k] = block
    return done


def _total(blocks: Iterable[Block]) -> Block:
    """All blocks together."""
    tally = [0] * kernels.TALLY
    answers: Counter[int] = Counter()
    unprintable: list[int] = []
    for block in blocks:
        tally = [a + b for a, b in zip(tally, block.tally, strict=True)]
        answers.update(block.answers)
        unprintable += block.unprintable
    return Block(tally, dict(sorted(answers.items())), sorted(unprintable))


def _check(total: Block, full: bool) -> None:
    """Hold the figures against each other."""
    tally = total.tally
    laid = tally[kernels.LAID], tally[kernels.LAID_LEGAL]
    weighed = tally[kernels.DISSECTIONS], tally[kernels.LEGAL]
    if laid != weighed:
        raise EngineFault(f"census: the orbits add up to {weighed}, but {laid} were laid")
    if full and sum(total.answers.values()) != tally[kernels.LEGAL]:
        raise EngineFault(
            f"census: {total.answers} are not all {tally[kernels.LEGAL]} legal boards"
        )
    for n, pairs in total.answers.items():
        if pairs % n:
            raise EngineFault(f"census: {pairs} legal boards have {n} answers, not a multiple")


# Dissections, read plainly


def _from_mask(grid: Grid, mask: int) -> Walls:
    return tuple(mask >> i & 1 for i in range(len(grid.borders())))


def _unprintable(grid: Grid, total: Block, symmetric: bool) -> tuple[Walls, ...]:
    """All images of these dissections, in ascending order."""
    borders = grid.borders()
    index = {frozenset(border): i for i, border in enumerate(borders)}
    turns = [
        [index[frozenset((turn[a], turn[b]))] for a, b in borders]
        for turn in kernels.symmetries(grid)[: None if symmetric else 1]
    ]
    found = {
        tuple(walls[i] for i in turn)
        for walls in (_from_mask(grid, mask) for mask in total.unprintable)
        for turn in turns
    }
    if len(found) != total.tally[kernels.UNPRINTABLE]:
        raise EngineFault(f"census: {len(found)} unprintable dissections, but {total.tally}")
    return tuple(sorted(found))


def rooms(grid: Grid, walls: Walls) -> list[list[int]]:
    """The connected cells that walls leave, rooms and cells in ascending order."""
    room = list(range(grid.rows * grid.cols))
    for (a, b), wall in zip(grid.borders(), walls, strict=True):
        if not wall and room[a] != room[b]:
            old, new = room[b], room[a]
            room = [new if k == old else k for k in room]
    return sorted([i for i, k in enumerate(room) if k == this] for this in set(room))


def prints(grid: Grid, walls: Walls) -> list[int]:
    """The number that each cell would print: the walls on its sides, and the frame."""
    inner = Counter(
        i for border, wall in zip(grid.borders(), walls, strict=True) if wall for i in border
    )
    cells = range(grid.rows * grid.cols)
    return [4 - len(list(grid.neighbours(i))) + inner[i] for i in cells]


def traits(rows: int, cols: int, dissections: Iterable[Walls]) -> Traits:
    """What these dissections have in common."""
    grid = Grid(rows, cols)
    divided = [
        [[grid.cell(i) for i in room] for room in rooms(grid, walls)] for walls in dissections
    ]
    return Traits(
        dict(sorted(Counter(map(len, divided)).items())),
        sum(all(map(_strip, each)) for each in divided),
        sum(map(_domino_pair, divided)),
    )


def _strip(room: Sequence[Cell]) -> bool:
    return any(len(set(places)) == 1 for places in zip(*room, strict=True))


def _domino_pair(divided: Sequence[Sequence[Cell]]) -> bool:
    dominoes = {tuple(room) for room in divided if len(room) == 2}
    for (r, c), (r2, c2) in dominoes:
        down, right = c2 - c, r2 - r
        if ((r + down, c + right), (r2 + down, c2 + right)) in dominoes:
            return True
    return False


# Confirmation


class _Rival:
    """Another dissection: which placements of the first one's numbers does it answer too?"""

    def __init__(self, grid: Grid, walls: Walls, numbers: Sequence[int]) -> None:
        own = prints(grid, walls)
        self._right = sum(1 << i for i, n in enumerate(numbers) if own[i] == n)
        self._rooms = [sum(1 << i for i in room) for room in rooms(grid, walls)]

    def answers(self, seats: int) -> bool:
        """Whether every number is right, and each room has one."""
        return not seats & ~self._right and all(
            (seats & room).bit_count() == 1 for room in self._rooms
        )


def _confirm(grid: Grid, walls: Walls, confirm: Confirm) -> None:
    """Have every print of a dissection refuted by an answer that the other engine gave.

    An answer that refutes one print often refutes many, so most need not be asked about.
    """
    numbers = prints(grid, walls)
    rivals: list[_Rival] = []
    for seats in product(*rooms(grid, walls)):
        mask = sum(1 << i for i in seats)
        known = next((k for k, rival in enumerate(rivals) if rival.answers(mask)), None)
        if known is not None:
            rivals.insert(0, rivals.pop(known))
            continue
        printed = tuple(n if i in seats else None for i, n in enumerate(numbers))
        others = [answer for answer in confirm(*grid, printed) if answer != walls]
        rival = _Rival(grid, others[0], numbers) if others and _legal(grid, others[0]) else None
        if rival is None or not rival.answers(mask):
            raise EngineFault(f"census: {printed} on {grid} should have a second answer: {others}")
        rivals.insert(0, rival)


def _legal(grid: Grid, walls: Walls) -> bool:
    """Whether every room is a rectangle and every wall divides two rooms."""
    divided = rooms(grid, walls)
    owner = {i: k for k, room in enumerate(divided) for i in room}
    return all(
        len(room) == prod(len(set(places)) for places in zip(*map(grid.cell, room), strict=True))
        for room in divided
    ) and all(
        (owner[a] != owner[b]) == wall for (a, b), wall in zip(grid.borders(), walls, strict=True)
    )
