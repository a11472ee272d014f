"""The ledger: every claim has a verdict, and a claim that is not met is seen."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from genres import SHARED

from hashigo.counting.sample import generator, sample
from hashigo.models.tilepaint import Tilepaint
from hashigo.scripts import claim as claims
from hashigo.scripts import ledger, making, measures
from hashigo.scripts.claim import Claim, Effort, evaluate, load
from hashigo.scripts.claims import tilepaint
from hashigo.scripts.store import Store
from hashigo.scripts.summary import Share

ROOT = Path(__file__).parents[1]
TINY = Effort(boards=0.05, quick=True)
QUICK = (
    "kropki-ablation-flat",
    "kropki-engines",
    "kropki-hidden-edges",
    "tilepaint-engines",
    "tilepaint-granularity",
    "tilepaint-slices-222",
    "tilepaint-information",
    "nawabari-alphabet",
    "nawabari-engines",
    "kropki-probe-iff-unique",
    "nawabari-rectangle-dissections-rows",
    "nawabari-sampler",
)


def one(name: str) -> Claim:
    (found,) = load([name])
    return found


@pytest.mark.parametrize("name", QUICK)
def test_claims_are_met(name: str, tmp_path: Path) -> None:
    with Store(tmp_path / "x.duckdb") as store:
        lines = evaluate(one(name), store, TINY)
        assert lines
        for line in lines:
            untested = line.theirs == "0 of 0" or line.ours == str(Share(0, 0))
            allowed = ("open",) if untested else ("exact", "holds", "compatible")
            assert line.verdict in allowed, line
        assert evaluate(one(name), store, TINY) == lines  # looked up


@pytest.mark.long
def test_every_claim_has_a_verdict(tmp_path: Path) -> None:
    with Store(tmp_path / "x.duckdb") as store:
        for claim in load():
            lines = evaluate(claim, store, TINY)
            assert lines and all(line.verdict for line in lines)
            if claim.kind in ("exact", "theorem"):
                assert claims.BAD not in {line.verdict for line in lines}, claim.id


def test_a_false_claim_fails(tmp_path: Path) -> None:
    """A theorem that does not hold, an exact figure that is off, a share that is far away."""
    theorem = one("kropki-ablation-flat")
    wrong = replace(theorem, ours={**theorem.ours, "holds": "NOT up_to_probe"})
    exact = one("nawabari-alphabet")
    rows = [[4, 37, 1, 1, 1], *exact.data["rows"][1:]]
    off = replace(exact, data={**exact.data, "rows": rows})
    table = one("kropki-hidden-edges")
    far = replace(
        table,
        data={**table.data, "rows": [[0.75, 100.0, 3.0, 132, 194]], "boards": 10_000},
    )
    with Store(tmp_path / "x.duckdb") as store:
        assert evaluate(wrong, store, TINY)[0].verdict == claims.BAD
        verdicts = [line.verdict for line in evaluate(off, store, TINY)]
        assert verdicts == [claims.BAD, "exact", "exact", "exact", "exact"]
        probe, unique, _ = evaluate(far, store, TINY)
        assert probe.verdict.startswith("differs")
        assert unique.verdict == "compatible"


def test_what_cannot_be_told_is_not_met(tmp_path: Path) -> None:
    """A condition without a value is an exception; a share of no boards is open."""
    theorem = one("kropki-ablation-flat")
    untold = replace(theorem, ours={**theorem.ours, "holds": "NULL OR NOT up_to_probe"})
    table = one("kropki-hidden-edges")
    parts = {"explained": {**table.ours["parts"]["explained"], "of": "false"}}
    nobody = replace(table, ours={**table.ours, "parts": parts})
    with Store(tmp_path / "x.duckdb") as store:
        assert evaluate(untold, store, TINY)[0].verdict == claims.BAD
        verdicts = {x.verdict for x in evaluate(nobody, store, TINY) if "explained" in x.what}
        assert verdicts == {"open"}


def test_a_limit_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches of a search cut short are a lower bound."""
    monkeypatch.setattr(measures, "_BRANCHES", 10)
    with Store(tmp_path / "x.duckdb") as store:
        lines = evaluate(one("nawabari-branches"), store, TINY)
    count = {line.what: line.ours for line in lines if "count" in line.what}
    assert count == {
        f"up_to count: {key}": ">=10" for key in ("median_6", "median_8", "worst_6", "worst_8")
    }
    assert {line.ours for line in lines if "room: worst_6" in line.what} == {"0"}


