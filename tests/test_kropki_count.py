"""Kropki's exact counts: sweep, search, brute force and SAT agree; published counts."""

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from boards.kropki import latin_square, random_board, tiny_boards, twin

from hashigo.counting import kropki
from hashigo.counting.kropki import Method, count, count_by, lay
from hashigo.counting.sat import Sat
from hashigo.models.kropki import Convention, Kropki, Label
from hashigo.models.verdict import Budget, OutOfBudget, decide

PINNED = tomllib.loads((Path(__file__).parent / "counts" / "kropki.toml").read_text())
METHODS: tuple[Method, ...] = ("sweep", "search")


def unlabelled(rows: int, cols: int) -> Kropki:
    borders = 2 * rows * cols - rows - cols
    return Kropki(rows, cols, (Label.UNKNOWN,) * borders, (None,) * (rows * cols))


def by_method(puzzle: Kropki, method: Method) -> int:
    return count_by(puzzle, Budget(), [method]).count


def sparse_board(rng: np.random.Generator, largest: int) -> Kropki:
    """Few labels and givens, so that columns and digits come free at all heights."""
    rows, cols = (int(k) for k in rng.integers(1, largest + 1, 2))
    square = latin_square(max(rows, cols), rng)
    answer = tuple(square[r][c] for r in range(rows) for c in range(cols))
    convention: Convention = "either" if rng.random() < 0.5 else "black"
    board = Kropki.from_answer(rows, cols, answer, convention)
    share = rng.choice([0.05, 0.15, 0.4])
    labels = tuple(x if rng.random() < share else Label.UNKNOWN for x in board.labels)
    givens = tuple(d if rng.random() < share / 4 else None for d in answer)
    return Kropki(rows, cols, labels, givens, convention)


def many_boards() -> Iterator[Kropki]:
    rng = np.random.default_rng(20)
    yield from (random_board(rng, 5) for _ in range(400))
    yield from (sparse_board(rng, 4) for _ in range(400))


def test_methods_agree_with_brute_force_and_sat() -> None:
    sat = Sat()
    several = 0
    for k, puzzle in enumerate(many_boards()):
        try:
            expected = sum(1 for _ in lay(puzzle, Budget(nodes=60_000)))
        except OutOfBudget:
            assert by_method(puzzle, "sweep") == by_method(puzzle, "search")
            continue
        several += expected > 1
        for method in METHODS:
            assert by_method(puzzle, method) == expected, puzzle
        assert count(puzzle, Budget()) == expected
        if k % 3 == 0 and expected < 300:
            assert decide(sat, puzzle, Budget(answers=1000)).count == expected
    assert several > 200


def test_every_tiny_board() -> None:
    for puzzle in tiny_boards():
        expected = sum(1 for _ in lay(puzzle, Budget()))
        for method in METHODS:
            assert by_method(puzzle, method) == expected, puzzle


def test_symmetries_have_the_same_count() -> None:
    rng = np.random.default_rng(21)
    for _ in range(15):
        puzzle = sparse_board(rng, 5)
        counts = {count(image, Budget()) for image in puzzle.symmetries()}
        sweeps = {by_method(image, "sweep") for image in puzzle.symmetries()}
        assert len(counts) == 1 and counts == sweeps


