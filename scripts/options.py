"""Arguments and options that mean the same in every command."""

from typing import Annotated

import typer

Puzzles = Annotated[
    list[str],
    typer.Argument(
        metavar="PUZZLE...",
        help="A puzz.link URL or its tail, a file (pzprv3, text, JSON), a shipped board (bank:...), or - for stdin.",
    ),
]
OnePuzzle = Annotated[str, typer.Argument(metavar="PUZZLE", help="As in `hashigo check`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
TimeLimit = Annotated[
    float,
    # Eleven days at most: the system cannot wait for any number of seconds.
    typer.Option("--time-limit", min=0.001, max=1e6, help="Seconds of wall time per engine."),
]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="Puzzles worked on at once.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same boards.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="Answers to find at most.")]
UpTo = Annotated[str | None, typer.Option("--rung", help="Climb up to this rung only.")]
Without = Annotated[
    list[str] | None, typer.Option("--without", help="Leave this rung out; may be repeated.")
]
