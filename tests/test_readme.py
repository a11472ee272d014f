"""What README and manual show is what the commands print."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SESSIONS = [
    (page.name, re.findall(r"\$ (.*)\n((?:(?!\$ ).*\n)*)", block))
    for page in PAGES
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
]


@pytest.mark.parametrize(("page", "session"), SESSIONS, ids=lambda part: str(part)[:40])
def test_sessions(page: str, session: list[tuple[str, str]], tmp_path: Path) -> None:
    """The commands of a block run one after another, in an empty folder."""
    for command, output in session:
        words = shlex.split(command)
        assert words[0] == "hashigo", "only the command itself can be tested"
        done = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        got = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
        same = doctest.OutputChecker().check_output
        assert same(output.rstrip() + "\n", got.rstrip() + "\n", doctest.ELLIPSIS), got


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_every_page_can_be_reached() -> None:
    reached, links = {"README.md"}, ["README.md"]
    while links:
        page = ROOT / links.pop()
        for name in re.findall(r"\]\(([\w/]+\.md)\)", page.read_text()):
            target = (page.parent / name).resolve().relative_to(ROOT).as_posix()
            assert (ROOT / target).is_file(), f"{page.name}: {name}"
            if target not in reached:
                reached.add(target)
                links.append(target)
    assert reached >= {page.relative_to(ROOT).as_posix() for page in PAGES}


def test_every_extra_is_in_the_manual() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    manual = (ROOT / "docs" / "manual.md").read_text()
    assert [name for name in extras if f"hashigo[{name}]" not in manual] == []


def test_every_command_is_in_the_readme() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hashigo", "--help"], capture_output=True, text=True, check=True
    )
    commands = re.findall(r"^  (\w+)  ", done.stdout.partition("Commands:")[2], re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        assert f"`hashigo {command}" in PAGES[0].read_text()
