"""What is Tilepaint's own: exhaustive partitions, subset sums, tomography, clue cells, URL traps."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from math import comb

import numpy as np
import pytest
from boards.tilepaint import partitions, random_board
from genres import all_answers, engines, plain_answers, propagate
from plain.matrices import matrices

from hashigo.counting.brute import Brute
from hashigo.counting.sat import SharedSat
from hashigo.ladder.climb import climb, fixpoint, trace
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import CONTRADICTION, values
from hashigo.models import codec
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Filling
from hashigo.models.reading import PuzzleError, PuzzleWarning
from hashigo.models.tilepaint import Inner, Number, Tilepaint
from hashigo.models.verdict import Budget, Engine, decide


def one_cell_tiles(columns: list[Number], rows: list[Number]) -> Tilepaint:
    cells = range(len(columns) * len(rows))
    return Tilepaint.from_labels(len(rows), len(columns), cells, columns, rows)


def row_of(sizes: list[int], owed: Number) -> Tilepaint:
    """One row of tiles of these sizes."""
    labels = [tile for tile, size in enumerate(sizes) for _ in range(size)]
    return Tilepaint.from_labels(1, len(labels), labels, [None] * len(labels), [owed])


def read(text: str) -> Tilepaint:
    puzzle = codec.read(text).puzzle
    assert isinstance(puzzle, Tilepaint)
    return puzzle


# Exhaustive


def full_boards(rows: int, cols: int, every: int = 1) -> Iterator[Tilepaint]:
    """Every partition, or a share, with every pattern of numbers that some painting gives."""
    for tiles in islice(partitions(rows, cols), 0, None, every):
        paintings = product(range(2), repeat=max(tiles) + 1)
        boards = (Tilepaint.from_answer(rows, cols, tiles, answer) for answer in paintings)
        yield from dict.fromkeys(boards)


def blanked(board: Tilepaint, hidden: int) -> Tilepaint:
    """The board without the numbers whose bits are set; columns first."""
    clues = [
        None if hidden >> k & 1 else clue
        for k, clue in enumerate((*board.col_clues, *board.row_clues))
    ]
    split = board.cols
    return Tilepaint.from_labels(board.rows, split, board.tiles, clues[:split], clues[split:])


def agree(puzzle: Tilepaint, some: list[Engine]) -> None:
    expected = tuple(sorted(plain_answers(puzzle)))
    for engine in some:
        verdict = decide(engine, puzzle, Budget(10**6))
        assert (verdict.answers, verdict.complete) == (expected, True), (engine.name, puzzle)


def quick() -> list[Engine]:
    return [SharedSat(), LadderSearch(), Brute()]


def test_number_of_partitions() -> None:
    """Into connected tiles, the first as A145835 of the OEIS has them."""
    assert [len(list(partitions(n, n))) for n in (1, 2, 3)] == [1, 12, 1434]
    assert len(list(partitions(2, 3))) == 74


def test_every_partition_of_2x3() -> None:
    """All numbers shown, and some of them, another choice at each board."""
    fast, every = quick(), engines()
    for k, board in enumerate(full_boards(2, 3)):
        agree(board, every if k % 4 == 0 else fast)
        agree(blanked(board, k % 32), every if k % 4 == 2 else fast)


@pytest.mark.long
def test_every_partition_of_2x3_with_any_numbers_hidden() -> None:
    fast, every = quick(), engines()
    boards = {blanked(board, k) for board in full_boards(2, 3) for k in range(32)}
    for k, board in enumerate(boards):
        agree(board, every if k % 8 == 0 else fast)


def test_a_share_of_the_partitions_of_3x3() -> None:
    sweep_3x3(47)


@pytest.mark.long
def test_every_partition_of_3x3() -> None:
    sweep_3x3(1)


def sweep_3x3(every: int) -> None:
    fast, slow = quick(), engines()
    for k, board in enumerate(full_boards(3, 3, every)):
        if every == 1 or k % 3 == 0:
            some = slow if k % 8 == 0 else fast
            agree(board, some)
            agree(blanked(board, k % 64), some)


def test_every_clue_cell_of_2x2_and_1x3() -> None:
    """Any cells, none and all included; the numbers of any painting, shown or not."""
    some = engines()
    for rows, cols in ((2, 2), (1, 3), (3, 1)):
        for labels in product((0, -1), repeat=rows * cols):
            inner = {i: Inner(None, None) for i, label in enumerate(labels) if label}
            blank = Tilepaint.from_labels(rows, cols, labels, [None] * cols, [None] * rows, inner)
            for answer in product(range(2), repeat=blank.tile_count):
                full = Tilepaint.from_answer(rows, cols, blank.tiles, answer)
                agree(full, some)
                for weaker in full.weaker():
                    agree(weaker, some)


# Subset sums


def test_slices_of_two_owing_three() -> None:
    """2, 2, 2 owing 3: bounds see nothing, the sums 0, 2, 4, 6 do."""
    puzzle = row_of([2, 2, 2], 3)
    made = ladder(puzzle)
    end = climb(made, select(made, "edge"))
    assert not end.contradiction
    assert (end.masks == made.start()).all()
    assert climb(made, select(made, "fit")).contradiction
    for engine in engines():
        assert decide(engine, puzzle, Budget()).status == "NONE"
    (step,) = trace(made, select(made, "fit"), made.start())
    assert step.reason == (
        "row 1 owes 3 and its open tiles weigh 2, 2, 2: no choice of them makes 3"
    )


@pytest.mark.parametrize(
    ("sizes", "owed", "rung", "reason"),
    [
        ([1, 2], 0, "count", "row 1 has all it needs: its open tiles stay unpainted"),
        ([1, 2], 3, "count", "row 1 owes 3 and its open tiles weigh 1, 2: all are painted"),
        ([1, 2], 4, "count", "row 1 owes 4 and its open tiles weigh 1, 2: too little"),
        ([1, 3, 1], 2, "edge", ("row 1 owes 2 and its open tiles weigh 1, 3, 1: "
         "too much with tile R1C2")),
        ([1, 3, 1], 3, "edge", ("row 1 owes 3 and its open tiles weigh 1, 3, 1: "
         "too little without tile R1C2")),
        ([2, 2, 3], 4, "fit", ("row 1 owes 4 and its open tiles weigh 2, 2, 3: "
         "no choice that makes 4 has tile R1C5, every choice that makes 4 has tile R1C1 and "
         "tile R1C3")),
    ],
)  # fmt: skip
def test_steps_in_words(sizes: list[int], owed: int, rung: str, reason: str) -> None:
    made = ladder(row_of(sizes, owed))
    step = next(trace(made, select(made), made.start()))
    assert (step.rung, step.reason) == (rung, reason)


def test_steps_after_a_clue_cell_name_their_cells() -> None:
    puzzle = read(r"tilepaint 1x6" "\n" r". . . . . ." "\n" r"2 a b c .\2 d d")
    made = ladder(puzzle)
    (step,) = trace(made, select(made), made.start())
    assert step.reason.startswith("row 1 (R1C5 to R1C6) owes 2")
    assert made.assumption((3, 1)) == "tile R1C5 is painted"


def test_unit_propagation_is_fit() -> None:
    """Both forms of the CNF; segments with clue cells, wrong numbers and none among them."""
    rng = np.random.default_rng(22)
    failed = 0
    for _ in range(300):
        puzzle = random_board(rng, 7)
        made = ladder(puzzle)
        for strong in (False, True):
            form = encoding(puzzle, strong)
            masks = made.start()
            assumed = []
            for tile in range(puzzle.tile_count):
                if rng.random() < 0.2:
                    colour = int(rng.integers(2))
                    masks[tile] = 1 << colour
                    assumed.append(form.x.value(tile, colour))
            implied = propagate(form.clauses(puzzle), assumed)
            if fixpoint([made.rungs[2]], masks) == CONTRADICTION:
                assert implied is None
                failed += 1
                continue
            assert implied is not None
            left = [
                [v for v in (0, 1) if -form.x.value(tile, v) not in implied]
                for tile in range(puzzle.tile_count)
            ]
            assert left == values(masks, puzzle.domains())
    assert 50 < failed < 400


def test_lines_of_sixty() -> None:
    """The largest sums that fit an int64: 60 ones, and slices that make 59 only with the 1."""
    ones = row_of([1] * 60, 60)
    assert all_answers(ones, LadderSearch()).answers == ((1,) * 60,) == all_answers(ones).answers
    sizes = [2] * 29 + [1, 1]
    end = climb(ladder(row_of(sizes, 60)), select(ladder(row_of(sizes, 60)), "count"))
    assert end.complete
    odd = [2] * 28 + [3, 1]
    made = ladder(row_of(odd, 58))
    end = climb(made, select(made, "fit"))
    assert values(end.masks, made.puzzle.domains()) == [[0, 1]] * 28 + [[1], [1]]
    made = ladder(row_of([2] * 29 + [1], 57))
    end = climb(made, select(made, "fit"))
    assert values(end.masks, made.puzzle.domains()) == [[0, 1]] * 29 + [[1]]
    with pytest.raises(PuzzleError, match="expected 1 to 60 of each"):
        row_of([1] * 61, 3)


# Tomography: tiles of one cell


def test_matrices_with_equal_margins() -> None:
    """A000142, A001499 and A001501 of the OEIS: permutations, and margins 2 and 3."""
    for k, counts in ((1, [1, 2, 6, 24]), (2, [0, 1, 6, 90]), (3, [0, 0, 1, 24])):
        for n, count in enumerate(counts, start=1):
            assert matrices((k,) * n, (k,) * n) == count
            puzzle = one_cell_tiles([k] * n, [k] * n)
            for engine in engines():
                assert all_answers(puzzle, engine).count == count


def test_matrices_with_random_margins() -> None:
    rng = np.random.default_rng(23)
    for _ in range(25):
        painted = rng.integers(0, 2, rng.integers(1, 5, 2))
        columns, rows = painted.sum(axis=0).tolist(), painted.sum(axis=1).tolist()
        count = matrices(tuple(columns), tuple(rows))
        assert count
        for engine in engines():
            assert all_answers(one_cell_tiles(columns, rows), engine).count == count


def test_one_margin_alone() -> None:
    for engine in engines():
        assert all_answers(row_of([1] * 9, 4), engine).count == comb(9, 4)
        assert all_answers(one_cell_tiles([2], [None] * 6), engine).count == comb(6, 2)


# Rules


def test_nothing_shown_leaves_every_painting() -> None:
    for tiles in partitions(2, 3):
        puzzle = Tilepaint.from_labels(2, 3, tiles, [None] * 3, [None] * 2)
        count = 2**puzzle.tile_count
        assert {all_answers(puzzle, engine).count for engine in quick()} == {count}


def test_blank_is_not_zero() -> None:
    assert all_answers(row_of([1, 1], None)).count == 4
    assert all_answers(row_of([1, 1], 0)).answers == ((0, 0),)


def test_the_white_board_is_refused_by_puzz_link_alone() -> None:
    puzzle = row_of([2], 0)
    (violation,) = puzzle.violations((0, 0))
    assert violation.code == "brNoShade"
    assert violation.house
    assert puzzle.accepts((0,))
    assert [v.code for v in puzzle.violations(puzzle.blank())] == ["brNoShade"]


def test_an_outside_number_stops_at_a_clue_cell() -> None:
    puzzle = read("tilepaint 1x5\n. . . . .\n2 a a .\\. b b")
    assert all_answers(puzzle).answers == ((1, 0), (1, 1))


def test_numbers_with_no_cell_say_nothing() -> None:
    """At the end of a line, next to another clue cell, and outside above one."""
    puzzle = read("tilepaint 2x3\n7 . .\n. 9\\9 9\\9 a\n3 a a a")
    assert [len(s.cells) for s in puzzle.segments] == [1, 3, 1, 1, 2]
    for engine in engines():
        assert decide(engine, puzzle, Budget(9)).status == "NONE"
    lenient = read("tilepaint 2x3\n7 . .\n. 1\\9 1\\1 a\n3 a a a")
    for engine in engines():
        assert decide(engine, lenient, Budget(9)).answers == ((1,),)
    assert read(codec.tail(lenient)) == lenient
    last = read("tilepaint 1x2\n. 5\n1 a 8\\8")
    assert all_answers(last).answers == ((1,),)


def test_a_tile_seen_twice_by_a_line_counts_once_per_cell() -> None:
    puzzle = read("tilepaint 2x3\n. . .\n2 a b a\n. a a a")
    for engine in engines():
        assert all_answers(puzzle, engine).answers == ((1, 0),)


@pytest.mark.parametrize(
    ("filling", "codes"),
    [
        ((1, 1, 0, 0), ["asShadeNe"]),
        ((1, 0, 0, 0), ["bkMixed", "asShadeNe"]),
        ((0, 0, 1, None), ["bkMixed"]),
        ((None, None, 1, 1), []),
        ((None, None, None, None), ["brNoShade", "asShadeNe"]),
    ],
)
def test_codes_in_order(filling: Filling, codes: list[str]) -> None:
    puzzle = read("tilepaint 2x2\n1 .\n0 a a\n. b b")
    assert [v.code for v in puzzle.violations(filling)][: len(codes)] == codes
    assert {v.code for v in puzzle.violations(filling)} == set(codes)


# Formats


def test_one_label_in_two_places_is_two_tiles() -> None:
    for text in (
        "tilepaint 1x3\n. . .\n. a b a",
        "pzprv3/tilepaint/1/3/2/0 1 0/0 -1 -1 -1/-1 . . ./",
        (
            '{"genre": "tilepaint", "rows": 1, "cols": 3, "rooms": [[4, 7, 4]], '
            '"row_clues": [null], "col_clues": [null, null, null]}'
        ),
    ):
        assert read(text).tiles == (0, 1, 2)


def test_every_number_in_every_place() -> None:
    """0 to 255 and blank; above 15 in two hex digits, columns too."""
    clues: list[Number] = [None, *range(256)]
    for clue in clues:
        inner = {0: Inner(clue, 255 if clue is None else 255 - clue)}
        puzzle = Tilepaint.from_labels(2, 2, "abbb", [clue, 3], [16, clue], inner)
        assert codec.read(codec.url(puzzle)).puzzle == puzzle
        assert codec.read(codec.pzprv3(puzzle)).puzzle == puzzle
        assert codec.read(codec.text(puzzle)).puzzle == puzzle
    with pytest.raises(PuzzleError, match="the clue 256 of row 1 is not 0 to 255"):
        row_of([1], 256)


def test_large_column_numbers() -> None:
    puzzle = read("tilepaint/2/17/00000000000zt-11-1022222222222222222")
    assert puzzle.col_clues == (17, 16)
    assert puzzle.row_clues == (2,) * 17


@pytest.mark.parametrize(
    ("code", "down", "right"),
    [
        ("44", 4, 4),
        ("..", None, None),
        (".f", None, 15),
        ("F.", 15, None),
        ("-3ff", 3, 255),
        ("-.10", None, 16),
        ("+10.", 16, None),
        ("+129", 18, 9),
        ("=1112", 17, 18),
    ],
)
def test_clue_cells_in_a_url(code: str, down: Number, right: Number) -> None:
    puzzle = read(f"tilepaint/2/2/go{code}i..../")
    assert puzzle.inner[0] == Inner(down, right)
    assert codec.tail(puzzle) == f"tilepaint/2/2/go{code.lower()}i..../"
    # On reading, a clue cell has walls all round it, whatever the borders say.
    assert read(f"tilepaint/2/2/08{code}i..../").tiles == (-1, 0, 1, 1)


def test_clue_cells_side_by_side_have_no_wall() -> None:
    assert codec.tail(read("tilepaint/2/1/g......./")) == "tilepaint/2/1/0......./"


def test_a_stub_inside_a_tile_parts_nothing() -> None:
    assert read("tilepaint/2/2/g0j..../").tiles == (0, 0, 0, 0)
    assert codec.tail(read("tilepaint/2/2/g0j..../")) == "tilepaint/2/2/00j..../"


def test_files_have_right_before_down() -> None:
    text = "pzprv3/tilepaint/2/2/1/. 0 /0 0 /0 3 -1 /-1 5,-1 . /2 . . /. # /+ - /"
    puzzle, filling = codec.read(text)
    assert isinstance(puzzle, Tilepaint)
    assert puzzle.inner[0] == Inner(down=None, right=5)
    assert puzzle.col_clues == (3, None)
    assert puzzle.row_clues == (None, 2)
    assert filling == (None, 1, 0, None)
    assert codec.pzprv3(puzzle, filling).replace("\n", "/") == (
        "pzprv3/tilepaint/2/2/1/. 0/0 0/0 3 -1/-1 5,-1 ./2 . ./. #/+ ./"
    )


def test_a_file_of_a_header_alone_is_one_tile_and_zeros() -> None:
    puzzle = read("pzprv3/tilepaint/6/6")
    assert puzzle.tile_count == 1
    assert all_answers(puzzle).answers == ((0,),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tilepaint/2/2/", "tilepaint body: empty"),
        ("tilepaint/2/2/0", "ends after character 1; expected borders"),
        ("tilepaint/2/2/00", "ends after character 2; expected a run of cells"),
        ("tilepaint/2/2/00j...", "ends after character 6; expected the number of row 2"),
        ("tilepaint/2/2/00j.....", "character 8: 1 more than expected"),
        ("tilepaint/2/2/w0j....", r"character 1 \('w'\): expected borders, one of 0-9 or a-v"),
        ("tilepaint/2/2/00J....", r"character 3 \('J'\): expected a run of cells"),
        ("tilepaint/2/2/00k....", r"character 3 \('k'\): expected a run of at most 4 cells"),
        ("tilepaint/2/2/00j..x.", r"character 6 \('x'\): expected the number of row 1"),
        ("tilepaint/2/2/go2-1i....", r"character 4 \('-'\): .*puzz.link miswrites as -1"),
        ("tilepaint/2/2/go-1-1i....", r"character 5 \('-'\): .*puzz.link miswrites as -1"),
        ("tilepaint/2/2/go-12i....", r"character 6 \('i'\): .*puzz.link miswrites as -1"),
        ("tilepaint/2/2/00j-1x...", r"character 6 \('x'\): expected two hex digits"),
        ("tilepaint/61/1/0", "is .61.; expected 1 to 60"),
        ("tilepaint 1x1 a=b\n.\n. a", "expected no options"),
        ("tilepaint 1x1\n.", "expected 2 lines after the header, got 1"),
        ("tilepaint 1x1\n.\n. a a", "line 3: expected 2 entries, got 3"),
        ("tilepaint 1x1\n.\n. ?", r"R1C1: '\?'; expected a label"),
        ("tilepaint 1x1\n.\n. 1\\x", "number 'x'; expected a number, or '.'"),
        ("tilepaint 1x1\n-1\n. a", "number '-1'"),
        ("tilepaint 1x1\n256\n. a", "the clue 256 of column 1 is not 0 to 255"),
        ("pzprv3/tilepaint/1/1/1/x/0 0/0 ./", "line 2: tile 'x'"),
        ("pzprv3/tilepaint/1/1/1/0/0 0/0 3/", "line 4: cell '3'; expected '.' or 'right,down'"),
        ("pzprv3/tilepaint/1/1/1/0/0 x/0 ./", "line 3: number 'x'"),
        ("pzprv3/tilepaint/1/1/1/0/0 0/0 ./x/", "'x' at R1C1; expected one of # [+] - [.]"),
        ("pzprv3/tilepaint/1/1/1/./0 0/0 1,1/#/", "'#' at R1C1, which is a clue cell"),
        ("pzprv3/tilepaint/1/1/1/0/", "line 3: expected 2 tokens, got 0"),
    ],
)
def test_bad_input(text: str, sentence: str) -> None:
    with pytest.raises(PuzzleError, match=sentence) as caught:
        codec.read(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "data", "sentence"),
    [
        ("rooms", [[0, 0, 0]], "expected 1 rows of 2 entries"),
        ("rooms", [[0, -2]], "tile -2 at R1C2"),
        ("rooms", [[0, True]], "tile True at R1C2"),
        ("rooms", [[0, -1]], r"None in 'cells' for the clue cell '0,1'; expected \[right, down\]"),
        ("cells", {"0,1": [1, 1]}, "numbers in 'cells' at '0,1'"),
        ("cells", [], "expected 'cells' to be an object"),
        ("col_clues", [1], "'col_clues' is not a list of 2"),
        ("row_clues", ["1"], "the clue '1' of row 1"),
        ("answer", ["#"], "expected 1 rows of 2 entries"),
        ("answer", ["#x#"], "expected 1 rows of 2 entries"),
        ("answer", ["#+"], r"'\+' at R1C2; expected one of # \. \? x"),
        ("answer", [["#", "#"]], "expected a string per row"),
    ],
)
def test_bad_json(field: str, data: object, sentence: str) -> None:
    right = codec.to_json(read("tilepaint 1x2\n1 .\n. a b"), (1, 0))
    assert codec.from_json(right).filling == (1, 0)
    with pytest.raises(PuzzleError, match=sentence):
        codec.from_json({**right, field: data})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tilepaint/2/2/o1j..../", "character 2: its unused bits are not 0"),
        ("tilepaint/1/1/g-0f.", "character 4: two hex digits where one would do"),
    ],
)
def test_read_with_a_warning(text: str, sentence: str) -> None:
    with pytest.warns(PuzzleWarning, match=sentence):
        codec.read(text)


def test_fields_are_checked() -> None:
    fine = row_of([1, 1], 1)
    for changes, sentence in (
        ({"tiles": (0, 2)}, "tile 2 at R1C2; expected 1"),
        ({"tiles": (1, 0)}, "tile 1 at R1C1; expected 0"),
        ({"tiles": (0, -1)}, "R1C2 must be either of a tile or a clue cell"),
        ({"tiles": (0,)}, "expected 2 tiles, got 1"),
        ({"row_clues": (True,)}, "the clue True of row 1"),
        ({"inner": (None, Inner(1, 1))}, "R1C2 must be either"),
    ):
        with pytest.raises(PuzzleError, match=sentence):
            replace(fine, **changes)


def test_picture_of_a_board() -> None:
    puzzle = read("tilepaint 2x3\n2 . 1\n2 a a b\n. a .\\1 b")
    assert puzzle.draw((1, 1, 0, 1, None, None)).splitlines() == [
        "   2        1",
        " ┌────────┬───┐",
        "2│███ ████│ · │",
        " │   ┌────┤   │",
        " │███│ \\1 │   │",
        " └───┴────┴───┘",
    ]
    assert read("tilepaint/2/2/00j..../").draw().splitlines() == [
        "┌───────┐",
        "│       │",
        "│       │",
        "│       │",
        "└───────┘",
    ]
