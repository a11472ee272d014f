"""Exact counts: dissections beside plain Python and NumPy, sweeps beside pyganak."""

import statistics
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from bench.timing import Benchmark, Figure, Result, Row, seconds
from boards.nawabari import random_answer, walls_of
from plain.dissection import by_lists, by_objects

from hashigo.counting import nawabari, tilepaint
from hashigo.counting.dissection import count
from hashigo.counting.sharpsat import _ganak
from hashigo.models.cnf import encoding
from hashigo.models.nawabari import UNKNOWN, Nawabari, Number
from hashigo.models.tilepaint import Tilepaint
from hashigo.models.verdict import Budget


def dissections() -> Iterator[Result]:
    for n, twin, against, wanted in (
        (12, by_lists, "plain-Python lists", 50),
        (16, by_objects, "NumPy object integers", 20),
    ):
        ours = seconds(partial(count, n, n), number=5)
        yield Row(f"dissections, n = {n}", ours, seconds(partial(twin, n, n), 1), against, wanted)
    yield Figure("dissections, n = 20", seconds(partial(count, 20, 20), 1), "s")


def positions() -> Iterator[Result]:
    """8x8 with the seats of a random dissection and no values: medians over boards."""
    rng = np.random.default_rng(88)
    ours, theirs = [], []
    for _ in range(9):
        answer = random_answer(8, 8, rng)
        rooms: dict[int, list[int]] = {}
        for i in range(64):
            rooms.setdefault(answer[i // 8][i % 8], []).append(i)
        seats = [int(rng.choice(room)) for room in rooms.values()]
        shown = Nawabari.from_answer(8, 8, walls_of(answer), seats)
        numbers: list[Number] = [None if n is None else UNKNOWN for n in shown.numbers]
        puzzle = Nawabari(8, 8, tuple(numbers))
        form = encoding(puzzle)
        clauses = form.clauses(puzzle)
        nawabari.count(puzzle, Budget())
        start = time.process_time()
        nawabari.count(puzzle, Budget())
        middle = time.process_time()
        list(_ganak(clauses, list(form.x.decisions)))
        ours.append(middle - start)
        theirs.append(time.process_time() - middle)
    yield Row("8x8 positions only, counted by the sweep", statistics.median(ours),
              statistics.median(theirs), "pyganak, median", 5)  # fmt: skip


def tomography() -> Iterator[Result]:
    puzzle = Tilepaint.from_labels(10, 10, range(100), [5] * 10, [5] * 10)
    took = seconds(lambda: tilepaint.count(puzzle, Budget()), 1)
    yield Figure("0/1 matrices 10x10 with all margins 5", took, "s", 1)


BENCHMARKS: list[Benchmark] = [dissections, positions, tomography]
