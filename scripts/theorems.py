"""Correspondences put to the test: rungs beside propagation on the CNF, state by state.

The ladder and the encodings were written apart. That the closure of some rungs is that of unit
propagation or of failed literals, from any state, is therefore a check of both. The same states
are held against the backbone: nothing may go that an answer uses.
"""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Self

import numpy as np

from hashigo.counting.closure import Backbone, Propagation
from hashigo.counting.sample import Dial, DialValue, generator, sample
from hashigo.ladder import closure
from hashigo.ladder.climb import trace
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import Correspondence, Ladder, ladder, select
from hashigo.models.puzzle import Left, Puzzle
from hashigo.models.verdict import Budget, OutOfBudget, OutOfReach

_STEPS = 4  # states taken along one solve


@dataclass(frozen=True)
class Difference:
    """A state from which two closures differ that should not."""

    claim: Correspondence
    puzzle: Puzzle
    left: Left
    ladder: Left | None
    other: Left | None
    sound: bool = False  # whether `other` is the backbone, of which the ladder removed something

    def __str__(self) -> str:
        """The claim, the board, the state, and the first value on which they differ."""
        domains = self.puzzle.domains()
        names = [self.puzzle.variable_name(i) for i in range(len(domains))]
        names += [f"helper {k}" for k in range(len(self.left) - len(domains))]
        state = "; ".join(
            f"{name} {' '.join(map(str, some))}"
            for name, some, domain in zip(
                names, self.left, [*domains, *[range(2)] * len(names)], strict=False
            )
            if len(some) < len(domain)
        )
        other = "backbone" if self.sound else other_name(self.claim)
        return (
            f"{rung_name(self.claim)}, {other}: {self._where(names)}\n{self.puzzle.draw()}\n"
            f"state: {state or 'start'}"
        )

    def _where(self, names: list[str]) -> str:
        sides = (("the ladder", self.ladder), ("the other", self.other))
        for who, left in sides:
            if left is None:
                return f"{who} alone sees a contradiction"
        assert self.ladder is not None and self.other is not None
        for name, mine, theirs in zip(names, self.ladder, self.other, strict=True):
            for v in sorted({*mine} ^ {*theirs}):
                return f"{'the other' if v in mine else 'the ladder'} alone rules out {name} = {v}"
        return "no difference"


@dataclass
class Tally:
    """What was seen of one claim."""

    boards: int = 0
    states: int = 0
    contradictions: int = 0
    removed: int = 0  # values, over all states without a contradiction
    differences: list[Difference] = field(default_factory=list)

    def add(self, left: Left, closure: Left | None) -> None:
        """Count one state."""
        self.states += 1
        if closure is None:
            self.contradictions += 1
        else:
            self.removed += sum(map(len, left)) - sum(map(len, closure))


def rung_name(claim: Correspondence) -> str:
    """The ladder's side in words."""
    return f"{Probe.name} over {claim.rung}" if claim.probing else claim.rung


def other_name(claim: Correspondence) -> str:
    """The side of the CNF in words."""
    kind = "failed literals" if claim.probing else "unit propagation"
    over = f" over {claim.helpers}" if claim.helpers and claim.probing else ""
    lacking = ", ".join(f"`{kind}`" for kind in claim.without)
    without = f" without {lacking}" if lacking else ""
    until = ", until all is settled" if claim.until_settled else ""
    return f"{kind}{over}, {'strong' if claim.strong else 'plain'} CNF{without}{until}"


