"""`hashigo solve`: the ladder's steps in words."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models.puzzle import Puzzle
from hashigo.scripts import options, show, sources

if TYPE_CHECKING:
    from hashigo.counting.mus import Cited
    from hashigo.ladder.climb import Step
    from hashigo.ladder.rung import Ladder
    from hashigo.ladder.state import Masks

_EXITS = {"solved": 0, "stuck": 4, "contradiction": 1}


def command(
    puzzle: options.OnePuzzle,
    rung: options.UpTo = None,
    without: options.Without = None,
    boards: Annotated[
        int, typer.Option(min=0, help="Draw the board after so many steps; 0: only at the end.")
    ] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each rung what it does, when it first speaks.")
    ] = False,
    mus: Annotated[
        bool,
        typer.Option(
            "--mus", help="Cite the fewest rules and clues that force each step without the others."
        ),
    ] = False,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.001, help="Seconds for each citation of --mus.")
    ] = 2.0,
    as_json: options.AsJson = False,
) -> None:
    """Solve as a person would, each step in words.

    A step says which rung speaks, where, why, and what follows. The last lines name the hardest.

    Exit code 0: solved, so the answer is the only one. 1: no answer. 2: bad input. 4: stuck.
    """
    from hashigo.ladder.climb import trace
    from hashigo.ladder.rung import ladder, select
    from hashigo.ladder.state import solved

    name, sheet = sources.one(puzzle)
    board = ladder(sheet.puzzle)
    rungs = select(board, rung, without or ())
    masks = board.start()
    steps: list[Step] = []
    cited: list[Cited | None] = []
    sentences = {r.name: r.sentence for r in rungs} if explain else {}
    if not as_json:
        print(f"{board.puzzle.draw(_filling(board, masks))}\n")
    with _citing(sheet.puzzle, mus, time_limit) as cite:
        for step in trace(board, rungs, masks):
            steps.append(step)
            cited.append(cite(step))
            if not as_json:
                first = all(step.rung != earlier.rung for earlier in steps[:-1])
                _print_step(len(steps), step, sentences.get(step.rung) if first else "", cited[-1])
                if boards and len(steps) % boards == 0:
                    print(f"\n{board.puzzle.draw(_filling(board, masks))}\n")
    outcome = "stuck"
    if steps and steps[-1].contradiction:
        outcome = "contradiction"
    elif solved(masks):
        # Rungs that were left out may not have seen that the last candidate is none.
        outcome = "solved" if sheet.puzzle.accepts(board.answer(masks)) else "contradiction"
    if as_json:
        data = _data(name, board, steps, masks, outcome)
        for entry, step, found in zip(data["steps"], steps, cited, strict=True):
            entry |= {"sentence": sentences[step.rung]} if explain else {}
            entry |= {"mus": found._asdict() if found else None} if mus else {}
        print(json.dumps(data, ensure_ascii=False))
    else:
        if mus:
            _print_sizes(steps, cited)
        _print_end(board, steps, masks, outcome)
        if outcome == "stuck":
            print(f"try: hashigo check {shlex.quote(name)}")
    raise typer.Exit(_EXITS[outcome])


@contextmanager
def _citing(
    puzzle: Puzzle, wanted: bool, seconds: float
) -> "Iterator[Callable[[Step], Cited | None]]":
    """What finds the rules and clues of a step; where not wanted, or for helpers, it gives None."""
    if not wanted:
        yield lambda step: None
        return
    from hashigo.counting.mus import Groups
    from hashigo.models.verdict import Budget, OutOfBudget

    with Groups(puzzle) as groups:

        def cite(step: "Step") -> "Cited | None":
            if not step.removed and not step.contradiction:
                return None  # it concludes something of helper variables alone
            with suppress(OutOfBudget):
                gone = () if step.contradiction else step.removed
                return groups.cite(gone, Budget(seconds=seconds))
            return None

        yield cite


def _print_step(k: int, step: "Step", sentence: str | None, cited: "Cited | None") -> None:
    print(f"{k:3}  {step.rung:7} {step.reason}\n{'':13}so {step.conclusion}")
    if sentence:
        print(f"{'':13}{step.rung}: {sentence}")
    if cited:
        least = "" if cited.smallest else ", perhaps not the fewest"
        print(f"{'':13}forced by {len(cited.names)}{least}: {', '.join(cited.names)}")


def _print_sizes(steps: "list[Step]", cited: "list[Cited | None]") -> None:
    """Rung and number of rules and clues, two measures of difficulty, side by side."""
    table = show.table("rung", "steps", "rules and clues cited: median", "most")
    for rung in dict.fromkeys(step.rung for step in steps):
        sizes = [len(c.names) for s, c in zip(steps, cited, strict=True) if c and s.rung == rung]
        if sizes:
            table.add_row(rung, str(len(sizes)), f"{median(sizes):g}", str(max(sizes)))
    print()
    show.console().print(table)


def _filling(board: "Ladder", masks: "Masks") -> tuple[int | None, ...]:
    """What is certain so far."""
    return board.puzzle.fill([left[0] if len(left) == 1 else None for left in _left(board, masks)])


def _left(board: "Ladder", masks: "Masks") -> list[list[int]]:
    from hashigo.ladder.state import values

    return values(masks, board.puzzle.domains())


def _data(
    name: str, board: "Ladder", steps: "list[Step]", masks: "Masks", outcome: str
) -> dict[str, Any]:
    puzzle = board.puzzle
    return {
        "puzzle": name,
        "genre": puzzle.name,
        "outcome": outcome,
        "grade": _grade(board, steps) if outcome == "solved" else None,
        "steps": [
            {
                "rung": step.rung,
                "reason": step.reason,
                "so": step.conclusion,
                "removed": [[puzzle.variable_name(i), v] for i, v in step.removed],
            }
            for step in steps
        ],
        "left": _open(puzzle, _left(board, masks)),
        "answer": puzzle.filling_json(_filling(board, masks)),
    }


def _open(puzzle: Puzzle, left: list[list[int]]) -> dict[str, list[int]]:
    return {puzzle.variable_name(i): values for i, values in enumerate(left) if len(values) > 1}


def _grade(board: "Ladder", steps: "list[Step]") -> str:
    """The highest rung that spoke."""
    spoke = {step.rung for step in steps}
    names = [rung.name for rung in board.rungs]
    return next((n for n in ("probe", *reversed(names)) if n in spoke), names[0])


def _print_end(board: "Ladder", steps: "list[Step]", masks: "Masks", outcome: str) -> None:
    puzzle = board.puzzle
    print(f"\n{puzzle.draw(_filling(board, masks))}\n")
    if outcome == "solved":
        counts = {step.rung: 0 for step in steps}
        for step in steps:
            counts[step.rung] += 1
        spoken = ", ".join(f"{name} {k}" for name, k in counts.items())
        top = _grade(board, steps)
        print(f"solved in {len(steps)} steps ({spoken}); grade: {top}")
        hardest = [str(k) for k, step in enumerate(steps, start=1) if step.rung == top]
        if len(counts) > 1:
            shown = f"{', '.join(hardest[:5])}{' ...' if len(hardest) > 5 else ''}"
            print(f"hardest, by {top}: step{'s' if len(hardest) > 1 else ''} {shown}")
        print("every step was forced, so this is the only answer")
    elif outcome == "stuck":
        print("stuck: no rung says more. Left open:")
        for name, values in _open(puzzle, _left(board, masks)).items():
            print(f"  {name}: {' '.join(map(str, values))}")
    else:
        print("contradiction: there is no answer")
    for note in board.notes:
        print(f"note: {note}")
