"""What a solver does: ladders of propagators, climbed from the lowest rung."""
