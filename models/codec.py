"""Every way to write a puzzle down: puzz.link URL, pzprv3 file, readable text, JSON.

`read` takes any of them. Formats are those of FORMATS.md (robx/pzprjs, read and run); what the
reference reads leniently and silently is refused here, or warned of.
"""

import json
import re
from collections.abc import Sequence
from urllib.parse import unquote

from hashigo.models import GENRES
from hashigo.models.puzzle import Filling, Json, Puzzle, Sheet
from hashigo.models.reading import PuzzleError, number, require, shorten, warn

_LONGEST = 4_000_000  # characters of input
_URL_PREFIX = "https://puzz.link/p?"
_END_OF_FILE_BODY = ("TrialData", "info:", "history:", "http://")
_HEADER = re.compile(r"([a-z]+)\s+(\d+)x(\d+)((?:\s+\w+=\w+)*)\s*", re.ASCII)


def read(source: str) -> Sheet:
    """Read a puzzle in whatever form it comes, with what is written on it.

    Raises:
        PuzzleError: it is none of the forms, or breaks the one that it seems to be.
    """
    require(len(source) <= _LONGEST, f"input of {len(source):,} characters; at most {_LONGEST:,}")
    content = source.lstrip("\ufeff").strip()
    require(bool(content), "empty input; expected a puzz.link URL, a pzprv3 file, text or JSON")
    if content.startswith("{"):
        return _from_json_text(content)
    if content.startswith(("pzprv3", "v:")):
        return _from_file(content)
    header, _, body = content.partition("\n")
    if match := _HEADER.fullmatch(header.strip()):
        options = _once([option.split("=") for option in match[4].split()])
        lines = [line.split() for line in body.splitlines() if line.split()]
        genre = _genre(match[1])
        rows, cols = (
            _side(genre, "text", *side) for side in (("rows", match[2]), ("columns", match[3]))
        )
        return Sheet(genre.from_text(rows, cols, options, lines))
    return _from_url(content)


def _once(pairs: Sequence[Sequence[Json]]) -> dict[str, Json]:
    """The pairs as a dictionary; of two values for one name, none is the right one."""
    found: dict[str, Json] = {}
    for name, value in pairs:
        require(name not in found, f"{name[:40]!r} is there twice; expected once")
        found[name] = value
    return found


def _genre(name: str) -> type[Puzzle]:
    for genre in GENRES:
        if genre.name == name:
            return genre
    known = ", ".join(genre.name for genre in GENRES)
    raise PuzzleError(f"{name[:40]!r} is not a genre known here; expected one of: {known}")


def _side(genre: type[Puzzle], form: str, what: str, text: str) -> int:
    """The number of rows or columns, which the engines must have memory for."""
    side = number(text)
    if side is None or not 1 <= side <= genre.LARGEST:
        raise PuzzleError(
            f"{genre.name} {form}: the number of {what} is {shorten(text)!r}; "
            f"expected 1 to {genre.LARGEST}"
        )
    return side


# puzz.link URLs


def _from_url(content: str) -> Sheet:
    flat = re.sub(r"[\r\n]", "", content)
    tail = flat.partition("?")[2] if "?" in flat else flat
    require(
        "/" in tail and "://" not in tail,
        f"{content[:60]!r} is not a puzzle: expected a puzz.link URL, its tail such as "
        "GENRE/COLUMNS/ROWS/BODY, a pzprv3 file, text or JSON",
    )
    tail = re.sub(r"^(?:\w+=\w+&)+", "", tail, flags=re.ASCII)
    if tail.startswith("pzprv3"):
        return _from_file(unquote(tail))
    # What stands below a fragment would be lost: it may well be other puzzles.
    below = content[content.find("?") + 1 :].partition("#")[2]
    require(
        not re.search(r"[\r\n]", below),
        f"{content[:60]!r} goes on in another line after '#'; expected a URL, or several with one "
        "in each line and nothing else",
    )
    tail = tail.partition("#")[0]
    parts = tail.split("/")
    genre = _genre(re.sub(r"_(edit|play)$", "", parts.pop(0)))
    if parts and parts[0].startswith("v:"):
        raise _variant(genre)
    if parts and re.fullmatch(r"[A-Za-z]+", parts[0]):
        warn(f"{genre.name} URL: the flag {parts.pop(0)!r} is not known and was left out")
    parts += [""] * (2 - len(parts))
    cols, rows = (
        _side(genre, "URL", *side) for side in zip(("columns", "rows"), parts, strict=False)
    )
    rest = parts[2:]
    if len(rest) > 1 and not rest[-1]:
        rest.pop()
    return Sheet(genre.from_url_body(rows, cols, "/".join(rest)))


