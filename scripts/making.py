"""Boards of a wanted grade: drawn, shown more of where need be, and made minimal.

What is random about a board is in its genre's sample; this is the loop that all genres share. A
board is a pure function of the seed and its index, whoever makes it and in whatever order.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hashigo.counting.sample import DialValue, Drawn, Rng, Sample, generator, sample
from hashigo.counting.sat import Sat
from hashigo.ladder.climb import climb, fixpoint
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import ladder, open_variables, select
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import CONTRADICTION, solved
from hashigo.models import codec
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, Status, Verdict, decide, reconcile

_NODES = 2_000  # of a search for another answer, after which SAT is asked
_RIVALS = 400  # answers that are ruled out, one after the other, until a draw is given up
BEYOND = "search"  # in place of a grade, where the ladder does not complete a board


@dataclass(frozen=True)
class Wish:
    """What boards are asked for."""

    genre: str
    rows: int
    cols: int
    grade: str | None = None
    seed: int = 0
    tries: int = 1000
    minimal: bool = True
    as_url: bool = False  # only boards that a URL can say
    for_puzz_link: bool = False  # only boards whose answer its checker accepts as well
    dials: Mapping[str, DialValue] = field(default_factory=dict)

    def sample(self) -> Sample:
        """Where its boards are drawn."""
        return sample(self.genre, self.rows, self.cols, self.dials)


@dataclass(frozen=True)
class Made:
    """What came of one index: a board, or None; and the grades that were met on the way."""

    index: int
    drawn: Drawn | None
    grade: str | None
    tries: int
    met: Mapping[str, int]


def make(wish: Wish, index: int) -> Made:
    """Try until there is a board as wished, or the tries are spent.

    Raises:
        EngineFault: an engine contradicts another, or a board lost its answer.
    """
    source = wish.sample()
    rng = generator(wish.seed, index)
    met: Counter[str] = Counter()
    for k in range(wish.tries):
        drawn = settle(source, source.draw(rng), wish.grade, rng)
        if drawn is None:
            met["not to be had"] += 1
            continue
        if wish.minimal:
            drawn = minimise(source, drawn, wish.grade, rng)
        if wish.as_url and not _has_url(drawn.puzzle):
            met["more than a URL can say"] += 1
            continue
        if wish.for_puzz_link and _refused(drawn):
            met["refused by puzz.link"] += 1
            continue
        grade = grades(drawn.puzzle)[0]
        met[grade or BEYOND] += 1
        if wish.grade in (None, grade):
            prove(drawn)
            return Made(index, drawn, grade, k + 1, met)
    return Made(index, None, None, wish.tries, met)


def grades(puzzle: Puzzle) -> tuple[str | None, dict[str, float]]:
    """The grade, if the ladder completes the board; per rung the share of variables settled."""
    board = ladder(puzzle)
    rungs = select(board)
    masks = board.start()
    decisions = len(puzzle.domains())
    grade, settled = None, {}
    for k, rung in enumerate(rungs):
        if fixpoint(rungs[: k + 1], masks) == CONTRADICTION:
            raise EngineFault(f"{rung.name}: contradiction on a board that has an answer")
        left = masks[:decisions]
        settled[rung.name] = float(np.mean(left & (left - 1) == 0)) if decisions else 1.0
        if grade is None and solved(masks):
            grade = rung.name
    return grade, settled


def prove(drawn: Drawn) -> None:
    """Hold two engines that share no reasoning, and the answer, against each other.

    Raises:
        EngineFault: they do not all say that this is the one answer.
    """
    puzzle, answer = drawn
    verdicts = [decide(engine, puzzle, Budget(2)) for engine in (LadderSearch(), Sat())]
    if reconcile(puzzle, verdicts) != Status.UNIQUE or verdicts[0].answers != (answer,):
        raise EngineFault(f"a generated board has another answer\n{puzzle.draw()}")


def completes(puzzle: Puzzle, grade: str | None) -> bool:
    """Whether the ladder up to a rung completes the board; without one, whether it is unique."""
    if grade is not None:
        board = ladder(puzzle)
        return climb(board, select(board, grade)).complete
    return to_two(puzzle).status == Status.UNIQUE


def to_two(puzzle: Puzzle) -> Verdict:
    """Up to two answers, by search; by SAT where that is too long."""
    verdict = decide(LadderSearch(), puzzle, Budget(2, nodes=_NODES))
    if verdict.status == Status.UNKNOWN:
        verdict = decide(Sat(), puzzle, Budget(2))
    return verdict


def _has_url(puzzle: Puzzle) -> bool:
    try:
        codec.url(puzzle)
    except PuzzleError:
        return False
    return True


def _refused(drawn: Drawn) -> bool:
    """Whether the puzz.link checker refuses the answer, which the rules of the puzzle do not."""
    puzzle, answer = drawn
    return any(violation.house for violation in puzzle.violations(puzzle.fill(answer)))


def settle(source: Sample, drawn: Drawn, grade: str | None, rng: Rng) -> Drawn | None:
    """Show more until the rungs wanted complete the board; None where that cannot be."""
    rivals: list[Answer] = []
    while len(rivals) < _RIVALS:
        puzzle, answer = drawn
        richer = None
        if grade is not None:
            board = ladder(puzzle)
            rungs = select(board, grade)
            # Clues are bought for the rungs below the probe, which is slow while much is open;
            # those that it makes needless go when the board is made minimal.
            for some in dict.fromkeys((select(board, grade, without=[Probe.name]), rungs)):
                end = climb(board, some)
                if end.complete:
                    return drawn
                places = [i for i in open_variables(end.masks) if i < len(answer)]
                richer = source.more(drawn, places, rng)
                if richer is not None:
                    break
        if richer is None:
            rival = _rival(drawn)
            if rival is None:
                return drawn if grade is None else None
            rivals.append(rival)
            richer = source.rule_out(drawn, rivals, rng)
        if richer is None:
            return None
        drawn = Drawn(richer, answer)
    return None


def _rival(drawn: Drawn) -> Answer | None:
    """Another answer, if there is one."""
    others = [answer for answer in to_two(drawn.puzzle).answers if answer != drawn.answer]
    return others[0] if others else None


def minimise(source: Sample, drawn: Drawn, grade: str | None, rng: Rng) -> Drawn:
    """Take clues away in random order while the rungs wanted complete the board.

    Fewer clues never let a rung see more, so that one round leaves a board where none can go.
    """
    clues = source.removable(drawn.puzzle)
    for k in rng.permutation(len(clues)):
        poorer = source.remove(drawn.puzzle, clues[k])
        if completes(poorer, grade):
            drawn = Drawn(poorer, drawn.answer)
    return drawn
