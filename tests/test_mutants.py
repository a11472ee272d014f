"""The tests tested: rungs broken on purpose, one by one, which the correspondences must notice.

A mutant is a ladder file with one piece of text changed. It runs as plain Python in place of the
compiled one. Rungs of which no correspondence speaks are held against their twins instead.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.abc import SourceLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from genres import NAMES, boards, random_boards

from hashigo.ladder import closure
from hashigo.ladder.probe import Probe
from hashigo.ladder.rung import Correspondence, ladder, select
from hashigo.models.puzzle import Left, Puzzle
from hashigo.scripts import theorems
from hashigo.scripts.theorems import Bench, Tally, states

ROOT = Path(__file__).parents[1]


class Mutant(NamedTuple):
    """What is changed in which file of ladder/, and what that should break."""

    rung: str
    file: str
    old: str
    new: str


# What all genres share.
PROBE = [
    Mutant(
        "probe", "probe", "in self._ladder.probes(masks):", "in self._ladder.probes(masks)[1:]:"
    ),
    Mutant("probe", "probe", "trial) != CONTRADICTION", "trial) == CONTRADICTION"),
    Mutant("probe", "probe", "masks[i] = left & ~assumed", "masks[i] = assumed"),
    Mutant("probe", "probe", "fixpoint(self._lower, trial)", "fixpoint(self._lower[:1], trial)"),
]
MUTANTS = [
    (name, mutant)
    for name in NAMES
    for mutant in chain((Mutant(*texts) for texts in boards(name).MUTANTS), PROBE)
]


def plain(function: Callable[..., object]) -> Callable[..., object]:
    """In place of the compiler."""
    return function


class Text(SourceLoader):
    """A module from a text in memory."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text = path, text

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_data(self, path: str) -> bytes:
        return self._text.encode()


def put_in_place(file: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the changed text, and let all of ladder/ use what it defines."""
    path = ROOT / "ladder" / f"{file}.py"
    text = path.read_text()
    assert not old or text.count(old) == 1, f"{old!r} is not once in {path}"
    name = f"hashigo.ladder.{file}"
    original = import_module(name)
    loader = Text(path, text.replace(old, new) if old else text)
    spec = spec_from_loader(name, loader)
    assert spec is not None
    changed = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, changed)
    with monkeypatch.context() as uncompiled:
        uncompiled.setattr("hashigo.models.kernel.kernel", plain)
        loader.exec_module(changed)
    for user in [m for n, m in sys.modules.items() if n.startswith("hashigo.ladder.")]:
        for key, value in list(vars(user).items()):
            if user is not changed and value is getattr(original, key, None) and callable(value):
                monkeypatch.setattr(user, key, getattr(changed, key))


def caught(name: str, rung: str, puzzle: Puzzle, rng: np.random.Generator) -> bool:
    """Whether a claim does not hold; or a rung of which no claim speaks is not its twin."""
    tallies: dict[Correspondence, Tally] = {}
    with Bench(puzzle) as bench:
        own_claim = rung in {c.rung for c in bench.claims} | {Probe.name}
        for left in states(bench.ladder, rng, 3):
            bench.check(left, tallies)
            if any(tally.differences for tally in tallies.values()):
                return True
            if not own_claim and differs_from_twin(name, bench, rung, left):
                return True
    return False


def differs_from_twin(name: str, bench: Bench, rung: str, left: Left) -> bool:
    """Whether the rung's own fixpoint is not the twin's."""
    mine = closure.alone(bench.ladder, rung, left)
    twin = boards(name).twin(rung, bench.puzzle, [set(some) for some in left])
    return mine != (None if twin is None else [sorted(some) for some in twin])


@pytest.fixture
def limit() -> Iterator[None]:
    """What a mutant has time for: a broken rung may never come to an end."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_broken_rung_is_noticed(
    name: str, mutant: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_module(f"hashigo.ladder.{name}")
    put_in_place(*mutant[1:], monkeypatch)
    rng = np.random.default_rng(60)
    small = (boards(name).random_board(rng, 4) for _ in range(60))
    larger = (puzzle for puzzle, _ in theorems.boards(name, 400, seed=60))
    assert any(caught(name, mutant.rung, puzzle, rng) for puzzle in chain(small, larger))


@pytest.mark.parametrize("name", NAMES)
def test_unbroken_rungs_run_as_plain_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What notices the mutants is not that they are not compiled."""
    import_module(f"hashigo.ladder.{name}")
    for file in {mutant.file for genre, mutant in MUTANTS if genre == name}:
        put_in_place(file, "", "", monkeypatch)
    rng = np.random.default_rng(61)
    for puzzle in random_boards(name, 15, seed=61):
        rungs = [rung.name for rung in select(ladder(puzzle))]
        assert not any(caught(name, rung, puzzle, rng) for rung in rungs)


@pytest.mark.parametrize("name", NAMES)
def test_every_rung_is_broken(name: str) -> None:
    rungs = {rung.name for rung in select(ladder(next(random_boards(name, 1))))}
    assert rungs == {mutant.rung for genre, mutant in MUTANTS if genre == name}
