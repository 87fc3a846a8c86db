"""Intervals that hold at every look, and decisions that may end a campaign."""
