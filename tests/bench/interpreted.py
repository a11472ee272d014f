"""The same work with kernels left as plain Python: the twin that Numba's share is shown against.

`python -m bench.interpreted MODULE FUNCTION` prints the seconds of one call; `seconds_of` runs that
in a process of its own, since Numba is switched off for a whole process or not at all.
"""

import os
import subprocess
import sys
import time
from importlib import import_module


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
    work = getattr(import_module(module), function)
    start = time.process_time()
    work()
    print(time.process_time() - start)


if __name__ == "__main__":
    main()
