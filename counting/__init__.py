"""How many answers: engines that count, each on its own."""
