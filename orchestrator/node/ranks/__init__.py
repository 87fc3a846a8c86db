"""Start, watch and end the ranks of an attempt."""
