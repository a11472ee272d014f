"""`hashigo report`: each experiment of a file of results as pictures and Markdown."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashigo.models.reading import PuzzleError, require
from hashigo.scripts.extras import extra

if TYPE_CHECKING:
    from hashigo.scripts.experiment import Experiment
    from hashigo.scripts.summary import Summary


def command(
    results: Annotated[Path, typer.Argument(help="A file that `hashigo dial` wrote.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    experiment: Annotated[
        list[str] | None,
        typer.Option(help="A TOML file or shipped name; all shipped ones with rows if not given."),
    ] = None,
    plots: Annotated[bool, typer.Option(help="Draw pictures (extra `plot`).")] = True,
) -> None:
    """Write a table and a picture of each experiment with rows.

    Exit code 0, or 2 where there is nothing to write.
    """
    from hashigo.scripts import experiment as experiments
    from hashigo.scripts.store import Store
    from hashigo.scripts.summary import summary

    to.mkdir(parents=True, exist_ok=True)
    pages = ["# Report", ""]
    with Store(results, read_only=True) as store:
        held = {name for (name,) in store.query("SELECT DISTINCT experiment FROM boards")}
        for name in experiment or [n for n in experiments.shipped() if n in held]:
            plan = experiments.load(name)
            most = store.query(
                "SELECT max(board) FROM boards WHERE experiment = ? AND spec = ?",
                [plan.name, plan.spec()],
            )[0][0]
            if most is None:
                raise PuzzleError(f"{results}: no rows of the experiment {plan.name!r}")
            cells = summary(store, replace(plan, boards=most + 1))
            pages += [*markdown(plan, cells), ""]
            if plots:
                _draw(plan, cells, to / plan.name)
                pages += [f"![{plan.title or plan.name}]({plan.name}.svg)", ""]
    require(len(pages) > 2, f"{results}: no rows of a shipped experiment; name one: --experiment")
    (to / "report.md").write_text("\n".join(pages), encoding="utf-8")


def markdown(plan: "Experiment", cells: "list[Summary]") -> list[str]:
    """The lines of a section with one table: a row for each cell, running times left out."""
    names = dict.fromkeys(n for cell in cells for n in cell.figures if not n.endswith("seconds"))
    head = ["size", *([plan.dial] if plan.dial != "size" else []), "boards", *names]
    lines = [
        f"## {plan.name}",
        "",
        plan.title,
        "",
        f"| {' | '.join(head)} |",
        "|---" * len(head) + "|",
    ]
    for one in cells:
        row = [f"{one.cell.rows}x{one.cell.cols}"]
        row += [one.cell.value] if plan.dial != "size" else []
        row += [f"{one.boards:,}", *(str(one.figures.get(name, "")) for name in names)]
        lines.append(f"| {' | '.join(row)} |")
    return [*lines, "", "Shares in percent, with 95% Wilson intervals."]


def _draw(plan: "Experiment", cells: "list[Summary]", path: Path) -> None:
    """The shares over the dial, with their intervals; for each size a panel."""
    from hashigo.scripts.summary import Share

    plot: Any = extra("matplotlib.figure", "plot", "a picture")
    shares = dict.fromkeys(
        name for cell in cells for name, figure in cell.figures.items() if isinstance(figure, Share)
    )
    panels: dict[str, list[Summary]] = {}
    for one in cells:
        size = f"{one.cell.rows}x{one.cell.cols}"
        panels.setdefault(size if plan.dial != "size" else plan.genre, []).append(one)
    figure = plot.Figure(figsize=(5.5 * len(panels), 4), layout="constrained")
    for k, (title, some) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), k + 1)
        places = range(len(some))
        for name in shares:
            known = [one.figures[name] for one in some]
            points = [100 * x.share for x in known if isinstance(x, Share)]
            ends = [x.data()["interval"] for x in known if isinstance(x, Share)]
            low = [max(0.0, p - 100 * a) for p, (a, _) in zip(points, ends, strict=True)]
            high = [max(0.0, 100 * b - p) for p, (_, b) in zip(points, ends, strict=True)]
            axes.errorbar(places, points, yerr=[low, high], marker="o", capsize=3, label=name)
        axes.set(title=title, xlabel=plan.dial, ylabel="%", ylim=(-2, 102))
        axes.set_xticks(places, [one.cell.value for one in some])
        if shares:
            axes.legend(fontsize="small")
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150)
