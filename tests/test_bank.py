"""The shipped boards: re-derived, not believed."""

import json
import tomllib
from collections import Counter
from hashlib import sha256

import pytest
from genres import NAMES
from test_cli import hashigo, lines

from hashigo.counting.cpsat import CpSat
from hashigo.counting.proof import prove
from hashigo.counting.sat import Sat
from hashigo.ladder.search import LadderSearch
from hashigo.models import bank, codec
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, Engine, Status, decide
from hashigo.scripts import making


def unique(entry: bank.Entry, engine: Engine) -> None:
    """One answer, the stated one."""
    puzzle, filling = codec.from_json(entry.data)
    verdict = decide(engine, puzzle, Budget(2))
    assert verdict.status == Status.UNIQUE
    assert puzzle.fill(verdict.answers[0]) == filling


def check(entry: bank.Entry) -> None:
    """One answer by two engines; the grade, and what each rung settles."""
    data = entry.data
    puzzle, _ = codec.from_json(data)
    for engine in (Sat(), LadderSearch()):
        unique(entry, engine)
    grade, settled = making.grades(puzzle)
    assert grade == data["grade"]
    assert data["settled"] == {rung: round(share, 4) for rung, share in settled.items()}
    genre, size, graded, _ = entry.name.split("/")
    assert (genre, size) == (puzzle.name, str(puzzle.rows))
    assert graded == (grade or bank.UNGRADED)


def of(name: str) -> list[bank.Entry]:
    return [entry for entry in bank.entries() if entry.name.startswith(f"{name}/")]


@pytest.mark.parametrize("name", NAMES)
def test_boards_are_what_they_say(name: str) -> None:
    """All of them, but only some of the large ones on which the probe takes seconds."""
    slow = [entry for entry in of(name) if entry.name.startswith("kropki/12/probe/")]
    for entry in of(name):
        if entry not in slow[:-3]:
            check(entry)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_all_boards_are_what_they_say(name: str) -> None:
    for entry in of(name):
        check(entry)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_all_boards_have_one_answer_by_a_third_engine(name: str) -> None:
    for entry in of(name):
        unique(entry, CpSat())


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_certificates_come_out_as_their_hashes(name: str) -> None:
    """Of those versions of the solvers that are locked."""
    for entry in of(name)[::4]:
        statement = prove(codec.from_json(entry.data).puzzle, Budget())
        assert sha256(statement.proof.encode()).hexdigest() == entry.data["certificate"]


@pytest.mark.parametrize("name", NAMES)
def test_boards_are_those_of_the_plan(name: str) -> None:
    """By its sizes, grades and numbers."""
    plan = tomllib.loads((bank.FOLDER / "plan.toml").read_text())
    wanted: Counter[tuple[int, str]] = Counter()
    drawn: Counter[tuple[int, str]] = Counter()
    for group in plan["group"]:
        if group["genre"] == name:
            for grade in group.get("grades", ["any"]):
                wanted[group["size"], grade] += group["number"]
    for entry in of(name):
        _, size, grade, _ = entry.name.split("/")
        drawn[int(size), grade if (int(size), grade) in wanted else "any"] += 1
    assert drawn == wanted


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
