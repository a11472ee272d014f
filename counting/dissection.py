"""The number of dissections of a board into rectangles, exact.

A set of inner borders is the walls of a dissection exactly when the stubs at each inner lattice
point are none, two straight, three, or all four (eight patterns of 16). The sweep walks the lattice
points row by row and counts the ways to fill what it has passed, by the walls that cross its front:
one bit for each of the n - 1 lines down (n is the shorter side) and one for the stub beside the
point, with one array for each value of the stub. What a point does to them is the same in place for
all pairs of states that differ in its bit. It is the same from left to right and from right to
left, so that the sweep goes to and fro, and the same upside down, so that half the rows do.

How many primes. Let a front of k walls weigh sqrt(2)^k, and let Z be the sum over all ways of the
weight of their front. At a point, no wall in gives none out: factor 1. One wall in (weight
sqrt(2)) gives it straight on, or a T with two walls out: sqrt(2) + 2, factor 1 + sqrt(2). Two walls
in (weight 2) give one out, in two ways, or two: 2 sqrt(2) + 2, factor 1 + sqrt(2). A new border at
the frame (the first line across in each row, each line down in the first) is open or a wall: factor
1 + sqrt(2). A border that ends at the frame leaves the front: factor at most 1. An r x c board has
(r - 1)(c - 1) points and r + c - 2 new borders, and fronts weigh at least 1, so that the count is
at most (1 + sqrt(2))^(rc - 1). This is less than one above P(rc - 1), where P(k) is the integer
(1 + sqrt(2))^k + (1 - sqrt(2))^k. Primes whose product exceeds P(rc - 1) therefore settle it.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import accumulate, chain, pairwise
from threading import Event
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hashigo.models.kernel import kernel
from hashigo.models.reading import require
from hashigo.models.verdict import Budget, EngineFault

Residues = NDArray[np.uint32]

LANES: Final = 8  # primes side by side: a state's residues are 32 bytes in one place
_WIDEST = 26  # shorter side: 64 bytes for each of 2^25 states are 2 GiB
_LONGEST = 2000
_MOST_SKIPPED = 10_000
_WHOLE = 15  # bits of a front that is swept in one piece
_LOWER = 12  # bits of the lower piece of a larger one: 256 KiB, which stay in the cache
_UPPER = 11  # most bits of an upper piece
_SPACE = 1 << 17  # residues that an upper piece has room for, twice 512 KiB

# What a visit does to a piece.
_PASS, _TURN, _TURN_BACK = 0, 1, 2


@kernel
def meet(down: Any, across: Any, both: Any, prime: Any) -> tuple[Any, Any, Any]:
    """What a point makes of the ways to arrive with a line down, a stub, or both.

    Down and both go on to down, across and both to across, and all three to both. Entries stay
    below their prime, which is below 2^30: a difference that wraps round is the larger one.
    """
    x = np.uint32(down + both)
    x = min(x, np.uint32(x - prime))
    y = np.uint32(across + both)
    y = min(y, np.uint32(y - prime))
    z = np.uint32(x + across)
    return x, y, min(z, np.uint32(z - prime))


@kernel
def sweep_point(free: Residues, stub: Residues, moduli: Residues, reach: int) -> None:
    """One lattice point, for all states: `free` without a stub, `stub` with one.

    States that differ in the point's bit stand `reach` entries apart.
    """
    run = min(moduli.shape[0], reach)
    for base in range(0, free.shape[0], 2 * reach):
        for k in range(base, base + reach, run):
            a1 = free[k + reach : k + reach + run]
            b0 = stub[k : k + run]
            b1 = stub[k + reach : k + reach + run]
            for i in range(run):
                a1[i], b0[i], b1[i] = meet(a1[i], b0[i], b1[i], moduli[i])


@kernel
def sweep_two(free: Residues, stub: Residues, moduli: Residues, first: int, second: int) -> None:
    """Two neighbouring lattice points at once, which spares memory every other step."""
    reach = min(first, second)
    run = min(moduli.shape[0], reach)
    for base in range(0, free.shape[0], 4 * reach):
        for k in range(base, base + reach, run):
            b0 = stub[k : k + run]
            k1, k2, k3 = k + first, k + second, k + first + second
            a1, b1 = free[k1 : k1 + run], stub[k1 : k1 + run]
            a2, b2 = free[k2 : k2 + run], stub[k2 : k2 + run]
            a3, b3 = free[k3 : k3 + run], stub[k3 : k3 + run]
            for i in range(run):
                prime = moduli[i]
                x1, y0, y1 = meet(a1[i], b0[i], b1[i], prime)
                x3, y2, y3 = meet(a3[i], b2[i], b3[i], prime)
                x2, y0, y2 = meet(a2[i], y0, y2, prime)
                x3, y1, y3 = meet(x3, y1, y3, prime)
                a1[i], a2[i], a3[i] = x1, x2, x3
                b0[i], b1[i], b2[i], b3[i] = y0, y1, y2, y3


@kernel
def turn(free: Residues, stub: Residues, moduli: Residues) -> None:
    """The last stub of a row ends at the frame, and the first of the next is free."""
    run = min(moduli.shape[0], free.shape[0])
    for start in range(0, free.shape[0], run):
        x = free[start : start + run]
        y = stub[start : start + run]
        for i in range(run):
            z = np.uint32(x[i] + y[i])
            x[i] = y[i] = min(z, np.uint32(z - moduli[i]))


@kernel
def sweep_points(
    free: Residues, stub: Residues, moduli: Residues, unit: int, bits: int, up: bool
) -> None:
    """The points of some bits, upwards or downwards; the lowest bit is `unit` entries apart."""
    k = 0
    while k < bits:
        first = unit << (k if up else bits - 1 - k)
        second = first << 1 if up else first >> 1
        if k + 1 < bits and min(first, second) >= 64:
            sweep_two(free, stub, moduli, first, second)
            k += 2
        else:
            sweep_point(free, stub, moduli, first)
            k += 1


@kernel
def sweep_piece(
    free: Residues, stub: Residues, moduli: Residues, unit: int, bits: int, up: bool, then: int
) -> None:
    """The points of a piece; then perhaps turn, and perhaps come back."""
    sweep_points(free, stub, moduli, unit, bits, up)
    if then >= 1:
        turn(free, stub, moduli)
    if then == 2:
        sweep_points(free, stub, moduli, unit, bits, not up)


@kernel
def visit(
    free: Residues,
    stub: Residues,
    space: Residues,
    moduli: Residues,
    low: int,
    bits: int,
    up: bool,
    then: int,
) -> None:
    """Sweep the points of bits low .. low + bits - 1, piece by piece, each piece in the cache.

    A piece of upper bits lies scattered; it is brought together in `space`, as states differing in
    these bits by runs of neighbours.
    """
    row = 8 << low
    if low == 0:
        piece = row << bits
        for start in range(0, free.shape[0], piece):
            end = start + piece
            sweep_piece(free[start:end], stub[start:end], moduli, row, bits, up, then)
        return
    run = min(space.shape[1] >> bits, row)
    size = run << bits
    near_free = space[0, :size]
    near_stub = space[1, :size]
    for outer in range(0, free.shape[0], row << bits):
        for inner in range(outer, outer + row, run):
            for k in range(1 << bits):
                far = inner + k * row
                near_free[k * run : k * run + run] = free[far : far + run]
                near_stub[k * run : k * run + run] = stub[far : far + run]
            sweep_piece(near_free, near_stub, moduli, run, bits, up, then)
            for k in range(1 << bits):
                far = inner + k * row
                free[far : far + run] = near_free[k * run : k * run + run]
                stub[far : far + run] = near_stub[k * run : k * run + run]


@kernel
def dot(a: Residues, b: Residues) -> NDArray[np.uint64]:
    """Sums of products by lane: the low 32 bits of the products, and the high ones."""
    sums = np.zeros((2, 8), np.uint64)
    for start in range(0, a.shape[0], 8):
        for lane in range(8):
            term = np.uint64(a[start + lane]) * np.uint64(b[start + lane])
            sums[0, lane] += term & np.uint64(0xFFFFFFFF)
            sums[1, lane] += term >> np.uint64(32)
    return sums


def count(
    rows: int, cols: int, *, threads: int = 1, skip_primes: int = 0, budget: Budget | None = None
) -> int:
    """The number of dissections of a rows x cols board into rectangles, exact; 1 without cells.

    Takes 64 bytes for each of 2^(n - 1) states (96 where the longer side is even) per thread, n the
    shorter side. Threads share the primes out. `skip_primes` leaves out the largest primes, so that
    a second count can be made with others.

    Raises:
        PuzzleError: a size or an option is out of range.
        OutOfBudget: time was up first.
        EngineFault: the residue of a spare prime does not agree.
    """
    require(threads >= 1, f"dissections: {threads} threads; expected at least 1")
    chosen = primes(rows, cols, skip_primes)
    if not chosen:
        return 1
    long, short = max(rows, cols), min(rows, cols)
    groups = [chosen[k : k + LANES] for k in range(0, len(chosen), LANES)]
    stop = Event()
    work = partial(_residues, long, short, stop, budget)
    if min(threads, len(groups)) == 1:
        residues = [work(group) for group in groups]
    else:
        with ThreadPoolExecutor(threads) as pool:
            try:
                residues = list(pool.map(work, groups))
            finally:
                stop.set()
    return _combine(list(chain(*residues)), chosen, _enough(chosen, _bound(rows * cols - 1)))


def primes(rows: int, cols: int, skip_primes: int = 0) -> tuple[int, ...]:
    """The primes below 2^30 that `count` takes: enough, at least one to spare, in whole groups.

    Raises:
        PuzzleError: a size or an option is out of range.
    """
    short, long = sorted((rows, cols))
    require(
        0 <= short <= _WIDEST and long <= _LONGEST,
        f"dissections: a board of {rows} x {cols}; expected sides of 0 to {_LONGEST}, "
        f"the shorter one at most {_WIDEST}",
    )
    require(
        0 <= skip_primes <= _MOST_SKIPPED,
        f"dissections: {skip_primes} primes to skip; expected 0 to {_MOST_SKIPPED:,}",
    )
    if short == 0:
        return ()
    bound = _bound(rows * cols - 1)
    number = bound.bit_length() // 29 + 2
    number += -number % LANES
    chosen = _largest_primes(skip_primes + number)[skip_primes:]
    needed = _enough(chosen, bound) + 1
    return chosen[: needed + -needed % LANES]


@lru_cache(maxsize=64)
def _bound(k: int) -> int:
    """P(k) of the module's docstring: 2, 2, 6, 14, 34, each twice the last and the one before."""
    before, value = -2, 2
    for _ in range(k):
        before, value = value, 2 * value + before
    return value


