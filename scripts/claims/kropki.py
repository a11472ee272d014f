"""Kropki: claims that are settled by other means than a table of boards."""

from collections.abc import Iterator

from hashigo.counting.sample import Drawn, generator, sample
from hashigo.scripts.claim import Check, Claim, Effort, Line
from hashigo.scripts.claims.engines import alike


def engines(claim: Claim, effort: Effort) -> Iterator[Line]:
    """On boards with none, a fifth and two fifths of their edges hidden."""

    def draw(k: int) -> Drawn:
        dials = {"hidden": (0.0, 0.2, 0.4)[k % 3]}
        return sample("kropki", 3 + k % 3, 5, dials).draw(generator(31, k))

    wanted = effort.scaled(claim.data["pairs"])
    return alike(claim, "600 of 600 alike", draw, wanted, limit=200)


CHECKS: dict[str, Check] = {"kropki-engines": engines}
