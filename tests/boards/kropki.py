"""Kropki boards for the shared tests, and plain-Python twins of its rungs."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, permutations, product

import numpy as np

from hashigo.counting.sample import Drawn
from hashigo.models import codec
from hashigo.models.grid import Border
from hashigo.models.kropki import Convention, Kropki, Label

URLS = [
    "kropki/4/4/aa7fioco",
    "kropki/6/6/1il0906369i2206i0226",
    "kropki/10/1/h3e",
    "kropki/1/10/h3e",
    "kropki/1/1//",
    "kropki/2/1/9",
]

# A filled-in board for each rule code, as a file or as JSON.
_BOARD = "pzprv3/kropki/4/4/1 0 1 /1 0 1 /0 2 1 /1 2 0 /2 0 0 2 /2 0 1 1 /0 2 2 0 /"
_GIVEN = '{"genre": "kropki", "rows": 1, "cols": 2, "v": [[2]], "h": [], "givens": {"0,0": 1}, '
FAILING = [
    ("nmDupRow", _BOARD + "4 1 4 . /. . . . /. . . . /. . . . /"),
    ("nmSubNe1", _BOARD + "4 2 . . /. . . . /. . . . /. . . . /"),
    ("nmSubEq1", _BOARD + "3 . . . /. . . . /. . 2 . /. 4 3 . /"),
    ("nmDivNe2", _BOARD + "4 . . . /1 . . . /. . . . /. . . . /"),
    ("nmDivEq2", _BOARD + "4 3 . . /2 1 . . /1 . . . /3 .[2,4,,] 4 2 /"),
    ("ceNoNum", _BOARD + "4 3 1 2 /2 1 3 4 /1 4 2 3 /3 2 4 .[1,,] /"),
    ("nmRange", "pzprv3/kropki/2/2/0/0/0 0/7 9/3 11/"),
    ("nmGiven", _GIVEN + '"answer": [[2, 1]]}'),
    ("nmDupRow", _GIVEN + '"answer": [[null, 1]]}'),
    ("ceNoNum", _GIVEN + '"answer": [[1, null]]}'),
    (None, _GIVEN + '"answer": [[null, 2]]}'),
    (None, _BOARD + "4 3 1 2 /2 1 3 4 /1 4 2 3 /3 2 4 1 /"),
]

# Rungs whose own fixpoint is contained in that of another rung, on every state.
NESTED = [("dot", "line"), ("single", "line")]

# What random boards are tried with: dials, sizes, and (size, grade, dials) that can be had.
DIALS: list[dict[str, object]] = [
    {"hidden": 0.7},
    {"dots_only": True, "convention": "black"},
    {"square": "rows", "hidden": 1.0},
]
SAMPLE_SIZES = [(1, 1), (1, 4), (4, 3), (6, 6)]
WISHES: list[tuple[int, str | None, dict[str, object]]] = [
    (5, "dot", {}),
    (6, None, {"hidden": 0.6}),
    (7, "single", {}),
    (9, "dot", {}),
    (9, "line", {"convention": "black"}),
    (9, "probe", {}),
]


def latin_square(n: int, rng: np.random.Generator) -> list[list[int]]:
    """A random Latin square, row by row; each row by backtracking in random order."""
    rows: list[list[int]] = []
    while len(rows) < n:
        rows.append(next(_rows([], [{row[c] for row in rows} for c in range(n)], rng)))
    return rows


def _rows(
    row: list[int], above: Sequence[set[int]], rng: np.random.Generator
) -> Iterator[list[int]]:
    if len(row) == len(above):
        yield row
        return
    for k in rng.permutation(len(above)):
        digit = int(k) + 1
        if digit not in row and digit not in above[len(row)]:
            yield from _rows([*row, digit], above, rng)


def random_board(rng: np.random.Generator, largest: int = 5) -> Kropki:
    """A board cut from a random Latin square; labels hidden or wrong, and givens, now and then."""
    rows, cols = (int(k) for k in rng.integers(1, largest + 1, 2))
    square = latin_square(max(rows, cols), rng)
    answer = tuple(square[r][c] for r in range(rows) for c in range(cols))
    convention: Convention = "either" if rng.random() < 0.5 else "black"
    board = Kropki.from_answer(rows, cols, answer, convention)
    labels = list(board.labels)
    hidden = rng.choice([0.0, 0.25, 0.6])
    wrong = rng.choice([0.0, 0.0, 0.1])
    for k in range(len(labels)):
        if rng.random() < wrong:
            labels[k] = list(Label)[rng.integers(4)]
        if rng.random() < hidden:
            labels[k] = Label.UNKNOWN
    givens = tuple(d if rng.random() < 0.1 else None for d in answer)
    return Kropki(rows, cols, tuple(labels), givens, convention)


def tiny_boards() -> Iterator[Kropki]:
    """Every labelling of 1x1 to 2x2, under both conventions."""
    for rows, cols in ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2)):
        borders = 2 * rows * cols - rows - cols
        for labels in product(Label, repeat=borders):
            for convention in ("either", "black"):
                yield Kropki(rows, cols, labels, (None,) * (rows * cols), convention)


def twin(rung: str, puzzle: Kropki, state: Sequence[set[int]]) -> list[set[int]] | None:
    """The rung's own fixpoint on sets of digits, by definition; None for a contradiction."""
    state = [set(values) for values in state]
    step = {"dot": _dot, "single": _single, "line": _line}[rung]
    while True:
        before = [set(values) for values in state]
        if not step(puzzle, state) or not all(state):
            return None
        if state == before:
            return state


