"""What is Kropki's own: conventions, shapes, exhaustive labellings, long lines, unit propagation."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from boards.kropki import latin_square, line_by_dp, random_board
from genres import all_answers, engines, plain_answers, propagate

from hashigo.counting.brute import Brute
from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat, SharedSat
from hashigo.ladder.climb import climb, fixpoint
from hashigo.ladder.rung import ladder, select
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import CONTRADICTION, NOTHING, values
from hashigo.models import codec
from hashigo.models.cnf import encoding
from hashigo.models.kropki import Convention, Kropki, Label
from hashigo.models.verdict import Budget, Engine, decide

CONVENTIONS: list[Convention] = ["either", "black"]
Counts = Counter[tuple[Label, ...]]


def board(rows: int, cols: int, labels: tuple[Label, ...], convention: Convention) -> Kropki:
    return Kropki(rows, cols, labels, (None,) * (rows * cols), convention)


def expected_counts(rows: int, cols: int, convention: Convention, shown: list[Label]) -> Counts:
    """Answers per labelling, from all assignments as the judge reads them.

    Each rule of the judge looks at one line or one edge, so an assignment breaks no rule of a board
    exactly when it breaks none of the boards that show one edge alone.
    """
    borders = 2 * rows * cols - rows - cols
    blank = (Label.UNKNOWN,) * borders
    counts: Counts = Counter()
    for answer in plain_answers(board(rows, cols, blank, convention)):
        fitting = [
            [
                label
                for label in shown
                if board(rows, cols, (*blank[:k], label, *blank[k + 1 :]), convention).accepts(
                    answer
                )
            ]
            for k in range(borders)
        ]
        counts.update(product(*fitting))
    return counts


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_labelling_of_2x3(convention: Convention) -> None:
    """All 4^7 of them, in every engine that is quick; CP-SAT on those with answers and a share."""
    expected = expected_counts(2, 3, convention, list(Label))
    quick: list[Engine] = [SharedSat(), LadderSearch(), Brute()]
    slow = CpSat()
    for k, labels in enumerate(product(Label, repeat=7)):
        puzzle = board(2, 3, labels, convention)
        for engine in (*quick, slow) if k % 16 == 0 else quick:
            verdict = decide(engine, puzzle, Budget(10**6))
            assert (verdict.count, verdict.complete) == (expected[labels], True)


def test_single_edges_decide_a_board() -> None:
    """What `expected_counts` rests on, held against the plain reading."""
    rng = np.random.default_rng(0)
    for convention in CONVENTIONS:
        expected = expected_counts(2, 3, convention, list(Label))
        for _ in range(60):
            labels = tuple(list(Label)[k] for k in rng.integers(0, 4, 7))
            plain = plain_answers(board(2, 3, labels, convention))
            assert expected[labels] == len(plain)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_full_labellings_of_3x3_that_have_answers(convention: Convention) -> None:
    shown = [Label.NONE, Label.WHITE, Label.BLACK]
    expected = expected_counts(3, 3, convention, shown)
    shared = engines()
    for labels, count in expected.items():
        for engine in shared:
            verdict = decide(engine, board(3, 3, labels, convention), Budget(10**6))
            assert (verdict.count, verdict.complete) == (count, True)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_full_labellings_of_3x3(convention: Convention) -> None:
    """A share of all 3^12, most without an answer."""
    sweep_3x3(convention, 200)


@pytest.mark.long
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_full_labelling_of_3x3(convention: Convention) -> None:
    """All 3^12, in every engine; CP-SAT on one board of each class of rotation and reflection."""
    sweep_3x3(convention, 1)


def sweep_3x3(convention: Convention, every: int) -> None:
    shown = [Label.NONE, Label.WHITE, Label.BLACK]
    expected = expected_counts(3, 3, convention, shown)
    quick: list[Engine] = [SharedSat(), LadderSearch(), Brute()]
    slow = CpSat()
    turns = moved_borders()
    for k, labels in enumerate(product(shown, repeat=12)):
        if k % every == 0:
            first = every > 1 or labels == min(tuple(labels[i] for i in turn) for turn in turns)
            for engine in (*quick, slow) if first else quick:
                verdict = decide(engine, board(3, 3, labels, convention), Budget(10**6))
                assert (verdict.count, verdict.complete) == (expected[labels], True)


def moved_borders() -> list[list[int]]:
    """For each symmetry of 3x3, where it takes each border."""
    lone = [tuple(Label.BLACK if i == k else Label.NONE for i in range(12)) for k in range(12)]
    images = [list(board(3, 3, labels, "either").symmetries()) for labels in lone]
    return [[turned.labels.index(Label.BLACK) for turned in by] for by in zip(*images, strict=True)]


@pytest.mark.parametrize("n", range(4, 10))
def test_random_boards_up_to_9x9(n: int) -> None:
    rng = np.random.default_rng(n)
    shared: list[Engine] = [CpSat(), Sat(), SharedSat(), LadderSearch(), Brute()]
    for k in range(12):
        answer = tuple(digit for row in latin_square(n, rng) for digit in row)
        full = Kropki.from_answer(n, n, answer, CONVENTIONS[k % 2])
        hidden = (0.0, 0.15, 0.3)[k % 3]
        labels = tuple(Label.UNKNOWN if rng.random() < hidden else x for x in full.labels)
        puzzle = board(n, n, labels, CONVENTIONS[k % 2])
        verdicts = [decide(engine, puzzle, Budget(20, nodes=30_000)) for engine in shared]
        assert all(v.complete or v.count == 20 for v in verdicts[:4])
        assert len({v.count for v in verdicts[:4]}) == 1
        assert verdicts[4].complete <= (verdicts[4].count == verdicts[0].count)
        if verdicts[0].complete:
            assert answer in verdicts[0].answers


@pytest.mark.parametrize(
    ("text", "either", "black"),
    [
        ("kropki 1x2\n. o .", 2, 0),
        ("kropki 1x2\n. * .", 2, 2),
        ("kropki 1x2\n. - .", 0, 0),
        ("kropki 1x2\n. ? .", 2, 2),
        ("kropki 1x3\n. o . o .", 2, 0),
        ("kropki 1x3\n. * . o .", 1, 1),
    ],
)
def test_one_two_by_convention(text: str, either: int, black: int) -> None:
    head, _, rest = text.partition("\n")
    for convention, count in (("either", either), ("black", black)):
        puzzle = codec.read(f"{head} convention={convention}\n{rest}").puzzle
        for engine in engines():
            assert decide(engine, puzzle, Budget(10)).count == count


def test_all_black_2x2_has_two_answers() -> None:
    """Uniqueness inferred from an enumeration limit of one goes wrong here."""
    puzzle = codec.read("kropki 2x2\n. * .\n* *\n. * .").puzzle
    for engine in engines():
        assert decide(engine, puzzle, Budget(2)).status == "MULTIPLE"


@pytest.mark.parametrize(
    ("url", "count"), [("kropki/1/10/h3e", 3), ("kropki/10/1/h3e", 3), ("kropki/1/1//", 1)]
)
def test_boards_that_are_not_square(url: str, count: int) -> None:
    for engine in engines():
        assert all_answers(codec.read(url).puzzle, engine).count == count


def test_line_is_exact_on_long_lines() -> None:
    """20 cells: an ascending chain of white dots has two fillings, and they agree on nothing."""
    puzzle = board(1, 20, (Label.WHITE,) * 19, "either")
    end = climb(ladder(puzzle))
    assert values(end.masks, puzzle.domains()) == [sorted({k, 21 - k}) for k in range(1, 21)]
    # One given settles it: the whole line follows at once.
    one = Kropki(1, 20, puzzle.labels, (1, *(None,) * 19))
    made = ladder(one)
    masks = made.start()
    assert made.rungs[2].visit(masks, 0) == 1
    assert values(masks, one.domains()) == [[k] for k in range(1, 21)]


def test_line_on_a_short_line() -> None:
    """A column of 4 cells with 9 digits, black dots all along: 1 2 4 8 or 8 4 2 1."""
    labels = [Label.UNKNOWN] * 32 + [Label.BLACK, *[Label.UNKNOWN] * 8] * 3
    puzzle = board(4, 9, tuple(labels), "either")
    end = climb(ladder(puzzle), select(ladder(puzzle), "line"))
    left = values(end.masks, puzzle.domains())
    assert left[::9] == [[1, 8], [2, 4], [2, 4], [1, 8]]
    assert left[1] == list(range(1, 10))


@pytest.mark.parametrize("cells", [6, 8, 9])
def test_line_kernel_equals_the_dynamic_programme(cells: int) -> None:
    rng = np.random.default_rng(cells)
    for _ in range(6):
        rows = int(rng.integers(1, 3))
        borders = 2 * rows * cells - rows - cells
        shares = [0.5, 0.15, 0.05, 0.3]
        labels = tuple(list(Label)[k] for k in rng.choice(4, borders, p=shares))
        puzzle = board(rows, cells, labels, "either")
        made = ladder(puzzle)
        masks = made.start()
        for i in range(len(masks)):
            masks[i] &= int(rng.integers(1, 1 << cells)) | int(rng.integers(1, 1 << cells))
        state = [set(v) for v in values(masks, puzzle.domains())]
        expected = line_by_dp(puzzle, 0, state)
        outcome = made.rungs[2].visit(masks, 0)
        assert (outcome == CONTRADICTION) == (not all(expected))
        assert (
            outcome == CONTRADICTION
            or [set(v) for v in values(masks, puzzle.domains())][:cells] == expected
        )


def test_ladder_without_memory_for_a_line_says_so() -> None:
    puzzle = board(1, 21, (Label.WHITE,) * 20, "either")
    made = ladder(puzzle)
    assert [rung.name for rung in made.rungs] == ["dot", "single"]
    assert "no rung 'line'" in made.notes[0]
    assert decide(LadderSearch(), puzzle, Budget(5)).count == 2


def test_two_digits_with_one_place_left_between_them() -> None:
    """2 and 3 can both stand only in the last cell, which can hold nothing else."""
    puzzle = board(1, 4, (Label.UNKNOWN,) * 3, "either")
    made = ladder(puzzle)
    dot, single, *_ = made.rungs
    masks = np.array([0b1001, 0b1001, 0b1001, 0b0110])
    assert dot.sweep(masks.copy()) == NOTHING
    assert single.visit(masks.copy(), 0) == single.sweep(masks.copy()) == CONTRADICTION
    assert single.reason(masks, masks, 0) == "row 1 has one cell that alone can take two digits"


@pytest.mark.parametrize("digits", [2, 8, 9, 10, 19, 20, 32])
def test_partners_across_an_edge(digits: int) -> None:
    """By the ladder's two tables and by the rules, digit for digit; on the largest board in time."""
    for label in Label:
        puzzle = board(1, digits, (label,) * (digits - 1), "black")
        made = ladder(puzzle)
        for digit in range(1, digits + 1):
            masks = made.start()
            masks[0] = 1 << digit - 1
            made.rungs[0].visit(masks, digits)  # the first edge
            left = values(masks, puzzle.domains())[1]
            broken = [
                {v.code for v in puzzle.violations((digit, d, *(None,) * (digits - 2)))}
                for d in range(1, digits + 1)
            ]
            assert left == [d for d, codes in enumerate(broken, 1) if codes <= {"ceNoNum"}]


@pytest.mark.parametrize("strong", [False, True])
def test_unit_propagation_and_rungs(strong: bool) -> None:
    """Plain: exactly `dot` and `single` together. Strong: exactly `line`."""
    rng = np.random.default_rng(21)
    for _ in range(80):
        puzzle = random_board(rng, 4)
        made = ladder(puzzle)
        rungs = select(made, "line" if strong else "single")
        masks = made.start()
        assumed: list[int] = []
        form = encoding(puzzle, strong)
        for i, domain in enumerate(puzzle.domains()):
            if rng.random() < 0.15 and len(domain) > 2:
                k = int(rng.integers(len(domain)))
                masks[i] &= ~(1 << k)
                assumed.append(-form.x.value(i, domain[k]))
        implied = propagate(form.clauses(puzzle), assumed)
        if fixpoint(rungs, masks) == CONTRADICTION:
            assert implied is None
            continue
        assert implied is not None
        left = [
            [v for v in domain if -form.x.value(i, v) not in implied]
            for i, domain in enumerate(puzzle.domains())
        ]
        assert left == values(masks, puzzle.domains())
