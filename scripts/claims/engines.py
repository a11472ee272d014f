"""The claim that every genre makes of its engines: search and brute force count alike."""

from collections.abc import Callable, Iterator

from hashigo.counting.brute import Brute
from hashigo.counting.sample import Drawn
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.models.verdict import Budget, decide
from hashigo.scripts.claim import BAD, Claim, Line


def alike(
    claim: Claim, theirs: str, draw: Callable[[int], Drawn], wanted: int, limit: int
) -> Iterator[Line]:
    """The search with each part of the ladder beside the brute force, until there are enough pairs.

    Boards with more answers than the limit are passed over.
    """
    board = pairs = differ = 0
    while pairs < wanted:
        puzzle = draw(board).puzzle
        board += 1
        plain = decide(Brute(), puzzle, Budget(limit))
        if not plain.complete:
            continue
        for rung in select(ladder(puzzle)):
            search = LadderSearch(rung.name, without=())
            differ += decide(search, puzzle, Budget(limit + 1)).answers != plain.answers
            pairs += 1
    ours = f"{pairs:,} pairs, {differ} differ"
    yield Line(claim.id, "answers by search and by brute force", theirs, ours,
               BAD if differ else "holds")  # fmt: skip
