"""Nawabari: claims that are settled by other means than a table of boards."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

from hashigo.counting import dissection
from hashigo.counting.census import census, traits
from hashigo.counting.random_dissection import Sampler
from hashigo.counting.sample import Drawn, generator, sample
from hashigo.ladder.climb import climb
from hashigo.ladder.rung import ladder
from hashigo.ladder.search import LadderSearch
from hashigo.models import walls
from hashigo.models.grid import Grid
from hashigo.models.nawabari import Nawabari, Number
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget, Status, decide
from hashigo.scripts import making
from hashigo.scripts.claim import BAD, Check, Claim, Effort, Line
from hashigo.scripts.claims.engines import alike
from hashigo.scripts.claims.readings.nawabari import dots_only, misreadings


def _exact(claim: Claim, what: str, theirs: object, ours: object) -> Line:
    return Line(claim.id, what, _said(theirs), _said(ours), "exact" if ours == theirs else BAD)


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def squares(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The counts of the table, and every further term that is published."""
    terms = [int(term) for term in claim.data["further"].partition(": ")[2].split(", ")]
    for n, count, _ in claim.data["rows"]:
        yield _exact(claim, f"{n} x {n}", int(count), dissection.count(n, n))
    ours = [dissection.count(n, n) if n else 1 for n in range(len(terms))]
    met = sum(a == b for a, b in zip(ours, terms, strict=True))
    yield _exact(claim, "published terms met", len(terms), met)


