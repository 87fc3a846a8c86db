"""Commands that explain, rank, compare and project measurements."""
