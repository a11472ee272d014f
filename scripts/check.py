"""`hashigo check`: every engine's verdict side by side, the grade, and the board."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models import codec
from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import (
    Budget,
    Engine,
    EngineFault,
    OutOfBudget,
    Status,
    Verdict,
    decide,
    reconcile,
)
from hashigo.scripts import options, show, sources, workers

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.table import Table

ENGINES = ("cpsat", "sat", "ladder", "brute")
NODES = 50_000
_EXITS = {Status.UNIQUE: 0, Status.MULTIPLE: 1, Status.NONE: 1, Status.UNKNOWN: 4}
_WORST_FIRST = (3, 2, 4, 1, 0)


@dataclass(frozen=True)
class Settings:
    """What the command line asked for."""

    engines: tuple[str, ...]
    limit: int
    seconds: float
    nodes: int


@dataclass(frozen=True)
class Report:
    """What came out for one puzzle: a board with verdicts, or a sentence why there are none."""

    name: str
    exit: int
    puzzle: Puzzle | None = None
    status: Status | None = None
    verdicts: tuple[Verdict, ...] = ()
    grade: str | None = None
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def answers(self) -> Sequence[tuple[int, ...]]:
        """The answers of the engine that found the most."""
        return max((v.answers for v in self.verdicts), key=len, default=())

    def data(self) -> dict[str, Any]:
        """The report as plain data."""
        if self.puzzle is None or self.status is None:
            return {"puzzle": self.name, "error": self.error}
        return {
            "puzzle": self.name,
            "genre": self.puzzle.name,
            "status": self.status,
            "engines": [
                {
                    "engine": v.engine,
                    "status": v.status,
                    "count": v.count,
                    "complete": v.complete,
                    "seconds": round(v.seconds, 6),
                }
                | ({"why": v.why} if v.why else {})
                for v in self.verdicts
            ],
            "answers": [self.puzzle.filling_json(self.puzzle.fill(a)) for a in self.answers],
            "grade": self.grade,
            "notes": list(self.notes),
        }


def command(
    puzzles: options.Puzzles,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="cpsat, sat, sat:SOLVER (any of PySAT's), ladder or brute; may be repeated. "
            "Usually the first four."
        ),
    ] = None,
    limit: options.Limit = 1000,
    time_limit: options.TimeLimit = 10.0,
    nodes: Annotated[
        int, typer.Option(min=1, help="Search nodes at most, for ladder and brute force.")
    ] = NODES,
    jobs: options.Jobs = 1,
    as_json: options.AsJson = False,
) -> None:
    """How many answers, by each engine; the grade; the board.

    Exit code 0: one answer. 1: none or several. 2: bad input. 3: engines disagree.
    4: no engine decided. Of several puzzles, the first of 3, 2, 4, 1, 0 that occurs.
    """
    settings = Settings(tuple(engine or ENGINES), limit, time_limit, nodes)
    for name in settings.engines:
        make_engine(name)
    found = list(sources.texts(puzzles))
    reports = []
    with _reports(found, settings, jobs) as made:
        for report in show.progress(made, len(found)):
            reports.append(report)
            if as_json:
                print(json.dumps(report.data(), ensure_ascii=False), flush=True)
            if report.error:
                print(f"hashigo: {report.error}", file=sys.stderr)
            if report.puzzle is not None and not as_json and len(found) == 1:
                _print(report)
    if len(found) > 1 and not as_json:
        show.console().print(_summary(reports))
    exits = {report.exit for report in reports}
    raise typer.Exit(next((code for code in _WORST_FIRST if code in exits), 2))


def make_engine(name: str) -> Engine:
    """The engine of this name, imported now and not before.

    Raises:
        PuzzleError: there is none.
    """
    kind, _, solver = name.partition(":")
    if kind == "sat":
        from hashigo.counting.sat import DEFAULT, Sat

        return Sat(solver or DEFAULT)
    if name == "cpsat":
        from hashigo.counting.cpsat import CpSat

        return CpSat()
    if name == "ladder":
        from hashigo.ladder.search import LadderSearch

        return LadderSearch()
    if name == "brute":
        from hashigo.counting.brute import Brute

        return Brute()
    raise PuzzleError(f"no engine {name!r}; expected one of: cpsat, sat, sat:SOLVER, ladder, brute")


def _reports(
    found: Sequence[tuple[str, str]], settings: Settings, jobs: int
) -> "AbstractContextManager[Iterator[Report]]":
    def waited(name: str, text: str) -> Report:
        with show.waiting(f"asking {', '.join(settings.engines)} ..."):
            return examine(name, text, settings)

    if jobs == 1 or len(found) == 1:
        return workers.spread(waited, found, 1)
    return workers.spread(examine, ((name, text, settings) for name, text in found), jobs)


def examine(name: str, text: str, settings: Settings) -> Report:
    """Read one puzzle and put every engine to it."""
    try:
        puzzle = codec.read(text).puzzle
    except PuzzleError as error:
        return Report(name, 2, error=str(error))
    if "ladder" in settings.engines:
        _load_kernels(puzzle, settings.seconds)
    try:
        verdicts = tuple(
            decide(
                make_engine(engine),
                puzzle,
                Budget(settings.limit, settings.seconds, settings.nodes),
            )
            for engine in settings.engines
        )
        status = reconcile(puzzle, verdicts)
    except EngineFault as error:
        return Report(name, 3, error=f"ENGINES DISAGREE on {name}: {error}")
    grade, notes = _grade(puzzle, settings.seconds) if status == Status.UNIQUE else (None, ())
    report = Report(name, _EXITS[status], puzzle, status, verdicts, grade, notes)
    house = {
        f"an answer that only the puzz.link checker refuses ({violation.code}: {violation.text})"
        for answer in report.answers
        for violation in puzzle.violations(puzzle.fill(answer))
        if violation.house
    }
    return Report(name, _EXITS[status], puzzle, status, verdicts, grade, (*notes, *sorted(house)))


_LOADED: set[str] = set()  # genres


def _load_kernels(puzzle: Puzzle, seconds: float) -> None:
    """Have a genre's kernels compiled, or loaded, so that no engine's seconds hold it."""
    if puzzle.name not in _LOADED:
        _LOADED.add(puzzle.name)
        decide(make_engine("ladder"), puzzle, Budget(1, seconds, nodes=1))


def _grade(puzzle: Puzzle, seconds: float) -> tuple[str | None, tuple[str, ...]]:
    from hashigo.ladder.climb import grade
    from hashigo.ladder.rung import ladder

    made = ladder(puzzle)
    try:
        return grade(made, Budget(seconds=seconds)), tuple(made.notes)
    except OutOfBudget as stop:
        return None, (*made.notes, f"grade not settled: {stop}")


def _print(report: Report) -> None:
    puzzle, answers = report.puzzle, report.answers
    assert puzzle is not None and report.status is not None
    out = show.console()
    print(f"{puzzle.name}, {puzzle.rows} rows x {puzzle.cols} columns\n")
    pictures = [puzzle.draw(puzzle.fill(answer)) for answer in answers[:2]] or [puzzle.draw()]
    print(show.side_by_side(pictures), end="\n\n")
    table = show.table("engine", "verdict", "answers", "seconds", "")
    for v in report.verdicts:
        table.add_row(v.engine, v.status, show.count(v), f"{v.seconds:.3f}", v.why)
    out.print(table)
    print(f"\n{report.status}: {_sentence(report)}")
    for answer in answers[:2]:
        print(f"  {puzzle.answer_line(answer)}")
    if report.status == Status.UNIQUE:
        print(f"grade: {report.grade or 'beyond the ladder (search needed)'}")
    for note in report.notes:
        print(f"note: {note}")
    print(f"try: hashigo {_next_step(report)}")


def _sentence(report: Report) -> str:
    count = len(report.answers)
    complete = any(v.complete for v in report.verdicts)
    if report.status == Status.UNIQUE:
        return "one answer"
    if report.status == Status.NONE:
        return "no answer"
    if report.status == Status.UNKNOWN:
        return "no engine decided within its limits"
    shown = ", two of them drawn" if count > 2 else ""
    return f"{'' if complete else 'at least '}{count:,} answers{shown}"


def _next_step(report: Report) -> str:
    name = shlex.quote(report.name)
    if report.status == Status.UNKNOWN:
        return f"check --time-limit 600 --nodes 10000000 {name}"
    if report.status == Status.MULTIPLE:
        return f"count {name}"
    return f"solve {name}"


def _dissent(report: Report) -> str:
    """The engines that did not come to the common verdict."""
    others = [f"{v.engine}: {v.why}" for v in report.verdicts if v.status != report.status]
    return "; ".join(others) or "all agree"


def _summary(reports: Sequence[Report]) -> "Table":
    table = show.table("puzzle", "genre", "size", "verdict", "answers", "grade", "engines")
    for report in reports:
        if report.puzzle is None:
            table.add_row(
                show.shorten(report.name), "", "", "BAD INPUT" if report.exit == 2 else "FAULT"
            )
            continue
        best = max(report.verdicts, key=lambda v: (v.complete, v.count))
        table.add_row(
            show.shorten(report.name),
            report.puzzle.name,
            f"{report.puzzle.rows}x{report.puzzle.cols}",
            report.status,
            show.count(best),
            report.grade or "",
            _dissent(report),
        )
    return table
