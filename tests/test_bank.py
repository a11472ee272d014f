"""The shipped boards: re-derived, not believed."""

import json
from collections import Counter

import pytest
from genres import NAMES
from test_cli import hashigo, lines

from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat
from hashigo.models import bank, codec
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, Status, decide
from hashigo.scripts import making


def check(entry: bank.Entry) -> None:
    """One answer, the stated one, by two engines; the grade, and what each rung settles."""
    data = entry.data
    puzzle, filling = codec.from_json(data)
    for engine in (Sat(), CpSat()):
        verdict = decide(engine, puzzle, Budget(2))
        assert verdict.status == Status.UNIQUE
        assert puzzle.fill(verdict.answers[0]) == filling
    grade, settled = making.grades(puzzle)
    assert grade == data["grade"]
    assert data["settled"] == {rung: round(share, 4) for rung, share in settled.items()}
    genre, size, graded, _ = entry.name.split("/")
    assert (genre, size) == (puzzle.name, str(puzzle.rows))
    assert graded == (grade or bank.UNGRADED)


def of(name: str) -> list[bank.Entry]:
    return [entry for entry in bank.entries() if entry.name.startswith(f"{name}/")]


@pytest.mark.parametrize("name", NAMES)
def test_some_boards_are_what_they_say(name: str) -> None:
    for entry in of(name)[::12]:
        check(entry)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_all_boards_are_what_they_say(name: str) -> None:
    for entry in of(name):
        check(entry)


@pytest.mark.parametrize("name", NAMES)
def test_no_board_is_a_symmetry_of_another(name: str) -> None:
    found = [bank.canonical(codec.from_json(entry.data).puzzle) for entry in of(name)]
    assert len(set(found)) == len(found)


def test_how_many_there_are() -> None:
    """As published, and twice as many of a larger size."""
    sizes = Counter(tuple(entry.name.split("/")[:2]) for entry in bank.entries())
    for name, small, large in (
        ("kropki", 52, "12"),
        ("tilepaint", 60, "14"),
        ("nawabari", 72, "12"),
    ):
        of_genre = {size: count for (genre, size), count in sizes.items() if genre == name}
        assert of_genre.pop(large) == 2 * small
        assert sum(of_genre.values()) == small


def test_names_are_puzzles() -> None:
    (entry,) = bank.find("bank:kropki/5/dot/1")
    done = hashigo("check", "--json", "bank:kropki/5/dot/1")
    (data,) = lines(done)
    assert (done.returncode, data["puzzle"]) == (0, "bank:kropki/5/dot/1")
    assert data["answers"] == [entry.data["answer"]]
    assert len(bank.find("bank:kropki/9")) == 20
    with pytest.raises(PuzzleError, match="no board 'kropki/99'"):
        bank.find("kropki/99")


def test_listing_and_showing() -> None:
    assert "bank:tilepaint/6/fit/1..5" in hashigo("bank", "tilepaint").stdout
    assert "grade: fit" in hashigo("bank", "tilepaint/6/fit/2").stdout
    shown = hashigo("bank", "tilepaint/6", "--json").stdout.splitlines()
    assert len(shown) == 20 and json.loads(shown[0])["genre"] == "tilepaint"
    assert hashigo("bank", "nosuch").returncode == 2
