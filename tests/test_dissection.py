"""Dissections: the kernel against twins, enumeration and published counts; the random ones."""

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from plain import dissection as plain

from hashigo.counting import dissection, random_dissection
from hashigo.counting.dissection import count, primes
from hashigo.counting.random_dissection import Sampler
from hashigo.models.grid import Border, Grid
from hashigo.models.puzzle import Answer
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, EngineFault, OutOfBudget
from hashigo.scripts.dissections import census

PINNED = tomllib.loads((Path(__file__).parent / "counts" / "dissections.toml").read_text())


def pinned() -> Iterator[tuple[int, int, int]]:
    for n, value in enumerate(PINNED["square"]["counts"]):
        yield n, n, int(value)
    for n, line in enumerate(PINNED["triangle"]["counts"]):
        for m, value in enumerate(line):
            yield n, m, int(value)
    for row in PINNED["row"]:
        for m, value in enumerate(row["counts"], 1):
            yield row["rows"], m, int(value)


def test_the_pinned_file_is_whole() -> None:
    assert len(PINNED["square"]["counts"]) == 13
    assert sum(map(len, PINNED["triangle"]["counts"])) == 28
    assert len(list(pinned())) == 13 + 28 + 10 + 8 + 7 + 6 + 6


@pytest.mark.parametrize(("rows", "cols", "expected"), list(pinned()))
def test_published_counts(rows: int, cols: int, expected: int) -> None:
    assert count(rows, cols) == count(cols, rows) == expected


@cache
def all_dissections(rows: int, cols: int) -> frozenset[Answer]:
    laid = list(plain.by_laying(rows, cols))
    assert len(set(laid)) == len(laid)
    return frozenset(laid)


SMALL = [(r, c) for r in range(1, 5) for c in range(1, 5) if r * c < 16] + [(1, 7), (2, 6), (5, 2)]


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_two_enumerations_and_the_count(rows: int, cols: int) -> None:
    if 2 * rows * cols - rows - cols <= 13:
        assert set(plain.by_patterns(rows, cols)) == all_dissections(rows, cols)
    assert count(rows, cols) == len(all_dissections(rows, cols))


def test_the_smallest_square_that_is_not_trivial() -> None:
    assert sum(1 for _ in plain.by_patterns(3, 3)) == 322


@pytest.mark.parametrize(("rows", "cols"), [*product(range(1, 9), repeat=2), (2, 60), (13, 3)])
def test_twins(rows: int, cols: int) -> None:
    value = count(rows, cols)
    assert value == plain.by_lists(rows, cols) == plain.by_objects(cols, rows)
    assert value <= dissection._bound(rows * cols - 1)


@pytest.mark.parametrize(("rows", "cols"), [(14, 14), (13, 16), (16, 9)])
def test_larger_twins(rows: int, cols: int) -> None:
    assert count(rows, cols) == plain.by_objects(rows, cols)


@pytest.mark.parametrize("cols", [1, 2, 9, 10])
def test_pieces(monkeypatch: pytest.MonkeyPatch, cols: int) -> None:
    """Fronts in one, two, three and more pieces give the same count."""
    expected = plain.by_lists(10, cols)
    monkeypatch.setattr(dissection, "_WHOLE", 3)
    for lower, upper, space in ((3, 4, 1 << 7), (4, 2, 1 << 6), (1, 1, 1 << 4), (5, 9, 1 << 17)):
        monkeypatch.setattr(dissection, "_LOWER", lower)
        monkeypatch.setattr(dissection, "_UPPER", upper)
        monkeypatch.setattr(dissection, "_SPACE", space)
        for rows in (10, 11):
            assert count(rows, cols) == plain.by_lists(rows, cols)
    assert count(10, cols) == expected


def test_large_fronts_come_in_pieces() -> None:
    for bits in range(26):
        pieces = dissection._pieces(bits)
        assert [low for low, _ in pieces] == [
            sum(k for _, k in pieces[:i]) for i in range(len(pieces))
        ]
        assert sum(k for _, k in pieces) == bits
        assert all(dissection._SPACE >> k >= 64 for _, k in pieces[1:])


def test_other_primes_and_threads_agree() -> None:
    for rows, cols in ((17, 17), (18, 11), (3, 100)):
        chosen = primes(rows, cols)
        others = primes(rows, cols, len(chosen))
        assert not set(chosen) & set(others)
        value = count(rows, cols)
        assert value == count(cols, rows, threads=2, skip_primes=len(chosen))
        assert value == count(rows, cols, threads=3)


@pytest.mark.long
def test_other_primes_agree_on_fronts_of_three_pieces() -> None:
    chosen = primes(24, 24)
    value = count(24, 24, threads=2)
    assert value == count(24, 24, threads=2, skip_primes=len(chosen))
    assert value.bit_length() == 679


