"""Made boards in experiments, and changes of boards: each is what it says, and counted right."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from genres import NAMES, boards
from test_dial import run, small

from hashigo.counting.brute import Brute
from hashigo.counting.cpsat import CpSat
from hashigo.counting.sample import Change, Drawn, generator, sample
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, Status, Verdict, decide
from hashigo.scripts import experiment, making, measures
from hashigo.scripts.making import Wish

KINDS = [(name, kind) for name in NAMES for kind in sample(name, 4, 4).CHANGES]

# Boards with one answer


@pytest.mark.parametrize("name", NAMES)
def test_made_boards_do_not_depend_on_workers(name: str, tmp_path: Path) -> None:
    """They are those of `generate`, and every measure finds them as they are."""
    kinds = [f"changes_{kind}" for kind in sample(name, 4, 4).CHANGES]
    wanted = {"made": True, "boards": 4, "measures": ["clues", "unique", "price", *kinds]}
    plan = small(name, **wanted)
    experiment._made.cache_clear()
    rows = run(plan, tmp_path / "one.duckdb")
    assert len(rows) == 8
    assert run(plan, tmp_path / "two.duckdb", jobs=2) == rows
    last = plan.cells()[-1]
    experiment._made.cache_clear()
    (row,) = experiment.measure(plan, last, [3])
    names = [column.name for column in plan.columns()]
    wish = Wish(name, last.rows, last.cols, seed=plan.seed, dials=plan.dials(last))
    drawn = making.make(wish, 3).drawn
    assert drawn is not None
    source = wish.sample()
    found = dict(zip(names, row, strict=True))
    assert found["is_unique"]
    for what, count in source.counts(drawn).items():
        assert found[f"clues_{what}"] == count
    verdict = decide(CpSat(), drawn.puzzle, Budget(2))
    assert (verdict.status, verdict.answers) == (Status.UNIQUE, (drawn.answer,))


def test_a_board_that_cannot_be_made_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = small("nawabari", made=True, measures=["clues"])
    experiment._made.cache_clear()
    monkeypatch.setattr(making, "make", lambda wish, k: making.Made(k, None, None, 1000, {}))
    with pytest.raises(PuzzleError, match=r"nawabari 6: board 2 was not made in 1,000 tries"):
        experiment.measure(plan, plan.cells()[0], [2])


# Changes, by the rectangles of the rooms


def rectangles(drawn: Drawn) -> list[tuple[int, int, int, int]]:
    """Top, bottom, left and right of each room, by cells that are reached across open borders."""
    puzzle, answer = drawn
    open_to: dict[int, list[int]] = {i: [] for i in range(puzzle.rows * puzzle.cols)}
    for (a, b), wall in zip(puzzle.grid.borders(), answer, strict=True):
        if not wall:
            open_to[a].append(b)
            open_to[b].append(a)
    found, seen = [], set[int]()
    for start in open_to:
        if start not in seen:
            room, pending = {start}, [start]
            while pending:
                fresh = {*open_to[pending.pop()]} - room
                room |= fresh
                pending += fresh
            seen |= room
            spots = [divmod(i, puzzle.cols) for i in room]
            rows, cols = zip(*spots, strict=True)
            assert len(room) == (max(rows) - min(rows) + 1) * (max(cols) - min(cols) + 1)
            found.append((min(rows), max(rows), min(cols), max(cols)))
    return found


def seat(box: tuple[int, int, int, int], r: int, c: int) -> tuple[int, str]:
    """The number of a cell of a rectangle, and what the cell is there."""
    top, bottom, left, right = box
    number = (r == top) + (r == bottom) + (c == left) + (c == right)
    if top == bottom or left == right:
        return number, "strip_end" if number == 3 else "strip_middle"
    return number, ("inside", "side", "corner")[number]


def cells(box: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    top, bottom, left, right = box
    return [(r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)]


def nawabari(index: int) -> tuple[Any, Drawn]:
    rows, cols = boards("nawabari").SAMPLE_SIZES[index % 4]
    source = sample("nawabari", rows, cols)
    return source, source.draw(generator(13, index))


def test_moves_and_erasures_by_rectangles() -> None:
    kinds: Counter[str] = Counter()
    for index in range(24):
        source, drawn = nawabari(index)
        held = drawn.puzzle.numbers
        moved, erased = [], []
        for box in rectangles(drawn):
            spots = [r * drawn.puzzle.cols + c for r, c in cells(box)]
            (old,) = (i for i in spots if held[i] is not None)
            bare = [None if i == old else n for i, n in enumerate(held)]
            erased.append(tuple(bare))
            for i, (r, c) in zip(spots, cells(box), strict=True):
                if i != old:
                    number, place = seat(box, r, c)
                    traits = {place} | ({"same_number"} if number == held[old] else set())
                    numbers = tuple(number if k == i else n for k, n in enumerate(bare))
                    moved.append((numbers, frozenset(traits)))
        got = list(source.changes(drawn, "move", generator(0)))
        assert Counter((x.puzzle.numbers, frozenset(x.traits)) for x in got) == Counter(moved)
        assert all(x.puzzle.accepts(drawn.answer) for x in got)
        kinds.update(trait for x in got for trait in x.traits)
        gone = list(source.changes(drawn, "erase", generator(0)))
        assert Counter(x.puzzle.numbers for x in gone) == Counter(erased)
        for x in gone:
            codes = [v.code for v in x.puzzle.violations(drawn.answer)]
            assert codes == ["bkNoNum"] and not x.traits
        assert source.ways(drawn, "move") == len(moved)
        assert source.ways(drawn, "erase") == len(erased)
    assert set(kinds) == set(source.CHANGES["move"])


def test_reseated_boards_by_rectangles() -> None:
    """Every cell of every room has its turn, evenly."""
    for index in range(3, 24, 4):
        source, drawn = nawabari(index)
        boxes = rectangles(drawn)
        many = [
            change.puzzle
            for k in range(4)
            for change in source.changes(drawn, "reseat", generator(index, k))
        ]
        seen: Counter[int] = Counter()
        for puzzle in many:
            assert puzzle.accepts(drawn.answer)
            seats = {i for i, n in enumerate(puzzle.numbers) if n is not None}
            assert len(seats) == len(boxes)
            seen.update(seats)
            for box in boxes:
                for r, c in cells(box):
                    number = puzzle.numbers[r * puzzle.cols + c]
                    assert number in (None, seat(box, r, c)[0])
        ways = 1
        for box in boxes:
            size = len(cells(box))
            ways *= size
            for r, c in cells(box):
                share = seen[r * drawn.puzzle.cols + c] / len(many)
                spread = (1 / size * (1 - 1 / size) / len(many)) ** 0.5
                assert abs(share - 1 / size) <= 5 * spread
        assert source.ways(drawn, "reseat") == ways


@pytest.mark.parametrize("name", NAMES)
def test_kinds_that_are_not_declared(name: str) -> None:
    source = sample(name, 4, 4)
    drawn = source.draw(generator(1))
    with pytest.raises(KeyError):
        source.ways(drawn, "nosuch")
    with pytest.raises(PuzzleError, match="no measure 'changes_nosuch'; expected some of: up_to"):
        small(name, measures=["changes_nosuch"])


# The measure


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_changes_are_counted_by_brute_force(name: str, kind: str) -> None:
    plan = small(name, sizes=["3x4", "1x4"], measures=[f"changes_{kind}"])
    names = [column.name for column in plan.columns()]
    answers: Counter[str] = Counter()
    for cell in plan.cells():
        source = sample(name, cell.rows, cell.cols, plan.dials(cell))
        for values in experiment.measure(plan, cell, range(6)):
            row = dict(zip(names, values, strict=True))
            rng = generator(plan.seed, row["board"])
            drawn = source.draw(rng)
            wanted: Counter[str] = Counter()
            for puzzle, traits in source.changes(drawn, kind, rng):
                found = decide(Brute(), puzzle, Budget(2)).count
                what = ("none", "one", "several")[found]
                wanted[f"{kind}_kept"] += puzzle.accepts(drawn.answer)
                for trait in ("all", *traits):
                    wanted.update((f"{kind}_{trait}_tried", f"{kind}_{trait}_{what}"))
            wanted[f"{kind}_ways"] = source.ways(drawn, kind)
            columns = names[names.index(f"{kind}_ways") : -1]
            assert len(columns) == 2 + 4 * (1 + len(source.CHANGES[kind]))
            assert {column: row[column] for column in columns} == {
                column: wanted[column] for column in columns
            }
            answers.update(wanted)
    assert answers[f"{kind}_all_one"] and answers[f"{kind}_all_several"]


def test_an_engine_that_misses_the_answer_of_a_changed_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is a fault where the change has kept the answer, and only there."""
    source, drawn = nawabari(3)

    def blind(puzzle: Any) -> Verdict:
        return Verdict("blind", (), complete=True, seconds=0.0)

    monkeypatch.setattr(making, "to_two", blind)
    subject = measures.Subject(source, drawn, generator(0))
    with pytest.raises(EngineFault, match="blind misses the answer"):
        measures.find("changes_move", source)(subject)
    ways, kept, tried, none, *_ = measures.find("changes_erase", source)(subject)
    assert kept == 0 and ways == tried == none > 0


