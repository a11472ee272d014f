"""Work in a process of its own, which is ended when time is up.

For libraries that cannot be interrupted. The work is a function of a module and picklable
arguments; what its iterator yields comes back one by one, so that nothing found is lost. The
process is a plain interpreter, not a fork, so that the caller's threads and main module do not
matter.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import TypeVar

from hashigo.models.verdict import Budget, EngineFault

T = TypeVar("T")
_COMMAND = "from hashigo.counting.child import main; main()"


def stream(
    work: Callable[..., Iterable[T]], arguments: tuple[object, ...], budget: Budget
) -> Iterator[T]:
    """Yield what `work(*arguments)` yields in another process.

    Raises:
        OutOfBudget: time was up first; the process has been ended.
        EngineFault: the work failed; the message is that of its exception.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    with Connection(os.dup(process.stdout.fileno()), writable=False) as receive:
        try:
            process.stdin.write(pickle.dumps((work, arguments)))
            process.stdin.close()
            while True:
                if not receive.poll(budget.left()):
                    raise budget.out_of_time()
                try:
                    kind, content = receive.recv()
                except EOFError:
                    raise EngineFault(f"{work.__name__}: its process died") from None
                if kind == "end":
                    return
                if kind == "fault":
                    raise EngineFault(content)
                yield content
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def main() -> None:
    """The other side: read the work from standard input, send what it yields."""
    # What a library prints must not get between the messages.
    with Connection(os.dup(1), readable=False) as send:
        os.dup2(2, 1)
        try:
            work, arguments = pickle.load(sys.stdin.buffer)
            for item in work(*arguments):
                send.send(("item", item))
            send.send(("end", None))
        except Exception as error:
            send.send(("fault", repr(error)))
