"""Kropki counted: by brute force, and exactly where there are too many answers to lay each.

`lay` is the brute force: digits laid cell by cell, each held to the rules as it is laid. It shares
nothing with the rest.

`count` has two methods. Its *sweep* is a dynamic programme over the cells row
by row: a state is the set of digits that each column has, that of the row begun, and a digit itself
where a label still has to look at it. Columns that nothing ahead tells apart are sorted; where
nothing tells the digits apart either, they are renamed. A state is dropped when its row or column
alone cannot be filled any more. Its *search* closes a board under what each line allows, branches
where the fewest digits are left, and counts the leaves. The two take turns, so that the cheaper one
ends first at no more than twice its cost.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from hashigo.counting.lines import Lines, Sets, close
from hashigo.models.grid import Border
from hashigo.models.kropki import Kropki, Label
from hashigo.models.puzzle import Answer
from hashigo.models.verdict import Budget, OutOfBudget

Method = Literal["sweep", "search"]


@dataclass(frozen=True)
class Counted:
    """A number of answers, and what found it."""

    count: int
    method: Method


def lay(puzzle: Kropki, budget: Budget) -> Iterator[Answer]:
    """Yield every answer; a node is a digit laid.

    Raises:
        OutOfBudget: a limit was met.
    """
    cols = puzzle.cols
    dots = dict(zip(puzzle.grid.borders(), puzzle.labels, strict=True))
    laid: list[int] = []

    def fits(digit: int) -> bool:
        i = len(laid)
        row_start = i - i % cols
        if puzzle.givens[i] not in (None, digit):
            return False
        if digit in laid[row_start:] or digit in laid[i % cols :: cols]:
            return False
        beside = [i - 1] if i > row_start else []
        above = [i - cols] if i >= cols else []
        return all(
            _dot_is_right(dots[Border(j, i)], laid[j], digit, puzzle.convention == "either")
            for j in (*beside, *above)
        )

    digit = 1
    while True:
        if digit > puzzle.digits:
            if not laid:
                return
            digit = laid.pop() + 1
        elif not fits(digit):
            digit += 1
        else:
            budget.spend()
            laid.append(digit)
            digit = 1
            if len(laid) == puzzle.rows * cols:
                yield tuple(laid)
                digit = laid.pop() + 1


def _dot_is_right(dot: Label, a: int, b: int, either: bool) -> bool:
    small, large = min(a, b), max(a, b)
    if dot == Label.UNKNOWN:
        return True
    if (small, large) == (1, 2):
        return dot == Label.BLACK or (either and dot == Label.WHITE)
    if large == small + 1:
        return dot == Label.WHITE
    if large == small + small:
        return dot == Label.BLACK
    return dot == Label.NONE


# Work that is done step by step: the cost of each, in states looked at, and at the end a count.
Work = Generator[int, None, int]

_MOST_STATES: Final = 500_000
_BRANCH_COST: Final = 5  # in states of the sweep, by time, without the looks at its lines
_LOOKS_PER_STATE: Final = 100
_LARGEST_EXACT: Final = 18  # digits up to which the search has room for all sets of them
_LARGEST_WATCHED: Final = 10  # open cells of a line up to which the sweep looks ahead in it


class _OutOfRoom(Exception):
    """The sweep has too many states."""


def count(puzzle: Kropki, budget: Budget) -> int:
    """The number of answers, exact; a node is a state of the sweep or a branch of the search.

    Raises:
        OutOfBudget: a limit was met.
    """
    return count_by(puzzle, budget).count


def count_by(
    puzzle: Kropki, budget: Budget, methods: Sequence[Method] = ("sweep", "search")
) -> Counted:
    """The number of answers, and which of the methods allowed was the first to have it.

    Raises:
        OutOfBudget: a limit was met, or the sweep ran out of room and nothing else was allowed.
    """
    board = min(map(_Board, puzzle.symmetries()), key=_Board.difficulty)
    works: dict[Method, Work] = {"sweep": _sweep(board), "search": _search(board)}
    costs = dict.fromkeys(methods, 0)
    while costs:
        method = min(costs, key=costs.__getitem__)
        budget.spend()
        try:
            costs[method] += next(works[method])
        except StopIteration as end:
            return Counted(end.value, method)
        except _OutOfRoom:
            del costs[method]
    raise OutOfBudget(f"limit of {_MOST_STATES:,} states at once")


class _Board:
    """The rules of a board as sets of digits; the set of the digit d alone is 1 << d - 1."""

    def __init__(self, puzzle: Kropki) -> None:
        self.rows, self.cols, self.digits = puzzle.rows, puzzle.cols, puzzle.digits
        self.all = (1 << self.digits) - 1
        self.lines = puzzle.grid.lines()
        self._tables = _neighbours(self.digits, puzzle.convention == "either")
        self.beside = {
            border: self._tables[label]
            for border, label in zip(puzzle.grid.borders(), puzzle.labels, strict=True)
            if label != Label.UNKNOWN
        }
        self.bound = {i for border in self.beside for i in border}
        self.bound |= {i for i, given in enumerate(puzzle.givens) if given is not None}
        self._given = [self.all if d is None else 1 << d - 1 for d in puzzle.givens]
        self.looked_at = 0  # states of lines, so far

    @cached_property
    def start(self) -> Sets | None:
        """What the lines leave of each cell at the outset; None if some cell has nothing."""
        sets = np.array(self._given, np.int64)
        return sets if self.close(sets, range(len(self.lines))) else None

    def free_from(self) -> list[int]:
        """The row of each column from which on no label and no given touches its cells."""
        rows: list[list[int]] = [[-1] for _ in range(self.cols)]
        for i in self.bound:
            rows[i % self.cols].append(i // self.cols)
        return [max(some) + 1 for some in rows]

    def difficulty(self) -> tuple[int, int]:
        """What makes the sweep's states many: columns, and how far down they are told apart."""
        return self.cols, sum(self.free_from())

    def close(self, sets: Sets, touched: Sequence[int]) -> bool:
        """Take away in place what single lines exclude, from these lines on; False if all of it."""
        waiting = np.zeros(len(self.lines), np.bool_)
        waiting[list(touched)] = True
        looked_at = close(sets, waiting, self._arrays)
        self.looked_at += max(looked_at, 0)
        return looked_at >= 0

    @cached_property
    def _arrays(self) -> Lines:
        digits = range(self.digits)
        tables = [*self._tables.values(), {1 << d: self.all for d in digits}]
        longest = max(self.rows, self.cols)
        cells = np.zeros((len(self.lines), longest), np.int64)
        labels = np.full((len(self.lines), longest), len(tables) - 1, np.int64)
        for k, line in enumerate(self.lines):
            cells[k, : len(line)] = line
            for position, pair in enumerate(pairwise(line)):
                if (table := self.beside.get(Border(*pair))) is not None:
                    labels[k, position] = [t is table for t in tables].index(True)
        subsets = 1 << self.digits if self.digits <= _LARGEST_EXACT else 0
        return Lines(
            cells,
            np.array([len(line) for line in self.lines]),
            labels,
            np.array([[table[1 << d] for d in digits] for table in tables]),
            np.array([k.bit_count() for k in range(subsets)], np.int64),
            np.zeros(subsets, np.int64),
            self.cols,
        )


