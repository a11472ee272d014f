"""Libraries that not every user needs, and what to say where one is missing."""

from importlib import import_module
from typing import Any

from hashigo.models.reading import PuzzleError


def extra(module: str, name: str, what: str) -> Any:
    """Import a module of an optional extra.

    Raises:
        PuzzleError: it is not installed; the message says how to get it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise PuzzleError(
            f"{what} needs {error.name}, which is not installed; pip install 'hashigo[{name}]'"
        ) from None
