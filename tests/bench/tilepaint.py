"""Tilepaint 10x10: the ladder up to probe, beside its twin."""

from collections.abc import Iterator
from functools import cache
from itertools import count, islice

import numpy as np
from bench.fragments import from_scratch
from bench.interpreted import seconds_of
from bench.timing import Benchmark, Result, Row, seconds
from boards.tilepaint import random_tiles

from hashigo.counting.sample import generator, sample
from hashigo.counting.sat import SharedSat
from hashigo.ladder.climb import climb
from hashigo.ladder.rung import ladder, select
from hashigo.models import tilepaint
from hashigo.models.grid import Grid
from hashigo.models.tilepaint import Tilepaint


@cache
def hard(most: int = 40) -> list[Tilepaint]:
    """Random 10x10 boards that the rungs below the probe do not complete, so that it is reached."""
    source = sample("tilepaint", 10, 10)
    drawn = (source.draw(generator(10, index)).puzzle for index in count())
    return list(islice((puzzle for puzzle in drawn if not _easy(puzzle)), most))


def _easy(puzzle: Tilepaint) -> bool:
    board = ladder(puzzle)
    return climb(board, select(board, without=["probe"])).complete


@cache
def boards(count: int = 60) -> list[Tilepaint]:
    """Random 10x10 boards of 32 tiles, every number shown."""
    rng = np.random.default_rng(10)
    made = []
    for _ in range(count):
        tiles = random_tiles(Grid(10, 10), 32, rng)
        blank = Tilepaint.from_labels(10, 10, tiles, [None] * 10, [None] * 10)
        answer = tuple(int(v) for v in rng.integers(0, 2, blank.tile_count))
        made.append(Tilepaint.from_answer(10, 10, blank.tiles, answer))
    return made


def climb_hard() -> None:
    """What the twin does too."""
    for puzzle in hard():
        climb(ladder(puzzle))


def climbs() -> Iterator[Result]:
    ours, twin = seconds(climb_hard), seconds_of("bench.tilepaint", "climb_hard")
    boards_met = len(hard())
    yield Row(
        "10x10 climbed up to probe", ours / boards_met, twin / boards_met, "its Python twin", 20
    )


def fragments() -> Iterator[Result]:
    # A shape is a partition into tiles: boards that share one differ in what is painted.
    rng = np.random.default_rng(11)
    tiles = boards()[0].tiles
    answers = (tuple(int(v) for v in rng.integers(0, 2, 32)) for _ in range(60))
    puzzles = [Tilepaint.from_answer(10, 10, tiles, answer) for answer in answers]
    yield from from_scratch(
        "10x10 counted to two", puzzles, SharedSat(), tilepaint._automaton.cache_clear
    )


BENCHMARKS: list[Benchmark] = [climbs, fragments]
