"""A puzzle as CNF: the frame makes the literals, the genre gives its clauses in fragments.

A fragment is what one rule or one clue adds, named by a key. Its clauses depend on the shape of the
board and the key alone, so that they are made once and then concatenated (`Encoding.clauses`), or
stand in one solver for all boards of a shape, each under a selector (see counting/sat.py).
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any

from pysat.formula import IDPool

from hashigo.models.puzzle import Answer, Clause, Puzzle


class Literals:
    """Literals over decision variables and helpers; decision variables come first.

    A domain of two values takes one SAT variable, true for the larger value; a larger domain takes
    one per value. Literals are non-zero ints as in DIMACS.
    """

    def __init__(self, domains: Sequence[range]) -> None:
        """Number the literals of these domains from 1."""
        self.domains = tuple(domains)
        self._low = [domain[0] for domain in self.domains]
        self._first: list[int] = []
        self._meaning: list[tuple[int, int]] = []
        for i, domain in enumerate(self.domains):
            self._first.append(len(self._meaning) + 1)
            self._meaning += [(i, v) for v in (domain[1:] if len(domain) == 2 else domain)]
        self.decisions = range(1, len(self._meaning) + 1)
        self._pool = IDPool(start_from=len(self._meaning) + 1)

    def value(self, i: int, v: int) -> int:
        """The literal that says that decision variable i has the value v of its domain."""
        domain = self.domains[i]
        if len(domain) == 2:
            return self._first[i] if v == domain[1] else -self._first[i]
        return self._first[i] + v - domain.start

    def helper(self, key: Hashable) -> int:
        """The helper variable with this key, made when it is first asked for."""
        variable: int = self._pool.id(key)
        return variable

    @property
    def top(self) -> int:
        """The largest variable so far."""
        return max(int(self._pool.top), len(self.decisions))

    def exactly_one_value(self, i: int) -> Iterator[Clause]:
        """Clauses that give decision variable i one value; none where one SAT variable does it."""
        if len(self.domains[i]) != 2:
            yield from exactly_one([self.value(i, v) for v in self.domains[i]])

    def block(self, answer: Answer) -> Clause:
        """The clause that forbids this answer."""
        return [-self.value(i, v) for i, v in enumerate(answer)]

    def decode(self, model: Sequence[int]) -> Answer:
        """The answer in a model as PySAT gives it: entry k - 1 is k or -k."""
        answer = list(self._low)
        for literal in model[: len(self.decisions)]:
            if literal > 0:
                i, v = self._meaning[literal - 1]
                answer[i] = v
        return tuple(answer)


def at_most_one(literals: Sequence[int]) -> Iterator[Clause]:
    """Pairwise clauses: no two of the literals."""
    return ([-a, -b] for k, a in enumerate(literals) for b in literals[:k])


def exactly_one(literals: Sequence[int]) -> Iterator[Clause]:
    """One of the literals, and no two of them."""
    return chain([list(literals)], at_most_one(literals))


class Encoding:
    """The fragments of all boards of one shape, each made once."""

    def __init__(self, puzzle: Puzzle, strong: bool) -> None:
        """Prefer `encoding`, which shares them."""
        self.x = Literals(puzzle.domains())
        self.strong = strong
        self.rule_keys = tuple(puzzle.rule_keys(strong))
        self._fragments: dict[Hashable, list[Clause]] = {}

    def fragment(self, puzzle: Puzzle, key: Hashable) -> list[Clause]:
        """The clauses of one fragment."""
        if key not in self._fragments:
            self._fragments[key] = list(puzzle.fragment(key, self.x))
        return self._fragments[key]

    def keys(self, puzzle: Puzzle) -> list[Any]:
        """The keys of all fragments of a board of this shape."""
        return [*self.rule_keys, *puzzle.clue_keys(self.strong)]

    def clauses(self, puzzle: Puzzle, without: Collection[str] = ()) -> list[Clause]:
        """The formula of a board of this shape: its models are the answers, with helpers.

        With kinds of fragments left out (see Puzzle.fragment) there may be more models.
        """
        keys = (key for key in self.keys(puzzle) if key[0] not in without)
        return list(chain.from_iterable(self.fragment(puzzle, key) for key in keys))


def encoding(puzzle: Puzzle, strong: bool = False) -> Encoding:
    """The encoding of this puzzle's shape, shared by its boards.

    The strong form has helpers for each board of its own, and is made anew.
    """
    if strong:
        return Encoding(puzzle, strong)
    key = (type(puzzle), puzzle.shape())
    if key not in _ENCODINGS:
        if len(_ENCODINGS) >= _SHAPES:
            del _ENCODINGS[next(iter(_ENCODINGS))]
        _ENCODINGS[key] = Encoding(puzzle, strong)
    return _ENCODINGS[key]


_SHAPES = 8  # encodings kept
_ENCODINGS: dict[Hashable, Encoding] = {}


def dimacs(puzzle: Puzzle, clauses: Sequence[Clause], x: Literals) -> str:
    """DIMACS text with a projection line, and one comment per decision literal."""
    names = [
        f"c {x.value(i, v)} {puzzle.variable_name(i)} = {v}"
        for i, domain in enumerate(x.domains)
        for v in domain
        if x.value(i, v) > 0
    ]
    top = max(len(x.decisions), max((abs(lit) for c in clauses for lit in c), default=0))
    return "\n".join(
        [
            *names,
            f"c p show {' '.join(map(str, x.decisions))} 0",
            f"p cnf {top} {len(clauses)}",
            *(" ".join(map(str, clause)) + " 0" for clause in clauses),
            "",
        ]
    )
