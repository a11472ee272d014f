"""Engines: they agree, they say only what they saw, and what they find is an answer."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest
from genres import NAMES, all_answers, boards, engines, plain_answers, random_boards

from hashigo.counting.brute import Brute
from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat, SharedSat, solver_names
from hashigo.ladder.search import LadderSearch
from hashigo.models import codec
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, Status, Verdict, decide, reconcile


@pytest.mark.parametrize("name", NAMES)
def test_tiny_boards_against_all_assignments(name: str) -> None:
    shared = engines()
    for puzzle in boards(name).tiny_boards():
        expected = tuple(sorted(plain_answers(puzzle)))
        for engine in shared:
            verdict = decide(engine, puzzle, Budget(10**6))
            assert (verdict.answers, verdict.complete) == (expected, True), (engine.name, puzzle)


@pytest.mark.parametrize("name", NAMES)
def test_random_boards_agree(name: str) -> None:
    shared = engines()
    for puzzle in random_boards(name, 120, seed=1):
        verdicts = [decide(engine, puzzle, Budget(50, nodes=100_000)) for engine in shared]
        reconcile(puzzle, verdicts)
        assert verdicts[0].complete or verdicts[0].count == 50


@pytest.mark.parametrize("name", NAMES)
def test_uniqueness_is_never_inferred_from_a_limit(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=2):
        for engine in engines():
            verdict = decide(engine, puzzle, Budget(1))
            assert verdict.status in (Status.NONE, Status.UNKNOWN)


@pytest.mark.parametrize("name", NAMES)
def test_a_board_asked_again_gives_the_same(name: str) -> None:
    """Blocking clauses of one board must not be seen by the next, nor by itself."""
    shared = SharedSat()
    puzzles = list(random_boards(name, 30, seed=3))
    first = [decide(shared, puzzle, Budget(5)).count for puzzle in puzzles]
    again = [decide(shared, puzzle, Budget(5)).count for puzzle in reversed(puzzles)]
    assert first == again[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_symmetries_keep_the_count(name: str) -> None:
    for puzzle in random_boards(name, 25, seed=4):
        counts = {decide(LadderSearch(), board, Budget(30)).count for board in puzzle.symmetries()}
        assert len(counts) == 1
        assert len(list(puzzle.symmetries())) == 8
        assert next(puzzle.symmetries()) == puzzle
        assert puzzle.transpose().transpose() == puzzle == puzzle.flip().flip()


@pytest.mark.parametrize("name", NAMES)
def test_fewer_clues_no_fewer_answers(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=6):
        count = decide(Sat(), puzzle, Budget(40)).count
        for weaker in puzzle.weaker():
            assert decide(Sat(), weaker, Budget(40)).count >= count


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_at_most_the_product_of_domains(name: str) -> None:
    for puzzle in random_boards(name, 20, seed=7):
        product = 1
        for domain in puzzle.domains():
            product *= len(domain)
        assert decide(CpSat(), puzzle, Budget(1000)).count <= product


class _Fixed:
    """An engine that says what it is told."""

    def __init__(self, *found: Answer) -> None:
        self.name = "fixed"
        self._found = found

    def answers(self, puzzle: Puzzle, budget: Budget) -> Iterator[Answer]:
        return iter(self._found)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_answers_and_disagreement_are_faults(name: str) -> None:
    puzzle = codec.read(boards(name).URLS[0]).puzzle
    (right,) = all_answers(puzzle).answers
    wrong = next(
        changed
        for i, domain in enumerate(puzzle.domains())
        for v in domain
        if (changed := (*right[:i], v, *right[i + 1 :])) != right
    )
    with pytest.raises(EngineFault, match="breaks the rules"):
        decide(_Fixed(wrong), puzzle, Budget())
    said = [decide(engine, puzzle, Budget()) for engine in (Sat(), _Fixed())]
    with pytest.raises(EngineFault, match="fixed rules out"):
        reconcile(puzzle, said)


def test_status_of_verdicts_together() -> None:
    puzzle = codec.read("kropki/4/4/aa7fioco").puzzle
    (answer,) = all_answers(puzzle).answers
    unknown = Verdict("a", (), False, 0.0)
    one = Verdict("b", (answer,), False, 0.0)
    whole = Verdict("c", (answer,), True, 0.0)
    assert reconcile(puzzle, [unknown, one]) == Status.UNKNOWN
    assert reconcile(puzzle, [unknown, one, whole]) == Status.UNIQUE
    assert reconcile(puzzle, []) == Status.UNKNOWN
    assert Verdict("d", (), True, 0.0).status == Status.NONE


_OPEN = "kropki 9x9\n" + "\n".join(
    " ".join(["? "] * 9) if k % 2 else " ? ".join(["."] * 9) for k in range(17)
)


@pytest.mark.parametrize("engine", [CpSat(), Sat(), SharedSat(), LadderSearch(), Brute()])
def test_out_of_time_is_unknown_or_several(engine: "CpSat") -> None:
    puzzle = codec.read(_OPEN).puzzle
    verdict = decide(engine, puzzle, Budget(10**9, seconds=0.3))
    assert not verdict.complete
    assert verdict.status in (Status.UNKNOWN, Status.MULTIPLE)
    assert verdict.why == "limit of 0.3 s"
    assert verdict.seconds < 5


@pytest.mark.parametrize("engine", [LadderSearch(), Brute()])
def test_out_of_nodes_is_unknown(engine: LadderSearch) -> None:
    puzzle = codec.read(_OPEN).puzzle
    verdict = decide(engine, puzzle, Budget(10**9, nodes=3))
    assert (verdict.status, verdict.why) == (Status.UNKNOWN, "limit of 3 nodes")


@pytest.mark.parametrize("solver", solver_names())
def test_every_sat_solver(solver: str) -> None:
    """All of PySAT's solvers that run here; the others are refused with a sentence."""
    try:
        engine = Sat(solver)
    except PuzzleError as error:
        assert solver in ("cryptominisat5", "minisat-gh")
        assert "cannot start" in str(error)
        return
    for url, count in (("kropki/4/4/aa7fioco", 1), ("kropki/1/10/h3e", 3)):
        verdict = decide(engine, codec.read(url).puzzle, Budget(10))
        assert (verdict.count, verdict.complete) == (count, True)


