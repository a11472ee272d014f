"""Published claims: read as data, and held against rows of experiments."""

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from statistics import median
from string import Formatter
from typing import Any

from hashigo.counting.sample import sample
from hashigo.models import bank, codec
from hashigo.models.reading import require
from hashigo.scripts import dial, experiment
from hashigo.scripts.stats import holm, two_shares
from hashigo.scripts.store import Store
from hashigo.scripts.summary import Share

FOLDER = Path(__file__).parent / "claims"
LEVEL = 0.001
TOLERANCE = 0.02  # of a mean
BAD = "FAILS"
_ERRORS = 3.29  # standard errors, at the same level
_TIMES = 10  # theirs, the boards of a shipped experiment


@dataclass(frozen=True)
class Claim:
    """One claim: `data` holds its fields as published, `ours` what is read off our rows."""

    genre: str
    id: str
    kind: str
    data: Mapping[str, Any]
    ours: Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """One figure of a claim."""

    claim: str
    what: str
    theirs: str
    ours: str
    verdict: str

    def data(self) -> dict[str, str]:
        """As plain data."""
        fields = asdict(self)
        del fields["claim"]
        return fields


@dataclass(frozen=True)
class Effort:
    """How much to try: samples as a multiple of theirs; whether to leave long work out."""

    boards: float = float(_TIMES)
    quick: bool = False
    jobs: int = 1

    def scaled(self, theirs: int) -> int:
        """A sample of theirs, as large as ours is to be."""
        return max(1, math.ceil(theirs * self.boards))


Check = Callable[[Claim, Effort], Iterator[Line]]


def load(ids: Sequence[str] = ()) -> list[Claim]:
    """All claims, or those of these ids.

    Raises:
        PuzzleError: there is no such claim.
    """
    claims = []
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for fields in data["claim"]:
            ours = fields.pop("ours", {})
            claims.append(Claim(data["genre"], fields["id"], fields["kind"], fields, ours))
    known = [claim.id for claim in claims]
    for name in ids:
        require(name in known, f"no claim {name!r}; expected some of: {', '.join(known)}")
    return [claim for claim in claims if not ids or claim.id in ids]


def evaluate(claim: Claim, store: Store, effort: Effort) -> list[Line]:
    """Run what the claim needs, or look it up, and judge it."""
    if claim.ours:
        names = claim.ours["experiment"]
        names = [names] if isinstance(names, str) else names
        spans = [_run(name, store, effort) for name in names]
        rows = f"(SELECT * FROM boards WHERE {' OR '.join(spans)})"
        if "holds" in claim.ours:
            return [_theorem(claim, store, rows)]
        return _figures(claim, store, rows)
    checks: dict[str, Check] = import_module(f"hashigo.scripts.claims.{claim.genre}").CHECKS
    if claim.id in checks:
        return list(checks[claim.id](claim, effort))
    if claim.id == f"{claim.genre}-bank":
        return list(_shipped(claim))
    return [Line(claim.id, claim.data["what"][:60], "", "", "open")]


def _shipped(claim: Claim) -> Iterator[Line]:
    """Our bank by sizes: boards, grades, and medians of what stands on them."""
    groups: dict[str, list[bank.Entry]] = {}
    for entry in bank.entries():
        genre, size, _, _ = entry.name.split("/")
        if genre == claim.genre:
            groups.setdefault(size, []).append(entry)
    yield Line(claim.id, "theirs", claim.data["what"], "", "bank")
    for size, group in groups.items():
        grades = Counter(entry.name.split("/")[2] for entry in group)
        found = [codec.from_json(entry.data).puzzle for entry in group]
        source = sample(claim.genre, found[0].rows, found[0].cols)
        clues = median(len(source.removable(puzzle)) for puzzle in found)
        ours = ", ".join(f"{count} {grade}" for grade, count in grades.items())
        ours += f"; removable clues, median {clues:g}" if clues else ""
        yield Line(claim.id, f"size {size}", "", f"{len(group)} boards: {ours}", "bank")


def _run(name: str, store: Store, effort: Effort) -> str:
    """Make sure of the rows of an experiment; gives the condition that picks them."""
    plan = experiment.load(name)
    plan = replace(plan, boards=math.ceil(plan.boards * effort.boards / _TIMES))
    dial.run(plan, store, effort.jobs)
    return f"(experiment = '{name}' AND board < {plan.boards})"


