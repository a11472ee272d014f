"""The climb: cheapest rung first, and from the lowest again after every success.

The grade of a puzzle is the highest rung that had to speak. It does not depend on the order of
places: the rungs are monotone and only take values away, so that rungs 1..k have one fixpoint, and
rung k + 1 is asked there and nowhere else. What it says there decides whether it speaks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hashigo.ladder.rung import Ladder, Rung, select
from hashigo.ladder.state import CHANGED, CONTRADICTION, NOTHING, Masks, removed, solved
from hashigo.models.verdict import Budget


@dataclass(frozen=True)
class Climb:
    """Where a climb ended: `grade` is the highest rung that spoke, whether solved or not."""

    masks: Masks
    grade: str
    contradiction: bool

    @property
    def complete(self) -> bool:
        """Whether one value is left everywhere."""
        return not self.contradiction and solved(self.masks)


@dataclass(frozen=True)
class Step:
    """One success of one rung: what forced it, what follows, and the state after it."""

    rung: str
    place: int
    reason: str
    conclusion: str
    removed: Sequence[tuple[int, int]]  # (variable, value), decision variables only
    masks: Masks
    contradiction: bool


def fixpoint(rungs: Sequence[Rung], masks: Masks) -> int:
    """Climb in place; gives the highest rung that spoke (from 0), or CONTRADICTION.

    A climb in which nothing spoke gives 0, as one in which the lowest rung did.
    """
    highest = k = 0
    while k < len(rungs):
        outcome = rungs[k].sweep(masks)
        if outcome == CONTRADICTION:
            return CONTRADICTION
        if outcome == CHANGED:
            highest = max(highest, k)
            # A lowest rung that sweeps to its own fixpoint has nothing to add to itself.
            k = 0
        else:
            k += 1
    return highest


def climb(ladder: Ladder, rungs: Sequence[Rung] | None = None, masks: Masks | None = None) -> Climb:
    """Climb from the start, or from a given state, which is left as it is.

    A complete climb leaves one candidate, so there is at most one answer; a contradiction says that
    there is none.
    """
    rungs = select(ladder) if rungs is None else rungs
    masks = ladder.start() if masks is None else masks.copy()
    highest = fixpoint(rungs, masks)
    contradiction = highest == CONTRADICTION
    name = rungs[highest].name if rungs and not contradiction else ""
    return Climb(masks, name, contradiction)


def grade(ladder: Ladder, budget: Budget | None = None) -> str | None:
    """The highest rung that the puzzle needs, or None where the ladder does not complete it.

    Raises:
        OutOfBudget: time was up in the probe.
    """
    end = climb(ladder, select(ladder, budget=budget))
    return end.grade if end.complete and ladder.puzzle.accepts(ladder.answer(end.masks)) else None


def trace(ladder: Ladder, rungs: Sequence[Rung], masks: Masks) -> Iterator[Step]:
    """Climb in place, one visit at a time, giving each success as it comes."""
    while (step := _first_success(ladder, rungs, masks)) is not None:
        yield step
        if step.contradiction:
            return


def _first_success(ladder: Ladder, rungs: Sequence[Rung], masks: Masks) -> Step | None:
    for rung in rungs:
        for place in range(rung.places):
            before = masks.copy()
            outcome = rung.visit(masks, place)
            if outcome != NOTHING:
                failed = outcome == CONTRADICTION
                return Step(
                    rung.name,
                    place,
                    rung.reason(before, masks, place),
                    "there is no answer" if failed else ladder.conclusion(before, masks),
                    removed(before, masks, ladder.puzzle.domains()),
                    masks.copy(),
                    failed,
                )
    return None
