"""`hashigo bank`: the shipped boards, listed, shown, and made again."""

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models import bank, codec
from hashigo.scripts import options, show, workers

if TYPE_CHECKING:
    from hashigo.scripts.making import Made, Wish


def command(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A board, or the beginning of such names.")
    ] = "",
    make: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw the banks again, into this folder.")
    ] = None,
    genre: Annotated[str | None, typer.Option(help="With --make: this genre alone.")] = None,
    jobs: options.Jobs = 1,
    as_json: options.AsJson = False,
) -> None:
    """List the shipped boards, or show one of them.

    Every command takes a board by its name: `hashigo check bank:GENRE/SIZE/GRADE/NUMBER`.

    Exit code 0, or 2 for a name that is not there.
    """
    if make is not None:
        _make(make, genre, jobs)
        return
    found = bank.find(name)
    if as_json:
        for entry in found:
            print(entry.line)
    elif len(found) == 1:
        _show(found[0])
    else:
        _list(found)


def _list(found: list[bank.Entry]) -> None:
    table = show.table("boards", "size", "grade", "number")
    groups = Counter(entry.name.rpartition("/")[0] for entry in found)
    for group, number in groups.items():
        _, size, grade = group.split("/")
        table.add_row(f"{bank.PREFIX}{group}/1..{number}", size, grade, str(number))
    show.console().print(table)


def _show(entry: bank.Entry) -> None:
    puzzle, filling = codec.from_json(entry.data)
    print(f"{bank.PREFIX}{entry.name}\n")
    print(show.side_by_side([puzzle.draw(), puzzle.draw(filling)]))
    print(f"\ngrade: {entry.data['grade'] or bank.UNGRADED}")
    settled = ", ".join(f"{rung} {100 * v:.1f}%" for rung, v in entry.data["settled"].items())
    print(f"settled: {settled}")
    print(f"try: hashigo check {bank.PREFIX}{entry.name}")


def _make(folder: Path, genre: str | None, jobs: int) -> None:
    """Draw every group of the plan."""
    plan = tomllib.loads((bank.FOLDER / "plan.toml").read_text(encoding="utf-8"))
    groups = [group for group in plan["group"] if genre in (None, group["genre"])]
    lines: dict[str, list[str]] = {}
    numbers: Counter[str] = Counter()
    for group in groups:
        seen: set[str] = set()
        for grade in group.get("grades", [None]):
            for data in _group(group, grade, seen, jobs):
                prefix = f"{group['genre']}/{group['size']}/{data['grade'] or bank.UNGRADED}"
                numbers[prefix] += 1
                named = {"name": f"{prefix}/{numbers[prefix]}"} | data
                lines.setdefault(group["genre"], []).append(json.dumps(named, ensure_ascii=False))
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in lines.items():
        (folder / f"{name}.jsonl").write_text("\n".join([*texts, ""]), encoding="utf-8")


def _group(
    group: dict[str, Any], grade: str | None, seen: set[str], jobs: int
) -> Iterator[dict[str, Any]]:
    """As many boards as wanted, none a symmetry of another."""
    from hashigo.scripts.making import Wish

    size, wanted = group["size"], group["number"]
    dials = group.get("dials", {})
    wish = Wish(group["genre"], size, size, grade, group["seed"], for_puzz_link=True, dials=dials)
    total = wanted
    found = first = 0
    while found < wanted:
        tasks = ((wish, index) for index in range(first, first + total))
        with workers.spread(_entry, tasks, jobs) as made:
            for each in show.progress(made, total):
                if each is not None and each[0] not in seen and found < wanted:
                    seen.add(each[0])
                    found += 1
                    yield each[1]
        first += total
        total = wanted - found


def _entry(wish: "Wish", index: int) -> tuple[str, dict[str, Any]] | None:
    """The canonical text of a board, and its fields; None where none was made."""
    from hashigo.counting.proof import prove
    from hashigo.models.verdict import Budget
    from hashigo.scripts import generate, making

    made: Made = making.make(wish, index)
    if made.drawn is None:
        return None
    puzzle = made.drawn.puzzle
    settled = making.grades(puzzle)[1]
    proof = prove(puzzle, Budget()).proof
    data = generate.data(made, wish) | {
        "settled": {rung: round(share, 4) for rung, share in settled.items()},
        "certificate": hashlib.sha256(proof.encode()).hexdigest(),
    }
    return bank.canonical(puzzle), data
