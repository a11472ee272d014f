"""Ratios of times within one run: what `make bench` prints."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table; `wanted` is the ratio of baseline to ours that must be reached."""

    what: str
    ours: float
    baseline: float
    against: str
    wanted: float

    @property
    def ratio(self) -> float:
        return self.baseline / self.ours


class Figure(NamedTuple):
    """A figure without a baseline, and the most that it may be, if anything."""

    what: str
    value: float
    unit: str
    most: float | None = None


Result = Row | Figure
Benchmark = Callable[[], Iterable[Result]]


def seconds(work: Callable[[], object], repeat: int = 3, number: int = 1) -> float:
    """Processor time of one call: the best of some rounds of several calls.

    At least `repeat` rounds, and as many as fit in two seconds: a burst of other work on the machine
    spoils a few, not all.
    """

    def once() -> float:
        start = time.process_time()
        for _ in range(number):
            work()
        return (time.process_time() - start) / number

    work()  # warm caches
    rounds: list[float] = []
    while len(rounds) < repeat or number * sum(rounds) < 2:
        rounds.append(once())
    return min(rounds)


def report(benchmarks: Iterable[Benchmark]) -> Iterator[bool]:
    """Run and print each; gives whether it reached what is wanted."""
    for benchmark in benchmarks:
        for result in benchmark():
            if isinstance(result, Row):
                good = result.ratio >= result.wanted
                print(
                    f"{result.what:52} {_time(result.ours):>10} {_time(result.baseline):>10} "
                    f"{result.ratio:8.1f}x  {'ok' if good else 'BELOW':5} "
                    f"(wanted {result.wanted:g}x against {result.against})",
                    flush=True,
                )
            else:
                good = result.most is None or result.value <= result.most
                most = "" if result.most is None else f"(at most {result.most:g})"
                print(
                    f"{result.what:52} {result.value:12,.2f} {result.unit:>9}         "
                    f"{'ok' if good else 'ABOVE':5} {most}",
                    flush=True,
                )
            yield good


def _time(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value * 1e9:.0f} ns"
