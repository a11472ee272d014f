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
) -> None:
    """Write a puzzle in another form, or draw it.

    pzprv3, JSON and SVG keep what is written on the board.

    Exit code 0, or 2 where the input is bad or the form cannot say all of it.
    """
    _, sheet = sources.one(puzzle)
    text = write(sheet, to, strong)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PuzzleError(f"{output}: {error.strerror}") from None


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
