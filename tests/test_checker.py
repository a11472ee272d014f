"""The proof checker against one by definition, against brute force, and against one of others."""

from collections.abc import Iterator, Sequence
from itertools import product

import dratify
import numpy as np
import pytest
from pysat.solvers import Solver
from slow_checker import Line, first_bad_line, read, write

from hashigo.counting import checker

Formula = Sequence[Sequence[int]]

RIGHT = [
    "cadical103", "cadical153", "cadical195", "glucose3", "glucose4", "glucose42", "gluecard3",
    "gluecard4", "lingeling", "maplechrono", "maplecm",
]  # fmt: skip
ALL_FOUR = ((1, 2), (1, -2), (-1, 2), (-1, -2))


@pytest.fixture(autouse=True, params=["plain", "compiled"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test with plain kernels, and with compiled ones."""
    if request.param == "compiled":
        checker._compile()
        return
    monkeypatch.setattr(checker, "_read", -(10**12))
    for name, function in checker._kernels.items():
        monkeypatch.setattr(checker, name, function)


def verdict(formula: Formula, text: str, variables: int) -> int | None:
    """What the checker says, in the form of `first_bad_line`."""
    proof = checker.parse(text, variables)
    try:
        checker.check(checker.formula(formula), proof)
    except checker.ProofError as error:
        message = str(error)
        if message == "no line is the empty clause, 0":
            return len(proof.deletes)
        assert message.startswith("line ")
        return int(message.removeprefix("line ").partition(":")[0]) - 1
    return None


def others_accept(formula: Formula, text: str, variables: int) -> bool:
    """What dratify says, held to RUP; it asks for no line where propagation alone refutes."""
    body = "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in formula)
    problem = dratify.parse_dimacs(f"p cnf {variables} {len(formula)}\n{body}")
    result = dratify.check_proof(problem, text, check_rat=False, engine="python")
    return result.ok and not (result.steps == 0 and verdict(formula, text, variables) is not None)


def random_clause(rng: np.random.Generator, variables: int, longest: int) -> tuple[int, ...]:
    size = int(rng.integers(1, min(longest, variables) + 1))
    chosen = rng.choice(variables, size, replace=False) + 1
    return tuple(int(v) if rng.random() < 0.5 else -int(v) for v in chosen)


def random_pair(rng: np.random.Generator) -> tuple[int, list[tuple[int, ...]], list[Line]]:
    """A number of variables, a formula, and lines of which most are right."""
    variables = int(rng.integers(1, 7))
    shortest = int(rng.choice([1, 2]))
    formula = [
        random_clause(rng, variables, 3) for _ in range(int(rng.integers(1, 4 + 4 * variables)))
    ]
    if shortest == 2:  # no units: propagation finds less by itself
        formula = [clause for clause in formula if len(clause) > 1] or [ALL_FOUR[0][:1]]
    proof: list[Line] = []
    for _ in range(int(rng.integers(0, 10))):
        known = [*formula, *(clause for deletes, clause in proof if not deletes)]
        if rng.random() < 0.35:
            clause = known[rng.integers(len(known))]
            if rng.random() < 0.1:
                clause = random_clause(rng, variables, 3)
            proof.append((True, tuple(rng.permutation(clause).tolist())))
            continue
        line = (False, random_clause(rng, variables, 3))
        right = first_bad_line(formula, [*proof, line]) != len(proof)
        if right or rng.random() < 0.03:
            proof.append(line)
    proof += [(False, ())] * int(rng.random() < 0.9)
    return variables, formula, proof or [(True, formula[0])]


def solver_pair(rng: np.random.Generator) -> tuple[int, list[tuple[int, ...]], list[Line]]:
    """A solver's proof, with deletions put in at random and now and then a line gone or wrong."""
    while True:
        variables = int(rng.integers(5, 10))
        formula = random_formula(rng, variables, 5.0)
        with Solver(name="glucose4", bootstrap_with=formula, with_proof=True) as solver:
            lines = None if solver.solve() else [*solver.get_proof(), "0"]
        if lines is not None and len(lines) > 3:
            break
    clauses = [tuple(clause) for clause in formula]
    proof = read("\n".join(lines))
    known = [*clauses, *(clause for _, clause in proof if clause)]
    for _ in range(int(rng.integers(3))):
        clause = known[rng.integers(len(known))]
        proof.insert(int(rng.integers(len(proof))), (True, tuple(rng.permutation(clause).tolist())))
    if rng.random() < 0.5:
        return variables, clauses, proof
    k = int(rng.integers(len(proof)))
    deletes, clause = proof[k]
    keep = rng.random(len(clause)) < 0.7
    shorter = tuple(x for x, kept in zip(clause, keep, strict=True) if kept)
    proof[k : k + 1] = [(deletes, shorter)] if shorter else []
    return variables, clauses, proof


def agree(seed: int, number: int) -> None:
    rng = np.random.default_rng(seed)
    seen = {"right": 0, "wrong line": 0, "no end": 0, "deletions": 0, "several lines": 0}
    for k in range(number):
        variables, formula, proof = solver_pair(rng) if k % 3 == 0 else random_pair(rng)
        text = write(proof)
        expected = first_bad_line(formula, proof)
        assert verdict(formula, text, variables) == expected, (formula, text)
        assert others_accept(formula, text, variables) == (expected is None), (formula, text)
        kinds = {None: "right", len(proof): "no end"}
        seen[kinds.get(expected, "wrong line")] += 1
        seen["deletions"] += any(deletes for deletes, _ in proof)
        if expected is None:
            lines = checker.core(checker.formula(formula), checker.parse(text, variables))
            short = [proof[k] for k in lines]
            assert first_bad_line(formula, short) is None
            assert not any(deletes for deletes, _ in short)
            assert lines == sorted(set(lines))
            seen["several lines"] += len(short) > 2
    assert min(seen.values()) > number // 100, seen


def test_agrees_with_the_slow_checker_and_with_another() -> None:
    agree(1, 3000)


@pytest.mark.long
def test_agrees_on_many_more() -> None:
    for seed in range(2, 12):
        agree(seed, 5000)


def tiny_lines(clauses: Sequence[tuple[int, ...]]) -> Iterator[Line]:
    return product((False, True), clauses)


CLAUSES = [(1,), (-1,), (2,), (-2,), *ALL_FOUR]


def exhaust(lines: int) -> None:
    """Every formula over two variables without repetition, every proof of so many lines and 0."""
    for k in range(1 << len(CLAUSES)):
        formula = [clause for i, clause in enumerate(CLAUSES) if k >> i & 1]
        for body in product(tiny_lines(CLAUSES), repeat=lines):
            proof = [*body, (False, ())]
            expected = first_bad_line(formula, proof)
            assert verdict(formula, write(proof), 2) == expected, (formula, proof)


def test_every_formula_of_two_variables() -> None:
    exhaust(1)


@pytest.mark.long
def test_every_formula_of_two_variables_and_two_lines() -> None:
    exhaust(2)


def satisfiable(formula: Formula, variables: int) -> bool:
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in formula)
        for values in product((False, True), repeat=variables)
    )


