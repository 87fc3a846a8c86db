"""Progress and time left of a running campaign."""
