"""Sample power and load of a node and its slots."""
