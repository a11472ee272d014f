"""The dynamic programme of Tilepaint against brute force, SAT, symmetry and published counts."""

import time
import tomllib
from math import comb, factorial
from pathlib import Path

import numpy as np
import pytest
from boards.tilepaint import random_board, random_tiles
from genres import all_answers
from plain.matrices import matrices

from hashigo.counting.brute import Brute
from hashigo.counting.tilepaint import count
from hashigo.models import codec
from hashigo.models.grid import Grid
from hashigo.models.tilepaint import Inner, Number, Tilepaint
from hashigo.models.verdict import Budget, OutOfBudget

PINNED = tomllib.loads((Path(__file__).parent / "counts" / "tilepaint.toml").read_text())


def one_cell_tiles(columns: list[Number], rows: list[Number]) -> Tilepaint:
    cells = range(len(columns) * len(rows))
    return Tilepaint.from_labels(len(rows), len(columns), cells, columns, rows)


def margins(n: int, k: int) -> Tilepaint:
    return one_cell_tiles([k] * n, [k] * n)


def test_random_boards_against_brute_force_and_sat() -> None:
    """Clue cells, blanks and wrong numbers; tiles of all sizes."""
    rng = np.random.default_rng(40)
    empty = several = 0
    for k in range(600):
        puzzle = random_board(rng, 6)
        expected = all_answers(puzzle, Brute()).count
        assert count(puzzle, Budget()) == expected, puzzle
        if k % 3 == 0:
            assert all_answers(puzzle).count == expected
        empty += expected == 0
        several += expected > 5
    assert empty > 50
    assert several > 30


def random_large(rng: np.random.Generator, tiles: int) -> Tilepaint:
    """Up to 8x8, of about so many tiles, a few clue cells, numbers of a painting, some hidden."""
    rows, cols = (int(k) for k in rng.integers(4, 9, 2))
    labels: list[int] = random_tiles(Grid(rows, cols), min(tiles, rows * cols), rng)
    labels = [-1 if rng.random() < 0.06 else label for label in labels]
    places = {i: Inner(None, None) for i, label in enumerate(labels) if label < 0}
    blank = Tilepaint.from_labels(rows, cols, labels, [None] * cols, [None] * rows, places)
    answer = tuple(int(v) for v in rng.integers(0, 2, blank.tile_count))
    board = Tilepaint.from_answer(rows, cols, blank.tiles, answer)
    for _ in range(int(rng.integers(4))):
        weaker = list(board.weaker())
        board = weaker[rng.integers(len(weaker))]
    return board


def test_larger_boards_against_sat() -> None:
    rng = np.random.default_rng(41)
    for _ in range(40):
        puzzle = random_large(rng, 24)
        expected = all_answers(puzzle, limit=10**6).count
        assert 0 < expected == count(puzzle, Budget())


def test_one_cell_tiles_with_blank_lines_and_clue_cells() -> None:
    """Tiles that every number sees alike, tiles that none sees, columns that are alike for a time."""
    rng = np.random.default_rng(42)
    for _ in range(150):
        rows, cols = (int(k) for k in rng.integers(1, 5, 2))
        labels = [-1 if rng.random() < 0.1 else k for k in range(rows * cols)]
        places = {
            i: Inner(*(None if rng.random() < 0.5 else int(rng.integers(3)) for _ in range(2)))
            for i, label in enumerate(labels)
            if label < 0
        }
        col_clues, row_clues = (
            [None if rng.random() < 0.4 else int(rng.integers(side + 1)) for _ in range(number)]
            for number, side in ((cols, rows), (rows, cols))
        )
        puzzle = Tilepaint.from_labels(rows, cols, labels, col_clues, row_clues, places)
        expected = all_answers(puzzle, Brute(), limit=10**5).count
        assert count(puzzle, Budget()) == expected, puzzle


def test_symmetries_keep_the_count() -> None:
    """Other sweeps of the same board."""
    rng = np.random.default_rng(43)
    for k in range(20):
        puzzle = random_large(rng, 30 if k % 2 else 64)
        assert len({count(board, Budget()) for board in puzzle.symmetries()}) == 1


