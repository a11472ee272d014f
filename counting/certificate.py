"""Certificates: a folder that proves how many answers a puzzle has, to somebody who trusts nobody.

    puzzle.txt      the puzzle, in its text form
    formula.cnf     its CNF; where one answer is claimed, the last clause forbids that answer
    answers.json    no answer (NONE), one (UNIQUE) or two (MULTIPLE)
    proof.drup      a DRUP proof that the formula has no model; not there for MULTIPLE
    manifest.json   the statement, who made it, the SHA-256 of each file and of the manifest itself

`verify` takes the word of no solver. It makes the formula anew from the puzzle, judges the answers
by the rules, and checks the proof with counting/checker.py.
"""

import json
import os
import shutil
import uuid
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from hashigo.counting import checker
from hashigo.models.cnf import Encoding, Literals, dimacs
from hashigo.models.codec import read, text
from hashigo.models.puzzle import Answer, Clause, Json, Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Status

FORMAT = "hashigo certificate 1"
PUZZLE, FORMULA, ANSWERS, PROOF = "puzzle.txt", "formula.cnf", "answers.json", "proof.drup"
MANIFEST = "manifest.json"
_LARGEST = 1 << 28  # bytes of one file
_STATUS = (Status.NONE, Status.UNIQUE, Status.MULTIPLE)  # by the number of answers


class CertificateError(PuzzleError):
    """A certificate that proves nothing, or a folder that none can be written to."""


class NotACertificate(PuzzleError):
    """A folder that is no certificate at all."""


@dataclass(frozen=True)
class Statement:
    """What a certificate says, and its proof.

    `answers` are all answers of the puzzle if there are fewer than two; else two of them, in
    ascending order. `made` is plain data about the making; nothing rests on it.
    """

    puzzle: Puzzle
    answers: tuple[Answer, ...]
    proof: str = ""
    made: Mapping[str, Json] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """NONE, UNIQUE or MULTIPLE."""
        return _STATUS[len(self.answers)]


def formula(puzzle: Puzzle, answers: Sequence[Answer]) -> tuple[list[Clause], Literals]:
    """The clauses that have no model if these are all answers, and the literals they are made of.

    Helpers are numbered as they are first met, so the encoding is one of its own: that of
    `models.cnf.encoding` depends on the boards that were there before.
    """
    form = Encoding(puzzle, strong=False)
    clauses = form.clauses(puzzle)
    # Of two answers there is nothing to prove but that they are answers.
    return clauses + [form.x.block(answer) for answer in answers if len(answers) < 2], form.x


def variables(clauses: Sequence[Clause], x: Literals) -> int:
    """The number of variables that the DIMACS header names."""
    return max(len(x.decisions), max((abs(lit) for c in clauses for lit in c), default=0))


# Writing


def write(statement: Statement, folder: Path, replace: bool = False) -> None:
    """Write a certificate: all of it or nothing.

    Raises:
        CertificateError: the folder is not free, it cannot be written, or the statement does not
            hold.
    """
    folder = folder.resolve()
    require_free(folder, replace)
    files = _files(statement)
    files[MANIFEST] = _manifest(statement, files)
    fresh = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    old = fresh.with_name(fresh.name + ".old")
    try:
        fresh.mkdir()
        for name, content in files.items():
            (fresh / name).write_bytes(content.encode())
        verify(fresh)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    except OSError as error:
        raise CertificateError(f"{folder} cannot be written: {error.strerror}") from None
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)


def require_free(folder: Path, replace: bool = False) -> None:
    """Refuse a folder that `write` would not write to.

    Raises:
        CertificateError: it has something in it, or with `replace` other than a certificate.
    """
    try:
        names = {entry.name for entry in os.scandir(folder)}
    except FileNotFoundError:
        return
    except OSError as error:
        raise CertificateError(f"{folder} cannot be written: {error.strerror}") from None
    if names and not replace:
        raise CertificateError(f"{folder} is not empty; expected a new or an empty folder")
    if names and not (MANIFEST in names and names <= {PUZZLE, FORMULA, ANSWERS, PROOF, MANIFEST}):
        raise CertificateError(f"{folder} is not a certificate, and is not replaced by one")


