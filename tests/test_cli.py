"""The command line: exit codes, JSON, many puzzles, standard input, forms."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from genres import NAMES, SHARED, boards

from hashigo.models import codec
from hashigo.scripts import check

URL = "kropki/4/4/aa7fioco"


def hashigo(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hashigo", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_check_of_a_unique_board() -> None:
    done = hashigo("check", "--json", URL)
    (data,) = lines(done)
    assert done.returncode == 0
    assert data["status"] == "UNIQUE"
    assert [e["engine"] for e in data["engines"]] == ["cpsat", "sat", "ladder", "brute"]
    assert {(e["status"], e["count"]) for e in data["engines"]} == {("UNIQUE", 1)}
    assert data["answers"] == [[[4, 3, 1, 2], [2, 1, 3, 4], [1, 4, 2, 3], [3, 2, 4, 1]]]
    assert (data["puzzle"], data["genre"], data["grade"]) == (URL, "kropki", "dot")


def test_check_of_several_puzzles_in_order() -> None:
    """One that cannot be read does not stop the others."""
    done = hashigo("check", "--json", URL, "kropki/2/2/zz", "kropki/1/10/h3e")
    first, bad, several = lines(done)
    assert done.returncode == 2
    assert first["status"] == "UNIQUE"
    assert set(bad) == {"puzzle", "error"}
    assert "expected one of 0-9 or a-q" in bad["error"]
    assert (several["status"], len(several["answers"])) == ("MULTIPLE", 3)
    table = hashigo("check", URL, "kropki/2/2/zz", "--engine", "sat")
    assert "BAD INPUT" in table.stdout and "UNIQUE" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((URL,), 0),
        (("kropki/1/10/h3e",), 1),
        (("kropki 1x2\n. - .",), 1),
        (("kropki/2/2/zz",), 2),
        (("nosuch.json",), 2),
        ((URL, "--engine", "nosuch"), 2),
        ((URL, "--engine", "sat:nosuch"), 2),
        ((URL, "--limit", "0"), 2),
        (("kropki/9/9/" + "0" * 48, "--engine", "brute", "--nodes", "3"), 4),
    ],
)
def test_check_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    done = hashigo("check", *arguments)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert bool(done.stderr) == (code == 2)


INTERRUPTED = """
import os, signal, threading
from hashigo.scripts import check, main
decide = check.decide
def interrupted(*arguments):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return decide(*arguments)
check.decide = interrupted
main.main()
"""


@pytest.mark.parametrize("engine", check.ENGINES)
def test_an_interrupt_ends_the_search(engine: str) -> None:
    """It is not taken for the end of the time, after which the next engine would start."""
    words = ("check", "kropki/12/12/" + "0" * 88, "--engine", engine, "--time-limit", "120")
    limits = ("--limit", str(10**9), "--nodes", str(10**9))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words, *limits],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")


FAULTY = """
from hashigo.scripts import judge, main, sources
def fault(*arguments):
    return {}["no such\\nkey"]
