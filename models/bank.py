"""The shipped boards, by name: GENRE/SIZE/GRADE/NUMBER."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError

FOLDER = Path(__file__).parent / "banks"
PREFIX = "bank:"
UNGRADED = "search"  # in place of a grade, where the ladder does not complete a board


class Entry(NamedTuple):
    """One shipped board: its name, and the JSON line that it is kept as."""

    name: str
    line: str

    @property
    def data(self) -> dict[str, Any]:
        """Its fields."""
        fields: dict[str, Any] = json.loads(self.line)
        return fields


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """Every shipped board, genre by genre."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found.append(Entry(json.loads(line)["name"], line))
    return tuple(found)


def find(name: str) -> list[Entry]:
    """The boards of this name, or those whose names begin so.

    Raises:
        PuzzleError: there is none.
    """
    wanted = name.removeprefix(PREFIX).strip("/")
    found = [e for e in entries() if e.name == wanted or e.name.startswith(f"{wanted}/")]
    if not found and wanted:
        groups = sorted({entry.name.rpartition("/")[0] for entry in entries()})
        raise PuzzleError(
            f"no board {name!r} in the banks; expected one of: "
            + (", ".join(f"{PREFIX}{group}/1.." for group in groups) or "none is there")
        )
    return found or list(entries())


def canonical(puzzle: Puzzle) -> str:
    """The same text for all boards that are symmetries of each other."""
    from hashigo.models import codec

    return min(codec.text(board) for board in puzzle.symmetries())
