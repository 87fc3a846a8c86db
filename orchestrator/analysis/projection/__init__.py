"""Project the figure of merit of a whole system from runs on a few nodes."""
