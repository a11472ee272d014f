"""What is Nawabari's own: the vertex law, rectangles, exhaustive boards, formats, propagation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from boards.nawabari import random_answer, random_board, walls_of
from genres import engines, propagate

from hashigo.counting.brute import Brute
from hashigo.counting.cpsat import CpSat
from hashigo.counting.nawabari import lay, lay_borders
from hashigo.counting.sat import Sat, SharedSat
from hashigo.ladder.climb import fixpoint, trace
from hashigo.ladder.nawabari import NawabariLadder
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import CONTRADICTION, Masks
from hashigo.models import codec
from hashigo.models.cnf import Encoding, Literals, encoding
from hashigo.models.nawabari import UNKNOWN, Nawabari, Number
from hashigo.models.puzzle import Answer, Clause
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, Engine, Status, decide, reconcile
from hashigo.models.walls import rooms

# Dissections into rectangles (A034999, A208215) by size.
DISSECTIONS = {(3, 3): 322, (2, 5): 650, (3, 4): 3164, (2, 4): 148, (2, 6): 2864}


def blank(rows: int, cols: int) -> Nawabari:
    return Nawabari(rows, cols, (None,) * (rows * cols))


def with_number(rows: int, cols: int, i: int, number: Number) -> Nawabari:
    return Nawabari(rows, cols, (*(None,) * i, number, *(None,) * (rows * cols - i - 1)))


def dissections(rows: int, cols: int) -> Iterator[Answer]:
    """All wall patterns that the judge finds fault with only for want of numbers."""
    board = blank(rows, cols)
    for walls in product((0, 1), repeat=len(board.domains())):
        if {v.code for v in board.violations(walls)} == {"bkNoNum"}:
            yield walls


# The vertex law


def test_vertex_law_clauses_are_all_the_prime_implicates() -> None:
    board = blank(2, 2)
    x = Literals(board.domains())
    (point,) = board.grid.crossings()
    clauses = [sorted(c) for c in board.fragment(("point", *point), x)]
    legal = [
        {k + 1 if bit else -k - 1 for k, bit in enumerate(walls)}
        for walls in product((0, 1), repeat=4)
        if not {"bkNotRect", "bdDeadEnd"} & {v.code for v in board.violations(walls)}
    ]
    assert len(legal) == 8
    candidates = [
        {sign * (k + 1) for k, sign in enumerate(signs) if sign}
        for signs in product((-1, 0, 1), repeat=4)
    ]
    implicates = [c for c in candidates if all(c & model for model in legal)]
    prime = [c for c in implicates if not any(d < c for d in implicates)]
    assert sorted(clauses) == sorted(map(sorted, prime))


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (2, 5)])
def test_vertex_law_and_rectangles(rows: int, cols: int) -> None:
    check_vertex_law(rows, cols)


@pytest.mark.long
def test_vertex_law_and_rectangles_of_3x4() -> None:
    check_vertex_law(3, 4)


def check_vertex_law(rows: int, cols: int) -> None:
    """Every wall pattern: each point legal, by clauses and by rung, exactly if rooms are right."""
    board = blank(rows, cols)
    x = Literals(board.domains())
    made = ladder(board)
    vertex = made.rungs[1]
    clauses = [c for point in board.grid.crossings() for c in board.fragment(("point", *point), x)]
    survivors = 0
    for walls in product((0, 1), repeat=len(board.domains())):
        codes = {v.code for v in board.violations(walls)}
        room = rooms(board.grid, walls)
        divides = all(
            room[a] != room[b]
            for (a, b), wall in zip(board.grid.borders(), walls, strict=True)
            if wall
        )
        right = divides and "bkNotRect" not in codes
        literals = {k + 1 if wall else -k - 1 for k, wall in enumerate(walls)}
        assert all(not literals.isdisjoint(clause) for clause in clauses) == right
        assert (vertex.sweep(np.array(walls, np.int64) + 1) == 0) == right
        # The judge may name either fault of a stub, but never misses both.
        assert codes.isdisjoint({"bkNotRect", "bdDeadEnd"}) == right
        survivors += right
    assert survivors == DISSECTIONS[rows, cols]


# Rectangles


def test_alphabet_of_6x6_by_each_list_of_rectangles() -> None:
    """Cells and rectangles that can hold each number: rectangles, sizes, smallest, largest."""
    alphabet = {4: (36, 1, 1, 1), 3: (360, 5, 2, 6), 2: (1140, 16, 3, 36),
                1: (1200, 13, 6, 36), 0: (400, 10, 9, 36)}  # fmt: skip
    for number, expected in alphabet.items():
        areas: list[list[int]] = [[], [], []]
        for i in range(36):
            board = with_number(6, 6, i, number)
            grown = sorted(map(tuple, board._grown(i)))
            assert sorted(map(tuple, board._rectangles(i))) == grown
            mine = NawabariLadder(board).board.boxes.tolist()
            assert sorted(map(tuple, mine)) == grown
            for kept, boxes in zip(areas, (grown, board._rectangles(i), mine), strict=True):
                kept += [(b - t + 1) * (r - le + 1) for t, le, b, r in boxes]
        for kept in areas:
            assert (len(kept), len(set(kept)), min(kept), max(kept)) == expected


# Every placement of numbers on every dissection


Prints = dict[Nawabari, list[Answer]]


def prints(rows: int, cols: int) -> Prints:
    """Every board that prints some dissection, with all the dissections that it prints."""
    found: Prints = {}
    grid = blank(rows, cols).grid
    for walls in dissections(rows, cols):
        members: dict[int, list[int]] = {}
        for i, room in enumerate(rooms(grid, walls)):
            members.setdefault(room, []).append(i)
        for seats in product(*members.values()):
            board = Nawabari.from_answer(rows, cols, walls, seats)
            found.setdefault(board, []).append(walls)
    return found


def figures(found: Prints) -> tuple[int, int]:
    """Legal boards (a dissection and its seats), and boards with one answer."""
    return sum(map(len, found.values())), sum(len(walls) == 1 for walls in found.values())


def check_all(found: Prints, shared: Sequence[Engine]) -> None:
    for board, walls in found.items():
        for engine in shared:
            verdict = decide(engine, board, Budget(10**6))
            assert (verdict.answers, verdict.complete) == (tuple(sorted(walls)), True)


def test_every_print_of_one_row() -> None:
    series = []
    for n in range(1, 8):
        found = prints(1, n)
        series.append(figures(found))
        check_all(found, engines())
    assert [legal for legal, _ in series] == [1, 3, 8, 21, 55, 144, 377]
    assert [unique for _, unique in series] == [1, 3, 8, 21, 53, 133, 331]


def test_every_print_of_two_rows() -> None:
    assert [figures(prints(2, n))[1] for n in (2, 3)] == [17, 122]
    found = prints(2, 4)
    assert figures(found)[1] == 879
    check_all(found, [Sat(), SharedSat(), LadderSearch(), Brute()])


def test_every_print_of_3x3() -> None:
    found = prints(3, 3)
    assert figures(found) == (3232, 2224)
    check_all(found, [SharedSat(), LadderSearch(), Brute()])
    some = dict(list(found.items())[::7])
    check_all(some, [CpSat(), Sat(strong=True), LadderSearch(without=())])


@pytest.mark.long
@pytest.mark.parametrize(("rows", "cols", "unique"), [(3, 3, 2224), (2, 5, 6169)])
def test_every_print_in_every_engine(rows: int, cols: int, unique: int) -> None:
    found = prints(rows, cols)
    assert figures(found)[1] == unique
    check_all(found, [*engines(), LadderSearch(without=()), LadderSearch("vertex")])


@pytest.mark.long
@pytest.mark.parametrize(
    ("rows", "cols", "legal", "unique"), [(2, 6, 64520, 42505), (3, 4, 71624, 43436)]
)
def test_every_print_of_larger_boards(rows: int, cols: int, legal: int, unique: int) -> None:
    found = prints(rows, cols)
    assert figures(found) == (legal, unique)
    check_all(found, [LadderSearch()])


# Brute forces, and random boards


def test_brute_forces_and_the_judge_agree() -> None:
    rng = np.random.default_rng(31)
    for _ in range(25):
        board = random_board(rng, 3)
        if len(board.domains()) <= 10:
            laid = sorted(lay(board, Budget()))
            assert laid == sorted(lay_borders(board, Budget()))
            assert laid == [
                walls
                for walls in product((0, 1), repeat=len(board.domains()))
                if not list(board.violations(walls))
            ]


def test_brute_forces_count_every_dissection_of_2x3() -> None:
    """All 2^7 borders, with each set of seats unknown: every dissection once per transversal."""
    total: Counter[str] = Counter()
    for numbers in product((None, UNKNOWN), repeat=6):
        board = Nawabari(2, 3, numbers)
        total["lay"] += sum(1 for _ in lay(board, Budget()))
        total["borders"] += sum(1 for _ in lay_borders(board, Budget()))
    placements = figures(prints(2, 3))[0]
    assert total == {"lay": placements, "borders": placements}


def random_print(rows: int, cols: int, rng: np.random.Generator, hidden: float) -> Nawabari:
    cells = random_answer(rows, cols, rng)
    members: dict[int, list[int]] = {}
    for i in range(rows * cols):
        members.setdefault(cells[i // cols][i % cols], []).append(i)
    seats = [int(rng.choice(room)) for room in members.values()]
    full = Nawabari.from_answer(rows, cols, walls_of(cells), seats)
    numbers = [UNKNOWN if n is not None and rng.random() < hidden else n for n in full.numbers]
    return Nawabari(rows, cols, tuple(numbers))


@pytest.mark.parametrize(
    ("rows", "cols"), [(5, 5), (6, 6), (4, 9), (8, 8), (10, 7), (1, 12), (10, 10)]
)
def test_random_boards_up_to_10x10(rows: int, cols: int) -> None:
    rng = np.random.default_rng(100 * rows + cols)
    shared: list[Engine] = [*engines(), LadderSearch(without=())]
    for k in range(8):
        puzzle = random_print(rows, cols, rng, (0.0, 0.1, 0.3, 1.0)[k % 4])
        verdicts = [decide(engine, puzzle, Budget(20, nodes=30_000)) for engine in shared]
        reconcile(puzzle, verdicts)
        exact = [v for v in verdicts if v.engine != "brute"]
        assert all(v.complete or v.count == 20 for v in exact)
        assert len({v.count for v in exact}) == 1


def test_search_without_rectangles() -> None:
    """The two rungs over borders, and the branch over rectangles, do it as well."""
    rng = np.random.default_rng(33)
    for _ in range(12):
        puzzle = random_print(5, 5, rng, 0.2)
        expected = decide(Sat(), puzzle, Budget(30))
        for search in (LadderSearch("count"), LadderSearch("vertex"),
                       LadderSearch(without=("count", "room", "probe"))):  # fmt: skip
            verdict = decide(search, puzzle, Budget(30))
            assert (verdict.count, verdict.complete) == (expected.count, expected.complete)


def test_every_engine_without_numbers_or_without_borders() -> None:
    for puzzle, count in [
        (blank(3, 3), 0), (blank(1, 1), 0), (with_number(1, 1, 0, 4), 1),
        (with_number(1, 1, 0, UNKNOWN), 1), (with_number(1, 1, 0, 3), 0),
        (with_number(2, 2, 0, UNKNOWN), 1), (with_number(3, 3, 4, 1), 0),
    ]:  # fmt: skip
        for engine in [*engines(), LadderSearch(without=()), LadderSearch("count")]:
            verdict = decide(engine, puzzle, Budget(10))
            assert (verdict.count, verdict.complete) == (count, True), (engine.name, puzzle)


def test_boards_beyond_memory_are_unknown() -> None:
    """One number in the middle of 40x40 leaves 176,400 rectangles; its one answer is the board."""
    puzzle = with_number(40, 40, 20 * 40 + 20, UNKNOWN)
    for engine in engines():
        verdict = decide(engine, puzzle, Budget(2, nodes=100))
        assert verdict.status == Status.UNKNOWN
        assert "memory" in verdict.why or engine.name == "brute"
    with pytest.raises(PuzzleError, match="no memory for the 176,400 rectangles"):
        ladder(puzzle)


def test_the_largest_board_of_small_rooms() -> None:
    puzzle = Nawabari(40, 40, (4,) * 1600)
    for engine in (CpSat(), Sat(strong=True), LadderSearch()):
        assert decide(engine, puzzle, Budget(2)).status == Status.UNIQUE


# Unit propagation


def random_state(made: NawabariLadder, rng: np.random.Generator) -> Masks:
    masks = made.start()
    share = rng.choice([0.05, 0.2, 0.4])
    for i in range(len(masks)):
        if rng.random() < share:
            masks[i] = rng.integers(1, 3)
    return masks


def assumptions(made: NawabariLadder, form: Encoding, masks: Masks) -> list[int]:
    """Literals that say what is known of the borders and, in the strong form, of rectangles."""
    literals = [form.x.value(k, 1) for k in range(made.borders)]
    if form.strong:
        for k, seat in enumerate(made.seats):
            boxes = made.board.boxes[
                made.board.rectangles.first[k] : made.board.rectangles.first[k + 1]
            ]
            literals += [form.x.helper(("box", seat, tuple(box))) for box in boxes.tolist()]
    return [
        x if mask == 2 else -x
        for x, mask in zip(literals, masks[: len(literals)], strict=True)
        if mask != 3
    ]


def check_propagation(kinds: set[str], rungs: Sequence[str], strong: bool) -> None:
    """On random states, these fragments propagate exactly what these rungs find together."""
    rng = np.random.default_rng(50)
    spoke = 0
    for _ in range(150):
        puzzle = random_board(rng, 5)
        made = NawabariLadder(puzzle)
        form = encoding(puzzle, strong)
        keys = [
            key
            for key in (*form.rule_keys, *puzzle.clue_keys(strong))
            if isinstance(key, tuple) and key[0] in kinds
        ]
        clauses: list[Clause] = [c for key in keys for c in form.fragment(puzzle, key)]
        masks = random_state(made, rng)
        if not strong:
            masks[made.borders :] = 3
        implied = propagate(clauses, assumptions(made, form, masks))
        before = masks.copy()
        chosen = [rung for rung in made.rungs if rung.name in rungs]
        if fixpoint(chosen, masks) == CONTRADICTION:
            assert implied is None, (puzzle, before)
            continue
        assert implied is not None, (puzzle, before)
        mine = set(assumptions(made, form, masks))
        theirs = set(assumptions(made, form, np.full_like(masks, 2))) & {abs(x) for x in implied}
        assert mine == {x for x in implied if abs(x) in theirs}, (puzzle, before)
        spoke += bool((before != masks).any())
    assert spoke > 20


def test_plain_border_clauses_propagate_as_count_and_vertex() -> None:
    check_propagation({"point", "walls"}, ["count", "vertex"], strong=False)


def test_strong_form_propagates_as_the_ladder_up_to_room() -> None:
    check_propagation({"point", "walls", "room", "reached"}, ["count", "vertex", "room"], True)


def test_rectangle_clauses_propagate_as_room_alone() -> None:
    check_propagation({"room", "reached"}, ["room"], strong=True)


def test_shared_encoding_does_not_grow_with_boards() -> None:
    """Fragments are per cell and number, not per board."""
    rng = np.random.default_rng(51)
    form = None
    for _ in range(40):
        puzzle = random_print(6, 6, rng, 0.2)
        form = encoding(puzzle)
        form.clauses(puzzle)
        assert all("numbers" not in str(key) for key in puzzle.clue_keys())
    assert form is not None
    # Seat or blank, and five wall counts, per cell; owners and points.
    assert len(form._fragments) <= 36 * (2 + 5) + 36 + 25


# Formats


PAIR = '{"genre": "nawabari", "rows": 1, "cols": 2, "grid": [[3, 3]], '
BODY = "c.h3c2f1d2b3c4a4a3c1l3c3a2a3c2b2d2f3c2h.c"


@pytest.mark.parametrize("length", range(len(BODY)))
def test_a_shortened_url_is_refused(length: int) -> None:
    with pytest.raises(PuzzleError, match=r"ends after character \d+, with \d+ of 100 cells"):
        codec.read(f"nawabari/10/10/{BODY[:length]}")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nawabari/2/2/a5b", r"character 2 \('5'\): expected a number from 0 to 4"),
        ("nawabari/2/2/a9b", r"character 2 \('9'\): expected a number from 0 to 4"),
        ("nawabari/3/2/.4c7", r"character 4 \('7'\): removed cells"),
        ("nawabari/2/2/aAb", r"character 2 \('A'\): expected one of 0-4"),
        ("nawabari/2/2/a-b", r"character 2 \('-'\): expected one of 0-4"),
        ("nawabari/3/2/z", r"character 1 \('z'\): goes past the last of the 6 cells"),
        ("nawabari/2/2/1234.", r"character 5 \('.'\): goes past"),
        ("nawabari/3/2/a0b/extra", r"character 4 \('/'\)"),
        ("nawabari/3/2/a0b", "ends after character 3, with 4 of 6 cells"),
        ("nawabari/2/2", "ends after character 0"),
        ("nawabari/41/2/z", "expected 1 to 40"),
        ("nawabari/0/2/z", "is .0.; expected 1 to 40"),
        ("nawabari/v:/2/2/.c", "variant"),
        ("nawabari 2x2\n. 5\n. .", "'5'; expected '.', 0 to 4 or '\\?'"),
        ("nawabari 2x2\n. .", "expected 2 lines"),
        ("nawabari 2x2\n. .\n.", "line 3: expected 2 signs"),
        ("nawabari 2x2 a=b\n. .\n. .", "expected no options"),
        ("pzprv3/nawabari/1/2/* ./", "removed cells"),
        ("pzprv3/nawabari/1/2/3 3/0 1/", "expected 3 tokens, or 1 as in files without the frame"),
        ("pzprv3/nawabari/1/2/3 3/0 7 0/0 0/0 0/", "border '7'"),
        ("pzprv3/nawabari/1/2/3 3/0 1 0/0 0/", "body line 4: expected 2 tokens, got 0"),
        ("pzprv3/nawabari/1/2/3 3/0 1 0/0 0/0 0/1/", "expected the end of the file"),
        ('{"genre": "nawabari", "rows": 1, "cols": 2, "grid": [[5, null]]}', "5 at R1C1"),
        ('{"genre": "nawabari", "rows": 1, "cols": 2, "grid": [[true, null]]}', "True at R1C1"),
        ('{"genre": "nawabari", "rows": 1, "cols": 2, "grid": [[3]]}', "1 rows of 2 entries"),
        (PAIR + '"answer": {"v": ["2"], "h": []}}', "1 strings of 1 signs"),
        (PAIR + '"answer": {"v": ["1"], "h": [], "regions": [[0, 0]]}}', "not the rooms"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(url: str, message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        codec.read(url)


def test_files_with_and_without_the_frame() -> None:
    head = "pzprv3/nawabari/2/3/3 . 4/- . 3/"
    new = codec.read(head + "0 0 1 0/1 -1 2 1/0 0 0/1 1 2/0 0 0/")
    old = codec.read(head + "0 1/0 1/1 1 1/")
    assert new == old
    assert old.filling == (0, 1, 0, 1, 1, 1, 1)
    assert old.puzzle == Nawabari(2, 3, (3, None, 4, UNKNOWN, None, 3))
    assert codec.read("pzprv3/nawabari/2/1/4/4///1/").filling == (1,)
    assert codec.read("pzprv3/nawabari/2/1/4/4/").filling is None
    assert codec.read(codec.pzprv3(*old)) == old


def test_partial_answers_round_trip() -> None:
    puzzle = codec.read("nawabari/3/2/3b3b").puzzle
    filling = (1, None, 0, None, 1, 0, None)
    data = codec.to_json(puzzle, filling)
    assert data["answer"]["v"] == ["1.", "0."]
    assert codec.from_json(data) == (puzzle, filling)


def test_lines_and_pictures() -> None:
    puzzle, _ = codec.read("nawabari/5/5/f0b1f2a1f")
    (answer,) = decide(LadderSearch(), puzzle, Budget()).answers
    assert puzzle.answer_line(answer) == "AAABB/AAABB/AAABB/CCDDD/CCDDD"
    assert puzzle.draw(puzzle.fill(answer)).splitlines() == [
        "┌───────────┬───────┐",
        "│ ·   ·   · │ ·   · │",
        "│           │       │",
        "│ ·   0   · │ ·   1 │",
        "│           │       │",
        "│ ·   ·   · │ ·   · │",
        "├───────┬───┴───────┤",
        "│ ·   2 │ ·   1   · │",
        "│       │           │",
        "│ ·   · │ ·   ·   · │",
        "└───────┴───────────┘",
    ]
    ones = Nawabari(8, 8, (4,) * 64)
    assert ones.answer_line((1,) * 112).startswith("1 2 3 4 5 6 7 8/9 10 ")


def test_steps_in_words() -> None:
    said: Counter[str] = Counter()
    rng = np.random.default_rng(60)
    for _ in range(40):
        puzzle = random_board(rng, 6)
        made = ladder(puzzle)
        for step in trace(made, select(made), made.start()):
            said[step.reason.split(" R")[0]] += 1
            assert step.reason and step.conclusion
    for start in ("only the 2 at", "every rectangle left for the 2 at", "one rectangle is left for",
                  "at the lower right corner of", "the 3 at",
                  "every border is known"):  # fmt: skip
        assert any(reason.startswith(start) for reason in said), start
    for text, reason in [
        ("nawabari 1x3\n. 1 .", "the 1 at R1C2 has 2 walls and can have at most 4, the frame"),
        ("nawabari 1x3\n3 . 4", "the 3 at R1C1 has its walls"),
    ]:
        made = ladder(codec.read(text).puzzle)
        steps = list(trace(made, select(made), made.start()))
        assert any(step.reason.startswith(reason) for step in steps), [s.reason for s in steps]


def test_rectangles_in_words() -> None:
    made = ladder(codec.read("nawabari 3x3\n. . .\n1 . .\n. . .").puzzle)
    masks = made.start()
    room = made.rungs[2]
    before = masks.copy()
    assert room.visit(masks, 0) == 1
    assert room.reason(before, masks, 0) == (
        "every rectangle left for the 1 at R2C1 has no wall above it, no wall to its right and "
        "no wall below it (and 4 more)"
    )
    made = ladder(codec.read("nawabari 1x3\n? . .").puzzle)
    masks = np.array([1, 3, 3, 1, 1])
    before = masks.copy()
    assert made.rungs[2].visit(masks, 0) == -1
    assert made.rungs[2].reason(before, masks, 0) == "no rectangle is left for the ? at R1C1"
    masks = np.array([3, 3, 1, 1, 2])
    before = masks.copy()
    assert made.rungs[2].visit(masks, 1) == 0
    assert made.rungs[2].visit(masks, 0) == 1
    assert made.conclusion(before, masks) == "no wall at R1C1-R1C2, no wall at R1C2-R1C3"
