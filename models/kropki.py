"""Kropki: digits 1..N, once per row and column; dots between neighbours.

A white dot says that two neighbours are consecutive, a black one that one is double the other, and
no dot that they are neither. 1 and 2 are both: under the convention `either` they may have either
dot (as puzz.link and print have it), under `black` only a black one, so that white says more. An
edge may also be unknown: then it says nothing.

The board need not be square: digits run 1..max(rows, cols), and a shorter line has no repeats.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise, product, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from hashigo.models.grid import Border, Cell, Grid
from hashigo.models.puzzle import (
    Answer,
    Clause,
    Filling,
    Json,
    Mark,
    MarkKind,
    Puzzle,
    Violation,
)
from hashigo.models.reading import (
    PuzzleError,
    number,
    put,
    read_table,
    require,
    require_size,
    table,
    tokens,
    warn,
)
from hashigo.models.verdict import OutOfReach

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

    from hashigo.models.cnf import Literals


class Label(StrEnum):
    """What an edge shows; the value is its sign in the text form."""

    NONE = "-"
    WHITE = "o"
    BLACK = "*"
    UNKNOWN = "?"


Convention = Literal["either", "black"]

_SHOWN = (Label.NONE, Label.WHITE, Label.BLACK)  # by the digit of the URL
_MOST_ARCS = 20_000  # of a line's automaton: any line of 9 cells has fewer
_BASE27 = "0123456789abcdefghijklmnopq"
_ANSWER_TOKEN = re.compile(r"(\d{1,4}|[.+\-=%c])(\[[\d,]*\])?", re.ASCII)
_DOT_CODES = {  # in the order in which they are checked
    "nmSubNe1": "white dot, but not consecutive",
    "nmSubEq1": "no white dot, but consecutive",
    "nmDivNe2": "black dot, but neither is double the other",
    "nmDivEq2": "no black dot, but one is double the other",
}
_IN_WORDS = {Label.NONE: "no dot", Label.WHITE: "white dot", Label.BLACK: "black dot"}
_KINDS: dict[Label, MarkKind] = {
    Label.WHITE: "white",
    Label.BLACK: "black",
    Label.UNKNOWN: "unknown",
}


@dataclass(frozen=True)
class Kropki(Puzzle):
    """A Kropki board: labels in border order, given digits by cell, the {1,2} convention."""

    name: ClassVar[str] = "kropki"
    LARGEST: ClassVar[int] = 32

    rows: int
    cols: int
    labels: tuple[Label, ...]
    givens: tuple[int | None, ...]
    convention: Convention = "either"

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            PuzzleError: a field is out of range.
        """
        require_size(self.name, self.rows, self.cols, self.LARGEST)
        borders = len(self.grid.borders())
        require(
            len(self.labels) == borders and all(isinstance(x, Label) for x in self.labels),
            f"kropki: expected {borders} edge labels, one per border, got {len(self.labels)}",
        )
        cells = self.rows * self.cols
        require(
            len(self.givens) == cells,
            f"kropki: expected {cells} givens, one per cell, got {len(self.givens)}",
        )
        for i, given in enumerate(self.givens):
            if given is not None:
                require(
                    type(given) is int and 1 <= given <= self.digits,
                    f"kropki: the given {given!r} at {self.grid.name(i)} is not 1 to {self.digits}",
                )

    @property
    def digits(self) -> int:
        """The largest digit."""
        return max(self.rows, self.cols)

    @classmethod
    def from_answer(
        cls, rows: int, cols: int, answer: Answer, convention: Convention = "either"
    ) -> Self:
        """The board that shows every dot of this answer, black where both would be right."""
        labels = (label_between(answer[a], answer[b]) for a, b in Grid(rows, cols).borders())
        return cls(rows, cols, tuple(labels), (None,) * (rows * cols), convention)

    # Variables and answers

    def domains(self) -> Sequence[range]:
        """One variable per cell: its digit."""
        return [range(1, self.digits + 1)] * (self.rows * self.cols)

    def variable_name(self, index: int) -> str:
        """The name of the cell."""
        return self.grid.name(index)

    def violations(self, filling: Filling) -> Iterator[Violation]:
        """The codes of puzz.link, then digits out of range and givens, which it cannot have.

        A given stands on the board, whether somebody has written it once more or not.
        """
        grid, digits = self.grid, self.digits
        filling = tuple(
            given if digit is None else digit
            for digit, given in zip(filling, self.givens, strict=True)
        )
        for k, line in enumerate(grid.lines()):
            written = [filling[i] for i in line if filling[i] is not None]
            if len(set(written)) == len(written):
                continue
            for digit in (d for d, times in Counter(written).items() if times > 1):
                yield Violation("nmDupRow", f"{grid.line_name(k)} has {digit} more than once")
        yield from self._dot_violations(filling)
        for i, digit in enumerate(filling):
            if digit is None:
                yield Violation("ceNoNum", f"{grid.name(i)} is empty")
        for i, digit in enumerate(filling):
            if digit is not None and not 1 <= digit <= digits:
                yield Violation("nmRange", f"{digit} at {grid.name(i)} is not 1 to {digits}")
        for i, (digit, given) in enumerate(zip(filling, self.givens, strict=True)):
            if given is not None and digit is not None and digit != given:
                yield Violation("nmGiven", f"{grid.name(i)} is {digit}, but {given} is given")

    def _dot_violations(self, filling: Filling) -> Iterator[Violation]:
        """Where both digits are written, the dot or its absence must be right."""
        found: dict[str, list[Violation]] = {code: [] for code in _DOT_CODES}
        for border, dot in zip(self.grid.borders(), self.labels, strict=True):
            i, j = border
            a, b = filling[i], filling[j]
            if a is not None and b is not None:
                for code in _dot_faults(dot, a, b, self.convention):
                    where = f"{self.grid.border_name(border)} ({a}, {b})"
                    found[code].append(Violation(code, f"{where}: {_DOT_CODES[code]}"))
        for violations in found.values():
            yield from violations

    def weaker(self) -> Iterator[Self]:
        """One edge made unknown, or one given taken away."""
        for k, label in enumerate(self.labels):
            if label != Label.UNKNOWN:
                yield replace(self, labels=put(self.labels, k, Label.UNKNOWN))
        for i, given in enumerate(self.givens):
            if given is not None:
                yield replace(self, givens=put(self.givens, i, None))

    def transpose(self) -> Self:
        """Rows and columns exchanged."""
        return self._moved(self.cols, self.rows, lambda r, c: (c, r))

    def flip(self) -> Self:
        """Upside down."""
        return self._moved(self.rows, self.cols, lambda r, c: (self.rows - 1 - r, c))

    def _moved(self, rows: int, cols: int, source: Callable[[int, int], Cell]) -> Self:
        """The board of this size whose cell (r, c) is cell source(r, c) of this one."""
        by_cells = dict(zip(map(frozenset, self.grid.borders()), self.labels, strict=True))
        old = [r * self.cols + c for r, c in (source(*divmod(i, cols)) for i in range(rows * cols))]
        return replace(
            self,
            rows=rows,
            cols=cols,
            labels=tuple(
                by_cells[frozenset((old[a], old[b]))] for a, b in Grid(rows, cols).borders()
            ),
            givens=tuple(self.givens[i] for i in old),
        )

    # CP-SAT: all-different lines, tables of allowed pairs

    def post(self, model: "CpModel", x: "Sequence[IntVar]") -> None:
        """Post the model."""
        for line in self.grid.lines():
            model.add_all_different([x[i] for i in line])
        pairs = {label: self._pairs(label) for label in _SHOWN}
        for (a, b), label in zip(self.grid.borders(), self.labels, strict=True):
            if label != Label.UNKNOWN:
                model.add_allowed_assignments([x[a], x[b]], pairs[label])
        for i, given in enumerate(self.givens):
            if given is not None:
                model.add(x[i] == given)

    def _pairs(self, label: Label) -> list[tuple[int, int]]:
        """Digits that two cells may have with this label between them."""
        small = [(1, 2), (2, 1)]
        row = [(k, k + 1) for k in range(2, self.digits)]
        row += [(b, a) for a, b in row]
        doubles = [(k, 2 * k) for k in range(2, self.digits // 2 + 1)]
        doubles += [(b, a) for a, b in doubles]
        if self.digits == 1:
            small = []
        match label:
            case Label.WHITE:
                return row + small if self.convention == "either" else row
            case Label.BLACK:
                return doubles + small
        dotted = {*row, *doubles, *small}
        digits = range(1, self.digits + 1)
        return [(a, b) for a, b in product(digits, digits) if (a, b) not in dotted and a != b]

    # CNF: value literals, support clauses, each digit somewhere; a line automaton for the strong form

    def shape(self) -> Hashable:
        """Size and convention."""
        return self.rows, self.cols, self.convention

    def rule_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """One value per cell, and per line no digit twice and each digit somewhere."""
        lines = range(self.rows + self.cols)
        cells = [("cell", i) for i in range(self.rows * self.cols)]
        return [*cells, *(("apart", k) for k in lines), *(("somewhere", k) for k in lines)]

    def clue_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """Labels and givens; in the strong form also each line with the labels along it."""
        keys: list[Hashable] = [
            ("label", k, label) for k, label in enumerate(self.labels) if label != Label.UNKNOWN
        ]
        keys += [("given", i, digit) for i, digit in enumerate(self.givens) if digit is not None]
        if strong:
            labels = dict(zip(self.grid.borders(), self.labels, strict=True))
            for k, line in enumerate(self.grid.lines()):
                along = tuple(labels[Border(*pair)] for pair in pairwise(line))
                keys.append(("automaton", k, along))
        return keys

    def fragment(self, key: Any, x: "Literals") -> Iterable[Clause]:
        """The clauses of one rule or clue."""
        match key:
            case ("cell", i):
                return x.exactly_one_value(i)
            case ("apart", k):
                return self._apart(self.grid.lines()[k], x)
            case ("somewhere", k):
                line = self.grid.lines()[k]
                full = len(line) == self.digits
                everywhere = range(1, self.digits + 1) if full else ()
                return ([x.value(i, v) for i in line] for v in everywhere)
            case ("label", k, label):
                return self._supports(self.grid.borders()[k], label, x)
            case ("given", i, digit):
                # A 1x1 board has a domain of one value; the literal says the same there.
                return [[x.value(i, digit)]]
            case ("automaton", k, along):
                return self._automaton(k, along, x)
        raise KeyError(key)

    def group_name(self, key: Any) -> str:
        """A line, a dot or where none is, a given."""
        match key:
            case ("apart" | "somewhere", k):
                return self.grid.line_name(k)
            case ("label", k, label):
                return f"{_IN_WORDS[label]} {self.grid.border_name(self.grid.borders()[k])}"
            case ("given", i, digit):
                return f"given {digit} at {self.grid.name(i)}"
        return ""

    def _apart(self, line: range, x: "Literals") -> Iterator[Clause]:
        for b, a in ((b, a) for p, b in enumerate(line) for a in line[:p]):
            for v in range(1, self.digits + 1):
                yield [-x.value(a, v), -x.value(b, v)]

    def _partners(self, label: Label, v: int) -> set[int]:
        """Digits that may stand beside v with this label between."""
        others = {w for w in range(1, self.digits + 1) if w != v}
        white = {v - 1, v + 1}
        black = {2 * v} if v % 2 else {2 * v, v // 2}
        if label == Label.UNKNOWN:
            return others
        if label == Label.BLACK:
            return others & black
        if label == Label.NONE:
            return others - white - black
        if self.convention == "black" and v < 3:
            white -= {1, 2}
        return others & white

    def _supports(self, border: Border, label: Label, x: "Literals") -> Iterator[Clause]:
        for i, j in (border, (border.b, border.a)):
            for v in range(1, self.digits + 1):
                partners = sorted(self._partners(label, v))
                yield [-x.value(i, v), *(x.value(j, w) for w in partners)]

    def _automaton(self, k: int, along: tuple[Label, ...], x: "Literals") -> Iterator[Clause]:
        """A line as a layered automaton whose states are the used digits and the last one.

        Each arc implies its ends and its digit; each state some arc in and some arc out; each digit
        some arc. So unit propagation keeps exactly the digits on a path (a decision diagram with
        both directions; compare Abio et al., On CNF Encodings of Decision Diagrams, CPAIOR 2016).

        Raises:
            OutOfReach: it would have too many arcs.
        """
        line = self.grid.lines()[k]
        layers: list[set[tuple[int, int]]] = [{(0, 0)}]
        arcs: list[list[tuple[tuple[int, int], int, tuple[int, int]]]] = []
        for position in range(len(line)):
            label = along[position - 1] if position else Label.UNKNOWN
            free = label == Label.UNKNOWN
            step = [
                (state, v, (state[0] | 1 << v, v))
                for state in sorted(layers[-1])
                for v in range(1, self.digits + 1)
                if not state[0] >> v & 1 and (free or v in self._partners(label, state[1]))
            ]
            arcs.append(step)
            if sum(map(len, arcs)) > _MOST_ARCS:
                name = self.grid.line_name(k)
                raise OutOfReach(f"cnf: the automaton of {name} has more than {_MOST_ARCS:,} arcs")
            layers.append({target for _, _, target in step})
        for position, step in enumerate(arcs):
            key = ("arc", k, along, position)
            lits = [x.helper((key, arc)) for arc in step]
            into: dict[tuple[int, int], list[int]] = {t: [] for t in layers[position + 1]}
            out: dict[tuple[int, int], list[int]] = {s: [] for s in layers[position]}
            by_digit: dict[int, list[int]] = {v: [] for v in range(1, self.digits + 1)}
            for lit, (source, v, target) in zip(lits, step, strict=True):
                yield [-lit, x.helper(("state", k, along, position, source))]
                yield [-lit, x.helper(("state", k, along, position + 1, target))]
                yield [-lit, x.value(line[position], v)]
                out[source].append(lit)
                into[target].append(lit)
                by_digit[v].append(lit)
            for source, some in out.items():
                yield [-x.helper(("state", k, along, position, source)), *some]
            for target, some in into.items():
                yield [-x.helper(("state", k, along, position + 1, target)), *some]
            for v, some in by_digit.items():
                yield [-x.value(line[position], v), *some]
        yield [x.helper(("state", k, along, 0, (0, 0)))]

    # Formats

    @classmethod
    def from_url_body(cls, rows: int, cols: int, body: str) -> Self:
        """Three borders to a character, base 3, the first the most significant."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        borders = 2 * rows * cols - rows - cols
        length = -(-borders // 3)
        if not body and length > 1:
            warn(f"kropki: no body; read as a {rows}x{cols} board without any dot")
            body = "0" * length
        for k, char in enumerate(body[:length]):
            require(
                char.isascii() and char.lower() in _BASE27,
                f"kropki body, character {k + 1} ({char!r}): expected one of 0-9 or a-q",
            )
        require(
            len(body) == length,
            f"kropki body: expected {length} characters for {rows} rows and {cols} columns, "
            f"got {len(body)}",
        )
        digits = [d for char in body.lower() for d in _base3(char)]
        if any(digits[borders:]):
            warn(f"kropki body, character {length}: the unused digits at its end are not 0")
        labels = tuple(_SHOWN[d] for d in digits[:borders])
        return cls(rows, cols, labels, (None,) * (rows * cols))

    def url_body(self) -> str:
        """The body; URLs have no unknown edges, no givens, and the convention `either`."""
        codes = self._shown_codes("a URL")
        codes += [0] * (-len(codes) % 3)
        triples = zip(codes[::3], codes[1::3], codes[2::3], strict=True)
        return "".join(_BASE27[9 * a + 3 * b + c] for a, b, c in triples)

    def _shown_codes(self, form: str) -> list[int]:
        """Label codes for a form that can say nothing but dots."""
        where = [b for b, x in zip(self.grid.borders(), self.labels, strict=True) if x == "?"]
        require(
            not where,
            f"kropki: {form} cannot say that an edge is unknown"
            + (f" ({self.grid.border_name(where[0])})" if where else ""),
        )
        require(not any(self.givens), f"kropki: {form} cannot hold given digits")
        require(self.convention == "either", f"kropki: {form} always means convention either")
        return [_SHOWN.index(label) for label in self.labels]

    @classmethod
    def from_file(cls, rows: int, cols: int, lines: Sequence[str]) -> tuple[Self, Filling | None]:
        """Vertical borders, horizontal borders, then what is written in the cells."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        labels: list[Label] = []
        widths = [cols - 1] * rows + [cols] * (rows - 1)
        if not any(line.split() for line in lines):
            labels = [Label.NONE] * sum(widths)
            return cls(rows, cols, tuple(labels), (None,) * (rows * cols)), None
        for k, width in enumerate(widths):
            for token in tokens("kropki", lines, k, width):
                require(
                    token in ("0", "1", "2", ".", "a", "b"),
                    f"kropki file, body line {k + 1}: border {token!r}; expected 0, 1 or 2",
                )
                labels.append(_SHOWN[int(token)] if token.isdigit() else Label.NONE)
        puzzle = cls(rows, cols, tuple(labels), (None,) * (rows * cols))
        rest = lines[len(widths) :]
        if not any(line.split() for line in rest):
            return puzzle, None
        filling: list[int | None] = []
        for r in range(rows):
            for token in tokens("kropki", lines, len(widths) + r, cols):
                match = _ANSWER_TOKEN.fullmatch(token)
                require(
                    match is not None,
                    f"kropki file, body line {len(widths) + r + 1}: cell {token!r}; "
                    "expected a number, '.' or a mark",
                )
                assert match is not None
                filling.append(int(match[1]) if match[1].isdigit() else None)
        return puzzle, tuple(filling)

    def file_lines(self, filling: Filling | None) -> Iterator[str]:
        """The inverse of `from_file`."""
        codes = iter(self._shown_codes("a pzprv3 file"))
        for width in [self.cols - 1] * self.rows + [self.cols] * (self.rows - 1):
            yield " ".join(str(next(codes)) for _ in range(width))
        for r in range(self.rows):
            written = [filling[i] if filling else None for i in self.grid.row(r)]
            yield " ".join("." if digit is None else str(digit) for digit in written)

    @classmethod
    def from_text(
        cls, rows: int, cols: int, options: Mapping[str, str], lines: Sequence[Sequence[str]]
    ) -> Self:
        """Cells and edges alternate: `. o 3 - .`, below it one edge sign per column."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        known = set(options) <= {"convention"}
        require(known, f"kropki text, header: {sorted(options)}; expected convention=... at most")
        require(
            len(lines) == 2 * rows - 1,
            f"kropki text: expected {2 * rows - 1} lines after the header, got {len(lines)}",
        )
        right: list[str] = []
        down: list[str] = []
        cells: list[str] = []
        for k, line in enumerate(lines):
            width = cols if k % 2 else 2 * cols - 1
            require(
                len(line) == width,
                f"kropki text, line {k + 2}: expected {width} signs, got {len(line)}",
            )
            if k % 2:
                down += line
            else:
                cells += line[::2]
                right += line[1::2]
        for sign in (*right, *down):
            require(sign in list(Label), f"kropki text: edge {sign!r}; expected one of - o * ?")
        for sign in cells:
            require(
                sign == "." or number(sign) is not None,
                f"kropki text: cell {sign!r}; expected '.' or a given digit",
            )
        return cls(
            rows,
            cols,
            tuple(Label(sign) for sign in (*right, *down)),
            tuple(map(number, cells)),
            _convention(options.get("convention", "either")),
        )

    def text_options(self) -> Mapping[str, str]:
        """The convention, where it is not that of URLs."""
        return {} if self.convention == "either" else {"convention": self.convention}

    def text_lines(self) -> Iterator[str]:
        """The inverse of `from_text`, aligned."""
        width = max((len(str(given)) for given in self.givens if given), default=1)
        split = self.rows * (self.cols - 1)
        right = table(self.labels[:split], self.rows, self.cols - 1)
        down = table(self.labels[split:], self.rows - 1, self.cols)
        for r, given in enumerate(table(self.givens, self.rows, self.cols)):
            cells = [f"{'.' if digit is None else digit:>{width}}" for digit in given]
            yield " ".join(part for pair in zip_longest(cells, right[r]) for part in pair if part)
            if r < self.rows - 1:
                yield "   ".join(f"{sign:>{width}}" for sign in down[r])

    @classmethod
    def from_json(cls, rows: int, cols: int, data: Mapping[str, Json]) -> Self:
        """Fields `v` and `h` (rows of 0 none, 1 white, 2 black, null unknown), `givens`."""
        require_size(cls.name, rows, cols, cls.LARGEST)
        labels: list[Label] = []
        for field, height, width in (("v", rows, cols - 1), ("h", rows - 1, cols)):
            for code in read_table(f"kropki JSON, {field!r}", data.get(field), height, width):
                require(
                    code is None or (type(code) is int and 0 <= code <= 2),
                    f"kropki JSON: label {code!r} in {field!r}; expected 0, 1, 2 or null",
                )
                labels.append(Label.UNKNOWN if code is None else _SHOWN[code])
        shown = data.get("givens", {})
        require(isinstance(shown, dict), "kropki JSON: expected 'givens' to be an object")
        givens: list[int | None] = [None] * (rows * cols)
        for place, digit in shown.items():
            match = re.fullmatch(r"(\d{1,4}),(\d{1,4})", place, re.ASCII)
            inside = match is not None and int(match[1]) < rows and int(match[2]) < cols
            require(inside, f"kropki JSON: given at {place!r}; expected 'row,column' from 0")
            assert match is not None
            givens[int(match[1]) * cols + int(match[2])] = digit
        convention = _convention(data.get("convention", "either"))
        return cls(rows, cols, tuple(labels), tuple(givens), convention)

    def json_fields(self) -> Mapping[str, Json]:
        """The inverse of `from_json`."""
        codes = [None if x == Label.UNKNOWN else _SHOWN.index(x) for x in self.labels]
        split = self.rows * (self.cols - 1)
        fields: dict[str, Json] = {
            "v": table(codes[:split], self.rows, self.cols - 1),
            "h": table(codes[split:], self.rows - 1, self.cols),
            "convention": self.convention,
        }
        givens = {f"{i // self.cols},{i % self.cols}": d for i, d in enumerate(self.givens) if d}
        return fields | ({"givens": givens} if givens else {})

    def filling_json(self, filling: Filling) -> Json:
        """Rows of digits, null where nothing is written."""
        return table(filling, self.rows, self.cols)

    def read_filling(self, data: Json) -> Filling:
        """The inverse of `filling_json`."""
        filling = read_table("kropki answer", data, self.rows, self.cols)
        for i, digit in enumerate(filling):
            require(
                digit is None or type(digit) is int,
                f"kropki answer: {digit!r} at {self.grid.name(i)}; expected a digit or null",
            )
        return tuple(filling)

    def answer_line(self, answer: Answer) -> str:
        """Rows parted by slashes."""
        gap = "" if self.digits < 10 else " "
        return "/".join(gap.join(map(str, row)) for row in table(answer, self.rows, self.cols))

    def marks(self, filling: Filling | None = None) -> Iterator[Mark]:
        """Dots and givens, then digits."""
        for border, label in zip(self.grid.borders(), self.labels, strict=True):
            if label in _KINDS:
                yield Mark(_KINDS[label], *self.grid.border_place(border))
        for i, given in enumerate(self.givens):
            digit = filling[i] if filling else None
            place = self.grid.place(i)
            if given is not None:
                yield Mark("given", *place, str(given))
            elif digit is not None:
                yield Mark("number", *place, str(digit))
            else:
                yield Mark("open", *place)


@lru_cache(maxsize=10_000)
def _dot_faults(dot: Label, a: int, b: int, convention: Convention) -> tuple[str, ...]:
    """The codes that two written digits break at an edge."""
    if dot == Label.UNKNOWN:
        return ()
    consecutive, double = abs(a - b) == 1, a == 2 * b or b == 2 * a
    one_two = consecutive and double
    white_may = one_two and convention == "either"
    wrong = {
        "nmSubNe1": dot == Label.WHITE and not consecutive,
        "nmSubEq1": dot != Label.WHITE and consecutive and not (one_two and dot == Label.BLACK),
        "nmDivNe2": dot == Label.BLACK and not double,
        "nmDivEq2": dot != Label.BLACK and double and not (white_may and dot == Label.WHITE),
    }
    return tuple(code for code, broken in wrong.items() if broken)


def label_between(a: int, b: int) -> Label:
    """What an edge between two digits shows; black for 1 and 2."""
    if a == 2 * b or b == 2 * a:
        return Label.BLACK
    return Label.WHITE if abs(a - b) == 1 else Label.NONE


def _base3(char: str) -> tuple[int, int, int]:
    value = _BASE27.index(char)
    return value // 9, value // 3 % 3, value % 3


def _convention(value: object) -> Convention:
    if value == "either" or value == "black":
        return value
    raise PuzzleError(f"kropki: the convention {value!r} is not one of: either, black")
