"""Bad input ends in one sentence: what, where, and what was expected."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from genres import NAMES, SHARED, boards, random_boards

from hashigo.models import codec
from hashigo.models.reading import PuzzleError, PuzzleWarning

ODD = SHARED / "cases" / "odd-urls.jsonl"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty input"),
        ("kropki", "is not a puzzle"),
        ("https://example.com/", "is not a puzzle"),
        ("hello world", "is not a puzzle"),
        ("kropki/4/4/aa7fioc", "expected 8 characters for 4 rows and 4 columns, got 7"),
        ("kropki/4/4/aa7fiocoo", "expected 8 characters"),
        ("kropki/2/2/zz", r"character 1 \('z'\): expected one of 0-9 or a-q"),
        ("kropki/2/2/5", "expected 2 characters"),
        ("kropki/2/1/", "expected 1 characters"),
        ("kropki/0/4/aa", "number of columns is '0'"),
        ("kropki//4/aa", "number of columns is ''"),
        ("kropki/4", "number of rows is ''"),
        ("kropki/5.5/5/aa", "number of columns is '5.5'"),
        ("kropki/-4/4/aa", "number of columns is '-4'"),
        ("kropki/\uff14/4/aa7fioco", "number of columns"),
        ("kropki/99999/99999/0", "number of columns is '99999'; expected 1 to 32"),
        ("kropki/33/1/0", "number of columns is '33'; expected 1 to 32"),
        ("kropki/1/100000/", "number of rows is '100000'; expected 1 to 32"),
        (f"kropki/1/{10**50}/", "number of rows is '10000000000000000...'; expected 1 to 32"),
        ("pzprv3/kropki/100000/1/", "file: the number of rows is '100000'; expected 1 to 32"),
        (f"pzprv3/kropki/1/{10**50}/", "number of columns is '1000.*; expected 1 to 32"),
        ("kropki 1x100000\n.", "text: the number of columns is '100000'; expected 1 to 32"),
        (f"kropki {10**50}x1\n.", "text: the number of rows is '1000.*; expected 1 to 32"),
        ("kropki 0x1\n.", "text: the number of rows is '0'; expected 1 to 32"),
        ('{"genre": "kropki", "rows": 100000, "cols": 1}', "100000 rows and 1 columns; expected 1"),
        (f'{{"genre": "kropki", "rows": 1, "cols": {10**4000}}}', "1 rows and 1000.*; expected 1"),
        ('{"genre": "kropki", "rows": 1e5, "cols": 1}', "to be whole numbers"),
        ("kropki 1x2\n. o 1000000", "the given 1000000 at R1C2 is not 1 to 2"),
        ("kropki/4/4/aa7fioco/extra", "expected 8 characters"),
        ("kropki/v:/5/5/aa", "a variant with rules of its own"),
        ("kropki/v:antiknight/5/5/aa", "a variant"),
        ("Kropki/4/4/aa7fioco", "'Kropki' is not a genre known here"),
        ("minarism/4/4/aa7fioco", "'minarism' is not a genre known here"),
        ("pzprv3/kropki/4", "genre, rows and columns"),
        ("pzprv3/kropki/4/x/", "number of columns is 'x'; expected 1 to 32"),
        ("v:x/pzprv3/kropki/4/4/", "a variant"),
        ("pzprv3/kropki/1/2/7/. ./", "body line 1: border '7'"),
        ("pzprv3/kropki/1/2/1/. x/", "body line 2: cell 'x'"),
        ("pzprv3/kropki/1/2/1/. . ./", "body line 2: expected 2 tokens, got 3"),
        ("kropki 1x2\n. x .", "edge 'x'; expected one of - o"),
        ("kropki 1x2\n. o", "line 2: expected 3 signs, got 2"),
        ("kropki 1x2\n. o a", "cell 'a'"),
        ("kropki 1x2\n. o 3", "the given 3 at R1C2 is not 1 to 2"),
        ("kropki 1x2 colour=red\n. o .", "convention"),
        ("kropki 1x2 convention=red\n. o .", "'red' is not one of: either, black"),
        ("{", "JSON: "),
        ("{}", "expected 'genre'"),
        ('{"genre": "kropki", "rows": "1", "cols": 2}', "expected 'rows' and 'cols'"),
        ('{"genre": "kropki", "rows": 1, "cols": 2}', "expected 1 rows of 1"),
        ('{"genre": "kropki", "rows": 1, "cols": 2, "v": [[3]], "h": []}', "label 3 in 'v'"),
        ('{"genre": "kropki", "rows": 1, "cols": 2, "v": [[true]], "h": []}', "label True"),
        ("[" * 100_000, "is not a puzzle"),
        ('{"a":' * 100_000, "JSON: "),
        ('{"genre": "kropki", "rows": 1, "rows": 2}', "JSON: 'rows' is there twice"),
        ("kropki 1x2 convention=black convention=either\n. o .", "'convention' is there twice"),
        ("kropki/4/4/aa7fioco\n# the next\nkropki/1/1//", "goes on in another line after '#'"),
        ("http://a/?kropki/1/1//#one\nhttp://a/?kropki/2/1/9 two", "is not a puzzle"),
    ],
)  # fmt: skip
def test_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PuzzleError, match=sentence) as caught:
        codec.read(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kropki/2/2/", "no body; read as a 2x2 board without any dot"),
        ("kropki/2/2/01", "unused digits at its end"),
        ("kropki/flag/4/4/aa7fioco", "the flag 'flag' is not known"),
    ],
)
def test_read_with_a_warning(text: str, sentence: str) -> None:
    with pytest.warns(PuzzleWarning, match=sentence):
        codec.read(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_url_cut_short_is_refused(name: str) -> None:
    """Never "several answers"."""
    for url in boards(name).URLS:
        body = url.rstrip("/")
        if body.count("/") == 3:
            with pytest.raises(PuzzleError):
                codec.read(body[:-1])


@pytest.mark.parametrize("name", NAMES)
def test_a_url_with_a_letter_too_many_is_refused(name: str) -> None:
    for url in boards(name).URLS:
        with pytest.raises(PuzzleError):
            codec.read(url.rstrip("/") + "/0" * (url.count("/") == 4) + "0")


def test_odd_urls() -> None:
    """Each is refused with a sentence or read with a warning, as its `wanted` says, or right."""
    accepted = {"kropki/2/2/": "warning"}
    for row in map(json.loads, ODD.read_text().splitlines() if ODD.exists() else ()):
        url, wanted = row["url"], row["wanted"]
        if url.split("/")[0] not in NAMES:
            wanted = "reject: no such genre"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PuzzleWarning)
            try:
                codec.read(url)
            except PuzzleError as error:
                assert (
                    "reject" in wanted
                    or "warn" in wanted
                    or "accept" in wanted
                    or ("ignored" in wanted)
                ), (row, error)
                continue
        assert bool(caught) == (accepted.get(url) == "warning"), row


def _mutations(texts: list[str], count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    alphabet = '0123456789abcdefghijklmnopqrstuvwxyz.-+=/?#*%:{}[]",\n\0\u00e9\u0661 '
    found = []
    for _ in range(count):
        text = list(texts[rng.integers(len(texts))])
        for _ in range(rng.integers(1, 4)):
            k = int(rng.integers(len(text) + 1))
            kind = rng.integers(5)
            letter = alphabet[rng.integers(len(alphabet))]
            if kind == 0:
                text.insert(k, letter)
            elif kind == 1 and text:
                text[k % len(text)] = letter
            elif kind == 2 and text:
                del text[k % len(text)]
            elif kind == 3:
                text = text[:k]
            else:
                other = texts[rng.integers(len(texts))]
                text[k:] = other[int(rng.integers(len(other) + 1)) :]
        found.append("".join(text))
    return found


def valid_inputs() -> list[str]:
    found = []
    for name in NAMES:
        found += boards(name).URLS
        found += [text for _, text in boards(name).FAILING]
        for puzzle in random_boards(name, 15, seed=30):
            found += [codec.text(puzzle), json.dumps(codec.to_json(puzzle))]
    return found


def test_ten_thousand_mutations() -> None:
    """Read, or refused; what is read can be drawn and judged."""
    refused = 0
    for text in _mutations(valid_inputs(), 10_000, seed=31):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PuzzleWarning)
            try:
                puzzle, filling = codec.read(text)
            except PuzzleError as error:
                refused += 1
                assert "\n" not in str(error)
                continue
        assert str(puzzle) or puzzle.rows
        list(puzzle.violations(filling or puzzle.blank()))
    assert 1000 < refused < 10_000


def test_every_form_of_a_case_is_kept(tmp_path: Path) -> None:
    """A byte order mark or Windows line ends change nothing."""
    text = codec.text(codec.read("kropki/4/4/aa7fioco").puzzle)
    assert codec.read("\ufeff" + text).puzzle == codec.read(text.replace("\n", "\r\n")).puzzle
