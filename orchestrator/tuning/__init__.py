"""Find the slot shape with the best figure per node."""