class Bench:
    """One board with its ladder, its propagators and its backbone; a context manager."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Propagators are made when they are first asked for."""
        self.puzzle = puzzle
        self.ladder: Ladder = ladder(puzzle)
        rungs = {rung.name for rung in self.ladder.rungs}
        # A board can be too large for a rung.
        self.claims = [c for c in self.ladder.correspondences if c.rung in rungs]
        self.forms = (False, True) if _has_strong_form(puzzle) else (False,)
        self._made: dict[tuple[bool, tuple[str, ...], bool], Propagation] = {}
        self._backbone: Backbone | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Nothing is made yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the solvers' memory back."""
        self._stack.close()

    def propagation(
        self, strong: bool, without: tuple[str, ...] = (), helpers: bool = False
    ) -> Propagation:
        """The propagator on one form of the CNF, with the ladder's helper variables or without."""
        key = strong, without, helpers
        if key not in self._made:
            keys = self.ladder.helper_keys() if helpers else ()
            made = Propagation(self.puzzle, strong, without, keys)
            self._made[key] = self._stack.enter_context(made)
        return self._made[key]

    def unit(self, strong: bool, left: Left, budget: Budget | None = None) -> Left | None:
        """The closure by unit propagation."""
        return self.propagation(strong).unit(left)

    def failed(self, strong: bool, left: Left, budget: Budget | None = None) -> Left | None:
        """The closure by failed literals.

        Raises:
            OutOfBudget: time was up.
        """
        return self.propagation(strong).failed(left, budget=budget)

    def probing(self, rung: str, left: Left, budget: Budget | None = None) -> Left | None:
        """The closure by failed values over the rungs up to this one.

        Raises:
            OutOfBudget: time was up.
        """
        return closure.probing(self.ladder, rung, left, budget)

    def backbone(self, left: Left, budget: Budget | None = None) -> Left | None:
        """What is true within a state.

        Raises:
            OutOfBudget: time was up.
        """
        if self._backbone is None:
            self._backbone = self._stack.enter_context(Backbone(self.puzzle))
        return self._backbone.closure(left, budget)

    def sides(
        self, claim: Correspondence, left: Left, budget: Budget | None = None
    ) -> tuple[Left | None, Left | None]:
        """The closures of the ladder and of propagation, from a state as the claim has it.

        Raises:
            OutOfBudget: time was up, or the board is too large for the claim's form of the CNF.
        """
        other = self.propagation(claim.strong, claim.without, bool(claim.helpers))
        if claim.probing:
            mine = closure.probing(self.ladder, claim.rung, left, budget)
            return mine, other.failed(left, budget)
        return closure.up_to(self.ladder, claim.rung, left), other.unit(left)

    def check(
        self, left: Left, tallies: dict[Correspondence, Tally], budget: Budget | None = None
    ) -> int:
        """Put every claim to the test from one state; helper variables may follow in it.

        Gives how many could be tested: some boards are too large for some, or time is up.
        """
        tested = 0
        with suppress(OutOfBudget):
            truth = self.backbone(left[: len(self.puzzle.domains())], budget)
            for claim in self.claims:
                state = self.state_of(claim, left)
                with suppress(OutOfBudget):
                    mine, theirs = self.sides(claim, state, budget)
                    tally = tallies.setdefault(claim, Tally())
                    tally.add(state, mine)
                    tally.differences += self.differences(claim, state, mine, theirs, truth)
                    tested += 1
        return tested

    def state_of(self, claim: Correspondence, left: Left) -> Left:
        """A state with or without the helper variables, as the claim has it."""
        decisions = len(self.puzzle.domains())
        if not claim.helpers:
            return left[:decisions]
        missing = len(closure.domains(self.ladder)) - len(left)
        return [*left, *([0, 1] for _ in range(missing))]

    def differences(
        self,
        claim: Correspondence,
        left: Left,
        mine: Left | None,
        theirs: Left | None,
        truth: Left | None,
    ) -> Iterator[Difference]:
        """What is wrong with the two sides of a claim, given the backbone of the decisions."""
        settled = theirs is not None and all(len(some) == 1 for some in theirs)
        if mine != theirs and not (claim.until_settled and settled and mine is None):
            yield Difference(claim, self.puzzle, left, mine, theirs)
        decisions = len(self.puzzle.domains())
        # Where helper variables are known, the state may have fewer answers than its decisions.
        free = all(len(some) > 1 for some in left[decisions:])
        decided = None if mine is None else mine[:decisions]
        if free and not holds_all(decided, truth):
            yield Difference(claim, self.puzzle, left[:decisions], decided, truth, sound=True)


def _has_strong_form(puzzle: Puzzle) -> bool:
    """Whether the strong form is another than the plain one, if maybe out of reach."""
    try:
        return any(keys(False) != keys(True) for keys in (puzzle.rule_keys, puzzle.clue_keys))
    except OutOfReach:
        return True


def holds_all(left: Left | None, truth: Left | None) -> bool:
    """Whether a closure leaves every value of the backbone."""
    if left is None or truth is None:
        return truth is None
    return all({*some} <= {*more} for some, more in zip(truth, left, strict=True))


