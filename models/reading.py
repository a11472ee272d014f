"""What the readers of all formats and genres share: refusing, warning, and cutting into tokens."""

import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class PuzzleError(ValueError):
    """Input that is no puzzle: one sentence with what, where, and what was expected."""


class PuzzleWarning(UserWarning):
    """Input that is a puzzle, but with something that was not expected."""


def require(condition: bool, message: str) -> None:
    """Raise a PuzzleError with this message unless the condition holds."""
    if not condition:
        raise PuzzleError(message)


def warn(message: str) -> None:
    """Say that something in the input was not expected."""
    warnings.warn(message, PuzzleWarning, stacklevel=3)


def require_size(name: str, rows: int, cols: int, side: int) -> None:
    """Refuse a board with no cells, or with a side that the engines have no memory for."""
    require(
        1 <= rows <= side and 1 <= cols <= side,
        f"{name}: a board of {shorten(str(rows))} rows and {shorten(str(cols))} columns; "
        f"expected 1 to {side} of each",
    )


def shorten(text: str, length: int = 20) -> str:
    """A text cut to a length."""
    return text if len(text) <= length else text[: length - 3] + "..."


def number(token: str) -> int | None:
    """A plain decimal number of at most fifteen digits, or None."""
    return int(token) if token.isascii() and token.isdigit() and len(token) <= 15 else None


def tokens(name: str, lines: Sequence[str], k: int, width: int) -> list[str]:
    """The tokens of body line k of a pzprv3 file, which must be `width` of them."""
    found = lines[k].split() if k < len(lines) else []
    require(
        len(found) == width,
        f"{name} file, body line {k + 1}: expected {width} tokens, got {len(found)}",
    )
    return found


def table(flat: Sequence[T], rows: int, cols: int) -> list[list[T]]:
    """A flat sequence as rows."""
    return [list(flat[r * cols : (r + 1) * cols]) for r in range(rows)]


def read_table(what: str, data: Any, rows: int, cols: int) -> list[Any]:
    """The inverse of `table` for JSON data, whose shape is checked."""
    require(
        isinstance(data, list)
        and len(data) == rows
        and all(isinstance(row, list) and len(row) == cols for row in data),
        f"{what}: expected {rows} rows of {cols} entries",
    )
    return [entry for row in data for entry in row]


def put(flat: tuple[T, ...], k: int, entry: T) -> tuple[T, ...]:
    """The tuple with entry k replaced."""
    return (*flat[:k], entry, *flat[k + 1 :])