def test_primes_are_enough() -> None:
    assert dissection._bound(3) == 14
    assert [dissection._bound(k) for k in range(6)] == [2, 2, 6, 14, 34, 82]
    for rows, cols in ((1, 1), (1, 40), (5, 6), (12, 12), (24, 24)):
        chosen = primes(rows, cols)
        assert len(set(chosen)) == len(chosen) and len(chosen) % 8 == 0
        assert all(p < 1 << 30 and pow(2, p - 1, p) == 1 for p in chosen)
        assert math.prod(chosen[:-1]) > dissection._bound(rows * cols - 1)
    sieve = [n for n in range((1 << 30) - 400, 1 << 30) if all(n % d for d in range(2, 1 << 15))]
    assert primes(12, 12) == tuple(reversed(sieve))[:8]


def test_residues_at_their_largest() -> None:
    """Sums of two residues just below the prime stay in range, and the dot product is exact."""
    prime = primes(1, 1)[0]
    top = np.full(8 * 16, prime - 1, np.uint32)
    moduli = np.full(8, prime, np.uint32)
    free, stub = top.copy(), top.copy()
    dissection.sweep_point(free, stub, moduli, 8)
    assert set(free.reshape(-1, 2, 8)[:, 1].ravel().tolist()) == {prime - 2}
    assert set(stub.reshape(-1, 2, 8)[:, 1].ravel().tolist()) == {prime - 3}
    low, high = dissection.dot(top, top).tolist()
    assert [a + (b << 32) for a, b in zip(low, high, strict=True)] == [16 * (prime - 1) ** 2] * 8


def test_a_wrong_residue_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = dissection._residues
    for lane in range(8):

        def wrong(
            long: int,
            short: int,
            stop: Event,
            budget: Budget | None,
            group: Sequence[int],
            lane: int = lane,
        ) -> list[int]:
            residues = right(long, short, stop, budget, group)
            residues[lane] ^= 1
            return residues

        monkeypatch.setattr(dissection, "_residues", wrong)
        with pytest.raises(EngineFault, match="spare prime"):
            count(12, 12)


@pytest.mark.parametrize(
    "arguments",
    [(-1, 3, 1, 0), (27, 27, 1, 0), (3, 2001, 1, 0), (3, 3, 0, 0), (3, 3, 1, -1)],
)
def test_refused(arguments: tuple[int, int, int, int]) -> None:
    rows, cols, threads, skip_primes = arguments
    with pytest.raises(PuzzleError, match="expected"):
        count(rows, cols, threads=threads, skip_primes=skip_primes)


@pytest.mark.parametrize("threads", [1, 2])
def test_time_is_kept(threads: int) -> None:
    with pytest.raises(OutOfBudget, match="limit of 0 s"):
        count(20, 20, threads=threads, budget=Budget(seconds=0))


# Random dissections

CASES = [
    *((r, c, w) for r, c in ((1, 1), (1, 5), (4, 1), (2, 3)) for w in ("1", "1/3", "5/2")),
    (4, 3, "1"),
    (3, 4, "1"),
    (3, 3, "1"),
    (3, 3, "2"),
    (3, 3, "1/2"),
]


@pytest.mark.parametrize(("rows", "cols", "weight"), CASES)
def test_every_dissection_has_its_share_of_ranks(rows: int, cols: int, weight: str) -> None:
    """A uniform rank therefore gives each with probability weight^rooms / total, exactly."""
    sampler = Sampler(rows, cols, Fraction(weight))
    shares = {answer: share(sampler, answer) for answer in all_dissections(rows, cols)}
    assert sampler.total == sum(shares.values())
    assert Counter(map(sampler.unrank, range(sampler.total))) == shares
    for rank in (-1, sampler.total):
        with pytest.raises(IndexError):
            sampler.unrank(rank)


def share(sampler: Sampler, answer: Answer) -> int:
    """The ranks that a dissection of k rooms must have: p^k q^(cells - k) for the weight p/q."""
    p, q = sampler.weight.as_integer_ratio()
    k = len(plain.rooms(sampler.rows, sampler.cols, answer))
    ranks: int = p**k * q ** (sampler.rows * sampler.cols - k)
    return ranks


@pytest.mark.parametrize("weight", ["1", "1/3", "5/2"])
@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 7), (6, 5), (8, 8)])
def test_decision_probabilities_multiply_to_the_share(
    monkeypatch: pytest.MonkeyPatch, rows: int, cols: int, weight: str
) -> None:
    """Each decision falls to an entry with its share of all that could be chosen."""
    sampler = Sampler(rows, cols, Fraction(weight))
    rng = np.random.default_rng(3)
    choose = random_dissection._choose
    probability = Fraction(1)

    def watched(
        layer: random_dissection.Front, ways: Sequence[tuple[int, int]], rank: int
    ) -> tuple[tuple[int, int], int]:
        nonlocal probability
        everything = sum(int(layer[way]) for way in ways)
        assert 0 <= rank < everything
        way, rest = choose(layer, ways, rank)
        assert 0 <= rest < layer[way]
        probability *= Fraction(int(layer[way]), everything)
        return way, rest

    monkeypatch.setattr(random_dissection, "_choose", watched)
    for _ in range(20):
        answer = sampler.draw(rng)
        assert plain.is_dissection(rows, cols, answer)
        down = bottom_lines(rows, cols, answer)
        ends = [0, *sampler._last]
        chance = Fraction(ends[down + 1] - ends[down], sampler.total) * probability
        assert chance == Fraction(share(sampler, answer), sampler.total)
        probability = Fraction(1)


