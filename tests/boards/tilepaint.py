"""Tilepaint boards for the shared tests, and plain-Python twins of its rungs."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from hashigo.counting.sample import Drawn
from hashigo.models import codec
from hashigo.models.grid import Grid
from hashigo.models.tilepaint import Inner, Number, Tilepaint

URLS = [
    "tilepaint/6/6/mfttf5ovqrrvzv234232243331",
    "tilepaint/8/8/kgvfn6rjvk4gjeffvvoncrvgu..k..g0.u3.k..x41246271.2215.58",
    "tilepaint/7/6/qf7pef50s0vrjofzl2.j..p36.06.64.5337",
    "tilepaint/2/2/00j..../",
    "tilepaint/2/2/go=1112i..1./",
    "tilepaint/2/2/go-.12i..1./",
    "tilepaint/2/2/go+123i..1./",
    "tilepaint/2/17/00000000000zt-11-1022222222222222222",
    "tilepaint/17/2/00000000000zt22222222222222222-11-10",
    "tilepaint/1/1/..../",
    "tilepaint/1/1/g1./",
]

# A filled-in board for each rule code, as a file or as JSON.
_FILE = (
    "pzprv3/tilepaint/3/3/3/0 0 1 /0 . 1 /2 2 2 /"
    "0 2 -1 3 /2 . . . /1 . 1,1 . /3 . . . /"
)  # fmt: skip
_JSON = (
    '{"genre": "tilepaint", "rows": 1, "cols": 3, "rooms": [[5, 5, 5]], "row_clues": [3], '
    '"col_clues": [null, null, 1], "answer": '
)
FAILING = [
    ("brNoShade", "pzprv3/tilepaint/6/6"),
    ("brNoShade", _FILE + ". + - /. . . /. . . /"),
    ("bkMixed", _FILE + "# # . /# . . /# . . /"),
    ("asShadeNe", _FILE + "# # . /# . . /. . . /"),
    ("asShadeNe", _FILE + "# # # /# . # /# # # /"),
    ("bkMixed", _JSON + '["##."]}'),
    (None, _JSON + '["###"]}'),
    (None, "pzprv3/tilepaint/2/2/2/0 0 /1 1 /0 1 -1 /2 . . /-1 . . /# # /+ . /"),
]

# Rungs whose own fixpoint is contained in that of another rung, on every state.
NESTED = [("count", "edge"), ("edge", "fit"), ("count", "fit")]

# What random boards are tried with: dials, sizes, and (size, grade, dials) that can be had.
DIALS: list[dict[str, object]] = [{"shown": 0.5}, {"max_size": 1}, {"max_size": 9, "shown": 0.0}]
SAMPLE_SIZES = [(1, 1), (1, 4), (4, 3), (6, 6)]
WISHES: list[tuple[int, str | None, dict[str, object]]] = [
    (5, "count", {}),
    (6, "edge", {}),
    (6, None, {}),
    (8, "fit", {}),
    (8, "probe", {"max_size": 4}),
]


def random_tiles(grid: Grid, count: int, rng: np.random.Generator) -> list[int]:
    """Labels of connected tiles, grown from this many random cells one cell at a time."""
    cells = grid.rows * grid.cols
    labels = [-1] * cells
    for tile, cell in enumerate(rng.permutation(cells)[:count]):
        labels[int(cell)] = tile
    while -1 in labels:
        i = int(rng.choice([i for i, label in enumerate(labels) if label < 0]))
        beside = [labels[j] for j in grid.neighbours(i) if labels[j] >= 0]
        if beside:
            labels[i] = beside[rng.integers(len(beside))]
    return labels


def random_board(rng: np.random.Generator, largest: int = 5) -> Tilepaint:
    """Numbers of a random painting, hidden or wrong now and then; clue cells in every third."""
    rows, cols = (int(k) for k in rng.integers(1, largest + 1, 2))
    count = int(rng.integers(1, min(rows * cols, 9) + 1))
    labels: list[int | str] = list(random_tiles(Grid(rows, cols), count, rng))
    if rng.random() < 0.34:
        labels = ["x" if rng.random() < 0.15 else label for label in labels]
    places = {i: Inner(None, None) for i, label in enumerate(labels) if label == "x"}
    blank = Tilepaint.from_labels(rows, cols, labels, [None] * cols, [None] * rows, places)
    answer = tuple(int(v) for v in rng.integers(0, 2, blank.tile_count))
    full = Tilepaint.from_answer(rows, cols, blank.tiles, answer)
    hidden, wrong = rng.choice([0.0, 0.25, 0.6]), rng.choice([0.0, 0.0, 0.1])

    def shown(clue: Number) -> Number:
        if clue is None or rng.random() < wrong:
            clue = int(rng.integers(0, 4)) if rng.random() < 0.9 else 17
        return None if rng.random() < hidden else clue

    return Tilepaint(
        rows,
        cols,
        full.tiles,
        tuple(map(shown, full.col_clues)),
        tuple(map(shown, full.row_clues)),
        tuple(Inner(*map(shown, cell)) if cell else None for cell in full.inner),
    )


def partitions(rows: int, cols: int) -> Iterator[tuple[int, ...]]:
    """Every partition of a grid into connected tiles, as the walls between tiles give it."""
    grid = Grid(rows, cols)
    borders = grid.borders()
    for joined in product((False, True), repeat=len(borders)):
        label = list(range(rows * cols))
        for _ in label:
            for (a, b), open_border in zip(borders, joined, strict=True):
                if open_border:
                    label[a] = label[b] = min(label[a], label[b])
        # Of the patterns with the same tiles, only the one without a wall inside a tile counts.
        if all((label[a] == label[b]) == j for (a, b), j in zip(borders, joined, strict=True)):
            number = {first: k for k, first in enumerate(dict.fromkeys(label))}
            yield tuple(number[first] for first in label)


def tiny_boards() -> Iterator[Tilepaint]:
    """All of one and two cells, clue cells too; every painting of 2x2, and some wrong numbers."""
    for cells, numbers in ((1, (None, 0, 1)), (2, (None, 1, 2))):
        for labels in product("ax", repeat=cells):
            places = [i for i, label in enumerate(labels) if label == "x"]
            for *above, beside in product(numbers, repeat=cells + 1):
                for inner in product((None, 1), repeat=len(places)):
                    at = {i: Inner(None, k) for i, k in zip(places, inner, strict=True)}
                    board = Tilepaint.from_labels(1, cells, labels, above, [beside], at)
                    yield board
                    yield board.transpose()
    for tiles in partitions(2, 2):
        for answer in product(range(2), repeat=max(tiles) + 1):
            board = Tilepaint.from_answer(2, 2, tiles, answer)
            columns, across = board.col_clues, board.row_clues
            yield board
            for k, wrong in product(range(2), repeat=2):
                yield Tilepaint(
                    2, 2, tiles, (columns[k], columns[1 - k]), (wrong, None), board.inner
                )
            yield Tilepaint(2, 2, tiles, (None, columns[1]), (None, across[1]), board.inner)


def twin(rung: str, puzzle: Tilepaint, state: Sequence[set[int]]) -> list[set[int]] | None:
    """The rung's own fixpoint on sets of colours, by definition; None for a contradiction."""
    state = [set(values) for values in state]
    step = {"count": _count, "edge": _edge, "fit": _fit}[rung]
    sums = [
        (segment.clue, puzzle.slices(segment))
        for segment in puzzle.segments
        if segment.clue is not None
    ]
    while True:
        before = [set(values) for values in state]
        for clue, slices in sums:
            if not step(clue, slices, state) or not all(state):
                return None
        if state == before:
            return state


