"""Many boards: does the grade of a board go with what it costs a solver?"""

from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import ladder
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Status
from hashigo.scripts.contrast import Contrast
from hashigo.scripts.extras import extra
from hashigo.scripts.making import BEYOND

MEASURE = "glucose4 conflicts"  # of the contingency table and the plot
CLASSES = ((0, "0"), (1, "1-9"), (10, "10-99"), (100, "100-999"), (1000, "1000 up"))
_RESAMPLES = 2000

Floats = NDArray[np.float64]


class Correlation(NamedTuple):
    """Spearman's rho between grade and a measure of effort, with a 95% interval.

    The interval is by bootstrap over the boards (percentiles); None where nothing varies. The
    boards that were not refuted in time are tied as the hardest.
    """

    measure: str
    boards: int
    late: int  # of them not refuted in time
    rho: float | None
    low: float | None
    high: float | None


class Crowd(NamedTuple):
    """Boards of one genre with one answer, each with the rank of its grade."""

    genre: str
    grades: tuple[str, ...]  # in order, the last is BEYOND
    ranks: tuple[int, ...]
    efforts: tuple[dict[str, float], ...]  # infinite where time was up
    seconds: float = 0.0  # that a refutation had
    ungraded: int = 0  # boards with one answer that are left out: no time to grade them
    undecided: int = 0  # boards that are left out: one answer or several?

    def classes(self) -> list[str]:
        """The names of the classes of effort, the hardest last."""
        return [*(name for _, name in CLASSES), f"not within {self.seconds:g} s"]

    def contingency(self) -> dict[str, list[int]]:
        """For each grade, boards by classes of effort."""
        starts = [*(least for least, _ in CLASSES), inf]
        counts: Counter[tuple[int, int]] = Counter()
        for rank, effort in zip(self.ranks, self.efforts, strict=True):
            if MEASURE in effort:
                counts[rank, sum(effort[MEASURE] >= least for least in starts) - 1] += 1
        return {
            grade: [counts[rank, k] for k in range(len(starts))]
            for rank, grade in enumerate(self.grades)
        }

    def correlations(self, seed: int = 0) -> list[Correlation]:
        """Spearman's rho of the grade with each measure."""
        measures = dict.fromkeys(name for effort in self.efforts for name in effort)
        return [self._correlation(measure, seed) for measure in measures]

    def _correlation(self, measure: str, seed: int) -> Correlation:
        pairs = [
            (rank, effort[measure])
            for rank, effort in zip(self.ranks, self.efforts, strict=True)
            if measure in effort
        ]
        x, y = np.array(pairs, dtype=float).reshape(-1, 2).T
        late = int(np.isinf(y).sum())
        (rho,) = spearman(x[None], y[None])
        drawn = np.random.default_rng(seed).integers(len(x), size=(_RESAMPLES, len(x)))
        others = spearman(x[drawn], y[drawn])
        others = others[~np.isnan(others)]
        if np.isnan(rho) or not others.size:
            return Correlation(measure, len(pairs), late, None, None, None)
        low, high = np.percentile(others, [2.5, 97.5])
        return Correlation(measure, len(pairs), late, float(rho), float(low), float(high))

    def data(self) -> dict[str, Any]:
        """The crowd as plain data."""
        return {
            "genre": self.genre,
            "boards": len(self.ranks),
            "ungraded": self.ungraded,
            "undecided": self.undecided,
            "measure": MEASURE,
            "classes": self.classes(),
            "contingency": self.contingency(),
            "spearman": [found._asdict() for found in self.correlations()],
        }


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rank correlation of each row, ties with their mean rank; NaN where none varies."""
    a, b = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (_ranks(x), _ranks(y)))
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    rho: Floats = np.divide((a * b).sum(axis=1), spread, where=spread > 0, out=spread * np.nan)
    return rho


def _ranks(rows: Floats) -> Floats:
    """The rank of each number in its row, ties with their mean rank."""
    numbers, places = np.unique(rows, return_inverse=True)
    places = places.reshape(rows.shape)
    counts = np.zeros((len(rows), len(numbers)))
    np.add.at(counts, (np.arange(len(rows))[:, None], places), 1)
    ranks: Floats = np.take_along_axis(counts.cumsum(axis=1) - (counts - 1) / 2, places, axis=1)
    return ranks


def crowds(contrasts: Sequence[Contrast]) -> list[Crowd]:
    """The boards with one answer, genre by genre; not those that there was no time to grade."""
    found = []
    for genre in dict.fromkeys(c.puzzle.name for c in contrasts):
        all_of_it = [c for c in contrasts if c.puzzle.name == genre]
        unique = [c for c in all_of_it if c.status == Status.UNIQUE]
        some = [c for c in unique if not c.ungraded]
        if len(some) < 2:
            continue
        names = [rung.name for rung in ladder(some[0].puzzle).rungs]
        grades = (*names, Probe.name, BEYOND)
        found.append(
            Crowd(
                genre,
                grades,
                tuple(grades.index(c.grade or BEYOND) for c in some),
                tuple(c.effort.typical() for c in some),
                some[0].effort.seconds,
                len(unique) - len(some),
                sum(c.status == Status.UNKNOWN for c in all_of_it),
            )
        )
    return found


def plot(found: Sequence[Crowd], path: Path) -> None:
    """Effort by grade, one panel per genre, each board a point.

    Raises:
        PuzzleError: matplotlib is not installed, or the file cannot be written.
    """
    figures = extra("matplotlib.figure", "plot", "a plot")
    figure = figures.Figure(figsize=(5 * max(1, len(found)), 4), layout="constrained")
    rng = np.random.default_rng(0)
    for panel, crowd in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
        ranks = np.array(crowd.ranks)
        effort = np.array([effort.get(MEASURE, np.nan) for effort in crowd.efforts])
        top = 2 * max(5, effort[np.isfinite(effort)].max(initial=0))
        if np.isinf(effort).any():
            panel.axhline(top, linestyle=":", linewidth=1)
            panel.text(-0.5, top, crowd.classes()[-1], size="small", verticalalignment="bottom")
        effort = effort.clip(max=top)
        panel.scatter(ranks + rng.uniform(-0.2, 0.2, len(ranks)), effort, s=10, alpha=0.5)
        for rank in sorted(set(crowd.ranks)):
            panel.hlines(np.nanmedian(effort[ranks == rank]), rank - 0.35, rank + 0.35)
        panel.set_xticks(range(len(crowd.grades)), crowd.grades)
        panel.set_xlim(-0.6, len(crowd.grades) - 0.4)
        panel.set_yscale("symlog", linthresh=1)
        panel.set_ylim(-0.5, 2 * top)
        panel.set_xlabel("grade")
        panel.set_ylabel(f"{MEASURE} (line: median)")
        panel.set_title(f"{crowd.genre}, {len(ranks)} boards")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise PuzzleError(f"{path}: {error}") from None