def bottom_lines(rows: int, cols: int, answer: Answer) -> int:
    """Bits of the lines down in the last row of the board stood upright."""
    total = 0
    borders = dict(zip(Grid(rows, cols).borders(), answer, strict=True))
    if rows >= cols:
        line = [((rows - 1) * cols + k, (rows - 1) * cols + k + 1) for k in range(cols - 1)]
    else:
        line = [(k * cols + cols - 1, (k + 1) * cols + cols - 1) for k in range(rows - 1)]
    for k, (a, b) in enumerate(line):
        total |= borders[Border(a, b)] << k
    return total


@pytest.mark.parametrize("size", [(4, 4), (5, 7), (9, 8)])
def test_total_is_the_count(size: tuple[int, int]) -> None:
    assert Sampler(*size).total == count(*size)


@pytest.mark.parametrize(("weight", "seed"), [("1", 11), ("1/2", 12), ("3", 13)])
def test_frequencies(weight: str, seed: int) -> None:
    """Chi-square over the 322 dissections of 3x3, at a fixed seed."""
    sampler = Sampler(3, 3, Fraction(weight))
    rng = np.random.default_rng(seed)
    draws = 20_000
    seen = Counter(sampler.draw(rng) for _ in range(draws))
    expected = {
        answer: draws * share(sampler, answer) / sampler.total for answer in all_dissections(3, 3)
    }
    assert set(seen) <= set(expected)
    # Rare ones are taken together, so that each class is expected at least five times.
    rare = [answer for answer, times in expected.items() if times < 5]
    classes = [(seen[answer], e) for answer, e in expected.items() if e >= 5]
    if rare:
        classes.append((sum(seen[a] for a in rare), sum(expected[a] for a in rare)))
    statistic = sum((times - e) ** 2 / e for times, e in classes)
    freedom = len(classes) - 1
    # Within four standard deviations of a chi-square variable.
    assert abs(statistic - freedom) < 4 * math.sqrt(2 * freedom)


def test_mean_number_of_rooms_against_enumeration() -> None:
    for weight in (Fraction(1, 2), Fraction(1), Fraction(7, 3)):
        weights = Counter(len(plain.rooms(3, 4, a)) for a in all_dissections(3, 4))
        total = sum(n * weight**k for k, n in weights.items())
        sampler = Sampler(3, 4, weight)
        assert Fraction(sampler.total, weight.denominator**12) == total
        mean = float(sum(k * n * weight**k for k, n in weights.items()) / total)
        rng = np.random.default_rng(8)
        drawn = [len(plain.rooms(3, 4, sampler.draw(rng))) for _ in range(4000)]
        assert abs(np.mean(drawn) - mean) < 5 * np.std(drawn) / math.sqrt(4000)


def test_the_same_state_draws_the_same() -> None:
    sampler = Sampler(7, 6)
    first, second = (
        [sampler.draw(rng) for _ in range(5)] for rng in map(np.random.default_rng, (4, 4))
    )
    assert first == second and len(set(first)) == 5


def test_weights_as_given() -> None:
    assert Sampler(2, 2, 0.3).weight == Fraction(3, 10)
    assert Sampler(2, 2, 1e-3).weight == Fraction(1, 1000)
    for weight in (0, -1, math.nan, math.inf, Fraction(-1, 3)):
        with pytest.raises(PuzzleError, match="positive"):
            Sampler(2, 2, weight)
    for size in ((0, 3), (3, -1), (18, 18), (30, 30), (1500, 1500), (1, 3000)):
        with pytest.raises(PuzzleError, match=r"expected|GB"):
            Sampler(*size)


# Census


def test_census_rows() -> None:
    rows = list(census(12))
    assert [(row.n, row.count) for row in rows] == [
        (n, value) for n, _, value in list(pinned())[1:13]
    ]
    assert all(row.primes == primes(row.n, row.n) and row.seconds >= 0 for row in rows)
    others = list(census(9, threads=2, skip_primes=8))
    assert [row.count for row in others] == [row.count for row in rows[:9]]
    assert all(not set(a.primes) & set(b.primes) for a, b in zip(others, rows, strict=False))


def test_census_refuses_before_it_counts() -> None:
    with pytest.raises(PuzzleError):
        next(census(40))
