"""The command line: how long until something is to be seen."""

import resource
import subprocess
import sys
from collections.abc import Iterator

from bench.timing import Benchmark, Figure, Result


def start() -> Iterator[Result]:
    yield Figure("hashigo --help, processor time", _run("--help"), "s", 0.3)
    yield Figure("hashigo check of a 4x4, warm", _run("check", "kropki/4/4/aa7fioco"), "s", 2)


def _run(*arguments: str) -> float:
    """Processor time of the best of three."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "hashigo", *arguments], stdout=subprocess.DEVNULL, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


BENCHMARKS: list[Benchmark] = [start]
