"""Tilepaint counted: by brute force straight from the rules, and by a dynamic programme."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import comb, log2
from typing import NamedTuple

from hashigo.models.puzzle import Answer
from hashigo.models.tilepaint import Tilepaint
from hashigo.models.verdict import Budget, OutOfBudget


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


# The dynamic programme


class _Group(NamedTuple):
    """Tiles that every number sees alike: how many, and the cells that each segment has of one."""

    times: int
    cells: dict[int, int]


# What a group is to one segment: its cells, how many tiles, and what other segments see of it.
_Entry = tuple[int, int, frozenset[tuple[int, int]]]


class _Step(NamedTuple):
    """One group in the sweep. A state holds a byte per open segment: what it still owes."""

    ways: Sequence[int]  # in how many ways k tiles of the group are chosen
    opened: bytes  # numbers of the segments first seen here, put behind the state
    touched: Sequence[tuple[int, int, int]]  # position, cells per tile, bit set of debts allowed
    kept: Sequence[int]  # positions that stay, in their new order
    alike: Sequence[tuple[int, int]]  # ranges of the new state whose order says nothing


def count(puzzle: Tilepaint, budget: Budget, largest: int = 500_000) -> int:
    """The number of answers, exactly; a node is a state expanded.

    Tiles are taken in sweep order, those that every number sees alike at once. The state is what
    each open segment, of which some tiles are taken and some are not, still owes; one with a blank
    number is no part of it. A debt that the tiles left cannot pay ends a state. Debts of segments
    that the tiles left treat alike may change places, and are sorted: so in tomography, where the
    columns are alike at the end of each row, states are partitions and not vectors (compare Miller
    and Harrison, Exact sampling and counting for fixed-margin matrices, Ann. Statist. 41, 2013).

    Two sweeps take turns, each time with room for more states, until one comes through.

    Args:
        puzzle: the board.
        budget: limits of time and nodes.
        largest: states that there is memory for at a time.

    Raises:
        OutOfBudget: a limit was met, or there are too many states.
    """
    clues, groups, free = _equations(puzzle)
    if clues is None:
        return 0
    sweeps = [_sweep(clues, list(_order(groups, narrow))) for narrow in (True, False)]
    bound = 1000
    while True:
        for sweep in sweeps:
            total = _run(sweep, budget, min(bound, largest))
            if total is not None:
                return total << free
        if bound >= largest:
            raise OutOfBudget(f"limit of {largest:,} states in the dynamic programme")
        bound *= 10


def _run(sweep: Sequence[_Step], budget: Budget, largest: int) -> int | None:
    """The number of ways through a sweep, or None where it meets more states than this."""
    layer = {b"": 1}
    for step in sweep:
        layer = _advance(layer, step, budget, largest)
        if len(layer) > largest:
            return None
    return sum(layer.values())


def _advance(
    layer: dict[bytes, int], step: _Step, budget: Budget, largest: int
) -> dict[bytes, int]:
    """The states after a step, with the number of ways to each; cut short past the limit."""
    after: dict[bytes, int] = defaultdict(int)
    ways, opened, touched, kept, alike = step
    for state, paintings in layer.items():
        budget.spend()
        debts = [*state, *opened]
        for times in ways:
            if all(debts[at] >= 0 and payable >> debts[at] & 1 for at, _, payable in touched):
                left = [debts[at] for at in kept]
                for start, end in alike:
                    left[start:end] = sorted(left[start:end], reverse=True)
                after[bytes(left)] += paintings * times
            for at, cells, _ in touched:
                debts[at] -= cells
        if len(after) > largest:
            break
    return after


def _equations(puzzle: Tilepaint) -> tuple[list[int] | None, list[_Group], int]:
    """Numbers by segment, tiles in groups, and how many tiles no number sees.

    Of segments that have the same cells of every tile one is kept; None where their numbers differ,
    or where one cannot be met.
    """
    kept: dict[frozenset[tuple[int, int]], int] = {}
    clues: list[int] = []
    for segment in puzzle.segments:
        if segment.clue is None:
            continue
        slices = frozenset(puzzle.slices(segment).items())
        if slices not in kept:
            kept[slices] = len(clues)
            clues.append(segment.clue)
        elif clues[kept[slices]] != segment.clue:
            return None, [], 0
    seen: list[dict[int, int]] = [{} for _ in range(puzzle.tile_count)]
    for slices, k in kept.items():
        for tile, cells in slices:
            seen[tile][k] = cells
    alike: dict[frozenset[tuple[int, int]], int] = defaultdict(int)
    for cells_seen in seen:
        alike[frozenset(cells_seen.items())] += 1
    free = alike.pop(frozenset(), 0)
    groups = [_Group(times, dict(sorted(cells))) for cells, times in alike.items()]
    for k, clue in enumerate(clues):
        if not _payable([group for group in groups if k in group.cells], k)[0] >> clue & 1:
            return None, [], 0
    return clues, groups, free


def _payable(groups: Sequence[_Group], segment: int) -> list[int]:
    """Sums that groups can give a segment, as bit sets: all, all but the first, and so on to none."""
    sums = [1]
    for times, cells in reversed(groups):
        more = sums[-1]
        for _ in range(times):
            more |= more << cells[segment]
        sums.append(more)
    return sums[::-1]


def _order(groups: Sequence[_Group], narrow: bool) -> Iterator[_Group]:
    """Groups segment by segment, next the segment that costs least to close.

    The cost is the number of segments that are then open (narrow), as suits tiles that are alike;
    or the paintings of its tiles, less what the numbers closed tell, both in bits.
    """
    sums: dict[int, int] = defaultdict(int)
    for group in groups:
        for segment, cells in group.cells.items():
            sums[segment] += group.times * cells
    left = dict(enumerate(groups))
    opened: set[int] = set()
    while left:
        members: dict[int, set[int]] = defaultdict(set)
        for k, group in left.items():
            for segment in group.cells:
                members[segment].add(k)
        costs = []
        for segment, taken in members.items():
            seen = opened.union(*(groups[k].cells for k in taken))
            closed = [other for other in seen if members[other] <= taken]
            bits = sum(log2(groups[k].times + 1) for k in taken)
            bits -= sum(log2(sums[other] + 1) for other in closed)
            costs.append((len(seen) - len(closed) if narrow else bits, len(taken), segment))
        for k in sorted(members[min(costs)[2]]):
            group = left.pop(k)
            opened |= group.cells.keys()
            yield group
        opened &= {segment for group in left.values() for segment in group.cells}


def _sweep(clues: list[int], order: list[_Group]) -> list[_Step]:
    """The steps that take the groups in this order."""
    members: dict[int, list[_Group]] = defaultdict(list)
    for group in order:
        for segment in group.cells:
            members[segment].append(group)
    payable = {k: _payable(found, k) for k, found in members.items()}
    futures = {k: [_entry(group, k) for group in found] for k, found in members.items()}
    taken = dict.fromkeys(members, 0)
    layout: list[int] = []
    steps = []
    for group in order:
        opened = [segment for segment in group.cells if not taken[segment]]
        layout += opened
        touched = []
        for segment, cells in group.cells.items():
            taken[segment] += 1
            touched.append((layout.index(segment), cells, payable[segment][taken[segment]]))
        kinds: dict[frozenset[_Entry], list[int]] = defaultdict(list)
        for segment in layout:
            if future := futures[segment][taken[segment] :]:
                kinds[frozenset(future)].append(segment)
        still = [segment for kind in kinds.values() for segment in kind]
        ends = list(accumulate(map(len, kinds.values())))
        steps.append(
            _Step(
                [comb(group.times, k) for k in range(group.times + 1)],
                bytes(clues[segment] for segment in opened),
                touched,
                [layout.index(segment) for segment in still],
                [pair for pair in pairwise([0, *ends]) if pair[1] - pair[0] > 1],
            )
        )
        layout = still
    return steps


def _entry(group: _Group, segment: int) -> _Entry:
    others = frozenset(pair for pair in group.cells.items() if pair[0] != segment)
    return group.cells[segment], group.times, others
