"""Statistics, plots and intervals that all questions share."""
