"""Experiments: what a TOML file asks for, and one board of it measured.

A row is a pure function of the experiment and of where its board stands: size, dial value, index.
The board itself comes of the seed and the index, so that all dial values see the same randomness.
"""

import hashlib
import json
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hashigo.counting.sample import DialValue, Drawn, Rng, Sample, generator, sample
from hashigo.models import codec
from hashigo.models.reading import PuzzleError, require
from hashigo.scripts import making, measures
from hashigo.scripts.generate import read_size

SHIPPED = Path(__file__).parent / "experiments"
SIZE = "size"  # the dial of an experiment that turns no other
_FIELDS = {
    "genre": str, "claim": str, "title": str, "sizes": list, "boards": int, "seed": int,
    "measures": list, "dial": str, "values": list, "fixed": dict, "made": bool,
}  # fmt: skip


class Cell(NamedTuple):
    """One setting of an experiment: a size, and a value of its dial."""

    rows: int
    cols: int
    value: str


class Column(NamedTuple):
    """A column of the table, and its type in SQL."""

    name: str
    kind: str


KEY = (
    Column("experiment", "VARCHAR"),
    Column("rows", "INTEGER"),
    Column("cols", "INTEGER"),
    Column("value", "VARCHAR"),
    Column("board", "INTEGER"),
)
ORIGIN = (
    Column("genre", "VARCHAR"),
    Column("dial", "VARCHAR"),
    Column("spec", "VARCHAR"),
    Column("digest", "VARCHAR"),
    Column("draw_seconds", "DOUBLE"),
)


@dataclass(frozen=True)
class Experiment:
    """What is drawn, which dial is turned, and what is measured."""

    name: str
    genre: str
    sizes: tuple[tuple[int, int], ...]
    boards: int
    seed: int
    measures: tuple[str, ...]
    dial: str = SIZE
    values: tuple[DialValue, ...] = ()
    fixed: Mapping[str, DialValue] = field(default_factory=dict)
    claim: str = ""
    title: str = ""
    made: bool = False  # boards with one answer, as `generate` makes them

    def cells(self) -> list[Cell]:
        """Every size with every value of the dial."""
        values = [show_value(value) for value in self.values] or [""]
        return [
            Cell(rows, cols, value or show_size(rows, cols))
            for rows, cols in self.sizes
            for value in values
        ]

    def dials(self, cell: Cell) -> dict[str, DialValue]:
        """How the boards of a cell are drawn."""
        turned = {} if self.dial == SIZE else {self.dial: cell.value}
        return {**self.fixed, **turned}

    def spec(self) -> str:
        """A digest of all that a row depends on, other than where its board stands."""
        parts = [self.genre, self.seed, self.dial, dict(self.fixed), self.measures]
        parts += ["made"] if self.made else []
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def columns(self) -> list[Column]:
        """The columns of its rows: a pure function of the experiment."""
        cell = self.cells()[0]
        source = sample(self.genre, cell.rows, cell.cols, self.dials(cell))
        drawn = source.draw(generator(self.seed, 0))
        measured = [
            Column(*column)
            for name in self.measures
            for column in [*measures.columns(name, source, drawn), (f"{name}_seconds", "DOUBLE")]
        ]
        return [*KEY, *ORIGIN, *measured]


def show_size(rows: int, cols: int) -> str:
    """A size as people write it."""
    return str(rows) if rows == cols else f"{rows}x{cols}"