def _theorem(claim: Claim, store: Store, rows: str) -> Line:
    """What is said of every board; a board on which it cannot be told is an exception."""
    holds = claim.ours["holds"]
    exceptions = f"count(*) FILTER (({holds}) IS NOT TRUE)"
    boards, broken = store.query(f"SELECT count(*), {exceptions} FROM {rows}")[0]
    ours = f"{boards:,} boards, {broken:,} exceptions"
    # Of what was only measured, an exception is news and no fault.
    found = BAD if claim.kind == "theorem" else "differs"
    return Line(claim.id, holds, "no exception", ours, found if broken else "holds")


def _figures(claim: Claim, store: Store, rows: str) -> list[Line]:
    """Every figure of a table; the tests are corrected for all of them together."""
    lines: list[Line] = []
    tested: list[tuple[int, float]] = []
    for k, row in enumerate(_table(claim)):
        where = claim.ours.get("where", "true").format(**row)
        own = f"{rows} WHERE {where}"
        for what, theirs, ours, p in _row(claim, row, k, store, own):
            if p is not None:
                tested.append((len(lines), p))
            if claim.kind == "bank":
                verdict = "bank"
            elif isinstance(ours, Mean):
                verdict = "compatible" if ours.near(float(theirs)) else "differs"
            else:
                verdict = "open" if p is None else "compatible"
            lines.append(Line(claim.id, what, theirs, str(ours), verdict))
    corrected = holm([p for _, p in tested])
    for (k, _), p in zip(tested, corrected, strict=True):
        if p < LEVEL:
            lines[k] = replace(lines[k], verdict=f"differs (p = {p:.1g})")
    return lines


def _table(claim: Claim) -> list[dict[str, Any]]:
    data = claim.data
    rows = data.get("rows", [{}])
    if "columns" in data:
        rows = [dict(zip(data["columns"], row, strict=True)) for row in rows]
    whole = {key: data[key] for key in ("n", "gap", "unique") if key in data}
    return [whole | row for row in rows]


@dataclass(frozen=True)
class Mean:
    """A mean or median, and the standard error of the former."""

    value: float
    error: float

    def near(self, other: float) -> bool:
        """Whether it is within the tolerance, as far as its own error lets one say."""
        return abs(self.value - other) <= TOLERANCE * abs(other) + _ERRORS * self.error

    def __str__(self) -> str:
        """The value."""
        return f"{self.value:.4g}"


Figure = tuple[str, str, Share | Mean, float | None]


def _row(claim: Claim, row: dict[str, Any], k: int, store: Store, own: str) -> Iterator[Figure]:
    ours = claim.ours
    given = claim.data.get("boards_per_row")
    boards = given[k] if given else row.get("boards", claim.data.get("boards", 0))
    named = {key for _, key, _, _ in Formatter().parse(ours.get("where", "")) if key}
    name = ", ".join(f"{key} {value}" for key, value in row.items() if key in named)
    for key, text in ours.get("shares", {}).items():
        hits, _, of = text.partition(" OF ")
        share = _share(store, own, hits, of or "true")
        yield _tested(f"{name}: {key}", round(row[key] * boards / 100), boards, share)
    for key, part in ours.get("parts", {}).items():
        share = _share(store, own, part["hits"], part["of"])
        yield _tested(f"{name}: {key}", row[key], row[part["theirs_of"]], share, counts=True)
    if "sums" in ours:
        units = store.query(f"SELECT {ours['units'].format(**row)}")[0][0]
        for key, column in ours["sums"].items():
            condition = f"{own} AND {ours['over']}"
            hits, count = store.query(f"SELECT sum({column}), count(*) FROM {condition}")[0]
            share = Share(int(hits), count * units)
            theirs = boards * units
            yield _tested(f"{name}: {key}", round(row[key] * theirs / 100), theirs, share)
    for key, column in ours.get("medians", {}).items():
        value = store.query(f"SELECT median({column})::DOUBLE FROM {own}")[0][0]
        yield f"{name}: {key}", str(row[key]), Mean(value, 0.0), None
    for key, column in ours.get("means", {}).items():
        sql = f"SELECT avg({column}), stddev_samp({column}) / sqrt(count(*)) FROM {own}"
        value, error = store.query(sql)[0]
        yield f"{name}: {key}", str(row[key]), Mean(value, error or 0.0), None


def _share(store: Store, own: str, hits: str, of: str) -> Share:
    sql = f"SELECT count(*) FILTER (({hits}) AND ({of})), count(*) FILTER ({of}) FROM {own}"
    return Share(*store.query(sql)[0])


def _tested(what: str, hits: int, boards: int, share: Share, counts: bool = False) -> Figure:
    theirs = f"{hits} of {boards}" if counts else f"{100 * hits / boards:.1f}"
    # Where one side has no board, nothing can be tested.
    p = two_shares(hits, boards, share.hits, share.boards) if boards and share.boards else None
    return what, theirs, share, p
