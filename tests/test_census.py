"""The census against published figures, and against readings of the rules without any search."""

import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hashigo.counting import census as module
from hashigo.counting import printable as kernels
from hashigo.counting.census import Census, Printed, Walls, census, prints, rooms, traits
from hashigo.models.grid import Cell, Grid
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import EngineFault, OutOfBudget

COUNTS = tomllib.loads((Path(__file__).parent / "counts" / "census.toml").read_text())
Rectangle = tuple[int, int, int, int]  # top, left, bottom, right


# Twins: the rules read plainly, over all wall patterns


def sides(grid: Grid, walls: Walls, cell: Cell) -> list[bool]:
    """Whether there is a wall above, below, left and right of a cell."""
    r, c = cell
    wall = {
        frozenset((grid.cell(a), grid.cell(b))): bool(w)
        for (a, b), w in zip(grid.borders(), walls, strict=True)
    }
    around = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
    return [wall.get(frozenset((cell, other)), True) for other in around]


def flood(grid: Grid, walls: Walls) -> list[set[Cell]]:
    left = set(map(grid.cell, range(grid.rows * grid.cols)))
    divided = []
    while left:
        room, edge = set[Cell](), [min(left)]
        while edge:
            r, c = cell = edge.pop()
            if cell not in room:
                room.add(cell)
                around = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
                edge += [o for o, w in zip(around, sides(grid, walls, cell), strict=True) if not w]
        left -= room
        divided.append(room)
    return divided


def is_dissection(grid: Grid, walls: Walls) -> bool:
    divided = flood(grid, walls)
    for room in divided:
        rows, cols = {r for r, _ in room}, {c for _, c in room}
        if room != set(product(rows, cols)):
            return False
    return not any(
        w and any({grid.cell(a), grid.cell(b)} <= room for room in divided)
        for (a, b), w in zip(grid.borders(), walls, strict=True)
    )


@cache
def all_prints(rows: int, cols: int) -> dict[Printed, tuple[Walls, ...]]:
    """Every print of a board, and its answers."""
    grid = Grid(rows, cols)
    found: dict[Printed, tuple[Walls, ...]] = {}
    for walls in product((0, 1), repeat=len(grid.borders())):
        if is_dissection(grid, walls):
            for seats in product(*flood(grid, walls)):
                printed: list[int | None] = [None] * (rows * cols)
                for r, c in seats:
                    printed[r * cols + c] = sum(sides(grid, walls, (r, c)))
                found[tuple(printed)] = (*found.get(tuple(printed), ()), walls)
    return found


def twin(rows: int, cols: int) -> Census:
    answers = all_prints(rows, cols).values()
    dissections = {walls for each in answers for walls in each}
    printable = {each[0] for each in answers if len(each) == 1}
    return Census(
        rows,
        cols,
        len(dissections),
        sum(map(len, answers)),
        dict(sorted(Counter(map(len, answers)).items())),
        tuple(sorted(dissections - printable)),
    )


# Twins: rectangles laid from the top left, prints told apart by sorting


def lay(grid: Grid, covered: frozenset[Cell] = frozenset()) -> Iterator[list[Rectangle]]:
    """Every dissection as rectangles."""
    free = [cell for cell in map(grid.cell, range(grid.rows * grid.cols)) if cell not in covered]
    if not free:
        yield []
        return
    top, left = free[0]
    for bottom, right in product(range(top, grid.rows), range(left, grid.cols)):
        cells = frozenset(product(range(top, bottom + 1), range(left, right + 1)))
        if cells & covered:
            continue
        for others in lay(grid, covered | cells):
            yield [(top, left, bottom, right), *others]


def codes(grid: Grid, dissection: list[Rectangle]) -> NDArray[np.int64]:
    """Every print of a dissection as one number: a digit of base 6 for each cell."""
    found = np.zeros(1, dtype=np.int64)
    for top, left, bottom, right in dissection:
        seats = [
            (1 + (r == top) + (r == bottom) + (c == left) + (c == right)) * 6 ** (r * grid.cols + c)
            for r, c in product(range(top, bottom + 1), range(left, right + 1))
        ]
        found = np.add.outer(found, np.array(seats)).ravel()
    return found


def sort(rows: int, cols: int) -> tuple[dict[int, int], int]:
    """Number of prints for each number of answers, and of unprintable dissections."""
    grid = Grid(rows, cols)
    each = [codes(grid, dissection) for dissection in lay(grid)]
    prints, answers = np.unique(np.concatenate(each), return_counts=True)
    alone = prints[answers == 1]
    printable = (alone[np.searchsorted(alone, own).clip(max=alone.size - 1)] == own for own in each)
    by_answers = Counter(answers.tolist())
    return dict(sorted(by_answers.items())), sum(not some.any() for some in printable)


