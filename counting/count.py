"""The number of answers by a chosen method, and how sure it is.

`dp` is the genre's own dynamic programme, `ganak` another's exact counter on the CNF, `enumerate`
SAT with blocked answers, `approx` an estimate. `auto` takes the first of dp, ganak and enumerate
that ends in time, and falls back to what enumeration found as a lower bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Literal

from hashigo.counting import sharpsat
from hashigo.counting.sat import Sat
from hashigo.models.puzzle import Puzzle
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget, decide

Kind = Literal["exact", "at least", "about"]
EXACT = ("dp", "ganak", "enumerate")


@dataclass(frozen=True)
class Count:
    """A number of answers: exact, a lower bound, or an estimate; by which method, and remarks."""

    value: int
    kind: Kind
    method: str
    seconds: float
    note: str = ""


def count(puzzle: Puzzle, method: str, seconds: float, limit: int) -> Count:
    """Count within a limit of time; `limit` is the most answers that enumeration goes through.

    Raises:
        PuzzleError: the method needs a package that is not installed.
    """
    if method != "auto":
        return _METHODS[method](puzzle, Budget(limit, seconds))
    whole = Budget(limit, seconds)
    best = Count(0, "at least", "none", 0.0)
    # Half of what is left to each: what is cheap is tried first, and what is slow still gets time.
    for name in EXACT:
        if name == "ganak" and find_spec("pyganak") is None:
            continue
        share = whole.left() or 0.0
        found = _METHODS[name](puzzle, Budget(limit, share if name == EXACT[-1] else share / 2))
        if found.kind == "exact":
            return replace(found, seconds=whole.elapsed())
        if found.value >= best.value:
            best = found
    return replace(best, seconds=whole.elapsed())


def cross_check(puzzle: Puzzle, first: Count, seconds: float, limit: int) -> Count:
    """Count by another method, and hold the two against each other.

    Raises:
        EngineFault: they cannot both be right.
    """
    others = [name for name in EXACT if name != first.method.partition(":")[0]]
    second = Count(0, "at least", "none", 0.0)
    for name in others:
        if name == "ganak" and find_spec("pyganak") is None:
            continue
        second = count(puzzle, name, seconds, limit)
        if second.kind == "exact":
            break
    for a, b in ((first, second), (second, first)):
        if a.kind == "exact" and (b.value > a.value or (b.kind == "exact" and b.value != a.value)):
            raise EngineFault(
                f"{a.method} counts {a.value:,} answers, {b.method} {b.kind} {b.value:,}\n"
                f"{puzzle.draw()}"
            )
    return second


def _by_dp(puzzle: Puzzle, budget: Budget) -> Count:
    genre = import_module(f"hashigo.counting.{puzzle.name}")
    by = ["dp"]

    def work() -> int:
        # A genre with several ways says which one it took.
        if not hasattr(genre, "count_by"):
            return int(genre.count(puzzle, budget))
        counted = genre.count_by(puzzle, budget)
        by.append(counted.method)
        return int(counted.count)

    return replace(_exact("dp", work, budget), method=":".join(by))


def _by_ganak(puzzle: Puzzle, budget: Budget) -> Count:
    return _exact("ganak", lambda: sharpsat.ganak(puzzle, budget), budget)


def _exact(method: str, work: Callable[[], int], budget: Budget) -> Count:
    try:
        return Count(work(), "exact", method, budget.elapsed())
    except OutOfBudget as stop:
        return Count(0, "at least", method, budget.elapsed(), str(stop))


def _by_enumeration(puzzle: Puzzle, budget: Budget) -> Count:
    verdict = decide(Sat(), puzzle, budget)
    kind: Kind = "exact" if verdict.complete else "at least"
    return Count(verdict.count, kind, "enumerate", verdict.seconds, verdict.why)


def _by_estimate(puzzle: Puzzle, budget: Budget) -> Count:
    try:
        value = sharpsat.approximate(puzzle, budget)
    except OutOfBudget as stop:
        return Count(0, "at least", "approx", budget.elapsed(), str(stop))
    sure = f"within a factor {1 + sharpsat.EPSILON:g}, with probability {1 - sharpsat.DELTA:g}"
    return Count(value, "about", "approx", budget.elapsed(), sure)


_METHODS: dict[str, Callable[[Puzzle, Budget], Count]] = {
    "dp": _by_dp,
    "ganak": _by_ganak,
    "enumerate": _by_enumeration,
    "approx": _by_estimate,
}
