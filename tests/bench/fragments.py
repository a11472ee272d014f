"""A SAT engine fed from fragments that are kept, beside one whose clauses are built from scratch."""

from collections.abc import Iterator, Sequence

from bench.timing import Result, Row, seconds
from pysat.solvers import Solver

from hashigo.counting.sat import DEFAULT, Sat
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


def from_scratch(what: str, puzzles: Sequence[Puzzle], wanted: float = 3) -> Iterator[Result]:
    """How much sooner boards of one shape are counted to two."""

    def all_boards(engine: Engine) -> float:
        return seconds(lambda: [decide(engine, p, Budget(2)) for p in puzzles], 2) / len(puzzles)

    against = "clauses built from scratch"
    yield Row(f"{what} by SAT from fragments", all_boards(Sat()), all_boards(_Scratch()), against,
              wanted)  # fmt: skip
