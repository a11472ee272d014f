"""Where puzzles come from: literal text, files, standard input."""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from hashigo.models import bank, codec
from hashigo.models.puzzle import Sheet
from hashigo.models.reading import PuzzleError

_FILE_ENDINGS = {".txt", ".json", ".jsonl", ".pzprv3", ".pzpr", ".url"}


def texts(arguments: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The (name, text) of each puzzle; a file or stdin may hold many, one a line.

    Raises:
        PuzzleError: a file cannot be read.
    """
    for argument in arguments:
        if argument.startswith(bank.PREFIX):
            yield from ((bank.PREFIX + e.name, e.line) for e in bank.find(argument))
        elif argument == "-":
            yield from _split("-", _read_stdin())
        elif _is_file(argument):
            yield from _split(argument, _read_file(argument))
        elif Path(argument).suffix in _FILE_ENDINGS and "?" not in argument:
            raise PuzzleError(f"{argument}: no such file")
        else:
            yield argument, argument


def one(argument: str) -> tuple[str, Sheet]:
    """The name and content of a single puzzle.

    Raises:
        PuzzleError: it cannot be read, or is not one.
    """
    found = list(texts([argument]))
    if len(found) != 1:
        raise PuzzleError(f"{argument}: {len(found)} puzzles; expected one")
    name, text = found[0]
    return name, codec.read(text)


def _is_file(argument: str) -> bool:
    try:
        return bool(argument) and Path(argument).exists()  # an empty path is the folder here
    except (OSError, ValueError):  # too long for a path, or a null character
        return False


def _read_stdin() -> str:
    if sys.stdin is None:
        raise PuzzleError("-: standard input is closed")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise PuzzleError("-: not text") from None


def _read_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PuzzleError(f"{name}: not a text file") from None
    except OSError as error:
        raise PuzzleError(f"{name}: {error.strerror}") from None


def _split(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Many puzzles where each line is one by its looks, else one puzzle."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(_one_line_puzzle(line) for line in lines):
        yield from (
            (line if len(line) < 200 else f"{name}:{k}", line) for k, line in enumerate(lines, 1)
        )
    else:
        yield (text.strip() if name == "-" and len(lines) == 1 else name), text


def _one_line_puzzle(line: str) -> bool:
    return (line.startswith("{") and line.endswith("}")) or bool(
        re.match(r"(\S*\?)?\w+/\S+$", line, re.ASCII)
    )
