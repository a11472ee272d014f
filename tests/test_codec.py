"""Every form of every genre round-trips, and says what it means."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from genres import NAMES, boards, random_boards
from hypothesis import given, settings
from hypothesis import strategies as st

from hashigo.counting.sat import Sat
from hashigo.models import codec
from hashigo.models.draw import svg
from hashigo.models.puzzle import Puzzle
from hashigo.models.reading import PuzzleError
from hashigo.models.verdict import Budget, decide

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_forms_round_trip(name: str, seed: int) -> None:
    puzzle: Puzzle = boards(name).random_board(np.random.default_rng(seed))
    assert codec.read(codec.text(puzzle)).puzzle == puzzle
    assert codec.read(json.dumps(codec.to_json(puzzle))).puzzle == puzzle
    for write in (codec.url, codec.tail, codec.pzprv3):
        try:
            text = write(puzzle)
        except PuzzleError:
            continue
        assert codec.read(text).puzzle == puzzle
        assert codec.read(text.replace("\n", "/")).puzzle == puzzle
        assert codec.read(text.replace("\n", "\r\n")).puzzle == puzzle


@pytest.mark.parametrize("name", NAMES)
def test_urls_round_trip_to_the_letter(name: str) -> None:
    for url in boards(name).URLS:
        puzzle = codec.read(url).puzzle
        assert codec.tail(puzzle) == url
        for envelope in (
            "https://puzz.link/p?{}",
            "http://pzv.jp/p.html?{}",
            "https://pzprxs.vercel.app/p?type=editor&{}",
            "{}#note",
            " {}\n",
        ):
            assert codec.read(envelope.format(url)).puzzle == puzzle
        pid, rest = url.split("/", 1)
        assert codec.read(f"{pid}_edit/{rest}").puzzle == puzzle
        as_file = codec.pzprv3(puzzle).replace(" ", "%20").replace("\n", "/")
        assert codec.read(f"https://puzz.link/p?{as_file}").puzzle == puzzle


@pytest.mark.parametrize("name", NAMES)
def test_answers_round_trip(name: str) -> None:
    for puzzle in random_boards(name, 30):
        for answer in decide(Sat(), puzzle, Budget(3)).answers:
            filling = puzzle.fill(answer)
            read = codec.read(json.dumps(codec.to_json(puzzle, filling)))
            assert read.puzzle == puzzle
            assert read.filling == filling
            assert puzzle.read_filling(puzzle.filling_json(filling)) == filling
            try:
                text = codec.pzprv3(puzzle, filling)
            except PuzzleError:
                continue
            again = codec.read(text)
            assert again.filling is not None
            codes = [v.code for v in puzzle.violations(again.filling)]
            assert codes == [v.code for v in puzzle.violations(filling)]


@pytest.mark.parametrize("name", NAMES)
def test_pictures(name: str) -> None:
    for puzzle in random_boards(name, 40):
        picture = svg(puzzle, puzzle.blank())
        root = ET.fromstring(picture)
        assert root.tag.endswith("svg")
        assert puzzle._repr_svg_() == svg(puzzle)
        lines = str(puzzle).splitlines()
        assert len(lines) >= puzzle.rows
        assert all(line == line.rstrip() for line in lines)


def test_models_are_light() -> None:
    """Reading and judging must not pull in solvers, numpy or numba."""
    heavy = "{'numpy', 'numba', 'ortools', 'pysat', 'rich', 'joblib'}"
    code = (
        f"import sys, hashigo.models.codec, hashigo.scripts.main; print({heavy} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
