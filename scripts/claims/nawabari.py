"""Nawabari: claims that are settled by other means than a table of boards."""

from hashigo.scripts.claim import Check

CHECKS: dict[str, Check] = {}
