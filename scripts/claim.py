"""Claims: read as data, and held against rows of experiments.

`[claim.ours]` names the experiment, or several, and says what is read off its rows, in SQL. Entries
of a published row are put in for `{column}`. Figures stand under the names of published columns:

    where     which rows of ours belong to a row of theirs
    shares    "CONDITION OF CONDITION": share of the boards; theirs is a percentage of its boards
    parts     the same as `hits` and `of`; theirs is a count, of `theirs_of`
    sums      "NUMBER OF NUMBER": both summed over all boards (those of `over`); theirs a percentage
    totals    the same; theirs is a count, of `theirs_of`
    means, medians, maxima   "NUMBER OF CONDITION"; with `cut`, where the number is a lower bound
    said      further rows of theirs, as a sentence says them
    holds     what is true of each board: a condition, or `then` and what is `given`;
              `stops`: the measure itself ends the run at an exception
    bank      other boards than theirs, whatever the kind of the claim: nothing is tested
    quick     share of the boards that a quick run takes

Of a claim of our own, `shares` and `holds` are said of each setting of its experiments.
"""

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
from hashigo.scripts.experiment import Experiment
from hashigo.scripts.stats import holm, ratio, two_ratios, two_shares
from hashigo.scripts.store import Store
from hashigo.scripts.summary import Share

FOLDER = Path(__file__).parent / "claims"
OURS = "ours"  # the source of claims that nobody has published
LEVEL = 0.001
TOLERANCE = 0.02  # of a mean
BAD = "FAILS"
_ERRORS = 3.29  # standard errors, at the same level
_ROUNDED = 0.0005  # at most, of a share that is published in tenths of a percent
_ENDLESS = 1e300  # in place of a number that is not known to end
_TIMES = 10  # theirs, the boards of a shipped experiment
_NAMED = 5  # exceptions to a conjecture that are shown, of each setting


@dataclass(frozen=True)
class Claim:
    """One claim: `data` holds its fields as published, `ours` what is read off our rows."""

    genre: str
    id: str
    kind: str
    data: Mapping[str, Any]
    ours: Mapping[str, Any]
    source: str


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
            genre = data.get("genre") or fields["genre"]
            ours = fields.pop("ours", {})
            claim = Claim(genre, fields["id"], fields["kind"], fields, ours, data["source"])
            claims.append(claim)
    known = [claim.id for claim in claims]
    for name in ids:
        require(name in known, f"no claim {name!r}; expected some of: {', '.join(known)}")
    return [claim for claim in claims if not ids or claim.id in ids]


def evaluate(claim: Claim, store: Store, effort: Effort) -> list[Line]:
    """Run what the claim needs, or look it up, and judge it."""
    if claim.ours:
        names = claim.ours["experiment"]
        names = [names] if isinstance(names, str) else names
        part = claim.ours.get("quick", 1.0)
        plans = [_run(name, store, effort, part) for name in names]
        if claim.source == OURS:
            return [line for plan in plans for line in _own(claim, plan, store)]
        rows = f"(SELECT * FROM boards WHERE {' OR '.join(map(_span, plans))})"
        return [*_figures(claim, store, rows), *_theorems(claim, store, rows)]
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


def _run(name: str, store: Store, effort: Effort, part: float) -> Experiment:
    """Make sure of the rows of an experiment; gives it with the boards that count."""
    plan = experiment.load(name)
    boards = plan.boards * effort.boards / _TIMES * (part if effort.quick else 1.0)
    plan = replace(plan, boards=math.ceil(boards))
    dial.run(plan, store, effort.jobs)
    return plan


def _span(plan: Experiment) -> str:
    """The condition that picks the rows of an experiment."""
    return f"(experiment = '{plan.name}' AND board < {plan.boards})"


def _own(claim: Claim, plan: Experiment, store: Store) -> Iterator[Line]:
    """What a claim of ours says of each setting, and the boards that break it, by name."""
    for cell in plan.cells():
        where = f"rows = {cell.rows} AND cols = {cell.cols} AND value = '{cell.value}'"
        rows = f"(SELECT * FROM boards WHERE {_span(plan)} AND {where})"
        size = f"{cell.rows}x{cell.cols}"
        name = size if plan.dial == experiment.SIZE else f"{size}, {plan.dial} {cell.value}"
        for key, text in claim.ours.get("shares", {}).items():
            share = _share(store, rows, *_parts(text, {}))
            ours = f"{share.hits:,} of {share.boards:,}: {share}" if share.boards else ""
            verdict = "measured" if share.boards else "open"
            yield Line(claim.id, f"{name}: {key}", "", ours, verdict)
        if "holds" in claim.ours:
            sql = f"SELECT board FROM {rows} WHERE ({claim.ours['holds']}) IS NOT TRUE ORDER BY 1"
            broken = [board for (board,) in store.query(sql)]
            several = "" if len(broken) == 1 else "s"
            ours = f"{plan.boards:,} boards, {len(broken):,} exception{several}"
            verdict = "refuted" if broken else "holds"
            yield Line(claim.id, f"{name}: {claim.ours['holds']}", "", ours, verdict)
            for board in broken[:_NAMED]:
                ours = f"{plan.name}, seed {plan.seed}, index {board}"
                yield Line(claim.id, f"{name}: exception", "", ours, verdict)


