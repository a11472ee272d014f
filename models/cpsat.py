"""A puzzle as a CP-SAT model: the frame makes the variables, the genre posts its rules."""

from concurrent.futures import ThreadPoolExecutor

from ortools.sat.python.cp_model import (
    CpModel,
    CpSolver,
    CpSolverSolutionCallback,
    Domain,
    IntVar,
)
from ortools.sat.python.cp_model_helper import CpSolverStatus

from hashigo.models.puzzle import Left, Puzzle


def build(puzzle: Puzzle, left: Left | None = None) -> tuple[CpModel, list[IntVar]]:
    """The model, and its decision variables in canonical order; with the values left, if given."""
    model = CpModel()
    x = [
        model.new_int_var_from_domain(Domain.from_values(values), puzzle.variable_name(i))
        for i, values in enumerate(puzzle.domains() if left is None else left)
    ]
    puzzle.post(model, x)
    return model, x


def run(
    solver: CpSolver, model: CpModel, callback: CpSolverSolutionCallback | None = None
) -> CpSolverStatus:
    """Solve, in a thread, so that an interrupt from the keyboard is one.

    CP-SAT's own handler would take it for itself, and end as if time were up.
    """
    solver.parameters.catch_sigint_signal = False
    with ThreadPoolExecutor(max_workers=1) as pool:
        running = pool.submit(solver.solve, model, callback)
        try:
            return running.result()
        except KeyboardInterrupt:
            solver.stop_search()
            raise