def exact_cover(rows: int, cols: int, printed: Printed) -> list[Walls]:
    """The answers of a print: a rectangle for each number, laid over the first free cell."""
    grid = Grid(rows, cols)

    def fits(rectangle: Rectangle) -> bool:
        top, left, bottom, right = rectangle
        numbers = [
            (n, (r == top) + (r == bottom) + (c == left) + (c == right))
            for r, c in product(range(top, bottom + 1), range(left, right + 1))
            if (n := printed[r * cols + c]) is not None
        ]
        return len(numbers) == 1 and numbers[0][0] == numbers[0][1]

    def search(covered: frozenset[Cell]) -> Iterator[list[frozenset[Cell]]]:
        free = [c for c in map(grid.cell, range(rows * cols)) if c not in covered]
        if not free:
            yield []
            return
        top, left = free[0]
        for bottom, right in product(range(top, rows), range(left, cols)):
            room = frozenset(product(range(top, bottom + 1), range(left, right + 1)))
            if not room & covered and fits((top, left, bottom, right)):
                yield from ([room, *others] for others in search(covered | room))

    return [
        tuple(
            int(not any({grid.cell(a), grid.cell(b)} <= room for room in found))
            for a, b in grid.borders()
        )
        for found in search(frozenset())
    ]


# Pinned figures


@cache
def figures(rows: int, cols: int, full: bool) -> dict[str, Any]:
    """Those of a census under their names in the file."""
    found = census(rows, cols, full=full)
    common = traits(rows, cols, found.unprintable)
    return {
        "dissections": found.dissections,
        "legal": found.legal,
        "printed": found.printed,
        "unique": found.unique,
        "unprintable": len(found.unprintable),
        "rooms": {str(k): n for k, n in common.rooms.items()},
        "strips_only": common.strips_only,
        "domino_pair": common.domino_pair,
    }


def hold(row: dict[str, Any]) -> None:
    found = figures(row["rows"], row["cols"], "unique" in row)
    assert {k: v for k, v in row.items() if k in found} == {k: found[k] for k in row if k in found}


def label(row: dict[str, Any]) -> str:
    return f"{row['rows']}x{row['cols']}"


QUICK = [row for row in COUNTS["measured"] if row["seconds"] < 1]
SLOW = [row for row in COUNTS["measured"] if row["seconds"] >= 1]


@pytest.mark.parametrize("row", COUNTS["published"], ids=label)
def test_published_figures(row: dict[str, Any]) -> None:
    hold(row)


@pytest.mark.parametrize("row", QUICK, ids=label)
def test_measured_figures(row: dict[str, Any]) -> None:
    hold(row)


@pytest.mark.long
@pytest.mark.parametrize("row", SLOW, ids=label)
def test_measured_figures_of_larger_boards(row: dict[str, Any]) -> None:
    hold(row)


def test_four_by_four() -> None:
    found = census(4, 4, confirm=exact_cover)
    assert (found.dissections, len(found.unprintable)) == (70878, 12)
    common = traits(4, 4, found.unprintable)
    assert common == module.Traits({6: 12}, strips_only=12, domino_pair=12)


# Against the twins

TINY = [(1, 1), (1, 2), (1, 7), (7, 1), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (2, 5)]


@pytest.mark.parametrize(("rows", "cols"), TINY)
def test_census_reads_the_rules(rows: int, cols: int) -> None:
    assert census(rows, cols, full=True) == twin(rows, cols)
    assert census(rows, cols).unprintable == twin(rows, cols).unprintable


@pytest.mark.parametrize(("rows", "cols"), [(3, 4), (2, 6)])
def test_census_without_search(rows: int, cols: int) -> None:
    found = census(rows, cols, full=True)
    assert (found.by_answers, len(found.unprintable)) == sort(rows, cols)


@pytest.mark.long
@pytest.mark.parametrize(("rows", "cols"), [(3, 5), (4, 4)])
def test_larger_census_without_search(rows: int, cols: int) -> None:
    found = census(rows, cols, full=True)
    assert (found.by_answers, len(found.unprintable)) == sort(rows, cols)


def test_dissections_read_plainly() -> None:
    grid = Grid(3, 3)
    legal = 0
    for walls in product((0, 1), repeat=12):
        divided = [[r * 3 + c for r, c in sorted(room)] for room in flood(grid, walls)]
        assert rooms(grid, walls) == sorted(divided)
        assert prints(grid, walls) == [sum(sides(grid, walls, grid.cell(i))) for i in range(9)]
        assert module._legal(grid, walls) == is_dissection(grid, walls)
        legal += is_dissection(grid, walls)
    assert legal == 322


def write(tables: kernels.Tables, work: kernels.Work, printed: Printed) -> int:
    """Give a print to the kernels; its number of numbers."""
    numbers = [(i, n) for i, n in enumerate(printed) if n is not None]
    for k, (i, n) in enumerate(numbers):
        work.print.cells[k], work.print.numbers[k] = i, n
    return len(numbers)