def test_an_uninterruptible_solver_is_ended() -> None:
    verdict = decide(Sat("cadical153"), codec.read(_OPEN).puzzle, Budget(10**9, seconds=1.0))
    assert not verdict.complete
    assert verdict.why == "limit of 1 s"
    assert verdict.seconds < 10


@pytest.mark.parametrize("engine", [CpSat(), Sat(), LadderSearch(), Brute()])
def test_an_engine_that_is_interrupted_ends(engine: "CpSat") -> None:
    """Ctrl-C is no limit met: a verdict after it would be one that nobody asked for."""
    decide(engine, codec.read("kropki/4/4/aa7fioco").puzzle, Budget(2))  # imports and compiles
    puzzle = codec.read(_OPEN).puzzle
    here = threading.main_thread().ident
    assert here is not None
    threading.Timer(0.5, signal.pthread_kill, [here, signal.SIGINT]).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        decide(engine, puzzle, Budget(10**9, seconds=30))
    assert time.monotonic() - start < 10


def test_unknown_solver_is_refused() -> None:
    with pytest.raises(PuzzleError, match="no SAT solver 'nosuch'; expected one of: "):
        Sat("nosuch")


def test_a_shared_solver_is_not_touched_by_boards_of_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A board that is given up late says nothing about one of its number in a newer solver."""
    monkeypatch.setattr(SharedSat, "_BOARDS", 1)
    puzzle = codec.read("kropki/1/10/h3e").puzzle
    shared = SharedSat()
    late = shared.answers(puzzle, Budget(1000))
    next(late)
    newer = shared.answers(puzzle, Budget(1000))
    first = next(newer)
    del late  # which ends it
    assert len({first, *newer}) == decide(SharedSat(), puzzle, Budget(1000)).count == 3
