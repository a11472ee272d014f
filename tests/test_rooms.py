"""The sweep that counts rooms: against plain readings, other counters, and published counts."""

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards.nawabari import random_answer, random_board, walls_of
from test_nawabari import prints, random_print

from hashigo.counting import sharpsat
from hashigo.counting.nawabari import RULES, Variant, count, lay
from hashigo.counting.rooms import NOTHING, Rules, sweep
from hashigo.counting.sat import Sat
from hashigo.models import codec
from hashigo.models.grid import Grid
from hashigo.models.nawabari import UNKNOWN, Nawabari, Number
from hashigo.models.verdict import Budget, OutOfBudget, OutOfReach, decide
from hashigo.scripts.claim import Effort, load
from hashigo.scripts.claims.readings.nawabari import dots_only, legal, misreadings, shipped

COUNTS = Path(__file__).parent / "counts"
VARIANTS = [
    Variant(*flags) for flags in product((True, False), (False, True), (False, True), (False, True))
]


def pinned(name: str) -> dict[str, Any]:
    return tomllib.loads((COUNTS / f"{name}.toml").read_text())


# Plain readings


@cache
def dissections(rows: int, cols: int) -> list[list[list[int]]]:
    """The cells of each room, for every dissection: the first free cell is a corner of the next."""
    found: list[list[list[int]]] = []

    def extend(rooms: list[list[int]]) -> None:
        taken = {i for room in rooms for i in room}
        free = [i for i in range(rows * cols) if i not in taken]
        if not free:
            found.append(rooms)
            return
        r, c = divmod(free[0], cols)
        for bottom, right in product(range(r, rows), range(c, cols)):
            room = [y * cols + x for y in range(r, bottom + 1) for x in range(c, right + 1)]
            if taken.isdisjoint(room):
                extend([*rooms, room])

    extend([])
    return found


def reads(board: Nawabari, rooms: list[list[int]], variant: Variant) -> bool:
    """Whether a dissection is an answer by this variant."""
    grid = board.grid
    for room in rooms:
        held = [i for i in room if board.numbers[i] is not None]
        if (not held and not variant.empty) or (len(held) > 1 and not variant.several):
            return False
        for i in held:
            inner = sum(j not in room for j in grid.neighbours(i))
            frame = 4 - sum(1 for _ in grid.neighbours(i)) if variant.frame else 0
            right = len(room) if variant.area else inner + frame
            if board.numbers[i] not in (UNKNOWN, right):
                return False
    return True


