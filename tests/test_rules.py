"""One failing board per rule code, and the one loop that runs them."""

import pytest
from genres import NAMES, all_answers, boards, random_boards

from hashigo.models import codec


@pytest.mark.parametrize("name", NAMES)
def test_failing_boards(name: str) -> None:
    for code, text in boards(name).FAILING:
        puzzle, filling = codec.read(text)
        codes = [v.code for v in puzzle.violations(filling or puzzle.blank())]
        assert (codes[0] if codes else None) == code, text


@pytest.mark.parametrize("name", NAMES)
def test_every_violation_has_a_sentence(name: str) -> None:
    for _, text in boards(name).FAILING:
        puzzle, filling = codec.read(text)
        for violation in puzzle.violations(filling or puzzle.blank()):
            assert len(violation.text) > 5


@pytest.mark.parametrize("name", NAMES)
def test_hiding_a_clue_keeps_every_answer(name: str) -> None:
    for puzzle in random_boards(name, 25, seed=5):
        answers = all_answers(puzzle, limit=10**7).answers
        if len(answers) > 200:
            continue
        for weaker in puzzle.weaker():
            assert all(weaker.accepts(answer) for answer in answers)
