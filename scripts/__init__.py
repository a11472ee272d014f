"""The `hashigo` command."""
