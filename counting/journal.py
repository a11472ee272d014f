"""A file of finished work: one JSON value a line, after a header that says of what.

A run that is ended at any moment leaves at most its last line torn; that one is dropped.
"""

import json
from pathlib import Path
from typing import Any, Self

from hashigo.models.reading import PuzzleError


class Journal:
    """A file to append to; what stood in it before is in `entries`, with its line numbers."""

    def __init__(self, path: Path, header: object) -> None:
        """Open or make the file.

        Raises:
            PuzzleError: the file cannot be used, or is not the journal of this work.
        """
        self.path = path
        first = json.dumps(header).encode() + b"\n"
        try:
            found = path.read_bytes() if path.exists() else b""
            # A header torn in writing is made anew; anything else is somebody's other file.
            if not found.startswith(first) and not first.startswith(found):
                raise PuzzleError(
                    f"{path}: not the progress file of this work; "
                    f"expected its first line to be {first.decode().strip()}"
                )
            self.entries, torn = self._read(found.splitlines(keepends=True)[1:])
            self._file = path.open("ab")
            if len(found) < len(first):
                self._file.truncate(0)
                self._write(first)
            elif torn:
                self._file.truncate(len(found) - torn)
        except OSError as error:
            reason = error.strerror or str(error)
            raise PuzzleError(f"{path}: {reason}; expected a file to write progress to") from None

    def _read(self, lines: list[bytes]) -> tuple[list[tuple[int, Any]], int]:
        """The entries of these lines, and the length of a torn last one."""
        entries: list[tuple[int, Any]] = []
        for k, line in enumerate(lines, start=2):
            try:
                if not line.endswith(b"\n"):
                    return entries, len(line)
                entries.append((k, json.loads(line)))
            except ValueError:
                if k == len(lines) + 1:
                    return entries, len(line)
                raise self.fault(k) from None
        return entries, 0

    def fault(self, line: int) -> PuzzleError:
        """What to raise about an entry that makes no sense."""
        return PuzzleError(f"{self.path}, line {line}: expected an entry as this work writes them")

    def add(self, entry: object) -> None:
        """Write an entry down."""
        self._write(json.dumps(entry).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def __enter__(self) -> Self:
        """The journal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()
