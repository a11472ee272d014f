"""Verdicts: what an engine may say of a puzzle, and what several engines say together.

An engine answers one question: how many answers has this puzzle, up to a limit? It is a name and an
enumerator. `decide` drains the enumerator into a verdict, and checks each answer against the rules;
`reconcile` holds the verdicts of several engines against each other.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import PuzzleError


class Status(StrEnum):
    """How many answers: one, several, none, or not known."""

    UNIQUE = "UNIQUE"
    MULTIPLE = "MULTIPLE"
    NONE = "NONE"
    UNKNOWN = "UNKNOWN"


class OutOfBudget(Exception):
    """An engine met a limit before it was done; the message says which."""


class OutOfReach(OutOfBudget, PuzzleError):
    """A board too large for the memory of an engine, or of a form that somebody asked for."""


class EngineFault(Exception):
    """An engine contradicts the rules or another engine: always a defect, never the puzzle's."""


@dataclass
class Budget:
    """What an engine may spend: answers to find, seconds of wall time, search nodes."""

    answers: int = 2
    seconds: float | None = None
    nodes: int | None = None
    spent: int = field(default=0, init=False)
    _start: float = field(default_factory=time.monotonic, init=False)

    def spend(self) -> None:
        """Count one node.

        Raises:
            OutOfBudget: the limit of nodes or of time is met.
        """
        self.spent += 1
        if self.nodes is not None and self.spent > self.nodes:
            raise OutOfBudget(f"limit of {self.nodes:,} nodes")
        self.check()

    def check(self) -> None:
        """Look at the clock.

        Raises:
            OutOfBudget: time is up.
        """
        if self.seconds is not None and self.elapsed() > self.seconds:
            raise self.out_of_time()

    def elapsed(self) -> float:
        """Seconds since the budget was made."""
        return time.monotonic() - self._start

    def left(self) -> float | None:
        """Seconds left, at least 0, or None where there is no limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed())

    def out_of_time(self) -> OutOfBudget:
        """The exception that says that time is up."""
        return OutOfBudget(f"limit of {self.seconds:g} s")


class Engine(Protocol):
    """Enumerates distinct answers of a puzzle."""

    @property
    def name(self) -> str:
        """How the engine is called on the command line."""
        ...

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield answers until there is none left.

        An engine may stop after `budget.answers` of them.

        Raises:
            OutOfBudget: a limit was met before all were found.
        """
        ...


@dataclass(frozen=True)
class Verdict:
    """What one engine found.

    `answers` are distinct and in ascending order. When `complete`, there are no others; else the
    number of answers is only a lower bound, and `why` says what cut the search short.
    """

    engine: str
    answers: tuple[Answer, ...]
    complete: bool
    seconds: float
    nodes: int = 0
    why: str = ""

    @property
    def count(self) -> int:
        """Number of answers found."""
        return len(self.answers)

    @property
    def status(self) -> Status:
        """UNIQUE and NONE only when the engine saw that there is no further answer."""
        return _status(self.count, self.complete)


def _status(count: int, complete: bool) -> Status:
    if count > 1:
        return Status.MULTIPLE
    if not complete:
        return Status.UNKNOWN
    return Status.UNIQUE if count else Status.NONE


def decide(engine: Engine, puzzle: Puzzle, budget: Budget) -> Verdict:
    """Run an engine up to its budget.

    Raises:
        EngineFault: an answer breaks the rules.
    """
    found: set[Answer] = set()
    complete, why = True, ""
    try:
        for answer in engine.answers(puzzle, budget):
            if not puzzle.accepts(answer):
                raise EngineFault(
                    f"{engine.name} gives an answer that breaks the rules: "
                    f"{puzzle.answer_line(answer)}\n{puzzle.draw(puzzle.fill(answer))}"
                )
            found.add(answer)
            if len(found) >= budget.answers:
                complete, why = False, f"limit of {budget.answers:,} answers"
                break
    except OutOfBudget as stop:
        complete, why = False, str(stop)
    return Verdict(engine.name, tuple(sorted(found)), complete, budget.elapsed(), budget.spent, why)


def reconcile(puzzle: Puzzle, verdicts: Sequence[Verdict]) -> Status:
    """The status that several engines give together.

    Raises:
        EngineFault: two of them cannot both be right; the message shows the board.
    """
    whole = [verdict for verdict in verdicts if verdict.complete]
    for full in whole:
        for other in verdicts:
            stray = set(other.answers) - set(full.answers)
            missed = set(full.answers) - set(other.answers) if other.complete else set()
            if stray or missed:
                answer = min(stray or missed)
                says, denies = (other, full) if stray else (full, other)
                raise EngineFault(
                    f"{says.engine} gives an answer that {denies.engine} rules out: "
                    f"{puzzle.answer_line(answer)}\n{puzzle.draw()}"
                )
    if whole:
        return whole[0].status
    return _status(len({a for verdict in verdicts for a in verdict.answers}), complete=False)
