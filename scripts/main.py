"""The `hashigo` command: one module per subcommand, and what they all do with errors."""

import os
import sys
import traceback
import warnings
from contextlib import suppress
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer

from hashigo import __version__
from hashigo.models.reading import PuzzleError, PuzzleWarning
from hashigo.models.verdict import EngineFault
from hashigo.scripts import (
    bank,
    census,
    check,
    compare,
    convert,
    count,
    dial,
    generate,
    interrupt,
    judge,
    ledger,
    prove,
    report,
    solve,
    verify,
)

EXIT_BAD_INPUT = 2
EXIT_FAULT = 3
EXIT_OWN_FAULT = 70
EXIT_NO_OUTPUT = 74
EXIT_INTERRUPTED = 130

DEBUG = "HASHIGO_DEBUG"  # environment variable: show where a fault of our own came from

app = typer.Typer(
    name="hashigo",
    help="Pencil puzzles: is it unique, how many answers, how hard, and why.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check.command)
app.command("solve")(solve.command)
app.command("count")(count.command)
app.command("judge")(judge.command)
app.command("prove")(prove.command)
app.command("verify")(verify.command)
app.command("convert")(convert.command)
app.command("census")(census.command)
app.command("generate")(generate.command)
app.command("dial")(dial.command)
app.command("report")(report.command)
app.command("ledger")(ledger.command)
app.command("compare")(compare.command)
app.command("bank")(bank.command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hashigo {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; bad input ends with one sentence, never with a traceback."""
    # No command multiplies matrices, and the threads for that take longer to start than NumPy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A board is drawn as well as the terminal's characters allow.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PuzzleWarning)
    interrupt.listen()
    try:
        app()
    except PuzzleError as error:
        print(f"hashigo: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except EngineFault as error:
        print(f"hashigo: ENGINES DISAGREE: {error}", file=sys.stderr)
        sys.exit(EXIT_FAULT)
    except OSError as error:
        print(f"hashigo: cannot write: {error.strerror}", file=sys.stderr)
        sys.exit(EXIT_NO_OUTPUT)
    except SystemExit as end:
        if interrupt.heard() or end.code == EXIT_INTERRUPTED:
            _interrupted()
        raise
    except Exception as error:
        if interrupt.heard():
            _interrupted()
        if os.environ.get(DEBUG):
            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print(
            f"hashigo: a fault of hashigo itself, not of the input ({what}); please report it, with "
            f"the command and what it prints with {DEBUG}=1 in the environment",
            file=sys.stderr,
        )
        sys.exit(EXIT_OWN_FAULT)


def _interrupted() -> NoReturn:
    print("hashigo: interrupted; what goes to a file goes on from there", file=sys.stderr)
    if "joblib" not in sys.modules:  # which has things of its own to clear away
        # A compiler that was interrupted may crash on its way out.
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED)
    sys.exit(EXIT_INTERRUPTED)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"hashigo: warning: {message}", file=sys.stderr)
