"""Proofs for certificates: made by SAT solvers, cut down to their core, checked by our own checker.

A solver is used once, for one formula, and its proof is believed only when the checker has passed
it. (Of PySAT's solvers that write proofs, those of maplesat are wrong, and so are those of
cadical300 used incrementally.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from pysat.solvers import Solver

from hashigo.counting import checker
from hashigo.counting.certificate import Statement, formula, variables
from hashigo.counting.sat import alarm
from hashigo.models.puzzle import Clause, Puzzle
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget

# Both can be interrupted; now one, now the other gives the shorter proof.
SOLVERS = ("glucose4", "maplecm")
_TRIM = 50_000  # lines; a longer proof is handed out as it is
_WORTH = 0.98  # a round of trimming that leaves more of the lines is the last


@dataclass(frozen=True)
class Refutation:
    """A DRUP proof that the checker has passed."""

    solver: str
    text: str
    lines: int
    lines_untrimmed: int


def prove(puzzle: Puzzle, budget: Budget, solvers: Sequence[str] = SOLVERS) -> Statement:
    """Find how many answers a puzzle has, none, one or several, with the proof of it.

    Raises:
        OutOfBudget: time was up first.
        EngineFault: an answer breaks the rules, or no solver gives a proof that the checker passes.
    """
    versions = {name: version(name) for name in ("hashigo", "python-sat")}
    answers: list[tuple[int, ...]] = []
    while len(answers) < 2:
        clauses, x = formula(puzzle, answers)
        found = refute(clauses, variables(clauses, x), budget, solvers)
        if isinstance(found, Refutation):
            made = {
                "versions": versions,
                "solver": found.solver,
                "lines": found.lines,
                "lines_untrimmed": found.lines_untrimmed,
            }
            return Statement(puzzle, tuple(answers), found.text, made)
        answer = x.decode(found)
        if not puzzle.accepts(answer):
            raise EngineFault(
                f"{solvers[0]} gives an answer that breaks the rules: "
                f"{puzzle.answer_line(answer)}\n{puzzle.draw(puzzle.fill(answer))}"
            )
        answers.append(answer)
    return Statement(
        puzzle, tuple(sorted(answers)), made={"versions": versions, "solver": solvers[0]}
    )


def refute(
    clauses: Sequence[Clause], top: int, budget: Budget, solvers: Sequence[str] = SOLVERS
) -> Refutation | list[int]:
    """The shortest proof that these solvers give, or a model of the formula.

    Args:
        clauses: the formula.
        top: its largest variable.
        budget: the limit of time; once there is a proof it is not exceeded for a shorter one.
        solvers: names of PySAT solvers that write proofs and can be interrupted.

    Raises:
        OutOfBudget: time was up before any was done.
        EngineFault: no solver's proof passes the checker.
    """
    if not all(clauses):
        return Refutation("no solver", "0\n", 1, 1)
    flat = checker.formula(clauses)
    proofs: list[Refutation] = []
    faults: list[str] = []
    for solver in solvers:
        try:
            model, lines = _solve(solver, clauses, budget)
        except OutOfBudget:
            if proofs:
                break
            raise
        if model is not None:
            return model
        try:
            proofs.append(_trim(solver, flat, top, lines, budget))
        except checker.ProofError as error:
            faults.append(f"{solver}: {error}")
    if not proofs:
        raise EngineFault("no solver's proof passes the checker: " + "; ".join(faults))
    return min(proofs, key=lambda proof: len(proof.text))


def _solve(
    name: str, clauses: Sequence[Clause], budget: Budget
) -> tuple[list[int] | None, list[str]]:
    """A model, or else the lines of a proof."""
    budget.spend()
    with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        with alarm(solver, budget) as limited:
            found = solver.solve_limited(expect_interrupt=True) if limited else solver.solve()
        if found is None:
            raise budget.out_of_time()
        return (solver.get_model() or [], []) if found else (None, solver.get_proof())


def _trim(
    solver: str, formula: checker.Lines, top: int, lines: list[str], budget: Budget
) -> Refutation:
    """Check a proof, and keep the lines that the empty clause rests on.

    What is left propagates along other ways, so that further rounds find more to leave out. They
    end with one that is not worth it, or when time is up.
    """
    # Some solvers stop as soon as unit propagation suffices.
    kept = lines if "0" in lines else [*lines, "0"]
    while True:
        text = "\n".join([*kept, ""])
        proof = checker.parse(text, top)
        if len(kept) > _TRIM or budget.left() == 0:
            checker.check(formula, proof)
            break
        needed = checker.core(formula, proof)
        if len(needed) > _WORTH * len(kept):
            break
        kept = [kept[k] for k in needed]
    return Refutation(solver, text, len(kept), len(lines))
