"""Closures: what SAT and CP-SAT leave of a state.

A state comes in, and a closure goes out, as the values left of each decision variable, to which a
`Propagation` may add helper variables. None stands for a contradiction. A state enters a SAT solver
as the negated literals of the values that are gone, assumed, so that one solver serves all states
of a board.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, Self

from ortools.sat.python import cp_model
from pysat.solvers import Solver

from hashigo.counting.sat import DEFAULT, alarm
from hashigo.models.cnf import encoding
from hashigo.models.cpsat import build, run
from hashigo.models.puzzle import Clause, Left, Puzzle
from hashigo.models.verdict import Budget, EngineFault

_PROPAGATOR = "minisat22"  # its `propagate` learns nothing, so that a state leaves no trace


class Propagation:
    """Unit propagation and failed-literal probing on one puzzle's CNF; a context manager.

    PySAT does not report what follows without assumptions. So that nothing does, every unit clause
    stands under one literal that is always assumed.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        strong: bool = False,
        without: Collection[str] = (),
        helpers: Sequence[Hashable] = (),
    ) -> None:
        """Load the plain or the strong form, without some kinds of fragments (Puzzle.fragment).

        The helper variables of these keys, with values 0 and 1, follow the decisions in each state.
        """
        form = encoding(puzzle, strong)
        self._x = form.x
        self._always = form.x.helper(("always",))
        clauses = _guarded(form.clauses(puzzle, without), self._always)
        self._solver: Any = Solver(name=_PROPAGATOR, bootstrap_with=clauses)
        self._helpers = [form.x.helper(key) for key in helpers]
        self._domains = [*form.x.domains, *[range(2)] * len(helpers)]

    def __enter__(self) -> Self:
        """The solver is loaded already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the solver's memory back."""
        self._solver.delete()

    def unit(self, left: Left) -> Left | None:
        """The closure by unit propagation."""
        implied = self._propagate(self._enter(left))
        return None if implied is None else self._still(left, implied)

    def failed(self, left: Left, budget: Budget | None = None) -> Left | None:
        """The closure by failed-literal probing: a literal that unit propagation refutes is false.

        Probed in turn, until none fails any more, are the literals of all values that are left, or
        where there are helper variables, those alone.

        Raises:
            OutOfBudget: time was up.
        """
        assumed = self._enter(left)
        implied = self._propagate(assumed)
        decisions = ((i, v) for i, some in enumerate(left) for v in some)
        probed = self._helpers or [self._value(i, v) for i, v in decisions]
        failing = True
        while failing and implied is not None:
            failing = False
            for literal in probed:
                if implied is None or literal in implied or -literal in implied:
                    continue
                if budget is not None:
                    budget.check()
                if not self._solver.propagate([*assumed, literal])[0]:
                    assumed.append(-literal)
                    implied = self._propagate(assumed)
                    failing = True
        return None if implied is None else self._still(left, implied)

    def _value(self, i: int, v: int) -> int:
        """The literal that says that a variable, maybe a helper, has a value."""
        first = len(self._x.domains)
        if i < first:
            return self._x.value(i, v)
        return self._helpers[i - first] if v else -self._helpers[i - first]

    def _enter(self, left: Left) -> Clause:
        """What is assumed in a state."""
        pairs = enumerate(zip(left, self._domains, strict=True))
        gone = [-self._value(i, v) for i, (some, d) in pairs for v in d if v not in some]
        return [self._always, *gone]

    def _propagate(self, assumed: Clause) -> set[int] | None:
        """Every literal that follows, or None for a conflict."""
        consistent, implied = self._solver.propagate(assumed)
        return set(implied) if consistent else None

    def _still(self, left: Left, implied: Collection[int]) -> Left:
        """The values that are left and not refuted."""
        return [
            [v for v in some if -self._value(i, v) not in implied] for i, some in enumerate(left)
        ]


def _guarded(clauses: Iterable[Clause], always: int) -> Iterator[Clause]:
    """The clauses, those of one literal or none under `always`."""
    for clause in clauses:
        plain = list(dict.fromkeys(clause))
        yield plain if len(plain) > 1 else [-always, *plain]


class Backbone:
    """All that is true within a state: the values that some answer within it has.

    One SAT call per value that no answer found before has, on one solver; a context manager.
    """

    def __init__(self, puzzle: Puzzle, solver: str = DEFAULT) -> None:
        """Load the plain form into a PySAT solver that takes assumptions."""
        form = encoding(puzzle)
        self._x = form.x
        self._solver: Any = Solver(name=solver, bootstrap_with=form.clauses(puzzle))

    def __enter__(self) -> Self:
        """The solver is loaded already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the solver's memory back."""
        self._solver.delete()

    def closure(self, left: Left, budget: Budget | None = None) -> Left | None:
        """The values of the answers within a state.

        Raises:
            OutOfBudget: time was up.
        """
        budget = budget or Budget()
        pairs = enumerate(zip(left, self._x.domains, strict=True))
        gone = [-self._x.value(i, v) for i, (some, d) in pairs for v in d if v not in some]
        seen: set[tuple[int, int]] = set()
        with alarm(self._solver, budget) as limited:
            if not self._solve(gone, limited, budget):
                return None
            seen.update(enumerate(self._x.decode(self._solver.get_model())))
            for i, v in [(i, v) for i, some in enumerate(left) for v in some]:
                value = self._x.value(i, v)
                if (i, v) not in seen and self._solve([*gone, value], limited, budget):
                    seen.update(enumerate(self._x.decode(self._solver.get_model())))
        return [[v for v in some if (i, v) in seen] for i, some in enumerate(left)]

    def _solve(self, assumed: Clause, limited: bool, budget: Budget) -> bool:
        if limited:
            found = self._solver.solve_limited(assumed, expect_interrupt=True)
        else:
            found = self._solver.solve(assumed)
        if found is None:
            raise budget.out_of_time()
        return bool(found)


def presolve(puzzle: Puzzle, left: Left, budget: Budget | None = None) -> Left | None:
    """What CP-SAT's presolve leaves, all answers kept.

    It does more than propagation (it probes, and finds cliques), within limits of its own.

    Raises:
        OutOfBudget: time was up.
        EngineFault: the model is invalid, or CP-SAT does not tell the domains.
    """
    if not all(left):
        return None
    model, x = build(puzzle, left)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.stop_after_presolve = True
    solver.parameters.keep_all_feasible_solutions_in_presolve = True
    solver.parameters.fill_tightened_domains_in_response = True
    if budget is not None and (seconds := budget.left()) is not None:
        solver.parameters.max_time_in_seconds = seconds or 1e-3
    status = run(solver, model)
    if status == cp_model.INFEASIBLE:
        return None
    if budget is not None:
        budget.check()
    tight = list(solver.response_proto.tightened_variables)
    if status == cp_model.MODEL_INVALID or len(tight) < len(x):
        raise EngineFault(f"cpsat: presolve does not tell its domains ({solver.status_name()})")
    domains = [cp_model.Domain.from_flat_intervals(list(proto.domain)) for proto in tight]
    found = [
        [v for v in some if domain.contains(v)] for some, domain in zip(left, domains, strict=False)
    ]
    return found if all(found) else None
