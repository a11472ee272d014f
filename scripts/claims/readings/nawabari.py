"""Nawabari read in other ways: the answers of the shipped boards, counted exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from statistics import median

from hashigo.counting.nawabari import Variant, count
from hashigo.models import bank, codec, walls
from hashigo.models.nawabari import UNKNOWN, Nawabari
from hashigo.models.puzzle import Answer
from hashigo.models.verdict import Budget
from hashigo.scripts.claim import Claim, Effort, Line

_VARIANTS = {
    "outer border is no wall": Variant(frame=False),
    "number is the room's area": Variant(area=True),
    "rooms may hold several numbers": Variant(several=True),
    "rooms may hold no number": Variant(empty=True),
}


@cache
def shipped(n: int) -> list[tuple[Nawabari, Answer]]:
    """The shipped boards of a size, with their answers."""
    found = []
    for entry in bank.find(f"{Nawabari.name}/{n}"):
        puzzle, filling = codec.from_json(entry.data)
        assert isinstance(puzzle, Nawabari) and filling is not None
        found.append((puzzle, tuple(int(wall == 1) for wall in filling)))
    return found


def legal(puzzle: Nawabari, answer: Answer, variant: Variant) -> bool:
    """Whether an answer keeps the rules as they are read; its rooms are rectangles anyway."""
    grid = puzzle.grid
    rooms = walls.rooms(grid, answer)
    for room in set(rooms):
        cells = [i for i, other in enumerate(rooms) if other == room]
        held = [i for i in cells if puzzle.numbers[i] is not None]
        if (not held and not variant.empty) or (len(held) > 1 and not variant.several):
            return False
        for i in held:
            sides = (int(variant.frame) if k is None else answer[k] for k in grid.sides(i))
            right = len(cells) if variant.area else sum(sides)
            if puzzle.numbers[i] not in (UNKNOWN, right):
                return False
    return True


def dots_only(claim: Claim, effort: Effort) -> Iterator[Line]:
    """Every number made unknown."""
    for n, *theirs in claim.data["rows"]:
        blank = [
            replace(puzzle, numbers=tuple(None if k is None else UNKNOWN for k in puzzle.numbers))
            for puzzle, _ in shipped(n)
        ]
        counts = [count(puzzle, Budget()) for puzzle in blank]
        ours = [len(counts), counts.count(1), _median(counts), min(counts), max(counts)]
        yield _line(claim, f"{n}x{n}: boards, unique, median, min, max", theirs, ours)


def misreadings(claim: Claim, effort: Effort) -> Iterator[Line]:
    """One rule read wrongly."""
    for name, n, *theirs in claim.data["rows"]:
        variant = _VARIANTS[name]
        kept = sum(legal(puzzle, answer, variant) for puzzle, answer in shipped(n))
        counts = [count(puzzle, Budget(), variant) for puzzle, _ in shipped(n)]
        ours = [kept, _median(counts), counts.count(1)]
        yield _line(claim, f"{name}, {n}x{n}: answer legal, median, unique", theirs, ours)
        if not (variant.several or variant.empty):
            yield _line(claim, f"{name}, {n}x{n}: boards with answers", 0, sum(map(bool, counts)))
        elif variant.empty and n == 8:
            yield _line(claim, f"{name}, {n}x{n}: most answers", "3.36e14", f"{max(counts):.3g}")


def _median(counts: Sequence[int]) -> float:
    """The median, without a fraction where it has none."""
    middle = median(counts)
    return int(middle) if middle == int(middle) else middle


def _line(claim: Claim, what: str, theirs: object, ours: object) -> Line:
    return Line(claim.id, what, str(theirs), str(ours), "bank")