def test_each_orientation_sweeps_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever image is swept, none is easier by being wrong."""
    rng = np.random.default_rng(22)
    monkeypatch.setattr(kropki._Board, "difficulty", lambda board: 0)
    for _ in range(25):
        puzzle = sparse_board(rng, 4)
        assert len({by_method(image, "sweep") for image in puzzle.symmetries()}) == 1


@pytest.mark.parametrize(("n", "expected"), list(enumerate(PINNED["squares"]["counts"], 1)))
def test_latin_squares(n: int, expected: str) -> None:
    if n < 8:
        assert count_by(unlabelled(n, n), Budget()) == kropki.Counted(int(expected), "sweep")
    if n < 5:
        assert by_method(unlabelled(n, n), "search") == int(expected)


@pytest.mark.long
def test_latin_squares_of_order_eight() -> None:
    assert count(unlabelled(8, 8), Budget()) == int(PINNED["squares"]["counts"][7])


@pytest.mark.parametrize("row", PINNED["rectangles"])
def test_latin_rectangles(row: dict[str, list[str]]) -> None:
    for n, reduced in enumerate(row["reduced"], 1):
        rows = int(str(row["rows"]))
        if n >= rows:
            expected = math.factorial(n) * int(reduced)
            assert count(unlabelled(rows, n), Budget()) == expected
            assert count(unlabelled(n, rows), Budget()) == expected


def test_a_given_digit_takes_its_share() -> None:
    for n in range(1, 7):
        for i in (0, n * n // 2, n * n - 1):
            board = unlabelled(n, n)
            givens = tuple(n if k == i else None for k in range(n * n))
            board = Kropki(n, n, board.labels, givens)
            assert count(board, Budget()) * n == int(PINNED["squares"]["counts"][n - 1])


def test_labels_of_one_edge_share_all_squares() -> None:
    """none, white and black exclude each other where black is always drawn on 1 and 2."""
    total = int(PINNED["squares"]["counts"][4])
    for edge in (0, 9, 25, 39):
        counts = []
        for label in (Label.NONE, Label.WHITE, Label.BLACK):
            labels = tuple(label if k == edge else Label.UNKNOWN for k in range(40))
            counts.append(count(Kropki(5, 5, labels, (None,) * 25, "black"), Budget()))
        # Of the 20 ordered pairs of neighbours, 6 are consecutive only, and 4 double.
        assert counts == [total * k // 20 for k in (10, 6, 4)]


def test_the_start_is_the_line_fixpoint() -> None:
    rng = np.random.default_rng(23)
    contradictions = 0
    for _ in range(150):
        puzzle = random_board(rng, 5)
        everything = set(range(1, puzzle.digits + 1))
        state = [everything if given is None else {given} for given in puzzle.givens]
        start = kropki._Board(puzzle).start
        fixpoint = twin("line", puzzle, state)
        if start is None or fixpoint is None:
            assert start is None and fixpoint is None
            contradictions += 1
            continue
        assert [{k + 1 for k in range(9) if s >> k & 1} for s in start.tolist()] == fixpoint
    assert 0 < contradictions < 75


@pytest.mark.parametrize("name", ["_LARGEST_EXACT", "_LARGEST_WATCHED"])
def test_weaker_closure_gives_the_same_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    rng = np.random.default_rng(24)
    boards = [random_board(rng, 5) for _ in range(60)]
    expected = [count(puzzle, Budget()) for puzzle in boards]
    monkeypatch.setattr(kropki, name, 0)
    for puzzle, number in zip(boards, expected, strict=True):
        for method in METHODS:
            assert by_method(puzzle, method) == number


def test_a_sweep_without_room_leaves_it_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kropki, "_MOST_STATES", 2)
    assert count_by(unlabelled(3, 4), Budget()) == kropki.Counted(576, "search")
    with pytest.raises(OutOfBudget, match="limit of 2 states at once"):
        by_method(unlabelled(3, 4), "sweep")


def test_the_cheaper_method_ends_first() -> None:
    assert count_by(unlabelled(5, 5), Budget()).method == "sweep"
    rng = np.random.default_rng(25)
    square = latin_square(9, rng)
    puzzle = Kropki.from_answer(9, 9, tuple(digit for row in square for digit in row))
    counted = count_by(puzzle, Budget())
    assert counted == count_by(puzzle, Budget())
    assert counted.count == len(decide(Sat(), puzzle, Budget(answers=1000)).answers)


@pytest.mark.parametrize("methods", [METHODS, METHODS[:1], METHODS[1:]])
def test_limits_are_kept(methods: tuple[Method, ...]) -> None:
    with pytest.raises(OutOfBudget, match="limit of 50 nodes"):
        count_by(unlabelled(7, 7), Budget(nodes=50), methods)
    with pytest.raises(OutOfBudget, match=r"limit of 0.05 s"):
        count_by(unlabelled(9, 9), Budget(seconds=0.05), methods)


def test_large_and_narrow_boards() -> None:
    """Digits beyond what the closure has room for are counted all the same."""
    n = 24
    board = unlabelled(1, n)
    assert by_method(board, "sweep") == math.factorial(n)
    labels = (Label.WHITE,) * (n - 1)
    chain = Kropki(1, n, labels, (None,) * n)
    assert {by_method(chain, method) for method in METHODS} == {2}
    assert {by_method(chain.transpose(), method) for method in METHODS} == {2}
