"""`hashigo verify`: check a certificate, trusting no solver."""

import json
from pathlib import Path
from typing import Annotated

import typer

from hashigo.scripts import options, show
from hashigo.scripts.prove import SAYS, data


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A certificate of `hashigo prove`.")
    ],
    as_json: options.AsJson = False,
) -> None:
    """Check a certificate, from the puzzle to the proof.

    Exit code 0: it holds. 1: it is refused, with the reason. 2: not a certificate at all.
    """
    from hashigo.counting.certificate import CertificateError, verify

    try:
        statement = verify(folder)
    except CertificateError as error:
        if as_json:
            print(json.dumps({"folder": str(folder), "holds": False, "error": str(error)}))
        else:
            print(f"REFUSED: {error}")
        raise typer.Exit(1) from None
    if as_json:
        print(json.dumps({"folder": str(folder), "holds": True, **data(statement)}))
        return
    puzzle = statement.puzzle
    pictures = [puzzle.draw(puzzle.fill(answer)) for answer in statement.answers] or [puzzle.draw()]
    print(show.side_by_side(pictures), end="\n\n")
    print(f"{statement.status} holds: {SAYS[statement.status]}")