def test_kernel_counts_answers() -> None:
    every = all_prints(3, 3)
    tables = kernels.tables(Grid(3, 3))
    work = kernels.workspace(tables)
    for printed, answers in every.items():
        count = write(tables, work, printed)
        assert kernels.count_answers(tables, work, count, 100) == len(answers)
        assert kernels.count_answers(tables, work, count, 2) == min(len(answers), 2)
        assert set(exact_cover(3, 3, printed)) == set(answers)


def test_kernel_counts_answers_of_any_numbers() -> None:
    every = all_prints(2, 4)
    tables = kernels.tables(Grid(2, 4))
    work = kernels.workspace(tables)
    answered = 0
    for printed in product((None, 0, 1, 2, 3, 4), repeat=4):
        for below in product((None, 2, 3), repeat=4):
            board = (*printed, *below)
            found = kernels.count_answers(tables, work, write(tables, work, board), 100)
            assert found == len(every.get(board, ()))
            answered += found > 0
    assert answered > 100


def test_first_seats_are_a_permutation_of_the_room() -> None:
    tables = kernels.tables(Grid(3, 4))
    for t, shape in product(range(12), repeat=2):
        held = {q for q in range(12) if tables.cells[t, shape] >> q & 1}
        if held:
            assert set(tables.seats[t, shape, : tables.areas[shape]].tolist()) == held


def test_rectangles_that_hold_a_number() -> None:
    explains = kernels.tables(Grid(6, 6)).explains
    found = [sum(int(mask).bit_count() for mask in explains[n].ravel()) for n in range(5)]
    assert found == [400, 1200, 1140, 360, 36]


# Symmetry, workers, confirmation


@pytest.mark.parametrize("size", [(1, 6), (2, 2), (2, 5), (3, 3), (3, 4), (4, 3)])
def test_orbits_change_nothing(size: tuple[int, int]) -> None:
    assert census(*size, full=True) == census(*size, full=True, symmetric=False)


def test_orbits_keep_the_unprintable() -> None:
    assert census(4, 4) == census(4, 4, symmetric=False)


def test_transposed_board_has_the_same_figures() -> None:
    one, other = census(3, 4, full=True), census(4, 3, full=True)
    assert (one.legal, one.by_answers) == (other.legal, other.by_answers)


@pytest.mark.parametrize("full", [False, True])
def test_workers_change_nothing(full: bool) -> None:
    assert census(3, 4, full=full, jobs=1) == census(3, 4, full=full, jobs=3)


def test_unprintable_ones_have_no_print_with_one_answer() -> None:
    for walls in census(4, 4).unprintable[::4]:
        numbers = prints(Grid(4, 4), walls)
        for seats in product(*rooms(Grid(4, 4), walls)):
            printed = tuple(n if i in seats else None for i, n in enumerate(numbers))
            answers = exact_cover(4, 4, printed)
            assert walls in answers and len(answers) > 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "unprintable"), [((4, 5), 267), ((3, 7), 2), ((2, 11), 2), ((2, 12), 19)]
)
def test_unprintable_ones_are_confirmed(size: tuple[int, int], unprintable: int) -> None:
    assert len(census(*size, confirm=exact_cover).unprintable) == unprintable


def test_confirmation_asks_and_believes_nothing() -> None:
    def one_answer(rows: int, cols: int, printed: Printed) -> list[Walls]:
        return [w for w in exact_cover(rows, cols, printed) if w in unprintable]

    def no_rectangles(rows: int, cols: int, printed: Printed) -> list[Walls]:
        return [(0,) * 23 + (1,)]

    def wrong_numbers(rows: int, cols: int, printed: Printed) -> list[Walls]:
        return [(0,) * 24]

    unprintable = census(4, 4).unprintable[:1]
    for liar in (one_answer, no_rectangles, wrong_numbers):
        with pytest.raises(EngineFault, match="second answer"):
            census(4, 4, confirm=liar)


def test_traits() -> None:
    grid = Grid(2, 4)
    pair = (0, 1, 0, 0, 1, 0, 1, 1, 0, 0)  # two dominoes on the left, a 2x2 on the right
    apart = (1, 1, 1, 1, 1, 1, 0, 0, 0, 0)  # four dominoes, upright
    assert all(is_dissection(grid, walls) for walls in (pair, apart))
    assert traits(2, 4, [pair]) == module.Traits({3: 1}, strips_only=0, domino_pair=1)
    assert traits(2, 4, [pair, apart]) == module.Traits({3: 1, 4: 1}, 1, 2)
    assert traits(1, 4, [(0, 1, 0)]) == module.Traits({2: 1}, strips_only=1, domino_pair=0)


# Interruption


class Stop(Exception):
    """Ends a census on purpose."""


