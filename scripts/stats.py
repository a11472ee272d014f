"""What is said of samples: intervals, two-sample tests, and the correction for many of them."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist

from hashigo.scripts.extras import extra


def wilson(hits: int, boards: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share, from 0 to 1.

    Wilson, Probable inference, Journal of the American Statistical Association 22 (1927).
    """
    if not boards:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = hits / boards
    centre = share + z * z / (2 * boards)
    spread = z * sqrt(share * (1 - share) / boards + z * z / (4 * boards * boards))
    scale = 1 + z * z / boards
    low = 0.0 if hits == 0 else (centre - spread) / scale
    high = 1.0 if hits == boards else (centre + spread) / scale
    return low, high


def ratio(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The sum of the first over that of the second, and its standard error.

    Pairs are independent of each other; what is summed within one need not be. The error is
    infinite where there are too few of them. Cochran, Sampling Techniques (1977), chapter 6.
    """
    n, whole = len(pairs), sum(b for _, b in pairs)
    if not whole:
        return 0.0, inf
    value = sum(a for a, _ in pairs) / whole
    squares = sum((a - value * b) ** 2 for a, b in pairs)
    return value, sqrt(n / (n - 1) * squares) / whole if n > 1 else inf


def two_shares(hits: int, boards: int, other_hits: int, other_boards: int) -> float:
    """The p-value of Fisher's exact test, two-sided, that two shares are of one population."""
    table = [[hits, boards - hits], [other_hits, other_boards - other_hits]]
    return float(extra("scipy.stats", "dial", "a two-sample test").fisher_exact(table).pvalue)


def two_ratios(difference: float, error: float, pairs: int, other_pairs: int) -> float:
    """The p-value, two-sided, that two ratios of sums are of one population.

    `error` is the standard error of the one of `pairs` pairs; the other is held to vary as much.
    """
    spread = error * sqrt(1 + pairs / other_pairs)
    if not spread:
        return 0.0 if difference else 1.0
    return 2 * NormalDist().cdf(-abs(difference) / spread)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for being that many: each may be held against the level as it is.

    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979).
    """
    corrected = [1.0] * len(p_values)
    floor = 0.0
    for rank, k in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[k]))
        corrected[k] = floor
    return corrected