def _files(statement: Statement) -> dict[str, str]:
    """The files of a certificate other than the manifest."""
    clauses, x = formula(statement.puzzle, statement.answers)
    files = {
        PUZZLE: text(statement.puzzle),
        FORMULA: dimacs(statement.puzzle, clauses, x),
        ANSWERS: _answers_text(statement.puzzle, statement.answers),
    }
    return files if statement.status == Status.MULTIPLE else files | {PROOF: statement.proof}


def _answers_text(puzzle: Puzzle, answers: Sequence[Answer]) -> str:
    """Each answer as values in the order of the decision variables, and as it looks."""
    listed = [{"values": a, "board": puzzle.filling_json(puzzle.fill(a))} for a in answers]
    return _dump({"answers": listed})


def _manifest(statement: Statement, files: Mapping[str, str]) -> str:
    data = {
        "format": FORMAT,
        "genre": statement.puzzle.name,
        "status": statement.status,
        "made": dict(statement.made),
        "files": {name: _hash(content) for name, content in files.items()},
    }
    return _dump(data | {"manifest": _hash(_dump(data))})


def _dump(data: Json) -> str:
    """The one way in which data is written here, so that no byte is free."""
    return json.dumps(data, indent=1) + "\n"


def _hash(content: str) -> str:
    return sha256(content.encode()).hexdigest()


# Verifying


def verify(folder: Path) -> Statement:
    """Check a certificate in all its parts; gives the statement that it proves.

    Raises:
        NotACertificate: there is no such folder, or it has no manifest.
        CertificateError: something in it is not as it should be.
    """
    content = _read_folder(folder)
    manifest = _read_manifest(content)
    hashes = manifest["files"]
    changed = [name for name in hashes if hashes[name] != _hash(content[name])]
    alarm = f"{', '.join(changed)}: not the file whose hash is in {MANIFEST}"
    try:
        statement = _check(content, manifest)
    except CertificateError as error:
        # What is wrong with a changed file helps more than that it is changed.
        raise CertificateError(f"{alarm}; {error}" if changed else str(error)) from None
    if changed:
        raise CertificateError(alarm)
    return statement


def _check(content: Mapping[str, str], manifest: Mapping[str, Json]) -> Statement:
    """The statement of these files, if they prove it."""
    puzzle = _read_puzzle(content[PUZZLE])
    answers = _read_answers(puzzle, content[ANSWERS])
    statement = Statement(puzzle, answers, content.get(PROOF, ""), manifest["made"])
    if manifest["genre"] != puzzle.name or manifest["status"] != statement.status:
        raise CertificateError(
            f"{MANIFEST}: {manifest['status']!r} for a puzzle of {manifest['genre']!r}; the files "
            f"claim {str(statement.status)!r} for one of {puzzle.name!r}"
        )
    if (PROOF in content) != (statement.status != Status.MULTIPLE):
        raise CertificateError(f"{PROOF}: expected for NONE and UNIQUE, and not for MULTIPLE")
    clauses, x = formula(puzzle, answers)
    _require_same(FORMULA, content[FORMULA], dimacs(puzzle, clauses, x), "the puzzle and answer")
    if statement.status != Status.MULTIPLE:
        try:
            lines = checker.parse(statement.proof, variables(clauses, x))
            checker.check(checker.formula(clauses), lines)
        except checker.ProofError as error:
            raise CertificateError(f"{PROOF}, {error}") from None
    return statement


def _read_folder(folder: Path) -> dict[str, str]:
    """The content of each file."""
    if not (folder / MANIFEST).is_file():
        raise NotACertificate(f"{folder} is not a certificate: it has no {MANIFEST}")
    content = {}
    try:
        for path in sorted(folder.iterdir()):
            if not path.is_file() or path.stat().st_size > _LARGEST:
                raise CertificateError(f"{path.name!r}: not a file of at most {_LARGEST:,} bytes")
            content[path.name] = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise CertificateError(f"{path.name!r}: cannot be read as text") from None
    return content


