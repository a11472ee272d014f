"""Work spread over processes, which end with the command that started them."""

import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_AS_THEY_COME: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1}


@contextmanager
def spread(
    function: Callable[..., T], tasks: Iterable[tuple[Any, ...]], jobs: int, ordered: bool = True
) -> Iterator[Iterator[T]]:
    """What a function makes of each task, in the order of the tasks unless that does not matter.

    With one job the work is done here. Workers that are still at it at the end are killed.
    """
    if jobs == 1:
        yield (function(*task) for task in tasks)
        return
    from joblib import Parallel, delayed

    how = {"return_as": "generator"} if ordered else _AS_THEY_COME
    made: Generator[T, None, None] | None = None
    try:
        with _deaf():
            work = (delayed(_in_worker)(os.getpid(), function, task) for task in tasks)
            made = Parallel(n_jobs=jobs, **how)(work)
        yield made
    finally:
        if made is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of joblib, that there was more to do
                made.close()


@contextmanager
def _deaf() -> Iterator[None]:
    """What starts here, processes and threads, never hears Ctrl-C; this process does, after it."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as own

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    for tracker in (resource_tracker, own):
        tracker.ensure_running()  # whose start may undo the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_worker(owner: int, function: Callable[..., T], task: tuple[Any, ...]) -> T:
    if os.getppid() == owner:  # not so on another machine
        _end_with(owner)
    return function(*task)


@cache
def _end_with(owner: int) -> None:
    """End this process soon after its parent, of whose death nobody else tells."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
