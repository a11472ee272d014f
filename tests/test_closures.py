"""Closures: each engine's against a plain reading, and the ladder's against those of SAT."""

from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations, islice, pairwise, product
from typing import Any

import numpy as np
import pytest
from genres import NAMES, all_answers, boards, propagate, random_boards

from hashigo.counting.closure import Backbone, Propagation, presolve
from hashigo.ladder import closure
from hashigo.ladder.climb import fixpoint
from hashigo.ladder.rung import Correspondence, Ladder, ladder, select
from hashigo.ladder.state import CONTRADICTION, values
from hashigo.models import bank, codec
from hashigo.models.cnf import encoding
from hashigo.models.puzzle import Left, Puzzle
from hashigo.models.verdict import Budget, OutOfBudget
from hashigo.scripts.theorems import (
    Bench,
    Difference,
    Tally,
    holds_all,
    random_state,
    run,
    shrink,
    states,
)
from hashigo.scripts.theorems import (
    boards as theorem_boards,
)


def check(puzzle: Puzzle, some: Any) -> list[Difference]:
    """The claims of a board's genre on some states."""
    tallies: dict[Correspondence, Tally] = {}
    with Bench(puzzle) as bench:
        for left in some(bench):
            bench.check(left, tallies)
    return [found for tally in tallies.values() for found in tally.differences]


def all_states(board: Ladder) -> Iterator[Left]:
    """Every state in which each variable has some value left."""
    ways = [
        list(chain.from_iterable(combinations(some, k) for k in range(1, len(some) + 1)))
        for some in closure.start(board)
    ]
    return ([list(some) for some in state] for state in product(*ways))


@pytest.mark.parametrize("name", NAMES)
def test_correspondences_on_random_boards(name: str) -> None:
    """Start, states along solves, random states; boards with hidden, wrong and given clues."""
    rng = np.random.default_rng(50)
    for puzzle in random_boards(name, 40, seed=50):
        assert not check(puzzle, lambda bench: states(bench.ladder, rng, 4))


@pytest.mark.parametrize("name", NAMES)
def test_correspondences_on_larger_boards(name: str) -> None:
    rng = np.random.default_rng(51)
    for _ in range(4):
        puzzle = boards(name).random_board(rng, 7)
        assert not check(puzzle, lambda bench: states(bench.ladder, rng, 2))