def _read_manifest(content: Mapping[str, str]) -> dict[str, Json]:
    """The manifest, held to itself and to the names of the files."""
    manifest = _read_json(MANIFEST, content[MANIFEST])
    seal = manifest.pop("manifest", None)
    if seal != _hash(_dump(manifest)):
        raise CertificateError(f"{MANIFEST}: its own hash is not right")
    if manifest.get("format") != FORMAT:
        raise CertificateError(f"{MANIFEST}: expected the format {FORMAT!r}")
    if set(manifest) != {"format", "genre", "status", "made", "files"}:
        raise CertificateError(f"{MANIFEST}: entries {sorted(manifest)} are not those expected")
    hashes = manifest["files"]
    if not isinstance(hashes, dict) or not isinstance(manifest["made"], dict):
        raise CertificateError(f"{MANIFEST}: expected 'files' and 'made' to be objects")
    for name in {PUZZLE, FORMULA, ANSWERS} - set(hashes):
        raise CertificateError(f"{MANIFEST}: does not list {name}")
    for name in sorted(set(content) ^ {*hashes, MANIFEST}):
        where = "in the folder but not" if name in content else "not in the folder, but"
        raise CertificateError(f"{name!r}: {where} in {MANIFEST}")
    for name in hashes:
        if name not in (PUZZLE, FORMULA, ANSWERS, PROOF):
            raise CertificateError(f"{name!r}: no part of a certificate")
    return manifest


def _read_json(name: str, content: str) -> dict[str, Json]:
    """A JSON object that is written just as `_dump` writes it."""
    try:
        data = json.loads(content)
        same = _dump(data) == content
    except (ValueError, RecursionError):
        raise CertificateError(f"{name}: not JSON") from None
    if not isinstance(data, dict) or not same:
        raise CertificateError(f"{name}: not a JSON object as certificates have it")
    return data


def _read_puzzle(content: str) -> Puzzle:
    with warnings.catch_warnings():
        # What is read with a warning is not the text form, and refused below.
        warnings.simplefilter("ignore")
        try:
            puzzle = read(content).puzzle
        except PuzzleError as error:
            raise CertificateError(f"{PUZZLE}: {error}") from None
    _require_same(PUZZLE, content, text(puzzle), "the text form of the puzzle")
    return puzzle


def _read_answers(puzzle: Puzzle, content: str) -> tuple[Answer, ...]:
    """The answers, which the rules must accept."""
    entries = _read_json(ANSWERS, content).get("answers")
    if not isinstance(entries, list) or len(entries) > 2:
        raise CertificateError(f"{ANSWERS}: expected a list of at most two answers")
    answers = []
    for entry in entries:
        values = entry.get("values") if isinstance(entry, dict) else None
        size = len(puzzle.domains())
        if not isinstance(values, list) or [type(v) for v in values] != [int] * size:
            raise CertificateError(f"{ANSWERS}: expected 'values' to be {size} numbers")
        answer = tuple(values)
        if not puzzle.accepts(answer):
            raise CertificateError(f"{ANSWERS}: an answer breaks the rules of the puzzle")
        answers.append(answer)
    if answers != sorted(set(answers)):
        raise CertificateError(f"{ANSWERS}: expected two different answers, in order")
    _require_same(ANSWERS, content, _answers_text(puzzle, answers), "the values")
    return tuple(answers)


def _require_same(name: str, content: str, expected: str, source: str) -> None:
    if content == expected:
        return
    there, wanted = content.split("\n"), expected.split("\n")
    k = next((k for k, pair in enumerate(zip(there, wanted, strict=False)) if pair[0] != pair[1]),
             min(len(there), len(wanted)))  # fmt: skip
    raise CertificateError(f"{name}, line {k + 1}: not what follows from {source}")
