"""Random Kropki boards: a Latin square, its labels read off, givens, hidden edges."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from hashigo.counting.sample import Dial, DialValue, Drawn, Rng, Sample
from hashigo.models.kernel import kernel
from hashigo.models.kropki import Convention, Kropki, Label, label_between
from hashigo.models.puzzle import Answer
from hashigo.models.reading import put

Square = NDArray[np.int64]
Pool = NDArray[np.int64]

_POOL = 4096  # random numbers at a time
_CODES = {Label.NONE: 0, Label.WHITE: 1, Label.BLACK: 2, Label.UNKNOWN: 3}


@kernel
def walk(cube: NDArray[np.int64], place: NDArray[np.int64], pool: Pool, visits: int) -> int:
    """Walk over the incidence cubes of Latin squares, until the pool of random numbers is short.

    `cube` is 1 where a row and column have a digit, and -1 at most at one place, which stands in
    `place` (first entry -1 where there is none, so that the square is proper). Gives how often the
    walk came to a proper square: at most `visits` times.
    """
    n = cube.shape[0]
    made = taken = 0
    ends = np.empty(3, np.int64)
    while made < visits:
        if taken + 64 > pool.shape[0]:
            return made
        proper = place[0] < 0
        if proper:
            at = pool[taken] % (n * n * n)
            taken += 1
            r, c, s = at // (n * n), at // n % n, at % n
            if cube[r, c, s] != 0:
                continue
        else:
            r, c, s = place[0], place[1], place[2]
        for axis in range(3):
            # Along each axis there is one 1, or two where the place itself is -1.
            skip = 0 if proper else pool[taken] >> 7 & 1
            taken += 1
            for k in range(n):
                if axis == 0:
                    entry = cube[k, c, s]
                elif axis == 1:
                    entry = cube[r, k, s]
                else:
                    entry = cube[r, c, k]
                if entry == 1:
                    if skip == 0:
                        ends[axis] = k
                        break
                    skip -= 1
        r2, c2, s2 = ends[0], ends[1], ends[2]
        cube[r, c, s] += 1
        cube[r, c2, s2] += 1
        cube[r2, c, s2] += 1
        cube[r2, c2, s] += 1
        cube[r2, c, s] -= 1
        cube[r, c2, s] -= 1
        cube[r, c, s2] -= 1
        cube[r2, c2, s2] -= 1
        if cube[r2, c2, s2] < 0:
            place[0], place[1], place[2] = r2, c2, s2
        else:
            place[0] = -1
            made += 1
    return made


def uniform_square(n: int, rng: Rng) -> Square:
    """A Latin square, as good as uniformly random: 4 n^2 proper squares on from the cyclic one.

    Jacobson and Matthews, Generating uniformly distributed random Latin squares, Journal of
    Combinatorial Designs 4 (1996). The visits to proper squares are uniform in the long run; the
    first proper square after a given number of moves is not.
    """
    cube = np.zeros((n, n, n), np.int64)
    index = np.arange(n)
    cube[index[:, None], index, (index[:, None] + index) % n] = 1
    place = np.full(3, -1, np.int64)
    visits = 4 * n * n if n > 1 else 0
    while visits:
        pool = rng.integers(0, 1 << 62, max(_POOL, 4 * n * visits), dtype=np.int64)
        visits -= walk(cube, place, pool, visits)
    square: Square = cube.argmax(axis=2) + 1
    return square


@kernel
def lay_rows(square: Square, pool: Pool, most: int) -> bool:
    """Fill a square row by row, each row by backtracking over digits in random order.

    Gives False where more than `most` digits were tried; the pool holds that many numbers and n.
    """
    n = square.shape[0]
    above = np.zeros(n, np.int64)
    left = np.zeros(n, np.int64)  # digits that a cell has not tried yet
    taken = 0
    for r in range(n):
        used = 0
        c = 0
        left[0] = ~above[0] & (1 << n) - 1
        while c < n:
            choices = left[c] & ~used
            count = 0
            mask = choices
            while mask:
                mask &= mask - 1
                count += 1
            if count == 0:
                c -= 1
                used &= ~(1 << square[r, c] - 1)
                continue
            if taken >= most:
                return False
            skip = pool[taken] % count
            taken += 1
            for _ in range(skip):
                choices &= choices - 1
            digit = choices & -choices
            left[c] &= ~digit
            used |= digit
            value = 0
            while digit >> value:
                value += 1
            square[r, c] = value
            c += 1
            if c < n:
                left[c] = ~above[c] & (1 << n) - 1
        for k in range(n):
            above[k] |= 1 << square[r, k] - 1
    return True


def square_by_rows(n: int, rng: Rng) -> Square:
    """A Latin square by randomised backtracking row by row, with a cap after which it restarts."""
    most = 50 * n * n
    square = np.zeros((n, n), np.int64)
    while not lay_rows(square, rng.integers(0, 1 << 62, most, dtype=np.int64), most):
        pass
    return square


@kernel
def fit_rows(square: Square, pool: Pool) -> bool:
    """Fill a square with whole random rows, each drawn again until it fits below the others.

    Gives False where the pool of random numbers was too short.
    """
    n = square.shape[0]
    above = np.zeros(n, np.int64)
    row = np.arange(1, n + 1)
    taken = 0
    r = 0
    while r < n:
        if taken + n > pool.shape[0]:
            return False
        fits = True
        for c in range(n):
            k = c + pool[taken] % (n - c)
            taken += 1
            row[c], row[k] = row[k], row[c]
            if above[c] >> row[c] & 1:
                fits = False
                break
        if fits:
            for c in range(n):
                square[r, c] = row[c]
                above[c] |= 1 << row[c]
            r += 1
    return True


def square_by_whole_rows(n: int, rng: Rng) -> Square:
    """A Latin square whose rows are drawn uniformly among those that fit below the others."""
    square = np.zeros((n, n), np.int64)
    while not fit_rows(square, rng.integers(0, 1 << 62, 1 << 16, dtype=np.int64)):
        pass
    return square


def shuffled_cyclic_square(n: int, rng: Rng) -> Square:
    """The cyclic square with rows, columns and digits in random order."""
    rows, cols, digits = (rng.permutation(n) for _ in range(3))
    shuffled: Square = digits[(rows[:, None] + cols) % n] + 1
    return shuffled


_SQUARES = {
    "uniform": uniform_square,
    "rows": square_by_rows,
    "whole-rows": square_by_whole_rows,
    "cyclic": shuffled_cyclic_square,
}


@kernel
def silent_intercalates(
    square: Square, right: Square, down: Square, given: Square, alike: Square
) -> NDArray[np.int64]:
    """Rows and columns (top, bottom, left, right) of the silent intercalates of an answer.

    `right` and `down` are 1 where an edge is visible; `alike[a, b]` has bit x where a and b have
    the same label beside x.
    """
    rows, cols = square.shape
    found = []
    for top in range(rows):
        for bottom in range(top + 1, rows):
            for first in range(cols):
                a, b = square[top, first], square[bottom, first]
                for last in range(first + 1, cols):
                    if square[top, last] != b or square[bottom, last] != a:
                        continue
                    good = True
                    for corner in range(4):
                        r = bottom if corner & 1 else top
                        c = last if corner & 2 else first
                        good &= given[r, c] == 0
                        for side in range(4):
                            r2, c2, seen = r, c, 0
                            if side == 0 and c + 1 < cols:
                                c2, seen = c + 1, right[r, c]
                            elif side == 1 and c > 0:
                                c2, seen = c - 1, right[r, c - 1]
                            elif side == 2 and r + 1 < rows:
                                r2, seen = r + 1, down[r, c]
                            elif side == 3 and r > 0:
                                r2, seen = r - 1, down[r - 1, c]
                            inside = r2 in (top, bottom) and c2 in (first, last)
                            if seen and not inside:
                                good &= alike[a, b] >> square[r2, c2] & 1 == 1
                    if good:
                        found.append((top, bottom, first, last))
    places = np.empty((len(found), 4), np.int64)
    for k in range(len(found)):
        for j in range(4):
            places[k, j] = found[k][j]
    return places


class KropkiSample(Sample):
    """Boards that show a random Latin square."""

    LARGEST: ClassVar[int] = 20  # as far as the rung `line` reaches
    DIALS: ClassVar[Mapping[str, Dial]] = {
        "square": Dial("uniform", tuple(_SQUARES), "how the Latin square is drawn"),
        "hidden": Dial(0.0, (0, 1), "share of the edges, drawn at random, that is made unknown"),
        "hide": Dial("share", ("share", "coin"), "just that share, or each edge by a coin"),
        "dots_only": Dial(False, (False, True), "every edge without a dot is made unknown"),
        "convention": Dial("either", ("either", "black"), "the dots that 1 and 2 may have"),
    }
    COUNTS: ClassVar[Sequence[str]] = ("givens", *(label.name.lower() for label in Label))
    SILENT: ClassVar[Sequence[str]] = ("intercalate",)

    def dials_for(self, grade: str | None) -> Mapping[str, DialValue]:
        """Boards under 9x9 need their hardest rung only where edges are unknown."""
        side = max(self.rows, self.cols)
        if grade != "probe" or side > 8:
            return {}
        return {"hidden": 0.5 if side < 7 else 0.4}

    def draw(self, rng: Rng) -> Drawn:
        """A square of the longer side, cut to the board."""
        square = _SQUARES[str(self.dials["square"])](max(self.rows, self.cols), rng)
        answer = tuple(square[: self.rows, : self.cols].ravel().tolist())
        convention = cast(Convention, self.dials["convention"])
        puzzle = Kropki.from_answer(self.rows, self.cols, answer, convention)
        if not (self.dials["dots_only"] or self.dials["hidden"]):
            return Drawn(puzzle, answer)
        labels = list(puzzle.labels)
        if self.dials["dots_only"]:
            labels = [Label.UNKNOWN if label == Label.NONE else label for label in labels]
        chance = float(self.dials["hidden"])
        hidden = round(chance * len(labels))
        if self.dials["hide"] == "coin":
            hidden = int(rng.binomial(len(labels), chance))
        for k in rng.permutation(len(labels))[:hidden]:
            labels[k] = Label.UNKNOWN
        return Drawn(replace(puzzle, labels=tuple(labels)), answer)

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """Givens, and edges by what they show."""
        puzzle: Kropki = drawn.puzzle
        shown = sum(given is not None for given in puzzle.givens)
        return {"givens": shown} | {
            label.name.lower(): puzzle.labels.count(label) for label in Label
        }

    def silent(self, drawn: Drawn) -> Iterator[tuple[str, Answer]]:
        """Two digits exchanged in two rows and columns, where no visible edge notices."""
        puzzle: Kropki = drawn.puzzle
        rows, cols, answer = puzzle.rows, puzzle.cols, drawn.answer
        seen = np.array([label != Label.UNKNOWN for label in puzzle.labels], np.int64)
        split = rows * (cols - 1)
        places = silent_intercalates(
            np.array(answer, np.int64).reshape(rows, cols),
            seen[:split].reshape(rows, cols - 1),
            seen[split:].reshape(rows - 1, cols),
            np.array([given is not None for given in puzzle.givens], np.int64).reshape(rows, cols),
            _alike(puzzle.digits),
        )
        for top, bottom, first, last in places.tolist():
            changed = list(answer)
            for one, other in ((top, bottom), (bottom, top)):
                for c in (first, last):
                    changed[one * cols + c] = answer[other * cols + c]
            yield "intercalate", tuple(changed)

    def removable(self, puzzle: Kropki) -> list[Hashable]:
        """The cells of the givens."""
        return [i for i, given in enumerate(puzzle.givens) if given is not None]

    def remove(self, puzzle: Kropki, clue: int) -> Kropki:
        """One given less."""
        return replace(puzzle, givens=put(puzzle.givens, clue, None))

    def more(self, drawn: Drawn, open_variables: Sequence[int], rng: Rng) -> Kropki | None:
        """One of the cells is given."""
        if not open_variables:
            return None
        i = int(rng.choice(open_variables))
        puzzle: Kropki = drawn.puzzle
        return replace(puzzle, givens=put(puzzle.givens, i, drawn.answer[i]))


make = KropkiSample


def _alike(digits: int) -> NDArray[np.int64]:
    """For two digits, the set of digits beside which both have the same label."""
    alike: NDArray[Any] = np.zeros((digits + 1, digits + 1), np.int64)
    for a in range(1, digits + 1):
        for b in range(1, digits + 1):
            same = (x for x in range(1, digits + 1) if label_between(a, x) == label_between(b, x))
            alike[a, b] = sum(1 << x for x in same)
    return alike
