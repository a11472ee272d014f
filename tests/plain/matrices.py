"""Binary tomography read plainly: matrices of 0 and 1, counted."""

from functools import cache
from itertools import combinations


@cache
def matrices(columns: tuple[int, ...], rows: tuple[int, ...]) -> int:
    """0/1 matrices with these margins: a row laid in every way, over sorted columns."""
    if not rows:
        return int(not any(columns))
    total = 0
    for chosen in combinations(range(len(columns)), rows[0]):
        left = [margin - (k in chosen) for k, margin in enumerate(columns)]
        if min(left, default=0) >= 0:
            total += matrices(tuple(sorted(left)), rows[1:])
    return total