@pytest.mark.parametrize(
    ("values", "median", "most"),
    [
        ((1, 2, 3), "2", "3"),
        ((1, 2, 10), "2", ">=10"),  # the middle one is known
        ((1, 2, 10, 10), ">=6", ">=10"),  # one of the two in the middle is not
        ((10, 10), ">=10", ">=10"),
    ],
)
def test_which_figures_a_limit_makes_lower_bounds(
    values: tuple[int, ...], median: str, most: str, tmp_path: Path
) -> None:
    with Store(tmp_path / "x.duckdb") as store:
        store.query("CREATE TABLE boards (x INTEGER)")
        for value in values:
            store.query("INSERT INTO boards VALUES (?)", [value])
        own = "(SELECT * FROM boards) WHERE true"
        got = [
            str(claims._mean(store, own, aggregate, "x", "true", "x = 10"))
            for aggregate in ("median", "max")
        ]
    assert got == [median, most]


def test_a_table_of_changes(tmp_path: Path) -> None:
    """Theirs as published, also from the sentence; ours summed over the boards."""
    claim = one("nawabari-move-one-number")
    with Store(tmp_path / "x.duckdb") as store:
        *lines, kept = evaluate(claim, store, TINY)
        hits, tried = store.query(
            "SELECT sum(move_same_number_one), sum(move_same_number_tried) FROM boards"
        )[0]
        lies = [{"then": "move_all_one = 0", "theorem": True}]
        false = replace(claim, ours={**claim.ours, "holds": lies})
        assert evaluate(false, store, TINY)[-1].verdict == claims.BAD
    assert {line.verdict for line in lines} == {"bank"} and len(lines) == 7
    assert (lines[0].what, lines[0].theirs) == ("landing_seat strip end: unique", "174 of 337")
    assert (lines[-1].what, lines[-1].theirs) == ("landing_seat same number: unique", "679 of 1360")
    assert lines[-1].ours.startswith(f"{100 * hits / tried:.1f} [")
    assert (kept.verdict, kept.ours) == ("holds", "4 boards, 0 exceptions")


def test_shares_of_what_is_on_the_boards(tmp_path: Path) -> None:
    """A share far from theirs is seen; one board tells nothing of how much they vary."""
    claim = one("kropki-silence")
    rows = [[4, 33.7, 33.0, 33.3, 100.0, 82.5]]
    far = [[4, 83.7, 33.0, 33.3, 100.0, 82.5]]
    with Store(tmp_path / "x.duckdb") as store:
        for table, wanted in ((rows, "compatible"), (far, "differs")):
            told = evaluate(replace(claim, data={**claim.data, "rows": table}), store, TINY)
            white = next(line for line in told if line.what.endswith("white"))
            assert white.verdict.startswith(wanted)
        alone = evaluate(replace(claim, data={**claim.data, "rows": far}), store, Effort(0.004))
        assert [line.verdict for line in alone if line.what.endswith("white")] == ["open"]


def test_a_theorem_says_where_it_applies(tmp_path: Path) -> None:
    """On boards with the premise alone; without any, nothing was seen of it."""
    claim = one("kropki-ablation-flat")

    def told(given: str, then: str) -> tuple[str, str, str]:
        said = [{"given": given, "then": then, "stops": True}]
        (line,) = evaluate(replace(claim, ours={**claim.ours, "holds": said}), store, TINY)
        return line.what, line.ours, line.verdict

    with Store(tmp_path / "x.duckdb") as store:
        whole = "3 of 30 boards, {} exceptions; one would stop the run"
        assert told("board = 3", "board < 4") == (
            "board = 3 => board < 4", whole.format(0), "holds",
        )  # fmt: skip
        assert told("board = 3", "board < 3")[1:] == (whole.format(3), claims.BAD)
        assert told("board = 3", "NULL")[1:] == (whole.format(3), claims.BAD)
        nobody = "0 of 30 boards, 0 exceptions; one would stop the run"
        assert told("false", "false")[1:] == (nobody, "open")
        assert told("NULL", "true")[2] == "holds"
        assert told("NULL", "false")[2] == claims.BAD


