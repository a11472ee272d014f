"""A SAT engine fed from fragments that are kept, beside one whose clauses are built from scratch."""

from collections.abc import Callable, Iterator, Sequence

from bench.timing import Result, Row, seconds
from pysat.solvers import Solver

from hashigo.counting.sat import DEFAULT
from hashigo.models.cnf import Encoding
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget, Engine, decide


class _Scratch:
    """What `Sat` does, but for the fragments."""

    name = "scratch"

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        form = Encoding(puzzle, strong=False)
        with Solver(name=DEFAULT, bootstrap_with=form.clauses(puzzle)) as solver:
            while solver.solve():
                answer = form.x.decode(solver.get_model())
                yield answer
                solver.add_clause(form.x.block(answer))


def from_scratch(
    what: str,
    puzzles: Sequence[Puzzle],
    engine: Engine,
    forget: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """How much sooner an engine counts boards of one shape to two.

    `forget` clears what the genre itself keeps from board to board.
    """

    def ours() -> None:
        for puzzle in puzzles:
            decide(engine, puzzle, Budget(2))

    def scratch() -> None:
        for puzzle in puzzles:
            forget()
            decide(_Scratch(), puzzle, Budget(2))

    took, baseline = (seconds(work, 2) / len(puzzles) for work in (ours, scratch))
    yield Row(f"{what} by {engine.name}", took, baseline, "clauses built from scratch", 3)
