"""Rungs and ladders, as each genre makes them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Sequence
from importlib import import_module
from typing import ClassVar, NamedTuple

import numpy as np

from hashigo.ladder.state import Masks, bits, full
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget

Choice = tuple[int, int]  # a variable, and the bit of one of its values


class Rung(ABC):
    """One technique: a propagator over a list of places, such as the lines of a board.

    Both ways to apply it change the masks in place, only ever take values away, and never one that
    some answer within the state uses.
    """

    name: ClassVar[str]
    sentence: ClassVar[str]  # what it does, for people

    @property
    @abstractmethod
    def places(self) -> int:
        """How many places there are."""

    @abstractmethod
    def visit(self, masks: Masks, place: int) -> int:
        """Apply it at one place: NOTHING, CHANGED or CONTRADICTION."""

    @abstractmethod
    def sweep(self, masks: Masks) -> int:
        """Apply it at places until one changes or more; NOTHING only where no visit does anything."""

    @abstractmethod
    def reason(self, before: Masks, after: Masks, place: int) -> str:
        """Why a visit did what it did, in a sentence for people."""


class Correspondence(NamedTuple):
    """A claim: from any state, some rungs leave the same values as propagation on the CNF.

    The rungs are those up to `rung`, and propagation is unit propagation on a form of the CNF. With
    `probing`, it is failed-value probing over these rungs and failed-literal probing.

    With `helpers`, which is their name for people, the state has the ladder's helper variables as
    well, which that form of the CNF has too (Ladder.helper_keys), and probing tries those.
    """

    rung: str
    strong: bool = False  # the form of the CNF
    without: tuple[str, ...] = ()  # kinds of fragments that are left out of it
    probing: bool = False
    helpers: str = ""
    until_settled: bool = False  # where one value is left everywhere, the rungs may refute more


class Ladder(ABC):
    """The rungs of one board, lowest first, and how to start, to probe and to branch."""

    correspondences: ClassVar[Sequence[Correspondence]] = ()  # tested on every state met
    side: ClassVar[int] = 6  # of the largest boards on which they are tested by the thousand

    puzzle: Puzzle
    rungs: Sequence[Rung]  # without `probe`, which is made of them
    notes: Sequence[str] = ()  # what this ladder cannot do on this board, and why

    def start(self) -> Masks:
        """The state before any rung."""
        return full(self.puzzle.domains())

    def helper_keys(self) -> Sequence[Hashable]:
        """The keys in the strong CNF of the helper variables behind the decisions, in order."""
        return ()

    def assume(self, masks: Masks, choice: Choice) -> Masks:
        """The state with this assumption, and with what it means at once for other variables."""
        i, bit = choice
        assumed = masks.copy()
        assumed[i] = 1 << bit
        return assumed

    def probes(self, masks: Masks) -> list[Choice]:
        """The assumptions that `probe` tries, in order: each value of each open variable."""
        left = masks.tolist()
        return [(i, k) for i in open_variables(masks) for k in bits(left[i])]

    def branch(self, masks: Masks) -> list[Choice]:
        """Assumptions of which each answer within the state fulfils exactly one.

        The state is not solved; where there are no assumptions, it has no answer.
        """
        left = masks.tolist()
        i = min(open_variables(masks), key=lambda i: left[i].bit_count())
        return [(i, k) for k in bits(left[i])]

    def answer(self, masks: Masks) -> Answer:
        """The answer, where the state is solved."""
        domains = self.puzzle.domains()
        left = masks[: len(domains)].tolist()
        return tuple(d[m.bit_length() - 1] for m, d in zip(left, domains, strict=True))

    def settled(self, answer: Answer) -> Masks:
        """The state that leaves nothing but this answer: the inverse of `answer`."""
        domains = self.puzzle.domains()
        bits_set = [1 << d.index(v) for v, d in zip(answer, domains, strict=True)]
        return np.array(bits_set, dtype=np.int64)

    @abstractmethod
    def assumption(self, choice: Choice) -> str:
        """An assumption in words."""

    def conclusion(self, before: Masks, after: Masks) -> str:
        """What changed from one state to another, in words."""
        parts = []
        for i, domain in enumerate(self.puzzle.domains()):
            left, lost = int(after[i]), int(before[i] & ~after[i])
            if not lost:
                continue
            if left & (left - 1) == 0:
                parts.append(self.assumption((i, left.bit_length() - 1)))
            else:
                gone = " or ".join(str(domain[k]) for k in bits(lost))
                parts.append(f"{self.puzzle.variable_name(i)} is not {gone}")
        return ", ".join(parts)


def open_variables(masks: Masks) -> list[int]:
    """The variables with several values left."""
    found: list[int] = (masks & (masks - 1)).nonzero()[0].tolist()
    return found


def ladder(puzzle: Puzzle) -> Ladder:
    """The ladder of a puzzle: each genre's stands in the file of its name."""
    made: Ladder = import_module(f"hashigo.ladder.{puzzle.name}").make(puzzle)
    return made


def select(
    ladder: Ladder,
    up_to: str | None = None,
    without: Collection[str] = (),
    budget: Budget | None = None,
) -> tuple[Rung, ...]:
    """The rungs to climb: all, up to one, or with some left out; `probe` is made of the others.

    A budget limits the time of `probe`, which can be long; it raises OutOfBudget when climbed.

    Raises:
        PuzzleError: a name is not that of a rung.
    """
    from hashigo.ladder.probe import Probe

    names = [*(rung.name for rung in ladder.rungs), Probe.name]
    for name in {up_to or names[-1], *without} - set(names):
        raise PuzzleError(f"no rung {name!r}; expected one of: {', '.join(names)}")
    top = names.index(up_to) if up_to else len(names) - 1
    chosen = [rung for rung in ladder.rungs[: top + 1] if rung.name not in without]
    if top == len(names) - 1 and Probe.name not in without:
        chosen.append(Probe(ladder, tuple(chosen), budget))
    return tuple(chosen)
