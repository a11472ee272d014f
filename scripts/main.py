"""The `hashigo` command."""


def main() -> None:
    """Run the command line."""
