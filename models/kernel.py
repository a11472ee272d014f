"""How kernels are compiled: one place for Numba's options, and a decorator that keeps types."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

_BLAS = "scipy.linalg.cython_blas"


def _load_without_blas() -> None:
    """Load Numba's array functions without SciPy's BLAS, which no kernel here uses.

    Numba looks for it whenever SciPy is installed, at a third of a second for every command.
    """
    modules: dict[str, Any] = sys.modules
    if _BLAS in modules:
        return
    modules[_BLAS] = None  # what makes an import fail at once
    try:
        import_module("numba.np.arraymath")
    finally:
        del modules[_BLAS]


_load_without_blas()


def kernel(function: F) -> F:
    """Compile a function of ints and arrays; it can still be had as `function.py_func`.

    Cached on disk. An edited callee in another file would not be noticed there, so kernels that
    call each other stand in one file.
    """
    return cast(F, numba.njit(cache=True, nogil=True)(function))