def test_hiding_a_number_never_lowers_the_count() -> None:
    rng = np.random.default_rng(44)
    for _ in range(20):
        puzzle = random_large(rng, 40)
        whole = count(puzzle, Budget())
        assert whole
        assert all(count(weaker, Budget()) >= whole for weaker in puzzle.weaker())


@pytest.mark.parametrize("entry", PINNED["margins"], ids=lambda entry: entry["source"][:7])
def test_published_matrices(entry: dict[str, object]) -> None:
    k, first, counts = entry["k"], entry["first"], entry["counts"]
    assert isinstance(k, int)
    assert isinstance(first, int)
    assert isinstance(counts, list)
    for n, expected in enumerate(map(int, counts), start=first):
        assert count(margins(n, k), Budget()) == expected
        # Painted and unpainted exchanged.
        assert n < k or count(margins(n, n - k), Budget()) == expected
        if n <= 8 or (n, k) == (10, 5):
            assert matrices((k,) * n, (k,) * n) == expected


def test_published_matrices_half_full() -> None:
    for k, expected in enumerate(map(int, PINNED["half"]["counts"]), start=1):
        assert count(margins(2 * k, k), Budget()) == expected


def test_matrices_with_any_margins() -> None:
    """All margins of a random matrix, not all the same; also none at all, and one that is wrong."""
    rng = np.random.default_rng(45)
    for _ in range(40):
        painted = rng.random(rng.integers(1, 9, 2)) < rng.random()
        columns, rows = painted.sum(axis=0).tolist(), painted.sum(axis=1).tolist()
        expected = matrices(tuple(sorted(columns)), tuple(rows))
        assert expected
        assert count(one_cell_tiles(columns, rows), Budget()) == expected
        columns[0] += 1
        assert count(one_cell_tiles(columns, rows), Budget()) == 0


def test_alike_columns_share_states() -> None:
    """10x10 with all margins 5: as vectors there would be millions, as partitions few."""
    budget = Budget()
    start = time.process_time()
    assert count(margins(10, 5), budget) == 6736218287430460752
    assert time.process_time() - start < 1
    assert budget.spent < 20_000


def test_closed_forms() -> None:
    assert count(one_cell_tiles([None] * 60, [None] * 60), Budget()) == 2**3600
    assert count(one_cell_tiles([None] * 60, [30] * 60), Budget()) == comb(60, 30) ** 60
    assert count(one_cell_tiles([7] * 9, [None] * 20), Budget()) == comb(20, 7) ** 9
    assert count(one_cell_tiles([1] * 25, [1] * 25), Budget()) == factorial(25)


def test_lines_that_see_the_same_tiles() -> None:
    """Upright dominoes: two rows alike count once if they agree, and contradict if not."""
    for below, expected in ((1, 3), (2, 0), (None, 3)):
        puzzle = Tilepaint.from_labels(2, 3, [0, 1, 2] * 2, [None] * 3, [1, below])
        assert count(puzzle, Budget()) == expected


def test_no_tiles_and_numbers_that_cannot_be_met() -> None:
    for text, expected in (
        ("tilepaint 1x1\n7\n7 7\\7", 1),
        ("tilepaint 1x2\n. .\n1 a a", 0),
        ("tilepaint 1x2\n. .\n255 a b", 0),
        ("tilepaint 1x3\n. . .\n2 a .\\1 b", 0),
        ("tilepaint 1x3\n. . .\n1 a .\\1 b", 1),
    ):
        puzzle = codec.read(text).puzzle
        assert isinstance(puzzle, Tilepaint)
        assert count(puzzle, Budget()) == expected


def test_limits() -> None:
    with pytest.raises(OutOfBudget, match="limit of 100 states in the dynamic programme"):
        count(margins(10, 5), Budget(), largest=100)
    with pytest.raises(OutOfBudget, match="limit of 50 nodes"):
        count(margins(10, 5), Budget(nodes=50))
    with pytest.raises(OutOfBudget, match=r"limit of 0\.2 s"):
        count(margins(30, 15), Budget(seconds=0.2))
