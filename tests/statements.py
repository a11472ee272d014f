"""Proven statements about random boards, and certificates with something wrong in them."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from genres import boards, random_boards

from hashigo.counting import certificate
from hashigo.counting.certificate import CertificateError, Statement
from hashigo.counting.proof import prove
from hashigo.counting.sat import Sat
from hashigo.models import codec
from hashigo.models.puzzle import Answer, Puzzle
from hashigo.models.verdict import Budget, Status, decide

STATEMENTS = (Status.UNIQUE, Status.NONE, Status.MULTIPLE)


@cache
def statements(name: str, count: int, seed: int) -> list[Statement]:
    """Proven statements about random boards of a genre."""
    return [prove(board, Budget()) for board in random_boards(name, count, seed)]


@cache
def example(name: str, status: Status) -> Statement:
    """A statement of this status, about the board with the shortest text among some."""
    found = [statement for statement in statements(name, 150, 1) if statement.status == status]
    return min(
        found, key=lambda statement: len(codec.text(statement.puzzle)) + len(statement.proof)
    )


@cache
def hard(name: str) -> list[Statement]:
    """Statements of uniqueness, the longest proofs first: larger boards with few clues to spare.

    Where propagation alone is strong enough, all proofs are but the line `0` (see `is_hard`).
    """
    rng = np.random.default_rng(1)
    found: list[Statement] = []
    while len(found) < 12:
        board = boards(name).random_board(rng, 6)
        if board.rows * board.cols >= 18 and is_unique(board):
            found.append(prove(thinned(board, rng), Budget()))
    return sorted(found, key=lambda statement: -statement.proof.count("\n"))


def is_hard(name: str) -> bool:
    return hard(name)[3].proof.count("\n") > 3


def is_unique(puzzle: Puzzle) -> bool:
    return decide(Sat(), puzzle, Budget(2)).status == Status.UNIQUE


def thinned(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    """The puzzle without clues that it does not need, as far as one pass goes."""
    for k in rng.permutation(len(list(puzzle.weaker()))):
        weaker = list(puzzle.weaker())
        if k < len(weaker) and is_unique(weaker[k]):
            puzzle = weaker[k]
    return puzzle


def files(statement: Statement, folder: Path) -> dict[str, bytes]:
    """The files of its certificate."""
    certificate.write(statement, folder, replace=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def reseal(folder: Path, **manifest: Any) -> None:
    """Make the hashes fit what is in the folder, and change entries of the manifest."""
    data = json.loads((folder / "manifest.json").read_text())
    del data["manifest"]
    data["files"] = {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != "manifest.json"
    }
    data |= manifest
    whole = json.dumps(data, indent=1) + "\n"
    data["manifest"] = sha256(whole.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(data, indent=1) + "\n")


def refused(folder: Path, match: str | None = None) -> None:
    with pytest.raises(CertificateError, match=match) as caught:
        certificate.verify(folder)
    assert "\n" not in str(caught.value)


def forge(folder: Path, puzzle: Puzzle, answers: tuple[Answer, ...], text: str) -> None:
    """A folder that is right in all but what it says."""
    folder.mkdir(exist_ok=True)
    made = Statement(puzzle, answers, text)
    for path in folder.iterdir():
        path.unlink()
    content = certificate._files(made)
    content["manifest.json"] = certificate._manifest(made, content)
    for name, whole in content.items():
        (folder / name).write_text(whole)