@cache
def _fits(dot: Label, convention: Convention, a: int, b: int) -> bool:
    """Whether two digits may stand side by side, as the judge reads it."""
    pair = Kropki(1, 2, (dot,), (None, None), convention)
    return all(violation.code == "nmRange" for violation in pair.violations((a, b)))


def _dot(puzzle: Kropki, state: list[set[int]]) -> bool:
    for line in puzzle.grid.lines():
        for i in line:
            if len(state[i]) == 1:
                for j in line:
                    if j != i:
                        state[j] -= state[i]
    for dot, (a, b) in zip(puzzle.labels, puzzle.grid.borders(), strict=True):
        pairs = [(v, w) for v in state[a] for w in state[b] if _fits(dot, puzzle.convention, v, w)]
        state[a] = {v for v, _ in pairs}
        state[b] = {w for _, w in pairs}
    return True


def _single(puzzle: Kropki, state: list[set[int]]) -> bool:
    for line in puzzle.grid.lines():
        if len(line) < puzzle.digits:
            continue
        for digit in range(1, puzzle.digits + 1):
            places = [i for i in line if digit in state[i]]
            if not places:
                return False
            if len(places) == 1:
                state[places[0]] &= {digit}
    return True


def _line(puzzle: Kropki, state: list[set[int]]) -> bool:
    dots = dict(zip(puzzle.grid.borders(), puzzle.labels, strict=True))
    for line in puzzle.grid.lines():
        along = [dots[Border(*pair)] for pair in pairwise(line)]
        ways = [
            way
            for way in permutations(range(1, puzzle.digits + 1), len(line))
            if all(digit in state[i] for digit, i in zip(way, line, strict=True))
            and all(
                _fits(dot, puzzle.convention, *pair)
                for dot, pair in zip(along, pairwise(way), strict=True)
            )
        ]
        for position, i in enumerate(line):
            state[i] = {way[position] for way in ways}
    return True


def line_by_dp(puzzle: Kropki, k: int, state: Sequence[set[int]]) -> list[set[int]]:
    """One line's exact values by forward and backward sets of (used digits, last digit)."""
    line = puzzle.grid.lines()[k]
    dots = dict(zip(puzzle.grid.borders(), puzzle.labels, strict=True))
    beside = {
        (dot, v): {w for w in range(1, puzzle.digits + 1) if _fits(dot, puzzle.convention, v, w)}
        for dot in Label
        for v in range(1, puzzle.digits + 1)
    }
    layers = [{(frozenset([v]), v) for v in state[line[0]]}]
    along = [dots[Border(*pair)] for pair in pairwise(line)]
    for dot, cell in zip(along, line[1:], strict=True):
        layers.append(
            {
                (used | {w}, w)
                for used, v in layers[-1]
                for w in beside[dot, v] & state[cell]
                if w not in used
            }
        )
    for position in range(len(line) - 2, -1, -1):
        dot, after = along[position], layers[position + 1]
        layers[position] = {
            (used, v)
            for used, v in layers[position]
            if any(w not in used and (used | {w}, w) in after for w in beside[dot, v])
        }
    return [{v for _, v in layer} for layer in layers]


# Rungs broken on purpose: which rung, in which file of ladder/, what is there, what instead.
_EDGES = "for edge in range(board.edges.shape[0]):"
_NEXT = "label = board.along[line, position]"
MUTANTS = [
    ("dot", "kropki", _EDGES, "for edge in range(1, board.edges.shape[0]):"),
    ("dot", "kropki", _EDGES, "for edge in range(board.edges.shape[0] - 1):"),
    ("dot", "kropki", "for cell in range(board.lines.shape[0]):", "for cell in range(1):"),
    ("dot", "kropki", "right = masks[b] & partners(board, label, left)", "right = masks[b]"),
    ("dot", "kropki", "for k in range(2):", "for k in range(1):"),
    ("dot", "kropki", "if other != cell and", "if other > cell and"),
    ("dot", "kropki", 'convention == "black" and digit <= 2', 'convention == "black" and digit < 2'),
    ("dot", "kropki", "if digit % 2 == 0 else 0", "if digit % 4 == 0 else 0"),
    ("dot", "kropki", "white &= ~0b11", "white &= ~0b111"),
    ("single", "kropki", "if length < board.digits:", "if length <= board.digits:"),
    ("single", "kropki", "if once != (1 << board.digits) - 1:", "if once == 0:"),
    ("single", "kropki", "twice |= once & mask", "twice |= once & mask & ~1"),
    ("single", "kropki", "if hidden and hidden != masks[cell]:", "if hidden > 1 and hidden != masks[cell]:"),
    ("line", "kropki", "for k in range(starts[position - 1], starts[position]):",
     "for k in range(starts[position - 1] + 1, starts[position]):"),
    ("line", "kropki", "for position in range(length - 2, -1, -1):", "for position in range(length - 2, 0, -1):"),
    ("line", "kropki", "label = board.along[line, position - 1]", "label = board.along[line, 0]"),
    ("line", "kropki", _NEXT, "label = 3"),
    ("line", "kropki", "& open_digits & ~used", "& open_digits & ~(used & -used)"),
]  # fmt: skip


def plain_counts(drawn: Drawn) -> dict[str, int]:
    """Givens and edges by their signs in the text form."""
    signs = codec.text(drawn.puzzle).partition("\n")[2].split()
    names = {"none": "-", "white": "o", "black": "*", "unknown": "?"}
    return {"givens": sum(sign.isdigit() for sign in signs)} | {
        name: signs.count(sign) for name, sign in names.items()
    }