def boards(
    genre: str, count: int, largest: int | None = None, seed: int = 0
) -> Iterator[tuple[Puzzle, np.random.Generator]]:
    """Random boards of all sizes, half of them with random dials, each with its random numbers."""
    if largest is None:
        smallest = sample(genre, 1, 1).draw(generator(seed))
        largest = ladder(smallest.puzzle).side
    for index in range(count):
        rng = generator(seed, index)
        rows, cols = (int(k) for k in rng.integers(1, largest + 1, 2))
        usual = sample(genre, rows, cols)
        turned = {name: _turned(dial, rng) for name, dial in usual.DIALS.items()}
        drawn = sample(genre, rows, cols, turned) if index % 2 else usual
        yield _poorer(drawn.draw(rng).puzzle, rng), rng


def _turned(dial: Dial, rng: np.random.Generator) -> DialValue:
    """A dial at random: one of its names, or a number up to twice the usual one."""
    if isinstance(dial.usual, (bool, str)):
        return dial.choices[rng.integers(len(dial.choices))]
    least, most = (float(choice) for choice in dial.choices)
    value = rng.uniform(least, min(most, 2 * float(dial.usual) or most))
    return round(value) if isinstance(dial.usual, int) else value


def _poorer(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    """The board with a share of its clues taken away."""
    clues = sum(1 for _ in puzzle.weaker())
    for hidden in range(int(rng.choice([0.0, 0.0, 0.2, 0.6]) * clues)):
        k = int(rng.integers(clues - hidden))
        puzzle = next(islice(puzzle.weaker(), k, None))
    return puzzle


def states(board: Ladder, rng: np.random.Generator, count: int) -> Iterator[Left]:
    """The start, states along a solve, and states with values taken away at random."""
    start = closure.whole(board, board.start())
    yield start
    steps = [step.masks for step in trace(board, select(board), board.start())][:-1]
    for k in sorted(rng.permutation(len(steps))[:_STEPS].tolist()):
        yield closure.whole(board, steps[k])
    decisions = len(board.puzzle.domains())
    for _ in range(count):
        state = random_state(start[:decisions], rng)
        # Helper variables are all open in one half of the states, as they follow the decisions.
        share = rng.choice([0.0, 0.0, 0.05, 0.2])
        yield [*state, *([0] if rng.random() < share else some for some in start[decisions:])]


def random_state(left: Left, rng: np.random.Generator) -> Left:
    """Some variables set, some values of others taken away; none loses all."""
    share = rng.choice([0.02, 0.1, 0.3, 0.6])
    state = []
    for some in left:
        kept = [v for v in some if rng.random() >= share]
        if rng.random() < share:
            kept = [int(rng.choice(some))]
        state.append(kept or some)
    return state


def run(
    genre: str, count: int, largest: int | None = None, seed: int = 0, each: int = 4
) -> Iterator[dict[Correspondence, Tally]]:
    """Test the claims of a genre on random boards; yields the tallies after each board."""
    tallies: dict[Correspondence, Tally] = {}
    for puzzle, rng in boards(genre, count, largest, seed):
        with Bench(puzzle) as bench:
            for claim in bench.claims:
                tallies.setdefault(claim, Tally()).boards += 1
            for left in states(bench.ladder, rng, each):
                bench.check(left, tallies)
        yield tallies


def shrink(found: Difference) -> Difference:
    """A smaller one: clues and removed values taken back one by one while the sides differ.

    A board with other clues may have other helper variables, which then are all open.
    """
    decisions = len(found.puzzle.domains())
    for puzzle, left in chain(
        ((weaker, found.left[:decisions]) for weaker in found.puzzle.weaker()),
        ((found.puzzle, fuller) for fuller in _fuller(found.left, found.puzzle)),
    ):
        with Bench(puzzle) as bench:
            state = bench.state_of(found.claim, left)
            sides = bench.sides(found.claim, state)
            truth = bench.backbone(left[:decisions])
            for smaller in bench.differences(found.claim, state, *sides, truth):
                if smaller.sound == found.sound:
                    return shrink(smaller)
    return found


def _fuller(left: Left, puzzle: Puzzle) -> Iterator[Left]:
    """The states that have one value more."""
    domains = [*puzzle.domains(), *[range(2)] * len(left)]
    for i, (some, domain) in enumerate(zip(left, domains, strict=False)):
        for v in domain:
            if v not in some:
                yield [*left[:i], sorted([*some, v]), *left[i + 1 :]]