def _balance(clue: int, slices: dict[int, int], state: list[set[int]]) -> tuple[int, int]:
    """What is owed, and what the open slices come to."""
    owed = clue - sum(size for tile, size in slices.items() if state[tile] == {1})
    return owed, sum(size for tile, size in slices.items() if state[tile] == {0, 1})


def _count(clue: int, slices: dict[int, int], state: list[set[int]]) -> bool:
    owed, loose = _balance(clue, slices, state)
    for tile in slices:
        if state[tile] == {0, 1} and owed in (0, loose):
            state[tile] = {0 if owed == 0 else 1}
    return 0 <= owed <= loose


def _edge(clue: int, slices: dict[int, int], state: list[set[int]]) -> bool:
    for tile, size in slices.items():
        owed, loose = _balance(clue, slices, state)
        if state[tile] == {0, 1}:
            state[tile] = {colour for colour in (0, 1) if _may(colour, size, owed, loose)}
    owed, loose = _balance(clue, slices, state)
    return 0 <= owed <= loose


def _may(colour: int, size: int, owed: int, loose: int) -> bool:
    return size <= owed if colour else loose - size >= owed


def _fit(clue: int, slices: dict[int, int], state: list[set[int]]) -> bool:
    ways = [
        way
        for way in product(*(sorted(state[tile]) for tile in slices))
        if sum(size * colour for size, colour in zip(slices.values(), way, strict=True)) == clue
    ]
    for k, tile in enumerate(slices):
        state[tile] = {way[k] for way in ways}
    return bool(ways)


