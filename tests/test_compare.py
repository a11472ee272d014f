"""`hashigo compare`, effort, and citations: what is said can be checked."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from genres import NAMES, all_answers, boards, random_boards
from pysat.solvers import Solver
from scipy.stats import spearmanr

from hashigo.counting.effort import SOLVERS, SatEffort, refute, refute_by_cpsat, shuffled
from hashigo.counting.mus import Groups
from hashigo.ladder.climb import trace
from hashigo.ladder.rung import Ladder, ladder, select
from hashigo.models import codec
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, Status
from hashigo.scripts import compare
from hashigo.scripts.contrast import Contrast, Effort, contrast
from hashigo.scripts.crowd import Crowd, crowds, spearman

URL = "kropki/4/4/aa7fioco"


def hashigo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hashigo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def unique_boards(name: str, count: int, seed: int) -> list[Puzzle]:
    found = [p for p in random_boards(name, 40 * count, seed) if all_answers(p).count == 1]
    assert len(found) >= count
    return found[:count]


# Effort


@pytest.mark.parametrize("name", NAMES)
def test_effort_is_a_function_of_the_seed(name: str) -> None:
    for puzzle in unique_boards(name, 3, 70):
        answers = all_answers(puzzle).answers
        runs = [list(refute(puzzle, answers, range(2), Budget())) for _ in range(2)]
        assert runs[0] == runs[1]
        assert [run.solver for run in runs[0]] == [*SOLVERS, *SOLVERS]
        assert all(min(run[2:]) >= 0 for run in runs[0])
        assert refute_by_cpsat(puzzle, answers, 1, Budget()).seed == 1


@pytest.mark.parametrize("name", NAMES)
def test_another_answer_cannot_be_refuted(name: str) -> None:
    puzzle = unique_boards(name, 1, 71)[0]
    with pytest.raises(EngineFault, match="there is another answer"):
        list(refute(puzzle, [], [0], Budget()))
    with pytest.raises(EngineFault, match="there is another answer"):
        refute_by_cpsat(puzzle, [], 0, Budget())


@pytest.mark.parametrize("name", NAMES)
def test_shuffling_keeps_the_formula(name: str) -> None:
    """Up to names: as many clauses of each length, as many models."""
    puzzle = boards(name).random_board(np.random.default_rng(72), 3)
    form = encoding(puzzle)
    clauses = [*form.clauses(puzzle), *([k, -k] for k in range(1, form.x.top + 1))]
    mixed = shuffled(clauses, 5)
    assert mixed != clauses and mixed == shuffled(clauses, 5) and mixed != shuffled(clauses, 6)
    assert sorted(map(len, mixed)) == sorted(map(len, clauses))
    assert len({abs(k) for c in mixed for k in c}) == len({abs(k) for c in clauses for k in c})
    counts = []
    for some in (clauses, mixed):
        with Solver(name="glucose4", bootstrap_with=some) as solver:
            counts.append(sum(1 for _ in zip(range(300), solver.enum_models(), strict=False)))
    assert counts[0] == counts[1]


# Citations


@pytest.mark.parametrize("name", NAMES)
def test_cited_clues_alone_force_the_step(name: str) -> None:
    """From clauses put together anew: the subset entails the step, and no member can go."""
    for puzzle in random_boards(name, 25, seed=73):
        board = ladder(puzzle)
        with Groups(puzzle) as groups:
            for step in trace(board, select(board), board.start()):
                if step.removed or step.contradiction:
                    gone = [] if step.contradiction else list(step.removed)
                    cited = groups.cite(gone, Budget(seconds=5)).names
                    assert forces(puzzle, cited, gone)
                    assert not any(
                        forces(puzzle, [n for n in cited if n != member], gone) for member in cited
                    )


def forces(puzzle: Puzzle, names: Any, gone: list[tuple[int, int]]) -> bool:
    """Whether the clauses of these groups and of none rule all these values out."""
    form = encoding(puzzle)
    clauses = [
        clause
        for key in form.keys(puzzle)
        if puzzle.group_name(key) in ("", *names)
        for clause in form.fragment(puzzle, key)
    ]
    if gone:
        clauses.append([form.x.value(i, v) for i, v in gone])
    with Solver(name="cadical153", bootstrap_with=clauses) as solver:
        return not solver.solve()


@pytest.mark.parametrize("name", NAMES)
def test_the_smallest_citation_is_the_smallest(name: str) -> None:
    """Against all smaller subsets, on the steps of small boards."""
    rng = np.random.default_rng(74)
    checked = 0
    for _ in range(20):
        puzzle = boards(name).random_board(rng, 3)
        board = ladder(puzzle)
        with Groups(puzzle) as groups:
            for step in trace(board, select(board), board.start()):
                if step.contradiction or not step.removed:
                    continue
                cited = groups.cite(step.removed, Budget(seconds=20))
                assert cited.smallest and groups.force(cited.names, step.removed)
                smaller = combinations(groups.names, max(0, len(cited.names) - 1))
                if len(cited.names) <= 4:
                    checked += 1
                    assert not any(groups.force(some, step.removed) for some in smaller)
    assert checked > 20


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_follow_is_not_cited(name: str) -> None:
    puzzle = unique_boards(name, 1, 75)[0]
    (answer,) = all_answers(puzzle).answers
    with Groups(puzzle) as groups, pytest.raises(EngineFault, match="does not follow"):
        groups.cite([(0, answer[0])], Budget())


@pytest.mark.parametrize("name", NAMES)
def test_groups_have_names_for_people(name: str) -> None:
    for puzzle in random_boards(name, 20, seed=76):
        with Groups(puzzle) as groups:
            assert all(name and name == name.strip() for name in groups.names)
            assert len(set(groups.names)) == len(groups.names)


def test_explain_with_citations() -> None:
    done = hashigo("solve", "--explain", "--mus", URL)
    assert done.returncode == 0
    assert "forced by 2: white dot R1C1-R1C2, no dot R1C2-R1C3" in done.stdout
    assert done.stdout.count("a placed digit leaves its row and column") == 1
    assert "rules and clues cited: median" in done.stdout
    data = json.loads(hashigo("solve", "--mus", "--json", URL).stdout)
    puzzle = codec.read(URL).puzzle
    index = {puzzle.variable_name(i): i for i in range(16)}
    for step in data["steps"]:
        gone = [(index[name], v) for name, v in step["removed"]]
        cited = step["mus"]["names"]
        assert cited and forces(puzzle, cited, gone)
        assert not any(forces(puzzle, {*cited} - {member}, gone) for member in cited)


# One board


@pytest.mark.parametrize("name", NAMES)
def test_contrast_of_one_board(name: str) -> None:
    for puzzle in [*unique_boards(name, 3, 77), *random_boards(name, 8, seed=78)]:
        made = contrast("x", puzzle, range(2), 10)
        data = json.loads(json.dumps(made.data()))
        assert not data["differences"]
        assert data["closures"][-1]["closure"] == "backbone"
        shares = [row["share"] for row in data["closures"]]
        assert all(0 <= share <= 1 for share in shares) and shares[-1] == 1
        for row, share in zip(data["closures"], shares, strict=True):
            assert ("missed" in row) == (share < 1)
        several = made.status == Status.MULTIPLE
        assert bool(data["effort"]["sat"]) != several
        assert several == (data["effort"].get("note") == "nothing to refute: MULTIPLE")
        if made.grade:
            settled = next(r for r in data["closures"] if r["closure"] == f"up to {made.grade}")
            assert settled["share"] == 1
            assert data["effort"]["ladder"][made.grade] == 1


def test_compare_of_one_board() -> None:
    done = hashigo("compare", "kropki/6/6/1il0906369i2206i0226", "--seeds", "1")
    assert done.returncode == 0
    assert "R1C1 = 2, which up to line removes" in done.stdout
    assert "6 correspondences of rungs and propagation tested here: all hold" in done.stdout
    assert "to refute another answer" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_compare_of_random_boards(name: str, tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    arguments = ("compare", "--genre", name, "--boards", "8", "--size", "4", "--seeds", "1")
    done = hashigo(*arguments, "--plot", str(path))
    assert done.returncode == 0, done
    assert "whole backbone" in done.stdout and "Spearman's rho" in done.stdout
    assert "<svg" in path.read_text()
    *lines, summary = map(json.loads, hashigo(*arguments, "--json").stdout.splitlines())
    assert len(lines) == 8
    assert summary["boards"] == sum(line["status"] == "UNIQUE" for line in lines)
    assert sum(map(sum, summary["contingency"].values())) == summary["boards"]


def test_theorems_command(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- correspondences -->\nold\n<!-- end -->\nafter\n")
    arguments = ("compare", "--theorems", "--boards", "6", "--size", "3")
    done = hashigo(*arguments, "--manual", str(page))
    assert done.returncode == 0
    assert "unit propagation" in done.stdout
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("<!-- end -->\nafter\n")
    assert "| genre | rungs |" in text and "old" not in text
    lines = [json.loads(line) for line in hashigo(*arguments, "--json").stdout.splitlines()]
    assert {line["genre"] for line in lines} == set(NAMES)
    assert all(line["differences"] == 0 for line in lines)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--boards", "2", "--genre", "nosuch"),
        (URL, "--plot", "x.svg"),
        ("--theorems", "--boards", "1", "--size", "2", "--manual", "nosuch.md"),
        ("--theorems", URL),
        (URL, "--manual", "x.md"),
        ("nosuch/1/1/",),
    ],
)
def test_bad_input(arguments: tuple[str, ...]) -> None:
    done = hashigo("compare", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("hashigo: ") and "Traceback" not in done.stderr


# Many boards


def test_rank_correlation_is_spearmans() -> None:
    rng = np.random.default_rng(79)
    x, y = rng.integers(0, [[[4]], [[9]]], (2, 20, 30)).astype(np.float64)
    expected = [spearmanr(*pair).statistic for pair in zip(x, y, strict=True)]
    assert spearman(x, y) == pytest.approx(expected)
    assert np.isnan(spearman(np.ones((1, 5)), np.arange(5.0)[None])).all()


def test_interval_of_a_correlation() -> None:
    """Perfect order has no spread; noise has an interval round 0."""
    rng = np.random.default_rng(80)
    ranks = tuple(int(k) for k in rng.integers(0, 4, 200))
    effort = tuple({"tied": float(k), "noise": float(rng.random())} for k in ranks)
    tied, noise = Crowd("x", ("a", "b", "c", "d"), ranks, effort).correlations()
    assert (tied.rho, tied.low, tied.high) == pytest.approx((1, 1, 1))
    assert noise.low is not None and noise.high is not None and noise.rho is not None
    assert noise.low < noise.rho < noise.high and noise.low < 0 < noise.high


def test_a_board_that_was_not_refuted_in_time_is_the_hardest() -> None:
    """Tied with others such, in the table and in the order; half of the orders in time is too few."""
    runs = [SatEffort("glucose4", seed, 7 + seed, 1, 1, 1) for seed in range(4)]
    for done, median in ((4, 8.5), (3, 8.5), (2, inf), (0, inf)):
        effort = Effort(tuple(runs[:done]), seeds=4, seconds=9.0).typical()
        assert effort["glucose4 conflicts"] == median
        assert effort["lingeling conflicts"] == effort["cpsat branches"] == inf
    assert Effort().typical() == {}
    ranks, cost = (0, 1, 1, 2, 2), (0.0, 5.0, 2000.0, inf, inf)
    efforts = tuple({"glucose4 conflicts": k} for k in cost)
    late = Crowd("x", ("a", "b", "c"), ranks, efforts, 9.0)
    assert late.classes()[-1] == "not within 9 s"
    assert late.contingency() == {
        "a": [1, 0, 0, 0, 0, 0], "b": [0, 1, 0, 0, 1, 0], "c": [0, 0, 0, 0, 0, 2]
    }  # fmt: skip
    (found,) = late.correlations()
    expected = spearmanr(ranks, (0, 5, 2000, 10**9, 10**9)).statistic
    assert (found.boards, found.late) == (5, 2) and found.rho == pytest.approx(expected)
    assert "Infinity" not in json.dumps(late.data())


def test_a_hard_board_stays_in_the_crowd(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    made = [contrast("x", puzzle, [0], 5) for puzzle in unique_boards(NAMES[0], 3, 82)]

    def out_of_time(*_: object) -> Iterator[SatEffort]:
        yield from ()
        raise Budget(seconds=5).out_of_time()

    monkeypatch.setattr("hashigo.scripts.contrast.refute", out_of_time)
    late = contrast("y", made[0].puzzle, [0], 5)
    assert late.effort.note == "limit of 5 s" and late.effort.cpsat
    compare._print(late)
    assert "not within 5 s" in capsys.readouterr().out
    (crowd,) = crowds([*made, late])
    assert len(crowd.ranks) == 4
    assert [sum(column) for column in zip(*crowd.contingency().values(), strict=True)][-1] == 1
    compare._print_many([*made, late], tmp_path / "x.svg", as_json=False)
    assert "not within 5 s" in capsys.readouterr().out
    assert (tmp_path / "x.svg").stat().st_size


def test_crowds_leave_out_boards_without_one_answer() -> None:
    made: list[Contrast] = [
        contrast("x", puzzle, [0], 5) for puzzle in random_boards(NAMES[0], 12, seed=81)
    ]
    (crowd,) = crowds(made)
    assert len(crowd.ranks) == sum(each.status == Status.UNIQUE for each in made) < 12


def test_a_board_that_was_not_graded_in_time_is_not_beyond_the_ladder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [contrast("x", puzzle, [0], 5) for puzzle in unique_boards(NAMES[0], 3, 82)]
    (crowd,) = crowds(made)
    assert len(crowd.ranks) == 3

    def out_of_time(ladder: Ladder, budget: Budget) -> str | None:
        raise budget.out_of_time()

    monkeypatch.setattr("hashigo.scripts.contrast.grade", out_of_time)
    late = contrast("x", made[0].puzzle, [0], 5)
    assert late.grade is None and late.data()["ungraded"] == "limit of 5 s"
    compare._print(late)
    assert "UNIQUE, grade: not known (limit of 5 s)" in capsys.readouterr().out
    (crowd,) = crowds([*made, late])
    assert (len(crowd.ranks), crowd.ungraded) == (3, 1)


def test_only_the_plot_needs_an_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from hashigo.scripts import crowd

    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert spearman(np.arange(3.0)[None], np.arange(3.0)[None]) == [1.0]
    with pytest.raises(PuzzleError, match=r"needs matplotlib.*hashigo\[plot\]"):
        crowd.plot([], tmp_path / "x.svg")
