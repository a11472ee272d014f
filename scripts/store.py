"""The table of an experiment: one DuckDB file, one table `boards`, one row per board.

Rows are committed in small transactions. DuckDB writes a transaction to its log before it counts,
so that what is in the file after a crash is a whole number of them, and a run goes on from there.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from hashigo.models.reading import PuzzleError, require
from hashigo.scripts.experiment import KEY, Cell, Column, Experiment
from hashigo.scripts.extras import extra

TABLE = "boards"
_ORDER = ", ".join(column.name for column in KEY)
_EMPTY = 3 * 4096  # bytes of a file of DuckDB's without a table: its three headers


class Store:
    """An open file of results."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """Open or create the file.

        Raises:
            PuzzleError: it is in use, or not a file of results; or DuckDB is missing.
        """
        duckdb = extra("duckdb", "dial", "a file of results")
        require(not read_only or path.exists(), f"{path}: no such file")
        for last in (False, True):
            try:
                self._db = duckdb.connect(str(path), read_only=read_only)
                self._db.execute("SET threads = 1")
                return
            except duckdb.Error as error:
                reason = str(error).splitlines()[0]
                if last or read_only or " lock " in reason or not _stillborn(path):
                    raise PuzzleError(f"{path}: {reason}") from None
                path.unlink()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._db.close()

    def _execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        try:
            return self._db.execute(sql, list(parameters))
        except RuntimeError as error:  # what DuckDB makes of Ctrl-C
            if "interrupted" in str(error):
                raise KeyboardInterrupt from None
            raise

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        rows: list[tuple[Any, ...]] = self._execute(sql, parameters).fetchall()
        return rows

    def prepare(self, experiment: Experiment) -> list[Column]:
        """Make room for the rows of an experiment; gives their columns.

        Raises:
            PuzzleError: the file holds rows of another experiment of that name.
        """
        columns = experiment.columns()
        key = ", ".join(f"{name} {kind} NOT NULL" for name, kind in KEY)
        self._execute(f"CREATE TABLE IF NOT EXISTS {TABLE} ({key}, PRIMARY KEY ({_ORDER}))")
        have = dict(self.query(f"SELECT column_name, column_type FROM (DESCRIBE {TABLE})"))
        for name, kind in columns:
            if name not in have:
                self._execute(f"ALTER TABLE {TABLE} ADD COLUMN {name} {kind}")
            elif have[name] != kind:
                raise PuzzleError(f"column {name!r} is {have[name]} in this file, not {kind}")
        other = self.query(
            f"SELECT count(*) FROM {TABLE} WHERE experiment = ? AND spec <> ?",
            [experiment.name, experiment.spec()],
        )[0][0]
        require(
            not other,
            f"the file holds {other:,} boards of another experiment {experiment.name!r} (other "
            "seed, dials or measures); write to another file, or drop them with --fresh",
        )
        return columns

    def drop(self, experiment: Experiment) -> None:
        """Delete the rows of an experiment."""
        if self.query(f"SELECT 1 FROM information_schema.tables WHERE table_name = '{TABLE}'"):
            self._execute(f"DELETE FROM {TABLE} WHERE experiment = ?", [experiment.name])

    def done(self, experiment: Experiment) -> dict[Cell, set[int]]:
        """The boards of each cell that have their row."""
        boards: dict[Cell, set[int]] = {cell: set() for cell in experiment.cells()}
        for *cell, board in self.query(
            f"SELECT rows, cols, value, board FROM {TABLE} WHERE experiment = ?", [experiment.name]
        ):
            boards.setdefault(Cell(*cell), set()).add(board)
        return boards

    def insert(self, columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows, all or none."""
        if not rows:
            return
        # A list for each column: a statement of one length, however many the rows.
        names = ", ".join(column.name for column in columns)
        lists = ", ".join(f"unnest(?::{column.kind}[])" for column in columns)
        self._execute(
            f"INSERT INTO {TABLE} ({names}) SELECT {lists}",
            [list(values) for values in zip(*rows, strict=True)],
        )

    def export(self, path: Path, names: Iterable[str] = ()) -> None:
        """Write the rows, in the order of their key, as Parquet or CSV, by the ending.

        Raises:
            PuzzleError: the ending is neither, or the file cannot be written.
        """
        forms = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER"}
        require(path.suffix in forms, f"{path}: expected a name that ends in .parquet or .csv")
        duckdb = extra("duckdb", "dial", "a file of results")
        chosen = list(names)
        where = f"WHERE experiment IN ({', '.join('?' * len(chosen))})" if chosen else ""
        target = str(path).replace("'", "''")
        try:
            self._execute(
                f"COPY (SELECT * FROM {TABLE} {where} ORDER BY {_ORDER}) "
                f"TO '{target}' ({forms[path.suffix]})",
                chosen,
            )
        except duckdb.Error as error:
            raise PuzzleError(f"{path}: {str(error).splitlines()[0]}") from None


def _stillborn(path: Path) -> bool:
    """Whether this is a file of DuckDB's that was cut off before it could hold anything."""
    if not path.is_file() or path.stat().st_size >= _EMPTY:
        return False
    head = path.read_bytes()
    return not head or head[8:12] == b"DUCK"
