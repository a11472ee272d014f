"""Ladders: sound, exact where they claim to be, monotone, and their kernels equal their twins."""

import numpy as np
import pytest
from genres import NAMES, boards, random_boards

from hashigo.counting.sat import Sat
from hashigo.ladder.climb import climb, fixpoint, grade, trace
from hashigo.ladder.rung import Ladder, Rung, ladder, open_variables, select
from hashigo.ladder.search import LadderSearch
from hashigo.ladder.state import CHANGED, CONTRADICTION, NOTHING, Masks, bits, solved
from hashigo.models.puzzle import Answer
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, decide


def alone(rung: Rung, masks: Masks) -> Masks | None:
    """The rung's own fixpoint from a state; None for a contradiction."""
    masks = masks.copy()
    while (outcome := rung.sweep(masks)) == CHANGED:
        pass
    return None if outcome == CONTRADICTION else masks


def random_states(made: Ladder, rng: np.random.Generator, count: int) -> list[Masks]:
    """The start, and states with values taken away at random or some variables set."""
    states = [made.start()]
    for _ in range(count - 1):
        masks = made.start()
        share = rng.choice([0.02, 0.1, 0.3])
        for i in open_variables(masks):
            choices = bits(int(masks[i]))
            if rng.random() < share:
                masks[i] = 1 << int(rng.choice(choices))
            else:
                for k in choices:
                    if rng.random() < share and masks[i] != 1 << k:
                        masks[i] &= ~(1 << k)
        states.append(masks)
    return states


def within(answer: Answer, masks: Masks, made: Ladder) -> bool:
    """Whether a state still has every value of an answer, helper variables included."""
    settled = made.settled(answer)
    assert solved(settled) and made.answer(settled) == answer
    return bool((masks & settled == settled).all())


@pytest.mark.parametrize("name", NAMES)
def test_no_rung_removes_a_value_of_an_answer(name: str) -> None:
    rng = np.random.default_rng(10)
    for puzzle in random_boards(name, 60, seed=10):
        verdict = decide(Sat(), puzzle, Budget(2000))
        if not verdict.complete:
            continue
        made = ladder(puzzle)
        for masks in random_states(made, rng, 3):
            inside = [a for a in verdict.answers if within(a, masks, made)]
            for rung in select(made):
                end = alone(rung, masks)
                if end is None:
                    assert not inside, (rung.name, puzzle)
                else:
                    assert all(within(a, end, made) for a in inside), (rung.name, puzzle)


@pytest.mark.parametrize("name", NAMES)
def test_kernels_equal_their_twins(name: str) -> None:
    rng = np.random.default_rng(11)
    for puzzle in random_boards(name, 60, seed=11):
        made = ladder(puzzle)
        for masks in random_states(made, rng, 4):
            state = _sets(made, masks)
            for rung in made.rungs:
                end = alone(rung, masks)
                expected = boards(name).twin(rung.name, puzzle, state)
                assert (None if end is None else _sets(made, end)) == expected, (
                    rung.name,
                    puzzle,
                    state,
                )


