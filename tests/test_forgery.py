"""Certificates whose hashes were made to fit: what they say must still be so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from genres import NAMES
from slow_checker import Line, first_bad_line, read, write
from statements import example, files, forge, hard, is_hard, refused, reseal, statements

from hashigo.counting import certificate, checker
from hashigo.models import codec
from hashigo.models.verdict import Status

# The manifest


@pytest.mark.parametrize(
    "change",
    [
        {"format": "hashigo certificate 2"},
        {"genre": "other"},
        {"genre": None},
        {"status": "NONE"},
        {"status": "MULTIPLE"},
        {"status": "UNKNOWN"},
        {"status": 1},
        {"made": []},
        {"files": []},
        {"files": {}},
        {"files": {"\ud800": ""}},
        {"more": 1},
        {"made": {"x": float("nan")}, "status": "NONE"},
    ],
)
def test_wrong_manifests(change: dict[str, Any], tmp_path: Path) -> None:
    files(example(NAMES[0], Status.UNIQUE), tmp_path / "it")
    reseal(tmp_path / "it", **change)
    refused(tmp_path / "it")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "3", '"x"', "{}", '{"a": 1, "a": 1}', "[" * 10**5, "1" * 10**5],
)
@pytest.mark.parametrize("file", ["manifest.json", "answers.json"])
def test_other_json(file: str, content: str, tmp_path: Path) -> None:
    files(example(NAMES[0], Status.UNIQUE), tmp_path / "it")
    (tmp_path / "it" / file).write_text(content)
    if file != "manifest.json":
        reseal(tmp_path / "it")
    refused(tmp_path / "it", file)


# The puzzle


@pytest.mark.parametrize("name", NAMES)
def test_only_the_text_form_is_taken(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "it"
    statement = example(name, Status.UNIQUE)
    files(statement, folder)
    whole = codec.text(statement.puzzle)
    other = json.dumps(codec.to_json(statement.puzzle))
    for content in (other, whole + "\n", whole[:-1], whole.replace(" ", "  "), "", whole[2:]):
        (folder / "puzzle.txt").write_text(content)
        reseal(folder)
        refused(folder, "puzzle.txt")


# Formula and answers


def swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-2], lines[-1], lines[-2]]


FORMULAS: list[Callable[[list[bytes]], list[bytes]]] = [
    lambda lines: lines[:-1],
    lambda lines: [*lines, lines[-1]],
    lambda lines: [*lines, b"0"],
    lambda lines: [*lines[:-1], b"-" + lines[-1]],
    lambda lines: [*lines[:-1], b"0"],
    lambda lines: [b"c x", *lines],
    lambda lines: lines[1:],
    swapped,
    lambda lines: [line.replace(b" 0", b"  0") for line in lines],
]


@pytest.mark.parametrize("status", [Status.UNIQUE, Status.MULTIPLE])
@pytest.mark.parametrize("name", NAMES)
def test_foreign_formulas(name: str, status: Status, tmp_path: Path) -> None:
    folder = tmp_path / "it"
    statement = example(name, status)
    content = files(statement, folder)["formula.cnf"]
    lines = content.splitlines()
    for change in FORMULAS:
        (folder / "formula.cnf").write_bytes(b"\n".join([*change(lines), b""]))
        reseal(folder)
        refused(folder, r"formula\.cnf, line \d+: not what follows")
    for other in statements(name, 150, 1)[:20]:
        foreign = files(other, tmp_path / "other")["formula.cnf"]
        if foreign != content:
            (folder / "formula.cnf").write_bytes(foreign)
            reseal(folder)
            refused(folder, r"formula\.cnf, line \d+: not what follows")


@pytest.mark.parametrize("name", NAMES)
def test_wrong_answers(name: str, tmp_path: Path) -> None:
    """Every answer that differs at one variable, with formula, proof and hashes to fit."""
    statement = example(name, Status.UNIQUE)
    (answer,) = statement.answers
    domains = statement.puzzle.domains()
    for k, domain in enumerate(domains):
        for value in domain:
            if value != answer[k]:
                wrong = (*answer[:k], value, *answer[k + 1 :])
                forge(tmp_path / "it", statement.puzzle, (wrong,), statement.proof)
                refused(tmp_path / "it", "breaks the rules")


def test_answers_that_are_none(tmp_path: Path) -> None:
    folder = tmp_path / "it"
    statement = example(NAMES[0], Status.UNIQUE)
    data = json.loads(files(statement, folder)["answers.json"])
    values = data["answers"][0]["values"]
    entry = data["answers"][0]
    wrongs: list[dict[str, Any]] = [
        {},
        {"answers": {}},
        {"answers": None},
        {"answers": [None]},
        {"answers": [{}]},
        {"answers": [entry | {"values": None}]},
        {"answers": [entry | {"values": values[1:]}]},
        {"answers": [entry | {"values": [*values, 1]}]},
        {"answers": [entry | {"values": [str(v) for v in values]}]},
        {"answers": [entry | {"values": [float(v) for v in values]}]},
        {"answers": [entry | {"values": [True, *values[1:]]}]},
        {"answers": [entry | {"values": [10**30, *values[1:]]}]},
        {"answers": [entry | {"board": []}]},
        {"answers": [entry | {"more": 1}]},
        {"answers": [{"board": entry["board"], "values": values}]},
        {"answers": [entry, entry]},
        {"answers": [entry] * 3},
        {"answers": [entry], "more": 1},
    ]
    for wrong in wrongs:
        (folder / "answers.json").write_text(json.dumps(wrong, indent=1) + "\n")
        reseal(folder)
        refused(folder, r"answers\.json")


@pytest.mark.parametrize("name", NAMES)
def test_two_answers_in_order(name: str, tmp_path: Path) -> None:
    statement = example(name, Status.MULTIPLE)
    one, two = statement.answers
    for answers in ((two, one), (one, one), (two, two)):
        forge(tmp_path / "it", statement.puzzle, answers, "")
        refused(tmp_path / "it", "two different answers")
    forge(tmp_path / "it", statement.puzzle, (one, two), "")
    (tmp_path / "it" / "proof.drup").write_text("0\n")
    reseal(tmp_path / "it")
    refused(tmp_path / "it", "not for MULTIPLE")


# The proof


@pytest.mark.parametrize("name", NAMES)
def test_two_answers_are_never_one(name: str, tmp_path: Path) -> None:
    """Nor none: whatever the proof, be it that of a board that differs in one clue."""
    several = [
        statement for statement in statements(name, 150, 1) if statement.status == Status.MULTIPLE
    ]
    texts = ["0\n", *dict.fromkeys(statement.proof for statement in hard(name))][:6]
    tried = 0
    for statement in several[:25]:
        for answers in ((), *((answer,) for answer in statement.answers)):
            _, x = certificate.formula(statement.puzzle, answers)
            units = "".join(f"{sign * v} 0\n" for v in x.decisions for sign in (1, -1)) + "0\n"
            for text in (*texts, units):
                forge(tmp_path / "it", statement.puzzle, answers, text)
                refused(tmp_path / "it", r"proof\.drup, line \d+")
                tried += 1
    assert tried > 100


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_never_denied(name: str, tmp_path: Path) -> None:
    for statement in hard(name):
        for text in (statement.proof, "0\n"):
            forge(tmp_path / "it", statement.puzzle, (), text)
            refused(tmp_path / "it", r"proof\.drup, line \d+")


def corrupted(lines: list[Line], top: int, rng: np.random.Generator) -> list[Line]:
    """The proof with something done to it."""
    made = list(lines)
    k = int(rng.integers(len(made)))
    deletes, clause = made[k]
    match int(rng.integers(8)):
        case 0:
            del made[k]
        case 1:
            del made[k:]
        case 2:
            j = int(rng.integers(len(made)))
            made[k], made[j] = made[j], made[k]
        case 3 if clause:
            flip = int(rng.integers(len(clause)))
            made[k] = deletes, tuple(-x if j == flip else x for j, x in enumerate(clause))
        case 4 if clause:
            drop = int(rng.integers(len(clause)))
            rest = tuple(x for j, x in enumerate(clause) if j != drop)
            made[k] = deletes, rest
        case 5 if clause:
            other = int(rng.integers(1, top + 1)) * int(rng.choice([-1, 1]))
            if abs(other) not in map(abs, clause):
                made[k] = deletes, (*clause[1:], other)
        case 6:
            made.insert(k, (False, (int(rng.integers(1, top + 1)) * int(rng.choice([-1, 1])),)))
        case _ if clause:
            made[k] = not deletes, clause
    return made or [(False, (top,))]


def corrupt(name: str, tmp_path: Path, in_memory: int, in_folders: int) -> None:
    """Corrupted proofs are refused unless they are proofs; the slow checker tells."""
    rng = np.random.default_rng(8)
    pool = hard(name)
    seen = {"passed": 0, "refused": 0}
    for k in range(in_memory):
        statement = pool[k % len(pool)]
        clauses, x = certificate.formula(statement.puzzle, statement.answers)
        flat, top = checker.formula(clauses), certificate.variables(clauses, x)
        lines = corrupted(read(statement.proof), top, rng)
        text = write(lines)
        try:
            checker.check(flat, checker.parse(text, top))
            passed = True
        except checker.ProofError:
            passed = False
        seen["passed" if passed else "refused"] += 1
        # That it refuses no proof is asked less often: the slow checker takes its time.
        if passed or k % 10 == 0:
            assert (first_bad_line(clauses, lines) is None) == passed, (statement.puzzle, text)
        if k < in_folders:
            forge(tmp_path / "it", statement.puzzle, statement.answers, text)
            if passed:
                assert certificate.verify(tmp_path / "it").status == Status.UNIQUE
            else:
                refused(tmp_path / "it", r"proof\.drup, (line \d+: |no line is the empty clause)")
    assert min(seen.values()) > (in_memory // 20 if is_hard(name) else 0), seen


@pytest.mark.parametrize("name", NAMES)
def test_corrupted_proofs(name: str, tmp_path: Path) -> None:
    corrupt(name, tmp_path, 300, 40)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_more_corrupted_proofs(name: str, tmp_path: Path) -> None:
    corrupt(name, tmp_path, 3000, 300)


@pytest.mark.parametrize("name", NAMES)
def test_proofs_that_are_not_drup(name: str, tmp_path: Path) -> None:
    statement = example(name, Status.UNIQUE)
    for text in ("", "0", " 0\n", "0 \n", "0\n\n", "c proof\n0\n", "1 0 0\n", "a\x01\x00", "0\r\n"):
        forge(tmp_path / "it", statement.puzzle, statement.answers, text)
        refused(tmp_path / "it", r"proof\.drup, line \d: ")