def stop_after(blocks: int) -> Any:
    def progress(stage: str, done: int, steps: int) -> None:
        if done >= blocks:
            raise Stop

    return progress


def test_resumed_census_gives_the_same(tmp_path: Path) -> None:
    file = tmp_path / "3x4"
    expected = census(3, 4, full=True)
    for blocks in (1, 40, 300):
        with pytest.raises(Stop):
            census(3, 4, full=True, resume=file, progress=stop_after(blocks))
        with file.open("ab") as torn:
            torn.write(b"[1001, [3, 4")
    seen: list[int] = []
    found = census(
        3, 4, full=True, jobs=2, resume=file, progress=lambda _, done, steps: seen.append(done)
    )
    assert found == expected
    assert seen[0] >= 300
    size = file.stat().st_size
    assert census(3, 4, full=True, resume=file) == expected
    assert file.stat().st_size == size


KILLED = """
import os, signal, sys
from pathlib import Path
from hashigo.counting.census import census
def progress(stage, done, steps):
    if done > 200:
        os.kill(os.getpid(), signal.SIGKILL)
census(4, 4, jobs=2, resume=Path(sys.argv[1]), progress=progress)
"""


def test_killed_census_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "4x4"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(file.read_text().splitlines()) > 200
    assert census(4, 4, resume=file) == census(4, 4)


def test_torn_header_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "file"
    census(2, 2, resume=file)
    whole = file.read_bytes()
    for size in range(whole.index(b"\n") + 1):
        file.write_bytes(whole[:size])
        assert census(2, 2, resume=file) == census(2, 2)


def test_cut_anywhere_a_file_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "file"
    expected = census(2, 3, full=True, resume=file)
    whole = file.read_bytes()
    for size in range(0, len(whole), 7):
        file.write_bytes(whole[:size])
        assert census(2, 3, full=True, resume=file) == expected
        assert sorted(file.read_bytes().split(b"\n")) == sorted(whole.split(b"\n"))


def test_files_of_other_work_are_refused_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for text in ("my notes", "my notes\n", '{"census": [3, 3]}\n', "\n"):
        file.write_text(text)
        with pytest.raises(PuzzleError, match="expected its first line"):
            census(2, 2, resume=file)
        assert file.read_text() == text
    census(2, 2, resume=(other := tmp_path / "other"))
    with pytest.raises(PuzzleError, match="not the progress file"):
        census(2, 2, full=True, resume=other)
    with pytest.raises(PuzzleError, match="expected a file"):
        census(2, 2, resume=tmp_path)


@pytest.mark.parametrize(
    "line",
    ["nonsense", "[1]", "{}", "[99, [0, 0, 0, 0, 0], [], []]", "[0, [1], [], []]",
     "[0, [1, 1, 1, 1, -1], [], []]", '[0, [1, 1, 1, 1, "0"], [], []]',
     "[0, [7, 7, 7, 7, 0], [], []]"],
)  # fmt: skip
def test_spoilt_files_are_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "file"
    census(2, 2, resume=file)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1], line, *lines[2:]]) + "\n")
    with pytest.raises(PuzzleError, match=r"file, line \d"):
        census(2, 2, resume=file)


def test_figures_that_contradict_each_other(tmp_path: Path) -> None:
    file = tmp_path / "file"
    census(2, 2, full=True, resume=file)
    lines = file.read_text().splitlines()
    for old, new in (("[[1, ", "[[2, "), ("[1, 1, ", "[2, 1, ")):
        spoilt = [line.replace(old, new) for line in lines]
        assert spoilt != lines
        file.write_text("\n".join(spoilt) + "\n")
        with pytest.raises(EngineFault):
            census(2, 2, full=True, resume=file)


# Limits


@pytest.mark.parametrize("size", [(0, 3), (3, 0), (-1, 2), (7, 7), (1, 62), (10**9, 1), (2, 21)])
def test_boards_out_of_reach(size: tuple[int, int]) -> None:
    with pytest.raises(PuzzleError, match="at most 60 inner borders"):
        census(*size)


def test_no_jobs() -> None:
    with pytest.raises(PuzzleError, match="expected at least 1"):
        census(2, 2, jobs=0)


@pytest.mark.parametrize("full", [False, True])
def test_limit_of_nodes_is_told(monkeypatch: pytest.MonkeyPatch, full: bool) -> None:
    whole = kernels.tables
    monkeypatch.setattr(
        kernels, "tables", lambda grid, symmetric: whole(grid, symmetric)._replace(nodes=3)
    )
    with pytest.raises(OutOfBudget, match="limit of 3 nodes"):
        census(2, 3, full=full)


def test_limit_of_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ANSWERS", 4)
    assert census(1, 6, full=True).unique == 133
    with pytest.raises(OutOfBudget, match="4 answers"):
        census(1, 7, full=True)