def test_an_answer_that_survives_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample that erases nothing."""
    source, drawn = nawabari(3)
    monkeypatch.setattr(type(source), "changes", lambda *_: iter([Change(drawn.puzzle)] * 3))
    subject = measures.Subject(source, drawn, generator(0))
    _, kept, tried, *outcomes = measures.find("changes_erase", source)(subject)
    assert (kept, tried, sum(outcomes)) == (3, 3, 3)


def test_branches_that_were_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search says so itself; with no limit in its way the figure is the same on any."""
    plan = small("nawabari", made=True, measures=["branches"], boards=4)
    names = [column.name for column in plan.columns()]

    def rows() -> list[dict[str, Any]]:
        found = experiment.measure(plan, plan.cells()[0], range(4))
        return [dict(zip(names, row, strict=True)) for row in found]

    whole = rows()
    limit = sorted(row["branches_count"] for row in whole)[2]
    monkeypatch.setattr(measures, "_BRANCHES", limit)
    for before, after in zip(whole, rows(), strict=True):
        for rung in ("count", "vertex", "room", "probe"):
            assert not before[f"branches_cut_{rung}"]
            over = before[f"branches_{rung}"] > limit
            assert after[f"branches_cut_{rung}"] == over
            assert after[f"branches_{rung}"] == (limit + 1 if over else before[f"branches_{rung}"])
