"""`hashigo census`: what it says, in words and as data."""

import json
from importlib import import_module
from typing import Any

import pytest
from genres import NAMES
from typer.testing import CliRunner, Result

from hashigo.counting import census as counting
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import EngineFault
from hashigo.scripts import main

A182275 = [1, 8, 322, 70878, 84231996, 535236230270, 18100579400986674, 3250879178100782348462]


def hashigo(*arguments: str) -> Result:
    return CliRunner().invoke(main.app, ["census", *arguments])


def data(*arguments: str) -> list[dict[str, Any]]:
    done = hashigo(*arguments, "--json")
    assert done.exit_code == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def genre(monkeypatch: pytest.MonkeyPatch) -> str:
    """A genre that has the hook."""
    monkeypatch.setattr(f"hashigo.counting.{NAMES[0]}.census", counting.census, raising=False)
    return NAMES[0]


def test_dissections_to_a_size() -> None:
    found = data("dissections", "8")
    assert [row["n"] for row in found] == list(range(1, 9))
    assert [row["count"] for row in found] == list(map(str, A182275))
    assert hashigo("dissections", "3").stdout.split() == ["1", "1", "2", "8", "3", "322"]


def test_dissections_are_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "hashigo.counting.dissection.count", lambda *_, skip_primes=0, **__: skip_primes
    )
    assert isinstance(hashigo("dissections", "3").exception, EngineFault)


def test_census_in_words(genre: str) -> None:
    said = hashigo(genre, "4x4", "--confirm", "none").stdout
    for line in (
        "70878 dissections",
        "12 unprintable",
        "all 12 with 6 rooms",
        "all 12 of strips of width 1 only",
        "all 12 with two dominoes that fill a 2x2",
    ):
        assert line in said
    assert "confirmed" not in said and "printed boards" not in said
    full = hashigo(genre, "3x3", "--full", "--confirm", "none").stdout
    assert "2666 printed boards, 2224 of them with one answer" in full


def test_census_as_data(genre: str) -> None:
    (found,) = data(genre, "4x4", "--confirm", "none", "--full", "--jobs", "1")
    assert (found["census"], found["rows"], found["cols"]) == (genre, 4, 4)
    assert (found["dissections"], found["legal"]) == (70878, 4766043)
    assert (found["printed"], found["unique"], found["unprintable"]) == (3239132, 2303919, 12)
    assert (found["rooms"], found["strips_only"], found["domino_pair"]) == ({"6": 12}, 12, 12)
    assert len(found["walls"]) == 12 and {len(walls) for walls in found["walls"]} == {24}
    (short,) = data(genre, "2x3", "--confirm", "none")
    assert (short["printed"], short["unique"], short["confirmed_by"]) == (None, None, None)


def test_census_goes_on(genre: str, tmp_path: Any) -> None:
    arguments = (genre, "3x4", "--confirm", "none", "--resume", str(tmp_path / "file"))
    assert data(*arguments) == data(*arguments)
    assert isinstance(hashigo(genre, "3x3", *arguments[2:]).exception, PuzzleError)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nosuch", "3x3"), "no census of 'nosuch'"),
        (("{genre}", "3"), "expected ROWSxCOLS"),
        (("{genre}", "3x"), "expected ROWSxCOLS"),
        (("{genre}", "0x3"), "expected at least one cell"),
        (("{genre}", "9x9"), "at most 60 inner borders"),
        (("{genre}", "2x2", "--confirm", "nosuch"), "no engine 'nosuch'"),
        (("dissections", "3x3"), "expected N"),
        (("dissections", "x"), "expected N"),
        (("dissections", "99"), "expected sides"),
        (("dissections", "3", "--full"), "no --full"),
    ],
)
def test_bad_input(genre: str, arguments: tuple[str, ...], sentence: str) -> None:
    done = hashigo(*(a.format(genre=genre) for a in arguments))
    assert isinstance(done.exception, PuzzleError)
    assert sentence in str(done.exception)


def test_limit_is_told(genre: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_ANSWERS", 4)
    done = hashigo(genre, "1x7", "--full", "--confirm", "none")
    assert done.exit_code == 4
    assert "4 answers" in done.stderr


def test_engines_confirm() -> None:
    """Every genre that has a census of its own."""
    for name in NAMES:
        if hasattr(import_module(f"hashigo.counting.{name}"), "census"):
            for engine in ("sat", "cpsat"):
                (found,) = data(name, "4x4", "--confirm", engine)
                assert (found["unprintable"], found["confirmed_by"]) == (12, engine)