def _variant(genre: type[Puzzle]) -> PuzzleError:
    return PuzzleError(
        f"{genre.name}: marked 'v:', a variant with rules of its own; only the ordinary rules are "
        "known here, and would give a wrong verdict"
    )


def tail(puzzle: Puzzle) -> str:
    """The part of the URL after the `?`.

    Raises:
        PuzzleError: the board has something that URLs cannot say.
    """
    body = puzzle.url_body()
    # Link shorteners drop a final dot or the like; puzz.link guards it with a slash.
    guard = "" if body[-1:].isalnum() else "/"
    return f"{puzzle.name}/{puzzle.cols}/{puzzle.rows}/{body}{guard}"


def url(puzzle: Puzzle) -> str:
    """The puzz.link URL.

    Raises:
        PuzzleError: the board has something that URLs cannot say.
    """
    return _URL_PREFIX + tail(puzzle)


# pzprv3 files


def _from_file(content: str) -> Sheet:
    lines = [line.strip() for line in re.split(r"\r\n|[\r\n/]", content)]
    variant = lines[0].startswith("v:")
    if variant:
        lines.pop(0)
    require(
        bool(lines) and re.fullmatch(r"pzprv3(\.\d+)?", lines[0]) is not None,
        f"file, line 1: {lines[0][:20] if lines else ''!r}; expected 'pzprv3'",
    )
    require(len(lines) >= 4, "pzprv3 file: expected genre, rows and columns in lines 2 to 4")
    genre = _genre(lines[1])
    if variant:
        raise _variant(genre)
    sides = zip(("rows", "columns"), lines[2:4], strict=True)
    rows, cols = (_side(genre, "file", *side) for side in sides)
    body = lines[4:]
    for k, line in enumerate(body):
        if line.startswith(_END_OF_FILE_BODY):
            del body[k:]
            break
    while body and not body[-1]:
        body.pop()
    return Sheet(*genre.from_file(rows, cols, body))


def pzprv3(puzzle: Puzzle, filling: Filling | None = None) -> str:
    """The pzprv3 file, with what is written.

    Raises:
        PuzzleError: the board has something that these files cannot say.
    """
    head = ("pzprv3", puzzle.name, str(puzzle.rows), str(puzzle.cols))
    return "\n".join([*head, *puzzle.file_lines(filling), ""])


# Readable text


def text(puzzle: Puzzle) -> str:
    """The readable text form: a header, and the board below it."""
    options = "".join(f" {key}={value}" for key, value in puzzle.text_options().items())
    header = f"{puzzle.name} {puzzle.rows}x{puzzle.cols}{options}"
    return "\n".join([header, *puzzle.text_lines(), ""])


# JSON


def _from_json_text(content: str) -> Sheet:
    try:
        data = json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise PuzzleError(f"JSON: {str(error)[:100]}") from None
    return from_json(data)


def from_json(data: Json) -> Sheet:
    """Read a puzzle from plain data; its `answer`, if there, is what is written.

    Raises:
        PuzzleError: something is missing or of the wrong type.
    """
    require(isinstance(data, dict), "JSON: expected an object")
    name, rows, cols = (data.get(key) for key in ("genre", "rows", "cols"))
    require(isinstance(name, str), "JSON: expected 'genre' to be a string")
    require(
        type(rows) is int and type(cols) is int,
        "JSON: expected 'rows' and 'cols' to be whole numbers",
    )
    puzzle = _genre(name).from_json(rows, cols, data)
    written = data.get("answer")
    return Sheet(puzzle, None if written is None else puzzle.read_filling(written))


def to_json(puzzle: Puzzle, filling: Filling | None = None) -> Json:
    """The puzzle as plain data, with what is written."""
    head = {"genre": puzzle.name, "rows": puzzle.rows, "cols": puzzle.cols}
    answer = {} if filling is None else {"answer": puzzle.filling_json(filling)}
    return head | dict(puzzle.json_fields()) | answer
