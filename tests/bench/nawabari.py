"""Nawabari 8x8: is a print unique, by room and search, beside its twin and CP-SAT."""

from collections.abc import Iterator
from functools import cache

import numpy as np
from bench.fragments import from_scratch
from bench.interpreted import seconds_of
from bench.timing import Benchmark, Result, Row, seconds
from boards.nawabari import random_answer, walls_of

from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat
from hashigo.ladder.search import LadderSearch
from hashigo.models.nawabari import Nawabari
from hashigo.models.verdict import Budget, Engine, decide


@cache
def boards(count: int = 60) -> list[Nawabari]:
    """Random 8x8 dissections, each with a random seat in every room."""
    rng = np.random.default_rng(8)
    made = []
    for _ in range(count):
        answer = random_answer(8, 8, rng)
        rooms: dict[int, list[int]] = {}
        for i in range(64):
            rooms.setdefault(answer[i // 8][i % 8], []).append(i)
        seats = [int(rng.choice(room)) for room in rooms.values()]
        made.append(Nawabari.from_answer(8, 8, walls_of(answer), seats))
    return made


def _decide_all(engine: Engine) -> None:
    for puzzle in boards():
        decide(engine, puzzle, Budget(2))


def search_all() -> None:
    """What the twin does too."""
    _decide_all(LadderSearch())


def uniqueness() -> Iterator[Result]:
    what = "8x8 unique or not by room and search"
    count = len(boards())
    ours = seconds(search_all) / count
    twin = seconds_of("bench.nawabari", "search_all") / count
    yield Row(what, ours, twin, "its Python twin", 5)
    other = seconds(lambda: _decide_all(CpSat())) / count
    yield Row(what, ours, other, "CP-SAT enumeration", 20)


def fragments() -> Iterator[Result]:
    yield from from_scratch("8x8 counted to two", boards(), Sat())


BENCHMARKS: list[Benchmark] = [uniqueness, fragments]