def show_value(value: DialValue) -> str:
    """A dial value as it stands in the table."""
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def shipped() -> list[str]:
    """The names of the experiments that come with the project."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def load(source: str) -> Experiment:
    """Read an experiment from a file, or one of the shipped ones by its name.

    Raises:
        PuzzleError: there is none, or it asks for what cannot be.
    """
    path = Path(source)
    if not path.suffix and not path.exists():
        path = SHIPPED / f"{source}.toml"
        known = ", ".join(shipped())
        require(path.exists(), f"no experiment {source!r}; expected a file, or one of: {known}")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PuzzleError(f"{source}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PuzzleError(f"{source}: {error}") from None
    return read(path.stem, data)


def read(name: str, data: Mapping[str, Any]) -> Experiment:
    """An experiment from plain data.

    Raises:
        PuzzleError: a field is missing, unknown, or not what it should be.
    """
    for key, value in data.items():
        known = ", ".join(_FIELDS)
        require(key in _FIELDS, f"{name}: no field {key!r}; expected some of: {known}")
        kind = _FIELDS[key]
        require(type(value) is kind, f"{name}: {key} is {value!r}; expected {kind.__name__}")
    for key in ("genre", "sizes", "boards", "seed", "measures"):
        require(bool(data.get(key)), f"{name}: expected {key!r}")
    turned = "dial" in data
    require(turned == bool(data.get("values")), f"{name}: expected 'dial' and 'values', or neither")
    require(data["boards"] > 0 and data["seed"] >= 0, f"{name}: expected boards > 0 and seed >= 0")
    experiment = Experiment(
        name,
        data["genre"],
        tuple(read_size(str(size)) for size in data["sizes"]),
        data["boards"],
        data["seed"],
        tuple(data["measures"]),
        data.get("dial", SIZE),
        tuple(data.get("values", ())),
        data.get("fixed", {}),
        data.get("claim", ""),
        data.get("title", ""),
        data.get("made", False),
    )
    for cell in experiment.cells():
        source = sample(experiment.genre, cell.rows, cell.cols, experiment.dials(cell))
        for measure in experiment.measures:
            measures.find(measure, source)
    return experiment


def measure(experiment: Experiment, cell: Cell, boards: Sequence[int]) -> list[tuple[Any, ...]]:
    """The rows of some boards of a cell.

    Raises:
        EngineFault: a board shows that something claimed always does not hold.
    """
    return list(_rows(experiment, cell, boards))


def _rows(experiment: Experiment, cell: Cell, boards: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    source = sample(experiment.genre, cell.rows, cell.cols, experiment.dials(cell))
    spec = experiment.spec()
    for board in boards:
        start = time.perf_counter()
        drawn, rng = _board(experiment, cell, source, board)
        took = time.perf_counter() - start
        text = f"{codec.text(drawn.puzzle)}{drawn.answer}"
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        row = [experiment.name, *cell, board]
        row += [experiment.genre, experiment.dial, spec, digest, took]
        subject = measures.Subject(source, drawn, rng)
        for name in experiment.measures:
            start = time.perf_counter()
            row += measures.find(name, source)(subject)
            row.append(time.perf_counter() - start)
        yield tuple(row)


def _board(experiment: Experiment, cell: Cell, source: Sample, board: int) -> tuple[Drawn, Rng]:
    """A board, and the random numbers that are left for its measures."""
    if not experiment.made:
        rng = generator(experiment.seed, board)
        return source.draw(rng), rng
    dials = tuple(sorted(experiment.dials(cell).items()))
    drawn = _made(experiment.genre, cell.rows, cell.cols, dials, experiment.seed, board)
    return drawn, generator(experiment.seed, board, 1)


@lru_cache(maxsize=2048)
def _made(
    genre: str,
    rows: int,
    cols: int,
    dials: tuple[tuple[str, DialValue], ...],
    seed: int,
    board: int,
) -> Drawn:
    """A board with one answer; kept, as experiments of one seed are of the same boards.

    Raises:
        PuzzleError: none was found.
    """
    wish = making.Wish(genre, rows, cols, seed=seed, dials=dict(dials))
    drawn = making.make(wish, board).drawn
    if drawn is None:
        size = show_size(rows, cols)
        raise PuzzleError(f"{genre} {size}: board {board} was not made in {wish.tries:,} tries")
    return drawn
