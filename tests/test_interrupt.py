"""Ctrl-C: one sentence, one exit code, soon, and nothing left that runs on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_EMPTY = "kropki/12/12/" + "0" * 88
COMMANDS = {
    "dial": "dial kropki-squares --out {out} --jobs 2",
    "alone": "dial kropki-squares --out {out}",
    "generate": "generate kropki --size 12 --grade probe --number 9 --jobs 2",
    "census": "census nawabari 5x6 --jobs 2",
    "dissections": "census dissections 24 --jobs 2",
    "compare": "compare --boards 1000 --jobs 2",
    "bank": "bank --make {out} --jobs 2",
    "check": f"check {_EMPTY} {_EMPTY} --jobs 2 --engine ladder --limit 999999 --nodes 999999999",
}
SOON = 5.0  # seconds, on a machine that has much else to do
LAST = 4.0  # by when all of them are at work


def interrupt(name: str, moment: float, folder: Path) -> None:
    """Sent to the whole process group, as a terminal does."""
    words = COMMANDS[name].format(out=folder / f"{name}-{moment}").split()
    with subprocess.Popen(
        [sys.executable, "-m", "hashigo", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(moment)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        start = time.monotonic()
        _, said = process.communicate(timeout=60)
    assert said.startswith("hashigo: interrupted") and said.count("\n") == 1, said
    # Where it comes in a text that is executed, the interpreter ends itself so; shells say 130.
    assert process.returncode in (130, -signal.SIGINT)
    assert time.monotonic() - start < SOON


@pytest.mark.parametrize("name", ["dial", "generate", "census"])
def test_it_ends_at_once(name: str, tmp_path: Path) -> None:
    interrupt(name, LAST, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_it_ends_at_any_moment(name: str, tmp_path: Path) -> None:
    """While the interpreter starts, while it imports, while workers start, and at work."""
    for k in range(24):
        interrupt(name, 0.08 + k * LAST / 24, tmp_path)


_DROPPED = """
import os, signal, time
from hashigo.scripts import judge, main, sources
class Dropping:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
def dropped(*arguments):
    Dropping()
    time.sleep(60)
def turned(*arguments):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet")
sources.one = {}
main.main()
"""


@pytest.mark.parametrize("how", ["dropped", "turned"])
def test_it_is_heard_where_a_library_loses_it(how: str) -> None:
    """As happens in callbacks of a compiler."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _DROPPED.format(how), "judge", "x"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("hashigo: interrupted") and done.stderr.count("\n") == 1
    assert time.monotonic() - start < 10


_ORPHANS = """
import os, signal
from hashigo.scripts import workers
def work(k):
    import os, time
    time.sleep(0.5 if k < 2 else 60 * (k % 2))
    return os.getpid()
with workers.spread(work, ((k,) for k in range(4)), 2) as made:
    print(*{next(made), next(made)}, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_their_parent() -> None:
    """However it ended, and whether they were idle or not."""
    done = subprocess.run(
        [sys.executable, "-c", _ORPHANS], stdout=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    pids = done.stdout.split()
    assert len(pids) == 2
    end = time.monotonic() + 20
    while any(map(runs, pids)):
        assert time.monotonic() < end
        time.sleep(0.1)


def runs(pid: str) -> bool:
    """Whether there is such a process, and it is not a dead one that nobody has asked after."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False
    ).stdout
    return state[:1] not in ("", "Z")
