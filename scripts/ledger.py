"""`hashigo ledger`: every published figure beside ours, and claims of our own."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hashigo.models.reading import PuzzleError, require
from hashigo.scripts import options, show

if TYPE_CHECKING:
    from hashigo.scripts.claim import Line

_HEAD = ("claim", "figure", "theirs", "ours", "verdict")
_PLACE = re.compile(
    r"(?P<start><!-- ledger: (?P<claim>[a-z0-9-]+) -->)\n.*?(?P<end><!-- end -->)", re.DOTALL
)


def command(
    claims: Annotated[
        list[str] | None, typer.Argument(metavar="[CLAIM]...", help="Ids; all if none is given.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Samples of their size, and no long computation.")
    ] = False,
    boards: Annotated[
        float, typer.Option(min=0.01, help="Our samples as a multiple of theirs.")
    ] = 10.0,
    out: Annotated[
        Path, typer.Option(help="The file of results: what it holds is not run again.")
    ] = Path("ledger.duckdb"),
    jobs: options.Jobs = 1,
    markdown: Annotated[
        list[Path] | None,
        typer.Option(
            help="Also write the table here; a text with places for tables of single claims, "
            "<!-- ledger: CLAIM --> to <!-- end -->, is kept and these are filled."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Hold every published claim against our own figures.

    exact: met to the digit. holds: a theorem, without exception on the boards tried. compatible,
    differs: for shares a two-sample test at 0.1%, corrected for the table (Holm); for means, within
    2% and 3.29 of our standard errors; for what was only measured of every board, no exception, or
    some. bank: the same kind of boards, our figure. open: not settled here, or no board to tell it
    by. FAILS: an exact claim or a theorem is not met.

    Claims of our own, which nobody has published, follow in the same table. measured: our figure.
    refuted: a conjecture that a board breaks, with seed and index of the first such boards.

    Exit code 0; 1 where an exact claim or a theorem fails; 2 for bad input.
    """
    from hashigo.scripts.claim import BAD, Effort, evaluate, load
    from hashigo.scripts.store import Store

    texts = {path: _read(path) for path in markdown or ()}
    effort = Effort(min(boards, 1.0) if quick else boards, quick, jobs)
    lines: list[Line] = []
    with Store(out) as store:
        for claim in load(claims or ()):
            found = evaluate(claim, store, effort)
            lines += found
            if as_json:
                for line in found:
                    print(json.dumps({"claim": claim.id, "kind": claim.kind} | line.data()))
            else:
                _print(claim.id, found)
    for path, text in texts.items():
        whole = fill(text, lines) if _PLACE.search(text) else table(lines)
        path.write_text(whole, encoding="utf-8")
    counts = {line.verdict: 0 for line in lines}
    for line in lines:
        counts[line.verdict] += 1
    if not as_json:
        print("\n" + ", ".join(f"{verdict} {count}" for verdict, count in counts.items()))
    raise typer.Exit(1 if BAD in counts else 0)


def _print(claim: str, lines: "list[Line]") -> None:
    made = show.table(claim, "theirs", "ours", "verdict")
    for line in lines:
        made.add_row(line.what, line.theirs, line.ours, line.verdict)
    show.console().print(made)
    print(flush=True)


def _read(path: Path) -> str:
    """What is there now, if anything.

    Raises:
        PuzzleError: it is no text, or cannot be written where it should be.
    """
    require(path.parent.is_dir(), f"{path}: no folder {path.parent} to write it to")
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        raise PuzzleError(f"{path}: not a text in UTF-8; expected Markdown") from None
    except OSError as error:
        raise PuzzleError(f"{path}: {error.strerror}") from None


def fill(text: str, lines: "list[Line]") -> str:
    """The text with the table of each claim at its place; a claim without lines stays as it is."""

    def filled(place: re.Match[str]) -> str:
        rows = [line for line in lines if line.claim == place["claim"]]
        if not rows:
            return place[0]
        head = [name for name in _HEAD[1:] if name != "theirs" or any(x.theirs for x in rows)]
        return f"{place['start']}\n{_markdown(head, rows)}\n{place['end']}"

    return _PLACE.sub(filled, text)


def table(lines: "list[Line]") -> str:
    """All lines as a page of Markdown."""
    intro = (
        "# Ledger\n\n"
        "Written by `make ledger`. Shares are in percent, ours with 95% intervals: Wilson's where\n"
        "boards are counted; where it is what is on them, by how it varies from board to board.\n"
        "`>=` stands before what a limit cut short. See `hashigo ledger --help` for the verdicts.\n\n"
    )
    return intro + _markdown(_HEAD, lines) + "\n"


def _markdown(head: Sequence[str], lines: "list[Line]") -> str:
    """A row for each line, with these of its fields."""
    rows = [head, ["---"] * len(head)]
    for line in lines:
        fields = {"claim": line.claim, "figure": line.what} | line.data()
        rows.append([fields[name].replace("|", "\\|") for name in head])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