def series(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The sequences of boards of few rows."""
    for rows, terms in claim.data["series"]:
        ours = [dissection.count(rows, k) for k in range(1, len(terms) + 1)]
        yield _exact(claim, f"{rows} x n", terms, ours)


def vertex_law(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Every set of walls, by its lattice points and by the judge without a number."""
    for rows, cols in ((3, 3), (2, 5), (3, 4))[: 1 if effort.quick else 3]:
        grid = Grid(rows, cols)
        blank = Nawabari(rows, cols, (None,) * (rows * cols))
        differ = survivors = 0
        for drawn in product((0, 1), repeat=len(grid.borders())):
            legal = all(_legal(*(drawn[k] for k in point)) for point in grid.crossings())
            codes = {violation.code for violation in blank.violations(drawn)}
            rooms = walls.rooms(grid, drawn)
            divides = all(
                not wall or rooms[a] != rooms[b]
                for (a, b), wall in zip(grid.borders(), drawn, strict=True)
            )
            survivors += legal
            differ += legal != ("bkNotRect" not in codes and divides)
        yield _exact(claim, f"{rows}x{cols}: disagreements", 0, differ)
        yield _exact(claim, f"{rows}x{cols}: survivors", dissection.count(rows, cols), survivors)


def _legal(up: int, right: int, down: int, left: int) -> bool:
    return (up, right, down, left).count(1) > 2 or (up == down and right == left and up + right < 2)


def alphabet(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Every cell with every rectangle that can hold it."""
    areas: dict[int, list[int]] = {k: [] for k in range(5)}
    for top, left in product(range(6), range(6)):
        for bottom, right in product(range(top, 6), range(left, 6)):
            for r, c in product(range(top, bottom + 1), range(left, right + 1)):
                number = (r == top) + (r == bottom) + (c == left) + (c == right)
                areas[number].append((bottom - top + 1) * (right - left + 1))
    for row in claim.data["rows"]:
        found = areas[row[0]]
        ours = [row[0], len(found), len(set(found)), min(found), max(found)]
        yield _exact(claim, f"number {row[0]}", row, ours)


def unprintable_small(claim: Claim, effort: Effort) -> Iterator[Line]:
    """The full census of small boards."""
    for row in claim.data["rows"]:
        found = census(*map(int, row[0].split("x")), full=True)
        ours = [row[0], found.dissections, found.legal, found.unique, len(found.unprintable)]
        yield _exact(claim, row[0], row, ours)
    for key, rows, first in (
        ("series_legal_1xn", 1, 1),
        ("series_unique_1xn", 1, 1),
        ("series_unique_2xn_from_n2", 2, 2),
    ):
        terms = claim.data[key]
        taken = [census(rows, n, full=True) for n in range(first, first + len(terms))]
        ours = [each.legal if "legal" in key else each.unique for each in taken]
        yield _exact(claim, key.replace("_", " "), terms, ours)


def unprintable(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Dissections that no placement makes unique, and what they share."""
    for board, count, theirs in claim.data["rows"]:
        if effort.quick and count > 10**6:
            continue
        rows, cols = map(int, board.split("x"))
        found = census(rows, cols, jobs=effort.jobs)
        ours = [board, found.dissections, len(found.unprintable)]
        yield _exact(claim, board, [board, count, theirs], ours)
        shared = traits(rows, cols, found.unprintable)
        pair = [shared.strips_only, shared.domino_pair]
        if board == "4x4":
            yield _exact(claim, "4x4: rooms", {6: 12}, dict(shared.rooms))
            yield _exact(claim, "4x4: strips only, domino pair", [12, 12], pair)
        if board == "4x5":
            yield _exact(claim, "4x5: strips only, domino pair", [247, 260], pair)


def sampler(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Each of the dissections of 3x4 has one rank."""
    table = Sampler(3, 4)
    drawn = {table.unrank(rank) for rank in range(table.total)}
    yield _exact(claim, "3x4: ranks, dissections drawn", [3164, 3164], [table.total, len(drawn)])


def engines(claim: Claim, effort: Effort) -> Iterator[Line]:
    """On boards of 3x4 and 4x4."""

    def draw(k: int) -> Drawn:
        return sample(Nawabari.name, 3 + k % 2, 4).draw(generator(35, k))

    yield from alike(claim, "alike", draw, effort.scaled(240), limit=10_000)
    boards = effort.scaled(100)
    drawn = [sample(Nawabari.name, 6, 6).draw(generator(38, k)) for k in range(boards)]
    broken = sum(_refuted(puzzle, answer) for puzzle, answer in drawn)
    yield Line(claim.id, "no rung contradicts an answer", "always",
               f"{boards:,} boards, {broken} exceptions", BAD if broken else "holds")  # fmt: skip


def _refuted(puzzle: Puzzle, answer: Answer) -> bool:
    board = ladder(puzzle)
    return climb(board, masks=board.settled(answer)).contradiction


# On boards with one answer


@cache
def _boards(n: int) -> list[Drawn]:
    """36 boards of a size."""
    wish = making.Wish(Nawabari.name, n, n, seed=63)
    made = [making.make(wish, index).drawn for index in range(36)]
    return [drawn for drawn in made if drawn is not None]


def strewn(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Numbers at random cells, evenly or with the shares that boards with one answer have."""
    for n, count, values, *theirs in claim.data["rows"]:
        bank = [k for drawn in _boards(n) for k in drawn.puzzle.numbers if k is not None]
        found: Counter[str] = Counter()
        for index in range(effort.scaled(400)):
            rng = generator(37, n, index)
            numbers: list[Number] = [None] * (n * n)
            for i in rng.permutation(n * n)[:count]:
                even = int(rng.integers(0, 5))
                numbers[i] = even if values == "uniform" else bank[rng.integers(len(bank))]
            found[decide(LadderSearch(), Nawabari(n, n, tuple(numbers)), Budget(2)).status] += 1
        ours = [found[s] for s in (Status.NONE, Status.UNIQUE, Status.MULTIPLE)]
        yield Line(claim.id, f"{n}x{n}, {values}: none, one, several", str(theirs), str(ours),
                   "bank")  # fmt: skip


CHECKS: dict[str, Check] = {
    "nawabari-rectangle-dissections-square": squares,
    "nawabari-rectangle-dissections-rows": series,
    "nawabari-vertex-law": vertex_law,
    "nawabari-alphabet": alphabet,
    "nawabari-unprintable-small": unprintable_small,
    "nawabari-unprintable": unprintable,
    "nawabari-sampler": sampler,
    "nawabari-engines": engines,
    "nawabari-random-numbers": strewn,
    "nawabari-dots-only": dots_only,
    "nawabari-misreadings": misreadings,
}
