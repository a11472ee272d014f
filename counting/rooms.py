"""Rectangles with numbers in them, counted by a sweep: a vertex model with demands.

The sweep takes the cells row by row and decides the walls above and left of each. At a lattice
point, eight of the sixteen patterns of stubs are legal; that alone makes every room a rectangle and
every wall divide (see dissection.py). What lies behind is known by its front: where the rooms on it
begin, the stub beside the next point, and what each room asks for: it has no number yet; it has
one, and may end or go on; it must end with this row, or may not, since its number wants a wall
below it or none.

A state is one int: bit 0 for the stub, then three bits for each column: 0 if the column belongs to
the room on its left, else 1 + the demand of the room that begins there. Counts are numbers of any
length, in limbs of 62 bits; a carry out of the last one widens them all and takes the step again.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.models.kernel import kernel
from hashigo.models.verdict import Budget, OutOfBudget, OutOfReach

Ints = NDArray[np.int64]

WIDEST: Final = 20  # columns of a state
NOTHING: Final = -2  # a cell without a number
ANYTHING: Final = -1  # a number of unknown value

_MOST_STATES = 1 << 24
_FULL, _OVERFLOW = -1, -2  # what a step may fail with

# What a room asks for; the last two from a number that needs a wall below it, or none.
_NONE, _HELD, _ENDS, _GOES_ON = 0, 1, 2, 3


class Rules(NamedTuple):
    """How the numbers are read, 1 for yes and 0 for no."""

    frame: int  # the frame of the board is a wall
    several: int  # a room may have several numbers
    empty: int  # a room may have none


def sweep(rows: int, cols: int, numbers: Sequence[int], rules: Rules, budget: Budget) -> int:
    """The number of dissections of a board that agree with the numbers of its cells.

    A number is 0 to 4, ANYTHING or NOTHING. A node of the budget is a state of a front.

    Raises:
        OutOfBudget: a limit was met.
        OutOfReach: both sides are longer than WIDEST.
    """
    if cols > rows:
        rows, cols, numbers = cols, rows, _transposed(cols, numbers)
    if cols > WIDEST:
        raise OutOfReach(f"dp: the shorter side is {cols}; states have room for {WIDEST} columns")
    # Above the first row lies one room that ends with it.
    keys = np.array([(1 + _ENDS) << 1], np.int64)
    counts = np.ones((1, 1), np.int64)
    for r in range(rows):
        for c in range(cols):
            here = numbers[r * cols + c]
            left = numbers[r * cols + c - 1] if c else NOTHING
            keys, counts = _step(keys, counts, (rows, cols, r, c), here, left, rules)
            _spend(budget, len(keys))
    limbs = np.zeros(counts.shape[1] + 1, np.int64)
    add_complete(keys, counts, cols, rules.empty, limbs)
    return sum(int(limb) << 62 * k for k, limb in enumerate(limbs))


def _transposed(cols: int, numbers: Sequence[int]) -> Sequence[int]:
    return [n for c in range(cols) for n in numbers[c::cols]]


def _spend(budget: Budget, states: int) -> None:
    budget.spent += max(0, states - 1)
    budget.spend()


def _step(
    keys: Ints, counts: Ints, place: tuple[int, int, int, int], here: int, left: int, rules: Rules
) -> tuple[Ints, Ints]:
    """The states after one more cell."""
    capacity = 64
    while capacity < 3 * len(keys):
        capacity *= 2
    while True:
        table = np.zeros(capacity, np.int64)
        sums = np.zeros((capacity, counts.shape[1]), np.int64)
        outcome = sweep_cell(keys, counts, table, sums, place, here, left, rules)
        if outcome >= 0:
            used = table.nonzero()[0]
            return table[used], sums[used]
        if outcome == _OVERFLOW:
            counts = np.pad(counts, ((0, 0), (0, 1)))
        elif capacity >= 2 * _MOST_STATES:
            raise OutOfBudget(f"limit of {_MOST_STATES:,} states")
        else:
            capacity *= 2


@kernel
def add_to(table: Ints, sums: Ints, key: int, counts: Ints, k: int) -> int:
    """Add entry k of the counts to a state: 1 if it is new, 0 if not, _OVERFLOW if it has no room.

    The table is open-addressed; its size is a power of two, and it is never full.
    """
    slots = table.size - 1
    mixed = key ^ key >> 31
    mixed *= 0x9E3779B97F4A7C1
    slot = (mixed ^ mixed >> 29) & slots
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & slots
    fresh = int(table[slot] == 0)
    table[slot] = key
    carry = 0
    for limb in range(sums.shape[1]):
        total = sums[slot, limb] + counts[k, limb] + carry
        sums[slot, limb] = total & ((1 << 62) - 1)
        carry = total >> 62
    return _OVERFLOW if carry else fresh


@kernel
def room_of(key: int, c: int) -> int:
    """The column where the room of a column begins."""
    while key >> 3 * c + 1 & 7 == 0:
        c -= 1
    return c


@kernel
def with_demand(key: int, c: int, demand: int) -> int:
    """The state in which the room that begins at a column has this demand."""
    return key & ~(7 << 3 * c + 1) | 1 + demand << 3 * c + 1


@kernel
def resolve(
    key: int, number: int, r: int, c: int, rows: int, up: int, right: int, rules: Rules
) -> int:
    """Once a number's walls but the one below are known, what its room must do; 0 if it cannot.

    The frame counts as a wall or as none; the state tells whether there is a wall to the left.
    """
    if number < 0:
        return key
    left = int(key >> 3 * c + 1 & 7 != 0)
    if c == 0:
        left = rules.frame
    if r == 0:
        up = rules.frame
    below = number - up - left - right
    if below < 0 or below > 1:
        return 0
    if r == rows - 1 and below != rules.frame:
        return 0
    # Every room ends with the last row.
    demand = _ENDS if below == 1 or r == rows - 1 else _GOES_ON
    first = room_of(key, c)
    held = (key >> 3 * first + 1 & 7) - 1
    if held >= _ENDS and held != demand:
        return 0
    return with_demand(key, first, demand)


@kernel
def sweep_cell(
    keys: Ints,
    counts: Ints,
    table: Ints,
    sums: Ints,
    place: tuple[int, int, int, int],
    here: int,
    left: int,
    rules: Rules,
) -> int:
    """Decide the walls above and left of a cell, for every state.

    `here` and `left` are the numbers of the cell and of the one on its left, whose right wall is
    now known. Gives the number of states, _FULL or _OVERFLOW.
    """
    rows, cols, r, c = place
    filled = 0
    for k in range(keys.size):
        state = keys[k]
        stub = int(state & 1)
        above = int(state >> 3 * c + 1 & 7)
        demand = above - 1
        for wall in range(2):  # above the cell
            for edge in range(2):  # left of it
                if c == 0:
                    legal = edge == 1
                elif above == 0:
                    legal = wall == stub and edge <= stub
                else:
                    legal = edge == 1 if stub == 0 else edge + wall >= 1
                if not legal:
                    continue
                if above != 0:
                    if wall == 1 and (demand == _GOES_ON or (demand == _NONE and rules.empty == 0)):
                        continue
                    if wall == 0 and demand == _ENDS:
                        continue
                after = state & ~(7 << 3 * c + 1) & ~1
                if c > 0 and left >= 0:
                    after = resolve(after, left, r, c - 1, rows, stub, edge, rules)
                    if after == 0:
                        continue
                if edge == 1:
                    # A room that goes on keeps that it has a number.
                    after = with_demand(after, c, _NONE if wall == 1 or demand == _NONE else _HELD)
                if here != NOTHING:
                    first = room_of(after, c)
                    held = (after >> 3 * first + 1 & 7) - 1
                    if held != _NONE and rules.several == 0:
                        continue
                    if held == _NONE:
                        after = with_demand(after, first, _HELD)
                if c == cols - 1:
                    after = resolve(after, here, r, c, rows, wall, rules.frame, rules)
                    if after == 0:
                        continue
                else:
                    after |= wall
                if 2 * filled >= table.size:
                    return _FULL
                added = add_to(table, sums, after, counts, k)
                if added < 0:
                    return _OVERFLOW
                filled += added
    return filled


@kernel
def add_complete(keys: Ints, counts: Ints, cols: int, empty: int, limbs: Ints) -> None:
    """Add up the states of which every room may end."""
    for k in range(keys.size):
        complete = True
        for c in range(cols):
            demand = (keys[k] >> 3 * c + 1 & 7) - 1
            complete &= demand != _GOES_ON and (demand != _NONE or empty == 1)
        if complete:
            carry = 0
            for limb in range(limbs.size):
                more = counts[k, limb] if limb < counts.shape[1] else 0
                total = limbs[limb] + more + carry
                limbs[limb] = total & ((1 << 62) - 1)
                carry = total >> 62


# Numbers read as areas: the same sweep over states that know how tall each room is


class _Room(NamedTuple):
    """A room on the front: rows so far, rows in the end (0 if not known), whether it has a number."""

    height: int
    wanted: int
    held: bool


_Front = tuple[int, tuple[_Room | None, ...]]  # the stub, and by column the room that begins there


def sweep_areas(rows: int, cols: int, numbers: Sequence[int], rules: Rules, budget: Budget) -> int:
    """The number of dissections of a board if a number is the area of its room.

    A node of the budget is a state of a front.

    Raises:
        OutOfBudget: a limit was met.
    """
    if cols > rows:
        rows, cols, numbers = cols, rows, _transposed(cols, numbers)
    front: dict[_Front, int] = {(0, (_Room(0, 0, True), *[None] * (cols - 1))): 1}
    for i in range(rows * cols):
        after: dict[_Front, int] = {}
        for (stub, begun), count in front.items():
            budget.spend()
            for wall, edge in _patterns(stub, begun[i % cols] is not None, i % cols == 0):
                rooms = _decide(begun, i, cols, wall, edge, numbers, rules)
                if rooms is not None:
                    key = (0 if i % cols == cols - 1 else wall, rooms)
                    after[key] = after.get(key, 0) + count
        front = after
    return sum(
        count
        for (_, begun), count in front.items()
        if all(room is None or _may_end(room, rules) for room in begun)
    )


def _patterns(stub: int, up: bool, first: bool) -> Sequence[tuple[int, int]]:
    """The walls above and left of a cell that the vertex law allows."""
    if first:
        return ((0, 1), (1, 1))
    if up:
        return ((0, 1), (1, 0), (1, 1)) if stub else ((0, 1), (1, 1))
    return ((1, 0), (1, 1)) if stub else ((0, 0),)


def _may_end(room: _Room, rules: Rules) -> bool:
    return (room.held or rules.empty == 1) and room.wanted in (0, room.height)


def _decide(
    begun: tuple[_Room | None, ...],
    i: int,
    cols: int,
    wall: int,
    edge: int,
    numbers: Sequence[int],
    rules: Rules,
) -> tuple[_Room | None, ...] | None:
    """The rooms by column after cell i, or None where one of them cannot be."""
    r, c = divmod(i, cols)
    rooms = list(begun)
    above = begun[c]
    if above is not None:
        goes_on = r > 0 and (above.wanted == 0 or above.height < above.wanted)
        if not (_may_end(above, rules) if wall else goes_on):
            return None
    rooms[c] = None
    if edge:
        if c and not _measure(rooms, i - 1, cols, numbers, rules):
            return None
        rooms[c] = _Room(1, 0, False) if wall else above and above._replace(height=above.height + 1)
    if c == cols - 1 and not _measure(rooms, i, cols, numbers, rules):
        return None
    return tuple(rooms)


def _measure(
    rooms: list[_Room | None], i: int, cols: int, numbers: Sequence[int], rules: Rules
) -> bool:
    """Once the width of the room of cell i is known, hold it to its numbers in this row."""
    c = i % cols
    first = c
    while rooms[first] is None:
        first -= 1
    room = rooms[first]
    assert room is not None
    width = c - first + 1
    for number in (n for n in numbers[i - width + 1 : i + 1] if n != NOTHING):
        if room.held and not rules.several:
            return False
        wanted = room.wanted
        if number != ANYTHING:
            wanted, rest = divmod(number, width)
            if rest or wanted < room.height or room.wanted not in (0, wanted):
                return False
        room = room._replace(held=True, wanted=wanted)
    rooms[first] = room
    return True
