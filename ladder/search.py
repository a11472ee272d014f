"""Search: branch between climbs. The ladder as an engine of its own."""

from collections.abc import Collection, Iterator

from hashigo.ladder.climb import fixpoint
from hashigo.ladder.rung import Choice, ladder, select
from hashigo.ladder.state import CONTRADICTION, Masks, solved
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget

UP_TO = "probe"


class LadderSearch:
    """Depth-first search whose propagation is a ladder, all of it but the probe if not told else.

    Nodes are branches taken. All rungs together refute every wrong full assignment; where some are
    left out, the rules do it at the leaf.
    """

    def __init__(
        self, up_to: str | None = None, without: Collection[str] = (UP_TO,), name: str = "ladder"
    ) -> None:
        """Choose the rungs, as in `select`."""
        self.name = name
        self._up_to = up_to
        self._without = without

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield distinct answers; see Engine."""
        board = ladder(puzzle)
        rungs = select(board, self._up_to, self._without)
        whole = set(rungs) >= set(board.rungs)
        # Each branch as a state and what is assumed there, made only when its turn comes.
        pending: list[tuple[Masks, Choice | None]] = [(board.start(), None)]
        while pending:
            masks, choice = pending.pop()
            if choice is not None:
                masks = board.assume(masks, choice)
            budget.spend()
            if fixpoint(rungs, masks) == CONTRADICTION:
                continue
            if solved(masks):
                answer = board.answer(masks)
                if whole or puzzle.accepts(answer):
                    yield answer
                continue
            pending += [(masks, branch) for branch in reversed(board.branch(masks))]