@pytest.mark.parametrize("name", NAMES)
def test_correspondences_on_states_of_tiny_boards(name: str) -> None:
    """A share of the states of a share of the boards."""
    tiny = list(boards(name).tiny_boards())
    step = max(1, len(tiny) // 60)
    for k, puzzle in enumerate(tiny[::step]):
        assert not check(puzzle, lambda bench, k=k: islice(all_states(bench.ladder), k % 7, 500, 7))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_correspondences_on_all_states_of_all_tiny_boards(name: str) -> None:
    for puzzle in boards(name).tiny_boards():
        assert not check(puzzle, lambda bench: all_states(bench.ladder))


@pytest.mark.parametrize("name", NAMES)
def test_a_run_counts_what_it_sees(name: str) -> None:
    *_, tallies = run(name, 12, seed=3)
    claims = ladder(next(random_boards(name, 1))).correspondences
    assert set(tallies) == set(claims)
    for tally in tallies.values():
        assert tally.boards == 12 and tally.states >= 12 * 5
        assert not tally.differences
        assert tally.removed > 0 and tally.contradictions > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_false_claim_is_found_and_shrunk(name: str) -> None:
    """The lowest rung alone is not all of what the highest claim says."""
    claims = ladder(next(random_boards(name, 1))).correspondences
    false = claims[-1]._replace(rung=claims[0].rung, probing=False)
    if false.rung == claims[-1].rung:
        false = false._replace(rung=ladder(next(random_boards(name, 1))).rungs[0].name)
    found = next(differences(false, name))
    small = shrink(found)
    assert sum(1 for _ in small.puzzle.weaker()) <= sum(1 for _ in found.puzzle.weaker())
    assert sum(map(len, small.left)) >= sum(map(len, found.left))
    assert "alone" in str(small) and "state: " in str(small)
    # Nothing more can be taken back.
    assert shrink(small) == small


def differences(claim: Correspondence, name: str) -> Iterator[Difference]:
    for puzzle, rng in theorem_boards(name, 300, seed=52):
        with Bench(puzzle) as bench:
            start = closure.start(bench.ladder)
            for left in (start, *(random_state(start, rng) for _ in range(6))):
                state = bench.state_of(claim, left)
                sides = bench.sides(claim, state)
                yield from bench.differences(claim, state, *sides, bench.backbone(left))


def plain_failed(clauses: list[list[int]], assumed: list[int], literals: list[int]) -> Any:
    """Failed literals by definition, on the plain propagation of the tests."""
    assumed = list(assumed)
    while True:
        implied = propagate(clauses, assumed)
        if implied is None:
            return None
        failed = [
            k for k in literals if -k not in implied and propagate(clauses, [*assumed, k]) is None
        ]
        if not failed:
            return implied
        assumed += [-k for k in failed]


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_propagation_against_a_plain_reading(name: str, strong: bool) -> None:
    rng = np.random.default_rng(53)
    for puzzle in random_boards(name, 12, seed=53):
        form = encoding(puzzle, strong)
        clauses, x = form.clauses(puzzle), form.x
        start = closure.start(ladder(puzzle))
        with Propagation(puzzle, strong) as propagation:
            for left in (start, random_state(start, rng), random_state(start, rng)):
                gone = [
                    -x.value(i, v)
                    for i, domain in enumerate(x.domains)
                    for v in domain
                    if v not in left[i]
                ]
                literals = [x.value(i, v) for i, some in enumerate(left) for v in some]
                for found, implied in (
                    (propagation.unit(left), propagate(clauses, gone)),
                    (propagation.failed(left), plain_failed(clauses, gone, literals)),
                ):
                    assert (found is None) == (implied is None)
                    assert (
                        found is None
                        or implied is None
                        or found
                        == [
                            [v for v in some if -x.value(i, v) not in implied]
                            for i, some in enumerate(left)
                        ]
                    )


@pytest.mark.parametrize("name", NAMES)
def test_the_backbone_is_what_all_answers_have(name: str) -> None:
    rng = np.random.default_rng(54)
    for puzzle in random_boards(name, 40, seed=54):
        answers = all_answers(puzzle).answers if _few(puzzle) else ()
        start = closure.start(ladder(puzzle))
        with Backbone(puzzle) as backbone:
            for left in (start, *(random_state(start, rng) for _ in range(4))):
                inside = [
                    a for a in answers if all(v in some for v, some in zip(a, left, strict=True))
                ]
                if _few(puzzle):
                    used = [sorted(set(values)) for values in zip(*inside, strict=True)]
                    assert backbone.closure(left) == (used if inside else None)


def _few(puzzle: Puzzle) -> bool:
    return puzzle.rows * puzzle.cols <= 9


@pytest.mark.parametrize("name", NAMES)
def test_no_closure_removes_what_an_answer_uses(name: str) -> None:
    rng = np.random.default_rng(55)
    for puzzle in random_boards(name, 25, seed=55):
        with Bench(puzzle) as bench:
            names = [rung.name for rung in bench.ladder.rungs]
            start = closure.start(bench.ladder)
            for left in (start, random_state(start, rng), random_state(start, rng)):
                found: list[Left | None] = [presolve(puzzle, left)]
                for rung in names:
                    found.append(closure.up_to(bench.ladder, rung, left))
                    found.append(closure.alone(bench.ladder, rung, left))
                    found.append(closure.probing(bench.ladder, rung, left))
                for strong in bench.forms:
                    found += [bench.unit(strong, left), bench.failed(strong, left)]
                truth = bench.backbone(left)
                assert all(holds_all(each, truth) for each in found)


@pytest.mark.parametrize("name", NAMES)
def test_closures_are_ordered(name: str) -> None:
    """A rung more, and a probe more, never leave more."""
    rng = np.random.default_rng(56)
    told = 0
    graded = [entry for entry in bank.find(name) if "/probe/" in entry.name][:8]
    probed = [codec.from_json(entry.data).puzzle for entry in graded]
    poorer = [each for puzzle in probed for each in islice(puzzle.weaker(), 0, None, 6)]
    for puzzle in (*random_boards(name, 25, seed=56), *probed, *poorer):
        board = ladder(puzzle)
        rungs = [rung.name for rung in select(board)]
        start = closure.start(board)
        for left in (start, random_state(start, rng)):
            ends = [closure.up_to(board, rung, left) for rung in rungs]
            for more, fewer in pairwise(ends):
                assert holds_all(more, fewer)
            assert ends[-1] == closure.probing(board, rungs[-2], left)
            assert ends[-1] == plain_probing(board, rungs[-2], left)
            told += ends[-1] != ends[-2]
    assert told >= len(probed) > 4


def plain_probing(board: Ladder, rung: str, left: Left) -> Left | None:
    """By definition, from the other end: what the rungs refute goes, one by one, until none does."""
    masks, lower = closure.enter(board, left), select(board, rung)
    while masks is not None and fixpoint(lower, masks) != CONTRADICTION:
        for i, bit in reversed(board.probes(masks)):
            if fixpoint(lower, board.assume(masks, (i, bit))) == CONTRADICTION:
                masks[i] &= ~(1 << bit)
                break
        else:
            return values(masks, board.puzzle.domains())
    return None


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_domain_is_a_contradiction(name: str) -> None:
    puzzle = next(random_boards(name, 1, seed=57))
    with Bench(puzzle) as bench:
        left = closure.start(bench.ladder)
        left[0] = []
        found: list[Left | None] = [presolve(puzzle, left), bench.backbone(left)]
        found += [closure.up_to(bench.ladder, r.name, left) for r in bench.ladder.rungs]
        for strong in bench.forms:
            found += [bench.unit(strong, left), bench.failed(strong, left)]
        assert found == [None] * len(found)


@pytest.mark.parametrize("name", NAMES)
def test_time_runs_out(name: str) -> None:
    """Where a value is left to be tried."""
    out = 0
    for puzzle in random_boards(name, 10, seed=58):
        with Bench(puzzle) as bench:
            left = closure.start(bench.ladder)
            top = bench.ladder.rungs[-1].name
            for unit, failed in (
                (bench.unit(False, left), partial(bench.failed, False)),
                (closure.up_to(bench.ladder, top, left), partial(bench.probing, top)),
            ):
                if unit is not None and any(len(some) > 1 for some in unit):
                    with pytest.raises(OutOfBudget, match="limit of 1e-09 s"):
                        failed(left, Budget(seconds=1e-9))
                    out += 1
            # What presolve had no time for is not told as its closure.
            if presolve(puzzle, left) is not None:
                with pytest.raises(OutOfBudget, match="limit of 1e-09 s"):
                    presolve(puzzle, left, Budget(seconds=1e-9))
    assert out
