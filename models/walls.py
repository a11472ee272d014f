"""Walls between cells: what the genres share that divide a board into rooms.

A filling has one entry for each inner border: 1 a wall, 0 none, None where nothing is written.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from hashigo.models.grid import Grid
from hashigo.models.puzzle import Filling, Json, Mark
from hashigo.models.reading import require, table, tokens

_FILE_WALLS = {"0": 0, "-1": 0, "1": 1, "2": 1}  # -1 and 2 carry a helper mark


def rooms(grid: Grid, filling: Filling) -> list[int]:
    """The room of each cell, numbered in reading order: cells are joined where no wall is."""
    links = _links(grid)
    room = [-1] * (grid.rows * grid.cols)
    met = 0
    for start in range(len(room)):
        if room[start] >= 0:
            continue
        room[start] = met
        pending = [start]
        while pending:
            for border, other in links[pending.pop()]:
                if room[other] < 0 and filling[border] != 1:
                    room[other] = met
                    pending.append(other)
        met += 1
    return room


@lru_cache(maxsize=64)
def _links(grid: Grid) -> list[list[tuple[int, int]]]:
    """For each cell its inner borders, with the cell on the other side."""
    links: list[list[tuple[int, int]]] = [[] for _ in range(grid.rows * grid.cols)]
    for k, (a, b) in enumerate(grid.borders()):
        links[a].append((k, b))
        links[b].append((k, a))
    return links


def to_rows(grid: Grid, filling: Filling | None, blank: str) -> tuple[list[str], list[str]]:
    """The vertical and the horizontal borders by rows; `blank` where nothing is written."""
    written = filling or (None,) * len(grid.borders())
    signs = [blank if wall is None else str(wall) for wall in written]
    split = grid.rows * (grid.cols - 1)
    right = table(signs[:split], grid.rows, grid.cols - 1)
    down = table(signs[split:], grid.rows - 1, grid.cols)
    return ["".join(row) for row in right], ["".join(row) for row in down]


def read_lines(name: str, grid: Grid, lines: Sequence[str], start: int) -> Filling | None:
    """The borders of a pzprv3 file from this body line on; None where the file ends there.

    Files have the borders of the frame too; those from before 2019 do not.
    """
    if not any(line.split() for line in lines[start:]):
        return None
    rows, cols = grid
    first = len(lines[start].split())
    require(
        first in (cols + 1, cols - 1),
        f"{name} file, body line {start + 1}: expected {cols + 1} tokens, or {cols - 1} as in "
        f"files without the frame, got {first}",
    )
    frame = int(first == cols + 1)
    widths = [first] * rows + [cols] * (rows - 1 + 2 * frame)
    walls: list[list[int]] = []
    for k, width in enumerate(widths, start):
        walls.append([])
        for token in tokens(name, lines, k, width):
            require(
                token in _FILE_WALLS,
                f"{name} file, body line {k + 1}: border {token!r}; expected 0, 1, 2 or -1",
            )
            walls[-1].append(_FILE_WALLS[token])
    end = start + len(widths)
    require(
        not any(line.split() for line in lines[end:]),
        f"{name} file, body line {end + 1}: expected the end of the file",
    )
    right = [wall for line in walls[:rows] for wall in line[frame : frame + cols - 1]]
    down = [wall for line in walls[rows + frame : len(walls) - frame] for wall in line]
    return (*right, *down)


def to_lines(grid: Grid, filling: Filling | None) -> Iterator[str]:
    """The borders as lines of a pzprv3 file, with those of the frame."""
    right, down = to_rows(grid, filling, "0")
    yield from (" ".join(f"0{row}0") for row in right)
    yield from (" ".join(row) for row in ("0" * grid.cols, *down, "0" * grid.cols))


def to_json(grid: Grid, filling: Filling) -> Json:
    """Room numbers by cell; `v` and `h`, rows of borders with `.` where nothing is written."""
    right, down = to_rows(grid, filling, ".")
    return {"regions": table(rooms(grid, filling), *grid), "v": right, "h": down}


def read_json(name: str, grid: Grid, data: Json) -> Filling:
    """The inverse of `to_json`; the regions may be left out."""
    require(isinstance(data, dict), f"{name} answer: expected an object with 'v' and 'h'")
    right = _read_rows(name, "v", data, grid.rows, grid.cols - 1)
    filling = (*right, *_read_rows(name, "h", data, grid.rows - 1, grid.cols))
    require(
        data.get("regions") in (None, table(rooms(grid, filling), *grid)),
        f"{name} answer: 'regions' are not the rooms, in reading order, that 'v' and 'h' draw",
    )
    return filling


def _read_rows(name: str, field: str, data: Mapping[str, Json], rows: int, cols: int) -> Filling:
    given = data.get(field)
    require(
        isinstance(given, list)
        and len(given) == rows
        and all(isinstance(row, str) and re.fullmatch("[01.]*", row) for row in given)
        and all(len(row) == cols for row in given),
        f"{name} answer, {field!r}: expected {rows} strings of {cols} signs 0, 1 or '.'",
    )
    assert isinstance(given, list)
    return tuple(None if sign == "." else int(sign) for row in given for sign in row)


def marks(grid: Grid, filling: Filling | None) -> Iterator[Mark]:
    """The frame, then the walls."""
    for y in range(1, 2 * grid.rows, 2):
        yield Mark("wall", y, 0)
        yield Mark("wall", y, 2 * grid.cols)
    for x in range(1, 2 * grid.cols, 2):
        yield Mark("wall", 0, x)
        yield Mark("wall", 2 * grid.rows, x)
    for border, wall in zip(grid.borders(), filling or (), strict=bool(filling)):
        if wall == 1:
            yield Mark("wall", *grid.border_place(border))