def random_formula(
    rng: np.random.Generator, variables: int, density: float = 4.2
) -> list[list[int]]:
    """Clauses of two or three literals; about half of the formulas have a model, if not denser."""
    return [
        [int(v) * int(rng.choice([-1, 1])) for v in rng.choice(variables, k, replace=False) + 1]
        for k in rng.choice([2, 3], int(density * variables), p=[0.25, 0.75])
    ]


@pytest.mark.parametrize("name", RIGHT)
def test_unsatisfiable_exactly_when_the_proof_passes(name: str) -> None:
    rng = np.random.default_rng(RIGHT.index(name))
    refuted = 0
    for _ in range(60):
        variables = int(rng.integers(3, 9))
        formula = random_formula(rng, variables)
        with Solver(name=name, bootstrap_with=formula, with_proof=True) as solver:
            found = solver.solve()
            assert found == satisfiable(formula, variables)
            if found:
                continue
            lines = solver.get_proof()
        refuted += 1
        text = "\n".join([*lines, "0", ""])
        assert verdict(formula, text, variables) is None
        assert others_accept(formula, text, variables)
        assert first_bad_line(formula, read(text)) is None
    assert refuted > 10


def test_no_proof_of_what_has_a_model() -> None:
    rng = np.random.default_rng(9)
    for _ in range(1500):
        variables = int(rng.integers(3, 7))
        formula = random_formula(rng, variables)
        if satisfiable(formula, variables):
            proof = [(False, random_clause(rng, variables, 4)) for _ in range(6)]
            text = write([*proof, (False, ())])
            assert verdict(formula, text, variables) is not None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("0", 1),
        ("1 0\n0", 2),
        ("1 0\n\n0\n", 2),
        ("1 2 0\n1 0 \n0\n", 2),
        (" 1 0\n0\n", 1),
        ("1  0\n0\n", 1),
        ("1\t0\n0\n", 1),
        ("1 0\r\n0\r\n", 1),
        ("1 0 0\n", 1),
        ("1 2\n0\n", 1),
        ("+1 0\n0\n", 1),
        ("01 0\n0\n", 1),
        ("-0\n", 1),
        ("00\n", 1),
        ("1.0 0\n0\n", 1),
        ("\u0661 0\n0\n", 1),  # a digit to Python's int, and not to us
        ("1 0\nd 0\n0\n", 2),
        ("d1 0\n0\n", 1),
        ("D 1 0\n0\n", 1),
        ("dd 1 0\n0\n", 1),
        ("1 d 0\n0\n", 1),
        ("c a comment\n0\n", 1),
        ("a\x05\x00", 1),
        ("1 2 1 0\n0\n", 1),
        ("1 2 -1 0\n0\n", 1),
        ("d 1 1 0\n0\n", 1),
        ("1 0\n4 0\n0\n", 2),
        ("-4 0\n0\n", 1),
        ("d 4 0\n0\n", 1),
        ("9999999999999999999999 0\n0\n", 1),
        ("0\nwhat follows is not used, but read\n", 2),
    ],
)
def test_refused_when_read(text: str, line: int) -> None:
    with pytest.raises(checker.ProofError, match=rf"^line {line}: "):
        checker.parse(text, 3)


