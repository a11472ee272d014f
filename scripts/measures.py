"""What an experiment can measure on a board: each measure gives a few columns of the table."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from hashigo.counting.sample import Drawn, Rng, Sample
from hashigo.counting.sat import Sat
from hashigo.ladder.climb import climb
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import require
from hashigo.models.verdict import Budget, EngineFault, Status, Verdict, decide
from hashigo.scripts import making

_BRANCHES = 20_000  # branch points that are counted at most
_ANSWERS = 100_000  # that are enumerated at most
_CHANGES = "changes_"  # and then the kind: a measure of changed boards
_OUTCOMES = {Status.NONE: "none", Status.UNIQUE: "one", Status.MULTIPLE: "several"}

Columns = list[tuple[str, str]]


@dataclass(frozen=True)
class Subject:
    """The board in hand, and what more than one measure wants to know."""

    source: Sample
    drawn: Drawn
    rng: Rng

    @cached_property
    def grades(self) -> tuple[str | None, dict[str, float]]:
        """The grade, and per rung the share of variables settled."""
        return making.grades(self.drawn.puzzle)

    @cached_property
    def rungs(self) -> list[str]:
        """The names of all rungs."""
        return list(self.grades[1])

    @cached_property
    def unique(self) -> bool:
        """Whether the board has one answer, by search; SAT where that is too long.

        Raises:
            EngineFault: an engine saw that there is no further answer, and misses the drawn one.
        """
        return _to_two(*self.drawn).status == Status.UNIQUE


def _to_two(puzzle: Puzzle, answer: Answer) -> Verdict:
    """Up to two answers of a board that has this one.

    Raises:
        EngineFault: an engine saw that there is no further answer, and misses this one.
    """
    verdict = making.to_two(puzzle)
    if answer not in verdict.answers and verdict.complete:
        raise EngineFault(f"{verdict.engine} misses the answer\n{puzzle.draw()}")
    return verdict


def up_to(subject: Subject) -> list[Any]:
    """The grade, and whether the ladder up to each rung completes the board."""
    grade, settled = subject.grades
    names = list(settled)
    top = len(names) if grade is None else names.index(grade)
    return [grade, *(k >= top for k in range(len(names)))]


def settled(subject: Subject) -> list[Any]:
    """The share of variables with one value left after the fixpoint up to each rung."""
    return list(subject.grades[1].values())


def without(subject: Subject) -> list[Any]:
    """Whether the ladder completes the board with one rung left out."""
    board = ladder(subject.drawn.puzzle)
    return [climb(board, select(board, without=[name])).complete for name in subject.rungs]


def unique(subject: Subject) -> list[Any]:
    """Whether the board has one answer.

    Raises:
        EngineFault: the ladder completed a board that has another answer.
    """
    if subject.grades[0] is not None and not subject.unique:
        raise EngineFault(
            f"the ladder completes a board with another answer\n{subject.drawn.puzzle.draw()}"
        )
    return [subject.unique]


def gap(subject: Subject) -> list[Any]:
    """Whether the ladder completes the board below the probe, and with it; whether it is unique.

    For very many boards: the probe is asked only where the rungs below it do not complete the
    board, and a search only where the probe does not either.

    Raises:
        EngineFault: the ladder does not end in the drawn answer, or leaves it.
    """
    puzzle, answer = subject.drawn
    board = ladder(puzzle)
    end = climb(board, select(board, without=[Probe.name]))
    lower = end.complete
    if not lower:
        end = climb(board, select(board), end.masks)
    if end.complete:
        if board.answer(end.masks) != answer:
            raise EngineFault(f"the ladder misses the answer\n{puzzle.draw()}")
        return [lower, True, True]
    if end.contradiction:
        raise EngineFault(f"the ladder refutes a board that has an answer\n{puzzle.draw()}")
    return [False, False, subject.unique]


def count(subject: Subject) -> list[Any]:
    """The exact number of answers, by enumeration; nothing where there are too many."""
    verdict = decide(Sat(), subject.drawn.puzzle, Budget(_ANSWERS))
    return [verdict.count if verdict.complete else None]


def silent(subject: Subject) -> list[Any]:
    """How many second answers can be read off the answer, of each kind.

    Raises:
        EngineFault: one of them is no answer, or the board has one answer.
    """
    puzzle, answer = subject.drawn
    found = dict.fromkeys(subject.source.SILENT, 0)
    for kind, other in subject.source.silent(subject.drawn):
        found[kind] += 1
        if other == answer or not puzzle.accepts(other):
            raise EngineFault(f"silent {kind}: no second answer\n{puzzle.draw()}")
        if subject.unique:
            raise EngineFault(f"silent {kind} on a board called unique\n{puzzle.draw()}")
    return list(found.values())


def clues(subject: Subject) -> list[Any]:
    """How much there is of what on the board."""
    return list(subject.source.counts(subject.drawn).values())


def price(subject: Subject) -> list[Any]:
    """The clues that must be added for the ladder up to each rung, in a minimal board of them.

    Nothing for a rung up to which no number of clues completes the board.
    """
    prices: list[int | None] = []
    for name in subject.rungs:
        drawn = making.settle(subject.source, subject.drawn, name, subject.rng)
        if drawn is not None:
            drawn = making.minimise(subject.source, drawn, name, subject.rng)
        prices.append(len(subject.source.removable(drawn.puzzle)) if drawn else None)
    return prices


def branches(subject: Subject) -> list[Any]:
    """The branches of a search for two answers, its root among them, by the rungs that run.

    The search is complete where the board has one answer. Where it was cut short, its branches are
    only a lower bound.
    """
    found = []
    for name in subject.rungs:
        search = LadderSearch(name, without=())
        verdict = decide(search, subject.drawn.puzzle, Budget(2, nodes=_BRANCHES))
        found += [verdict.nodes, verdict.status == Status.UNKNOWN]
    return found


def changes(kind: str, subject: Subject) -> list[Any]:
    """How many changes of a kind there are, and of those tried how many keep the answer.

    Then for all of them, and for those of each trait: tried, with no answer, one, several.

    Raises:
        EngineFault: an engine misses the answer of a board that has kept it.
    """
    source, drawn = subject.source, subject.drawn
    kept = 0
    found: Counter[tuple[str, str]] = Counter()
    for puzzle, traits in source.changes(drawn, kind, subject.rng):
        keeps = puzzle.accepts(drawn.answer)
        verdict = _to_two(puzzle, drawn.answer) if keeps else making.to_two(puzzle)
        kept += keeps
        for trait in ("all", *traits):
            found[trait, "tried"] += 1
            found[trait, _OUTCOMES[verdict.status]] += 1
    counts = [found[trait, what] for trait, what in _told_apart(source, kind)]
    return [float(source.ways(drawn, kind)), kept, *counts]


def _told_apart(source: Sample, kind: str) -> list[tuple[str, str]]:
    outcomes = ("tried", *_OUTCOMES.values())
    return [(trait, what) for trait in ("all", *source.CHANGES[kind]) for what in outcomes]


Measure = Callable[[Subject], list[Any]]
MEASURES: dict[str, Measure] = {
    measure.__name__: measure
    for measure in (up_to, settled, without, unique, gap, count, silent, clues, price, branches)
}
_PER_RUNG = {
    "up_to": "BOOLEAN",
    "settled": "DOUBLE",
    "without": "BOOLEAN",
    "price": "INTEGER",
}


def find(name: str, source: Sample) -> Measure:
    """The measure of a name: one of MEASURES, or that of the changes of a kind.

    Raises:
        PuzzleError: there is none.
    """
    kinds = {_CHANGES + kind: kind for kind in source.CHANGES}
    if name in kinds:
        return partial(changes, kinds[name])
    known = ", ".join((*MEASURES, *kinds))
    require(name in MEASURES, f"no measure {name!r}; expected some of: {known}")
    return MEASURES[name]


def columns(name: str, source: Sample, drawn: Drawn) -> Columns:
    """The names and SQL types of the columns of a measure."""
    return list(_columns(name, source, drawn))


def _columns(name: str, source: Sample, drawn: Drawn) -> Iterator[tuple[str, str]]:
    if name == "up_to":
        yield "grade", "VARCHAR"
    if name.startswith(_CHANGES):
        kind = name.removeprefix(_CHANGES)
        yield f"{kind}_ways", "DOUBLE"
        yield f"{kind}_kept", "INTEGER"
        for trait, what in _told_apart(source, kind):
            yield f"{kind}_{trait}_{what}", "INTEGER"
    elif name in _PER_RUNG:
        for rung in select(ladder(drawn.puzzle)):
            yield f"{name}_{rung.name}", _PER_RUNG[name]
    elif name == branches.__name__:
        for rung in select(ladder(drawn.puzzle)):
            yield f"{name}_{rung.name}", "INTEGER"
            yield f"{name}_cut_{rung.name}", "BOOLEAN"
    elif name == "unique":
        yield "is_unique", "BOOLEAN"
    elif name == "gap":
        for what in ("lower", "complete", "unique"):
            yield f"gap_{what}", "BOOLEAN"
    elif name == "count":
        yield "answers", "HUGEINT"
    else:
        for kind in source.SILENT if name == "silent" else source.COUNTS:
            yield f"{name}_{kind.replace('-', '_')}", "INTEGER"
