"""The same work with kernels left as plain Python: the twin that Numba's share is shown against.

`python -m bench.interpreted MODULE FUNCTION` prints the seconds of one call; `seconds_of` runs that
in a process of its own, since Numba is switched off for a whole process or not at all.
"""

import os
import subprocess
import sys
from importlib import import_module

from bench.timing import seconds


def seconds_of(module: str, function: str) -> float:
    """Processor time of one call without Numba."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.interpreted", module, function],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    return float(done.stdout)


def main() -> None:
    module, function = sys.argv[1:]
    # Warm, as the compiled side is: what is imported on the way is not the kernels' time.
    print(seconds(getattr(import_module(module), function)))


if __name__ == "__main__":
    main()
