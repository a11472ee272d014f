"""CP-SAT as an engine: enumerate the answers of the model of models/cpsat.py."""

from collections.abc import Iterator, Sequence

from ortools.sat.python import cp_model

from hashigo.models.cpsat import build, run
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget


class CpSat:
    """Enumeration by CP-SAT, one worker (its enumeration is sequential)."""

    name = "cpsat"

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield distinct answers; see Engine."""
        model, x = build(puzzle)
        solver = cp_model.CpSolver()
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 1
        if budget.seconds is not None:
            solver.parameters.max_time_in_seconds = budget.left() or 1e-3
        collector = _Collector(x, budget.answers)
        status = run(solver, model, collector)
        if status == cp_model.MODEL_INVALID:
            raise EngineFault(f"cpsat: invalid model\n{model.validate()}")
        yield from collector.found
        if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            if len(collector.found) >= budget.answers:
                raise OutOfBudget(f"limit of {budget.answers:,} answers")
            raise budget.out_of_time()


class _Collector(cp_model.CpSolverSolutionCallback):
    """Keeps distinct projected answers, and stops at the limit."""

    def __init__(self, x: Sequence[cp_model.IntVar], limit: int) -> None:
        super().__init__()
        self._x = x
        self._limit = limit
        self.found: dict[Answer, None] = {}

    def on_solution_callback(self) -> None:
        """Called by CP-SAT at each solution."""
        self.found[tuple(self.value(v) for v in self._x)] = None
        if len(self.found) >= self._limit:
            self.stop_search()
