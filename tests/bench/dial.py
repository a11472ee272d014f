"""Dials: what the machinery costs beside the boards, and what a second worker brings."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.timing import Benchmark, Figure, Result, Row

from hashigo.scripts import dial, experiment
from hashigo.scripts.experiment import Experiment
from hashigo.scripts.store import Store

_PLAN = {
    "genre": "kropki",
    "sizes": [9],
    "boards": 1000,
    "seed": 1,
    "measures": ["up_to", "unique"],
    "fixed": {"convention": "black"},
}


def _run(plan: Experiment, jobs: int) -> tuple[float, float]:
    """Wall time, and the part of it that draws and measures boards."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "x.duckdb") as store:
        start = time.perf_counter()
        dial.run(plan, store, jobs)
        wall = time.perf_counter() - start
        columns = [column.name for column in plan.columns() if column.name.endswith("seconds")]
        total = " + ".join(f"sum({name})" for name in columns)
        return wall, store.query(f"SELECT {total} FROM boards")[0][0]


def machinery() -> Iterator[Result]:
    plan = experiment.read("bench", _PLAN)
    _run(plan, 1)
    wall, boards = _run(plan, 1)
    what = "dial over 1,000 9x9 boards, share beside the boards"
    yield Figure(what, 100 * (1 - boards / wall), "%", 30)
    larger = experiment.read("bench", _PLAN | {"boards": 12_000})
    _run(plan, 2)  # starts the workers
    one, two = _run(larger, 1)[0], _run(larger, 2)[0]
    yield Row("dial over 12,000 9x9 boards, two workers", two, one, "one worker", 1.7)


BENCHMARKS: list[Benchmark] = [machinery]
