"""Counts by methods that share nothing: the genre's dynamic programme, pyganak, SAT, brute force."""

from importlib import import_module
from typing import Any

import pytest
from genres import NAMES, boards, random_boards

from hashigo.counting import count as counting
from hashigo.counting import sharpsat
from hashigo.counting.brute import Brute
from hashigo.counting.count import Count, count, cross_check
from hashigo.counting.sat import SharedSat
from hashigo.models import codec
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, decide
from hashigo.scripts.count import Method

# 812,851,200 Latin squares; no method but the dynamic programme gets there.
LATIN = "kropki 6x6\n" + "\n".join(
    " ".join(["?"] * 6) if k % 2 else " ? ".join(["."] * 6) for k in range(11)
)


def dp(puzzle: Puzzle) -> int:
    genre: Any = import_module(f"hashigo.counting.{puzzle.name}")
    return int(genre.count(puzzle, Budget()))


def ganak_here(puzzle: Puzzle) -> int:
    """pyganak in this process, which spares a process for each of many small boards."""
    form = encoding(puzzle)
    (found,) = sharpsat._ganak(form.clauses(puzzle), list(form.x.decisions))
    return found


def hold_together(name: str, number: int, seed: int) -> None:
    shared = SharedSat()
    for puzzle in random_boards(name, number, seed):
        expected = dp(puzzle)
        if expected <= 300:
            assert decide(shared, puzzle, Budget(1000)).count == expected, puzzle
        if expected <= 20:
            laid = decide(Brute(), puzzle, Budget(1000, nodes=20_000))
            assert laid.count == expected or not laid.complete, puzzle
        if puzzle.rows * puzzle.cols <= 12:
            assert ganak_here(puzzle) == expected, puzzle


@pytest.mark.parametrize("name", NAMES)
def test_methods_agree(name: str) -> None:
    hold_together(name, 150, seed=40)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_methods_agree_on_thousands(name: str) -> None:
    hold_together(name, 3000, seed=41)


@pytest.mark.parametrize("name", NAMES)
def test_hiding_a_clue_never_lowers_a_count(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=42):
        found = dp(puzzle)
        assert all(dp(weaker) >= found for weaker in puzzle.weaker())


@pytest.mark.parametrize("name", NAMES)
def test_symmetries_keep_the_exact_count(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=43):
        assert len({dp(board) for board in puzzle.symmetries()}) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", Method)
def test_every_method_by_name(name: str, method: str) -> None:
    found = count(codec.read(boards(name).URLS[0]).puzzle, method, 60.0, 1000)
    assert (found.value, found.kind) == (1, "about" if method == "approx" else "exact")
    assert method == "auto" or found.method.partition(":")[0] == method


def test_cut_short_is_at_least() -> None:
    puzzle = codec.read(LATIN).puzzle
    found = count(puzzle, "enumerate", 60.0, limit=50)
    assert (found.value, found.kind, found.note) == (50, "at least", "limit of 50 answers")
    slow = count(puzzle, "ganak", 1.0, limit=50)
    assert (slow.value, slow.kind, slow.note) == (0, "at least", "limit of 1 s")
    # auto: what enumeration found is the bound that is told.
    assert count(puzzle, "auto", 0.2, limit=50).value > 0


@pytest.mark.parametrize("name", NAMES)
def test_cross_check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = codec.read(boards(name).URLS[0]).puzzle
    first = count(puzzle, "dp", 60.0, 1000)
    second = cross_check(puzzle, first, 60.0, 1000)
    assert second.method != first.method and second.value == first.value
    monkeypatch.setitem(counting._METHODS, "ganak", lambda *_: Count(2, "exact", "ganak", 0.0))
    with pytest.raises(EngineFault, match=r"dp(:\w+)? counts 1 answers, ganak exact 2"):
        cross_check(puzzle, first, 60.0, 1000)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = codec.read("kropki/1/1//").puzzle
    monkeypatch.setattr(sharpsat, "find_spec", lambda _: None)
    with pytest.raises(PuzzleError, match=r"pyganak is not installed; expected: pip install"):
        count(puzzle, "ganak", 1.0, 10)
    with pytest.raises(PuzzleError, match="pyapproxmc is not installed"):
        count(puzzle, "approx", 1.0, 10)
    monkeypatch.setattr(counting, "find_spec", lambda _: None)
    assert count(puzzle, "auto", 10.0, 10).kind == "exact"
