"""Model counters of others as second opinions: pyganak (exact) and pyapproxmc (an estimate).

Neither can be interrupted, so each runs in a process of its own, which is ended when time is up.
Both count answers: models of the plain encoding, projected to the decision variables.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec

from hashigo.counting import child
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Clause, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget

EPSILON, DELTA = 0.8, 0.2


def ganak(puzzle: Puzzle, budget: Budget) -> int:
    """The exact number of answers.

    Raises:
        OutOfBudget: time was up.
        PuzzleError: pyganak is not installed.
    """
    _need("pyganak")
    return _run(_ganak, puzzle, budget)


def approximate(puzzle: Puzzle, budget: Budget, seed: int = 1) -> int:
    """An estimate: within a factor of 1 + EPSILON with probability 1 - DELTA at least.

    Raises:
        OutOfBudget: time was up.
        PuzzleError: pyapproxmc is not installed.
    """
    _need("pyapproxmc")
    return _run(_approximate, puzzle, budget, seed)


def _need(package: str) -> None:
    if find_spec(package) is None:
        raise PuzzleError(f"{package} is not installed; expected: pip install 'hashigo[count]'")


def _run(work: Callable[..., Iterator[int]], puzzle: Puzzle, budget: Budget, *more: object) -> int:
    form = encoding(puzzle)
    arguments = (form.clauses(puzzle), list(form.x.decisions), *more)
    (count,) = child.stream(work, arguments, budget)
    return count


def _ganak(clauses: list[Clause], projection: list[int]) -> Iterator[int]:
    import pyganak

    counter = pyganak.Counter()
    counter.new_vars(len(projection))
    counter.add_clauses(clauses)
    counter.set_sampling_set(projection)
    yield int(counter.count())


def _approximate(clauses: list[Clause], projection: list[int], seed: int) -> Iterator[int]:
    import pyapproxmc

    counter = pyapproxmc.Counter(seed=seed, epsilon=EPSILON, delta=DELTA)
    counter.add_clauses(clauses)
    cells, hashes = counter.count(projection)
    yield int(cells) << int(hashes)
