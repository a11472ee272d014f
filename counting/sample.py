"""Random boards: what a genre says of drawing them, of their clues, and of changes to them.

A sample is a genre at one size, with its dials set. It draws an answer and the board that shows it,
and knows how to show more or less of that answer; grading and searching are for others.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hashigo.models import GENRES
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import require, require_size

DialValue = bool | int | float | str
Rng = np.random.Generator


class Drawn(NamedTuple):
    """A board and the answer that it was made from; it may have others."""

    puzzle: Any
    answer: Answer


class Change(NamedTuple):
    """A board with something changed, and what is told apart among changes of its kind."""

    puzzle: Any
    traits: tuple[str, ...] = ()


class Dial(NamedTuple):
    """A setting of how boards are drawn: its usual value, and which others there are.

    `choices` are names, or the least and the most of a number.
    """

    usual: DialValue
    choices: tuple[DialValue, ...]
    meaning: str

    def read(self, name: str, value: DialValue) -> DialValue:
        """The value in the type of the dial; text, as from a command line, is converted.

        Raises:
            PuzzleError: it is not one of the choices.
        """
        if isinstance(self.usual, (bool, str)):
            named = {str(choice).lower(): choice for choice in self.choices}
            found = named.get(str(value).lower())
            names = ", ".join(named)
            require(found is not None, f"dial {name}: {value!r} is not one of: {names}")
            assert found is not None
            return found
        least, most = (float(choice) for choice in self.choices)
        try:
            number = float(value)
        except ValueError:
            number = least - 1
        whole = isinstance(self.usual, int)
        fits = least <= number <= most and (not whole or number == int(number))
        kind = "a whole number" if whole else "a number"
        require(fits, f"dial {name}: {value!r} is not {kind} from {least:g} to {most:g}")
        return int(number) if whole else number


class Sample(ABC):
    """Random boards of one genre and size."""

    LARGEST: ClassVar[int]  # side of a board
    DIALS: ClassVar[Mapping[str, Dial]]
    COUNTS: ClassVar[Sequence[str]]  # what `counts` counts
    SILENT: ClassVar[Sequence[str]]  # the kinds of `silent`
    # The kinds of `changes`, and the traits by which those of a kind are told apart.
    CHANGES: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, name: str, rows: int, cols: int, dials: Mapping[str, DialValue]) -> None:
        """Set the dials, those that are not named to their usual values.

        Raises:
            PuzzleError: a dial is not known or out of its range, or the size is.
        """
        require_size(name, rows, cols, self.LARGEST)
        for key in dials:
            known = ", ".join(self.DIALS)
            require(key in self.DIALS, f"{name}: no dial {key!r}; expected one of: {known}")
        self.rows, self.cols = rows, cols
        self.dials = {
            key: dial.read(key, dials[key]) if key in dials else dial.usual
            for key, dial in self.DIALS.items()
        }

    def dials_for(self, grade: str | None) -> Mapping[str, DialValue]:
        """Dials with which boards of a grade are found, where with the usual ones hardly any are."""
        return {}

    @abstractmethod
    def draw(self, rng: Rng) -> Drawn:
        """An answer, and the board that shows as much of it as the dials say."""

    @abstractmethod
    def counts(self, drawn: Drawn) -> dict[str, int]:
        """How much there is of what on a board, by the names of COUNTS."""

    @abstractmethod
    def silent(self, drawn: Drawn) -> Iterator[tuple[str, Answer]]:
        """Second answers that can be read off the answer without a search, with their kind."""

    def ways(self, drawn: Drawn, kind: str) -> int:
        """How many changes of a kind there are."""
        raise KeyError(kind)

    def changes(self, drawn: Drawn, kind: str, rng: Rng) -> Iterator[Change]:
        """Every change of a kind, each once; some at random where they are too many."""
        raise KeyError(kind)

    def removable(self, puzzle: Any) -> list[Hashable]:
        """The clues that may be taken away when a board is made minimal."""
        return []

    def remove(self, puzzle: Any, clue: Any) -> Puzzle:
        """The board without one removable clue."""
        raise KeyError(clue)

    def more(self, drawn: Drawn, open_variables: Sequence[int], rng: Rng) -> Puzzle | None:
        """The board with one more clue on one of these variables; None where there is none."""
        return None

    def rule_out(self, drawn: Drawn, rivals: Sequence[Answer], rng: Rng) -> Puzzle | None:
        """A board of the same answer that has none of these others; None where there is none."""
        rival = rivals[-1]
        differ = [i for i, (a, b) in enumerate(zip(drawn.answer, rival, strict=True)) if a != b]
        return self.more(drawn, differ, rng)


def sample(name: str, rows: int, cols: int, dials: Mapping[str, DialValue] | None = None) -> Sample:
    """Random boards of a genre: each genre's stand in the file of its name in samples/.

    Raises:
        PuzzleError: no such genre or dial, or a value is out of range.
    """
    known = [genre.name for genre in GENRES]
    require(name in known, f"no genre {name!r}; expected one of: {', '.join(known)}")
    module = import_module(f"hashigo.counting.samples.{name}")
    made: Sample = module.make(name, rows, cols, dials or {})
    return made


def generator(seed: int, *key: int) -> Rng:
    """The random numbers of one board: a pure function of the seed and the board's index."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
