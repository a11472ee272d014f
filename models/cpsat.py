"""A puzzle as a CP-SAT model: the frame makes the variables, the genre posts its rules."""

from ortools.sat.python.cp_model import CpModel, Domain, IntVar

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
