"""Nawabari boards for the shared tests, and plain-Python twins of its rungs."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from hashigo.counting.sample import Drawn
from hashigo.models import codec
from hashigo.models.nawabari import UNKNOWN, Nawabari, Number

URLS = [
    "nawabari/5/5/f0b1f2a1f",
    "nawabari/2/2/.c",
    "nawabari/1/1/4",
    "nawabari/27/1/z./",
    "nawabari/28/1/za./",
    "nawabari/10/10/c.h3c2f1d2b3c4a4a3c1l3c3a2a3c2b2d2f3c2h.c",
]

# A filled-in board for each rule code, as a file or as JSON.
_BOARD = "pzprv3/nawabari/3/3/. . . /3 . 1 /. 2 . /"
_UNKNOWN = '{"genre": "nawabari", "rows": 2, "cols": 2, "grid": [["?", null], [null, null]], '
FAILING = [
    ("bkNotRect", _BOARD + "0 1 0 0 /0 0 0 0 /0 0 0 0 /0 0 0 /1 0 0 /0 0 0 /0 0 0 /"),
    ("bkNoNum", _BOARD + "0 0 0 0 /0 1 0 0 /0 0 0 0 /0 0 0 /1 1 1 /1 1 1 /0 0 0 /"),
    ("bkNumGe2", _BOARD + "0 0 0 0 /0 0 0 0 /0 0 0 0 /0 0 0 /0 0 0 /0 0 0 /0 0 0 /"),
    ("nmBorderNe", _BOARD + "0 1 0 0 /0 1 0 0 /0 1 0 0 /0 0 0 /0 0 0 /0 1 1 /0 0 0 /"),
    ("bdDeadEnd", _UNKNOWN + '"answer": {"v": ["0", "1"], "h": ["00"]}}'),
    (None, "pzprv3/nawabari/1/3/4 . 3 /1 2 -1 1 /0 0 0 /0 0 0 /"),
    (None, "pzprv3/nawabari/2/2/3 3 /. . /1 /1 /0 0 /"),
]  # fmt: skip

# Rungs whose own fixpoint is contained in that of another rung, on every state.
NESTED = [("count", "room")]

# What random boards are tried with: dials, sizes, and (size, grade, dials) that can be had.
DIALS: list[dict[str, object]] = [{"cells_per_room": 2.5}, {"cells_per_room": 9.0}]
SAMPLE_SIZES = [(1, 1), (1, 4), (4, 3), (6, 6)]
WISHES: list[tuple[int, str | None, dict[str, object]]] = [
    (5, "room", {}),
    (6, None, {}),
    (8, "probe", {}),
]


def random_answer(rows: int, cols: int, rng: np.random.Generator) -> list[list[int]]:
    """A random dissection: rectangles laid from the top left, numbered in reading order."""
    board = [[-1] * cols for _ in range(rows)]
    sizes = rng.choice([1.5, 3.0, 10.0])
    for room, cell in enumerate(range(rows * cols)):
        r, c = divmod(cell, cols)
        if board[r][c] >= 0:
            continue
        width = 1
        limit = int(rng.exponential(sizes)) + 1
        while width < limit and c + width < cols and board[r][c + width] < 0:
            width += 1
        height = min(int(rng.exponential(sizes)) + 1, rows - r)
        for y in range(r, r + height):
            board[y][c : c + width] = [room] * width
    return board


def walls_of(board: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The borders of rooms given by their number at each cell."""
    rows, cols = len(board), len(board[0])
    right = [board[r][c] != board[r][c + 1] for r in range(rows) for c in range(cols - 1)]
    down = [board[r][c] != board[r + 1][c] for r in range(rows - 1) for c in range(cols)]
    return tuple(map(int, (*right, *down)))


def random_board(rng: np.random.Generator, largest: int = 5) -> Nawabari:
    """A board that prints a random dissection; numbers unknown, wrong or moved now and then."""
    rows, cols = (int(k) for k in rng.integers(1, largest + 1, 2))
    board = random_answer(rows, cols, rng)
    rooms: dict[int, list[int]] = {}
    for i in range(rows * cols):
        rooms.setdefault(board[i // cols][i % cols], []).append(i)
    seats = [int(rng.choice(room)) for room in rooms.values()]
    puzzle = Nawabari.from_answer(rows, cols, walls_of(board), seats)
    numbers = list(puzzle.numbers)
    hidden, wrong = rng.choice([0.0, 0.2, 0.6, 1.0]), rng.choice([0.0, 0.0, 0.1])
    for i in seats:
        if rng.random() < wrong:
            numbers[i] = None
            numbers[rng.integers(rows * cols)] = int(rng.integers(5))
        elif rng.random() < hidden:
            numbers[i] = UNKNOWN
    return Nawabari(rows, cols, tuple(numbers))


def tiny_boards() -> Iterator[Nawabari]:
    """Every way to write numbers on 1x1 to 1x3, and the possible ones on 2x2."""
    every: tuple[Number, ...] = (None, UNKNOWN, 0, 1, 2, 3, 4)
    for rows, cols in ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2)):
        signs = every if rows * cols < 4 else (None, UNKNOWN, 2, 3)
        for numbers in product(signs, repeat=rows * cols):
            yield Nawabari(rows, cols, numbers)


