"""`hashigo count`: the exact number of answers, or at least how many."""

import json
from typing import Annotated

import typer

from hashigo.models.verdict import Budget, decide
from hashigo.scripts import check, options, sources


def command(
    puzzle: options.OnePuzzle,
    engine: Annotated[
        str, typer.Option(help="The engine that enumerates: see `hashigo check`.")
    ] = "sat",
    limit: options.Limit = 100_000,
    time_limit: options.TimeLimit = 60.0,
    as_json: options.AsJson = False,
) -> None:
    """Count the answers by enumeration; cut short, it says at least how many there are.

    Exit code 0: the number is exact. 2: bad input. 4: cut short.
    """
    name, sheet = sources.one(puzzle)
    verdict = decide(check.make_engine(engine), sheet.puzzle, Budget(limit, time_limit))
    if as_json:
        data = {
            "puzzle": name,
            "genre": sheet.puzzle.name,
            "count": str(verdict.count),
            "exact": verdict.complete,
            "method": f"enumerate:{verdict.engine}",
            "seconds": round(verdict.seconds, 6),
        }
        print(json.dumps(data))
    else:
        answers = "answer" if verdict.count == 1 else "answers"
        bound = "" if verdict.complete else "at least "
        why = f" ({verdict.why})" if verdict.why else ""
        print(f"{bound}{verdict.count:,} {answers}, by enumeration with {verdict.engine}{why}")
    raise typer.Exit(0 if verdict.complete else 4)
