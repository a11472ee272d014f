"""The ledger: every claim has a verdict, and a claim that is not met is seen."""

from dataclasses import replace
from pathlib import Path

import pytest
from genres import SHARED

from hashigo.models.tilepaint import Tilepaint
from hashigo.scripts import claim as claims
from hashigo.scripts import making
from hashigo.scripts.claim import Claim, Effort, evaluate, load
from hashigo.scripts.claims import nawabari, tilepaint
from hashigo.scripts.store import Store
from hashigo.scripts.summary import Share

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


def test_a_limit_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search cut short says nothing of uniqueness, and its branches are a lower bound."""
    drawn = making.make(making.Wish("nawabari", 6, 6, seed=63), 0).drawn
    assert drawn is not None
    monkeypatch.setattr(nawabari, "_NODES", 0)
    assert nawabari._unique(drawn.puzzle)
    monkeypatch.setattr(nawabari, "_BRANCHES", 10)
    monkeypatch.setattr(nawabari, "_boards", lambda n: [drawn])
    count, *_ = nawabari.branches(one("nawabari-branches"), TINY)
    assert count.ours == "['>=1', '>=1', '>=1', '>=1']"


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


def test_the_published_fields_are_copied_whole() -> None:
    import tomllib

    for path in (SHARED / "claims").glob("*.toml"):
        published = tomllib.loads(path.read_text())
        own = {claim.id: claim.data for claim in load() if claim.genre == published["genre"]}
        assert len(own) == len(published["claim"])
        for fields in published["claim"]:
            extra = set(own[fields["id"]]) - set(fields)
            assert extra <= {"series"}
            assert {k: v for k, v in own[fields["id"]].items() if k in fields} == fields
