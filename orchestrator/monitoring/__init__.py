"""Read where a campaign stands, once for every display."""
