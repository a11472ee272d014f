"""Every shipped experiment, killed again and again: it ends with the table of a quiet run."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from test_dial import table

from hashigo.scripts import experiment
from hashigo.scripts.store import Store

KILLS = 20
LEAST = 6.0  # seconds of work, start-up aside, that the kills fall into
_GROWN = 2  # kills at least that find more rows than the one before


class Run:
    """`hashigo dial` on one file, in a process group of its own."""

    def __init__(self, name: str, out: Path, boards: int, jobs: int) -> None:
        words = (name, f"--out={out}", f"--boards={boards}", f"--jobs={jobs}", "--json")
        self.said = out.with_suffix(".stderr")
        with self.said.open("w") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hashigo", "dial", *words],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )

    def finish(self) -> float:
        """Let it end by itself; gives the seconds that it took."""
        start = time.monotonic()
        assert self.process.wait() == 0, self.said.read_text()
        assert not self.said.read_text()
        return time.monotonic() - start

    def kill(self, seconds: float) -> bool:
        """Kill it and its workers after a time; False where it was done before."""
        time.sleep(seconds)
        alive = self.process.poll() is None
        if alive:
            os.killpg(self.process.pid, signal.SIGKILL)
        assert self.process.wait() in (0, -signal.SIGKILL), self.said.read_text()
        assert not self.said.read_text()
        return alive


def progress(out: Path) -> tuple[int, float]:
    """The rows in the file and their seconds; none where it was killed before there was a table."""
    if not out.exists():
        return 0, 0.0
    with Store(out, read_only=True) as store:
        try:
            names = store.query("SELECT column_name FROM (DESCRIBE boards)")
        except duckdb.CatalogException:
            return 0, 0.0
        seconds = [name for (name,) in names if name.endswith("seconds")]
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in seconds)
        ((count, *spent),) = store.query(f"SELECT count(*), {sums} FROM boards")
    return count, sum(spent)


def quiet(name: str, folder: Path, jobs: int) -> tuple[int, float, float]:
    """Enough boards for some seconds of work; those seconds, and those of start-up."""
    Run(name, folder / "compiled.duckdb", 1, jobs).finish()
    start = Run(name, folder / "first.duckdb", 1, jobs).finish()
    boards = 5
    while True:
        out = folder / f"{boards}.duckdb"
        work = Run(name, out, boards, jobs).finish() - start
        if work >= LEAST:
            return boards, work, start
        boards *= 2


@pytest.mark.long
@pytest.mark.parametrize("name", experiment.shipped())
def test_killed_at_random_moments(name: str, tmp_path: Path) -> None:
    """Whatever it was about to do: start, measure, or commit.

    A run that is behind its share of the work is killed while it works, any other while it starts;
    so the kills are spread over the work, and it is not done before the last of them.
    """
    jobs = 1 + experiment.shipped().index(name) % 2
    cells = len(experiment.load(name).cells())
    boards, work, start = quiet(name, tmp_path, jobs)
    _, all_of_it = progress(tmp_path / f"{boards}.duckdb")
    out = tmp_path / "killed.duckdb"
    rng = np.random.default_rng(len(name))
    seen, spent = [0], 0.0
    patience = work / 10
    for kill in range(KILLS):
        behind = spent <= all_of_it * kill / (2 * KILLS)
        moment = start + rng.uniform(0, patience) if behind else rng.uniform(0, start)
        while not Run(name, out, boards, jobs).kill(moment):
            boards *= 2  # the machine is quicker now
            all_of_it *= 2
        count, spent = progress(out)
        seen.append(count)
        if count == cells * boards:
            boards *= 2  # it was killed after the last row
            all_of_it *= 2
        if behind:
            patience = min(patience * (1.3 if seen[-1] == seen[-2] else 0.7), work / 3)
    whole = tmp_path / f"{boards}.duckdb"
    if not whole.exists():
        Run(name, whole, boards, jobs).finish()
    wanted = table(whole)
    assert seen == sorted(seen)
    assert sum(a < b for a, b in pairwise(seen)) >= _GROWN, seen
    assert seen[-1] < len(wanted) == cells * boards
    Run(name, out, boards, jobs).finish()
    assert table(out) == wanted
    print(f"{name}: {len(wanted)} rows, {work:.1f} s of work, {start:.1f} to start, {seen}")
