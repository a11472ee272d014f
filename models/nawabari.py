"""Nawabari (Territory): rectangles with one number each, which counts the walls round its cell.

The frame of the board is a wall. A number may be unknown (`?`): it is still the one number of its
rectangle. The variables are the inner borders, 1 for a wall.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self

from hashigo.models import walls
from hashigo.models.grid import Cell, Grid
from hashigo.models.puzzle import Answer, Clause, Filling, Json, Mark, Puzzle, Violation
from hashigo.models.reading import (
    PuzzleError,
    put,
    read_table,
    require,
    require_size,
    table,
    tokens,
)
from hashigo.models.verdict import OutOfReach

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

    from hashigo.models.cnf import Literals

UNKNOWN: Final = "?"
Number = int | Literal["?"] | None

_ROOM_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST = 1_000_000  # entries that a model may have, or a part of a formula


class _Box(NamedTuple):
    """A rectangle of cells, its last row and column included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class Nawabari(Puzzle):
    """A Nawabari board: for each cell 0 to 4, UNKNOWN, or None where it has no number."""

    name: ClassVar[str] = "nawabari"
    LARGEST: ClassVar[int] = 40

    rows: int
    cols: int
    numbers: tuple[Number, ...]

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            PuzzleError: a field is out of range.
        """
        require_size(self.name, self.rows, self.cols, self.LARGEST)
        cells = self.rows * self.cols
        require(
            len(self.numbers) == cells,
            f"nawabari: expected {cells} entries, one per cell, got {len(self.numbers)}",
        )
        for i, n in enumerate(self.numbers):
            require(
                n is None or n == UNKNOWN or (type(n) is int and 0 <= n <= 4),
                f"nawabari: the number {n!r} at {self.grid.name(i)} is not 0 to 4 or '?'",
            )

    @classmethod
    def from_answer(cls, rows: int, cols: int, answer: Answer, seats: Iterable[int]) -> Self:
        """The board that prints this answer with its numbers at these cells."""
        grid = Grid(rows, cols)
        numbers: list[Number] = [None] * (rows * cols)
        for i in seats:
            numbers[i] = sum(1 if k is None else answer[k] for k in grid.sides(i))
        return cls(rows, cols, tuple(numbers))

    # Variables and answers

    def domains(self) -> Sequence[range]:
        """One variable per inner border: 1 is a wall."""
        return [range(2)] * len(self.grid.borders())

    def variable_name(self, index: int) -> str:
        """The name of the border."""
        return self.grid.border_name(self.grid.borders()[index])

    def violations(self, filling: Filling) -> Iterator[Violation]:
        """The codes of puzz.link."""
        grid, numbers = self.grid, self.numbers
        rooms: list[list[int]] = []
        for i, room in enumerate(walls.rooms(grid, filling)):
            if room == len(rooms):
                rooms.append([])
            rooms[room].append(i)
        for cells in rooms:
            # In reading order the first and the last cell are the corners of a rectangle.
            first, last = cells[0], cells[-1]
            width = last % self.cols - first % self.cols + 1
            starts = range(first, last + 1, self.cols)
            if cells != [i for start in starts for i in range(start, start + width)]:
                text = f"the room of {grid.name(first)} is not a rectangle"
                yield Violation("bkNotRect", text)
        seats = [[i for i in cells if numbers[i] is not None] for cells in rooms]
        for cells, held in zip(rooms, seats, strict=True):
            if not held:
                yield Violation("bkNoNum", f"the room of {grid.name(cells[0])} has no number")
        for held in seats:
            if len(held) > 1:
                names = " and ".join(map(grid.name, held))
                yield Violation("bkNumGe2", f"{names} have numbers in one room")
        for i, n in enumerate(numbers):
            if n is not None and n != UNKNOWN:
                drawn = [k is None or filling[k] == 1 for k in grid.sides(i)].count(True)
                if drawn != n:
                    many = f"{drawn} wall{'s' if drawn != 1 else ''}"
                    yield Violation("nmBorderNe", f"{grid.name(i)} is {n} and has {many}")
        drawn_at = [wall == 1 for wall in filling]
        for p, (up, across, down, back) in enumerate(grid.crossings()):
            if drawn_at[up] + drawn_at[across] + drawn_at[down] + drawn_at[back] == 1:
                r, c = divmod(p, self.cols - 1)
                text = f"a wall ends at the lower right corner of {grid.name(r * self.cols + c)}"
                yield Violation("bdDeadEnd", text)

    def weaker(self) -> Iterator[Self]:
        """One number made unknown."""
        for i, n in enumerate(self.numbers):
            if isinstance(n, int):
                yield replace(self, numbers=put(self.numbers, i, UNKNOWN))

    def transpose(self) -> Self:
        """Rows and columns exchanged."""
        grid = self.grid
        moved = tuple(self.numbers[i] for c in range(self.cols) for i in grid.column(c))
        return replace(self, rows=self.cols, cols=self.rows, numbers=moved)

    def flip(self) -> Self:
        """Upside down."""
        rows = range(self.rows - 1, -1, -1)
        return replace(self, numbers=tuple(self.numbers[i] for r in rows for i in self.grid.row(r)))

    # CP-SAT: one rectangle per number, exact cover of the cells

    def post(self, model: "CpModel", x: "Sequence[IntVar]") -> None:
        """Post the model.

        Raises:
            OutOfReach: the rectangles would be too many.
        """
        over: list[list[Any]] = [[] for _ in self.numbers]
        joining: list[list[Any]] = [[] for _ in x]
        area = 0
        for i in range(len(self.numbers)):
            for box in self._rectangles(i):
                cells = self._cells(box)
                area += len(cells)
                if area > _MOST:
                    raise _too_many("cpsat", "the rectangles that its numbers leave")
                chosen = model.new_bool_var(f"{self.grid.name(i)} {tuple(box)}")
                for j in cells:
                    over[j].append(chosen)
                    _, right, below, _ = self.grid.sides(j)
                    if right is not None and j % self.cols < box.right:
                        joining[right].append(chosen)
                    if below is not None and j // self.cols < box.bottom:
                        joining[below].append(chosen)
        for some in over:
            model.add_exactly_one(some)
        for wall, some in zip(x, joining, strict=True):
            model.add_exactly_one([wall, *some])

    def _rectangles(self, i: int) -> Iterator[_Box]:
        """The rectangles that hold the number at cell i, no other, and seat it right."""
        number = self.numbers[i]
        r, c = self.grid.cell(i)
        for top in range(r, -1, -1):
            for bottom in range(r, self.rows):
                # In these rows, the nearest columns that are taken by another number.
                taken = [
                    j % self.cols
                    for j in range(top * self.cols, (bottom + 1) * self.cols)
                    if self.numbers[j] is not None and j != i
                ]
                if c in taken or number is None:
                    break
                first = max((k + 1 for k in taken if k < c), default=0)
                last = min((k for k in taken if k > c), default=self.cols)
                for left, right in product(range(first, c + 1), range(c, last)):
                    box = _Box(top, left, bottom, right)
                    ends = (r == top) + (r == bottom) + (c == left) + (c == right)
                    if number in (UNKNOWN, ends):
                        yield box

    # CNF, plain: the vertex law, wall counts, and an owner per cell that is pulled to its number

    def shape(self) -> Hashable:
        """The size."""
        return self.rows, self.cols

    def rule_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """The law of each inner lattice point; in the plain form also an owner for each cell."""
        points = [("point", *point) for point in self.grid.crossings()]
        return points if strong else [*points, *(("owned", i) for i in range(len(self.numbers)))]

    def clue_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """Walls round each number, and where numbers are; in the strong form, their rectangles.

        Raises:
            OutOfReach: the board is too large for this form.
        """
        cells = len(self.numbers)
        keys: list[Hashable] = [
            ("walls", i, n) for i, n in enumerate(self.numbers) if isinstance(n, int)
        ]
        if not strong:
            if cells * cells > _MOST // 2:
                raise _too_many("cnf", f"an owner for each of {cells} cells")
            keys += [("seat" if n is not None else "blank", i) for i, n in enumerate(self.numbers)]
            return keys
        reaching: list[list[int]] = [[] for _ in self.numbers]
        area = 0
        for i in (i for i, n in enumerate(self.numbers) if n is not None):
            boxes = []
            for box in self._grown(i):
                boxes.append(box)
                area += (box.bottom - box.top + 1) * (box.right - box.left + 1)
                if area > _MOST // 4:
                    raise _too_many("cnf", "the rectangles that its numbers leave")
            keys.append(("room", i, tuple(sorted(boxes))))
            for j in {j for box in boxes for j in self._cells(box)}:
                reaching[j].append(i)
        keys += [("reached", j, tuple(some)) for j, some in enumerate(reaching)]
        return keys

    def fragment(self, key: Any, x: "Literals") -> Iterable[Clause]:
        """The clauses of one rule or clue."""
        match key:
            case ("point", up, right, down, left):
                return _vertex_law([x.value(k, 1) for k in (up, right, down, left)])
            case ("walls", i, number):
                return self._walls(i, number, x)
            case ("owned", i):
                return [[x.helper(("own", i, j)) for j in range(len(self.numbers))]]
            case ("seat", i):
                return self._seat(i, x)
            case ("blank", i):
                return ([-x.helper(("own", j, i))] for j in range(len(self.numbers)))
            case ("room", i, boxes):
                return self._room(i, boxes, x)
            case ("reached", j, seats):
                return [[x.helper(("own", j, i)) for i in seats]]
        raise KeyError(key)

    def group_name(self, key: Any) -> str:
        """A lattice point, a cell that needs a number's room, a number."""
        grid = self.grid
        match key:
            case ("point", up, _, down, _):
                corners = grid.borders()[up].a, grid.borders()[down].b
                return f"corner of {' and '.join(map(grid.name, corners))}"
            case ("owned", i):
                return f"room of {grid.name(i)}"
            case ("walls" | "seat", i, *_):
                return f"number {self.numbers[i]} at {grid.name(i)}"
        return ""

    def _walls(self, i: int, number: int, x: "Literals") -> Iterator[Clause]:
        """Exactly so many of the inner sides are walls that the frame makes up the rest."""
        sides = [x.value(k, 1) for k in self.grid.sides(i) if k is not None]
        wanted = number - (4 - len(sides))
        for some in combinations(sides, max(0, wanted + 1)):
            yield [-wall for wall in some]
        for some in combinations(sides, max(0, len(sides) - wanted + 1)):
            yield list(some)

    def _seat(self, i: int, x: "Literals") -> Iterator[Clause]:
        """The number at cell i: it owns a cell exactly if it owns the next one toward it, unwalled.

        So an owner is joined to its cells; and its own cell belongs to no other number.
        """
        r, c = self.grid.cell(i)
        for j in range(len(self.numbers)):
            yield [x.helper(("own", i, j)) * (1 if i == j else -1)]
        for k, (a, b) in enumerate(self.grid.borders()):
            nearer_a = r <= a // self.cols if b - a == self.cols else c <= a % self.cols
            near, far = (a, b) if nearer_a else (b, a)
            owned, next_owned = x.helper(("own", far, i)), x.helper(("own", near, i))
            wall = x.value(k, 1)
            yield [-owned, next_owned]
            yield [-owned, -wall]
            yield [-next_owned, wall, owned]

    # CNF, strong: the rectangles of each number, and the cells that it reaches

    def _room(self, i: int, boxes: Sequence[_Box], x: "Literals") -> Iterator[Clause]:
        """The rectangles of the number at cell i, tied to the borders in and round them.

        Unit propagation rejects what known walls rule out, and gives each border on which all that
        are left agree, and each cell that this number alone can own.
        """
        lits = [x.helper(("box", i, box)) for box in boxes]
        inside: dict[int, set[int]] = {}
        opened: dict[int, set[int]] = {}
        walled: dict[int, set[int]] = {}
        for box, lit in zip(boxes, lits, strict=True):
            for j in self._cells(box):
                r, c = self.grid.cell(j)
                inside.setdefault(j, set()).add(lit)
                ends = (r == box.top, c == box.right, r == box.bottom, c == box.left)
                for k, end in zip(self.grid.sides(j), ends, strict=True):
                    if k is not None:
                        (walled if end else opened).setdefault(k, set()).add(lit)
        yield lits
        for j, some in inside.items():
            own = x.helper(("own", j, i))
            yield [-own, *sorted(some)]
            yield from ([-lit, own if lit in some else -own] for lit in lits)
        for sign, borders in ((1, walled), (-1, opened)):
            for k, some in borders.items():
                wall = sign * x.value(k, 1)
                yield [wall, *(lit for lit in lits if lit not in some)]
                yield from ([-lit, wall] for lit in sorted(some))

    def _cells(self, box: _Box) -> list[int]:
        """The cells of a rectangle."""
        top, left, bottom, right = box
        starts = range(top * self.cols + left, bottom * self.cols + left + 1, self.cols)
        return [i for start in starts for i in range(start, start + right - left + 1)]

    def _grown(self, i: int) -> Iterator[_Box]:
        """The rectangles that can be the room of the number at cell i, grown from it by lines."""
        r, c = self.grid.cell(i)
        number, seat = self.numbers[i], (r, c, r, c)
        others = [self.grid.cell(j) for j, n in enumerate(self.numbers) if n is not None and j != i]
        met = {_Box(*seat)}
        pending = list(met)
        while pending:
            box = pending.pop()
            if number in (UNKNOWN, sum(a == b for a, b in zip(box, seat, strict=True))):
                yield box
            for grown in (
                box._replace(top=box.top - 1),
                box._replace(left=box.left - 1),
                box._replace(bottom=box.bottom + 1),
                box._replace(right=box.right + 1),
            ):
                inside = min(grown) >= 0 and grown.bottom < self.rows and grown.right < self.cols
                if inside and grown not in met and not any(_has(grown, cell) for cell in others):
                    met.add(grown)
                    pending.append(grown)

    # Formats

    @classmethod
    def from_url_body(cls, rows: int, cols: int, body: str) -> Self:
        """A digit is a number, `.` an unknown one, and a letter skips 1 to 26 cells."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        cells = rows * cols
        numbers: list[Number] = []
        for k, char in enumerate(body):
            where = f"nawabari body, character {k + 1} ({char!r})"
            require(
                char not in "5689", f"{where}: expected a number from 0 to 4; a cell has 4 sides"
            )
            require(char != "7", f"{where}: removed cells are not known here; expected 0 to 4")
            require(
                char in "01234." or "a" <= char <= "z",
                f"{where}: expected one of 0-4, '.' or a-z",
            )
            if char.isalpha():
                numbers += [None] * (ord(char) - ord("a") + 1)
            else:
                numbers.append(UNKNOWN if char == "." else int(char))
            require(
                len(numbers) <= cells,
                f"{where}: goes past the last of the {cells} cells of {rows} rows and {cols} columns",
            )
        require(
            len(numbers) == cells,
            f"nawabari body: ends after character {len(body)}, with {len(numbers)} of {cells} cells "
            f"for {rows} rows and {cols} columns; expected more",
        )
        return cls(rows, cols, tuple(numbers))

    def url_body(self) -> str:
        """The inverse of `from_url_body`, with the longest runs first."""
        signs = "".join(" " if n is None else "." if n == UNKNOWN else str(n) for n in self.numbers)
        return re.sub(" {1,26}", lambda run: chr(ord("a") - 1 + len(run[0])), signs)

    @classmethod
    def from_file(cls, rows: int, cols: int, lines: Sequence[str]) -> tuple[Self, Filling | None]:
        """Numbers, then borders: with those of the frame, or without, as files had it once."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        if not any(line.split() for line in lines):
            return cls(rows, cols, (None,) * (rows * cols)), None
        signs = [sign for r in range(rows) for sign in tokens(cls.name, lines, r, cols)]
        puzzle = cls(rows, cols, tuple(_number("file", sign, "-") for sign in signs))
        return puzzle, walls.read_lines(cls.name, puzzle.grid, lines, rows)

    def file_lines(self, filling: Filling | None) -> Iterator[str]:
        """The inverse of `from_file`, with the borders of the frame."""
        for row in table(self.numbers, self.rows, self.cols):
            yield " ".join("." if n is None else "-" if n == UNKNOWN else str(n) for n in row)
        yield from walls.to_lines(self.grid, filling)

    @classmethod
    def from_text(
        cls, rows: int, cols: int, options: Mapping[str, str], lines: Sequence[Sequence[str]]
    ) -> Self:
        """Rows of signs: `.` for no number, 0 to 4, `?`."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        require(not options, f"nawabari text, header: {sorted(options)}; expected no options")
        require(
            len(lines) == rows,
            f"nawabari text: expected {rows} lines after the header, got {len(lines)}",
        )
        for k, line in enumerate(lines):
            require(
                len(line) == cols,
                f"nawabari text, line {k + 2}: expected {cols} signs, got {len(line)}",
            )
        return cls(rows, cols, tuple(_number("text", sign, "?") for line in lines for sign in line))

    def text_options(self) -> Mapping[str, str]:
        """None."""
        return {}

    def text_lines(self) -> Iterator[str]:
        """The inverse of `from_text`."""
        for row in table(self.numbers, self.rows, self.cols):
            yield " ".join("." if n is None else str(n) for n in row)

    @classmethod
    def from_json(cls, rows: int, cols: int, data: Mapping[str, Json]) -> Self:
        """Field `grid`: rows of null, numbers and "?"."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        return cls(
            rows, cols, tuple(read_table("nawabari JSON, 'grid'", data.get("grid"), rows, cols))
        )

    def json_fields(self) -> Mapping[str, Json]:
        """The inverse of `from_json`."""
        return {"grid": table(self.numbers, self.rows, self.cols)}

    def filling_json(self, filling: Filling) -> Json:
        """Room numbers by cell; `v` and `h`, rows of borders: 1 wall, 0 none, `.` not written."""
        return walls.to_json(self.grid, filling)

    def read_filling(self, data: Json) -> Filling:
        """The inverse of `filling_json`; the regions may be left out."""
        return walls.read_json(self.name, self.grid, data)

    def answer_line(self, answer: Answer) -> str:
        """The room of each cell, by rows parted by slashes: letters, numbers where they run out."""
        rooms = walls.rooms(self.grid, answer)
        few = max(rooms) < len(_ROOM_NAMES)
        names = [_ROOM_NAMES[room] if few else str(room + 1) for room in rooms]
        gap = "" if few else " "
        return "/".join(gap.join(row) for row in table(names, self.rows, self.cols))

    def marks(self, filling: Filling | None = None) -> Iterator[Mark]:
        """The frame, walls, numbers."""
        yield from walls.marks(self.grid, filling)
        for i, n in enumerate(self.numbers):
            place = self.grid.place(i)
            yield Mark("open", *place) if n is None else Mark("given", *place, str(n))


def _has(box: _Box, cell: Cell) -> bool:
    return box.top <= cell[0] <= box.bottom and box.left <= cell[1] <= box.right


def _vertex_law(stubs: Sequence[int]) -> Iterator[Clause]:
    """The eight legal patterns of four wall stubs in turn: none, straight, T, cross.

    These are all the prime implicates: a stub that does not go straight on has one on both sides.
    """
    for k, stub in enumerate(stubs):
        beside, ahead, other = stubs[k - 3], stubs[k - 2], stubs[k - 1]
        yield [-stub, ahead, beside]
        yield [-stub, ahead, other]


def _number(form: str, sign: str, unknown: str) -> Number:
    """The entry that a sign stands for."""
    if sign == ".":
        return None
    if sign == unknown:
        return UNKNOWN
    require(sign != "*", f"nawabari {form}: '*': removed cells are not known here")
    if sign not in ("0", "1", "2", "3", "4"):
        raise PuzzleError(f"nawabari {form}: {sign[:20]!r}; expected '.', 0 to 4 or {unknown!r}")
    return int(sign)


def _too_many(what: str, which: str) -> OutOfReach:
    return OutOfReach(f"{what}: {which} would take more than {_MOST:,} entries of memory")
