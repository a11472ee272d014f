"""Hashigo: pencil-puzzle genres as constraint models, ladders and counts."""

__version__ = "0.1.0"
