"""What the shared tests run over: every genre, with its boards module of the same name."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from pysat.solvers import Solver

from hashigo.counting.brute import Brute
from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat, SharedSat
from hashigo.ladder.search import LadderSearch
from hashigo.models import GENRES
from hashigo.models.puzzle import Answer, Clause, Puzzle
from hashigo.models.verdict import Budget, Engine, Verdict, decide

NAMES = [genre.name for genre in GENRES]
SHARED = Path(__file__).parents[2] / "shared"


def boards(name: str) -> Any:
    """The boards module of a genre."""
    return import_module(f"boards.{name}")


def engines() -> list[Engine]:
    """One of each engine."""
    return [CpSat(), Sat(), SharedSat(), Sat(strong=True), LadderSearch(), Brute()]


def all_answers(puzzle: Puzzle, engine: Engine | None = None, limit: int = 10**6) -> Verdict:
    """Every answer."""
    verdict = decide(engine or Sat(), puzzle, Budget(limit))
    assert verdict.complete
    return verdict


def random_boards(name: str, count: int, seed: int = 0) -> Iterator[Puzzle]:
    """Random boards of a genre, the same on every run."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        board: Puzzle = boards(name).random_board(rng)
        yield board


def plain_answers(puzzle: Puzzle) -> list[Answer]:
    """Every assignment of the domains that the judge accepts."""
    from itertools import product

    return [a for a in product(*puzzle.domains()) if puzzle.accepts(a)]


def propagate(clauses: list[Clause], assumed: list[int]) -> set[int] | None:
    """All literals that unit propagation reaches; None for a conflict.

    PySAT leaves out what follows without assumptions, so unit clauses are assumed as well.
    """
    units = [clause[0] for clause in clauses if len(clause) == 1]
    longer = [clause for clause in clauses if len(clause) > 1]
    if any(not clause for clause in clauses):
        return None
    literals = list(dict.fromkeys([*units, *assumed]))
    if any(-literal in literals for literal in literals):
        return None
    with Solver(name="minisat22", bootstrap_with=longer) as solver:
        consistent, implied = solver.propagate(assumptions=literals)
    return {*implied, *literals} if consistent else None
