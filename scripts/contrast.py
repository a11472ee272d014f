"""One board, the ladder beside SAT: closures of the start, and what it costs to be certain."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from statistics import median
from typing import Any, TypeVar

from hashigo.counting.closure import presolve
from hashigo.counting.effort import SOLVERS, CpSatEffort, SatEffort, refute, refute_by_cpsat
from hashigo.counting.sat import Sat
from hashigo.ladder import closure
from hashigo.ladder.climb import grade
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import Correspondence, ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.models.puzzle import Left, Puzzle
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget, Status, Verdict, decide
from hashigo.scripts.theorems import Bench, Tally, holds_all

T = TypeVar("T")

_NODES = 20_000  # of the ladder's search
_ANSWERS = 1000


@dataclass(frozen=True)
class Row:
    """One closure of the start: how many of the backbone's values it removes, and what it misses.

    `removed` is None where time was up, with a sentence in `missed`.
    """

    name: str
    removed: int | None
    missed: str = ""


@dataclass(frozen=True)
class Effort:
    """What the engines did to refute another answer; `nodes` by the rung that search may use."""

    sat: tuple[SatEffort, ...] = ()
    cpsat: tuple[CpSatEffort, ...] = ()
    nodes: dict[str, int | None] = field(default_factory=dict)  # None: the cap was met
    note: str = ""
    seeds: int = 0  # that were asked for; 0 where there is nothing to refute
    seconds: float = 0.0  # for the SAT solvers together, and for CP-SAT

    def typical(self) -> dict[str, float]:
        """The median over the seeds of each measure, under `SOLVER MEASURE`.

        A refutation that was not done in time counts as larger than any number.
        """
        if not self.seeds:
            return {}
        found: dict[str, list[float]] = {}
        for solver in SOLVERS:
            some = [run for run in self.sat if run.solver == solver]
            for measure in SatEffort._fields[2:]:
                found[f"{solver} {measure}"] = [getattr(run, measure) for run in some]
        for measure in CpSatEffort._fields[1:]:
            found[f"cpsat {measure}"] = [getattr(run, measure) for run in self.cpsat]
        return {
            name: float(median([*some, *[inf] * (self.seeds - len(some))]))
            for name, some in found.items()
        }


@dataclass(frozen=True)
class Contrast:
    """What came out for one board."""

    name: str
    puzzle: Puzzle
    status: Status
    grade: str | None
    values: int  # that the start has
    rows: tuple[Row, ...]  # the last one is the backbone
    claims: tuple[int, int]  # how many correspondences were tested here, of how many
    differences: tuple[str, ...]  # those that do not hold
    effort: Effort
    notes: tuple[str, ...] = ()
    ungraded: str = ""  # why there is no grade, where time was up before the ladder was done

    def share(self, row: Row) -> float | None:
        """The part of what the backbone removes; 1 where there is nothing to remove."""
        whole = self.rows[-1].removed
        if row.removed is None or whole is None:
            return None
        return row.removed / whole if whole else 1.0

    def data(self) -> dict[str, Any]:
        """The contrast as plain data."""
        return {
            "puzzle": self.name,
            "genre": self.puzzle.name,
            "rows": self.puzzle.rows,
            "cols": self.puzzle.cols,
            "status": self.status,
            "grade": self.grade,
            **({"ungraded": self.ungraded} if self.ungraded else {}),
            "values": self.values,
            "closures": [
                {"closure": row.name, "removed": row.removed, "share": self.share(row)}
                | ({"missed": row.missed} if row.missed else {})
                for row in self.rows
            ],
            "claims": self.claims[0],
            "differences": list(self.differences),
            "effort": {
                "sat": [run._asdict() for run in self.effort.sat],
                "cpsat": [run._asdict() for run in self.effort.cpsat],
                "ladder": self.effort.nodes,
            }
            | ({"note": self.effort.note} if self.effort.note else {}),
            "notes": list(self.notes),
        }


def contrast(name: str, puzzle: Puzzle, seeds: Sequence[int], seconds: float) -> Contrast:
    """Put the ladder beside SAT on one board; each part gets this much time.

    Raises:
        EngineFault: an engine contradicts another.
    """
    verdict = decide(Sat(), puzzle, Budget(2, seconds))
    with Bench(puzzle) as bench:
        graded, ungraded = None, ""
        try:
            graded = grade(bench.ladder, Budget(seconds=seconds))
        except OutOfBudget as stop:
            ungraded = str(stop)
        start = closure.start(bench.ladder)
        rows = tuple(_rows(puzzle, start, list(_closures(bench, start, seconds))))
        tallies: dict[Correspondence, Tally] = {}
        tested = bench.check(start, tallies, Budget(seconds=seconds))
        claims = len(bench.ladder.correspondences)
    return Contrast(
        name,
        puzzle,
        verdict.status,
        graded if verdict.status == Status.UNIQUE else None,
        sum(map(len, start)),
        rows,
        (tested, claims),
        tuple(str(found) for tally in tallies.values() for found in tally.differences),
        _effort(puzzle, verdict, seeds, seconds),
        tuple(bench.ladder.notes),
        ungraded,
    )


Closure = Left | None | OutOfBudget  # the last where a limit was met


def _closures(bench: Bench, start: Left, seconds: float) -> Iterator[tuple[str, Closure]]:
    """Every closure of the start, the backbone last."""
    ladder = bench.ladder
    names = [rung.name for rung in ladder.rungs]
    for name in names:
        yield f"up to {name}", closure.up_to(ladder, name, start)
    yield f"up to {Probe.name}", _within(seconds, partial(bench.probing, names[-1], start))
    for name in names[1:]:
        yield f"{name} alone", closure.alone(ladder, name, start)
    for what, work in (("unit propagation", bench.unit), ("failed literals", bench.failed)):
        for strong in bench.forms:
            form = "strong" if strong else "plain"
            yield f"{what}, {form} CNF", _within(seconds, partial(work, strong, start))
    model = partial(presolve, bench.puzzle, start)
    yield "CP-SAT presolve", _within(seconds, model)
    yield "backbone", _within(seconds, partial(bench.backbone, start))


def _within(seconds: float, work: Callable[[Budget], Left | None]) -> Closure:
    try:
        return work(Budget(seconds=seconds))
    except OutOfBudget as stop:
        return stop


def _rows(puzzle: Puzzle, start: Left, found: Sequence[tuple[str, Closure]]) -> Iterator[Row]:
    """Each closure held against the backbone, which is the last.

    Raises:
        EngineFault: one removes what an answer uses.
    """
    truth = found[-1][1]
    for name, left in found:
        if isinstance(left, OutOfBudget):
            yield Row(name, None, str(left))
            continue
        missed = ""
        if not isinstance(truth, OutOfBudget):
            if not holds_all(left, truth):
                raise EngineFault(f"{name}: removes what an answer uses\n{puzzle.draw()}")
            missed = _missed(puzzle, left, truth, found)
        yield Row(name, sum(map(len, start)) - sum(map(len, left or ())), missed)


def _missed(
    puzzle: Puzzle, left: Left | None, truth: Left | None, found: Sequence[tuple[str, Closure]]
) -> str:
    """The first value that is left though no answer has it, and who is the first to remove it."""
    if left is None:
        return ""
    for i, some in enumerate(left):
        for v in some:
            if truth is None or v not in truth[i]:
                seer = next(n for n, other in found if _lacks(other, i, v))
                return f"{puzzle.variable_name(i)} = {v}, which {seer} removes"
    return ""


def _lacks(left: Closure, i: int, v: int) -> bool:
    return not isinstance(left, OutOfBudget) and (left is None or v not in left[i])


def _effort(puzzle: Puzzle, verdict: Verdict, seeds: Sequence[int], seconds: float) -> Effort:
    """What it costs to refute an answer more than those found, where there is none."""
    if not verdict.complete:
        return Effort(note=f"nothing to refute: {verdict.status}")
    by_sat = refute(puzzle, verdict.answers, seeds, Budget(seconds=seconds))
    limit = Budget(seconds=seconds)
    by_cpsat = (refute_by_cpsat(puzzle, verdict.answers, seed, limit) for seed in seeds)
    sat: list[SatEffort] = []
    cpsat: list[CpSatEffort] = []
    notes = [_all_in_time(sat, by_sat), _all_in_time(cpsat, by_cpsat)]
    note = next(filter(None, notes), "")
    nodes = dict(_nodes(puzzle, seconds))
    return Effort(tuple(sat), tuple(cpsat), nodes, note, len(seeds), seconds)


def _all_in_time(done: list[T], work: Iterator[T]) -> str:
    """Collect what is done in time; says why, where that is not all."""
    try:
        done.extend(work)
    except OutOfBudget as stop:
        return str(stop)
    return ""


def _nodes(puzzle: Puzzle, seconds: float) -> Iterator[tuple[str, int | None]]:
    """Nodes of the ladder's search to the last answer, by the highest rung that it may use."""
    for rung in select(ladder(puzzle)):
        search = LadderSearch(rung.name, without=())
        verdict = decide(search, puzzle, Budget(_ANSWERS, seconds, _NODES))
        yield rung.name, verdict.nodes if verdict.complete else None