def small_boards(number: int, seed: int, variant: Variant | None = None) -> Iterator[Nawabari]:
    """Boards of up to 12 cells: prints, read as a variant reads them, and numbers strewn about."""
    rng = np.random.default_rng(seed)
    sizes = [(1, 1), (1, 5), (5, 1), (2, 2), (2, 4), (4, 2), (3, 3), (2, 5), (3, 4), (4, 3), (6, 2)]
    for _ in range(number):
        rows, cols = sizes[rng.integers(len(sizes))]
        if rng.random() < 0.2:
            some: list[Number] = [None, None, None, UNKNOWN, 0, 1, 2, 3, 4]
            picked = rng.integers(0, len(some), rows * cols)
            yield Nawabari(rows, cols, tuple(some[k] for k in picked))
            continue
        cells = random_answer(rows, cols, rng)
        rooms: dict[int, list[int]] = {}
        for i in range(rows * cols):
            rooms.setdefault(cells[i // cols][i % cols], []).append(i)
        numbers: list[Number] = [None] * (rows * cols)
        walls, grid = walls_of(cells), Grid(rows, cols)
        for room in rooms.values():
            seats = 1
            if variant is not None:
                seats -= variant.empty and rng.random() < 0.3
                seats += variant.several and rng.random() < 0.3
            for i in rng.choice(room, min(seats, len(room)), replace=False).tolist():
                frame = 0 if variant and not variant.frame else 1
                n = sum(frame if k is None else walls[k] for k in grid.sides(i))
                n = len(room) if variant and variant.area else n
                numbers[i] = n if n <= 4 and rng.random() < 0.7 else UNKNOWN
        yield Nawabari(rows, cols, tuple(numbers))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_each_variant_against_the_plain_reading(variant: Variant) -> None:
    nonzero = 0
    for board in small_boards(40, 70, variant):
        rooms = dissections(board.rows, board.cols)
        expected = sum(reads(board, room, variant) for room in rooms)
        assert count(board, Budget(), variant) == expected, board
        nonzero += expected > 0
    assert nonzero > 20


def test_an_answer_judged_by_each_variant() -> None:
    seen = set()
    for variant in VARIANTS:
        for board in small_boards(5, 73, variant):
            for rooms in dissections(board.rows, board.cols)[::3]:
                room_of = {i: k for k, room in enumerate(rooms) for i in room}
                cells = [[room_of[i] for i in board.grid.row(r)] for r in range(board.rows)]
                judged = legal(board, walls_of(cells), variant)
                assert judged == reads(board, rooms, variant), (board, variant)
                seen.add((variant, judged))
    assert len(seen) == 32


def test_shipped_boards_misread() -> None:
    """The claims about them, by plainer ways: where numbers stand, and rectangles laid."""
    (dots,) = load(["nawabari-dots-only"])
    (misread,) = load(["nawabari-misreadings"])
    inner = dict.fromkeys((6, 8), 0)
    for n in inner:
        assert len(shipped(n)) == 36
        for board, answer in shipped(n):
            assert legal(board, answer, RULES) and board.accepts(answer)
            rim = [i for i in range(n * n) if None in board.grid.sides(i)]
            # A number beside the frame loses a wall; no other number notices.
            inner[n] += all(board.numbers[i] is None for i in rim)
    lines = {line.what: line.ours for line in misreadings(misread, Effort())}
    for n, kept in inner.items():
        for name, expected in (("outer border is no wall", kept), ("rooms may hold no number", 36),
                               ("rooms may hold several numbers", 36)):  # fmt: skip
            found = lines[f"{name}, {n}x{n}: answer legal, median, unique"]
            assert found.startswith(f"[{expected}, "), name
        # One number in each room, so that the areas add up to the board.
        whole = [sum(k for k in b.numbers if isinstance(k, int)) == n * n for b, _ in shipped(n)]
        answered = int(lines[f"number is the room's area, {n}x{n}: boards with answers"])
        assert answered <= sum(whole)
    small, _ = dots_only(dots, Effort())
    assert small.ours == "[36, 1, 622, 1, 100064]"
    for board, _ in (shipped(6)[k] for k in (1, 3, 5)):
        signs: list[Number] = [None if k is None else UNKNOWN for k in board.numbers]
        unknown = Nawabari(6, 6, tuple(signs))
        assert count(unknown, Budget()) == sum(1 for _ in lay(unknown, Budget()))


def test_rules_against_both_brute_force_and_plain_reading() -> None:
    for board in small_boards(150, 71):
        expected = sum(1 for _ in lay(board, Budget()))
        assert count(board, Budget()) == expected
        rooms = dissections(board.rows, board.cols)
        assert expected == sum(reads(board, room, RULES) for room in rooms)


@pytest.mark.long
def test_every_variant_on_many_boards() -> None:
    for variant in VARIANTS:
        for board in small_boards(400, 72, variant):
            rooms = dissections(board.rows, board.cols)
            assert count(board, Budget(), variant) == sum(reads(board, r, variant) for r in rooms)


def test_every_way_to_write_on_2x2_and_1x4() -> None:
    """Every variant on every board: all 6^4 of 2x2 with at most 3, a share of the rest."""
    for (rows, cols), every in (((2, 2), 3), ((1, 4), 7)):
        rooms = dissections(rows, cols)
        signs: tuple[Number, ...] = (None, UNKNOWN, 0, 1, 2, 3, 4)
        for k, numbers in enumerate(product(signs, repeat=4)):
            if k % every == 0:
                board = Nawabari(rows, cols, numbers)
                variant = VARIANTS[k % 16]
                expected = sum(reads(board, room, variant) for room in rooms)
                assert count(board, Budget(), variant) == expected


# Other counters


def test_against_enumeration_by_sat() -> None:
    rng = np.random.default_rng(73)
    for _ in range(150):
        board = random_board(rng, 5)
        verdict = decide(Sat(), board, Budget(5000))
        if verdict.complete:
            assert count(board, Budget()) == verdict.count


def test_against_ganak() -> None:
    pytest.importorskip("pyganak")
    rng = np.random.default_rng(74)
    for hidden in (0.0, 0.5, 1.0):
        for rows, cols in ((6, 6), (5, 8)):
            board = random_print(rows, cols, rng, hidden)
            assert count(board, Budget()) == sharpsat.ganak(board, Budget())


def test_every_print_of_3x3_and_2x4() -> None:
    for rows, cols in ((3, 3), (2, 4)):
        for board, walls in prints(rows, cols).items():
            assert count(board, Budget()) == len(walls)


@pytest.mark.parametrize("transposed", [False, True])
def test_symmetries_keep_every_count(transposed: bool) -> None:
    rng = np.random.default_rng(75)
    for variant in VARIANTS:
        for hidden in (0.3, 1.0):
            rows, cols = (5, 4) if variant.area else (7, 6)
            board = random_print(rows, cols, rng, hidden)
            moved = board.transpose() if transposed else board.flip()
            assert count(board, Budget(), variant) == count(moved, Budget(), variant)


# Published counts


def test_dissections_as_boards_without_numbers() -> None:
    """Rooms may hold none: the published counts, some of more than 62 bits."""
    data = pinned("dissections")
    empty = Variant(empty=True)
    for n, expected in enumerate(data["square"]["counts"][:11]):
        if n:
            board = Nawabari(n, n, (None,) * (n * n))
            assert count(board, Budget(), empty) == int(expected)
            assert count(board, Budget()) == 0
    for sequence in data["row"]:
        for n, expected in enumerate(sequence["counts"], 1):
            if n <= 14:
                board = Nawabari(sequence["rows"], n, (None,) * (n * sequence["rows"]))
                assert count(board, Budget(), empty) == int(expected)
                if n < 6 and sequence["rows"] < 4:
                    assert count(board, Budget(), Variant(area=True, empty=True)) == int(expected)


def test_placements() -> None:
    """Each placement is counted on the one board that has unknown numbers at its cells."""
    for figures in pinned("nawabari")["placements"]:
        rows, cols = figures["rows"], figures["cols"]
        total = sum(
            count(Nawabari(rows, cols, numbers), Budget())
            for numbers in product((None, UNKNOWN), repeat=rows * cols)
        )
        assert total == figures["legal"]
        if rows * cols < 10:
            boards = [count(board, Budget()) for board in prints(rows, cols)]
            assert sum(boards) == figures["legal"]
            assert boards.count(1) == figures["unique"]


def test_public_boards() -> None:
    for figures in pinned("nawabari")["board"]:
        board = codec.read(figures["url"]).puzzle
        assert isinstance(board, Nawabari)
        assert count(board, Budget()) == figures["count"]


# Limits


def test_counts_of_any_length() -> None:
    """One long column of unknown rooms: 2^(n - 1) dissections, through several limbs."""
    empty = Rules(1, 0, 1)
    assert sweep(400, 1, [NOTHING] * 400, empty, Budget()) == 2**399
    assert sweep(1, 200, [NOTHING] * 200, empty, Budget()) == 2**199
    board = Nawabari(40, 2, (None,) * 80)
    a, b = 2, 8
    for _ in range(38):
        # A034999 obeys a(n) = 6 a(n - 1) - 7 a(n - 2).
        a, b = b, 6 * b - 7 * a
    assert count(board, Budget(), Variant(empty=True)) == b


def test_limits_are_kept() -> None:
    board = Nawabari(8, 8, (UNKNOWN, *(None,) * 63))
    with pytest.raises(OutOfBudget, match="limit of 100 nodes"):
        count(board, Budget(nodes=100), Variant(empty=True))
    with pytest.raises(OutOfBudget, match="limit of 0 s"):
        count(board, Budget(seconds=0.0), Variant(empty=True))
    with pytest.raises(OutOfBudget, match="limit of 100 nodes"):
        count(board, Budget(nodes=100), Variant(area=True, empty=True))
    with pytest.raises(OutOfReach, match="the shorter side is 21"):
        count(Nawabari(21, 21, (None,) * 441), Budget())
