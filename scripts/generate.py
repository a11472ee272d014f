"""`hashigo generate`: random boards of a wanted genre, size and grade."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models import codec
from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError, number, require
from hashigo.scripts import options, show, workers

if TYPE_CHECKING:
    from hashigo.scripts.making import Made, Wish


class Form(StrEnum):
    """How boards are written."""

    URL = "url"
    TEXT = "text"
    JSON = "json"


def command(
    genre: Annotated[str, typer.Argument(metavar="GENRE", help="A genre, as in URLs.")],
    size: Annotated[str, typer.Option(help="N for N x N, or ROWSxCOLS.")] = "6",
    grade: Annotated[
        str | None,
        typer.Option(help="The highest rung that each board needs; any grade if not given."),
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="How many boards.")] = 1,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    form: Annotated[
        Form | None,
        typer.Option(help="url, text or json (with answer and grade); usually a URL or JSON line."),
    ] = None,
    tries: Annotated[int, typer.Option(min=1, help="Boards drawn at most for each one.")] = 1000,
    minimal: Annotated[
        bool, typer.Option(help="Take clues away until none can go, where the genre has such.")
    ] = True,
    dial: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="How boards are drawn; `--dial list` shows all."),
    ] = None,
) -> None:
    """Make random boards, each proven to have one answer.

    Two engines prove it. The same seed gives the same boards, on any number of workers. Where
    the usual boards of a size hardly have the grade, they are drawn with a dial that has it, such
    as hidden edges, unless that dial is set or URLs are asked for.

    Exit code 0: all were made. 2: bad input. 4: tries were spent first; a sentence says what came.
    """
    from hashigo.counting.sample import sample
    from hashigo.scripts.making import Wish, make

    rows, cols = read_size(size)
    if dial == ["list"]:
        _list_dials(genre, rows, cols)
        return
    # A URL cannot say what some of these settings put on the board.
    suited = {} if form == Form.URL else sample(genre, rows, cols).dials_for(grade)
    dials = {**suited, **read_dials(dial or ())}
    wish = Wish(genre, rows, cols, grade, seed, tries, minimal, form == Form.URL, True, dials)
    check_grade(wish)
    missing: list[Made] = []
    with workers.spread(make, ((wish, index) for index in range(number)), jobs) as drawn:
        for made in show.progress(drawn, number):
            if made.drawn is None:
                missing.append(made)
                continue
            print(write(made, wish, form), end="\n\n" if form == Form.TEXT else "\n", flush=True)
    if missing:
        print(f"hashigo: {_shortfall(missing, number, wish)}", file=sys.stderr)
        raise typer.Exit(4)


def read_size(text: str) -> tuple[int, int]:
    """Rows and columns.

    Raises:
        PuzzleError: it is not a size.
    """
    sides = [number(side) for side in text.lower().split("x")]
    rows, cols = sides[0], sides[-1]
    if len(sides) > 2 or not rows or not cols:
        raise PuzzleError(f"size {text!r}; expected N or ROWSxCOLS, such as 9 or 4x6")
    return rows, cols


def read_dials(settings: Sequence[str]) -> dict[str, str]:
    """Dials by name.

    Raises:
        PuzzleError: one is not of the form NAME=VALUE.
    """
    for setting in settings:
        require("=" in setting, f"dial {setting!r}; expected NAME=VALUE")
    return dict(setting.split("=", 1) for setting in settings)


def check_grade(wish: "Wish") -> None:
    """Refuse what no board can have before any is made.

    Raises:
        PuzzleError: no such genre, dial, size or rung.
    """
    from hashigo.counting.sample import generator
    from hashigo.ladder.rung import ladder, select

    drawn = wish.sample().draw(generator(wish.seed, 0))
    select(ladder(drawn.puzzle), wish.grade)


def write(made: "Made", wish: "Wish", form: Form | None) -> str:
    """A board in the form wanted; without one as a URL, where that can say all of it."""
    assert made.drawn is not None
    puzzle, _ = made.drawn
    if form == Form.TEXT:
        return codec.text(puzzle).rstrip()
    if form == Form.JSON:
        return json.dumps(data(made, wish), ensure_ascii=False)
    try:
        return codec.url(puzzle)
    except PuzzleError:
        return json.dumps(data(made, wish), ensure_ascii=False)


def data(made: "Made", wish: "Wish") -> dict[str, Any]:
    """The board as plain data, with answer, grade, and where it came from."""
    assert made.drawn is not None
    puzzle: Puzzle = made.drawn.puzzle
    origin = {"grade": made.grade, "seed": wish.seed, "index": made.index}
    return dict(codec.to_json(puzzle, puzzle.fill(made.drawn.answer))) | origin


def _shortfall(missing: "Sequence[Made]", number: int, wish: "Wish") -> str:
    met: Counter[str] = Counter()
    for made in missing:
        met.update(made.met)
    seen = ", ".join(f"{name} {count:,}" for name, count in met.most_common())
    wanted = f"of grade {wish.grade!r} " if wish.grade else ""
    return (
        f"{number - len(missing)} of {number} boards {wanted}made; for the others {wish.tries:,} "
        f"tries each were not enough (met: {seen or 'none'}); more --tries, another size "
        "or --dial may help"
    )


def _list_dials(genre: str, rows: int, cols: int) -> None:
    from hashigo.counting.sample import sample

    table = show.table("dial", "usually", "values", "meaning")
    for name, (usual, choices, meaning) in sample(genre, rows, cols).DIALS.items():
        named = isinstance(usual, (bool, str))
        values = (", " if named else " to ").join(str(choice).lower() for choice in choices)
        table.add_row(name, str(usual).lower(), values, meaning)
    show.console().print(table)
