"""Experiments: rows that do not depend on workers, crashes or order, and what is made of them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import numpy as np
import pytest
import scipy.stats
from genres import NAMES, boards
from test_cli import hashigo, lines

from hashigo.counting.count import count
from hashigo.counting.sample import Drawn, generator, sample
from hashigo.counting.samples.kropki import KropkiSample
from hashigo.ladder.climb import trace
from hashigo.ladder.rung import Ladder, Rung, ladder, select
from hashigo.ladder.state import solved
from hashigo.models.puzzle import Answer
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import EngineFault
from hashigo.scripts import dial, experiment, measures, report, stats
from hashigo.scripts.experiment import Experiment, read
from hashigo.scripts.store import Store
from hashigo.scripts.summary import Spread, summary

_ALL = [name for name in measures.MEASURES if name not in ("count", "price", "branches")]


def small(name: str, **changes: Any) -> Experiment:
    """A quick experiment of a genre that turns one of its dials."""
    settings, sizes = boards(name).DIALS[0], boards(name).SAMPLE_SIZES[-1:]
    turned, value = next(iter(settings.items()))
    data = {
        "genre": name,
        "sizes": ["x".join(map(str, size)) for size in sizes],
        "boards": 23,
        "seed": 11,
        "measures": _ALL,
        "dial": turned,
        "values": [sample(name, 2, 2).DIALS[turned].usual, value],
    }
    return read("small", data | changes)


def table(path: Path) -> list[tuple[Any, ...]]:
    """All rows in the order of their key, without running times."""
    with Store(path, read_only=True) as store:
        columns = store.query("SELECT column_name FROM (DESCRIBE boards)")
        names = sorted(name for (name,) in columns if not name.endswith("seconds"))
        order = ", ".join(column.name for column in experiment.KEY)
        return store.query(f"SELECT {', '.join(names)} FROM boards ORDER BY {order}")


def run(plan: Experiment, path: Path, **how: Any) -> list[tuple[Any, ...]]:
    with Store(path) as store:
        dial.run(plan, store, **how)
    return table(path)


@pytest.mark.parametrize("name", NAMES)
def test_rows_do_not_depend_on_workers_or_order(name: str, tmp_path: Path) -> None:
    plan = small(name)
    rows = run(plan, tmp_path / "one.duckdb")
    assert len(rows) == 46
    assert run(plan, tmp_path / "two.duckdb", jobs=2) == rows
    assert run(plan, tmp_path / "one.duckdb") == rows  # nothing is left to do
    half = small(name, boards=10)
    assert len(run(half, tmp_path / "grown.duckdb")) == 20
    assert run(plan, tmp_path / "grown.duckdb") == rows


@pytest.mark.parametrize("name", NAMES)
def test_measures_by_other_ways(name: str) -> None:
    plan = small(name, measures=["up_to", "without", "unique", "gap", "count", "silent", "clues"])
    names = [column.name for column in plan.columns()]
    for cell in plan.cells():
        for values in experiment.measure(plan, cell, range(0, 20, 4)):
            row = dict(zip(names, values, strict=True))
            source = sample(name, cell.rows, cell.cols, plan.dials(cell))
            puzzle, answer = drawn = source.draw(generator(plan.seed, row["board"]))
            board = ladder(puzzle)
            done = [rung.name for rung in select(board) if row[f"up_to_{rung.name}"]]
            assert row["grade"] == (done[0] if done else None)
            for rung in select(board):
                assert row[f"up_to_{rung.name}"] == walked(board, select(board, rung.name))
                others = select(board, without=[rung.name])
                assert row[f"without_{rung.name}"] == walked(board, others)
            assert row["gap_lower"] == row["without_probe"]
            assert row["gap_complete"] == row["up_to_probe"]
            assert row["gap_unique"] == row["is_unique"]
            if row["answers"] is not None:
                counted = count(puzzle, "dp", 60.0, 1)
                assert (counted.kind, counted.value) == ("exact", row["answers"])
                assert row["is_unique"] == (row["answers"] == 1)
            found = Counter(
                kind
                for kind, other in source.silent(drawn)
                if other != answer and puzzle.accepts(other)
            )
            for kind in source.SILENT:
                assert row[f"silent_{kind.replace('-', '_')}"] == found[kind]
            seen = {f"clues_{what}": k for what, k in boards(name).plain_counts(drawn).items()}
            assert seen == {key: row[key] for key in seen} and len(seen) == len(source.COUNTS)


def walked(board: Ladder, rungs: Sequence[Rung]) -> bool:
    """Whether these rungs complete a board, visit by visit as `hashigo solve` shows it."""
    masks = board.start()
    steps = list(trace(board, rungs, masks))
    return solved(masks) and not any(step.contradiction for step in steps)


def test_a_silent_change_on_a_unique_board_is_a_fault() -> None:
    """And so is one that is no answer: tried with samples that claim too much."""
    source = sample("kropki", 6, 6, {"hidden": 0.0})
    rng = generator(1, 0)
    drawn = source.draw(rng)

    class Liar(KropkiSample):
        SILENT = ("lie",)

        def silent(self, drawn: Drawn) -> Iterator[tuple[str, Answer]]:
            yield "lie", lie

    liar = Liar("kropki", 6, 6, {})
    subject = measures.Subject(liar, drawn, rng)
    assert subject.unique
    lie = drawn.answer[::-1]
    with pytest.raises(EngineFault, match="no second answer"):
        measures.silent(subject)
    open_board = sample("kropki", 6, 6, {"hidden": 1.0}).draw(rng)
    lie = tuple(7 - digit for digit in open_board.answer)
    subject = measures.Subject(liar, open_board, rng)
    assert measures.silent(subject) == [1]
    subject.__dict__["unique"] = True
    with pytest.raises(EngineFault, match="called unique"):
        measures.silent(subject)


def test_a_gap_is_seen_and_a_missed_answer_is_a_fault() -> None:
    """On the known board with one answer that the probe does not complete, and on a false answer."""
    source = sample("kropki", 9, 9, {"convention": "black", "square": "rows"})
    rng = generator(6, 1593)
    assert measures.gap(measures.Subject(source, source.draw(rng), rng)) == [False, False, True]
    puzzle, answer = sample("kropki", 5, 5).draw(generator(1, 0))
    assert measures.gap(measures.Subject(source, Drawn(puzzle, answer), rng)) == [True] * 3
    with pytest.raises(EngineFault, match="misses the answer"):
        measures.gap(measures.Subject(source, Drawn(puzzle, answer[::-1]), rng))
    wrong = replace(puzzle, givens=(answer[0] % 5 + 1, *[None] * 24))
    with pytest.raises(EngineFault, match="refutes"):
        measures.gap(measures.Subject(source, Drawn(wrong, answer), rng))


def test_many_boards_go_in_larger_chunks() -> None:
    """Few slow ones are shared out one by one; a chunk holds the boards that have no row yet."""
    for number, largest in ((23, 1), (1000, 10), (10_000, 100), (30_000, 100)):
        plan = small("kropki", boards=number)
        with Store(Path(":memory:")) as store:
            store.prepare(plan)
            work, total = dial._missing(plan, store)
        assert total == 2 * number == sum(len(chunk) for _, chunk in work)
        assert max(len(chunk) for _, chunk in work) == largest


# Stopping and going on

_PLAN = """
genre = "kropki"
sizes = [6, "4x5"]
boards = {boards}
seed = 9
measures = ["up_to", "unique", "silent", "clues"]
dial = "hidden"
values = [0.0, 0.5]
"""


def kill_and_go_on(folder: Path, boards: int, kills: int) -> None:
    """Runs killed at random moments end with the table of the undisturbed run."""
    plan = folder / "plan.toml"
    plan.write_text(_PLAN.format(boards=boards))
    wanted = run(experiment.load(str(plan)), folder / "whole.duckdb")
    out = folder / "killed.duckdb"
    command = [sys.executable, "-m", "hashigo", "dial", str(plan), "--out", str(out), "--json"]
    rng = np.random.default_rng(1)
    seen: list[int] = []
    while len(seen) < kills or not max(seen):  # later and later, where nothing came yet
        k = len(seen)
        process = subprocess.Popen([*command, "--jobs", str(1 + k % 2)], stdout=subprocess.DEVNULL)
        while not out.exists():
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 2.0) * (1 + (0 if any(seen) else k)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        try:
            seen.append(len(table(out)))
        except PuzzleError:  # killed before there was a file
            seen.append(0)
        except duckdb.CatalogException:  # or a table
            seen.append(0)
    assert seen == sorted(seen)
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert table(out) == wanted


def test_killed_and_gone_on(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, boards=400, kills=2)


@pytest.mark.long
def test_killed_twenty_times(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, boards=6000, kills=20)


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # of distributed's own, when a worker is lost
def test_dask_with_a_worker_killed(tmp_path: Path) -> None:
    """Separate worker processes on loopback; one dies in mid-run."""
    distributed = pytest.importorskip("distributed")
    plan = small("kropki", boards=100)
    wanted = run(plan, tmp_path / "serial.duckdb")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        assert os.getpid() not in pids
        Timer(0.5, os.kill, (pids[0], signal.SIGKILL)).start()
        got = run(plan, tmp_path / "dask.duckdb", cluster=cluster.scheduler_address)
        assert pids[0] not in client.run(os.getpid).values()
    assert got == wanted


def test_no_cluster_there(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with Store(tmp_path / "x.duckdb") as store, pytest.raises(PuzzleError, match="tcp://"):
        dial.run(small("kropki"), store, cluster="tcp://127.0.0.1:9")


# The file


def test_another_experiment_of_that_name_is_refused(tmp_path: Path) -> None:
    run(small("kropki", boards=2), tmp_path / "x.duckdb")
    for change in (
        {"seed": 12},
        {"measures": ["up_to"]},
        {"fixed": {"convention": "black"}},
        {"made": True},
    ):
        with pytest.raises(PuzzleError, match="another experiment 'small'"):
            run(small("kropki", boards=2, **change), tmp_path / "x.duckdb")
    with Store(tmp_path / "x.duckdb") as store:
        store.drop(small("kropki"))
    assert len(run(small("kropki", boards=2, seed=12), tmp_path / "x.duckdb")) == 4


def test_exports_and_summary(tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "x.duckdb"
    plan.write_text(_PLAN.format(boards=12))
    words = ("dial", str(plan), "--out", str(out))
    exports = [tmp_path / "x.parquet", tmp_path / "x.csv"]
    done = hashigo(*words, "--json", *(f"--export={path}" for path in exports))
    assert done.returncode == 0, done
    cells = lines(done)
    assert [(c["rows"], c["cols"], c["value"]) for c in cells] == [
        (6, 6, "0"), (6, 6, "0.5"), (4, 5, "0"), (4, 5, "0.5"),
    ]  # fmt: skip
    with Store(out, read_only=True) as store:
        own = store.query("SELECT * FROM boards ORDER BY experiment, rows, cols, value, board")
        parquet = store.query(f"SELECT * FROM read_parquet('{exports[0]}')")
        rows = store.query(f"SELECT * FROM read_csv('{exports[1]}', all_varchar = true)")
    assert parquet == own
    assert len(rows) == len(own) == 48
    for cell in cells:
        hits = sum(
            row["is_unique"]
            for row in _dicts(exports[1])
            if (row["rows"], row["cols"], row["value"])
            == (cell["rows"], cell["cols"], float(cell["value"]))
        )
        assert cell["is_unique"]["hits"] == hits and cell["boards"] == 12
    shown = hashigo(*words)
    assert "is_unique" in shown.stdout and "Wilson" in shown.stdout
    assert hashigo(*words, "--export", "x.xls").returncode == 2


def test_a_mean_says_how_many_boards_it_is_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards with too many answers to count are no part of the mean."""
    monkeypatch.setattr(measures, "_ANSWERS", 3)
    plan = small("kropki", measures=["count"], dial="hidden", values=[0.5])
    run(plan, tmp_path / "x.duckdb")
    with Store(tmp_path / "x.duckdb") as store:
        (cell,) = summary(store, plan)
        ((having,),) = store.query("SELECT count(answers) FROM boards")
    answers = cell.figures["answers"]
    assert isinstance(answers, Spread) and 0 < having < cell.boards == plan.boards
    assert (answers.boards, answers.lacking) == (having, cell.boards - having)
    assert str(answers).endswith(f", of {having} boards)") and answers.data()["boards"] == having


