"""`hashigo convert`: a puzzle from any form into another."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hashigo.models import codec
from hashigo.models.puzzle import Sheet
from hashigo.models.reading import PuzzleError
from hashigo.scripts import options, sources

_SECONDS = 60.0  # to find the one answer


class Form(StrEnum):
    """What a puzzle can be written as."""

    URL = "url"
    PZPRV3 = "pzprv3"
    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    DIMACS = "dimacs"


def command(
    puzzle: options.OnePuzzle,
    to: Annotated[Form, typer.Option(help="The form to write.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file, instead of standard output.")
    ] = None,
    strong: Annotated[
        bool, typer.Option("--strong", help="DIMACS: the strong encoding, not the plain one.")
    ] = False,
    solved: Annotated[
        bool, typer.Option("--solved", help="With the answer written in, where there is one only.")
    ] = False,
) -> None:
    """Write a puzzle in another form, or draw it.

    pzprv3, JSON and SVG keep what is written on the board.

    Exit code 0, or 2 where the input is bad or the form cannot say all of it.
    """
    _, sheet = sources.one(puzzle)
    text = write(_solved(sheet) if solved else sheet, to, strong)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PuzzleError(f"{output}: {error.strerror}") from None


def _solved(sheet: Sheet) -> Sheet:
    """The sheet with the puzzle's one answer written on it.

    Raises:
        PuzzleError: there is no such answer, or it was not found in time.
    """
    from hashigo.counting.sat import Sat
    from hashigo.models.verdict import Budget, Status, decide

    verdict = decide(Sat(), sheet.puzzle, Budget(answers=2, seconds=_SECONDS))
    if verdict.status != Status.UNIQUE:
        raise PuzzleError(f"--solved: the verdict is {verdict.status}; expected one answer")
    return Sheet(sheet.puzzle, sheet.puzzle.fill(verdict.answers[0]))


def write(sheet: Sheet, to: Form, strong: bool = False) -> str:
    """The text of one form.

    Raises:
        PuzzleError: the form cannot say all of the puzzle.
    """
    puzzle, filling = sheet
    match to:
        case Form.URL:
            return codec.url(puzzle) + "\n"
        case Form.PZPRV3:
            return codec.pzprv3(puzzle, filling)
        case Form.TEXT:
            return codec.text(puzzle)
        case Form.JSON:
            return json.dumps(codec.to_json(puzzle, filling)) + "\n"
        case Form.SVG:
            from hashigo.models.draw import svg

            return svg(puzzle, filling) + "\n"
        case Form.DIMACS:
            from hashigo.models.cnf import dimacs, encoding

            form = encoding(puzzle, strong)
            return dimacs(puzzle, form.clauses(puzzle), form.x)
