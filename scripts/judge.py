"""`hashigo judge`: the rules that a filled-in board breaks."""

import json
from typing import Annotated

import typer

from hashigo.scripts import options, sources


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A filled-in board: pzprv3 or JSON, or -.")
    ],
    as_json: options.AsJson = False,
) -> None:
    """Which rules a filled-in board breaks.

    Each line is the code of puzz.link and a sentence, in the order of its checker.

    Exit code 0: complete and right. 1: not. 2: bad input.
    """
    _, (puzzle, filling) = sources.one(file)
    empty = filling is None
    if filling is None:
        filling = puzzle.blank()
    violations = list(puzzle.violations(filling))
    codes = list(dict.fromkeys(violation.code for violation in violations))
    if as_json:
        print(json.dumps({"codes": codes}))
    else:
        print(puzzle.draw(filling))
        for violation in violations:
            print(f"{violation.code}: {violation.text}")
        if not codes:
            print("complete and right")
        if empty:
            print(
                "note: nothing is written on this board; a pzprv3 or JSON file can hold an answer"
            )
    raise typer.Exit(1 if codes else 0)