Box = tuple[int, int, int, int]


def boxes(puzzle: Nawabari) -> list[tuple[int, Box]]:
    """The helper variables: each number's cell, with (top, bottom, left, right) of a rectangle."""
    found = []
    for seat, number in enumerate(puzzle.numbers):
        if number is None:
            continue
        r, c = divmod(seat, puzzle.cols)
        for box in product(
            range(r + 1), range(r, puzzle.rows), range(c + 1), range(c, puzzle.cols)
        ):
            cells = cells_of(puzzle, box)
            held = [i for i in cells if puzzle.numbers[i] is not None]
            walls = (r == box[0]) + (r == box[1]) + (c == box[2]) + (c == box[3])
            if held == [seat] and number in (UNKNOWN, walls):
                found.append((seat, box))
    return found


def cells_of(puzzle: Nawabari, box: Box) -> list[int]:
    """The cells of a rectangle, in reading order."""
    top, bottom, left, right = box
    return [r * puzzle.cols + c for r in range(top, bottom + 1) for c in range(left, right + 1)]


def twin(rung: str, puzzle: Nawabari, state: Sequence[set[int]]) -> list[set[int]] | None:
    """The rung's own fixpoint on sets of bits, by definition; None for a contradiction."""
    state = [set(values) for values in state]
    step = {"count": _count, "vertex": _vertex, "room": _room}[rung]
    while True:
        before = [set(values) for values in state]
        if not step(puzzle, state) or not all(state):
            return None
        if state == before:
            return state


def _narrow(state: list[set[int]], around: Sequence[int], ways: list[tuple[int, ...]]) -> bool:
    """Keep what the ways that fit the state have at these borders."""
    ways = [w for w in ways if all(v in state[k] for v, k in zip(w, around, strict=True))]
    for position, k in enumerate(around):
        state[k] = {way[position] for way in ways}
    return bool(ways)


def _count(puzzle: Nawabari, state: list[set[int]]) -> bool:
    for i, number in enumerate(puzzle.numbers):
        around = [k for k, border in enumerate(puzzle.grid.borders()) if i in border]
        if isinstance(number, int):
            ways = [w for w in product((0, 1), repeat=len(around)) if sum(w) + 4 - len(w) == number]
            if not _narrow(state, around, ways):
                return False
    return any(len(state[k]) > 1 for k in range(len(puzzle.grid.borders()))) or _drawn(
        puzzle, state
    )


def _drawn(puzzle: Nawabari, state: list[set[int]]) -> bool:
    """The rectangles that are drawn, where every border is known."""
    for j, (_, facts) in enumerate(_facts(puzzle), len(puzzle.grid.borders())):
        state[j] &= {int(all(state[k] == {wall} for k, wall in facts.items()))}
    owners = {
        seat
        for j, (seat, _) in enumerate(boxes(puzzle), len(puzzle.grid.borders()))
        if state[j] == {1}
    }
    return owners == {i for i, number in enumerate(puzzle.numbers) if number is not None}


def _facts(puzzle: Nawabari) -> list[tuple[set[int], dict[int, int]]]:
    """The cells of each rectangle, and what it says of borders: 0 no wall, 1 a wall."""
    found = []
    for _, box in boxes(puzzle):
        cells = set(cells_of(puzzle, box))
        inside = [len(cells & {*border}) for border in puzzle.grid.borders()]
        found.append((cells, {k: int(n == 1) for k, n in enumerate(inside) if n}))
    return found


def _vertex(puzzle: Nawabari, state: list[set[int]]) -> bool:
    # A stub goes straight on, or it has a neighbour on both sides.
    legal = [
        way
        for way in product((0, 1), repeat=4)
        if all(not way[k] or way[k - 2] or (way[k - 1] and way[k - 3]) for k in range(4))
    ]
    cols = puzzle.cols
    borders = {frozenset(border): k for k, border in enumerate(puzzle.grid.borders())}
    for r, c in product(range(puzzle.rows - 1), range(cols - 1)):
        i = r * cols + c
        pairs = ((i, i + 1), (i + 1, i + cols + 1), (i + cols, i + cols + 1), (i, i + cols))
        if not _narrow(state, [borders[frozenset(pair)] for pair in pairs], legal):
            return False
    return True


