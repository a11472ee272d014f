"""What the rows of an experiment say: shares with Wilson intervals, means and medians."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hashigo.scripts import show
from hashigo.scripts.experiment import KEY, ORIGIN, Cell, Column, Experiment
from hashigo.scripts.stats import wilson

if TYPE_CHECKING:
    from hashigo.scripts.store import Store

_SIDE_BY_SIDE = 4  # cells in one table


@dataclass(frozen=True)
class Share:
    """How many of the boards, or of those that have the column, it holds for."""

    hits: int
    boards: int

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.hits / self.boards if self.boards else 0.0

    def __str__(self) -> str:
        """In percent, with its 95% interval."""
        low, high = wilson(self.hits, self.boards)
        return f"{100 * self.share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"

    def data(self) -> dict[str, Any]:
        """As plain data."""
        interval = [round(end, 6) for end in wilson(self.hits, self.boards)]
        return {"hits": self.hits, "boards": self.boards, "interval": interval}


@dataclass(frozen=True)
class Spread:
    """Mean, median, least and most of a number, over the boards that have it."""

    mean: float
    median: float
    least: float
    most: float
    boards: int
    lacking: int  # boards without the number, such as those with too many answers to count
    cut: int = 0  # boards on which the number, among the greatest, is only a lower bound

    def __str__(self) -> str:
        """Mean and median, and of how many boards where some lack the number."""
        over = f", of {self.boards:,} boards" if self.lacking else ""
        low = ">=" if self.cut else ""
        low_median = ">=" if 2 * self.cut >= self.boards else ""
        return f"{low}{self.mean:.4g} (median {low_median}{self.median:.4g}{over})"

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "mean": self.mean, "median": self.median, "least": self.least, "most": self.most,
            "boards": self.boards, "cut": self.cut,
        }  # fmt: skip


@dataclass(frozen=True)
class Summary:
    """One cell of an experiment."""

    cell: Cell
    boards: int
    figures: dict[str, Share | Spread]

    def data(self) -> dict[str, Any]:
        """As plain data."""
        figures = {name: figure.data() for name, figure in self.figures.items()}
        return {**self.cell._asdict(), "boards": self.boards, **figures}


def summary(store: "Store", plan: Experiment) -> list[Summary]:
    """Every cell that has rows."""
    return [found for cell in plan.cells() if (found := _one(store, plan, cell)).boards]


def _one(store: "Store", plan: Experiment, cell: Cell) -> Summary:
    fixed = {column.name for column in (*KEY, *ORIGIN)}
    measured = [column for column in plan.columns() if column.name not in fixed]
    asked = ["count(*)"]
    for name, kind in measured:
        if kind == "BOOLEAN":
            asked += [f"count(*) FILTER ({name})", f"count({name})"]
        elif kind != "VARCHAR":
            asked += [f"{what}({name})::DOUBLE" for what in ("avg", "median", "min", "max")]
            cut = name.replace("_", "_cut_", 1)  # the column that says where it is a lower bound
            cut = cut if Column(cut, "BOOLEAN") in measured else "false"
            asked += [f"count({name})", f"count(*) FILTER ({cut})"]
    where = "experiment = ? AND rows = ? AND cols = ? AND value = ? AND board < ?"
    values = iter(
        store.query(
            f"SELECT {', '.join(asked)} FROM boards WHERE {where}", [plan.name, *cell, plan.boards]
        )[0]
    )
    boards = next(values)
    figures: dict[str, Share | Spread] = {}
    for name, kind in measured:
        if kind == "BOOLEAN":
            figures[name] = Share(next(values), next(values))
        elif kind != "VARCHAR":
            mean, middle, least, most, having, bounds = (next(values) for _ in range(6))
            if having:
                lacking = boards - having
                figures[name] = Spread(mean, middle, least, most, having, lacking, bounds)
    return Summary(cell, boards, figures)


def print_summary(plan: Experiment, cells: list[Summary]) -> None:
    """The figures of each cell side by side, times left out."""
    if plan.title:
        print(plan.title)
    for k in range(0, len(cells), _SIDE_BY_SIDE):
        some = cells[k : k + _SIDE_BY_SIDE]
        table = show.table(f"{plan.genre}, {plan.dial}", *(_name(plan, one.cell) for one in some))
        table.add_row("boards", *(f"{one.boards:,}" for one in some))
        for name in dict.fromkeys(name for one in some for name in one.figures):
            if not name.endswith("seconds"):
                table.add_row(name, *(str(one.figures.get(name, "")) for one in some))
        print()
        show.console().print(table)
    print("\nshares in percent, with 95% Wilson intervals")


def _name(plan: Experiment, cell: Cell) -> str:
    size = f"{cell.rows}x{cell.cols}"
    return size if plan.dial == "size" else f"{size} {cell.value}"
