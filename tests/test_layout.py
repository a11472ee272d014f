"""Who imports whom, read off the syntax trees."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hashigo.models import GENRES

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "models": {"models"},
    "ladder": {"models", "ladder"},
    "counting": {"models", "counting", "hashigo"},
    "scripts": {"models", "ladder", "counting", "scripts", "hashigo"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("folder", ALLOWED)
def test_who_imports_whom(folder: str) -> None:
    for path in (ROOT / folder).glob("**/*.py"):
        for name in imports(path):
            parts = name.split(".")
            assert parts[0] not in ALLOWED, f"{path}: import hashigo.{name}"
            if parts[0] == "hashigo":
                room = parts[1] if len(parts) > 1 and parts[1] in ALLOWED else "hashigo"
                assert room in ALLOWED[folder], f"{path} imports {name}"


def test_engines_do_not_share_reasoning() -> None:
    """A genre's counting file knows its model's data; no other engine does."""
    for genre in GENRES:
        for folder in ("ladder", "counting"):
            for name in imports(ROOT / folder / f"{genre.name}.py"):
                assert not name.startswith("hashigo.models.cnf")
                assert not name.startswith("hashigo.models.cpsat")


def test_links_lead_to_the_folders() -> None:
    for folder in ALLOWED:
        link = ROOT / "src" / "hashigo" / folder
        assert link.is_symlink()
        assert link.resolve() == (ROOT / folder).resolve()


def test_what_is_installed_is_all_there_is() -> None:
    """Every package and every file of data is listed, as a wheel needs them."""
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {path for folder in ALLOWED for path in (ROOT / folder).glob("**/*") if path.is_file()}
    packages = {path.parent for path in found if path.name == "__init__.py"}
    names = {".".join(("hashigo", *path.relative_to(ROOT).parts)) for path in packages}
    assert set(setup["packages"]) == {"hashigo", *names}
    data = {
        path
        for package, patterns in setup["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")[1:]).glob(pattern)
    }
    code = {path for path in found if path.suffix == ".py" and path.parent in packages}
    assert {path for path in found if path.parent.name != "__pycache__"} <= code | data


def test_each_genre_is_one_file_per_folder() -> None:
    for genre in GENRES:
        for folder in ("models", "ladder", "counting", "counting/samples"):
            assert (ROOT / folder / f"{genre.name}.py").is_file()


def test_no_core_file_names_a_genre() -> None:
    names = {genre.name for genre in GENRES}
    own = {f"{name}.py" for name in names}
    for folder in ALLOWED:
        for path in (ROOT / folder).glob("**/*.py"):
            if path.name in own or path == ROOT / "models" / "__init__.py":
                continue
            text = path.read_text().lower()
            assert not [name for name in names if name in text], path
