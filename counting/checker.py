"""A checker of DRUP proofs that trusts no solver and knows nothing of puzzles.

A proof is a list of lines. A line `3 -4 0` adds a clause, which must follow by reverse unit
propagation (RUP): when its literals are all assumed false, unit propagation finds a clause with no
literal left. A line `d 3 -4 0` deletes a clause. The line `0`, the empty clause, ends the proof;
what stands below it is parsed but not used. (Goldberg and Novikov, Verification of Proofs of
Unsatisfiability for CNF Formulas, DATE 2003; Heule, Hunt and Wetzler, Trimming while Checking
Clausal Proofs, FMCAD 2013. Steps that are RAT and not RUP are refused.)

Each clause added follows from the formula and the clauses before it, so that the formula has no
model if the empty clause is reached. Deletions take clauses away and so can only make a later line
fail; whatever is done about them, no wrong proof passes. What is done is what drat-trim does:

* A literal that unit propagation has found with no assumption (a fact) stays true for good, also
  when the unit clause or the reason that gave it is deleted.
* Deleting a clause that is not there changes nothing. Of equal clauses one is deleted.

Clauses lie one after another in one array. Literal 3 is 6 there and -3 is 7: twice the variable,
plus one for the sign, so that `literal ^ 1` is the opposite. The first two literals of a clause are
watched: clause c hangs in the list of the literal at place `side` (0 or 1) as node 2 * c + side.

The kernels are plain Python, on lists, until as much is read as Numba's start is worth.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hashigo.models.reading import PuzzleError

Ints = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]  # numpy.typing takes long to import
F = TypeVar("F", bound=Callable[..., object])

NOTHING = -1  # no clause, no node
_PLAIN = 400_000  # literals that plain Python reads in the time that Numba needs to start
_SHARE = 30  # lines of a proof for which propagation reads as much as the formula has
_LINE = re.compile(r"(d )?((?:-?[1-9][0-9]{0,8} )*)0")


class ProofError(PuzzleError):
    """A proof that is none: one sentence that names the first line at fault, if it is a line."""


class Lines(NamedTuple):
    """Clauses as flat arrays: clause k is `literals[starts[k] : starts[k + 1]]`, as in DIMACS.

    `deletes[k]` is 1 where the line deletes the clause, and 0 where it adds it.
    """

    literals: Ints
    starts: Ints
    deletes: Ints


def formula(clauses: Iterable[Sequence[int]]) -> Lines:
    """The clauses of a formula; a literal that stands twice in one is taken once."""
    return _lines([list(dict.fromkeys(clause)) for clause in clauses], [])


def parse(text: str, variables: int) -> Lines:
    """Read a proof over variables 1 to `variables`, one line per step.

    Raises:
        ProofError: a line is not of the two forms, or not ended; or has a variable that the
            formula has not, a literal twice, or a literal and its opposite.
    """
    *lines, rest = text.split("\n")
    if rest or not lines:
        raise ProofError(f"line {len(lines) + 1}: expected a line that is ended")
    clauses: list[list[int]] = []
    deletes: list[int] = []
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None or line == "d 0":
            raise ProofError(
                f"line {number}: {line[:40]!r}; expected literals or 'd' and literals, "
                "each followed by one space, then 0"
            )
        clause = [int(literal) for literal in match[2].split()]
        touched = {abs(literal) for literal in clause}
        if touched and max(touched) > variables:
            raise ProofError(f"line {number}: variable {max(touched)}; the formula has {variables}")
        if len(touched) < len(clause):
            raise ProofError(f"line {number}: one variable stands there twice")
        clauses.append(clause)
        deletes.append(int(match[1] is not None))
    return _lines(clauses, deletes)


def _lines(clauses: Sequence[Sequence[int]], deletes: Sequence[int]) -> Lines:
    starts = np.zeros(len(clauses) + 1, np.int64)
    np.cumsum([len(clause) for clause in clauses], out=starts[1:])
    literals = np.array([literal for clause in clauses for literal in clause], np.int64)
    return Lines(literals, starts, np.array(deletes or [0] * len(clauses), np.int64))


def check(clauses: Lines, proof: Lines) -> None:
    """Check that a proof refutes a formula: returning is the verdict that it does.

    Raises:
        ProofError: a line does not follow, or none is the empty clause.
    """
    _run(clauses, proof, keep=0)


def core(clauses: Lines, proof: Lines) -> list[int]:
    """The lines that the empty clause rests on, from 0, in order and itself last.

    They are a proof of their own, without deletions.

    Raises:
        ProofError: as `check`.
    """
    uses, ends = _run(clauses, proof, keep=1)
    first = len(clauses.deletes)
    end = first + int(np.argmax((np.diff(proof.starts) == 0) & (proof.deletes == 0)))
    needed = {end}
    for c in range(end, first - 1, -1):
        if c in needed:
            needed.update(uses[ends[c] : ends[c + 1]].tolist())
    return sorted(c - first for c in needed if c >= first)


def _run(clauses: Lines, proof: Lines, keep: int) -> tuple[Ints, Ints]:
    """Run the kernel on the formula's clauses and, after them, the lines of the proof."""
    literals = np.concatenate((clauses.literals, proof.literals))
    starts = np.concatenate((clauses.starts, proof.starts[1:] + clauses.starts[-1]))
    deletes = np.concatenate((clauses.deletes, proof.deletes))
    codes = 2 * np.abs(literals) + (literals < 0)
    size = int(codes.max(initial=0) | 1) + 1
    global _read
    _read += len(literals) * (1 + len(proof.deletes) // _SHARE)
    if _read > _PLAIN:
        _compile()
    state = _State(
        literals=codes,
        starts=starts,
        first=np.full(size, NOTHING),
        link=np.full(2 * len(deletes), NOTHING),
        alive=np.ones(len(deletes), np.int64),
        value=np.zeros(size, np.int64),
        trail=np.zeros(size, np.int64),
        reason=np.full(size // 2, NOTHING),
        mark=np.full(size, NOTHING),
        bucket=np.full(2 * len(deletes) + 1, NOTHING),
        chain=np.full(len(deletes), NOTHING),
    )
    if _is_plain():
        # Lists are what the interpreter is quick with.
        state = _State(*(part.tolist() for part in state))
    bad, uses, ends = _refute(state, len(clauses.deletes), deletes, keep)
    if bad == len(deletes):
        raise ProofError("no line is the empty clause, 0")
    if bad != NOTHING:
        clause = literals[starts[bad] : starts[bad + 1]]
        text = " ".join(map(str, [*clause[:8], *(["..."] if len(clause) > 8 else []), 0]))
        raise ProofError(
            f"line {bad - len(clauses.deletes) + 1}: {text!r} does not follow by unit propagation "
            "from the formula and the lines above"
        )
    return uses, ends


_read = 0  # by the plain kernels so far
_kernels: dict[str, Callable[..., object]] = {}


def _kernel(function: F) -> F:
    """One of the functions below, which call each other and nothing else of ours."""
    _kernels[function.__name__] = function
    return function


def _compile() -> None:
    """Put compiled kernels in the place of the plain ones."""
    from hashigo.models.kernel import kernel

    if _is_plain():
        globals().update({name: kernel(function) for name, function in _kernels.items()})


def _is_plain() -> bool:
    return _refute is _kernels["_refute"]


class _State(NamedTuple):
    """What the kernels work on: arrays, or lists of the same."""

    literals: Ints  # of all clauses and lines, coded
    starts: Ints  # per clause, and the end
    first: Ints  # per literal: the first node of the list of its watches
    link: Ints  # per node: the next one
    alive: Ints  # per clause: 0 once it is deleted
    value: Ints  # per literal: 1 true, -1 false, 0 open
    trail: Ints  # the true literals in the order of their assignment
    reason: Ints  # per variable: the clause that forced it
    mark: Ints  # per literal: the last clause that it was looked at for
    bucket: Ints  # per hash: the first clause
    chain: Ints  # per clause: the next of the same hash


@_kernel
def _assign(s: Any, literal: int, reason: int, count: int) -> int:
    """Make a literal true; gives the length of the trail."""
    s.value[literal] = 1
    s.value[literal ^ 1] = -1
    s.reason[literal >> 1] = reason
    s.trail[count] = literal
    return count + 1


@_kernel
def _attach(s: Any, c: int, count: int) -> tuple[int, int]:
    """Watch two literals of clause c, or assign its last one; gives a conflict, and the trail.

    Called when nothing is assumed. A clause with a true literal is then settled for good.
    """
    start = s.starts[c]
    found = 0
    for k in range(start, s.starts[c + 1]):
        literal = s.literals[k]
        if s.value[literal] == 1:
            return NOTHING, count
        if s.value[literal] == 0 and found < 2:
            s.literals[k] = s.literals[start + found]
            s.literals[start + found] = literal
            found += 1
    if found == 0:
        return c, count
    if found == 1:
        return NOTHING, _assign(s, s.literals[start], c, count)
    for side in range(2):
        literal = s.literals[start + side]
        s.link[2 * c + side] = s.first[literal]
        s.first[literal] = 2 * c + side
    return NOTHING, count


@_kernel
def _propagate(s: Any, done: int, count: int) -> tuple[int, int]:
    """Unit propagation of the trail from `done` on; gives a conflict, and the trail."""
    while done < count:
        false = s.trail[done] ^ 1
        done += 1
        node = s.first[false]
        s.first[false] = NOTHING
        while node != NOTHING:
            following = s.link[node]
            c = node >> 1
            if s.alive[c]:
                # The node goes to the list of a literal that is not false, or stays in this one.
                start = s.starts[c]
                own = start + (node & 1)
                other = s.literals[start + 1 - (node & 1)]
                if s.value[other] != 1:
                    for k in range(start + 2, s.starts[c + 1]):
                        if s.value[s.literals[k]] != -1:
                            s.literals[own] = s.literals[k]
                            s.literals[k] = false
                            break
                watched = s.literals[own]
                s.link[node] = s.first[watched]
                s.first[watched] = node
                if watched == false and s.value[other] != 1:
                    if s.value[other] == -1:
                        _put_back(s, false, following)
                        return c, count
                    count = _assign(s, other, c, count)
            node = following
    return NOTHING, count


@_kernel
def _put_back(s: Any, literal: int, node: int) -> None:
    """Return the nodes not yet visited to the list of a literal."""
    while node != NOTHING:
        following = s.link[node]
        s.link[node] = s.first[literal]
        s.first[literal] = node
        node = following


@_kernel
def _conflict_without(s: Any, c: int, count: int) -> tuple[int, int]:
    """Assume all literals of clause c false and propagate; gives a conflict, and the trail."""
    done = count
    for k in range(s.starts[c], s.starts[c + 1]):
        literal = s.literals[k]
        if s.value[literal] == 1:
            return s.reason[literal >> 1], count
        if s.value[literal] == 0:
            count = _assign(s, literal ^ 1, NOTHING, count)
    return _propagate(s, done, count)


@_kernel
def _hash(s: Any, c: int) -> int:
    """A hash that does not depend on the order of the literals; it may wrap around."""
    total = 0
    for k in range(s.starts[c], s.starts[c + 1]):
        literal = s.literals[k]
        total += (literal * 40503 + 977) * (literal + 1)
    return total % len(s.bucket)


@_kernel
def _delete(s: Any, line: int) -> None:
    """Take away one clause that has the literals of this line, if there is one."""
    size = s.starts[line + 1] - s.starts[line]
    for k in range(s.starts[line], s.starts[line + 1]):
        s.mark[s.literals[k]] = line
    before = NOTHING
    h = _hash(s, line)
    c = s.bucket[h]
    while c != NOTHING:
        equal = s.starts[c + 1] - s.starts[c] == size
        for k in range(s.starts[c], s.starts[c + 1]):
            equal = equal and s.mark[s.literals[k]] == line
        if equal:
            s.alive[c] = 0
            if before == NOTHING:
                s.bucket[h] = s.chain[c]
            else:
                s.chain[before] = s.chain[c]
            return
        before = c
        c = s.chain[c]


@_kernel
def _explain(s: Any, c: int, count: int, line: int, uses: Ints, used: int) -> Any:
    """Append clause c, without a literal left, and all reasons of that; gives `uses`, `used`."""
    if len(uses) < used + count + 1:
        longer = np.empty(2 * (used + count + 1), np.int64)
        for k in range(used):
            longer[k] = uses[k]
        uses = longer
    t = count
    while t >= 0:
        if c != NOTHING:
            uses[used] = c
            used += 1
            for k in range(s.starts[c], s.starts[c + 1]):
                s.mark[s.literals[k] ^ 1] = line
        t -= 1
        while t >= 0 and s.mark[s.trail[t]] != line:
            t -= 1
        if t >= 0:
            c = s.reason[s.trail[t] >> 1]
    return uses, used


@_kernel
def _refute(s: Any, formula: int, deletes: Ints, keep: int) -> Any:
    """Take the formula and then line after line; gives NOTHING if all is right up to a `0`.

    Else the first clause at fault, or the number of clauses if none is empty. With `keep`, also
    what the lines rest on: clause c on uses[ends[c] : ends[c + 1]], nothing after the `0`.
    """
    uses = np.empty(0, np.int64)
    ends = np.zeros(len(deletes) + 1, np.int64)
    used = len(uses)
    count = used  # facts; above them on the trail stands what is assumed
    conflict = NOTHING  # the clause that facts leave no literal of; anything follows then
    for c in range(len(deletes)):
        ends[c + 1] = used
        if deletes[c]:
            _delete(s, c)
            continue
        if c >= formula and conflict == NOTHING:
            reached, assumed = _conflict_without(s, c, count)
            if reached == NOTHING:
                return c, uses, ends
            if keep:
                uses, used = _explain(s, reached, assumed, c, uses, used)
                ends[c + 1] = used
            for t in range(count, assumed):
                s.value[s.trail[t]] = 0
                s.value[s.trail[t] ^ 1] = 0
        if c >= formula and s.starts[c] == s.starts[c + 1]:
            if keep:
                uses, used = _explain(s, conflict, count, c, uses, used)
                ends[c + 1] = used
            return NOTHING, uses, ends
        h = _hash(s, c)
        s.chain[c] = s.bucket[h]
        s.bucket[h] = c
        if conflict == NOTHING:
            facts = count
            conflict, count = _attach(s, c, count)
            if conflict == NOTHING:
                conflict, count = _propagate(s, facts, count)
    return len(deletes), uses, ends
