"""Certificates: what holds verifies, and nothing that was changed does."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import dratify
import numpy as np
import pytest
from genres import NAMES, random_boards
from pysat.formula import CNF
from slow_checker import first_bad_line, read, write
from statements import STATEMENTS, example, files, hard, is_hard, refused, reseal, statements

from hashigo.counting import certificate, proof
from hashigo.counting.brute import Brute
from hashigo.counting.certificate import CertificateError, NotACertificate, Statement
from hashigo.counting.proof import Refutation, prove
from hashigo.models import codec
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget, Status, decide


def test_some_proofs_are_long() -> None:
    assert any(is_hard(name) for name in NAMES)


# What holds


@pytest.mark.parametrize("name", NAMES)
def test_random_boards_are_certified(name: str, tmp_path: Path) -> None:
    """Hundreds of unique ones, and as they come those with none and with several answers."""
    seen = dict.fromkeys(STATEMENTS, 0)
    for board in random_boards(name, 5000, seed=2):
        statement = prove(board, Budget())
        certificate.write(statement, tmp_path / "it", replace=True)
        assert certificate.verify(tmp_path / "it") == statement
        brute = decide(Brute(), board, Budget(2, nodes=100_000))
        assert brute.status in (statement.status, Status.UNKNOWN)
        if statement.status == Status.UNIQUE:
            assert brute.answers in (statement.answers, ())
        seen[statement.status] += 1
        if seen[Status.UNIQUE] == 200:
            break
    assert seen[Status.UNIQUE] == 200
    assert min(seen.values()) > 0


@pytest.mark.parametrize("name", NAMES)
def test_other_programs_read_it(name: str, tmp_path: Path) -> None:
    """The formula is DIMACS, the proof is DRUP for just that file, and another checker agrees."""
    for statement in [*hard(name), *statements(name, 150, 1)[:60]]:
        content = files(statement, tmp_path / "it")
        text = content["formula.cnf"].decode()
        clauses, _ = certificate.formula(statement.puzzle, statement.answers)
        assert CNF(from_string=text).clauses == clauses
        shown = [line for line in text.splitlines() if line.startswith("c p show ")]
        assert len(shown) == 1
        if statement.status == Status.MULTIPLE:
            assert "proof.drup" not in content
            continue
        result = dratify.check_proof(
            dratify.parse_dimacs(text), content["proof.drup"].decode(), engine="python"
        )
        assert result.ok, statement


@pytest.mark.parametrize("name", NAMES)
def test_files_do_not_depend_on_what_was_done_before(name: str, tmp_path: Path) -> None:
    """Neither on other boards nor on how Python hashes strings."""
    statement = hard(name)[0]
    want = files(statement, tmp_path / "it")
    work = (
        "import sys; from pathlib import Path; from hashigo.counting import certificate, proof;"
        "from hashigo.models import codec; from hashigo.models.verdict import Budget;"
        "puzzle = codec.read(sys.stdin.read()).puzzle;"
        "certificate.write(proof.prove(puzzle, Budget()), Path(sys.argv[1]))"
    )
    for seed in ("1", "2"):
        folder = tmp_path / seed
        subprocess.run(
            [sys.executable, "-c", work, str(folder)],
            input=codec.text(statement.puzzle),
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == want


# Changed bytes


def change_bytes(folder: Path, statement: Statement, most: int) -> None:
    """Bytes changed, taken away and put in at up to `most` places of each file."""
    rng = np.random.default_rng(5)
    for file, content in files(statement, folder).items():
        path = folder / file
        for k in range(0, len(content), len(content) // most + 1):
            byte = bytes([content[k] ^ int(rng.integers(1, 256))])
            for changed in (byte, b"", content[k : k + 1] + byte):
                path.write_bytes(content[:k] + changed + content[k + 1 :])
                refused(folder)
        for changed in (b"", content[:-1], content + b"\n", content * 2, b"\xef\xbb\xbf" + content):
            path.write_bytes(changed)
            refused(folder)
        path.write_bytes(content)
        certificate.verify(folder)


@pytest.mark.parametrize("status", STATEMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_any_changed_byte_is_refused(name: str, status: Status, tmp_path: Path) -> None:
    change_bytes(tmp_path / "it", example(name, status), 80)


@pytest.mark.long
@pytest.mark.parametrize("status", STATEMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_changed_byte_is_refused(name: str, status: Status, tmp_path: Path) -> None:
    change_bytes(tmp_path / "it", example(name, status), 10**9)


@pytest.mark.parametrize("status", STATEMENTS)
def test_no_file_more_or_less(status: Status, tmp_path: Path) -> None:
    folder = tmp_path / "it"
    content = files(example(NAMES[0], status), folder)
    for name in content:
        (folder / name).unlink()
        with pytest.raises(NotACertificate if name == "manifest.json" else CertificateError):
            certificate.verify(folder)
        if name != "manifest.json":
            reseal(folder)
            refused(folder)
        (folder / name).mkdir()
        with pytest.raises(NotACertificate if name == "manifest.json" else CertificateError):
            certificate.verify(folder)
        (folder / name).rmdir()
        for kept, whole in content.items():
            (folder / kept).write_bytes(whole)
        certificate.verify(folder)
    for extra in (".hidden", "proof.lrat", "formula.cnf~"):
        (folder / extra).write_text("")
        refused(folder, "not in manifest.json")
        reseal(folder)
        refused(folder, "no part of a certificate")
        (folder / extra).unlink()
        reseal(folder)
        certificate.verify(folder)


@pytest.mark.parametrize("path", [".", "nosuch", "file"])
def test_what_is_no_certificate_at_all(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotACertificate, match=r"is not a certificate: it has no manifest\.json"):
        certificate.verify(tmp_path / path)


@pytest.mark.parametrize("name", NAMES)
def test_one_flipped_literal_is_refused_with_the_line(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "it"
    seen = 0
    for statement in hard(name)[:4]:
        files(statement, folder)
        lines = read(statement.proof)
        for k, (deletes, clause) in enumerate(lines):
            for flip in range(min(3, len(clause))):
                flipped = deletes, tuple(-x if j == flip else x for j, x in enumerate(clause))
                text = write([*lines[:k], flipped, *lines[k + 1 :]])
                (folder / "proof.drup").write_text(text)
                with pytest.raises(CertificateError) as caught:
                    certificate.verify(folder)
                start, _, end = str(caught.value).partition("; ")
                assert start == "proof.drup: not the file whose hash is in manifest.json"
                # Where the flipped line follows as well, there is no line to name.
                assert not end or re.match(r"proof\.drup, line \d+: '(.* )?0' does not follow", end)
                seen += bool(end)
    assert seen > 5 or not is_hard(name)


# Writing


def test_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = example(NAMES[0], Status.UNIQUE)
    other = example(NAMES[0], Status.MULTIPLE)
    folder = tmp_path / "it"
    with pytest.raises(CertificateError, match=r"proof\.drup, "):
        certificate.write(
            replace(statement, proof=statement.proof[: -len("0\n")] or "1 0\n"), folder
        )
    assert not list(tmp_path.iterdir())
    folder.mkdir()
    certificate.write(statement, folder)
    with pytest.raises(CertificateError, match="is not empty"):
        certificate.write(other, folder)
    with pytest.raises(CertificateError, match="answer"):
        certificate.write(replace(other, answers=other.answers[::-1]), folder, replace=True)
    assert certificate.verify(folder) == statement
    certificate.write(other, folder, replace=True)
    assert certificate.verify(folder) == other

    def fail(path: Path, target: Path, done: Any = Path.rename) -> Any:
        if target == folder and not path.name.endswith(".old"):
            raise OSError(28, "No space left on device")
        return done(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(CertificateError, match="cannot be written: No space left on device"):
        certificate.write(statement, folder, replace=True)
    monkeypatch.undo()
    assert certificate.verify(folder) == other
    assert list(tmp_path.iterdir()) == [folder]


def test_only_a_certificate_is_replaced(tmp_path: Path) -> None:
    statement = example(NAMES[0], Status.UNIQUE)
    for names in (["letter"], ["puzzle.txt"], ["manifest.json", "letter"]):
        folder = tmp_path / "-".join(names)
        folder.mkdir()
        for name in names:
            (folder / name).write_text("dear")
        with pytest.raises(CertificateError, match="is not a certificate, and is not replaced"):
            certificate.write(statement, folder, replace=True)
        assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    file = tmp_path / "file"
    file.write_text("dear")
    for place in (file, file / "below", tmp_path / "no" / "such"):
        with pytest.raises(CertificateError, match="cannot be written"):
            certificate.write(statement, place, replace=True)
    assert file.read_text() == "dear"


# Proving


def test_out_of_time() -> None:
    puzzle = example(NAMES[0], Status.UNIQUE).puzzle
    with pytest.raises(OutOfBudget, match="limit of 1e-09 s"):
        prove(puzzle, Budget(seconds=1e-9))
    assert prove(puzzle, Budget(seconds=60)).status == Status.UNIQUE


def test_a_hard_formula_is_given_up_in_time() -> None:
    holes = 12
    at = [[p * holes + h + 1 for h in range(holes)] for p in range(holes + 1)]
    clauses = at + [
        [-at[p][h], -at[q][h]] for h, p in product(range(holes), range(holes + 1)) for q in range(p)
    ]
    budget = Budget(seconds=0.3)
    with pytest.raises(OutOfBudget):
        proof.refute(clauses, holes * (holes + 1), budget)
    assert budget.elapsed() < 3


def test_a_wrong_solver_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
    answers = {"good": ["1 0", "2 0", "0"], "bad": ["0"], "mad": ["3 0", "0"], "mute": []}
    monkeypatch.setattr(proof, "_solve", lambda name, *_: (None, answers[name]))
    good = Refutation("good", "1 0\n0\n", 2, 3)
    assert proof.refute(clauses, 2, Budget(), ("bad", "good", "mad")) == good
    with pytest.raises(EngineFault, match=r"bad: line 1: '0' does not follow.*; mad: line 1: "):
        proof.refute(clauses, 2, Budget(), ("bad", "mad", "mute"))


def test_wrong_answers_of_a_solver_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = example(NAMES[0], Status.NONE)
    monkeypatch.setattr(proof, "_solve", lambda *_: ([-v for v in range(1, 100)], []))
    with pytest.raises(EngineFault, match="gives an answer that breaks the rules"):
        prove(statement.puzzle, Budget())


def test_long_proofs_are_not_trimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "_TRIM", 3)
    statement = next(statement for name in NAMES if is_hard(name) for statement in hard(name))
    clauses, x = certificate.formula(statement.puzzle, statement.answers)
    whole = proof.refute(clauses, certificate.variables(clauses, x), Budget())
    assert isinstance(whole, Refutation)
    assert whole.lines >= whole.lines_untrimmed > 3
    assert len(whole.text) >= len(statement.proof)
    assert first_bad_line(clauses, read(whole.text)) is None


def test_a_formula_with_the_empty_clause() -> None:
    assert proof.refute([[1], []], 1, Budget()) == Refutation("no solver", "0\n", 1, 1)
