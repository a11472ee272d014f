"""Pictures of a board from its marks: plain text, and SVG."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from hashigo.models.puzzle import Filling, Mark, Puzzle

# Box-drawing characters by the wall stubs at a lattice point: up 1, right 2, down 4, left 8.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_BORDER_SIGNS = {"white": "○", "black": "●", "unknown": "?"}
_UNIT = 36  # pixels per cell
_EDGE = 2  # pixels of a wall beyond the frame


def text(puzzle: Puzzle, filling: Filling | None = None) -> str:
    """The board in plain text: cells on every other line, borders and lattice points between."""
    marks = list(puzzle.marks(filling))
    last_y, last_x = 2 * puzzle.rows, 2 * puzzle.cols
    cells = _cells(marks)
    walls = {(m.y, m.x) for m in marks if m.kind == "wall"}
    signs = {(m.y, m.x): _BORDER_SIGNS[m.kind] for m in marks if m.kind in _BORDER_SIGNS}
    # The lines of the frame are left out where nothing stands on them.
    frame = {y for y, _ in (*walls, *signs)} & {0, last_y}
    sides = {x for _, x in (*walls, *signs)} & {0, last_x}
    ys = [y for y in range(-1, last_y + 1) if y % 2 or 0 < y < last_y or y in frame]
    xs = [x for x in range(-1, last_x + 1) if x % 2 or 0 < x < last_x or x in sides]
    width = {x: max(int(x > 0), *(len(cells.get((y, x), "")) for y in ys)) for x in xs if x % 2}
    lines = []
    for y in ys:
        parts = []
        for x in xs:
            if x % 2 and y % 2:
                content = cells.get((y, x), "")
                fill = "█" if content == "█" else " "
                parts.append(fill + content.center(width[x], fill) + fill)
            elif x % 2:
                sign = "─" if (y, x) in walls else " "
                parts.append(signs.get((y, x), "").center(width[x] + 2, sign) if x > 0 else "")
            elif y % 2:
                parts.append("│" if (y, x) in walls else signs.get((y, x), " "))
            else:
                stubs = ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1))
                parts.append(_CORNERS[sum((s in walls) << k for k, s in enumerate(stubs))])
            if x == -1:
                parts[-1] = f"{parts[-1].strip():>{width[-1]}}"
        lines.append("".join(parts).rstrip())
    while lines and not lines[0]:
        lines.pop(0)
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines)


def _cells(marks: Iterable[Mark]) -> dict[tuple[int, int], str]:
    """What to print at each cell or outside clue; a later mark hides an earlier one but a clue."""
    cells: dict[tuple[int, int], str] = {}
    for mark in marks:
        if mark.y % 2 == 0 or mark.x % 2 == 0:
            continue
        if mark.kind == "shade":
            cells.setdefault((mark.y, mark.x), "█")
        elif mark.kind == "open":
            cells.setdefault((mark.y, mark.x), "·")
        else:
            cells[mark.y, mark.x] = mark.text
    return cells


def svg(puzzle: Puzzle, filling: Filling | None = None) -> str:
    """The board as an SVG document."""
    marks = list(puzzle.marks(filling))
    outside = any(m.y < 0 or m.x < 0 for m in marks)
    margin = _UNIT if outside else _EDGE
    height, width = puzzle.rows * _UNIT, puzzle.cols * _UNIT
    box = f"{-margin} {-margin} {width + margin + _EDGE} {height + margin + _EDGE}"
    shapes = [shape for kind in ("shade", "block") for shape in _shapes(marks, kind)]
    shapes += [
        f'<path d="{_grid_path(puzzle)}" stroke="#999" stroke-width="1" fill="none"/>',
        *(shape for kind in ("wall",) for shape in _shapes(marks, kind)),
        *(_shape(m) for m in marks if m.kind not in ("shade", "block", "wall", "open")),
    ]
    title = escape(f"{puzzle.name} {puzzle.rows}x{puzzle.cols}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" '
        f'width="{width + margin + _EDGE}" height="{height + margin + _EDGE}" '
        f'font-family="sans-serif" text-anchor="middle" role="img"><title>{title}</title>'
        f'<rect x="{-margin}" y="{-margin}" width="100%" height="100%" fill="#fff"/>'
        f"{''.join(shapes)}</svg>"
    )


def _grid_path(puzzle: Puzzle) -> str:
    height, width = puzzle.rows * _UNIT, puzzle.cols * _UNIT
    across = (f"M0 {y}H{width}" for y in range(0, height + 1, _UNIT))
    down = (f"M{x} 0V{height}" for x in range(0, width + 1, _UNIT))
    return "".join((*across, *down))


def _shapes(marks: Iterable[Mark], kind: str) -> list[str]:
    return [_shape(mark) for mark in marks if mark.kind == kind]


def _shape(mark: Mark) -> str:
    """One mark as an SVG element."""
    half = _UNIT // 2
    x, y = mark.x * half, mark.y * half
    match mark.kind:
        case "shade" | "block":
            colour = "#888" if mark.kind == "shade" else "#ddd"
            return (
                f'<rect x="{x - half}" y="{y - half}" width="{_UNIT}" height="{_UNIT}" '
                f'fill="{colour}"/>'
            )
        case "wall":
            path = f"M{x - half} {y}h{_UNIT}" if mark.x % 2 else f"M{x} {y - half}v{_UNIT}"
            return f'<path d="{path}" stroke="#000" stroke-width="3" stroke-linecap="square"/>'
        case "white" | "black":
            fill = "#fff" if mark.kind == "white" else "#000"
            return f'<circle cx="{x}" cy="{y}" r="{_UNIT // 7}" fill="{fill}" stroke="#000"/>'
        case "unknown":
            return f'<text x="{x}" y="{y + 4}" font-size="11" fill="#a00">?</text>'
        case "down-right":
            down, right = mark.text.split("\\")
            return (
                f'<path d="M{x - half} {y - half}l{_UNIT} {_UNIT}" stroke="#000"/>'
                f'<text x="{x - half // 2}" y="{y + half - 4}" font-size="12">{down}</text>'
                f'<text x="{x + half // 2}" y="{y - half + 13}" font-size="12">{right}</text>'
            )
    colour = "#06c" if mark.kind == "number" else "#000"
    return (
        f'<text x="{x}" y="{y + 6}" font-size="{_UNIT // 2}" fill="{colour}">'
        f"{escape(mark.text)}</text>"
    )
