"""Claims about other readings of the rules."""