def _enough(chosen: Sequence[int], bound: int) -> int:
    """How many of the primes have a product above the bound."""
    products = list(accumulate(chosen, lambda a, b: a * b))
    return bisect_right(products, bound) + 1


@lru_cache(maxsize=8)
def _largest_primes(number: int) -> tuple[int, ...]:
    """The largest primes below 2^30, downwards, by trial division."""
    divisors = np.arange(3, 1 << 15, 2)
    found: list[int] = []
    candidate = (1 << 30) - 1
    while len(found) < number:
        if (candidate % divisors).all():
            found.append(candidate)
        candidate -= 2
    return tuple(found)


class _Stopped(Exception):
    """Another thread failed."""


def _residues(
    long: int, short: int, stop: Event, budget: Budget | None, group: Sequence[int]
) -> list[int]:
    """The count modulo each prime of a group, from both ends to the middle."""
    states = 1 << short - 1
    moduli = np.tile(np.array(group, np.uint32), 64)
    pieces = _pieces(short - 1)
    free = np.ones(LANES * states, np.uint32)
    stub = np.ones(LANES * states, np.uint32)
    space = np.empty((2, _SPACE if len(pieces) > 1 else 0), np.uint32)

    def sweep(lattice_rows: int) -> None:
        for step in _visits(pieces, lattice_rows):
            if stop.is_set():
                raise _Stopped
            if budget is not None and budget.left() == 0:
                raise budget.out_of_time()
            visit(free, stub, space, moduli, *step)

    sweep((long - 1) // 2)
    other = free
    if long % 2 == 0:
        other = free.copy()
        sweep(1)
    low, high = dot(free, other).tolist()
    return [(a + (b << 32)) % prime for a, b, prime in zip(low, high, group, strict=True)]


def _pieces(bits: int) -> list[tuple[int, int]]:
    """The bits of a front in pieces: the lowest bit, and how many."""
    if bits <= _WHOLE:
        return [(0, bits)]
    upper = bits - _LOWER
    number = -(-upper // _UPPER)
    ends = [0, *(_LOWER + upper * k // number for k in range(number + 1))]
    return [(a, b - a) for a, b in pairwise(ends)]


def _visits(
    pieces: Sequence[tuple[int, int]], lattice_rows: int
) -> Iterator[tuple[int, int, bool, int]]:
    """What to do piece by piece, to and fro: lowest bit, bits, upwards, and what then.

    The piece in which a row ends is that in which the next begins, and is visited once for both.
    """
    up = True
    for row in range(lattice_rows):
        last = row == lattice_rows - 1
        way = pieces if up else pieces[::-1]
        for k, piece in enumerate(way):
            if k < len(way) - 1:
                if k > 0 or row == 0:
                    yield (*piece, up, _PASS)
            elif last or len(way) == 1:
                yield (*piece, up, _TURN)
            else:
                yield (*piece, up, _TURN_BACK)
        up = not up


def _combine(residues: Sequence[int], chosen: Sequence[int], enough: int) -> int:
    """The number below the product of the first primes, checked by all others."""
    modulus, basis = _basis(tuple(chosen[:enough]))
    value = sum(r * b for r, b in zip(residues, basis, strict=False)) % modulus
    for residue, prime in zip(residues[enough:], chosen[enough:], strict=True):
        if value % prime != residue:
            raise EngineFault(
                f"dissections: {value} is {value % prime} modulo the spare prime {prime}, "
                f"but the sweep has {residue}"
            )
    return value


@lru_cache(maxsize=64)
def _basis(chosen: tuple[int, ...]) -> tuple[int, list[int]]:
    """The product of the primes, and for each the number that is 1 there and 0 at the others."""
    modulus = math.prod(chosen)
    others = [modulus // prime for prime in chosen]
    return modulus, [m * pow(m, -1, p) for m, p in zip(others, chosen, strict=True)]
