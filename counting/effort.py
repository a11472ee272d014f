"""Effort: what it costs a solver to see that a puzzle has no answer but those that are given.

Such a refutation depends on the order of variables and clauses, so that it is made several times,
each in an order drawn from a seed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from ortools.sat.python import cp_model
from pysat.solvers import Solver

from hashigo.counting.sat import alarm
from hashigo.models.cnf import encoding
from hashigo.models.cpsat import build, run
from hashigo.models.puzzle import Answer, Clause, Puzzle
from hashigo.models.verdict import Budget, EngineFault

# Solvers that count what they do, and whose proofs are right (see the manual).
SOLVERS = ("glucose4", "cadical195", "maplechrono", "lingeling")


class SatEffort(NamedTuple):
    """One refutation by a SAT solver; `proof` is the number of clauses that its DRUP proof adds."""

    solver: str
    seed: int
    conflicts: int
    decisions: int
    propagations: int
    proof: int


class CpSatEffort(NamedTuple):
    """One refutation by CP-SAT, one worker."""

    seed: int
    branches: int
    conflicts: int


def refute(
    puzzle: Puzzle,
    answers: Sequence[Answer],
    seeds: Iterable[int],
    budget: Budget,
    solvers: Sequence[str] = SOLVERS,
) -> Iterator[SatEffort]:
    """Refute that there is another answer, with each solver and seed, on the plain CNF.

    The first solver is one that can be interrupted; the others follow when it was quick enough.

    Raises:
        OutOfBudget: time was up.
        EngineFault: there is another answer.
    """
    form = encoding(puzzle)
    clauses = [*form.clauses(puzzle), *(form.x.block(answer) for answer in answers)]
    for seed in seeds:
        mixed = shuffled(clauses, seed)
        for name in solvers:
            budget.check()
            with Solver(name=name, bootstrap_with=mixed, with_proof=True) as solver:
                if _solve(solver, budget):
                    raise EngineFault(f"{name}: there is another answer\n{puzzle.draw()}")
                stats = solver.accum_stats()
                proof = sum(not line.startswith("d") for line in solver.get_proof())
            yield SatEffort(
                name, seed, stats["conflicts"], stats["decisions"], stats["propagations"], proof
            )


def _solve(solver: Any, budget: Budget) -> bool:
    try:
        with alarm(solver, budget) as limited:
            found = solver.solve_limited(expect_interrupt=True) if limited else solver.solve()
    except NotImplementedError:  # it cannot be interrupted
        found = solver.solve()
    if found is None:
        raise budget.out_of_time()
    return bool(found)


def shuffled(clauses: Sequence[Clause], seed: int) -> list[Clause]:
    """The same formula with its variables renamed and its clauses in another order."""
    rng = np.random.default_rng(seed)
    top = max((abs(literal) for clause in clauses for literal in clause), default=0)
    names = [0, *(rng.permutation(top) + 1).tolist()]
    renamed = [[names[k] if k > 0 else -names[-k] for k in clause] for clause in clauses]
    return [renamed[k] for k in rng.permutation(len(renamed)).tolist()]


def refute_by_cpsat(
    puzzle: Puzzle, answers: Sequence[Answer], seed: int, budget: Budget
) -> CpSatEffort:
    """Refute by CP-SAT that there is another answer; the seed is its own.

    Raises:
        OutOfBudget: time was up.
        EngineFault: there is another answer.
    """
    model, x = build(puzzle)
    if answers:
        model.add_forbidden_assignments(x, answers)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    if (left := budget.left()) is not None:
        solver.parameters.max_time_in_seconds = left or 1e-3
    status = run(solver, model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise EngineFault(f"cpsat: there is another answer\n{puzzle.draw()}")
    if status != cp_model.INFEASIBLE:
        raise budget.out_of_time()
    return CpSatEffort(seed, solver.num_branches, solver.num_conflicts)
