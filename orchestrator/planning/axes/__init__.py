"""Axes of a matrix: the grammar of their texts, and the points that they span."""
