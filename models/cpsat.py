"""A puzzle as a CP-SAT model: the frame makes the variables, the genre posts its rules."""

from ortools.sat.python.cp_model import CpModel, IntVar

from hashigo.models.puzzle import Puzzle


def build(puzzle: Puzzle) -> tuple[CpModel, list[IntVar]]:
    """The model, and its decision variables in canonical order."""
    model = CpModel()
    x = [
        model.new_int_var(domain[0], domain[-1], puzzle.variable_name(i))
        for i, domain in enumerate(puzzle.domains())
    ]
    puzzle.post(model, x)
    return model, x
