"""`python -m hashigo` is the `hashigo` command."""

import sys


def main() -> None:
    """Run the command line, which Ctrl-C ends from the first moment on."""
    try:
        from hashigo.scripts.main import main as run
    except KeyboardInterrupt:
        print("hashigo: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
