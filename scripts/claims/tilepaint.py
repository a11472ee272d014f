"""Tilepaint: claims that are settled by other means than a table of boards."""

from collections.abc import Iterator
from itertools import pairwise
from math import log2

import numpy as np

from hashigo.counting.sample import Drawn, generator, sample
from hashigo.ladder.climb import climb, fixpoint
from hashigo.ladder.rung import ladder
from hashigo.ladder.state import CONTRADICTION
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.tilepaint import Tilepaint
from hashigo.scripts.claim import BAD, Check, Claim, Effort, Line
from hashigo.scripts.claims.engines import alike


def engines(claim: Claim, effort: Effort) -> Iterator[Line]:
    """On boards with all, four fifths and three fifths of their numbers."""

    def draw(k: int) -> Drawn:
        dials = {"shown": (1.0, 0.8, 0.6)[k % 3]}
        return sample("tilepaint", 4 + k % 3, 5, dials).draw(generator(32, k))

    wanted = effort.scaled(claim.data["pairs"])
    return alike(claim, "800 of 800 alike", draw, wanted, limit=200)


def nesting(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The fixpoint of each rung alone, from states met on random boards, inside the next one's."""
    states = broken = 0
    for index in range(effort.scaled(300)):
        rng = generator(33, index)
        puzzle = sample("tilepaint", 7, 7, {"shown": 0.8}).draw(rng).puzzle
        board = ladder(puzzle)
        start = board.start()
        for i in rng.permutation(len(start))[: int(rng.integers(0, len(start)))]:
            start[i] = 1 << int(rng.integers(0, 2))
        ends = []
        for rung in board.rungs:
            masks = start.copy()
            failed = fixpoint([rung], masks) == CONTRADICTION
            ends.append(np.zeros_like(masks) if failed else masks)
        states += 1
        broken += any(bool((b & ~a).any()) for a, b in pairwise(ends))
    yield Line(claim.id, "count in edge in fit", "on every state",
               f"{states:,} states, {broken} exceptions", BAD if broken else "holds")  # fmt: skip


def slices(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Three tiles of two cells in a row that owes three."""
    board = ladder(Tilepaint.from_labels(1, 6, "aabbcc", [None] * 6, [3]))
    said = {}
    for rung in board.rungs:
        masks = board.start()
        said[rung.name] = rung.sweep(masks), bool((masks == board.start()).all())
    met = said["edge"] == (0, True) and said["fit"][0] == CONTRADICTION
    ours = f"edge {'nothing' if said['edge'][1] else 'something'}, fit "
    ours += "contradiction" if said["fit"][0] == CONTRADICTION else "none"
    yield Line(claim.id, "slices 2, 2, 2 owing 3", "edge nothing, fit contradiction", ours,
               "exact" if met else BAD)  # fmt: skip


def information(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Sixteen numbers of 0 to 8."""
    bits = 16 * log2(9)
    yield Line(claim.id, "bits in 16 numbers of 0..8", "51", f"{bits:.2f}",
               "exact" if round(bits) == 51 else BAD)  # fmt: skip


def every_painting(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The board that any painting of random tiles gives has that painting as an answer.

    The judge counts cells as the board's numbers were made; the ladder knows segments instead.
    """
    boards = effort.scaled(200)
    source = sample("tilepaint", 8, 8)
    drawn = [source.draw(generator(34, index)) for index in range(boards)]
    broken = sum(
        not (puzzle.accepts(answer) and _climbs(puzzle, answer)) for puzzle, answer in drawn
    )
    yield Line(claim.id, "random paintings are answers", "always",
               f"{boards:,} boards, {broken} exceptions", BAD if broken else "holds")  # fmt: skip


def _climbs(puzzle: Puzzle, answer: Answer) -> bool:
    """Whether no rung contradicts an answer."""
    board = ladder(puzzle)
    return not climb(board, masks=board.settled(answer)).contradiction


CHECKS: dict[str, Check] = {
    "tilepaint-engines": engines,
    "tilepaint-nesting": nesting,
    "tilepaint-slices-222": slices,
    "tilepaint-information": information,
    "tilepaint-generator": every_painting,
}
