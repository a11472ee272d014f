"""`hashigo prove`: a certificate of how many answers a puzzle has."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hashigo.models.verdict import Budget, OutOfBudget, Status
from hashigo.scripts import options, sources

if TYPE_CHECKING:
    from hashigo.counting.certificate import Statement

SAYS = {
    Status.UNIQUE: "one answer, and a proof that there is no other",
    Status.NONE: "a proof that there is no answer",
    Status.MULTIPLE: "two different answers",
}


def command(
    puzzle: options.OnePuzzle,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="A new or an empty folder.")
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the certificate that is there.")
    ] = False,
    time_limit: options.TimeLimit = 60.0,
    as_json: options.AsJson = False,
) -> None:
    """Write a certificate that anybody can check.

    `hashigo verify` checks it, and so does any proof checker for SAT.

    Exit code 0: one answer, certified. 1: none or several, certified. 2: bad input, or a folder
    that is not free. 3: a solver is wrong. 4: no verdict within the time; nothing is written.
    """
    from hashigo.counting import certificate
    from hashigo.counting.proof import prove

    name, sheet = sources.one(puzzle)
    certificate.require_free(output, replace)
    try:
        statement = prove(sheet.puzzle, Budget(seconds=time_limit))
    except OutOfBudget as stop:
        if as_json:
            unknown = {"puzzle": name, "genre": sheet.puzzle.name, "status": Status.UNKNOWN}
            print(json.dumps(unknown | {"why": str(stop)}))
        else:
            print(f"{Status.UNKNOWN}: {stop}; nothing is written")
        raise typer.Exit(4) from None
    certificate.write(statement, output, replace)
    if as_json:
        print(
            json.dumps(
                {"puzzle": name, **data(statement), "folder": str(output), "made": statement.made}
            )
        )
    else:
        print(f"{statement.status}: {SAYS[statement.status]}, {_size(statement)}in {output}")
        for answer in statement.answers:
            print(f"  {statement.puzzle.answer_line(answer)}")
        print(f"try: hashigo verify {shlex.quote(str(output))}")
    raise typer.Exit(0 if statement.status == Status.UNIQUE else 1)


def data(statement: "Statement") -> dict[str, object]:
    """A statement as plain data."""
    boards = [
        statement.puzzle.filling_json(statement.puzzle.fill(answer)) for answer in statement.answers
    ]
    return {"genre": statement.puzzle.name, "status": statement.status, "answers": boards}


def _size(statement: "Statement") -> str:
    lines = statement.proof.count("\n")
    return f"{lines:,} line{'s' if lines > 1 else ''} long, " if lines else ""
