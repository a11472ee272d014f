"""Closures: what rungs leave of a state.

A state comes in, and a closure goes out, as the values left of each decision variable, so that
they can be held against those of other engines. The helper variables, with values 0 and 1, may
follow; where they do not, all are open on the way in. None stands for a contradiction.
"""

from collections.abc import Sequence

from hashigo.ladder.climb import fixpoint
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import Ladder, Rung, select
from hashigo.ladder.state import CONTRADICTION, Masks, values
from hashigo.models.puzzle import Left
from hashigo.models.verdict import Budget


def up_to(ladder: Ladder, rung: str, left: Left) -> Left | None:
    """The fixpoint of the rungs up to this one."""
    return closure(ladder, select(ladder, rung), left)


def alone(ladder: Ladder, rung: str, left: Left) -> Left | None:
    """The fixpoint of this rung, not the probe, without the others."""
    return closure(ladder, [r for r in ladder.rungs if r.name == rung], left)


def probing(ladder: Ladder, rung: str, left: Left, budget: Budget | None = None) -> Left | None:
    """The fixpoint of failed-value probing over the rungs up to this one, not the probe itself.

    Raises:
        OutOfBudget: time was up.
    """
    lower = select(ladder, rung)
    return closure(ladder, [*lower, Probe(ladder, lower, budget)], left)


def closure(ladder: Ladder, rungs: Sequence[Rung], left: Left) -> Left | None:
    """The fixpoint of any rungs, for as many variables as the state has."""
    masks = enter(ladder, left)
    if masks is None or fixpoint(rungs, masks) == CONTRADICTION:
        return None
    return values(masks, domains(ladder)[: len(left)])


def enter(ladder: Ladder, left: Left) -> Masks | None:
    """The ladder's start without the values that are not left; None if a variable has none."""
    masks = ladder.start()
    for i, (some, domain) in enumerate(zip(left, domains(ladder), strict=False)):
        masks[i] &= sum(1 << domain.index(v) for v in some)
        if masks[i] == 0:
            return None
    return masks


def domains(ladder: Ladder) -> list[range]:
    """The domains of the decision variables, and of the helper variables behind them."""
    decisions = ladder.puzzle.domains()
    return [*decisions, *[range(2)] * (len(ladder.start()) - len(decisions))]


def start(ladder: Ladder) -> Left:
    """Every value that the ladder starts with, of the decision variables."""
    return values(ladder.start(), ladder.puzzle.domains())


def whole(ladder: Ladder, masks: Masks) -> Left:
    """A state of the ladder, its helper variables too."""
    return values(masks, domains(ladder))
