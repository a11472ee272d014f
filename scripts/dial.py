"""`hashigo dial`: an experiment with one dial, board by board into a table."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models.reading import PuzzleError
from hashigo.scripts import options, workers
from hashigo.scripts.extras import extra

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hashigo.scripts.experiment import Cell, Experiment
    from hashigo.scripts.store import Store

_CHUNK = 100  # boards that a worker measures at a time, at most
_CHUNKS = 100  # of the boards of a cell, at least, as far as there are so many boards
_COMMIT_SECONDS = 0.5  # between transactions, about

Rows = list[tuple[Any, ...]]
Work = list[tuple["Cell", list[int]]]


def command(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="A TOML file, or the name of a shipped one.")
    ],
    out: Annotated[Path, typer.Option(help="The DuckDB file to write to, or to go on with.")],
    boards: Annotated[
        int | None, typer.Option(min=1, help="Boards for each value of the dial.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the experiment's.")] = None,
    jobs: options.Jobs = 1,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786."),
    ] = None,
    export: Annotated[
        list[Path] | None, typer.Option(help="Also write .parquet or .csv; may be repeated.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Drop this experiment's rows.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Turn one dial of random boards, and keep a row for each.

    A run that was stopped, however it was, goes on where it stopped. Rows do not depend on the
    number of workers; only columns whose names end in `seconds` differ from run to run.

    Exit code 0, 2 for bad input, 3 where a board shows a fault.
    """
    from hashigo.scripts import experiment as experiments
    from hashigo.scripts.store import Store
    from hashigo.scripts.summary import print_summary, summary

    plan = experiments.load(experiment)
    plan = replace(plan, boards=boards or plan.boards, seed=plan.seed if seed is None else seed)
    with Store(out) as store:
        if fresh:
            store.drop(plan)
        run(plan, store, jobs, cluster)
        for path in export or ():
            store.export(path, [plan.name])
        cells = summary(store, plan)
    if as_json:
        for cell in cells:
            print(json.dumps(cell.data()))
    else:
        print_summary(plan, cells)


def run(plan: "Experiment", store: "Store", jobs: int = 1, cluster: str | None = None) -> None:
    """Measure the boards that have no row yet.

    Raises:
        EngineFault: a board shows that something claimed always does not hold.
        PuzzleError: there is no such cluster, or an extra is missing.
    """
    columns = store.prepare(plan)
    work, total = _missing(plan, store)
    pending: Rows = []
    committed = time.monotonic()
    try:
        with _bar(plan.name, total) as advance, _measured(plan, work, jobs, cluster) as measured:
            for rows in measured:
                pending += rows
                if time.monotonic() - committed > _COMMIT_SECONDS:
                    # Where Ctrl-C comes now, nobody knows whether these are in the file.
                    some, pending = pending, []
                    store.insert(columns, some)
                    committed = time.monotonic()
                advance(len(rows))
    finally:
        store.insert(columns, pending)


def _missing(plan: "Experiment", store: "Store") -> tuple[Work, int]:
    """The boards without a row, in chunks, and how many they are."""
    work: Work = []
    total = 0
    size = max(1, min(_CHUNK, plan.boards // _CHUNKS))
    for cell, done in store.done(plan).items():
        if cell not in plan.cells():
            continue
        boards = [board for board in range(plan.boards) if board not in done]
        total += len(boards)
        work += [(cell, boards[k : k + size]) for k in range(0, len(boards), size)]
    return work, total


@contextmanager
def _measured(
    plan: "Experiment", work: Work, jobs: int, cluster: str | None
) -> Iterator[Iterator[Rows]]:
    from hashigo.scripts.experiment import measure

    tasks = ((plan, cell, boards) for cell, boards in work)
    everyone = -1 if cluster else jobs
    with _backend(cluster), workers.spread(measure, tasks, everyone, ordered=False) as measured:
        yield measured


@contextmanager
def _backend(cluster: str | None) -> Iterator[None]:
    """Joblib on this machine, or on the workers of a Dask scheduler."""
    if cluster is None:
        yield
        return
    distributed = extra("distributed", "cluster", "--cluster")
    from joblib import parallel_config

    try:
        client = distributed.Client(cluster, timeout=5)
    except (OSError, ValueError) as error:
        raise PuzzleError(f"no Dask scheduler at {cluster}: {error}") from None
    with client, parallel_config(backend="dask"):
        yield


def _bar(name: str, total: int) -> "AbstractContextManager[Any]":
    """A bar with rate and time left on a terminal; gives what to call with boards done."""
    if not sys.stderr.isatty() or not total:
        return nullcontext(lambda _: None)
    return _terminal_bar(name, total)


@contextmanager
def _terminal_bar(name: str, total: int) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    start = time.monotonic()
    with Progress(
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as progress:
        task = progress.add_task(name, total=total, rate=0.0)

        def advance(boards: int) -> None:
            progress.advance(task, boards)
            done = progress.tasks[0].completed
            progress.update(task, rate=done / max(1e-3, time.monotonic() - start))

        yield advance
