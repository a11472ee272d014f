"""What commands share in showing things to people: tables, progress, pictures side by side."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from hashigo.models.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

T = TypeVar("T")
_WIDTH = 100  # columns where the output is not a terminal


def console() -> "Console":
    """A console on standard output, of a fixed width where that is not a terminal."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


def table(*columns: str) -> "Table":
    """A plain table."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, show_edge=False)
    for column in columns:
        made.add_column(column)
    return made


def progress(items: Iterable[T], total: int) -> Iterator[T]:
    """Pass items on, with a bar on standard error where that is a terminal."""
    if total < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, total=total, console=Console(stderr=True), description="puzzles")


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A sign of life on standard error, where that is a terminal, while something takes long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """Takes a stage, its steps done and all its steps; a bar for each as in `progress`."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    bars: dict[str, TaskID] = {}
    with Progress(console=Console(stderr=True)) as shown:

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                bars[stage] = shown.add_task(stage)
            shown.update(bars[stage], completed=done, total=total)

        yield tell


def count(verdict: Verdict) -> str:
    """The number of answers, or a lower bound."""
    return f"{verdict.count:,}" if verdict.complete else f"at least {verdict.count:,}"


def cell(value: object) -> str:
    """A cell of a table; numbers with commas."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def side_by_side(pictures: Sequence[str]) -> str:
    """Pictures of text beside each other."""
    columns = [picture.splitlines() for picture in pictures]
    widths = [max(map(len, lines), default=0) for lines in columns]
    return "\n".join(
        "      ".join(part.ljust(w) for part, w in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*columns, fillvalue="")
    )


def shorten(name: str, length: int = 44) -> str:
    """A name cut to a length."""
    return name if len(name) <= length else name[: length - 1] + "…"