sources.one = fault
main.main()
"""


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_fault_of_ours_has_a_code_of_its_own(debug: str) -> None:
    """It is not taken for a verdict; where it came from is shown on demand."""
    done = subprocess.run(
        [sys.executable, "-c", FAULTY, "judge", URL],
        env=os.environ | {"HASHIGO_DEBUG": debug},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (70, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("hashigo: a fault of hashigo itself") and "KeyError" in last
    assert ("Traceback" in done.stderr) == (debug == "1") == (done.stderr.count("\n") > 1)


def test_disagreement_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    class Liar:
        name = "liar"

        def answers(self, *_: object) -> Any:
            return iter(())

    honest = check.make_engine
    monkeypatch.setattr(
        check, "make_engine", lambda name: Liar() if name == "brute" else honest(name)
    )
    report = check.examine(URL, URL, check.Settings(("sat", "brute"), 10, 10.0, 1000))
    assert report.exit == 3
    assert "ENGINES DISAGREE" in report.error
    assert "·" in report.error, "the board is shown"


def test_a_board_without_an_answer_is_drawn() -> None:
    done = hashigo("check", "kropki 1x2\n. - .", "--engine", "sat")
    assert "NONE: no answer" in done.stdout
    assert "·   ·" in done.stdout


def test_limit_and_at_least() -> None:
    done = hashigo("count", "kropki 3x3\n. ? . ? .\n? ? ?\n. ? . ? .\n? ? ?\n. ? . ? .")
    assert (done.returncode, done.stdout.split()[:2]) == (0, ["12", "answers,"])
    done = hashigo("count", "kropki 3x3\n. ? . ? .\n? ? ?\n. ? . ? .\n? ? ?\n. ? . ? .",
                   "--method", "enumerate", "--limit", "5")  # fmt: skip
    assert done.returncode == 4
    assert done.stdout.startswith("at least 5 answers")


def test_standard_input() -> None:
    assert hashigo("check", "--json", "-", text=URL + "\n").returncode == 0
    many = hashigo("check", "--json", "-", text=f"{URL}\nkropki/1/10/h3e\n")
    assert [data["puzzle"] for data in lines(many)] == [URL, "kropki/1/10/h3e"]
    whole = hashigo("check", "--json", "-", text=codec.pzprv3(codec.read(URL).puzzle))
    assert lines(whole)[0]["status"] == "UNIQUE"


@pytest.mark.parametrize(("redirect", "sentence"), [("<&-", "is closed"), ("<board", "not text")])
def test_standard_input_that_is_none(redirect: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "board").write_bytes(b"\xff\xfe\x00")
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f'cd "$1" && "$0" -m hashigo judge - {redirect}',
            sys.executable,
            tmp_path,
        ],
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert sentence in done.stderr


def test_a_board_is_drawn_in_any_character_set() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hashigo", "solve", URL],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"4 \u25cb 3   1 \u25cb 2" in done.stdout


@pytest.mark.parametrize("limit", ["0", "nan", "inf", "1e300"])
def test_a_time_limit_that_is_none(limit: str) -> None:
    for method in ("ganak", "enumerate"):
        done = hashigo("count", URL, "--method", method, "--time-limit", limit)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_jobs_change_nothing() -> None:
    arguments = ("check", "--json", URL, "kropki/1/10/h3e", "kropki/2/2/zz")
    one, two = (lines(hashigo(*arguments, *more)) for more in ((), ("--jobs", "2")))
    for data in (*one, *two):
        for engine in data.get("engines", ()):
            del engine["seconds"]
    assert one == two


def test_solve_in_words() -> None:
    done = hashigo("solve", URL)
    assert done.returncode == 0
    assert "white dot (consecutive) between R1C1 and R1C2" in done.stdout
    assert "every step was forced, so this is the only answer" in done.stdout
    data = json.loads(hashigo("solve", "--json", URL).stdout)
    assert (data["outcome"], data["grade"], data["left"]) == ("solved", "dot", {})
    assert all({"rung", "reason", "so", "removed"} <= set(step) for step in data["steps"])


def test_solve_that_is_stuck_says_what_is_left() -> None:
    done = hashigo("solve", "kropki/1/10/h3e")
    assert done.returncode == 4
    assert "stuck: no rung says more. Left open:" in done.stdout
    assert "R5C1: 7 8" in done.stdout
    assert hashigo("solve", "kropki 1x2\n. - .").returncode == 1
    assert hashigo("solve", URL, "--rung", "nosuch").returncode == 2
    assert hashigo("solve", URL, "--without", "dot").returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_convert_and_back(name: str, tmp_path: Path) -> None:
    url = boards(name).URLS[0]
    for form in ("url", "pzprv3", "text", "json"):
        made = hashigo("convert", url, "--to", form)
        assert made.returncode == 0, made
        assert hashigo("convert", "-", "--to", "url", text=made.stdout).stdout.endswith(url + "\n")
    path = tmp_path / "board.svg"
    assert hashigo("convert", url, "--to", "svg", "-o", str(path)).returncode == 0
    assert path.read_text().startswith("<svg")


@pytest.mark.parametrize("name", NAMES)
def test_dimacs_has_names_and_a_projection(name: str) -> None:
    from pysat.formula import CNF

    text = hashigo("convert", boards(name).URLS[0], "--to", "dimacs").stdout
    assert "\nc p show 1 2 " in text
    formula = CNF(from_string=text)
    head = next(line for line in text.splitlines() if line.startswith("p cnf"))
    assert head.split()[2:] == [str(formula.nv), str(len(formula.clauses))]


def test_convert_with_the_answer() -> None:
    solved = hashigo("convert", URL, "--to", "json", "--solved")
    assert json.loads(solved.stdout)["answer"][0] == [4, 3, 1, 2]
    assert ">4</text>" in hashigo("convert", URL, "--to", "svg", "--solved").stdout
    several = hashigo("convert", "kropki/1/10/h3e", "--to", "svg", "--solved")
    assert (several.returncode, "the verdict is MULTIPLE" in several.stderr) == (2, True)


def test_convert_says_what_a_form_cannot_say() -> None:
    done = hashigo("convert", "kropki 1x2\n. ? .", "--to", "url")
    assert done.returncode == 2
    assert "a URL cannot say that an edge is unknown (R1C1-R1C2)" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_judge(name: str, tmp_path: Path) -> None:
    for code, text in boards(name).FAILING:
        path = tmp_path / "board.txt"
        path.write_text(text)
        done = hashigo("judge", str(path), "--json")
        codes = json.loads(done.stdout)["codes"]
        assert done.returncode == (1 if codes else 0)
        assert (codes[0] if codes else None) == code


def test_judge_on_public_cases(tmp_path: Path) -> None:
    path = SHARED / "cases" / "cases.jsonl"
    for case in map(json.loads, path.read_text().splitlines() if path.exists() else ()):
        if "pzprv3" in case and case["genre"] in NAMES:
            done = hashigo("judge", "-", "--json", text=case["pzprv3"])
            assert (json.loads(done.stdout)["codes"] or [None])[0] == case["expect"]


def test_solve_names_the_hardest_steps() -> None:
    done = hashigo("solve", "kropki/3/1/f", "--boards", "0")
    assert "grade: single\nhardest, by single: step 2\n" in done.stdout
    plain = hashigo("solve", "kropki 1x2\n1 o .", "--boards", "0")
    assert plain.returncode == 0 and "hardest" not in plain.stdout  # all are alike


def test_solve_says_what_to_do_when_stuck() -> None:
    done = hashigo("solve", "kropki/1/10/h3e", "--boards", "0")
    assert done.returncode == 4
    assert done.stdout.endswith("\ntry: hashigo check kropki/1/10/h3e\n")


def test_judge_of_an_empty_board_says_so() -> None:
    done = hashigo("judge", "nawabari/2/1/2.")
    assert "R1C1 is 2 and has 3 walls" in done.stdout
    assert "note: nothing is written on this board" in done.stdout


def test_no_summary_of_a_command_is_cut_short() -> None:
    listed = hashigo("--help").stdout.partition("Commands:")[2].strip().splitlines()
    assert len(listed) >= 5
    assert not [line for line in listed if line.endswith("...")]


def test_warnings_are_told() -> None:
    done = hashigo("check", "kropki/2/2/", "--engine", "sat")
    assert "hashigo: warning: kropki: no body" in done.stderr


def test_help_and_version_come_without_heavy_libraries() -> None:
    assert hashigo("--version").stdout.startswith("hashigo ")
    for command in ("check", "solve", "count", "judge", "convert"):
        assert "Exit code" in hashigo(command, "--help").stdout


def test_files_that_are_none(tmp_path: Path) -> None:
    binary = tmp_path / "board.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "not a text file" in hashigo("judge", str(binary)).stderr
    assert hashigo("judge", str(tmp_path)).returncode == 2
    assert "no such file" in hashigo("judge", "absent.txt").stderr
    assert "empty input" in hashigo("judge", "").stderr


def test_prove_and_verify(tmp_path: Path) -> None:
    folder = str(tmp_path / "it")
    done = hashigo("prove", URL, "-o", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("UNIQUE: one answer, and a proof that there is no other, ")
    assert "  4312/2134/1423/3241\n" in done.stdout
    done = hashigo("verify", folder)
    assert done.returncode == 0
    assert done.stdout.endswith("UNIQUE holds: one answer, and a proof that there is no other\n")
    (data,) = lines(hashigo("verify", "--json", folder))
    assert data == {
        "folder": folder,
        "holds": True,
        "genre": "kropki",
        "status": "UNIQUE",
        "answers": [[[4, 3, 1, 2], [2, 1, 3, 4], [1, 4, 2, 3], [3, 2, 4, 1]]],
    }
    done = hashigo("prove", "kropki/1/10/h3e", "-o", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not empty; expected a new or an empty folder" in done.stderr
    done = hashigo("prove", "kropki/1/10/h3e", "-o", folder, "--replace", "--json")
    assert done.returncode == 1
    (data,) = lines(done)
    assert (data["status"], len(data["answers"])) == ("MULTIPLE", 2)
    done = hashigo("verify", folder)
    assert done.returncode == 0
    assert "MULTIPLE holds: two different answers" in done.stdout
    with (tmp_path / "it" / "formula.cnf").open("a") as file:
        file.write("1 0\n")
    done = hashigo("verify", folder)
    assert done.returncode == 1
    assert done.stdout.startswith("REFUSED: formula.cnf: not the file whose hash is in manifest")
    (data,) = lines(hashigo("verify", "--json", folder))
    assert (data["holds"], set(data)) == (False, {"folder", "holds", "error"})


def test_prove_of_no_answer_and_out_of_time(tmp_path: Path) -> None:
    done = hashigo("prove", "kropki 1x2\n. - .", "-o", str(tmp_path / "none"))
    assert (done.returncode, done.stdout.partition(",")[0]) == (
        1,
        "NONE: a proof that there is no answer",
    )
    assert hashigo("verify", str(tmp_path / "none")).returncode == 0
    late = ("prove", URL, "-o", str(tmp_path / "late"), "--time-limit", "0.001")
    done = hashigo(*late)
    assert (done.returncode, done.stdout.partition(":")[0]) == (4, "UNKNOWN")
    (data,) = lines(hashigo(*late, "--json"))
    assert (data["status"], data["why"]) == ("UNKNOWN", "limit of 0.001 s")
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize("place", [".", "nosuch", "nosuch/deeper"])
def test_verify_of_what_is_no_certificate(place: str, tmp_path: Path) -> None:
    done = hashigo("verify", str(tmp_path / place))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a certificate: it has no manifest.json" in done.stderr


def test_output_that_cannot_be_written_has_a_code_of_its_own() -> None:
    full = Path("/dev/full")
    if full.exists():
        with full.open("w") as device:
            done = subprocess.run(
                [sys.executable, "-m", "hashigo", "convert", URL, "--to", "json"],
                stdout=device,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode not in (0, 1, 3, 4)
        assert "Traceback" not in done.stderr
