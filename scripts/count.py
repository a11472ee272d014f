"""`hashigo count`: the exact number of answers, or at least how many."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.scripts import options, show, sources

if TYPE_CHECKING:
    from hashigo.counting.count import Count


class Method(StrEnum):
    """How to count."""

    AUTO = "auto"
    DP = "dp"
    GANAK = "ganak"
    ENUMERATE = "enumerate"
    APPROX = "approx"


def command(
    puzzle: options.OnePuzzle,
    method: Annotated[
        Method,
        typer.Option(
            help="The genre's dynamic programme, pyganak, SAT enumeration, or an estimate; "
            "auto takes the first that is exact."
        ),
    ] = Method.AUTO,
    limit: options.Limit = 1_000_000,
    time_limit: options.TimeLimit = 60.0,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Count a second time by another method.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Count the answers, or at least how many there are.

    Exit code 0: the number is exact (or, asked for, an estimate). 2: bad input.
    3: two methods disagree. 4: cut short.
    """
    from hashigo.counting import count as counting

    name, sheet = sources.one(puzzle)
    with show.waiting("counting ..."):
        first = counting.count(sheet.puzzle, method, time_limit, limit)
    second = None
    if cross_check:
        with show.waiting("counting by another method ..."):
            second = counting.cross_check(sheet.puzzle, first, time_limit, limit)
    if as_json:
        data = {"puzzle": name, "genre": sheet.puzzle.name} | _data(first)
        if second is not None:
            data["cross_check"] = _data(second)
        print(json.dumps(data))
    else:
        print(_sentence(first))
        if second is not None:
            print(f"cross-check: {_sentence(second)}")
    cut = [c for c in (first, second) if c is not None and c.kind == "at least"]
    raise typer.Exit(4 if cut else 0)


def _data(count: "Count") -> dict[str, Any]:
    return {
        "count": count.value,
        "exact": count.kind == "exact",
        "kind": count.kind,
        "method": count.method,
        "seconds": round(count.seconds, 6),
    } | ({"note": count.note} if count.note else {})


def _sentence(count: "Count") -> str:
    answers = "answer" if count.value == 1 else "answers"
    kind = "" if count.kind == "exact" else f"{count.kind} "
    sure = ", exact" if count.kind == "exact" else ""
    note = f" ({count.note})" if count.note else ""
    return f"{kind}{count.value:,} {answers}, by {count.method}{sure}{note}"
