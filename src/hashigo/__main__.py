"""`python -m hashigo` is the `hashigo` command."""

from hashigo.scripts.main import main

if __name__ == "__main__":
    main()