def _sets(made: Ladder, masks: Masks) -> list[set[int]]:
    domains = list(made.puzzle.domains())
    domains += [range(2)] * (len(masks) - len(domains))
    return [{d[k] for k in bits(int(m))} for d, m in zip(domains, masks, strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_visits_and_sweeps_have_the_same_fixpoint(name: str) -> None:
    rng = np.random.default_rng(12)
    for puzzle in random_boards(name, 30, seed=12):
        made = ladder(puzzle)
        for masks in random_states(made, rng, 3):
            for rung in made.rungs:
                end = alone(rung, masks)
                mine: Masks | None = masks.copy()
                changed = True
                while changed and mine is not None:
                    changed = False
                    for place in range(rung.places):
                        before = mine.copy()
                        outcome = rung.visit(mine, place)
                        if outcome == CONTRADICTION:
                            mine = None
                            break
                        assert (outcome == CHANGED) == bool((before != mine).any())
                        changed |= outcome == CHANGED
                assert (mine is None) == (end is None)
                assert mine is None or end is None or (mine == end).all()


@pytest.mark.parametrize("name", NAMES)
def test_rungs_are_monotone(name: str) -> None:
    """From a smaller state, a smaller fixpoint."""
    rng = np.random.default_rng(13)
    for puzzle in random_boards(name, 40, seed=13):
        made = ladder(puzzle)
        large, *others = random_states(made, rng, 4)
        for other in others:
            small = large & other
            for rung in made.rungs:
                end, smaller_end = alone(rung, large), alone(rung, small)
                if end is None:
                    assert smaller_end is None
                elif smaller_end is not None:
                    assert not (smaller_end & ~end).any()


@pytest.mark.parametrize("name", NAMES)
def test_nested_rungs(name: str) -> None:
    """What a lower rung removes, the higher one removes alone."""
    rng = np.random.default_rng(14)
    for puzzle in random_boards(name, 60, seed=14):
        made = ladder(puzzle)
        rungs = {rung.name: rung for rung in made.rungs}
        for low, high in boards(name).NESTED:
            for masks in random_states(made, rng, 4):
                strong, weak = alone(rungs[high], masks), alone(rungs[low], masks)
                if weak is None:
                    assert strong is None
                elif strong is not None:
                    assert not (strong & ~weak).any()


@pytest.mark.parametrize("name", NAMES)
def test_grade_is_the_lowest_rung_that_completes(name: str) -> None:
    for puzzle in random_boards(name, 60, seed=15):
        made = ladder(puzzle)
        names = [rung.name for rung in select(made)]
        completing = [
            rung
            for rung in names
            if (end := climb(made, select(made, rung))).complete
            and puzzle.accepts(made.answer(end.masks))
        ]
        assert grade(made) == (completing[0] if completing else None)


@pytest.mark.parametrize("name", NAMES)
def test_a_complete_climb_is_the_only_answer(name: str) -> None:
    for puzzle in random_boards(name, 60, seed=16):
        made = ladder(puzzle)
        end = climb(made)
        verdict = decide(Sat(), puzzle, Budget(2))
        if end.contradiction:
            assert verdict.status == "NONE"
        elif end.complete:
            assert verdict.answers == (made.answer(end.masks),)
            assert verdict.complete


@pytest.mark.parametrize("name", NAMES)
def test_trace_and_climb_end_alike(name: str) -> None:
    for puzzle in random_boards(name, 25, seed=17):
        made = ladder(puzzle)
        rungs = select(made)
        masks = made.start()
        steps = list(trace(made, rungs, masks))
        end = climb(made, rungs)
        assert bool(steps and steps[-1].contradiction) == end.contradiction
        if not end.contradiction:
            assert (masks == end.masks).all()
            spoke = [[r.name for r in rungs].index(step.rung) for step in steps]
            assert rungs[max(spoke, default=0)].name == end.grade
        for step in steps:
            assert step.reason and step.conclusion and "\n" not in step.reason


@pytest.mark.parametrize("name", NAMES)
def test_symmetries_keep_the_grade(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=18):
        assert len({grade(ladder(board)) for board in puzzle.symmetries()}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_search_with_any_rungs_finds_the_same(name: str) -> None:
    for puzzle in random_boards(name, 15, seed=19):
        expected = decide(Sat(), puzzle, Budget(20))
        if not expected.complete:
            continue
        names = [rung.name for rung in select(ladder(puzzle))]
        searches = [LadderSearch(up_to=rung, without=()) for rung in names]
        searches += [LadderSearch(without=(rung, "probe")) for rung in names[:-1]]
        for search in searches:
            assert decide(search, puzzle, Budget(20)).answers == expected.answers


@pytest.mark.parametrize("name", NAMES)
def test_fixpoint_leaves_nothing_to_do(name: str) -> None:
    for puzzle in random_boards(name, 20, seed=20):
        made = ladder(puzzle)
        rungs = select(made)
        masks = made.start()
        if fixpoint(rungs, masks) != CONTRADICTION:
            assert all(rung.sweep(masks) == NOTHING for rung in rungs)
            assert solved(masks) == (not open_variables(masks))


@pytest.mark.parametrize("name", NAMES)
def test_unknown_rungs_are_refused(name: str) -> None:
    made = ladder(next(random_boards(name, 1)))
    with pytest.raises(PuzzleError, match="no rung 'nosuch'; expected one of: "):
        select(made, "nosuch")
    with pytest.raises(PuzzleError, match="no rung 'nosuch'"):
        select(made, without=["nosuch"])
