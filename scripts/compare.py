"""`hashigo compare`: the ladder beside SAT."""

import json
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models import codec
from hashigo.models.reading import PuzzleError, require
from hashigo.scripts import options, show, sources, workers

if TYPE_CHECKING:
    from hashigo.ladder.rung import Correspondence
    from hashigo.models.puzzle import Puzzle
    from hashigo.scripts.contrast import Contrast
    from hashigo.scripts.crowd import Crowd
    from hashigo.scripts.theorems import Tally

_MARKS = ("<!-- correspondences -->\n", "<!-- end -->\n")


def command(
    puzzles: Annotated[
        list[str] | None,
        typer.Argument(metavar="PUZZLE...", help="As in `hashigo check`; none with --boards."),
    ] = None,
    boards: Annotated[
        int, typer.Option(min=0, help="Compare this many random boards of each --genre.")
    ] = 0,
    genre: Annotated[
        list[str] | None, typer.Option(help="A genre of --boards; usually all. May be repeated.")
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            min=1, help="Rows and columns of --boards, or at most with --theorems; usually 6."
        ),
    ] = None,
    theorems: Annotated[
        bool,
        typer.Option(
            "--theorems",
            help="Test the correspondences instead, on --boards of all sizes up to --size.",
        ),
    ] = False,
    seeds: Annotated[int, typer.Option(min=1, help="Orders of clauses tried per solver.")] = 3,
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = 10.0,
    plot: Annotated[
        Path | None, typer.Option(help="Draw grade against effort into this file (svg, png, pdf).")
    ] = None,
    manual: Annotated[
        Path | None, typer.Option(help="--theorems: write the table into this Markdown file.")
    ] = None,
    jobs: options.Jobs = 1,
    as_json: options.AsJson = False,
) -> None:
    """The ladder beside SAT.

    What each rung sees, and what certainty costs a solver.

    Exit code 0. 2: bad input. 3: engines contradict each other, or a correspondence is broken.
    """
    from hashigo.scripts.contrast import contrast

    names = _genres(genre)
    if theorems:
        require(
            not puzzles and plot is None,
            "--theorems draws its own boards; expected no puzzles, no --plot",
        )
        raise typer.Exit(_theorems(names, boards or 100, size, seed, manual, as_json))
    require(manual is None, "--manual goes with --theorems")
    named = [(name, codec.read(text).puzzle) for name, text in sources.texts(puzzles or ())]
    found = named + [pair for name in names for pair in _drawn(name, boards, size or _SIDE, seed)]
    if not found:
        raise PuzzleError("nothing to compare; expected puzzles, or --boards")
    made = []
    tasks = ((name, puzzle, range(seeds), time_limit) for name, puzzle in found)
    with workers.spread(contrast, tasks, jobs) as contrasts:
        for each in show.progress(contrasts, len(found)):
            made.append(each)
            if as_json:
                print(json.dumps(each.data(), ensure_ascii=False), flush=True)
            elif len(made) <= len(named) <= _WHOLE:
                _print(each)
    _print_many(made, plot, as_json)
    raise typer.Exit(3 if any(each.differences for each in made) else 0)


_WHOLE = 5  # boards that are shown one by one, where they are named
_SIDE = 6  # of boards that are drawn


def _genres(wanted: Sequence[str] | None) -> list[str]:
    from hashigo.models import GENRES

    known = [genre.name for genre in GENRES]
    for name in wanted or ():
        if name not in known:
            raise PuzzleError(f"no genre {name!r}; expected one of: {', '.join(known)}")
    return list(wanted or known)


def _drawn(genre: str, count: int, size: int, seed: int) -> "Iterator[tuple[str, Puzzle]]":
    """Random boards with one answer."""
    from hashigo.scripts.making import Wish, make

    wish = Wish(genre, size, size, seed=seed, minimal=False)
    for index in range(count):
        made = make(wish, index).drawn
        if made is not None:
            yield f"{genre} {size}x{size} #{index}", made.puzzle


# One board


def _print(each: "Contrast") -> None:
    puzzle = each.puzzle
    without = f"not known ({each.ungraded})" if each.ungraded else "beyond the ladder"
    grade = f", grade: {each.grade or without}" if each.status == "UNIQUE" else ""
    print(f"{show.shorten(each.name)}: {each.status}{grade}\n\n{puzzle.draw()}\n")
    table = show.table("closure of the start", "removed", "share", "first value missed")
    for row in each.rows:
        share = each.share(row)
        table.add_row(
            row.name,
            "-" if row.removed is None else f"{row.removed} of {each.values}",
            "-" if share is None else f"{share:.1%}",
            row.missed,
        )
    show.console().print(table)
    for difference in each.differences:
        print(f"\nBROKEN CORRESPONDENCE: {difference}")
    if not each.differences:
        tested, claims = each.claims
        which = f"{claims}" if tested == claims else f"{tested} of {claims}"
        print(f"\n{which} correspondences of rungs and propagation tested here: all hold")
    _print_effort(each)
    for note in each.notes:
        print(f"note: {note}")
    print()