def _room(puzzle: Nawabari, state: list[set[int]]) -> bool:
    first = len(puzzle.grid.borders())
    rectangles = [
        (seat, cells) for (seat, _), (cells, _) in zip(boxes(puzzle), _facts(puzzle), strict=True)
    ]
    says = [facts for _, facts in _facts(puzzle)]
    for j, facts in enumerate(says):
        if any(wall not in state[k] for k, wall in facts.items()):
            state[first + j].discard(1)
    reach: dict[int, set[int]] = {}
    for seat in (i for i, number in enumerate(puzzle.numbers) if number is not None):
        mine = [j for j, (owner, _) in enumerate(rectangles) if owner == seat]
        left = [j for j in mine if 1 in state[first + j]]
        chosen = [j for j in left if state[first + j] == {1}]
        for k in range(first):
            said = {says[j].get(k) for j in chosen or left}
            if said in ({0}, {1}):
                state[k] &= {int(wall) for wall in said if wall is not None}
        if not left:
            return False
        if len(left) == 1:
            state[first + left[0]] &= {1}
        for j in left:
            for i in rectangles[j][1]:
                reach.setdefault(i, set()).add(seat)
    for i in range(len(puzzle.numbers)):
        if not reach.get(i):
            return False
        for j, (seat, cells) in enumerate(rectangles):
            if reach[i] == {seat} and i not in cells:
                state[first + j].discard(1)
    return True


# Rungs broken on purpose: which rung, in which file of ladder/, what is there, what instead.
_COUNT = "for k in range(numbers.size):\n            result = visit_count"
_CELLS = "for k in range(count):\n        needed = reach[k]"
_LAW = "sum(w) != 1 and w not in _CORNERS"
_FITS = "rectangles.opened[j, w] & known[1, w] or rectangles.walled[j, w] & known[0, w]"
MUTANTS = [
    ("count", "rectangles", _COUNT, _COUNT.replace("(n", "(1, n")),
    ("count", "rectangles", "walls += int(border < 0 or", "walls += int(border >= 0 and"),
    ("count", "rectangles", "kept = 1 if walls == number else 2", "kept = 1"),
    ("count", "rectangles", "if walls > number or walls + unknown < number:", "if walls > number:"),
    ("count", "rectangles", "if walls > number or walls", "if walls > number + 1 or walls"),
    ("vertex", "rectangles", "for p in range(points.shape[0]):",
     "for p in range(1, points.shape[0]):"),
    ("vertex", "rectangles", _LAW, "sum(w) != 1"),
    ("vertex", "rectangles", _LAW, "w not in _CORNERS"),
    ("vertex", "rectangles", "_CORNERS = ((1, 1, 0, 0), ", "_CORNERS = ("),
    ("vertex", "rectangles", "if kept == 0:\n        return -1\n    for k in range(4):",
     "for k in range(4):"),
    ("room", "rectangles", _FITS, "rectangles.opened[j, w] & known[1, w]"),
    ("room", "rectangles", _FITS, "rectangles.walled[j, w] & known[0, w]"),
    ("room", "rectangles", "if left == 1 and chosen < 0:", "if left < 1 and chosen < 0:"),
    ("room", "rectangles", "walled &= rectangles.walled[j, w]", "walled = rectangles.walled[j, w]"),
    ("room", "rectangles", _CELLS, _CELLS.replace("(count", "(1, count")),
    ("room", "rectangles", "twice[w] |= once[w] & reach[k, w]", "twice[w] |= reach[k, w]"),
    ("room", "rectangles", "twice[w] |= once[w] & reach[k, w]", "twice[w] |= 0"),
    ("room", "rectangles", "for bottom in range(r, rows):", "for bottom in range(r, rows - 1):"),
    ("room", "rectangles", "if left <= c < right else walled", "if left <= c <= right else walled"),
    ("room", "rectangles", "if top <= r < bottom else walled", "if top < r < bottom else walled"),
    ("room", "rectangles", "if numbers[k] >= 0 and", "if numbers[k] > 0 and"),
    ("probe", "nawabari", "if i >= self.borders]", "if i > self.borders]"),
]  # fmt: skip


def plain_counts(drawn: Drawn) -> dict[str, int]:
    """Rooms, numbers, and points by how many of the four cells around go together."""
    puzzle, answer = drawn
    rooms = [line.split() if " " in line else list(line) for line in
             puzzle.answer_line(answer).split("/")]  # fmt: skip
    signs = codec.text(puzzle).partition("\n")[2].split()
    points = dict.fromkeys(("none", "straight", "tee", "cross"), 0)
    for above, below in pairwise(rooms):
        for left, right in pairwise(zip(above, below, strict=True)):
            around = [left[0], right[0], right[1], left[1]]
            walls = sum(a != b for a, b in zip(around, around[1:] + around[:1], strict=True))
            points[("none", "", "straight", "tee", "cross")[walls]] += 1
    return {
        "rooms": len({room for row in rooms for room in row}),
        **{f"number_{k}": signs.count(str(k)) for k in range(5)},
        **{f"points_{kind}": count for kind, count in points.items()},
    }
