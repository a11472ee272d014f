"""How kernels are compiled: one place for Numba's options, and a decorator that keeps types."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a function of ints and arrays; it can still be had as `function.py_func`.

    Cached on disk. An edited callee in another file would not be noticed there, so kernels that
    call each other stand in one file.
    """
    return cast(F, numba.njit(cache=True, nogil=True)(function))