def test_what_is_read() -> None:
    proof = checker.parse("1 -3 0\nd 2 0\n0\n", 3)
    assert proof.literals.tolist() == [1, -3, 2]
    assert proof.starts.tolist() == [0, 2, 3, 3]
    assert proof.deletes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("formula", "text", "expected"),
    [
        # The empty clause is asked for, also where propagation alone finds it.
        ([(1,), (-1,)], "0\n", None),
        ([(1,), (-1,)], "1 0\n", 1),
        ([()], "0\n", None),
        ([()], "1 0\n2 0\n0\n", None),
        ([], "0\n", 0),
        ([], "1 0\n0\n", 0),
        (ALL_FOUR, "0\n", 0),
        (ALL_FOUR, "1 0\n0\n", None),
        (ALL_FOUR, "1 0\n", 1),
        (ALL_FOUR, "1 0\n0\n2 0\n", None),
        # Clauses of the formula may repeat literals, or hold always.
        ([(1, 1), (-1, -1, -1)], "0\n", None),
        ([(1, -1), (2, 2, -1), *ALL_FOUR], "1 0\n0\n", None),
        ([(1, -1)], "1 0\n", 0),
        # Deletions are honoured: each clause of the four is needed for the first unit ...
        (ALL_FOUR, "d 1 2 0\n1 0\n0\n", 1),
        (ALL_FOUR, "d -2 1 0\n1 0\n0\n", 1),
        # ... the other two for the end; after that none is.
        (ALL_FOUR, "1 0\nd 1 2 0\n0\n", None),
        (ALL_FOUR, "d -1 2 0\n1 0\n0\n", 2),
        (ALL_FOUR, "1 0\nd -1 2 0\n0\n", None),
        # One of two equal clauses goes, then the other.
        ([*ALL_FOUR, (2, 1)], "d 1 2 0\n1 0\n0\n", None),
        ([*ALL_FOUR, (2, 1)], "d 1 2 0\nd 1 2 0\n1 0\n0\n", 2),
        # Not there: nothing happens. Added again: there again.
        (ALL_FOUR, "d 1 3 0\nd 3 0\nd 1 0\n1 0\n0\n", None),
        (ALL_FOUR, "1 2 3 0\nd 1 2 3 0\nd 3 2 1 0\n1 0\n0\n", None),
        ([*ALL_FOUR, (1, 2)], "d 1 2 0\n1 2 0\nd 1 2 0\n1 0\n0\n", None),
        # A fact stays when its unit clause or its reason is deleted.
        ([(3,), (-3, 1), (-1, 2, 4), (-1, 2, -4), (-2, 4), (-2, -4)],
         "d 3 0\nd -3 1 0\n2 0\n0\n", None),
        ([(3,), (-3, 1), (-1, 2, 4), (-1, 2, -4), (-2, 4)],
         "d 3 0\nd -3 1 0\n2 0\n0\n", 3),
        # RAT, not RUP: 3 is new and can be defined at will, but does not follow.
        ([(1, 2)], "3 0\n0\n", 0),
        ([(1, 2), (3, 1)], "-3 0\n0\n", 0),
    ],
)  # fmt: skip
def test_by_hand(formula: Formula, text: str, expected: int | None) -> None:
    assert first_bad_line(formula, read(text)) == expected
    assert verdict(formula, text, 4) == expected


