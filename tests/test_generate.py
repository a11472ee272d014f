"""Random boards: what samples draw, and what the loop over all genres makes of them."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from boards import kropki as twins
from genres import NAMES, all_answers, boards
from test_cli import hashigo, lines

from hashigo.counting.cpsat import CpSat
from hashigo.counting.sample import Drawn, generator, sample
from hashigo.counting.samples import kropki
from hashigo.counting.sat import Sat
from hashigo.ladder.climb import climb, grade
from hashigo.ladder.rung import ladder, select
from hashigo.models import codec
from hashigo.models.kropki import Kropki, Label
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, Status, decide
from hashigo.scripts import generate
from hashigo.scripts.making import Wish, completes, make


@pytest.mark.parametrize("name", NAMES)
def test_samples_draw_boards_that_have_their_answer(name: str) -> None:
    several = 0
    for settings in ({}, *boards(name).DIALS):
        for rows, cols in boards(name).SAMPLE_SIZES:
            source = sample(name, rows, cols, settings)
            for index in range(12):
                drawn = source.draw(generator(5, index))
                puzzle, answer = drawn
                assert (puzzle.rows, puzzle.cols) == (rows, cols)
                assert puzzle.accepts(answer)
                assert tuple(source.counts(drawn)) == tuple(source.COUNTS)
                found = list(source.silent(drawn))
                several += bool(found)
                for kind, other in found:
                    assert kind in source.SILENT
                    assert other != answer and puzzle.accepts(other)
                for clue in source.removable(puzzle):
                    assert source.remove(puzzle, clue).accepts(answer)
                assert source.draw(generator(5, index)) == drawn
    assert several


@pytest.mark.parametrize("name", NAMES)
def test_made_boards_are_as_wished(name: str) -> None:
    """Unique, of the grade, and minimal: no clue can go."""
    for size, wanted, settings in boards(name).WISHES:
        wish = Wish(name, size, size, wanted, seed=3, dials=settings)
        for index in range(2):
            made = make(wish, index)
            assert made.drawn is not None, made
            puzzle, answer = made.drawn
            verdict = decide(CpSat(), puzzle, Budget(2))
            assert (verdict.status, verdict.answers) == (Status.UNIQUE, (answer,))
            assert grade(ladder(puzzle)) == made.grade == (wanted or made.grade)
            source = wish.sample()
            for clue in source.removable(puzzle):
                assert not completes(source.remove(puzzle, clue), wanted)


@pytest.mark.parametrize("name", NAMES)
def test_boards_that_the_checker_of_puzz_link_refuses_are_passed_by(name: str) -> None:
    """Where a genre has such; all other boards stay what they are."""
    plain = Wish(name, 2, 2, seed=6, tries=30)
    passed = 0
    for index in range(30):
        free, bound = (make(w, index) for w in (plain, replace(plain, for_puzz_link=True)))
        assert free.drawn is not None and bound.drawn is not None
        refused, fine = (
            list(made.drawn.puzzle.violations(made.drawn.puzzle.fill(made.drawn.answer)))
            for made in (free, bound)
            if made.drawn is not None
        )
        assert not fine and bool(refused) == (free.drawn != bound.drawn)
        assert (bound.met.get("refused by puzz.link", 0) > 0) == bool(refused)
        passed += bool(refused)
    assert (passed > 0) == (name == "tilepaint")
    done = hashigo("generate", name, "--size", "2", "--number", "30", "--seed", "6")
    assert done.returncode == 0
    puzzles = [codec.read(line).puzzle for line in done.stdout.splitlines()]
    assert len(puzzles) == 30
    for puzzle in puzzles:
        (answer,) = all_answers(puzzle).answers
        assert not list(puzzle.violations(puzzle.fill(answer)))


@pytest.mark.parametrize("name", NAMES)
def test_same_boards_on_any_number_of_workers(name: str) -> None:
    size, wanted, _ = boards(name).WISHES[0]
    words = ["generate", name, "--size", str(size), "--number", "5", "--seed", "8", "--form"]
    grade_words = ["--grade", wanted] if wanted else []
    one, two = (hashigo(*words, "json", *grade_words, "--jobs", jobs) for jobs in ("1", "2"))
    assert one.returncode == 0, one
    assert one.stdout == two.stdout
    assert [line["index"] for line in lines(one)] == [0, 1, 2, 3, 4]
    for line in lines(one):
        puzzle, filling = codec.from_json(line)
        assert filling is not None and not list(puzzle.violations(filling))
        assert grade(ladder(puzzle)) == line["grade"]


def test_forms_read_back() -> None:
    """A board with givens is no URL: there is none where a URL is asked for, else JSON."""
    words = ("generate", "kropki", "--size", "6", "--grade", "dot", "--seed", "4")
    made = [hashigo(*words), hashigo(*words, "--form", "json"), hashigo(*words, "--form", "text")]
    assert made[0].stdout == made[1].stdout
    assert json.loads(made[0].stdout)["givens"]
    assert len({codec.read(done.stdout).puzzle for done in made}) == 1
    url = hashigo(*words, "--form", "url").stdout
    assert url.startswith("https://puzz.link/p?kropki/6/6/")
    assert grade(ladder(codec.read(url).puzzle)) == "dot"


def test_a_cap_on_tries_ends_in_a_sentence() -> None:
    shown = ("--dial", "hidden=0")
    done = hashigo("generate", "kropki", "--size", "3", "--grade", "probe", "--tries", "5", *shown)
    assert (done.returncode, done.stdout) == (4, "")
    assert "0 of 1 boards of grade 'probe' made" in done.stderr and "5 tries" in done.stderr
    assert "met: dot 5" in done.stderr


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"genre": "nosuch"}, "no genre 'nosuch'"),
        ({"size": "0"}, "size '0'"),
        ({"size": "3x4x5"}, "size '3x4x5'"),
        ({"size": "40"}, "expected 1 to 20"),
        ({"grade": "nosuch"}, "no rung 'nosuch'"),
        ({"dial": ["hidden"]}, "NAME=VALUE"),
        ({"dial": ["hidden=2"]}, "from 0 to 1"),
        ({"dial": ["square=round"]}, "one of: uniform"),
        ({"dial": ["nosuch=1"]}, "no dial 'nosuch'"),
    ],
)
def test_bad_wishes(wish: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        generate.command(**{"genre": "kropki", **wish})


def test_dials_read_text_and_values_alike() -> None:
    for value in (0.25, "0.25"):
        assert sample("kropki", 3, 3, {"hidden": value}).dials["hidden"] == 0.25
    for value in (True, "true", "True"):
        assert sample("kropki", 3, 3, {"dots_only": value}).dials["dots_only"] is True
    with pytest.raises(PuzzleError, match="from 0 to 1"):
        sample("kropki", 3, 3, {"hidden": "nan"})


@pytest.mark.parametrize(
    ("convention", "square", "seed", "index"),
    [
        ("black", "rows", 6, 1593),
        ("black", "uniform", 51, 28212),
        ("either", "uniform", 52, 8429),
    ],
)
def test_a_unique_board_that_the_probe_does_not_complete(
    convention: str, square: str, seed: int, index: int
) -> None:
    """All edges shown: unique by three engines, and no rung completes it (see docs/findings.md)."""
    dials = {"convention": convention, "square": square}
    puzzle, answer = sample("kropki", 9, 9, dials).draw(generator(seed, index))
    for engine in (CpSat(), Sat(), Sat(strong=True)):
        verdict = decide(engine, puzzle, Budget(2))
        assert (verdict.status, verdict.answers) == (Status.UNIQUE, (answer,))
    assert grade(ladder(puzzle)) is None


# Latin squares

SQUARES: list[Callable[[int, np.random.Generator], Any]] = [
    kropki.uniform_square,
    kropki.square_by_rows,
    kropki.square_by_whole_rows,
    kropki.shuffled_cyclic_square,
]


@pytest.mark.parametrize("draw", SQUARES)
def test_squares_are_latin(draw: Callable[[int, np.random.Generator], Any]) -> None:
    for n in range(1, 10):
        rng = generator(1, n)
        for _ in range(5):
            square = draw(n, rng)
            digits = list(range(1, n + 1))
            assert all(sorted(line) == digits for line in (*square.tolist(), *square.T.tolist()))


@pytest.mark.parametrize("draw", [kropki.uniform_square, kropki.square_by_rows])
def test_which_squares_are_uniform(draw: Callable[[int, np.random.Generator], Any]) -> None:
    """Of order 4 there are 576; a chi-square of 575 degrees is about normal."""
    draws = 20 * 576
    rng = generator(2, 0)
    seen = Counter(tuple(draw(4, rng).ravel().tolist()) for _ in range(draws))
    chi_square = sum((count - 20) ** 2 / 20 for count in seen.values())
    chi_square += 20 * (576 - len(seen))
    deviation = (chi_square - 575) / sqrt(2 * 575)
    assert (abs(deviation) < 4) == (draw is kropki.uniform_square), deviation


def test_intercalates_by_definition() -> None:
    """Against every exchange of two digits in two rows and columns that the judge accepts.

    The rule reads labels, so that it may leave out what only the convention allows.
    """
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(400):
        drawn_board = twins.random_board(rng)
        rows, cols = drawn_board.rows, drawn_board.cols
        n = max(rows, cols)
        square = kropki.uniform_square(n, rng)[:rows, :cols]
        answer = tuple(square.ravel().tolist())
        shown = Kropki.from_answer(rows, cols, answer, "black")
        labels = [
            own if own == "?" else true
            for own, true in zip(drawn_board.labels, shown.labels, strict=True)
        ]
        givens = tuple(d if rng.random() < 0.1 else None for d in answer)
        puzzle = Kropki(rows, cols, tuple(labels), givens, "black")
        source = sample("kropki", rows, cols)
        got = {other for _, other in source.silent(Drawn(puzzle, answer))}
        assert got == set(_exchanges(puzzle, answer))
        found += len(got)
    assert found > 20


def _exchanges(puzzle: Kropki, answer: tuple[int, ...]) -> list[tuple[int, ...]]:
    cols = puzzle.cols
    found = []
    for i in range(len(answer)):
        for j in range(i + 1, len(answer)):
            if i // cols < j // cols and i % cols != j % cols:
                k, m = i // cols * cols + j % cols, j // cols * cols + i % cols
                if answer[i] == answer[j] and answer[k] == answer[m]:
                    changed = list(answer)
                    changed[i] = changed[j] = answer[k]
                    changed[k] = changed[m] = answer[i]
                    if puzzle.accepts(tuple(changed)):
                        found.append(tuple(changed))
    return found


def test_edges_are_hidden_by_count_or_by_coin() -> None:
    """Just the share, or each edge for itself: the number varies as a binomial one does."""
    hidden: dict[str, list[int]] = {"share": [], "coin": []}
    for way, counts in hidden.items():
        source = sample("kropki", 4, 4, {"hidden": 0.25, "hide": way})
        for index in range(400):
            puzzle, answer = source.draw(generator(2, index))
            assert puzzle.accepts(answer)
            counts.append(puzzle.labels.count(Label.UNKNOWN))
    assert set(hidden["share"]) == {6}
    # Of 24 edges, 6 with a variance of 4.5: five standard errors of mean and variance.
    assert abs(np.mean(hidden["coin"]) - 6) < 5 * (4.5 / 400) ** 0.5
    assert abs(np.var(hidden["coin"]) - 4.5) < 5 * 4.5 * (2 / 400) ** 0.5


@pytest.mark.parametrize(
    ("name", "size", "grade"),
    [("kropki", 5, "probe"), ("kropki", 7, "probe"), ("tilepaint", 14, "count")],
)
def test_grades_that_usual_boards_hardly_have(name: str, size: int, grade: str) -> None:
    """They are made all the same, unless somebody sets the dials."""
    words = ["generate", name, "--size", str(size), "--grade", grade, "--form", "json"]
    (made,) = lines(hashigo(*words))
    assert made["grade"] == grade
    source = sample(name, size, size)
    (dial,) = source.dials_for(grade)
    assert hashigo(*words, "--dial", f"{dial}={source.dials[dial]}", "--tries", "3").returncode == 4


def test_a_board_that_needs_line_beside_the_probe() -> None:
    """Probing over the lower rungs does not recover all that `line` adds: docs/findings.md."""
    drawn = sample("kropki", 10, 10, {"convention": "black"}).draw(generator(71, 58))
    board = ladder(drawn.puzzle)
    assert climb(board).complete
    assert not climb(board, select(board, without=["line"])).complete
