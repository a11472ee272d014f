"""SAT as an engine, through any solver of PySAT: enumerate by blocking projected answers.

A `Sat` engine builds one solver per board. A `SharedSat` keeps one solver for all boards of a
shape: each clue's fragment stands in it under a selector, and a board is one assumption, which
implies the selectors of its clues. What blocks its answers holds under that assumption only, which
is given up afterwards, so that no board sees the blocking clauses of another.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Any

from pysat.solvers import NoSuchSolverError, Solver, SolverNames

from hashigo.counting import child
from hashigo.models.cnf import Encoding, encoding
from hashigo.models.puzzle import Answer, Clause, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget

DEFAULT = "glucose4"


def solver_names() -> list[str]:
    """Every solver that PySAT knows, by the longest of its names."""
    return sorted(names[-1] for names in _all_names())


def _all_names() -> list[tuple[str, ...]]:
    return [names for key, names in vars(SolverNames).items() if not key.startswith("_")]


class Sat:
    """A fresh solver for each board, fed from the shape's fragments."""

    def __init__(self, solver: str = DEFAULT, strong: bool = False) -> None:
        """Choose a PySAT solver, and the plain or the strong encoding.

        Raises:
            PuzzleError: PySAT has no solver of this name, or cannot start it.
        """
        if not any(solver in names for names in _all_names()):
            raise PuzzleError(
                f"no SAT solver {solver!r}; expected one of: {', '.join(solver_names())}"
            )
        self.solver = solver
        self.strong = strong
        self._interruptible = _interruptible(solver)

    @property
    def name(self) -> str:
        """`sat`, and the solver where it is not the usual one."""
        return "sat" if self.solver == DEFAULT else f"sat:{self.solver}"

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield distinct answers; see Engine."""
        if budget.seconds is not None and not self._interruptible:
            # Such a solver can only be stopped by ending its process.
            work = (self.solver, self.strong, puzzle, budget.answers)
            yield from child.stream(_list_answers, work, budget)
            return
        form = encoding(puzzle, self.strong)
        if self.solver in SolverNames.kissat404:
            yield from _enumerate_afresh(self.solver, form, form.clauses(puzzle), budget)
            return
        with Solver(name=self.solver, bootstrap_with=form.clauses(puzzle)) as solver:
            yield from _enumerate(solver, form, [], budget)


def _list_answers(solver: str, strong: bool, puzzle: Puzzle, limit: int) -> Iterator[Answer]:
    """The work of the child process."""
    return Sat(solver, strong).answers(puzzle, Budget(answers=limit))


def _interruptible(name: str) -> bool:
    try:
        with Solver(name=name) as solver:
            solver.interrupt()
    except NotImplementedError:
        return False
    except (NameError, AssertionError, NoSuchSolverError) as error:
        raise PuzzleError(f"PySAT cannot start the solver {name!r} here: {error}") from None
    return True


class SharedSat:
    """One solver per shape for many boards, which are told apart by assumptions."""

    _BOARDS = 500  # boards until a solver is made anew: each leaves a dead literal behind

    def __init__(self, solver: str = DEFAULT) -> None:
        """Choose a PySAT solver; one that takes assumptions and can be interrupted."""
        self.name = f"shared-sat:{solver}"
        self._solver_name = solver
        self._solver: Any = None
        self._form: Encoding | None = None
        self._boards = 0

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        """Yield distinct answers; see Engine."""
        form = encoding(puzzle)
        if form is not self._form or self._boards >= self._BOARDS:
            self._open(puzzle, form)
        self._boards += 1
        solver, known = self._solver, self._loaded
        board = form.x.helper(("board", self._boards))
        # One assumption that implies all selectors is one level for the solver to go back to.
        for key in puzzle.clue_keys():
            solver.add_clause([-board, known.get(key) or self._load(puzzle, form, key)])
        try:
            yield from _enumerate(solver, form, [board], budget, [-board])
        finally:
            # By now there may be another solver, with a board of this number.
            if solver is self._solver:
                solver.add_clause([-board])

    def _open(self, puzzle: Puzzle, form: Encoding) -> None:
        self.close()
        self._form = form
        self._boards = 0
        self._loaded: dict[object, int] = {}
        self._solver = Solver(name=self._solver_name)
        for key in form.rule_keys:
            self._solver.append_formula(form.fragment(puzzle, key))

    def _load(self, puzzle: Puzzle, form: Encoding, key: object) -> int:
        """Load the clauses of a clue that is new; gives the literal that switches it on."""
        selector = form.x.helper(("selector", key))
        self._loaded[key] = selector
        for clause in form.fragment(puzzle, key):
            self._solver.add_clause([-selector, *clause])
        return selector

    def close(self) -> None:
        """Give the solver's memory back."""
        if self._solver is not None:
            self._solver.delete()
            self._solver = None


def _enumerate_afresh(
    name: str, form: Encoding, clauses: list[Clause], budget: Budget
) -> Iterator[Answer]:
    """For a solver that can be asked only once: a new one for each answer."""
    while True:
        with Solver(name=name, bootstrap_with=clauses) as solver:
            if not solver.solve():
                return
            answer = form.x.decode(solver.get_model())
        yield answer
        budget.spend()
        clauses.append(form.x.block(answer))


def _enumerate(
    solver: Any,
    form: Encoding,
    assumptions: list[int],
    budget: Budget,
    under: Sequence[int] = (),
) -> Iterator[Answer]:
    """Solve, block the answer, and solve again; blocking clauses get the literals `under`."""
    with alarm(solver, budget) as limited:
        while True:
            if limited:
                found = solver.solve_limited(assumptions, expect_interrupt=True)
            else:
                found = solver.solve(assumptions)
            if found is None:
                raise budget.out_of_time()
            if not found:
                return
            answer = form.x.decode(solver.get_model())
            yield answer
            budget.spend()
            solver.add_clause([*under, *form.x.block(answer)])


@contextmanager
def alarm(solver: Any, budget: Budget) -> Iterator[bool]:
    """Interrupt the solver when time is up; gives whether there is such a limit."""
    left = budget.left()
    if left is None:
        yield False
        return
    timer = Timer(left, solver.interrupt)
    timer.start()
    try:
        yield True
    finally:
        timer.cancel()
        timer.join()
        solver.clear_interrupt()