@pytest.mark.parametrize("clause", ALL_FOUR)
def test_a_longer_clause_is_not_taken_for_a_shorter(clause: tuple[int, int]) -> None:
    # Among so many there are some whose hash is that of the clause itself.
    for third in range(3, 100):
        text = write([(True, (*clause, third)), (True, (-third, *clause)), *read("1 0\n0\n")])
        assert verdict(ALL_FOUR, text, 100) is None


def test_the_sentence_shows_the_line() -> None:
    proof = checker.parse("2 0\n-2 1 0\n", 2)
    with pytest.raises(checker.ProofError, match=r"^line 2: '-2 1 0' does not follow by unit"):
        checker.check(checker.formula([(2,)]), proof)


def test_the_core_leaves_out_what_nothing_rests_on() -> None:
    formula = [*ALL_FOUR, (3, 4), (3, -4)]
    lines = checker.core(
        checker.formula(formula), checker.parse("3 0\n1 4 0\nd 3 4 0\n1 0\n2 0\n0\n0\n", 4)
    )
    assert lines == [3, 5]


def long_formula(rng: np.random.Generator) -> list[list[int]]:
    """Pigeons: one more than there are holes, their names mixed."""
    holes = 5
    names = rng.permutation(holes * (holes + 1)) + 1
    at = [[int(names[p * holes + h]) for h in range(holes)] for p in range(holes + 1)]
    clauses = [list(row) for row in at]
    for h in range(holes):
        for p in range(holes + 1):
            clauses += [[-at[p][h], -at[q][h]] for q in range(p)]
    return clauses


@pytest.mark.parametrize("name", ["cadical195", "glucose4", "maplecm"])
def test_long_proofs_and_their_corruptions(name: str) -> None:
    rng = np.random.default_rng(4)
    formula = long_formula(rng)
    with Solver(name=name, bootstrap_with=formula, with_proof=True) as solver:
        assert not solver.solve()
        lines = [*solver.get_proof(), "0"]
    assert len(lines) > 60
    proof = read("\n".join(lines))
    assert verdict(formula, write(proof), 30) is None
    refused = 0
    for _ in range(15):
        k = int(rng.integers(len(proof) - 1))
        deletes, clause = proof[k]
        flip = int(rng.integers(len(clause))) if clause else 0
        changed = (deletes, tuple(-x if j == flip else x for j, x in enumerate(clause)))
        broken = [*proof[:k], *([changed] if rng.random() < 0.5 else []), *proof[k + 1 :]]
        expected = first_bad_line(formula, broken)
        assert verdict(formula, write(broken), 30) == expected
        refused += expected is not None
    assert refused
