"""Level 2, training: samplers, a small network, and the time that it takes to an accuracy."""
