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
    """Which rules a filled-in board breaks, in the order of the rule book.

    Exit code 0: complete and right. 1: not. 2: bad input.
    """
    _, (puzzle, filling) = sources.one(file)
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
    raise typer.Exit(1 if codes else 0)
