r"""Tilepaint: tiles painted whole; a number says how many cells of its line are painted.

An interior clue cell cuts its row and its column: its `right` number counts the cells to its right
and its `down` number those below it, up to the next clue cell or the frame. So a number outside
counts up to the first clue cell of its line. A number that is blank says nothing, which is not the
same as 0. One with no cell to count is kept, and says nothing either.

A board that is left all white is right by these rules; the puzz.link checker alone refuses it.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from hashigo.models.grid import Grid
from hashigo.models.puzzle import Answer, Clause, Filling, Json, Mark, Puzzle, Violation
from hashigo.models.reading import (
    PuzzleError,
    number,
    put,
    read_table,
    require,
    require_size,
    table,
    tokens,
)
from hashigo.models.scan import HEX, Scan, base32, hex_code
from hashigo.models.walls import marks as wall_marks
from hashigo.models.walls import rooms

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

    from hashigo.models.cnf import Literals

Number = int | None  # a clue; None where blank

_RUNS = "ghijklmnopqrstuvwxyz"  # 1 to 20 cells in a URL
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LARGEST_CLUE = 255  # two hex digits
_CLUE_CELL = -1  # in place of a tile


class Inner(NamedTuple):
    """An interior clue cell: the number for the cells below it, and for those to its right."""

    down: Number
    right: Number


class Segment(NamedTuple):
    """Cells of one line between clue cells, and the number that counts them."""

    line: int
    cells: range
    clue: Number


@dataclass(frozen=True)
class Tilepaint(Puzzle):
    """A Tilepaint board.

    `tiles` holds a tile for each cell, numbered from 0 by first appearance in reading order, and -1
    for an interior clue cell, whose numbers `inner` has (None for any other cell).
    """

    name: ClassVar[str] = "tilepaint"
    LARGEST: ClassVar[int] = 60  # sums of a line are bits of an int64

    rows: int
    cols: int
    tiles: tuple[int, ...]
    col_clues: tuple[Number, ...]
    row_clues: tuple[Number, ...]
    inner: tuple[Inner | None, ...]

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            PuzzleError: a field is out of range, or the tiles are not connected and in order.
        """
        require_size(self.name, self.rows, self.cols, self.LARGEST)
        cells = self.rows * self.cols
        for field, length in (
            ("tiles", cells),
            ("inner", cells),
            ("col_clues", self.cols),
            ("row_clues", self.rows),
        ):
            count = len(getattr(self, field))
            require(count == length, f"tilepaint: expected {length} {field}, got {count}")
        for i, (tile, inner) in enumerate(zip(self.tiles, self.inner, strict=True)):
            require(
                (tile == _CLUE_CELL) == (inner is not None),
                f"tilepaint: {self.grid.name(i)} must be either of a tile or a clue cell",
            )
        for i, (tile, wanted) in enumerate(
            zip(self.tiles, _components(self.grid, self.tiles), strict=True)
        ):
            require(
                tile == wanted,
                f"tilepaint: tile {tile!r} at {self.grid.name(i)}; expected {wanted}, as tiles are "
                "connected and numbered in reading order",
            )
        for where, clue in self._numbers():
            require(
                clue is None or (type(clue) is int and 0 <= clue <= _LARGEST_CLUE),
                f"tilepaint: the clue {clue!r} {where} is not 0 to {_LARGEST_CLUE}",
            )

    @classmethod
    def from_labels(
        cls,
        rows: int,
        cols: int,
        labels: Sequence[Hashable],
        col_clues: Iterable[Number],
        row_clues: Iterable[Number],
        inner: Mapping[int, Inner] | None = None,
    ) -> Self:
        """The board whose tiles are the connected cells of one label; `inner` is by cell."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        inner = inner or {}
        marked = [_CLUE_CELL if i in inner else (label,) for i, label in enumerate(labels)]
        clue_cells = tuple(inner.get(i) for i in range(rows * cols))
        tiles = _components(Grid(rows, cols), marked)
        return cls(rows, cols, tiles, tuple(col_clues), tuple(row_clues), clue_cells)

    @classmethod
    def from_answer(cls, rows: int, cols: int, tiles: Sequence[int], answer: Answer) -> Self:
        """The board that shows every number of this answer; a tile of -1 is a clue cell."""
        inner = {i: Inner(None, None) for i, tile in enumerate(tiles) if tile == _CLUE_CELL}
        board = cls.from_labels(rows, cols, tiles, [None] * cols, [None] * rows, inner)
        numbers = [
            sum(answer[tiles[i]] for i in cells) if cells else None
            for _, _, cells in board._counted()
        ]
        pairs = zip(numbers[rows + cols :: 2], numbers[rows + cols + 1 :: 2], strict=True)
        shown = {i: Inner(*pair) for i, pair in zip(inner, pairs, strict=True)}
        return cls.from_labels(rows, cols, tiles, numbers[:cols], numbers[cols:][:rows], shown)

    @property
    def tile_count(self) -> int:
        """Number of tiles."""
        return max(self.tiles) + 1

    def tile_cells(self) -> list[list[int]]:
        """The cells of each tile, in reading order."""
        cells: list[list[int]] = [[] for _ in range(self.tile_count)]
        for i, tile in enumerate(self.tiles):
            if tile != _CLUE_CELL:
                cells[tile].append(i)
        return cells

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Every segment with a cell, line by line."""
        found = []
        for k, line in enumerate(self.grid.lines()):
            is_row = k < self.rows
            clue = self.row_clues[k] if is_row else self.col_clues[k - self.rows]
            start = 0
            for end, i in enumerate(line):
                if (inner := self.inner[i]) is not None:
                    found.append(Segment(k, line[start:end], clue))
                    clue = inner.right if is_row else inner.down
                    start = end + 1
            found.append(Segment(k, line[start:], clue))
        return tuple(segment for segment in found if segment.cells)

    def slices(self, segment: Segment) -> dict[int, int]:
        """How many cells of a segment each tile has, in order of first appearance."""
        found: dict[int, int] = {}
        for tile in self.tiles[segment.cells.start : segment.cells.stop : segment.cells.step]:
            found[tile] = found.get(tile, 0) + 1
        return found

    def segment_name(self, segment: Segment) -> str:
        """Name for people of a segment."""
        grid, cells = self.grid, segment.cells
        name = grid.line_name(segment.line)
        whole = len(cells) == len(grid.lines()[segment.line])
        return name if whole else f"{name} ({grid.name(cells[0])} to {grid.name(cells[-1])})"

    def _walls(self) -> list[bool]:
        """Whether each border parts two tiles, or a tile and a clue cell."""
        return [self.tiles[a] != self.tiles[b] for a, b in self.grid.borders()]

    def _numbers(self) -> Iterator[tuple[str, Number]]:
        """Every number, and where it stands."""
        for c, clue in enumerate(self.col_clues):
            yield f"of column {c + 1}", clue
        for r, clue in enumerate(self.row_clues):
            yield f"of row {r + 1}", clue
        for i, inner in enumerate(self.inner):
            if inner is not None:
                yield f"down of {self.grid.name(i)}", inner.down
                yield f"right of {self.grid.name(i)}", inner.right

    # Variables and answers

    def domains(self) -> Sequence[range]:
        """One variable per tile: 1 where it is painted."""
        return [range(2)] * self.tile_count

    def variable_name(self, index: int) -> str:
        """A tile has the name of its first cell."""
        return f"tile {self.grid.name(self.tiles.index(index))}"

    def fill(self, values: Sequence[int | None]) -> Filling:
        """One entry per cell: 1 painted, 0 not, None for an open tile or a clue cell."""
        return tuple(None if tile == _CLUE_CELL else values[tile] for tile in self.tiles)

    def violations(self, filling: Filling) -> Iterator[Violation]:
        """The codes of puzz.link; a cell with nothing written is not painted."""
        painted = {i for i, inner in enumerate(self.inner) if inner is None and filling[i] == 1}
        if not painted:
            yield Violation("brNoShade", "no cell is painted", house=True)
        for tile, cells in enumerate(self.tile_cells()):
            if not painted.isdisjoint(cells) and not painted.issuperset(cells):
                yield Violation("bkMixed", f"{self.variable_name(tile)} is painted in part")
        for where, clue, cells in self._counted():
            count = len(painted.intersection(cells))
            if clue is not None and cells and count != clue:
                yield Violation("asShadeNe", f"the {clue} {where} has {count} painted")

    def _counted(self) -> Iterator[tuple[str, Number, list[int]]]:
        """Each number with the cells that one meets, walking on from it."""
        for (where, clue), (r, c, across) in zip(self._numbers(), self._starts(), strict=True):
            cells = []
            while r < self.rows and c < self.cols and self.inner[r * self.cols + c] is None:
                cells.append(r * self.cols + c)
                r, c = (r, c + 1) if across else (r + 1, c)
            yield where, clue, cells

    def _starts(self) -> Iterator[tuple[int, int, bool]]:
        """The row and column of the first cell that each number counts; whether it goes across."""
        yield from ((0, c, False) for c in range(self.cols))
        yield from ((r, 0, True) for r in range(self.rows))
        for i, inner in enumerate(self.inner):
            if inner is not None:
                r, c = self.grid.cell(i)
                yield r + 1, c, False
                yield r, c + 1, True

    def weaker(self) -> Iterator[Self]:
        """One number made blank."""
        for c, clue in enumerate(self.col_clues):
            if clue is not None:
                yield replace(self, col_clues=put(self.col_clues, c, None))
        for r, clue in enumerate(self.row_clues):
            if clue is not None:
                yield replace(self, row_clues=put(self.row_clues, r, None))
        for i, inner in enumerate(self.inner):
            for field in inner._fields if inner else ():
                if inner and getattr(inner, field) is not None:
                    cell = inner._replace(**{field: None})
                    yield replace(self, inner=put(self.inner, i, cell))

    def transpose(self) -> Self:
        """Rows and columns exchanged."""
        old = [r * self.cols + c for c in range(self.cols) for r in range(self.rows)]
        moved = [self.inner[i] for i in old]
        inner = {k: Inner(cell.right, cell.down) for k, cell in enumerate(moved) if cell}
        return self.from_labels(
            self.cols,
            self.rows,
            [self.tiles[i] for i in old],
            self.row_clues,
            self.col_clues,
            inner,
        )

    def flip(self) -> Self:
        """Upside down: the numbers of each column change places from end to end."""
        rows, cols = self.rows, self.cols
        old = [i for r in reversed(range(rows)) for i in self.grid.row(r)]
        inner = {k: cell for k, i in enumerate(old) if (cell := self.inner[i])}
        col_clues = []
        for c in range(cols):
            cells = [k for k in self.grid.column(c) if k in inner]
            down = [*(inner[k].down for k in cells), self.col_clues[c]]
            col_clues.append(down[0])
            for k, clue in zip(cells, down[1:], strict=True):
                inner[k] = inner[k]._replace(down=clue)
        labels = [self.tiles[i] for i in old]
        return self.from_labels(rows, cols, labels, col_clues, reversed(self.row_clues), inner)

    # CP-SAT: one linear equality per segment, over tiles weighted by their slices

    def post(self, model: "CpModel", x: "Sequence[IntVar]") -> None:
        """Post the model."""
        for segment in self.segments:
            if segment.clue is not None:
                slices = self.slices(segment)
                model.add(sum(size * x[tile] for tile, size in slices.items()) == segment.clue)

    # CNF: per segment an automaton over the sums that can be reached

    def shape(self) -> Hashable:
        """Size and tiles; clue cells are where no tile is."""
        return self.rows, self.cols, self.tiles

    def rule_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """None: without clues any painting is right."""
        return []

    def clue_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """Segments with their clues. Their automata are as strong as one segment alone can be."""
        return [
            ("owes", k, segment.clue)
            for k, segment in enumerate(self.segments)
            if segment.clue is not None
        ]

    def fragment(self, key: Any, x: "Literals") -> Iterable[Clause]:
        """The clauses of one clue."""
        match key:
            case ("owes", k, clue):
                slices = self.slices(self.segments[k])
                helpers, clauses = _automaton(tuple(slices.values()), clue)
                lits = [x.value(tile, 1) for tile in slices]
                lits += [x.helper((*key, helper)) for helper in range(helpers)]
                # Indexed by literal, the negative ones from the end.
                renamed = [0, *lits, *(-lit for lit in reversed(lits))]
                return [[renamed[lit] for lit in clause] for clause in clauses]
        raise KeyError(key)

    def group_name(self, key: Any) -> str:
        """A segment, which has one number."""
        return self.segment_name(self.segments[key[1]])

    # Formats

    @classmethod
    def from_url_body(cls, rows: int, cols: int, body: str) -> Self:
        """Borders in base 32, clue cells among the skipped ones, then the numbers outside."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        scan = Scan(cls.name, body)
        walls = scan.bits(rows * (cols - 1)) + scan.bits((rows - 1) * cols)
        inner = _clue_cells(scan, rows * cols)
        col_clues = [_outside(scan, f"column {c + 1}") for c in range(cols)]
        row_clues = [_outside(scan, f"row {r + 1}") for r in range(rows)]
        scan.end()
        tiles = _number(Grid(rows, cols), walls, inner)
        clue_cells = tuple(inner.get(i) for i in range(rows * cols))
        return cls(rows, cols, tiles, tuple(col_clues), tuple(row_clues), clue_cells)

    def url_body(self) -> str:
        """The body."""
        walls = self._walls()
        split = self.rows * (self.cols - 1)
        parts = [base32(walls[:split]), base32(walls[split:])]
        run = 0
        for inner in self.inner:
            if inner is None:
                run += 1
            else:
                parts += _skip(run), _inner_code(inner)
                run = 0
        parts.append(_skip(run))
        parts += map(_outside_code, (*self.col_clues, *self.row_clues))
        return "".join(parts)

    @classmethod
    def from_file(cls, rows: int, cols: int, lines: Sequence[str]) -> tuple[Self, Filling | None]:
        """Tile ids, numbers (`right,down` in a clue cell, -1 blank), then what is painted.

        The blank board of a file that ends after its header is one tile with every number 0, and
        nothing painted.
        """
        require_size(cls.name, rows, cols, cls.LARGEST)
        cells = rows * cols
        if not any(line.split() for line in lines):
            return cls.from_labels(rows, cols, [0] * cells, [0] * cols, [0] * rows), None
        tokens("tilepaint", lines, 0, 1)
        ids = [token for r in range(rows) for token in tokens("tilepaint", lines, 1 + r, cols)]
        _, *above = tokens("tilepaint", lines, rows + 1, cols + 1)
        col_clues = [_written(token, "-1", f"file, body line {rows + 2}") for token in above]
        row_clues = []
        inner: dict[int, Inner] = {}
        for r in range(rows):
            k = rows + 2 + r
            where = f"file, body line {k + 1}"
            first, *rest = tokens("tilepaint", lines, k, cols + 1)
            row_clues.append(_written(first, "-1", where))
            for i, token in enumerate(rest, r * cols):
                if token != ".":
                    right, comma, down = token.partition(",")
                    require(
                        bool(comma),
                        f"tilepaint {where}: cell {token!r}; expected '.' or 'right,down'",
                    )
                    inner[i] = Inner(*(_written(part, "-1", where) for part in (down, right)))
        for i, label in enumerate(ids):
            require(
                i in inner or number(label) is not None,
                f"tilepaint file, body line {2 + i // cols}: tile {label!r}; expected a number, "
                "or '.' for a clue cell",
            )
        puzzle = cls.from_labels(rows, cols, ids, col_clues, row_clues, inner)
        return puzzle, puzzle._file_filling(lines, 2 * rows + 2)

    def _file_filling(self, lines: Sequence[str], first: int) -> Filling | None:
        """What is painted, from this body line on."""
        if not any(line.split() for line in lines[first:]):
            return None
        signs = [
            t for r in range(self.rows) for t in tokens(self.name, lines, first + r, self.cols)
        ]
        return self._painted(signs, {"#": 1, "+": 0, "-": None, ".": None}, "file")

    def _painted(self, signs: Sequence[str], known: Mapping[str, Number], form: str) -> Filling:
        """One sign per cell as a filling."""
        for i, sign in enumerate(signs):
            require(
                sign in known,
                f"tilepaint {form}: {sign!r} at {self.grid.name(i)}; "
                f"expected one of {' '.join(known)}",
            )
            require(
                self.inner[i] is None or known[sign] is None,
                f"tilepaint {form}: {sign!r} at {self.grid.name(i)}, which is a clue cell",
            )
        return tuple(known[sign] for sign in signs)

    def file_lines(self, filling: Filling | None) -> Iterator[str]:
        """The inverse of `from_file`."""
        yield str(self.tile_count)
        for r in range(self.rows):
            ids = (self.tiles[i] for i in self.grid.row(r))
            yield " ".join("." if tile == _CLUE_CELL else str(tile) for tile in ids)
        yield " ".join(["0", *(_sign(clue, "-1") for clue in self.col_clues)])
        for r, clue in enumerate(self.row_clues):
            cells = (self.inner[i] for i in self.grid.row(r))
            codes = (f"{_sign(x.right, '-1')},{_sign(x.down, '-1')}" if x else "." for x in cells)
            yield " ".join([_sign(clue, "-1"), *codes])
        for r in range(self.rows):
            written = (filling[i] if filling else None for i in self.grid.row(r))
            yield " ".join("." if entry is None else "+#"[entry] for entry in written)

    @classmethod
    def from_text(
        cls, rows: int, cols: int, options: Mapping[str, str], lines: Sequence[Sequence[str]]
    ) -> Self:
        """A line of column numbers; then for each row its number and a tile label per cell.

        A clue cell is `down` and `right` parted by a backslash; a blank number is a dot.
        """
        require_size(cls.name, rows, cols, cls.LARGEST)
        require(not options, f"tilepaint text, header: {sorted(options)}; expected no options")
        require(
            len(lines) == rows + 1,
            f"tilepaint text: expected {rows + 1} lines after the header, got {len(lines)}",
        )
        for k, line in enumerate(lines):
            width = cols + (k > 0)
            require(
                len(line) == width,
                f"tilepaint text, line {k + 2}: expected {width} entries, got {len(line)}",
            )
        labels = [label for line in lines[1:] for label in line[1:]]
        inner: dict[int, Inner] = {}
        for i, label in enumerate(labels):
            down, stroke, right = label.partition("\\")
            if stroke:
                inner[i] = Inner(*(_written(part, ".", "text") for part in (down, right)))
            require(
                bool(stroke) or (label.isascii() and label.isalnum()),
                f"tilepaint text, {Grid(rows, cols).name(i)}: {label!r}; expected a label of "
                "letters or digits, or a clue cell such as 4\\.",
            )
        col_clues = [_written(token, ".", "text") for token in lines[0]]
        row_clues = [_written(line[0], ".", "text") for line in lines[1:]]
        return cls.from_labels(rows, cols, labels, col_clues, row_clues, inner)

    def text_options(self) -> Mapping[str, str]:
        """None."""
        return {}

    def text_lines(self) -> Iterator[str]:
        """The inverse of `from_text`, aligned."""
        few = self.tile_count <= len(_LETTERS)
        grid = [["", *(_sign(clue, ".") for clue in self.col_clues)]]
        for r, clue in enumerate(self.row_clues):
            row = [_sign(clue, ".")]
            for i in self.grid.row(r):
                inner, tile = self.inner[i], self.tiles[i]
                if inner is not None:
                    row.append(f"{_sign(inner.down, '.')}\\{_sign(inner.right, '.')}")
                else:
                    row.append(_LETTERS[tile] if few else str(tile + 1))
            grid.append(row)
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        for row in grid:
            cells = zip(row, widths, strict=True)
            yield " ".join(f"{entry:>{width}}" for entry, width in cells)

    @classmethod
    def from_json(cls, rows: int, cols: int, data: Mapping[str, Json]) -> Self:
        """Fields `rooms` (rows of tile ids, -1 a clue cell), `cells`, `col_clues`, `row_clues`.

        `cells` is an object of `"row,column": [right, down]`, from 0; a blank number is null. The
        numbers outside are not called `cols` and `rows`, which is the size of the board.
        """
        require_size(cls.name, rows, cols, cls.LARGEST)
        grid = Grid(rows, cols)
        ids = read_table("tilepaint JSON, 'rooms'", data.get("rooms"), rows, cols)
        for i, tile in enumerate(ids):
            require(
                type(tile) is int and tile >= _CLUE_CELL,
                f"tilepaint JSON: tile {tile!r} at {grid.name(i)}; expected a number from 0, or -1",
            )
        cells = data.get("cells", {})
        require(isinstance(cells, dict), "tilepaint JSON: expected 'cells' to be an object")
        inner = {i: _json_inner(cells, grid, i) for i, tile in enumerate(ids) if tile < 0}
        stray = set(cells) - {_place(grid, i) for i in inner}
        require(
            not stray,
            f"tilepaint JSON: numbers in 'cells' at {min(stray, default='')!r}; expected "
            "'row,column' from 0 of a cell that is -1 in 'rooms'",
        )
        col_clues = _json_clues(data, "col_clues", cols)
        row_clues = _json_clues(data, "row_clues", rows)
        return cls.from_labels(rows, cols, ids, col_clues, row_clues, inner)

    def json_fields(self) -> Mapping[str, Json]:
        """The inverse of `from_json`."""
        places = ((_place(self.grid, i), inner) for i, inner in enumerate(self.inner))
        return {
            "rooms": table(self.tiles, self.rows, self.cols),
            "cells": {place: [inner.right, inner.down] for place, inner in places if inner},
            "col_clues": list(self.col_clues),
            "row_clues": list(self.row_clues),
        }

    def filling_json(self, filling: Filling) -> Json:
        """A string per row: `#` painted, `.` not, `?` nothing written, `x` a clue cell."""
        cells = zip(filling, self.inner, strict=True)
        signs = ["x" if inner else "?" if entry is None else ".#"[entry] for entry, inner in cells]
        return ["".join(row) for row in table(signs, self.rows, self.cols)]

    def read_filling(self, data: Json) -> Filling:
        """The inverse of `filling_json`."""
        require(
            isinstance(data, list) and all(isinstance(row, str) for row in data),
            "tilepaint answer: expected a string per row",
        )
        signs = read_table("tilepaint answer", [list(row) for row in data], self.rows, self.cols)
        return self._painted(signs, {"#": 1, ".": 0, "?": None, "x": None}, "answer")

    def answer_line(self, answer: Answer) -> str:
        """Rows parted by slashes."""
        return "/".join(self.filling_json(self.fill(answer)))

    def marks(self, filling: Filling | None = None) -> Iterator[Mark]:
        """Walls between tiles and round the board, numbers, then what is painted or not."""
        yield from wall_marks(self.grid, tuple(map(int, self._walls())))
        for c, clue in enumerate(self.col_clues):
            if clue is not None:
                yield Mark("outside", -1, 2 * c + 1, str(clue))
        for r, clue in enumerate(self.row_clues):
            if clue is not None:
                yield Mark("outside", 2 * r + 1, -1, str(clue))
        for i, inner in enumerate(self.inner):
            if inner is not None:
                numbers = ("" if clue is None else str(clue) for clue in inner)
                yield Mark("block", *self.grid.place(i))
                yield Mark("down-right", *self.grid.place(i), "\\".join(numbers))
            elif filling and (entry := filling[i]) is not None:
                yield Mark("shade" if entry else "open", *self.grid.place(i))


def _clue_cells(scan: Scan, cells: int) -> dict[int, Inner]:
    """The interior clue cells among this many cells of a URL body."""
    inner: dict[int, Inner] = {}
    i = 0
    while i < cells:
        what = "a run of cells (g-z) or a clue cell (0-9, a-f, one of . - + =)"
        char = scan.next(_RUNS + HEX + ".-+=", what)
        run = _RUNS.find(char) + 1
        scan.require(i + run <= cells, f"a run of at most {cells - i} cells")
        if run == 0:
            if char not in "-+=":
                scan.back()
            what = "(or . for a blank, which puzz.link miswrites as -1)"
            down = scan.hex2(what) if char in "+=" else scan.hex1(what)
            right = scan.hex2(what) if char in "-=" else scan.hex1(what)
            inner[i] = Inner(down, right)
        i += run or 1
    return inner


def _skip(run: int) -> str:
    return _RUNS[-1] * (run // 20) + (_RUNS[run % 20 - 1] if run % 20 else "")


def _outside(scan: Scan, line: str) -> Number:
    """The number of a line."""
    if scan.next(HEX + ".-", f"the number of {line}, one of 0-9, a-f, . or -") == "-":
        return scan.hex2(f"of {line}")
    scan.back()
    return scan.hex1(f"of {line}")


def _outside_code(clue: Number) -> str:
    return ("-" if clue is not None and clue > 15 else "") + hex_code(clue)


def _inner_code(inner: Inner) -> str:
    down, right = (len(hex_code(clue)) - 1 for clue in inner)
    return ("", "-", "+", "=")[2 * down + right] + hex_code(inner.down) + hex_code(inner.right)


def _written(token: str, blank: str, where: str) -> Number:
    """A number of a file or text, which has a sign for a blank."""
    clue = number(token)
    require(
        clue is not None or token == blank,
        f"tilepaint {where}: number {token!r}; expected a number, or {blank!r} for a blank",
    )
    return clue


def _sign(clue: Number, blank: str) -> str:
    return blank if clue is None else str(clue)


def _place(grid: Grid, i: int) -> str:
    r, c = grid.cell(i)
    return f"{r},{c}"


def _json_clues(data: Mapping[str, Json], field: str, length: int) -> list[Number]:
    clues = data.get(field)
    if not isinstance(clues, list) or len(clues) != length:
        raise PuzzleError(f"tilepaint JSON: {field!r} is not a list of {length} numbers or nulls")
    return clues


def _json_inner(cells: Mapping[str, Json], grid: Grid, i: int) -> Inner:
    pair = cells.get(_place(grid, i))
    if not isinstance(pair, list) or len(pair) != 2:
        raise PuzzleError(
            f"tilepaint JSON: {pair!r} in 'cells' for the clue cell {_place(grid, i)!r}; "
            "expected [right, down]"
        )
    return Inner(down=pair[1], right=pair[0])


def _components(grid: Grid, labels: Sequence[Hashable]) -> tuple[int, ...]:
    """Connected cells of one label, numbered by first appearance; -1 stays what it is."""
    clue_cells = {i for i, label in enumerate(labels) if label == _CLUE_CELL}
    return _number(grid, [labels[a] != labels[b] for a, b in grid.borders()], clue_cells)


def _number(grid: Grid, walls: Sequence[bool], clue_cells: Collection[int]) -> tuple[int, ...]:
    """Tiles by first appearance: what no wall and no clue cell parts."""
    closed = tuple(
        int(wall or border.a in clue_cells or border.b in clue_cells)
        for border, wall in zip(grid.borders(), walls, strict=True)
    )
    names: dict[int, int] = {}
    return tuple(
        _CLUE_CELL if i in clue_cells else names.setdefault(room, len(names))
        for i, room in enumerate(rooms(grid, closed))
    )


@lru_cache(maxsize=4096)
def _automaton(sizes: tuple[int, ...], clue: int) -> tuple[int, list[Clause]]:
    """A segment with slices of these sizes as a layered automaton: its helpers, and its clauses.

    A state is the sum painted so far; only states from which the clue can be reached are kept. Each
    arc implies its ends and its tile's colour; each state some arc in and some arc out; each colour
    some arc. So unit propagation keeps exactly the colours on a path (a decision diagram with both
    directions; compare Abio et al., On CNF Encodings of Decision Diagrams, CPAIOR 2016).

    The slices are the literals from 1, the helpers those after them.
    """
    layers = _sums(sizes, clue)
    fresh = count(len(sizes) + 1)
    states = [{total: next(fresh) for total in layer} for layer in layers]
    clauses = [[states[0][0]]]
    for position, size in enumerate(sizes):
        here, there = states[position], states[position + 1]
        into: dict[int, list[int]] = {total: [] for total in there}
        by_colour: list[list[int]] = [[], []]
        for total, state in here.items():
            out = []
            for colour, target in enumerate((total, total + size)):
                if target in there:
                    arc = next(fresh)
                    painted = position + 1 if colour else -position - 1
                    clauses += [-arc, state], [-arc, there[target]], [-arc, painted]
                    out.append(arc)
                    into[target].append(arc)
                    by_colour[colour].append(arc)
            clauses.append([-state, *out])
        clauses += ([-there[target], *arcs] for target, arcs in into.items())
        clauses += [[position + 1, *by_colour[0]], [-position - 1, *by_colour[1]]]
    return next(fresh) - len(sizes) - 1, clauses


def _sums(sizes: Sequence[int], clue: int) -> list[list[int]]:
    """The sums after each of these slices, of those from which the clue can be reached.

    The first layer is 0 even where nothing can.
    """
    reached = [{0}]
    for size in sizes:
        reached.append({total + colour * size for total in reached[-1] for colour in range(2)})
    kept = [reached.pop() & {clue}]
    for size in reversed(sizes):
        layer = reached.pop()
        kept.append({total for total in layer if {total, total + size} & kept[-1]})
    return [[0], *(sorted(layer) for layer in reversed(kept[:-1]))]
