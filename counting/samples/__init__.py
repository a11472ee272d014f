"""What random boards of each genre are made of: one file per genre, see sample.py."""
