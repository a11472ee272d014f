"""The probe: assume a value, climb the other rungs, and reject it on contradiction."""

from collections.abc import Sequence
from functools import cached_property

from hashigo.ladder.climb import fixpoint, trace
from hashigo.ladder.rung import Choice, Ladder, Rung
from hashigo.ladder.state import CHANGED, CONTRADICTION, NOTHING, Masks
from hashigo.models.verdict import Budget


class Probe(Rung):
    """Failed-value probing over the rungs below it; its places are the ladder's assumptions."""

    name = "probe"
    sentence = "suppose a value, follow the lower rungs, and drop it if they end in a contradiction"

    def __init__(self, ladder: Ladder, lower: Sequence[Rung], budget: Budget | None = None) -> None:
        """Probe with these rungs, on the assumptions of this ladder, within a limit of time."""
        self._budget = budget
        self._ladder = ladder
        self._lower = lower

    @cached_property
    def _all(self) -> list[Choice]:
        return self._ladder.probes(self._ladder.start())

    @property
    def places(self) -> int:
        """All assumptions that the start leaves."""
        return len(self._all)

    def visit(self, masks: Masks, place: int) -> int:
        """Try one assumption."""
        return self._try(masks, self._all[place])

    def sweep(self, masks: Masks) -> int:
        """Try them all, settling the lower rungs after each rejection."""
        outcome = NOTHING
        for choice in self._ladder.probes(masks):
            if self._budget is not None:
                self._budget.check()
            if self._try(masks, choice) == NOTHING:
                continue
            outcome = CHANGED
            if fixpoint(self._lower, masks) == CONTRADICTION:
                return CONTRADICTION
        return outcome

    def _try(self, masks: Masks, choice: Choice) -> int:
        i, bit = choice
        assumed = 1 << bit
        left = int(masks[i])
        if not left & assumed or left == assumed:
            return NOTHING
        trial = self._ladder.assume(masks, choice)
        if fixpoint(self._lower, trial) != CONTRADICTION:
            return NOTHING
        masks[i] = left & ~assumed
        return CHANGED

    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """The assumption, and the chain of steps that refutes it."""
        choice = self._all[place]
        trial = self._ladder.assume(before, choice)
        steps = list(trace(self._ladder, self._lower, trial))
        between = f"{len(steps) - 1} steps later " if len(steps) > 1 else ""
        end = steps[-1].reason if steps else "nothing is left"
        return f"suppose {self._ladder.assumption(choice)}: {between}{end}"
