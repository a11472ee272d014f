"""Certificates of random 9x9 boards: making and checking them."""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.kropki import boards
from bench.timing import Benchmark, Figure, Result, seconds

from hashigo.counting.certificate import verify, write
from hashigo.counting.proof import prove
from hashigo.models.verdict import Budget


def certificates() -> Iterator[Result]:
    puzzles = boards()[:30]
    statements = [prove(puzzle, Budget()) for puzzle in puzzles]
    took = seconds(lambda: [prove(puzzle, Budget()) for puzzle in puzzles], 2) / len(puzzles)
    yield Figure("9x9 proven, processor time", 1000 * took, "ms")
    yield Figure("median proof", median(len(statement.proof) for statement in statements), "bytes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it"
        write(max(statements, key=lambda statement: len(statement.proof)), path)
        yield Figure("the longest one verified, in the process", 1000 * seconds(
            lambda: verify(path), number=10), "ms", 500)  # fmt: skip
        yield Figure("hashigo verify of it, the start included", _run(path), "s", 0.5)


def _run(folder: Path) -> float:
    """Processor time of the command, start of Python included: the best of five."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "hashigo", "verify", folder],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


BENCHMARKS: list[Benchmark] = [certificates]
