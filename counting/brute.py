"""Brute force as an engine: each genre lays its board straight from the rules (see its file)."""

from collections.abc import Iterator
from importlib import import_module

from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget


class Brute:
    """Enumeration that holds no candidates, no tables and no encoding."""

    name = "brute"

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield distinct answers; see Engine."""
        genre = import_module(f"hashigo.counting.{puzzle.name}")
        found: Iterator[Answer] = genre.lay(puzzle, budget)
        return found