def _theorems(claim: Claim, store: Store, rows: str) -> Iterator[Line]:
    """What is said of every board; a board on which it cannot be told is an exception."""
    said = claim.ours.get("holds", [])
    for one in [{"then": said}] if isinstance(said, str) else said:
        given, then = one.get("given", "true"), one["then"]
        applies = f"({given}) IS NOT FALSE"
        boards, applied, broken = store.query(
            f"SELECT count(*), count(*) FILTER ({applies}), "
            f"count(*) FILTER ({applies} AND ({then}) IS NOT TRUE) FROM {rows}"
        )[0]
        what, ours = then, f"{boards:,} boards"
        if "given" in one:
            what, ours = f"{given} => {then}", f"{applied:,} of {ours}"
        ours += f", {broken:,} exceptions"
        if one.get("stops"):
            ours += "; one would stop the run"
        # Of what was only measured, an exception is news and no fault.
        theorem = one.get("theorem", claim.kind == "theorem")
        bad, good = (BAD, "holds") if theorem else ("differs", "compatible")
        verdict = bad if broken else good if applied else "open"
        yield Line(claim.id, what, "no exception", ours, verdict)


def _figures(claim: Claim, store: Store, rows: str) -> list[Line]:
    """Every figure of a table; the tests are corrected for all of them together."""
    lines: list[Line] = []
    tested: list[tuple[int, float]] = []
    bank = claim.kind == "bank" or claim.ours.get("bank", False)
    for k, row in enumerate(_table(claim)):
        own = f"{rows} WHERE {_fill(claim.ours.get('where', 'true'), row)}"
        for what, theirs, ours, p in _row(claim, row, k, store, own):
            if bank:
                verdict = "bank"
            elif isinstance(ours, Mean) and not ours.bound:
                verdict = "compatible" if ours.near(float(theirs)) else "differs"
            else:
                verdict = "open" if p is None else "compatible"
            if p is not None and not bank:
                tested.append((len(lines), p))
            lines.append(Line(claim.id, what, theirs, str(ours), verdict))
    corrected = holm([p for _, p in tested])
    for (k, _), p in zip(tested, corrected, strict=True):
        if p < LEVEL:
            lines[k] = replace(lines[k], verdict=f"differs (p = {p:.1g})")
    return lines


def _table(claim: Claim) -> list[dict[str, Any]]:
    """The rows that are published, and those that a sentence says."""
    data = claim.data
    rows = data.get("rows", [])
    if "columns" in data:
        rows = [dict(zip(data["columns"], row, strict=True)) for row in rows]
    rows = [*rows, *claim.ours.get("said", [])]
    whole = {key: data[key] for key in ("n", "boards", "gap", "unique") if key in data}
    return [whole | row for row in rows or [{}]]


@dataclass(frozen=True)
class Mean:
    """A mean, median or most, and the standard error of a mean; maybe only a lower bound."""

    value: float
    error: float = 0.0
    bound: bool = False

    def near(self, other: float) -> bool:
        """Whether it is within the tolerance, as far as its own error lets one say."""
        return abs(self.value - other) <= TOLERANCE * abs(other) + _ERRORS * self.error

    def __str__(self) -> str:
        """The value."""
        if math.isnan(self.value):
            return ""
        value = f"{self.value:.4g}" if self.value < 1000 else f"{self.value:,.0f}"
        return f">={value}" if self.bound else value