def test_a_mean_says_that_it_is_a_lower_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches that were cut short: some of them bound the mean, half of them the median."""
    plan = small("kropki", measures=["branches"], dial="hidden", values=[0.4])
    monkeypatch.setattr(measures, "_BRANCHES", 3)
    rows = run(plan, tmp_path / "x.duckdb")
    with Store(tmp_path / "x.duckdb") as store:
        (cell,) = summary(store, plan)
        found = store.query("SELECT branches_dot, branches_cut_dot FROM boards")
    cut = sum(over for _, over in found)
    dot = cell.figures["branches_dot"]
    assert isinstance(dot, Spread) and (dot.cut, dot.boards) == (cut, len(rows))
    assert all((branches == 4) == over for branches, over in found) and 0 < cut < len(rows)
    assert str(dot) == f">={dot.mean:.4g} (median {'>=' if cut > 11 else ''}{dot.median:.4g})"
    assert str(replace(dot, cut=11)) == f">={dot.mean:.4g} (median {dot.median:.4g})"
    assert str(replace(dot, cut=12)).count(">=") == 2
    assert ">=" not in str(replace(dot, cut=0))


def _dicts(path: Path) -> list[dict[str, Any]]:
    with Store(path.with_suffix(".duckdb"), read_only=True) as store:
        names = [name for (name,) in store.query(f"SELECT column_name FROM (DESCRIBE '{path}')")]
        rows = store.query(f"SELECT * FROM '{path}'")
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"genre": "nosuch"}, "no genre"),
        ({"sizes": ["3x"]}, "size '3x'"),
        ({"sizes": []}, "expected 'sizes'"),
        ({"boards": -1}, "boards > 0"),
        ({"boards": "many"}, "expected int"),
        ({"measures": ["nosuch"]}, "no measure 'nosuch'"),
        ({"dial": "nosuch"}, "no dial 'nosuch'"),
        ({"values": []}, "'dial' and 'values'"),
        ({"values": [7.0]}, "from 0 to 1"),
        ({"nosuch": 1}, "no field 'nosuch'"),
        ({"made": "yes"}, "made is 'yes'; expected bool"),
    ],
)
def test_bad_experiments(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        small("kropki", **change)


def test_bad_files(tmp_path: Path) -> None:
    for text in ("genre = ", "\x00"):
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(PuzzleError, match=r"bad\.toml"):
            experiment.load(str(tmp_path / "bad.toml"))
    with pytest.raises(PuzzleError, match=r"one of: .*hidden-edges"):
        experiment.load("nosuch")
    (tmp_path / "x.duckdb").write_text("no database")
    with pytest.raises(PuzzleError, match=r"x\.duckdb"):
        Store(tmp_path / "x.duckdb")


def test_a_file_cut_off_before_it_held_anything(tmp_path: Path) -> None:
    """As a kill can leave one; what is no such file is left alone."""
    whole, cut = tmp_path / "whole.duckdb", tmp_path / "cut.duckdb"
    duckdb.connect(str(whole)).close()
    for size in (0, 100, 4096, 8192):
        cut.write_bytes(whole.read_bytes()[:size])
        assert len(run(small("kropki", boards=2), cut)) == 4
    for head in (b"my notes", b"my notes, and more of them"):
        cut.write_bytes(head)
        with pytest.raises(PuzzleError, match=r"cut\.duckdb"):
            Store(cut)
        assert cut.read_bytes() == head
    cut.write_bytes(b"")
    with pytest.raises(PuzzleError, match=r"cut\.duckdb"):
        Store(cut, read_only=True)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(cut)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(PuzzleError, match="lock"):
            Store(cut)
        assert cut.exists()
        holder.communicate("")


_HOLDER = """
import fcntl, sys
with open(sys.argv[1], "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


def test_report(tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "x.duckdb"
    plan.write_text(_PLAN.format(boards=5))
    run(experiment.load(str(plan)), out)
    report.command(out, tmp_path / "to", [str(plan)])
    text = (tmp_path / "to" / "report.md").read_text()
    assert "| 6x6 | 0.5 | 5 |" in text and "(plan.svg)" in text
    assert (tmp_path / "to" / "plan.svg").read_text().count("is_unique") >= 1
    assert (tmp_path / "to" / "plan.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PuzzleError, match="no rows of a shipped"):
        report.command(out, tmp_path / "to")


@pytest.mark.parametrize("name", experiment.shipped())
def test_shipped_experiments(name: str) -> None:
    """Each can be read and measures a board of each cell."""
    plan = experiment.load(name)
    assert plan.claim in ("", name)
    columns = plan.columns()
    for cell in plan.cells():
        ((*row,),) = experiment.measure(plan, cell, [0])
        assert len(row) == len(columns)
        json.dumps(row)


# Statistics


def test_wilson_as_scipy_has_it() -> None:
    for boards_ in (1, 7, 150):
        for hits in (0, 1, boards_ // 2, boards_):
            ours = stats.wilson(hits, boards_)
            theirs = scipy.stats.binomtest(hits, boards_).proportion_ci(method="wilson")
            assert ours == pytest.approx((theirs.low, theirs.high))
    assert stats.wilson(0, 0) == (0.0, 1.0)


def test_two_shares_by_definition() -> None:
    """All tables with these margins that are no more likely than the one seen."""
    from math import comb

    for hits, boards_, other, others in ((3, 10, 9, 12), (0, 8, 0, 9), (5, 5, 2, 20)):
        total = hits + other
        weights = [
            comb(boards_, k) * comb(others, total - k) if total >= k else 0
            for k in range(boards_ + 1)
        ]
        p = sum(w for w in weights if w <= weights[hits]) / sum(weights)
        assert stats.two_shares(hits, boards_, other, others) == pytest.approx(p)


def test_ratio_by_drawing_again() -> None:
    """Its error is how it varies from sample to sample, also where pairs hang together."""
    rng = np.random.default_rng(1)

    def draw(together: bool) -> list[tuple[float, float]]:
        sizes = rng.integers(1, 9, 200)
        chance = rng.integers(0, 2, 200) if together else 0.5
        return list(zip(rng.binomial(sizes, chance), sizes, strict=True))

    for together in (False, True):
        found = [stats.ratio(draw(together)) for _ in range(400)]
        values, errors = np.array(found).T
        assert values.mean() == pytest.approx(0.5, abs=0.01)
        assert errors.mean() == pytest.approx(values.std(), rel=0.15)
    assert stats.ratio([(1, 2)]) == (0.5, np.inf)
    assert stats.ratio([]) == stats.ratio([(0, 0)] * 3) == (0.0, np.inf)


def test_two_ratios_as_scipy_has_it() -> None:
    for difference, error in ((0.0, 0.1), (0.1, 0.05), (-0.3, 0.1)):
        p = 2 * scipy.stats.norm.sf(abs(difference), scale=error * 1.25**0.5)
        assert stats.two_ratios(difference, error, 50, 200) == pytest.approx(p)
    assert stats.two_ratios(0.0, 0.0, 50, 200) == 1.0
    assert stats.two_ratios(0.1, 0.0, 50, 200) == 0.0


def test_holm() -> None:
    assert stats.holm([]) == []
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.5, 0.9]) == [1.0, 1.0]
