"""Speed as ratios against named baselines, all measured in one run: `make bench`."""

import sys
from importlib import import_module

from bench.timing import report

SUBJECTS = ("kropki", "tilepaint", "nawabari", "counting", "certificate", "command", "dial")


def main() -> None:
    wanted = sys.argv[1:] or SUBJECTS
    print(f"{'':52} {'ours':>10} {'baseline':>10} {'ratio':>9}")
    results = [
        good for subject in wanted for good in report(import_module(f"bench.{subject}").BENCHMARKS)
    ]
    print(f"{sum(results)} of {len(results)} as wanted")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
