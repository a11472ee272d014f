"""Why a conclusion holds, by logic alone: the fewest rules and clues that already force it.

A rule or clue is a named group of clauses (Puzzle.group_name). A set of groups forces a conclusion
when with its negation it is unsatisfiable; a set from which none can go is a minimal unsatisfiable
subset. The smallest is found by implicit hitting sets: any such set hits the complement of every
satisfiable set of groups (Ignatiev, Previti, Liffiton, Marques-Silva, Smallest MUS extraction with
minimal hitting set dualization, CP 2015).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from pysat.examples.hitman import Hitman
from pysat.solvers import Solver

from hashigo.counting.sat import DEFAULT, alarm
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Puzzle
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget

Removed = Sequence[tuple[int, int]]  # (variable, value) pairs


class Cited(NamedTuple):
    """Rules and clues, by name, that force a conclusion, and none of which can go.

    `smallest` says that no smaller set forces it; else time was up before that was known.
    """

    names: tuple[str, ...]
    smallest: bool


class Groups:
    """The groups of one puzzle's plain CNF in one solver; a context manager."""

    def __init__(self, puzzle: Puzzle, solver: str = DEFAULT) -> None:
        """Load every group under a selector of its own; clauses without a name always hold."""
        self._puzzle = puzzle
        form = encoding(puzzle)
        self._x = form.x
        self._selectors: dict[str, int] = {}
        self._conclusions = 0
        self._solver: Any = Solver(name=solver)
        for key in form.keys(puzzle):
            name = puzzle.group_name(key)
            under = [-self._selector(name)] if name else []
            for clause in form.fragment(puzzle, key):
                self._solver.add_clause([*under, *clause])

    def __enter__(self) -> Self:
        """The solver is loaded already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the solver's memory back."""
        self._solver.delete()

    def _selector(self, name: str) -> int:
        if name not in self._selectors:
            self._selectors[name] = self._x.helper(("group", name))
        return self._selectors[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Every rule and clue of the puzzle."""
        return tuple(self._selectors)

    def force(self, names: Iterable[str], removed: Removed) -> bool:
        """Whether these rules and clues alone rule out all these values.

        Without any value: whether they contradict each other.
        """
        question = _Question(self, removed)
        return question.forced([self._selectors[name] for name in names])

    def cite(self, removed: Removed, budget: Budget) -> Cited:
        """The smallest set that rules out all these values; irreducible at least if time is short.

        Raises:
            EngineFault: not even all rules and clues rule them out.
            OutOfBudget: time was up before there was any set.
        """
        question = _Question(self, removed)
        with alarm(self._solver, budget):
            everything = list(self._selectors.values())
            if not question.forced(everything, budget):
                raise EngineFault(f"a step does not follow: {removed}\n{self._puzzle.draw()}")
            best = question.irreducible(question.core(), budget), False
            with suppress(OutOfBudget):
                for better in question.improve(best[0], everything, budget):
                    best = better
        chosen, smallest = best
        return Cited(tuple(n for n, s in self._selectors.items() if s in chosen), smallest)


class _Question:
    """Which selectors force one conclusion; its negation stands under a literal of its own."""

    def __init__(self, groups: Groups, removed: Removed) -> None:
        self._solver = groups._solver
        self._assumed: list[int] = []
        if removed:
            groups._conclusions += 1
            denied = groups._x.helper(("denied", groups._conclusions))
            values = (groups._x.value(i, v) for i, v in removed)
            self._solver.add_clause([-denied, *values])
            self._assumed = [denied]

    def forced(self, selectors: Iterable[int], budget: Budget | None = None) -> bool:
        """Whether the conclusion follows from these groups."""
        assumed = [*self._assumed, *selectors]
        if budget is None or budget.seconds is None:
            return not self._solver.solve(assumed)
        budget.check()
        found = self._solver.solve_limited(assumed, expect_interrupt=True)
        if found is None:
            raise budget.out_of_time()
        return not found

    def core(self) -> list[int]:
        """The groups that the last refutation used."""
        return [k for k in self._solver.get_core() or () if k not in self._assumed]

    def irreducible(self, selectors: list[int], budget: Budget) -> list[int]:
        """A subset from which none can go, by deletion; each refutation trims it further."""
        needed: list[int] = []
        while selectors:
            tried = selectors.pop()
            if self.forced([*needed, *selectors], budget):
                core = set(self.core())
                selectors = [k for k in selectors if k in core]
            else:
                needed.append(tried)
        return needed

    def improve(
        self, known: list[int], everything: list[int], budget: Budget
    ) -> Iterator[tuple[list[int], bool]]:
        """Smaller and smaller sets, and at last whether there is none smaller.

        Raises:
            OutOfBudget: time was up.
        """
        with Hitman(solver=DEFAULT, htype="sorted") as hitting:
            while True:
                chosen = list(hitting.get() or [])
                if len(chosen) >= len(known):
                    yield known, True
                    return
                # Not one set to hit but several that are disjoint, which spares rounds.
                while not self.forced(chosen, budget):
                    out = self._correction(chosen, everything, budget)
                    hitting.hit(out)
                    chosen = [*chosen, *out]
                found = self.irreducible(self.core(), budget)
                if len(found) < len(known):
                    known = found
                    yield known, False

    def _correction(self, chosen: list[int], everything: list[int], budget: Budget) -> list[int]:
        """The groups outside a maximal set that does not force the conclusion."""
        kept = list(chosen)
        out: list[int] = []
        for selector in everything:
            if selector not in chosen:
                (out if self.forced([*kept, selector], budget) else kept).append(selector)
        return out
