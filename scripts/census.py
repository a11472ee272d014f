"""`hashigo census`: exhaustive counts of small boards."""

import json
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models import GENRES
from hashigo.models.puzzle import Answer
from hashigo.models.reading import PuzzleError, require
from hashigo.models.verdict import Budget, Engine, EngineFault, OutOfBudget, decide
from hashigo.scripts import check, dissections, options, show

if TYPE_CHECKING:
    from hashigo.counting.census import Census, Confirm, Printed, Traits

_DISSECTIONS = "dissections"
_NOBODY = "none"


def command(
    subject: Annotated[
        str, typer.Argument(metavar="GENRE|dissections", help="What to count on every board.")
    ],
    size: Annotated[
        str, typer.Argument(metavar="SIZE", help="ROWSxCOLS; for dissections the largest N of NxN.")
    ],
    full: Annotated[
        bool, typer.Option("--full", help="The number of answers of every printed board as well.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Threads; the figures do not depend on it.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep progress in a file, and go on with it."),
    ] = None,
    confirm: Annotated[
        str,
        typer.Option(help="Engine that confirms the unprintable ones: sat, cpsat, ...; or none."),
    ] = "sat",
    as_json: options.AsJson = False,
) -> None:
    """Count all boards of a size.

    Counted are dissections into rectangles, printed boards, and those with one answer.

    A dissection is unprintable if no placement of its numbers has one answer.
    Exit code 0: counted. 2: bad input. 3: figures contradict each other. 4: a limit was met.
    """
    threads = jobs or os.cpu_count() or 1
    try:
        if subject == _DISSECTIONS:
            require(not full and resume is None, "census dissections: no --full and no --resume")
            _dissections(size, threads, as_json)
        else:
            _boards(subject, size, full, threads, resume, confirm, as_json)
    except OutOfBudget as stop:
        print(f"hashigo: census not finished: {stop}", file=sys.stderr)
        raise typer.Exit(4) from None


def _dissections(size: str, threads: int, as_json: bool) -> None:
    """The number of dissections of 1x1 to NxN, each by two sets of primes."""
    from hashigo.counting.dissection import count

    (largest,) = _sides(size, r"(\d{1,15})", "N")
    for row in dissections.census(largest, threads=threads):
        n, primes = row.n, len(row.primes)
        if count(n, n, threads=threads, skip_primes=primes) != row.count:
            raise EngineFault(f"dissections of {n} x {n} differ with the primes that count them")
        if as_json:
            seconds = round(row.seconds, 6)
            data = {"n": n, "primes": 2 * primes, "seconds": seconds, "count": str(row.count)}
            print(json.dumps(data), flush=True)
        else:
            print(f"{n:3}  {row.count}", flush=True)


def _boards(
    name: str,
    size: str,
    full: bool,
    threads: int,
    resume: Path | None,
    confirm: str,
    as_json: bool,
) -> None:
    rows, cols = _sides(size, r"(\d{1,15})x(\d{1,15})", "ROWSxCOLS")
    hook = _genre(name)
    with show.steps() as progress:
        found = hook.census(
            rows,
            cols,
            full=full,
            jobs=threads,
            progress=progress,
            resume=resume,
            confirm=_confirm(name, confirm),
        )
    from hashigo.counting.census import traits

    common = traits(rows, cols, found.unprintable)
    if as_json:
        print(json.dumps(_data(name, found, common, confirm)))
    else:
        print("\n".join(_sentences(name, found, common, confirm)))


def _sides(size: str, pattern: str, form: str) -> list[int]:
    match = re.fullmatch(pattern, size, re.ASCII)
    if not match:
        raise PuzzleError(f"census: the size {size!r}; expected {form}")
    return [int(side) for side in match.groups()]


def _genre(name: str) -> ModuleType:
    """The counting module of a genre that has a census."""
    modules = {genre.name: import_module(f"hashigo.counting.{genre.name}") for genre in GENRES}
    known = {genre: module for genre, module in modules.items() if hasattr(module, "census")}
    if name not in known:
        raise PuzzleError(
            f"no census of {name!r}; expected one of: {', '.join([*known, _DISSECTIONS])}"
        )
    return known[name]


def _confirm(name: str, engine: str) -> "Confirm | None":
    """Asks an engine about a printed board; such a genre's boards are made of their prints."""
    if engine == _NOBODY:
        return None
    made = _engine(engine)
    genre: Callable[[int, int, Printed], Any] = next(g for g in GENRES if g.name == name)

    def answers(rows: int, cols: int, printed: "Printed") -> tuple[Answer, ...]:
        return decide(made, genre(rows, cols, printed), Budget(2)).answers

    return answers


def _engine(name: str) -> Engine:
    """As for `hashigo check`, but with one SAT solver for all boards."""
    if name == "sat":
        from hashigo.counting.sat import SharedSat

        return SharedSat()
    return check.make_engine(name)


def _data(name: str, found: "Census", common: "Traits", confirm: str) -> dict[str, Any]:
    return {
        "census": name,
        "rows": found.rows,
        "cols": found.cols,
        "dissections": found.dissections,
        "legal": found.legal,
        "printed": found.printed,
        "unique": found.unique,
        "by_answers": found.by_answers,
        "unprintable": len(found.unprintable),
        "rooms": common.rooms,
        "strips_only": common.strips_only,
        "domino_pair": common.domino_pair,
        "confirmed_by": None if confirm == _NOBODY else confirm,
        "walls": ["".join(map(str, walls)) for walls in found.unprintable],
    }


def _sentences(name: str, found: "Census", common: "Traits", confirm: str) -> list[str]:
    said = [
        f"{name}, {found.rows} rows x {found.cols} columns",
        f"{found.dissections} dissections",
        f"{found.legal} legal boards: a dissection, and where its numbers stand",
    ]
    if found.printed is not None:
        said.append(f"{found.printed} printed boards, {found.unique} of them with one answer")
    total = len(found.unprintable)
    said.append(f"{total} unprintable: dissections that no placement gives one answer")
    if total:
        rooms = ", ".join(f"{_share(k, total)} with {n} rooms" for n, k in common.rooms.items())
        said += [
            f"  {rooms}",
            f"  {_share(common.strips_only, total)} of strips of width 1 only",
            f"  {_share(common.domino_pair, total)} with two dominoes that fill a 2x2",
        ]
        if confirm != _NOBODY:
            said.append(f"  each confirmed by {confirm}")
    return said


def _share(part: int, whole: int) -> str:
    return f"all {whole}" if part == whole else str(part)