# The digits that may stand beside a digit, by its set.
_Table = dict[int, int]


def _neighbours(digits: int, either: bool) -> dict[Label, _Table]:
    """For each label that says something, the digits that may stand beside each digit."""
    tables: dict[Label, _Table] = {
        label: {1 << k: 0 for k in range(digits)}
        for label in (Label.NONE, Label.WHITE, Label.BLACK)
    }
    for a in range(1, digits + 1):
        for b in range(1, digits + 1):
            dots = set()
            if a - b in (1, -1):
                dots.add(Label.WHITE)
            if 2 * a == b or 2 * b == a:
                dots.add(Label.BLACK)
            if len(dots) == 2 and not either:
                dots.remove(Label.WHITE)
            for label in dots or {Label.NONE}:
                tables[label][1 << a - 1] |= 1 << b - 1
    return tables


def _each(some: int) -> Iterator[int]:
    """The digits of a set, each as a set."""
    while some:
        digit = some & -some
        yield digit
        some ^= digit


def _search(board: _Board) -> Work:
    """Count the leaves of a search; a step is a branch."""
    found = 0
    pending: list[tuple[Sets, tuple[int, ...]]] = []
    if board.start is not None:
        pending.append((board.start, ()))
    while pending:
        before = board.looked_at
        sets, touched = pending.pop()
        if board.close(sets, touched):
            sizes = {i: s.bit_count() for i, s in enumerate(sets.tolist()) if s & (s - 1)}
            if not sizes:
                found += 1
            else:
                i = min(sizes, key=sizes.__getitem__)
                lines = (i // board.cols, board.rows + i % board.cols)
                for digit in _each(int(sets[i])):
                    branch = sets.copy()
                    branch[i] = digit
                    pending.append((branch, lines))
        yield _BRANCH_COST + (board.looked_at - before) // _LOOKS_PER_STATE
    return found


# What each column has so far, and a digit that a label below still looks at, `digits` bits higher;
# then what the row begun has, and a digit that a label to the right still looks at.
_State = tuple[int, ...]


def _sweep(board: _Board) -> Work:
    """Count by states, cell by cell; a step is a state.

    Raises:
        _OutOfRoom: there are too many states at once.
    """
    if board.start is None:
        return 0
    states: dict[_State, int] = {(0,) * (board.cols + 2): 1}
    for place in _places(board, board.start.tolist()):
        after: dict[_State, int] = {}
        for state, ways in states.items():
            yield 1
            for following in place.successors(state):
                after[following] = after.get(following, 0) + ways
            if len(after) > _MOST_STATES:
                raise _OutOfRoom
        states = after
    return sum(states.values())


def _places(board: _Board, closed: Sequence[int]) -> Iterator["_Place"]:
    """The cells, row by row.

    A column is free from a row on when no label and no given touches its cells there. Nothing
    ahead then tells it from another free column: their contents may be exchanged. After that, what
    was closed off in its cells by the old contents no longer holds, and each digit counts as open.
    """
    rows, cols = board.rows, board.cols
    free_from = board.free_from()
    cells = [
        board.all if i // cols >= free_from[i % cols] else closed[i] for i in range(rows * cols)
    ]
    lines = [_Line(board, line, [cells[i] for i in line]) for line in board.lines]
    for i, open_ in enumerate(cells):
        r, c = divmod(i, cols)
        groups = [
            [k for k in range(c + 1) if free_from[k] <= r + 1],
            [k for k in range(c + 1, cols) if free_from[k] <= r],
        ]
        yield _Place(
            board,
            c,
            open_,
            board.beside.get(Border(i - 1, i)) if c else None,
            board.beside.get(Border(i - cols, i)),
            c + 1 < cols and Border(i, i + 1) in board.beside,
            Border(i, i + cols) in board.beside,
            lines[r],
            lines[rows + c],
            [group for group in groups if len(group) > 1],
            max(free_from) <= (r if c + 1 < cols else r + 1),
        )


@dataclass(frozen=True)
class _Place:
    """What the sweep knows of a cell beforehand."""

    board: _Board
    c: int
    open: int
    from_left: "_Table | None"
    from_above: "_Table | None"
    right: bool  # whether a label looks at the digit from the right
    below: bool
    row: "_Line"
    column: "_Line"
    groups: list[list[int]]  # columns whose contents may be exchanged
    nameless: bool  # whether nothing ahead tells the digits apart

    def successors(self, state: _State) -> Iterator[_State]:
        """The states after this cell, each as often as digits lead to it."""
        c, digits = self.c, self.board.digits
        *columns, row_has, left = state
        has = columns[c] & self.board.all
        choices = self.open & ~has & ~row_has
        if self.from_left is not None:
            choices &= self.from_left[left]
        if self.from_above is not None:
            choices &= self.from_above[columns[c] >> digits]
        end = c + 1 == self.board.cols
        for digit in _each(choices):
            if not (self.row.can_end(row_has | digit, digit)):
                continue
            if not self.column.can_end(has | digit, digit):
                continue
            after = columns[:]
            after[c] = has | digit | (digit << digits if self.below else 0)
            row_then = 0 if end else row_has | digit
            if self.nameless:
                yield _renamed(after, c + 1, row_then, digits)
                continue
            for group in self.groups:
                for k, content in zip(group, sorted([after[k] for k in group]), strict=True):
                    after[k] = content
            yield *after, row_then, digit if self.right else 0


def _renamed(contents: Sequence[int], passed: int, row_has: int, digits: int) -> _State:
    """The state, sorted, under other names of the digits: often the same for many.

    Names go by whether the row begun has the digit, and by how often it shares a column, passed by
    that row or not, with each other one; at first and at second hand.
    """
    places = [
        sum(1 << k for k, some in enumerate(contents) if some >> d & 1) for d in range(digits)
    ]
    left = (1 << passed) - 1
    shared = [[((a & b & left).bit_count(), (a & b).bit_count()) for b in places] for a in places]
    first = [(row_has >> d & 1, sorted(row)) for d, row in enumerate(shared)]
    second = [(first[d], sorted(zip(row, first, strict=True))) for d, row in enumerate(shared)]
    order = sorted(range(digits), key=second.__getitem__)

    def rename(some: int) -> int:
        return sum(1 << k for k, d in enumerate(order) if some >> d & 1)

    renamed = [rename(some) for some in contents]
    return (*sorted(renamed[:passed]), *sorted(renamed[passed:]), rename(row_has), 0)


class _Line:
    """Whether a beginning of a line can be filled up to its end, looked up once found."""

    def __init__(self, board: _Board, line: range, open_: Sequence[int]) -> None:
        self._open = open_
        self._all = board.all
        self._along = [board.beside.get(Border(*pair)) for pair in pairwise(line)]
        self._known: dict[tuple[int, int], bool] = {}
        self._watched = (
            any(s != board.all for s in open_) or any(table is not None for table in self._along)
        ) and sum(s & (s - 1) != 0 for s in open_) <= _LARGEST_WATCHED

    def can_end(self, used: int, last: int) -> bool:
        """Whether digits can follow that have just been used, `last` last; True if not known."""
        if not self._watched:
            return True
        key = used, last
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(used, last)
        return known

    def _find(self, used: int, last: int) -> bool:
        position = used.bit_count()
        if position == len(self._open):
            return True
        table = self._along[position - 1]
        choices = self._open[position] & ~used & (table[last] if table else self._all)
        return any(self.can_end(used | digit, digit) for digit in _each(choices))