@dataclass(frozen=True)
class Ratio:
    """A share of what is on all boards together, and its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        """In percent, with its 95% interval."""
        ends = (min(1.0, max(0.0, self.value + k * 1.96 * self.error)) for k in (-1, 1))
        low, high = (f"{100 * end:.1f}" for end in ends)
        return f"{100 * self.value:.1f} [{low}, {high}]"


Figure = tuple[str, str, Share | Ratio | Mean, float | None]
_AGGREGATES = {"medians": "median", "means": "avg", "maxima": "max"}


def _row(claim: Claim, row: dict[str, Any], k: int, store: Store, own: str) -> Iterator[Figure]:
    given = claim.data.get("boards_per_row")
    boards = given[k] if given else row.get("boards", 0)
    name = ", ".join(f"{key} {row[key]}" for key in row if key in _named(claim.ours))
    for figures in (_shares, _sums, _aggregates):
        for key, theirs, found, p in figures(claim.ours, row, boards, store, own):
            yield f"{name}: {key}" if name else key, theirs, found, p


def _shares(
    ours: Mapping[str, Any], row: dict[str, Any], boards: int, store: Store, own: str
) -> Iterator[Figure]:
    """Shares of boards."""
    for key, text in ours.get("shares", {}).items():
        share = _share(store, own, *_parts(text, row))
        hits = round(row[key] * boards / 100)
        yield key, str(row[key]), share, _p(hits, boards, share)
    for key, part in ours.get("parts", {}).items():
        share = _share(store, own, _fill(part["hits"], row), _fill(part["of"], row))
        theirs = int(_fill(part["theirs_of"], row))
        yield key, f"{row[key]} of {theirs}", share, _p(row[key], theirs, share)


def _sums(
    ours: Mapping[str, Any], row: dict[str, Any], boards: int, store: Store, own: str
) -> Iterator[Figure]:
    """Shares of what is on the boards."""
    for kind in ("sums", "totals"):
        for key, text in ours.get(kind, {}).items():
            summed, of = _parts(text, row)
            condition = f"{own} AND ({ours.get('over', 'true')})"
            pairs = store.query(f"SELECT ({summed})::DOUBLE, ({of})::DOUBLE FROM {condition}")
            found = Ratio(*ratio(pairs))
            theirs, share, rounded = str(row[key]), row[key] / 100, _ROUNDED
            if kind == "totals":
                whole = int(_fill(ours["theirs_of"], row))
                theirs, share, rounded = f"{row[key]} of {whole}", row[key] / whole, 0.0
            p = None
            if boards and math.isfinite(found.error):
                difference = max(0.0, abs(found.value - share) - rounded)
                p = two_ratios(difference, found.error, len(pairs), boards)
            yield key, theirs, found, p


def _aggregates(
    ours: Mapping[str, Any], row: dict[str, Any], boards: int, store: Store, own: str
) -> Iterator[Figure]:
    """Means, medians and greatest values."""
    cut = _fill(ours.get("cut", "false"), row)
    for kind, aggregate in _AGGREGATES.items():
        for key, text in ours.get(kind, {}).items():
            yield key, str(row[key]), _mean(store, own, aggregate, *_parts(text, row), cut), None


def _named(ours: Mapping[str, Any]) -> set[str]:
    """The entries of a row that say what is read off our rows: its name."""
    texts = [ours.get("where", "")]
    for kind in ("shares", "parts", "sums", "totals", *_AGGREGATES):
        for text in ours.get(kind, {}).values():
            texts += [text] if isinstance(text, str) else [text["hits"], text["of"]]
    return {key for text in texts for _, key, _, _ in Formatter().parse(text) if key}


def _fill(text: str, row: Mapping[str, Any]) -> str:
    """SQL with entries of a row put in, their words joined as in the names of columns."""
    joined = {k: v.replace(" ", "_") if isinstance(v, str) else v for k, v in row.items()}
    return text.format(**joined)


def _parts(text: str, row: Mapping[str, Any]) -> tuple[str, str]:
    """What stands before OF, and after it."""
    first, _, second = _fill(text, row).partition(" OF ")
    return first, second or "true"


def _mean(store: Store, own: str, aggregate: str, column: str, of: str, cut: str) -> Mean:
    """An aggregate; a lower bound where boards that were cut short would change it."""
    endless = f"CASE WHEN {cut} THEN {_ENDLESS}::DOUBLE ELSE {column} END"
    value, whole, error = store.query(
        f"SELECT {aggregate}({column})::DOUBLE, {aggregate}({endless})::DOUBLE, "
        f"stddev_samp({column}) / sqrt(count({column})) FROM {own} AND ({of})"
    )[0]
    if value is None:  # of no board, which says nothing
        return Mean(math.nan, bound=True)
    return Mean(value, (error or 0.0) if aggregate == "avg" else 0.0, whole != value)


def _share(store: Store, own: str, hits: str, of: str) -> Share:
    sql = f"SELECT count(*) FILTER (({hits}) AND ({of})), count(*) FILTER ({of}) FROM {own}"
    return Share(*store.query(sql)[0])


def _p(hits: int, boards: int, share: Share) -> float | None:
    """Of Fisher's test; where one side has no board, nothing can be tested."""
    return two_shares(hits, boards, share.hits, share.boards) if boards and share.boards else None