def test_paintings_are_not_held_against_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A miscount that makes the numbers and judges them alike is seen."""
    counted = Tilepaint._counted
    monkeypatch.setattr(
        Tilepaint,
        "_counted",
        lambda board: ((where, clue, cells[1:]) for where, clue, cells in counted(board)),
    )
    name = "tilepaint-generator"
    (line,) = tilepaint.CHECKS[name](one(name), TINY)
    assert line.verdict == claims.BAD


def test_an_exception_to_what_was_measured_is_no_fault(tmp_path: Path) -> None:
    """A claim of the kind `statistical` may be said of every board; only a theorem fails."""
    measured = one("kropki-probe-iff-unique")
    assert measured.kind == "statistical"
    ours = {"experiment": "kropki-hidden-edges", "holds": "NOT up_to_probe"}
    with Store(tmp_path / "x.duckdb") as store:
        assert evaluate(replace(measured, ours=ours), store, TINY)[0].verdict == "differs"


def test_claims_of_our_own(tmp_path: Path) -> None:
    """Measured shares, and a conjecture that holds on the boards tried; few in a quick run."""
    with Store(tmp_path / "x.duckdb") as store:
        lines = evaluate(one("own-tilepaint-gap"), store, Effort(boards=0.1, quick=True))
        assert {line.verdict for line in lines} == {"measured"}
        assert all(line.theirs == "" for line in lines)
        assert "of 4:" in lines[0].ours
        lines = evaluate(one("own-kropki-probe-iff-unique"), store, TINY)
        assert [line.verdict for line in lines] == ["measured", "holds"] * 6
        assert lines[1].ours == "50 boards, 0 exceptions"


def test_a_conjecture_that_a_board_breaks_is_refuted(tmp_path: Path) -> None:
    """It is no fault; the boards are named so that they can be drawn again."""
    guess = one("own-kropki-probe-iff-unique")
    false = replace(guess, ours={"experiment": "kropki-gap", "holds": "NOT gap_unique OR rows < 7"})
    with Store(tmp_path / "x.duckdb") as store:
        lines = evaluate(false, store, TINY)
    assert {line.verdict for line in lines[:3]} == {"holds"}
    assert claims.BAD not in {line.verdict for line in lines}
    broken = [line for line in lines if line.what == "9x9: exception"]
    assert len(broken) == 5 and {line.verdict for line in broken} == {"refuted"}
    for line in broken:
        seed, index = (int(part.split()[1]) for part in line.ours.split(", ")[1:])
        drawn = sample("kropki", 9, 9, {"convention": "black"}).draw(generator(seed, index))
        assert making.to_two(drawn.puzzle).answers == (drawn.answer,)


def test_a_share_of_no_boards_is_open(tmp_path: Path) -> None:
    claim = one("own-tilepaint-gap")
    nobody = replace(claim, ours={**claim.ours, "shares": {"x": "gap_complete OF false"}})
    with Store(tmp_path / "x.duckdb") as store:
        assert [line.verdict for line in evaluate(nobody, store, TINY)] == ["open", "open"]


def test_places_of_a_text_are_filled_and_the_rest_is_kept() -> None:
    """Each with the table of its claim, without a column that is empty; again with the same."""
    lines = [
        claims.Line("a-b", "x | y", "1", "2", "bank"),
        claims.Line("a-b", "z", "", "3", "bank"),
        claims.Line("own", "z", "", "4", "measured"),
    ]
    text = "One.\n\n<!-- ledger: {} -->\nold\n<!-- end -->\n\nTwo.\n"
    found = ledger.fill(text.format("a-b"), lines)
    assert found.startswith("One.\n") and found.endswith("\n\nTwo.\n") and "old" not in found
    assert "| figure | theirs | ours | verdict |" in found and "| x \\| y | 1 | 2 | bank |" in found
    assert ledger.fill(found, lines) == found
    assert "theirs" not in ledger.fill(text.format("own"), lines)
    assert ledger.fill(text.format("other"), lines) == text.format("other")


def test_tables_in_the_docs_are_those_of_the_ledger() -> None:
    """Every table that rests on it has the figures of docs/ledger.md."""
    whole = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
    rows = [line for line in whole.splitlines() if line.startswith("| ")][2:]
    lines = [
        claims.Line(*(cell.replace("\\|", "|") for cell in re.split(r" (?<!\\)\| ", row[2:-2])))
        for row in rows
    ]
    assert ledger.table(lines) == whole
    assert {line.claim for line in lines} == {claim.id for claim in load()}
    for page in ("README.md", "docs/findings.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "<!-- ledger: " in text and ledger.fill(text, lines) == text


def test_the_published_fields_are_copied_whole() -> None:
    import tomllib

    for path in (SHARED / "claims").glob("*.toml"):
        published = tomllib.loads(path.read_text())
        own = {
            claim.id: claim.data
            for claim in load()
            if claim.genre == published["genre"] and claim.source != claims.OURS
        }
        assert len(own) == len(published["claim"])
        for fields in published["claim"]:
            extra = set(own[fields["id"]]) - set(fields)
            assert extra <= {"series"}
            assert {k: v for k, v in own[fields["id"]].items() if k in fields} == fields
