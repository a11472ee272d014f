"""The census of dissections of square boards into rectangles, size by size."""

import time
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """The dissections of the n x n board: how many, in what time, modulo which primes."""

    n: int
    count: int
    seconds: float
    primes: tuple[int, ...]


def census(largest: int, *, threads: int = 1, skip_primes: int = 0) -> Iterator[Row]:
    """Count the dissections of 1 x 1 up to largest x largest.

    Raises:
        PuzzleError: a size or an option is out of range.
    """
    from hashigo.counting import dissection

    # The largest is checked before the first is counted.
    dissection.primes(largest, largest, skip_primes)
    for n in range(1, largest + 1):
        start = time.perf_counter()
        number = dissection.count(n, n, threads=threads, skip_primes=skip_primes)
        seconds = time.perf_counter() - start
        yield Row(n, number, seconds, dissection.primes(n, n, skip_primes))
