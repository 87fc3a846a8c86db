"""Settings of a benchmark's instances: how many there are, how often they are tried, and what they record."""