# Rungs broken on purpose: which rung, in which file of ladder/, what is there, what instead.
_SEGMENTS = "for segment in range(board.lengths.shape[0]):\n"
_BUT_ONE = "for segment in range(1, board.lengths.shape[0]):\n"
_COUNT, _EDGE, _FIT = (
    f"{indent}result = visit_{rung}(masks, board"
    for rung, indent in (("count", " " * 12), ("edge", " " * 8), ("fit", " " * 8))
)
MUTANTS = [
    ("count", "tilepaint", _SEGMENTS + _COUNT, _BUT_ONE + _COUNT),
    ("count", "tilepaint", "(owed > 0 and owed < loose)", "(owed >= 0 and owed < loose)"),
    ("count", "tilepaint", "(owed > 0 and owed < loose)", "(owed > 0 and owed <= loose)"),
    ("count", "tilepaint", "masks[tile] = 1 if owed == 0 else 2", "masks[tile] = 1"),
    ("count", "tilepaint", "owed -= board.sizes[segment, k]", "owed -= 1"),
    ("edge", "tilepaint", _SEGMENTS + _EDGE, _BUT_ONE + _EDGE),
    ("edge", "tilepaint", "too_large = size > owed", "too_large = size >= owed"),
    ("edge", "tilepaint", "too_large = size > owed", "too_large = size > owed + 1"),
    ("edge", "tilepaint", "needed = loose - size < owed", "needed = loose - size <= owed"),
    ("edge", "tilepaint", "needed = loose - size < owed", "needed = loose - size < owed - 1"),
    ("fit", "tilepaint", _SEGMENTS + _FIT, _BUT_ONE + _FIT),
    ("fit", "tilepaint", "for k in range(length - 1, -1, -1):", "for k in range(length - 1, 0, -1):"),
    ("fit", "tilepaint", "goals |= goals >> size", "goals = goals >> size"),
    ("fit", "tilepaint", "goals |= goals >> size", "goals |= goals >> 1"),
    ("fit", "tilepaint", "sums[k] << board.sizes[segment, k]", "sums[k] << 1"),
    ("fit", "tilepaint", "left |= 2", "left = 2"),
]  # fmt: skip


def plain_counts(drawn: Drawn) -> dict[str, int]:
    """Tiles by their labels in the text form, its numbers, and what an answer paints."""
    puzzle, answer = drawn
    columns, *rows = [line.split() for line in codec.text(puzzle).splitlines()[1:]]
    return {
        "tiles": len({label for row in rows for label in row[1:]}),
        "numbers": sum(number != "." for number in [*columns, *(row[0] for row in rows)]),
        "painted": puzzle.answer_line(answer).count("#"),
    }
