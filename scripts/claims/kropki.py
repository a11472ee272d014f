"""Kropki: claims that are settled by other means than a table of boards."""

from collections.abc import Iterator

from hashigo.counting.brute import Brute
from hashigo.counting.sample import generator, sample
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.models.verdict import Budget, decide
from hashigo.scripts.claim import BAD, Check, Claim, Effort, Line

_ANSWERS = 200  # of boards that are compared


def engines(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The search with each part of the ladder, and the brute force, count alike."""
    wanted = effort.scaled(claim.data["pairs"])
    pairs = differ = board = 0
    while pairs < wanted:
        dials = {"hidden": (0.0, 0.2, 0.4)[board % 3]}
        puzzle = sample("kropki", 3 + board % 3, 5, dials).draw(generator(31, board)).puzzle
        plain = decide(Brute(), puzzle, Budget(_ANSWERS))
        board += 1
        if not plain.complete:
            continue
        for rung in select(ladder(puzzle)):
            search = LadderSearch(rung.name, without=())
            differ += decide(search, puzzle, Budget(_ANSWERS + 1)).answers != plain.answers
            pairs += 1
    ours = f"{pairs:,} pairs, {differ} differ"
    yield Line(claim.id, "answers by search and by brute force", "600 of 600 alike", ours,
               BAD if differ else "holds")  # fmt: skip


CHECKS: dict[str, Check] = {"kropki-engines": engines}
