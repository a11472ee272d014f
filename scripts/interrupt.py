"""Ctrl-C, heard even where it comes inside of a library that loses it."""

import signal
import sys

_AGAIN = 2.0  # seconds until an interrupt that ended nothing comes again


class _Ears:
    """The handler, which remembers that it was called."""

    heard = False

    def __call__(self, *_: object) -> None:
        self.heard = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        raise KeyboardInterrupt


_ears = _Ears()


def listen() -> None:
    """Raise KeyboardInterrupt from now on, and again until something comes of it.

    Where it comes in a callback, as in the middle of compiling, it is dropped, or ends in an error
    of another kind.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # somebody wants it ignored
    signal.signal(signal.SIGINT, _ears)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _ears)
    others = sys.unraisablehook

    def dropped(what: "sys.UnraisableHookArgs") -> None:
        if what.exc_type is not KeyboardInterrupt:
            others(what)

    sys.unraisablehook = dropped


def heard() -> bool:
    """Whether Ctrl-C was pressed; from here on it comes no more."""
    if _ears.heard and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    return _ears.heard
