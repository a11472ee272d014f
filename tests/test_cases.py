"""Public boards with known answers, read from the folder of cases beside the project, if there."""

import json
from typing import Any

import pytest
from genres import NAMES, SHARED

from hashigo.counting.cpsat import CpSat
from hashigo.counting.sat import Sat
from hashigo.ladder.search import LadderSearch
from hashigo.models import codec
from hashigo.models.verdict import Budget, decide, reconcile


def cases(name: str) -> list[dict[str, Any]]:
    path = SHARED / "cases" / "cases.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if row["genre"] == name]


@pytest.mark.parametrize("name", NAMES)
def test_counts_and_answers(name: str) -> None:
    for case in cases(name):
        if "url" not in case or case.get("givens"):
            continue
        puzzle = codec.read(case["url"]).puzzle
        verdicts = [
            decide(engine, puzzle, Budget(100, 60)) for engine in (CpSat(), Sat(), LadderSearch())
        ]
        reconcile(puzzle, verdicts)
        assert [v.count for v in verdicts if v.complete], case["id"]
        assert all(v.count == case["solutions"] for v in verdicts if v.complete), case["id"]
        if case["solutions"] == 1:
            filling = puzzle.read_filling(case["answer"])
            assert puzzle.fill(verdicts[0].answers[0]) == filling, case["id"]
            assert codec.read(codec.url(puzzle)).puzzle == puzzle


@pytest.mark.parametrize("name", NAMES)
def test_rule_codes(name: str) -> None:
    for case in cases(name):
        if "pzprv3" in case:
            puzzle, filling = codec.read(case["pzprv3"])
            codes = [v.code for v in puzzle.violations(filling or puzzle.blank())]
            assert (codes[0] if codes else None) == case["expect"], case["id"]
            assert decide(Sat(), puzzle, Budget(100)).count == case["solutions"], case["id"]
