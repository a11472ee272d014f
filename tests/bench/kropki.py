"""Kropki: the line kernel beside its twin, and ways to count to two on 9x9 boards."""

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from bench.fragments import from_scratch
from bench.timing import Benchmark, Figure, Result, Row, seconds
from boards.kropki import latin_square, line_by_dp

from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat, SharedSat
from hashigo.ladder.climb import climb
from hashigo.ladder.kropki import Line
from hashigo.ladder.rung import ladder
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import Masks, values
from hashigo.models.kropki import Kropki, Label
from hashigo.models.puzzle import Puzzle
from hashigo.models.verdict import Budget, Engine, decide


@cache
def boards(count: int = 200) -> list[Kropki]:
    """Random fully labelled 9x9 boards."""
    rng = np.random.default_rng(9)
    answers = ([d for row in latin_square(9, rng) for d in row] for _ in range(count))
    return [Kropki.from_answer(9, 9, tuple(answer)) for answer in answers]


def line_kernel() -> Iterator[Result]:
    for cells, wanted in ((9, 50), (12, 100)):
        puzzle = Kropki(1, cells, (Label.NONE,) * (cells - 1), (None,) * cells)
        made = ladder(puzzle)
        rung = next(r for r in made.rungs if isinstance(r, Line))
        start = made.start()
        state = [set(v) for v in values(start, puzzle.domains())]
        kernel = partial(_visit, rung, start)
        twin = partial(line_by_dp, puzzle, 0, state)
        what = f"exact line, {cells} cells, all candidates"
        ours = seconds(kernel, number=50)
        yield Row(what, ours, seconds(twin, repeat=2), "its Python twin", wanted)


def _visit(rung: Line, start: Masks) -> None:
    rung.visit(start.copy(), 0)


def count_to_two() -> Iterator[Result]:
    def all_boards(engine: Engine) -> float:
        puzzles: list[Puzzle] = list(boards())
        return seconds(lambda: [decide(engine, p, Budget(2)) for p in puzzles]) / len(puzzles)

    ours = all_boards(LadderSearch())
    fresh = all_boards(Sat())
    what = "9x9 counted to two by line and search"
    yield Row(what, ours, all_boards(CpSat()), "CP-SAT enumeration", 20)
    yield Row(what, ours, fresh, "a fresh SAT solver fed from fragments", 8)
    yield Row("9x9 counted to two by one persistent SAT solver", all_boards(SharedSat()), fresh,
              "a fresh SAT solver fed from fragments", 4)  # fmt: skip


def climbs() -> Iterator[Result]:
    took = seconds(lambda: [climb(ladder(puzzle)) for puzzle in boards()], 2) / len(boards())
    yield Figure("9x9 climbed up to probe", 1 / took, "boards/s")


def fragments() -> Iterator[Result]:
    yield from from_scratch("9x9 counted to two", boards(), Sat())


BENCHMARKS: list[Benchmark] = [line_kernel, count_to_two, climbs, fragments]