def _print_effort(each: "Contrast") -> None:
    effort = each.effort
    if effort.note:
        print(f"note: {effort.note}")
    if not effort.seeds:
        return
    typical = effort.typical()
    measures = list(dict.fromkeys(name.split()[1] for name in typical))
    print(f"\nto refute another answer, median of {effort.seeds} orders:")
    table = show.table("solver", *measures)
    for solver in dict.fromkeys(name.split()[0] for name in typical):
        cells = [typical.get(f"{solver} {measure}") for measure in measures]
        late = f"not within {effort.seconds:g} s"
        table.add_row(
            solver, *("" if k is None else late if k == inf else f"{k:,.0f}" for k in cells)
        )
    show.console().print(table)
    nodes = ", ".join(
        f"{rung} {'over the cap' if k is None else f'{k:,}'}" for rung, k in effort.nodes.items()
    )
    print(f"nodes of the ladder's search, by the highest rung it may use: {nodes}")


# Many boards


def _print_many(made: "list[Contrast]", plot: Path | None, as_json: bool) -> None:
    from hashigo.scripts.crowd import crowds
    from hashigo.scripts.crowd import plot as draw

    found = crowds(made) if len(made) > 1 else []
    for crowd in found:
        if as_json:
            print(json.dumps(crowd.data()))
        else:
            _print_closures([each for each in made if each.puzzle.name == crowd.genre])
            _print_crowd(crowd)
    if plot is not None:
        if not found:
            raise PuzzleError("nothing to plot; expected several boards with one answer")
        draw(found, plot)


def _print_closures(made: "list[Contrast]") -> None:
    """Shares of the backbone, over all boards of a genre."""
    table = show.table("closure of the start", "mean share", "whole backbone")
    for name in dict.fromkeys(row.name for each in made for row in each.rows):
        shares = [
            share
            for each in made
            for row in each.rows
            if row.name == name and (share := each.share(row)) is not None
        ]
        if shares:
            whole = sum(share == 1 for share in shares)
            mean = sum(shares) / len(shares)
            table.add_row(name, f"{mean:.1%}", f"{whole} of {len(shares)} boards")
    print(f"{made[0].puzzle.name}: {len(made)} boards\n")
    show.console().print(table)


def _print_crowd(crowd: "Crowd") -> None:
    from hashigo.scripts.crowd import MEASURE

    print(f"\n{len(crowd.ranks)} with one answer: grade against {MEASURE}\n")
    table = show.table("grade", *crowd.classes())
    for grade, counts in crowd.contingency().items():
        table.add_row(grade, *map(str, counts))
    show.console().print(table)
    if crowd.ungraded:
        print(f"left out: {crowd.ungraded} more with one answer, that were not graded in time")
    if crowd.undecided:
        print(f"left out: {crowd.undecided}, of which it was not known in time")
    print("\nSpearman's rho of grade and effort, 95% interval by bootstrap\n")
    table = show.table("effort", "rho", "from", "to", crowd.classes()[-1])
    for found in crowd.correlations():
        cells = ("-" if k is None else f"{k:.2f}" for k in (found.rho, found.low, found.high))
        table.add_row(found.measure, *cells, str(found.late))
    show.console().print(table)
    print()


# Theorems


def _theorems(
    names: Sequence[str],
    count: int,
    size: int | None,
    seed: int,
    manual: Path | None,
    as_json: bool,
) -> int:
    """Print the table of correspondences; gives the exit code."""
    from hashigo.scripts import theorems

    lines: list[dict[str, Any]] = []
    broken: list[str] = []
    for name in names:
        tallies: dict[Correspondence, Tally] = {}
        for seen in show.progress(theorems.run(name, count, size, seed), count):
            tallies = seen
        for claim, tally in tallies.items():
            lines.append(
                {
                    "genre": name,
                    "rungs": theorems.rung_name(claim),
                    "propagation": theorems.other_name(claim),
                    "boards": tally.boards,
                    "states": tally.states,
                    "contradictions": tally.contradictions,
                    "removed": tally.removed,
                    "differences": len(tally.differences),
                }
            )
            broken += [str(theorems.shrink(found)) for found in tally.differences[:1]]
    for name in names:
        _print_claims([line for line in lines if line["genre"] == name], as_json)
    for text in broken:
        print(f"\nBROKEN: {text}")
    if manual is not None:
        _write(manual, lines)
    return 3 if broken else 0


def _print_claims(lines: Sequence[dict[str, Any]], as_json: bool) -> None:
    """The claims of one genre."""
    if as_json:
        for line in lines:
            print(json.dumps(line))
        return
    boards, states = (show.cell(max(line[key] for line in lines)) for key in ("boards", "states"))
    print(f"{lines[0]['genre']}: {states} states on {boards} boards\n")
    table = show.table("claim", "refuted", "removed", "differences")
    for line in lines:
        cells = (show.cell(line[k]) for k in ("contradictions", "removed", "differences"))
        table.add_row(f"{line['rungs']} = {line['propagation']}", *cells)
    show.console().print(table)
    print()


def _write(manual: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Put the table between the marks of a Markdown file.

    Raises:
        PuzzleError: the file cannot be read, or has no marks.
    """
    try:
        text = manual.read_text(encoding="utf-8")
        before, _, rest = text.partition(_MARKS[0])
        _, end, after = rest.partition(_MARKS[1])
        if not end:
            raise PuzzleError(f"{manual}: no place for the table; expected {' ... '.join(_MARKS)}")
        rows = [list(lines[0]), ["---"] * len(lines[0])]
        rows += [list(map(show.cell, line.values())) for line in lines]
        table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        manual.write_text(f"{before}{_MARKS[0]}{table}{end}{after}", encoding="utf-8")
    except OSError as error:
        raise PuzzleError(f"{manual}: {error.strerror}") from None
