"""A DRUP checker by definition, to hold the fast one against: no watches, no arrays, no haste.

The rules, once more and in other words. There is a bag of clauses and a set of facts. Facts are
the literals that unit propagation finds in the bag; none is ever given up. A line that adds a
clause is right when propagation of the facts and of the clause's opposites empties some clause of
the bag. A line that deletes takes one equal clause out of the bag, if there is one.
"""

from collections.abc import Iterable, Sequence

Line = tuple[bool, tuple[int, ...]]  # whether it deletes, and the clause


def closure(bag: Sequence[frozenset[int]], known: set[int]) -> set[int] | None:
    """All that unit propagation finds from these literals; None for a conflict."""
    known = set(known)
    while True:
        if any(-literal in known for literal in known):
            return None
        found = set()
        for clause in bag:
            if clause.isdisjoint(known):
                left = [literal for literal in clause if -literal not in known]
                if not left:
                    return None
                if len(left) == 1:
                    found.add(left[0])
        if found <= known:
            return known
        known |= found


def first_bad_line(formula: Iterable[Sequence[int]], proof: Sequence[Line]) -> int | None:
    """The first wrong line from 0, len(proof) if none is the empty clause, None if all is right."""
    bag = [frozenset(clause) for clause in formula]
    facts = closure(bag, set())
    for number, (deletes, literals) in enumerate(proof):
        clause = frozenset(literals)
        if deletes:
            if clause in bag:
                bag.remove(clause)
            continue
        if facts is not None and closure(bag, facts | {-x for x in clause}) is not None:
            return number
        if not clause:
            return None
        bag.append(clause)
        if facts is not None:
            facts = closure(bag, facts)
    return len(proof)


def read(text: str) -> list[Line]:
    """The lines of a well-formed proof."""
    lines = []
    for line in text.splitlines():
        tokens = line.split()
        deletes = tokens[0] == "d"
        lines.append((deletes, tuple(map(int, tokens[deletes:-1]))))
    return lines


def write(proof: Iterable[Line]) -> str:
    """The text of a proof."""
    return "".join("d " * d + "".join(f"{x} " for x in clause) + "0\n" for d, clause in proof)
